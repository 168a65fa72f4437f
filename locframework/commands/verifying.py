"""``locframework verify``: whether the files that are published are what they were."""

from collections.abc import Iterator
from functools import cache

import click

from locframework.app import OPERATOR, Framework
from locframework.delivery.records import Distribution
from locframework.pagination import all_pages
from locframework.projects.records import Project

from .choosing import chosen_projects, projects_option
from .options import Setup, common_options
from .telling import CommandFailed, counted


@click.command()
@projects_option
@common_options
@click.pass_obj
def verify(setup: Setup, reference: str | None) -> None:
    """Read the published files; report lost and damaged ones.

    Reads the files of the current release of each distribution, also of paused ones.
    Changes nothing, and may be run at any time: after a backup was restored, or from a
    timer. Exits with 0 if every file is as its release says, otherwise with 1.

    Publishing again brings back a lost file; a damaged one must be deleted from the
    blob store first.

    \b
    Example:
      locframework verify || mail -s "published files are damaged" ada@example.com
    """
    with setup.framework() as framework:
        # one file may be in many releases
        fault_of = cache(framework.blobs.fault_of)
        files = faults = 0
        for project in chosen_projects(framework, reference):
            for distribution in _distributions(framework, project):
                for path, blob, store in _files(framework, distribution):
                    files += 1
                    if fault := fault_of(blob, store):
                        faults += 1
                        where = f"{project.slug}: {distribution.name}: {path}"
                        click.echo(f"{where}: {fault}")
    if faults:
        raise CommandFailed(f"{faults} of {counted(files, 'file')} cannot be read")
    click.echo(f"{counted(files, 'file')}, all as published")


def _distributions(framework: Framework, project: Project) -> Iterator[Distribution]:
    return all_pages(
        lambda page: framework.distributions.list_distributions(
            OPERATOR, project.id, page
        )
    )


def _files(
    framework: Framework, distribution: Distribution
) -> Iterator[tuple[str, str, str]]:
    """Path, blob and blob store of each file of the current release."""
    release = framework.releases.current_release(
        OPERATOR, distribution.project_id, distribution.id
    )
    if release is not None:
        for file in release.files:
            yield file.path, file.blob, release.storage

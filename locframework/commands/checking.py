"""``locframework recheck``: what the checks find in texts, worked out anew."""

from collections.abc import Iterator

import click

from locframework.app import OPERATOR, Framework
from locframework.projects.records import Project

from .choosing import every_project
from .options import Setup, common_options
from .progress import progress
from .telling import Refused, counted
from .waiting import run_to_end


@click.command()
@click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; left out: every project.",
)
@common_options
@click.pass_obj
def recheck(setup: Setup, reference: str | None) -> None:
    """Run the quality checks on all texts that there are.

    What checks find is kept when a text is written. So after a plugin with checks was
    installed, updated or removed, the texts that were there want another look. It may
    be run at any time, and goes on in small steps beside everything else.

    \b
    Example:
      pip install locframework-checks-spelling && locframework recheck
    """
    with setup.framework() as framework:
        for project in list(_projects(framework, reference)):
            job = framework.issues.start_recheck(OPERATOR, project.id)
            with progress(f"checking {project.slug}") as tell:
                job = run_to_end(framework, framework.jobs, project.id, job, tell)
            if job.error is not None:
                raise Refused(f"{project.slug}: {job.error.message}")
            if job.result is None:
                raise Refused(f"{project.slug}: the job was {job.status}")
            keys = counted(int(str(job.result["keys"])), "key")
            click.echo(f"{project.slug}: {keys} checked")


def _projects(framework: Framework, reference: str | None) -> Iterator[Project]:
    if reference is None:
        return every_project(framework)
    return iter([framework.projects.get_project(OPERATOR, reference)])

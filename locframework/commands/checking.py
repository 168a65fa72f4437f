"""``locframework recheck``: what the checks find in texts, worked out anew."""

import click

from locframework.app import OPERATOR

from .choosing import chosen_projects, projects_option
from .options import Setup, common_options
from .progress import progress
from .telling import CommandFailed, counted
from .waiting import run_to_end


@click.command()
@projects_option
@common_options
@click.pass_obj
def recheck(setup: Setup, reference: str | None) -> None:
    """Run the quality checks on all existing texts.

    Texts are checked when they are written. So run this after a plugin with checks was
    installed, updated or removed. It may be run at any time, and works in small steps
    that do not keep others from writing.

    \b
    Example:
      pip install locframework-checks-spelling && locframework recheck
    """
    with setup.framework() as framework:
        for project in list(chosen_projects(framework, reference)):
            job = framework.issues.start_recheck(OPERATOR, project.id)
            with progress(f"checking {project.slug}") as tell:
                job = run_to_end(framework, framework.jobs, project.id, job, tell)
            if job.error is not None:
                raise CommandFailed(f"{project.slug}: {job.error.message}")
            if job.result is None:
                raise CommandFailed(f"{project.slug}: the job was {job.status}")
            keys = counted(int(str(job.result["keys"])), "key")
            click.echo(f"{project.slug}: {keys} checked")

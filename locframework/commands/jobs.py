"""``locframework jobs``: what runs in the background, in all processes."""

from typing import get_args

import click
import msgspec

from locframework.app import Framework
from locframework.jobs.records import Job, JobQuery, JobStatus

from .common import (
    PROJECT,
    Setup,
    common_options,
    json_option,
    reference_option,
    short_names,
)


@click.group()
def jobs() -> None:
    """Show, cancel and retry background jobs."""


@jobs.command("list")
@reference_option("project", "default: those of all projects, glossaries and memories")
@click.option("--status", type=click.Choice(get_args(JobStatus)))
@click.option("--type", "type_", metavar="TYPE", help="Such as import or release.")
@click.option(
    "--limit", type=click.IntRange(1, 200), default=50, help="How many.  [50]"
)
@json_option
@common_options
@click.pass_obj
def list_jobs(
    setup: Setup,
    reference: str | None,
    status: JobStatus | None,
    type_: str | None,
    limit: int,
) -> None:
    """List jobs, newest first, and say if nothing works on those that are due.

    \b
    Examples:
      locframework jobs list --status failed
      locframework jobs list --project web-shop --type import
    """
    query = JobQuery(limit=limit, status=status, type=type_)
    with setup.framework() as framework:
        project_id = None
        if reference is not None:
            project_id = PROJECT.choose(framework, reference).id
        page = framework.jobs.list_every_job(project_id, query)
        names = short_names(PROJECT.all(framework))
        is_stalled = framework.queues.is_stalled()
    for job in page.items:
        setup.say(_line_of(job, names.get(job.project_id or "", "-")))
    if page.total > len(page.items):
        setup.say(f"… and {page.total - len(page.items)} more")
    if is_stalled:
        message = (
            "jobs are stalled: some are due, and none was worked on for 60 seconds"
        )
        click.echo(f"{message}; start: locframework worker", err=True)
    document = msgspec.structs.asdict(page)
    setup.show({**document, "isStalled": is_stalled})


job_argument = click.argument("job_id", metavar="ID")


@jobs.command("show")
@job_argument
@json_option
@common_options
@click.pass_obj
def show_job(setup: Setup, job_id: str) -> None:
    """Show the job with this ID: status, progress, result and error.

    \b
    Example:
      locframework jobs show 01a222b0-565d-7578-a84f-5da9b56d35ec
    """
    with setup.framework() as framework:
        _show(setup, framework, framework.jobs.find_job(job_id))


@jobs.command("cancel")
@job_argument
@json_option
@common_options
@click.pass_obj
def cancel_job(setup: Setup, job_id: str) -> None:
    """Cancel a job, a running one soon; what it has done stays.

    \b
    Example:
      locframework jobs cancel 01a222b0-565d-7578-a84f-5da9b56d35ec
    """
    with setup.framework() as framework:
        job = framework.jobs.cancel_subject_job(None, job_id, lambda _: True)
        _show(setup, framework, job)


@jobs.command("retry")
@job_argument
@json_option
@common_options
@click.pass_obj
def retry_job(setup: Setup, job_id: str) -> None:
    """Start a failed or cancelled job again, as a new one that has the same parameters.

    It is run by the service or a worker, with the rights that its caller has then. A
    release is published again instead, and an import needs its file, which is kept for
    a week.

    \b
    Example:
      locframework jobs retry 01a222b0-565d-7578-a84f-5da9b56d35ec
    """
    with setup.framework() as framework:
        _show(setup, framework, framework.jobs.retry_job(job_id))


def _show(setup: Setup, framework: Framework, job: Job) -> None:
    names = short_names(PROJECT.all(framework))
    setup.say(_line_of(job, names.get(job.project_id or "", "-")))
    if job.result is not None:
        setup.say(msgspec.json.format(msgspec.json.encode(job.result)).decode())
    setup.show({"job": job})


def _line_of(job: Job, project: str) -> str:
    progress = f"{job.progress.done}/{job.progress.total}"
    about = f"{job.status:9}  {job.type:15}  {progress:>9}  {project}"
    error = f"  {job.error.code}: {job.error.message}" if job.error else ""
    return f"{job.id}  {job.created_at}  {about}{error}"

"""What imports share: of glossaries and memories files, of all a job to wait for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from locframework.app import Framework
from locframework.errors import LocError
from locframework.jobs.records import Job
from locframework.languages import language_info

from .progress import progress
from .telling import CommandFailed, problems_of
from .waiting import JobsOf, run_to_end

files_argument = click.argument(
    "paths",
    metavar="FILE…",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Tell of which file a refusal is, and all that is wrong with it."""
    try:
        yield
    except LocError as refusal:
        for line in problems_of(refusal):
            click.echo(f"  {line}", err=True)
        raise CommandFailed(f"{path}: {refusal.message}") from refusal


def result_of(
    framework: Framework, jobs: JobsOf, about: str, job: Job
) -> Mapping[str, object]:
    """The result of an import, which is waited for.

    Raises Refused when it did not come to its end, and tells what of it stays.
    """
    with progress("importing") as tell:
        job = run_to_end(framework, jobs, about, job, tell)
    if job.result is not None and job.status == "succeeded":
        return job.result
    told = job.error.message if job.error else f"the import was {job.status}"
    if job.result is not None:
        told += (
            f"; {job.progress.done} of {job.progress.total} were imported and remain"
        )
    elif job.error is None:
        told += "; nothing was changed"
    raise CommandFailed(told)


def tell_languages(path: Path, taken: Mapping[str, str], added: Sequence[str]) -> None:
    """Tell which languages of a file were taken as others, and which are new."""
    for code, other in taken.items():
        click.echo(f"{path}: {code} was taken as {other}", err=True)
    if added:
        names = ", ".join(f"{code} ({language_info(code).label})" for code in added)
        click.echo(f"{path}: new languages: {names}", err=True)

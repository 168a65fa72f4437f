"""What the imports of glossaries and memories share: files, and a job for each."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from locframework.app import Framework
from locframework.errors import LocError
from locframework.jobs.records import Job

from .progress import progress
from .telling import Refused, problems_of
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
        raise Refused(f"{path}: {refusal.message}") from refusal


def result_of(
    framework: Framework, jobs: JobsOf, about: str, job: Job
) -> Mapping[str, object]:
    """The result of an import, once it has one. Raises Refused when it has none."""
    with progress("importing") as tell:
        job = run_to_end(framework, jobs, about, job, tell)
    if job.error is not None:
        raise Refused(job.error.message)
    if job.result is None:
        raise Refused(f"the import was {job.status}; what it had done stays")
    return job.result


def tell_taken_as(path: Path, taken: Mapping[str, str]) -> None:
    """Tell which languages of a file were taken as others."""
    for code, other in taken.items():
        click.echo(f"{path}: {code} was taken as {other}", err=True)

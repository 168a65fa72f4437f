"""Waits for jobs of the commands, shows their progress, and reports imports."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Protocol

import click

from locframework.access.records import Caller
from locframework.app import OPERATOR, Framework
from locframework.errors import JobNotCancellable, LocError
from locframework.jobs.records import Job
from locframework.languages import language_info

from .errors import CommandFailed, problems_of

LINE_EVERY_SECONDS = 5.0

Tell = Callable[[int, int], None]
"""Called with how many are done, and of how many; 0 of 0 is not known yet."""


@contextmanager
def progress(label: str) -> Iterator[Tell]:
    """What to tell the progress to, as long as the block takes."""
    if not sys.stderr.isatty():
        yield _lines(label)
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def tell(done: int, total: int) -> None:
            if total:
                bar.length = total
                bar.update(done - bar.pos)

        yield tell


def _lines(label: str) -> Tell:
    told_at = monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told_at
        if total and monotonic() - told_at >= LINE_EVERY_SECONDS:
            told_at = monotonic()
            click.echo(f"{label}: {done} of {total}", err=True)

    return tell


POLL_SECONDS = 0.05


class JobsOf(Protocol):
    """The jobs about projects, about glossaries, or about memories."""

    def get_job(self, caller: Caller, about: str, job_id: str, /) -> Job: ...

    def cancel_job(self, caller: Caller, about: str, job_id: str, /) -> Job: ...


def run_to_end(
    framework: Framework, jobs: JobsOf, about: str, job: Job, tell: Tell
) -> Job:
    """The job when it has ended, done here or by another process.

    ``about`` is the project, glossary or memory. Whoever interrupts it (Ctrl-C)
    cancels the job.
    """
    framework.runner.start()
    try:
        while job.status in ("queued", "running"):
            if job.status == "queued":
                framework.runner.wake()
            time.sleep(POLL_SECONDS)
            job = jobs.get_job(OPERATOR, about, job.id)
            tell(job.progress.done, job.progress.total)
    except KeyboardInterrupt:
        with suppress(JobNotCancellable):  # it ended meanwhile
            jobs.cancel_job(OPERATOR, about, job.id)
        raise
    finally:
        framework.runner.stop()
    return job


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

    Raises CommandFailed when it did not come to its end, and tells what of it stays.
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

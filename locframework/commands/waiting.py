"""Waits for a job, and works on what is due meanwhile."""

import time
from contextlib import suppress
from typing import Protocol

from locframework.access.records import Caller
from locframework.app import OPERATOR, Framework
from locframework.errors import JobNotCancellable
from locframework.jobs.records import Job

from .progress import Tell

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

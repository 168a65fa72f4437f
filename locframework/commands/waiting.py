"""Waits for a job, and works on what is due meanwhile."""

import time
from contextlib import suppress

from locframework.app import OPERATOR, Framework
from locframework.errors import JobNotCancellable
from locframework.jobs.records import Job

from .progress import Tell

POLL_SECONDS = 0.05


def run_to_end(framework: Framework, job: Job, tell: Tell) -> Job:
    """The job when it has ended, done here or by another process.

    Whoever interrupts it (Ctrl-C) cancels the job.
    """
    framework.runner.start()
    try:
        while job.status in ("queued", "running"):
            if job.status == "queued":
                framework.runner.wake()
            time.sleep(POLL_SECONDS)
            job = framework.jobs.get_job(OPERATOR, str(job.project_id), job.id)
            tell(job.progress.done, job.progress.total)
    except KeyboardInterrupt:
        _cancel(framework, job)
        raise
    finally:
        framework.runner.stop()
    return job


def _cancel(framework: Framework, job: Job) -> None:
    with suppress(JobNotCancellable):  # it ended meanwhile
        framework.jobs.cancel_job(OPERATOR, str(job.project_id), job.id)

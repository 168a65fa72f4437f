"""What an area gives to have its jobs done."""

from typing import Protocol

from .records import StoredJob
from .work import Work


class JobHandler(Protocol):
    """Does the jobs of one type.

    A job may be run again, after a crash or a lost lease, so a handler writes in
    ``work.finish()`` only, or what comes out the same when it is repeated, or in
    ``work.step()``, whose note in ``job.step`` tells the next run where to go on.
    """

    @property
    def type(self) -> str: ...

    def run(self, job: StoredJob, work: Work) -> None:
        """Do it, and end it with ``work.finish()``.

        What is raised ends the job as failed: a LocError with its code and message,
        anything else as internal_error.
        """
        ...

"""How jobs are kept and claimed."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from locframework.fields import Timestamp, parse_timestamp, timestamp
from locframework.paging import Page, PageRequest

from .records import Job, JobFilter, Progress, StoredJob

LEASE_MOST = timedelta(hours=1)


def last_lease_end(now: Timestamp) -> Timestamp:
    """The latest time at which a lease that was given by now can end.

    One that ends later was given by a clock that was put back since: it has run out.
    """
    return timestamp(parse_timestamp(now) + LEASE_MOST)


class JobStore(Protocol):
    """Questions that jobs ask. Any number of processes may claim at once."""

    def add(self, job: StoredJob) -> None: ...

    def find(self, owner_id: str, job_id: str) -> StoredJob | None:
        """``owner_id``: its project, or the glossary or memory that it is about."""
        ...

    def list_jobs(
        self, project_id: str, where: JobFilter, page: PageRequest
    ) -> Page[Job]:
        """Newest first."""
        ...

    def list_jobs_about(
        self, subject_id: str, where: JobFilter, page: PageRequest
    ) -> Page[Job]:
        """Those about a glossary or memory, newest first."""
        ...

    def claim(
        self, types: Sequence[str], owner: str, now: Timestamp, lease_until: Timestamp
    ) -> StoredJob | None:
        """Take the oldest job that is queued, or running with its lease run out.

        A lease that ends after ``last_lease_end(now)`` has run out too. In one step
        that no other claimer can share: sets owner, lease, status ``running``,
        ``started_at`` if it was null, and attempt + 1. Its own transaction.
        """
        ...

    def extend(self, job_id: str, attempt: int, lease_until: Timestamp) -> bool:
        """Keep the lease; False when the attempt is no longer the current one."""
        ...

    def hold(self, job_id: str, attempt: int) -> bool:
        """In the open transaction: whether the attempt is still the current one.

        When it is, nobody else can claim the job until the transaction ends.
        """
        ...

    def hold_queued(self, project_id: str, type_: str) -> bool:
        """In the open transaction: whether such a job of the project is queued.

        Nobody else can claim it until the transaction ends, so whoever does sees what
        the transaction writes. False, too, where all are being held by others.
        """
        ...

    def report(self, job_id: str, attempt: int, progress: Progress) -> None: ...

    def note_step(
        self,
        job_id: str,
        attempt: int,
        step: Mapping[str, object],
        progress: Progress,
    ) -> bool:
        """In the open transaction: what the handler needs to go on from here.

        False, and nothing noted, when the attempt is no longer the current one.
        """
        ...

    def finish(self, job: Job, attempt: int) -> bool:
        """Store status, progress, result, error and ``finished_at``; lease and owner
        go. False, and nothing stored, when the attempt is no longer the current one
        or the job has ended."""
        ...

    def request_cancel(self, job_id: str, at: Timestamp) -> bool:
        """Note that the job is to stop. A queued one is ``cancelled`` at once, finished
        ``at``. False when the job has ended already."""
        ...

    def cancel_requested(self, job_id: str) -> bool: ...

    def prune(self, before: Timestamp, rows: int) -> int:
        """Drop up to ``rows`` jobs that finished before then; how many went."""
        ...

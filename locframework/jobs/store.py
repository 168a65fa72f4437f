"""The storage of jobs. Any number of processes may claim at once."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from locframework.fields import Timestamp, parse_timestamp, timestamp
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore

from .lease import LeaseStorage
from .records import Job, JobFilter, Progress, StoredJob

LEASE_LIMIT = timedelta(hours=1)


Item = Mapping[str, object]
"""What a job lists beside its result: a JSON object."""


def last_lease_end(now: Timestamp) -> Timestamp:
    """Return when a lease taken before ``now`` ends at the latest: one that ends later
    was taken before the clock was set back, and has expired."""
    return timestamp(parse_timestamp(now) + LEASE_LIMIT)


class JobStore(Protocol):
    """Stores jobs. Methods with an ``attempt`` write nothing if the job was claimed
    again."""

    def add(self, *jobs: StoredJob) -> None: ...

    def find(self, owner_id: str | None, job_id: str) -> StoredJob | None:
        """Return a job of a project, glossary or memory (``owner_id``; None: any)."""

    def list_jobs(
        self,
        owner_id: str | None,
        where: JobFilter,
        page: PageRequest,
        *,
        of_subject: bool = False,
    ) -> Page[Job]:
        """Return jobs of a project, or ``of_subject``, a glossary or memory, newest
        first; of all for None."""

    def claim(
        self, types: Sequence[str], owner: str, now: Timestamp, lease_until: Timestamp
    ) -> StoredJob | None:
        """Take the oldest job that is queued, or running with an expired lease.

        A lease that ends after ``last_lease_end(now)`` has expired too. Atomic among
        claimers: sets owner, lease, status ``running``, ``started_at`` if it was null,
        and attempt + 1. Its own transaction.
        """

    def extend(
        self,
        job_id: str,
        attempt: int,
        lease_until: Timestamp,
        progress: Progress | None = None,
        step: Mapping[str, object] | None = None,
        items: Sequence[Item] = (),
    ) -> bool:
        """Set the end of the lease; return whether the attempt is current.

        In a transaction, nobody can claim the job until that ends. ``progress`` is
        stored, and so is ``step``, a checkpoint, in the open transaction. ``items`` are
        added to what the job lists beside its result, and kept as long as the job.
        """

    def hold_queued(self, project_id: str, type_: str) -> bool:
        """Lock a queued job of the type in the open transaction: whoever claims it sees
        what this writes. Return False if there is none, or others hold all of them."""

    def finish(self, job: Job, attempt: int, items: Sequence[Item] = ()) -> bool:
        """Store status, progress, result, error, ``finished_at`` and the last items;
        clear the lease. Return False if the attempt is not current or the job has
        ended."""

    def page_of_items(self, job_id: str, page: PageRequest) -> Page[Item]:
        """Return a page of the items of a job, as they were added. Two statements."""

    def request_cancel(self, job_id: str, at: Timestamp) -> bool:
        """Mark the job to be cancelled; a queued one is ``cancelled`` at once, finished
        ``at``. Return False when the job has ended already."""


class JobStorage(LeaseStorage, Protocol):
    """The part of the storage that this area uses."""

    jobs: JobStore
    projects: ProjectStore

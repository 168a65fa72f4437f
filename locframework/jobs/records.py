"""Jobs: work that outlives its request (decisions 2.6, Job)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.fields import Timestamp
from locframework.pagination import ByTime, SortedRequest

JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]


class Progress(Struct, frozen=True):
    """Items done and in total; each job type defines its items."""

    done: int
    total: int


class JobError(Struct, frozen=True, omit_defaults=True):
    """Why a job failed; ``code`` is one of the API's error codes."""

    code: str
    message: str
    details: object = None  # as a response with this code has them


class Job(Struct, frozen=True, rename="camel"):
    """A job as the API shows it."""

    id: str
    project_id: str | None  # None: of a glossary or a translation memory
    type: str  # import, release, …: selects the handler
    status: JobStatus
    progress: Progress
    result: Mapping[str, object] | None
    error: JobError | None
    created_by: str  # actor id
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


class StoredJob(Struct, frozen=True):
    """A job with its parameters and its lease."""

    job: Job
    organization_id: str
    permission: str  # that started it, and that reading it requires
    params: Mapping[str, object]  # JSON; only the handler reads it
    caller: Caller  # as of the request
    owner: str | None  # the runner that holds the lease
    lease_until: Timestamp | None
    attempt: int  # claims so far; a runner with an older attempt is fenced off
    cancel_requested: bool
    step: Mapping[str, object] | None = None  # the handler's checkpoint, JSON
    step_attempt: int = 0  # the attempt that wrote the checkpoint; 0: none
    subject_id: str | None = None  # the glossary or memory of a job without a project

    @property
    def project_id(self) -> str:
        """The id of the job's project. Raises RuntimeError for a job without one."""
        if self.job.project_id is None:
            raise RuntimeError(f"job {self.job.id} has no project")
        return self.job.project_id


class JobQuery(SortedRequest, frozen=True):
    """The filters of a job list."""

    status: JobStatus | None = None
    type: Annotated[str, Meta(max_length=100)] | None = None
    sort: ByTime = "-createdAt"


class JobFilter(Struct, frozen=True):
    """Selects jobs; every condition that is set must hold."""

    permissions: Sequence[str] | None = None  # started with one of these
    status: JobStatus | None = None
    type: str | None = None


class JobQueue(Struct, frozen=True):
    """The jobs of the whole database that have not ended."""

    counts: Mapping[tuple[str, ...], int]  # by type and status, queued or running
    oldest_due_at: Timestamp | None  # since when a job may be claimed; None: none may
    is_worked_on: bool  # a runner holds the lease of a job
    last_ended_at: Timestamp | None  # of jobs that a runner had started


class QueueDepth(Struct, frozen=True):
    """The pending webhook deliveries of the whole database."""

    pending: int
    oldest_due_at: Timestamp | None  # None: nothing is due


class Queues(Struct, frozen=True):
    """The background work of all processes that share a database."""

    jobs: JobQueue
    deliveries: QueueDepth


class JobAnswer(Struct, frozen=True):
    """The body of a response with one job."""

    job: Job

"""Jobs: work that outlives its request (decisions 2.6, Job)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.fields import Timestamp
from locframework.paging import ByTime, SortedRequest

JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]


class Progress(Struct, frozen=True):
    """How far a job is, in items of its own kind."""

    done: int
    total: int


class JobError(Struct, frozen=True):
    """Why a job failed; ``code`` is one of the API's error codes."""

    code: str
    message: str


class Job(Struct, frozen=True, rename="camel"):
    """A job as it is shown."""

    id: str
    project_id: str | None  # None: of a glossary or a translation memory
    type: str  # import, release, …: who handles it
    status: JobStatus
    progress: Progress
    result: Mapping[str, object] | None
    error: JobError | None
    created_by: str  # actor id
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


class StoredJob(Struct, frozen=True):
    """A job as it is kept: with what it was given and who works on it."""

    job: Job
    organization_id: str
    permission: str  # that started it, and that reading it needs
    params: Mapping[str, object]  # JSON-shaped; only its handler reads it
    caller: Caller  # as they were when they asked
    owner: str | None  # the runner that holds it
    lease_until: Timestamp | None
    attempt: int  # claims so far; fences off a runner whose lease ran out
    cancel_requested: bool
    step: Mapping[str, object] | None = None  # what its handler noted, JSON-shaped
    step_attempt: int = 0  # the claim in which it did; 0: none yet
    subject_id: str | None = None  # of a job without project: what it is about

    @property
    def project_id(self) -> str:
        """For the handlers of a project's jobs."""
        if self.job.project_id is None:
            raise RuntimeError(f"job {self.job.id} is of no project")
        return self.job.project_id


class JobQuery(SortedRequest, frozen=True):
    """What a list of jobs is asked by."""

    status: JobStatus | None = None
    type: Annotated[str, Meta(max_length=100)] | None = None  # an unknown one: no job
    sort: ByTime = "-createdAt"


class JobFilter(Struct, frozen=True):
    """Which jobs a list holds; every condition that is set must hold."""

    permissions: Sequence[str] | None = None  # one of these started it
    status: JobStatus | None = None
    type: str | None = None


class JobAnswer(Struct, frozen=True):
    """One job."""

    job: Job

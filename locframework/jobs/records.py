"""Jobs: work that outlives its request (decisions 2.6, Job)."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from locframework.access.records import Caller
from locframework.clock import Timestamp

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
    project_id: str
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


class JobAnswer(Struct, frozen=True):
    """One job."""

    job: Job

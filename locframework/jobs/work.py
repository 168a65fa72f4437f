"""One run of a job: progress, cancellation, checkpoints and the final transaction."""

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from locframework.errors import Unavailable
from locframework.fields import Clock, timestamp
from locframework.transactions import crash_point

from .records import JobStatus, Progress, StoredJob
from .store import Item, JobStorage

log = logging.getLogger("locframework.jobs")

PAUSE_SECONDS, PAUSE_SHARE = 0.005, 0.1  # after each step, of its duration
LEASE = timedelta(seconds=30)
LOCK_WAIT_SECONDS = 600.0  # for others who hold the project or the database


def pause_after(started: float) -> None:
    """Let others write after a step that began at ``time.monotonic()``: SQLite's
    waiters poll."""
    time.sleep(max(PAUSE_SECONDS, PAUSE_SHARE * (time.monotonic() - started)))


class Cancelled(Exception):
    """The job was asked to stop; the runner ends it as cancelled."""


class LeaseLost(Exception):
    """Another runner holds the job now; this one must write nothing more."""


class Outcome(Struct):
    """The end of a job; a handler sets it inside ``work.finish()``."""

    result: Mapping[str, object] | None = None
    status: Literal["succeeded", "partial"] = "succeeded"
    items: Sequence[Item] = ()  # more of what the job lists beside its result


class Step(Struct):
    """A checkpoint; a handler sets it inside ``work.step()``. ``note["result"]``
    becomes the job's result if it fails or is cancelled later."""

    note: Mapping[str, object]  # JSON
    progress: Progress
    items: Sequence[Item] = ()  # more of what the job lists beside its result


class Work:
    """What the framework gives a handler for one run of a job."""

    def __init__(self, job: StoredJob, storage: JobStorage, clock: Clock) -> None:
        self._job = job
        self._storage = storage
        self._clock = clock
        self.progress = job.job.progress
        self._cancelled = threading.Event()
        self._lost = threading.Event()
        self.is_writing = False  # in a transaction that locks the job
        self.ended_as: JobStatus | None = None
        self.checkpoint = job.step or {}  # of the last committed step
        self.stored_progress = self.progress
        self.extended_at = clock()  # when the lease was taken or extended

    @property
    def is_finished(self) -> bool:
        """Whether the job's end is stored."""
        return self.ended_as is not None

    def report(self, done: int, total: int) -> None:
        """Set the progress, in memory: the runner writes it each second."""
        self.progress = Progress(done, total)

    def check_cancelled(self) -> None:
        """Raise Cancelled or LeaseLost. Cheap: the runner polls in another thread."""
        if self._lost.is_set():
            raise LeaseLost
        if self._cancelled.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """Make the next ``check_cancelled`` raise Cancelled, from any thread."""
        self._cancelled.set()

    def lose_lease(self) -> None:
        """Make the next ``check_cancelled`` raise LeaseLost, from any thread."""
        self._lost.set()

    @contextmanager
    def finish(self, *, lock_project: bool = True) -> Iterator[Outcome]:
        """Open the final transaction: its writes and the job's end are atomic.

        The project is locked, unless the job has written nothing in it
        (``lock_project=False``); a job without one locks its subject before it reads.
        Nobody can claim the job while the transaction is open. Raises LeaseLost, and
        Cancelled while it waits for the project.
        """
        before = self.progress
        try:
            with self.transaction(lock_project=lock_project):
                outcome = Outcome()
                yield outcome
                ended = replace(
                    self._job.job,
                    status=outcome.status,
                    progress=self.progress,
                    result=outcome.result,
                    finished_at=timestamp(self._clock()),
                )
                if not self._storage.jobs.finish(
                    ended, self._job.attempt, outcome.items
                ):
                    raise LeaseLost
                crash_point("job.before_commit")
        except BaseException:
            self.progress = before  # rolled back
            raise
        crash_point("job.after_commit")
        self.ended_as = outcome.status

    @contextmanager
    def step(self) -> Iterator[Step]:
        """Open a transaction whose writes and checkpoint are atomic.

        The next attempt finds the checkpoint in ``job.step``. The project is locked.
        Afterwards the lease is extended, however long the step took, and other writers
        may proceed. Raises LeaseLost, Cancelled.
        """
        with self.transaction():
            started = time.monotonic()
            step = Step(self._job.step or {}, self.progress)
            yield step
            now = self._clock()  # a claimer that waits for the lock would succeed
            self._extend(now, step.progress, step.note, step.items)
            crash_point("job.before_step")
        self.extended_at = now
        self.progress = self.stored_progress = step.progress
        self.checkpoint = step.note
        crash_point("job.after_step")
        pause_after(started)

    @contextmanager
    def transaction(self, *, lock_project: bool = True) -> Iterator[None]:
        """Open a transaction that locks the job, and the project if asked; wait while
        others hold the lock. Raises LeaseLost, Cancelled."""
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        with ExitStack() as opened:
            while not self._try_lock(opened, lock_project):
                self.check_cancelled()
                if time.monotonic() > deadline:
                    raise Unavailable("the project is locked by other writers; retry")
            self.is_writing = True
            try:
                yield
            finally:
                self.is_writing = False

    def _try_lock(self, opened: ExitStack, lock_project: bool) -> bool:
        """Begin the transaction; return False when the lock timed out."""
        try:
            with ExitStack() as tried:
                tried.enter_context(self._storage.transaction())
                project_id = self._job.job.project_id
                if lock_project and project_id is not None:
                    self._storage.projects.lock(project_id)
                self._extend(self._clock())
                opened.push(tried.pop_all())
        except Unavailable as error:
            log.info("job %s is blocked by other writers: %s", self._job.job.id, error)
            return False
        return True

    def _extend(
        self,
        now: datetime,
        progress: Progress | None = None,
        note: Mapping[str, object] | None = None,
        items: Sequence[Item] = (),
    ) -> None:
        id_, attempt, until = self._job.job.id, self._job.attempt, now + LEASE
        if not self._storage.jobs.extend(
            id_, attempt, timestamp(until), progress, note, items
        ):
            raise LeaseLost


class JobHandler(Protocol):
    """Runs the jobs of one type, again after a crash or a lost lease: so it writes in
    ``work.finish()``, in ``work.step()``, or idempotently."""

    @property
    def type(self) -> str: ...

    def run(self, job: StoredJob, work: Work) -> None:
        """Run the job and end it with ``work.finish()``. A LocError ends it with its
        code and message, any other exception as internal_error."""

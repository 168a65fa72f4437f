"""A job in hand: its progress, its cancellation, and its one final transaction."""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from locframework.errors import Unavailable
from locframework.fields import Clock, timestamp
from locframework.storage import Storage
from locframework.transactions import crash_point

from .records import Job, Progress, StoredJob

log = logging.getLogger("locframework.jobs")

PAUSE_SECONDS, PAUSE_SHARE = 0.005, 0.1  # after each step, of its own time
LEASE = timedelta(seconds=30)
PATIENCE_SECONDS = 600.0  # with others who hold the project or the database


def give_way(begun: float) -> None:
    """After a step that began then (``time.monotonic``), let others have their turn.

    Whoever waits must see it free: SQLite's waiters only look now and then.
    """
    time.sleep(max(PAUSE_SECONDS, PAUSE_SHARE * (time.monotonic() - begun)))


class Cancelled(Exception):
    """The job was asked to stop; the runner ends it as cancelled."""


class LeaseLost(Exception):
    """Another runner has the job by now; this one drops it without a trace."""


class Outcome(Struct):
    """What a handler leaves behind; set it inside ``work.finish()``."""

    result: Mapping[str, object] | None = None
    status: Literal["succeeded", "partial"] = "succeeded"


class Step(Struct):
    """What a handler needs to go on after a step; set it inside ``work.step()``.

    The note's member ``result`` is what came of the job so far: its result, should it
    end before it is done.
    """

    note: Mapping[str, object]  # JSON-shaped
    progress: Progress


class Work:
    """What a handler has of the framework while it does one job."""

    def __init__(
        self,
        job: StoredJob,
        storage: Storage,
        clock: Clock,
        *,
        lease: timedelta = LEASE,
    ) -> None:
        self._job = job
        self._storage = storage
        self._clock = clock
        self._lease = lease
        self._progress = job.job.progress
        self._cancelled = threading.Event()
        self._lost = threading.Event()
        self.is_writing = False  # in a transaction that holds the job
        self.is_finished = False
        self.noted = job.step or {}  # by the last step that is kept
        self.written = self._progress  # what of it the store has
        self.extended_at = clock()  # when the lease was taken or extended

    @property
    def progress(self) -> Progress:
        """What was reported last."""
        return self._progress

    def report(self, done: int, total: int) -> None:
        """Tell how far the job is. Costs nothing: the runner writes it now and then."""
        self._progress = Progress(done, total)

    def check_cancelled(self) -> None:
        """Raise Cancelled if somebody asked for it, LeaseLost if the job is gone.

        Costs nothing: the runner looks for it beside. Call it before each step.
        """
        if self._lost.is_set():
            raise LeaseLost
        if self._cancelled.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """From another thread: let the next ``check_cancelled`` raise."""
        self._cancelled.set()

    def lose(self) -> None:
        """From another thread: the job is not ours any more."""
        self._lost.set()

    @contextmanager
    def finish(self) -> Iterator[Outcome]:
        """The job's final transaction: what is written in it and the end of the job
        are kept together, or neither is.

        The project is locked; a job without one locks what it is about, before it
        reads. Nobody else can take the job while it is open. Raises
        LeaseLost when somebody has, and Cancelled while it waits for the project.
        """
        before = self._progress
        try:
            with self._opened():
                outcome = Outcome()
                yield outcome
                ended = self._ended(outcome)
                if not self._storage.jobs.finish(ended, self._job.attempt):
                    raise LeaseLost
                crash_point("job.before_commit")
        except BaseException:
            self._progress = before  # nothing of it is kept
            raise
        crash_point("job.after_commit")
        self.is_finished = True

    @contextmanager
    def step(self) -> Iterator[Step]:
        """A transaction on the way: what is written in it and the note of how far the
        job is are kept together, or neither is.

        The next attempt finds the note in ``job.step``. As ``finish``, with the project
        locked; afterwards other writers have their turn, and the job is ours for
        another whole lease, however long the step took. Raises LeaseLost, Cancelled.
        """
        with self._opened():
            begun = time.monotonic()
            step = Step(self._job.step or {}, self._progress)
            yield step
            id_, attempt = self._job.job.id, self._job.attempt
            noted = step.note, step.progress
            if not self._storage.jobs.note_step(id_, attempt, *noted):
                raise LeaseLost
            now = self._clock()  # whoever waits for us to commit would claim it then
            self._storage.jobs.extend(id_, attempt, timestamp(now + self._lease))
            crash_point("job.before_step")
        self.extended_at = now
        self._progress = self.written = step.progress
        self.noted = step.note
        crash_point("job.after_step")
        give_way(begun)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """A transaction that holds project and job.

        Waits for others who write at length, such as another import: they are no
        fault of this job, and it should not begin again for them.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        with ExitStack() as opened:
            while not self._enter(opened):
                self.check_cancelled()
                if time.monotonic() > deadline:
                    raise Unavailable("others are writing for a long time; try again")
            self.is_writing = True
            try:
                yield
            finally:
                self.is_writing = False

    def _enter(self, opened: ExitStack) -> bool:
        """Begin the transaction; False when the database is too busy for now."""
        try:
            with ExitStack() as tried:
                tried.enter_context(self._storage.transaction())
                if self._job.job.project_id is not None:
                    self._storage.projects.lock(self._job.job.project_id)
                if not self._storage.jobs.hold(self._job.job.id, self._job.attempt):
                    raise LeaseLost
                opened.push(tried.pop_all())
        except Unavailable as error:
            log.info("job %s waits to write: %s", self._job.job.id, error)
            return False
        return True

    def _ended(self, outcome: Outcome) -> Job:
        return replace(
            self._job.job,
            status=outcome.status,
            progress=self._progress,
            result=outcome.result,
            finished_at=timestamp(self._clock()),
        )

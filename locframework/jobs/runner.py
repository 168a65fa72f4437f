"""Takes due jobs from the store and has them done, each by one runner at a time."""

import logging
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from msgspec.structs import replace

from locframework.errors import LocError, Unavailable, truncate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.storage import Storage
from locframework.transactions import crash_point

from .events import tell_ended
from .handler import JobHandler
from .lease import Heartbeat, is_dead, new_owner
from .records import JobError, Progress, StoredJob
from .work import LEASE, Cancelled, LeaseLost, Work

log = logging.getLogger("locframework.jobs")

EXTENDED_EVERY = timedelta(seconds=10)
BEAT_SECONDS = 1.0  # progress is written, and a cancellation looked for
PUT_OFF_FOR = timedelta(seconds=1)  # once the store answers again
SOON_MOST = 3  # claims without a step, until a job waits for its whole lease
CLAIMS_MOST = 5  # without a step; a job that kills its process each time dies


class JobRunner:
    """Claims jobs and runs them. Any number of runners may share a store.

    A claim is a lease: it is extended while the job is at work, and when it runs out
    the job may be claimed again. A runner that lost its lease cannot end the job any
    more (``Work.finish`` asks first). Times are those of ``clock``.
    """

    def __init__(
        self,
        storage: Storage,
        handlers: Sequence[JobHandler],
        events: EventLog,
        clock: Clock,
        *,
        workers: int = 2,
        lease: timedelta = LEASE,
        extended_every: timedelta = EXTENDED_EVERY,
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        self.owner = new_owner()
        self._storage = storage
        self._handlers = {handler.type: handler for handler in handlers}
        self._events = events
        self._clock = clock
        self._workers = workers
        self._lease = lease
        self._extended_every = extended_every
        self._heartbeat = Heartbeat(self._beat, beat_seconds)
        self._working: dict[str, Work] = {}
        self._put_off: list[tuple[str, int]] = []  # job and attempt
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def handle(self, handler: JobHandler) -> None:
        """Have the jobs of the handler's type done by it from now on."""
        self._handlers[handler.type] = handler

    def start(self) -> None:
        """Begin to work: what dead processes of this host held is due at once."""
        self._release_dead()
        self._stopping.clear()
        self._woken.set()
        self._threads = [
            threading.Thread(
                target=self._work, name=f"locframework-job-{number}", daemon=True
            )
            for number in range(self._workers)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim nothing more, and wait for the jobs at work, so long at most.

        Those that are not done by then are left for another runner to begin again.
        """
        deadline = time.monotonic() + timeout_seconds
        self._stopping.set()
        self._woken.set()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._threads = []
        left = list(self._working.values())
        for work in left:
            work.lose()
        if left:
            self._release(self.owner)

    def wake(self) -> None:
        """A job may be due: look now. Cheap, from any thread."""
        self._woken.set()

    def wake_if(self, is_due: bool) -> None:
        """Wake if jobs are due, or jobs that were put off are to be given back."""
        if is_due or self._put_off:
            self.wake()

    @property
    def types(self) -> list[str]:
        """The types of jobs that this runner handles, sorted."""
        return sorted(self._handlers)

    def run_until_idle(self) -> None:
        """Run every due job, in the calling thread; for tests, scripts, embedders."""
        while self.run_one():
            pass

    def run_one(self) -> bool:
        """Run the oldest due job; False when none was due."""
        job = self._claim()
        if job is None:
            return False
        crash_point("job.after_claim")
        work = Work(job, self._storage, self._clock, lease=self._lease)
        late = self._working.get(job.job.id)
        if late is not None:
            late.lose()  # its lease ran out, and we are the one who took over
        self._working[job.job.id] = work
        try:
            with self._heartbeat.keep(job, work):
                self._run(job, work)
        finally:
            if self._working.get(job.job.id) is work:
                del self._working[job.job.id]
        return True

    def progress_of(self, job_id: str) -> Progress | None:
        """How far a job is that is at work here; None for any other."""
        work = self._working.get(job_id)
        return None if work is None else work.progress

    def cancel(self, job_id: str) -> None:
        """Let a job stop that is at work here, without waiting for the store."""
        work = self._working.get(job_id)
        if work is not None:
            work.cancel()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait()
            self._woken.clear()
            try:
                while not self._stopping.is_set() and self.run_one():
                    pass
            except Exception:
                log.exception("the job runner failed; it continues")
        self._woken.set()  # for the other workers to see that it is over

    def _claim(self) -> StoredJob | None:
        try:
            self._give_back()
            now = self._clock()
            return self._storage.jobs.claim(
                self.types,
                self.owner,
                timestamp(now),
                timestamp(now + self._lease),
            )
        except Unavailable as error:
            log.info("no job could be claimed: %s", error)
            return None

    def _give_back(self) -> None:
        """Shorten the leases of jobs that were put off: they are due in a second.

        Raises Unavailable while the store still does not answer.
        """
        while self._put_off:
            id_, attempt = self._put_off[-1]
            with self._storage.transaction():  # nothing, if it was claimed meanwhile
                due = timestamp(self._clock() + PUT_OFF_FOR)
                self._storage.jobs.extend(id_, attempt, due)
            self._put_off.remove((id_, attempt))

    def _run(self, job: StoredJob, work: Work) -> None:
        """Do the job; whatever comes of it, it ends or is left to be claimed again."""
        try:
            self._do(job, work)
        except Cancelled:
            self._end(job, work, "cancelled")
        except LeaseLost:
            log.warning("job %s was taken over by another runner", job.job.id)
        except Unavailable as reason:
            log.warning("job %s is put off: %s", job.job.id, reason)
            if job.attempt - job.step_attempt < SOON_MOST:
                self._put_off.append((job.job.id, job.attempt))
        except LocError as refusal:
            error = JobError(refusal.code, truncate(refusal.message))
            self._end(job, work, "failed", error)
        except Exception:
            log.exception("job %s (%s) failed", job.job.id, job.job.type)
            error = JobError(
                "internal_error", "the job failed because of an error in the service"
            )
            self._end(job, work, "failed", error)

    def _do(self, job: StoredJob, work: Work) -> None:
        if job.cancel_requested:
            raise Cancelled
        if job.attempt - job.step_attempt > CLAIMS_MOST:
            raise _GaveUp(f"the job was started {CLAIMS_MOST} times and never ended")
        with self._events.because(job_id=job.job.id):
            self._handlers[job.job.type].run(job, work)
        if not work.is_finished:
            raise RuntimeError("the handler did not finish its job")

    def _end(
        self,
        job: StoredJob,
        work: Work,
        status: Literal["cancelled", "failed"],
        error: JobError | None = None,
    ) -> None:
        if work.is_finished:
            return
        ended = replace(
            job.job,
            status=status,
            progress=work.progress,
            result=work.noted.get("result"),  # done items stay (decisions 2.6)
            error=error,
            finished_at=timestamp(self._clock()),
        )
        try:
            with self._storage.transaction():
                if self._storage.jobs.finish(ended, job.attempt):
                    tell_ended(self._events, job, status, error)
        except Unavailable as reason:
            log.warning("the end of job %s is put off: %s", job.job.id, reason)

    def _beat(self, job: StoredJob, work: Work) -> None:
        """Write progress, look for a cancellation, and keep the lease.

        Nothing is written beside a step, or the end: it keeps us out, as it does
        everyone who would claim the job, and extends the lease itself. A long
        transaction of the handler's own may keep us out too.
        """
        jobs, id_, attempt = self._storage.jobs, job.job.id, job.attempt
        progress, now = work.progress, self._clock()
        is_due = now >= work.extended_at + self._extended_every
        try:
            if not work.is_writing and (is_due or progress != work.written):
                with self._storage.transaction():
                    jobs.report(id_, attempt, progress)
                    if not jobs.extend(id_, attempt, timestamp(now + self._lease)):
                        work.lose()
                work.written, work.extended_at = progress, now
            if jobs.cancel_requested(id_):
                work.cancel()
        except Unavailable as error:
            log.info("the lease of job %s was not extended: %s", id_, error)

    def _release_dead(self) -> None:
        try:
            owners = self._storage.lease_owners()
        except Unavailable as error:
            log.warning("jobs of dead runners wait for their lease: %s", error)
            return
        for owner in owners:
            if is_dead(owner):
                self._release(owner)

    def _release(self, owner: str) -> None:
        try:
            with self._storage.transaction():
                now = timestamp(self._clock())
                self._storage.release_leases(owner, now)
        except Unavailable as error:
            log.warning("the jobs of %s wait for their lease: %s", owner, error)


class _GaveUp(LocError):
    """The answer to a job that ends its process again and again."""

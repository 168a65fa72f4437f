"""Claims due jobs from the store and runs them, each in one runner at a time."""

import logging
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from msgspec import to_builtins
from msgspec.structs import replace

from locframework.errors import LocError, Unavailable, truncate
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.transactions import crash_point

from .lease import new_owner, release_leases
from .queues import QueueMonitor
from .records import JobError, Progress, StoredJob
from .store import JobStorage
from .work import LEASE, Cancelled, JobHandler, LeaseLost, Work

log = logging.getLogger("locframework.jobs")

EXTEND_INTERVAL = timedelta(seconds=10)
HEARTBEAT_SECONDS = 1.0  # to store progress and poll for a cancellation
RETRY_AFTER = timedelta(seconds=1)  # once the store is available again
EARLY_RETRY_LIMIT = 3  # claims without a step that end their lease early
CLAIM_LIMIT = 5  # claims without a step; then the job fails


class JobRunner:
    """Claims jobs and runs them. Any number of runners may share a store.

    A claim is a lease. It is extended while the job runs; when it expires the job may
    be claimed again. A runner that lost its lease cannot end the job any more
    (``Work.finish`` verifies the attempt). Times are those of ``clock``.
    """

    def __init__(
        self,
        storage: JobStorage,
        handlers: Sequence[JobHandler],
        events: EventLog,
        clock: Clock,
        *,
        workers: int = 2,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self.owner = new_owner()
        self._storage = storage
        self._handlers = {handler.type: handler for handler in handlers}
        self.instead_of_retry = dict.fromkeys(self._handlers, "")  # by type
        self._events = events
        self._clock = clock
        self._workers = workers
        self._heartbeat_seconds = heartbeat_seconds
        self.queues = QueueMonitor(storage, clock)
        self._running: dict[str, Work] = {}  # by job id
        self._to_retry: list[tuple[str, int]] = []  # job id and attempt
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def add_handler(self, handler: JobHandler, *, instead_of_retry: str = "") -> None:
        """Run the jobs of the handler's type with it from now on. ``instead_of_retry``:
        what to do where such a job cannot be started again."""
        self._handlers[handler.type] = handler
        self.instead_of_retry[handler.type] = instead_of_retry

    @property
    def types(self) -> list[str]:
        """The types of jobs that this runner handles, sorted."""
        return sorted(self._handlers)

    @property
    def is_started(self) -> bool:
        """Whether jobs are run in this process, by threads of this runner."""
        return bool(self._threads)

    def start(self) -> None:
        """Start the workers; release the leases of this host's dead processes."""
        release_leases(self._storage, self._clock)
        self._stopping.clear()
        self._woken.set()
        self._threads = [
            threading.Thread(
                target=self._run_worker, name=f"locframework-job-{number}", daemon=True
            )
            for number in range(self._workers)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Claim nothing more; wait for jobs until the timeout, then release leases."""
        deadline = time.monotonic() + timeout_seconds
        self._stopping.set()
        self._woken.set()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._threads = []
        unfinished = list(self._running.values())
        for work in unfinished:
            work.lose_lease()
        if unfinished:
            release_leases(self._storage, self._clock, self.owner)

    def wake(self) -> None:
        """Look for due jobs now. Cheap, from any thread."""
        self._woken.set()

    def wake_if(self, is_due: bool) -> None:
        """Wake if jobs are due, or if leases remain to be shortened for a retry."""
        if is_due or self._to_retry:
            self.wake()

    def run_until_idle(self) -> None:
        """Run every due job in the calling thread; for tests, scripts, embedders."""
        while self.run_one():
            pass

    def run_one(self) -> bool:
        """Run the oldest due job; return False when none was due."""
        job = self._claim()
        if job is None:
            return False
        crash_point("job.after_claim")
        work = Work(job, self._storage, self._clock)
        earlier = self._running.get(job.job.id)
        if earlier is not None:
            earlier.lose_lease()  # it expired, and this attempt took the job over
        self._running[job.job.id] = work
        ended = threading.Event()
        threading.Thread(
            target=self._run_heartbeat,
            args=(job, work, ended),
            name="locframework-lease",
            daemon=True,
        ).start()
        try:
            self._run(job, work)
        finally:
            ended.set()
            if work.ended_as is not None:
                self.queues.count(job.job.type, work.ended_as)
            if self._running.get(job.job.id) is work:
                del self._running[job.job.id]
        return True

    def progress_of(self, job_id: str) -> Progress | None:
        """Return the progress of a job that runs here, else None."""
        work = self._running.get(job_id)
        return None if work is None else work.progress

    def cancel(self, job_id: str) -> None:
        """Cancel a job if it runs here, without the heartbeat's delay."""
        work = self._running.get(job_id)
        if work is not None:
            work.cancel()

    def _run_worker(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait()
            self._woken.clear()
            try:
                while not self._stopping.is_set() and self.run_one():
                    pass
            except Exception:
                log.exception("the job runner failed; it continues")
        self._woken.set()  # for the other workers to stop too

    def _claim(self) -> StoredJob | None:
        """Return the oldest due job, or None; first shorten the leases of jobs that the
        store was unavailable for."""
        try:
            while self._to_retry:
                id_, attempt = self._to_retry[-1]
                with self._storage.transaction():  # no-op if claimed meanwhile
                    due = timestamp(self._clock() + RETRY_AFTER)
                    self._storage.jobs.extend(id_, attempt, due)
                self._to_retry.remove((id_, attempt))
            now = self._clock()
            return self._storage.jobs.claim(
                self.types, self.owner, timestamp(now), timestamp(now + LEASE)
            )
        except Unavailable as error:
            log.info("no job could be claimed: %s", error)
            return None

    def _run(self, job: StoredJob, work: Work) -> None:
        try:
            if job.cancel_requested:
                raise Cancelled
            if job.attempt - job.step_attempt > CLAIM_LIMIT:
                raise LocError(
                    f"the job was started {CLAIM_LIMIT} times and never ended"
                )
            with self._events.because(job_id=job.job.id):
                self._handlers[job.job.type].run(job, work)
            if not work.is_finished:
                raise RuntimeError("the handler did not finish its job")
        except Cancelled:
            self._end(job, work, "cancelled")
        except LeaseLost:
            log.warning("job %s was taken over by another runner", job.job.id)
        except Unavailable as reason:
            log.warning("job %s is postponed: %s", job.job.id, reason)
            if job.attempt - job.step_attempt < EARLY_RETRY_LIMIT:
                self._to_retry.append((job.job.id, job.attempt))
        except LocError as refusal:
            details = to_builtins(refusal.details)
            error = JobError(refusal.code, truncate(refusal.message), details)
            self._end(job, work, "failed", error)
        except Exception:
            log.exception("job %s (%s) failed", job.job.id, job.job.type)
            error = JobError(
                "internal_error", "the job failed because of an error in the service"
            )
            self._end(job, work, "failed", error)

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
            # of committed steps (decisions 2.6)
            result=work.checkpoint.get("result") or None,
            error=error,
            finished_at=timestamp(self._clock()),
        )
        try:
            with self._storage.transaction():
                is_ended = self._storage.jobs.finish(ended, job.attempt)
                if is_ended:
                    append_ended(self._events, job, status, error)
            work.ended_as = status if is_ended else None
        except Unavailable as reason:
            log.warning("the end of job %s is postponed: %s", job.job.id, reason)

    def _run_heartbeat(
        self, job: StoredJob, work: Work, ended: threading.Event
    ) -> None:
        while not ended.wait(self._heartbeat_seconds):
            try:
                self._beat(job, work)
            except Exception:
                log.exception("the heartbeat of job %s failed", job.job.id)

    def _beat(self, job: StoredJob, work: Work) -> None:
        """Store progress, poll for a cancellation, and extend the lease, except in a
        step or the final transaction: their lock would block us."""
        jobs, id_, attempt = self._storage.jobs, job.job.id, job.attempt
        progress, now = work.progress, self._clock()
        is_due = now >= work.extended_at + EXTEND_INTERVAL
        try:
            if not work.is_writing and (is_due or progress != work.stored_progress):
                if not jobs.extend(id_, attempt, timestamp(now + LEASE), progress):
                    work.lose_lease()
                work.stored_progress, work.extended_at = progress, now
            owner_id = job.job.project_id or job.subject_id or ""
            found = jobs.find(owner_id, id_)
            if found is not None and found.cancel_requested:
                work.cancel()
        except Unavailable as error:
            log.info("the lease of job %s was not extended: %s", id_, error)


def append_ended(
    events: EventLog,
    job: StoredJob,
    status: Literal["cancelled", "failed"],
    error: JobError | None = None,
) -> None:
    """Append ``job.failed`` or ``job.cancelled``, in the transaction that ends it."""
    item: dict[str, object] = {"jobId": job.job.id, "type": job.job.type}
    if error is not None:
        item["code"] = error.code
    events.append(
        f"job.{status}",
        organization_id=job.organization_id,
        project_id=job.job.project_id,
        actor=job.caller.actor,
        items=[item],
    )

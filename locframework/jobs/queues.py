"""How much background work waits for a process, and whether any does it."""

import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from locframework.errors import Unavailable
from locframework.fields import Clock, Timestamp, parse_timestamp, timestamp
from locframework.http.metrics import Reading

from .lease import LeaseStorage
from .records import JobQueue, JobStatus, Queues

STALLED_AFTER = timedelta(seconds=60)
READ_INTERVAL = timedelta(seconds=5)


def is_stalled(jobs: JobQueue, now: datetime) -> bool:
    """Return whether jobs are due, and nothing has worked for 60 seconds."""
    if jobs.oldest_due_at is None or jobs.is_worked_on:
        return False
    idle_since = max(jobs.oldest_due_at, jobs.last_ended_at or "")
    return now - parse_timestamp(idle_since) >= STALLED_AFTER


def age_seconds(since: Timestamp | None, now: datetime) -> float:
    """Return the seconds since then; 0 for None, or if the clock was set back."""
    if since is None:
        return 0.0
    return max(0.0, (now - parse_timestamp(since)).total_seconds())


class QueueMonitor:
    """Reads the queues for probes and metrics, at most every five seconds."""

    def __init__(self, storage: LeaseStorage, clock: Clock) -> None:
        self._storage, self._clock = storage, clock
        self._latest: tuple[datetime, Queues] | None = None  # and when it was read
        self._ended: Counter[tuple[str, ...]] = Counter()  # by type and outcome
        self._lock = threading.Lock()

    def count(self, type_: str, outcome: JobStatus) -> None:
        """Count a job that ended in this process."""
        with self._lock:
            self._ended[type_, outcome] += 1

    def read(self) -> Queues:
        """Return how much is queued. Raises Unavailable."""
        now = self._clock()
        if self._latest is None or abs(now - self._latest[0]) >= READ_INTERVAL:
            self._latest = now, self._storage.queues(timestamp(now))
        return self._latest[1]

    def is_stalled(self) -> bool:
        """Return whether jobs are due, and no process has worked for 60 seconds. Raises
        Unavailable."""
        return is_stalled(self.read().jobs, self._clock())

    def metrics(self) -> Iterator[Reading]:
        """Yield the jobs that ended in this process, and the queue if it can be
        read."""
        yield Reading(
            "locframework_jobs_ended",
            "Jobs that ended in this process",
            "counter",
            dict(self._ended),
            labels=("type", "outcome"),
        )
        try:
            jobs = self.read().jobs
        except Unavailable:
            return
        yield Reading(
            "locframework_jobs_open",
            "Jobs that are queued or running, in all processes",
            "gauge",
            dict(jobs.counts),
            labels=("type", "status"),
        )
        yield Reading(
            "locframework_jobs_oldest_seconds",
            "For how long the oldest job has been due",
            "gauge",
            {(): age_seconds(jobs.oldest_due_at, self._clock())},
        )
        yield Reading(
            "locframework_jobs_stalled",
            "1 if jobs are due and nothing has worked for 60 seconds",
            "gauge",
            {(): self.is_stalled()},
        )

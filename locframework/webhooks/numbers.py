"""Numbers about sending, for whoever watches the service."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from locframework.errors import Unavailable
from locframework.fields import Clock, parse_timestamp
from locframework.http.metrics import Reading

from .dispatcher import Dispatcher
from .records import QueueDepth
from .store import WebhookStore

KEPT = timedelta(seconds=5)  # anybody may ask, as often as they like


class WebhookNumbers:
    """What waits in the database, and what this process has tried."""

    def __init__(
        self, store: WebhookStore, dispatcher: Dispatcher, clock: Clock
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._read: tuple[datetime, QueueDepth] | None = None

    def __call__(self) -> Iterator[Reading]:
        """As of now, the queue as of seconds ago.

        While the database does not answer, without what is in it.
        """
        yield Reading(
            "locframework_webhooks_attempts",
            "Attempts to deliver that ended",
            "counter",
            dict(self._dispatcher.ended),
            label="outcome",
        )
        try:
            depth = self._queue_depth()
        except Unavailable:
            return
        yield Reading(
            "locframework_webhooks_pending",
            "Deliveries that are not ended",
            "gauge",
            {"": depth.pending},
        )
        age = 0.0
        if depth.oldest_due_at is not None:
            age = (self._clock() - parse_timestamp(depth.oldest_due_at)).total_seconds()
        yield Reading(
            "locframework_webhooks_oldest_seconds",
            "For how long the oldest delivery has been due",
            "gauge",
            {"": max(0.0, age)},
        )

    def _queue_depth(self) -> QueueDepth:
        now = self._clock()
        if self._read is None or abs(now - self._read[0]) >= KEPT:
            self._read = now, self._store.queue_depth()
        return self._read[1]

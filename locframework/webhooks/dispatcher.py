"""Sends due deliveries: one thread reads and writes the store, others send."""

import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from locframework.errors import Unavailable
from locframework.fields import Clock, parse_timestamp, timestamp
from locframework.http.metrics import Reading
from locframework.jobs.lease import new_owner, release_dead_leases, release_leases
from locframework.transactions import crash_point

from .attempt_log import AttemptLog
from .records import AttemptOutcome, ClaimedDelivery, QueueDepth, StoredWebhook
from .rules import PER_WEBHOOK_MOST, SHARE_LEAST, SHARE_MOST, deal
from .sender import Sender
from .store import WebhookStorage, WebhookStore

log = logging.getLogger("locframework.webhooks")

LEASE = timedelta(seconds=45)  # more than an attempt may take
STOP_SECONDS = 10.0

Share = Callable[[], float]
Work = tuple[ClaimedDelivery, StoredWebhook]


def random_share() -> float:
    """The random part of a wait (decisions 2.7)."""
    return random.uniform(SHARE_LEAST, SHARE_MOST)


class Dispatcher:
    """Claims due deliveries and has them sent. Any number may share a store.

    No transaction is open while anything is sent. A claim is a lease: when its
    process dies, the delivery is sent again by another, with the same id. Takes from
    each webhook in turn, and few at once, so that one receiver that hangs does not
    delay the others. It looks for deliveries when it is woken: after a commit in this
    process, when another process notifies, or each second if any are due.
    """

    def __init__(
        self,
        storage: WebhookStorage,
        sender: Sender,
        attempt_log: AttemptLog,
        clock: Clock,
        *,
        senders: int = 16,
        lease: timedelta = LEASE,
        share: Share = random_share,
    ) -> None:
        self.owner = new_owner()
        self.ended: Counter[str] = Counter()  # attempts of this process, by outcome
        self._storage = storage
        self._store = storage.webhooks
        self._sender = sender
        self._attempt_log = attempt_log
        self._clock = clock
        self._senders = senders
        self._lease = lease
        self._share = share
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._abandoned = threading.Event()
        self._threads: list[threading.Thread] = []
        self._to_send: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._sent: queue.SimpleQueue[AttemptOutcome] = queue.SimpleQueue()
        self._unrecorded: list[AttemptOutcome] = []  # sent, and not in the store yet
        self._at_work: Counter[str] = Counter()  # deliveries, by webhook
        self._turns: dict[str, int] = {}
        self._turn = 0

    def start(self) -> None:
        """Begin to send: what dead processes of this host held is due at once."""
        self.owner = new_owner()  # of this process: it may be a fork
        release_dead_leases(self._storage, self._clock)
        self._stopping.clear()
        self._abandoned = threading.Event()  # a new one: see _dispatch
        self._to_send = queue.SimpleQueue()
        self._woken.set()
        send = partial(self._send, self._to_send)
        calls = {"dispatcher": partial(self._dispatch, self._abandoned)}
        calls |= {f"sender-{n}": send for n in range(self._senders)}
        self._threads = [
            threading.Thread(
                target=call, name=f"locframework-webhooks-{name}", daemon=True
            )
            for name, call in calls.items()
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> None:
        """Claim nothing more, and wait for what is being sent, so long at most.

        What is not answered by then is left for another process to send again.
        """
        if not self._threads:
            return
        self._stopping.set()
        self._woken.set()
        until = time.monotonic() + timeout_seconds
        dispatcher, *senders = self._threads
        dispatcher.join(timeout_seconds)  # until nothing is being sent any more
        self._abandoned.set()
        self._woken.set()
        for _ in senders:
            self._to_send.put(None)
        for thread in (dispatcher, *senders):
            thread.join(max(0.0, until - time.monotonic()))
        self._threads = []
        release_leases(self._storage, self.owner, self._clock)

    def wake(self) -> None:
        """Look for due deliveries now. Cheap, from any thread."""
        self._woken.set()

    def wake_if(self, is_due: bool) -> None:
        """Wake if deliveries are due, or results of attempts are not stored yet."""
        if is_due or self._unrecorded:
            self.wake()

    def run_until_idle(self) -> int:
        """Send all due deliveries in the calling thread; return the number of attempts.

        For tests, scripts and embedders.
        """
        made = 0
        while work := self._look(1):
            for claimed, webhook in work:
                self._sent.put(self._attempt(claimed, webhook))
                made += 1
        return made

    def _dispatch(self, abandoned: threading.Event) -> None:
        """Run the dispatching thread; ``abandoned`` ends the one of its own start."""
        while not abandoned.is_set():
            if self._stopping.is_set() and not self._at_work:
                return
            self._woken.wait()
            self._woken.clear()
            try:
                free = self._senders - self._at_work.total()
                for each in self._look(0 if self._stopping.is_set() else free):
                    self._to_send.put(each)
            except Exception:
                log.exception("the dispatcher failed; it continues")
                self._unrecorded = []  # sent again when their leases expire

    def _send(self, to_send: queue.SimpleQueue[Work | None]) -> None:
        """Run a sending thread; ``to_send`` is the queue of its own start."""
        while (work := to_send.get()) is not None:
            self._sent.put(self._attempt(*work))
            self._woken.set()
        self._woken.set()

    def _attempt(
        self, claimed: ClaimedDelivery, webhook: StoredWebhook
    ) -> AttemptOutcome:
        crash_point("webhooks.after_claim")
        outcome = self._sender.attempt(claimed, webhook, self._share())
        crash_point("webhooks.after_send")
        return outcome

    def _look(self, free: int) -> list[Work]:
        """Record the attempts that ended, and claim due deliveries, in one commit.

        The end of an attempt wakes the dispatcher for what is left.
        """
        while not self._sent.empty():
            outcome = self._sent.get()
            self._unrecorded.append(outcome)
            self._at_work -= Counter([outcome.claimed.webhook_id])
            attempt = outcome.attempt
            is_success = outcome.status == "succeeded"
            self.ended[
                "success" if is_success else attempt.error or f"{attempt.status_code}"
            ] += 1
        claimed: list[Work] = []
        try:
            now = self._clock()
            waiting = (
                self._store.waiting(timestamp(now), PER_WEBHOOK_MOST) if free else []
            )
            shares = deal(free, waiting, self._at_work, self._turns)
            if not shares and not self._unrecorded:
                return []
            with self._storage.transaction():
                if self._unrecorded:
                    self._attempt_log.record(self._unrecorded, self.owner)
                if shares:
                    now = self._clock()
                    due = self._store.claim(
                        shares, self.owner, timestamp(now), timestamp(now + self._lease)
                    )
                    claimed = self._attempt_log.begin(due, timestamp(now))
        except Unavailable as error:  # recorded and claimed at the next wake-up
            log.info("deliveries are postponed: %s", error)
            return []
        self._unrecorded = []
        for each, _ in claimed:
            self._at_work[each.webhook_id] += 1
            self._turn += 1
            self._turns[each.webhook_id] = self._turn
        return claimed


QUEUE_READ_INTERVAL = timedelta(seconds=5)  # /metrics is public


class WebhookMetrics:
    """The queue in the database, and the attempts of this process."""

    def __init__(
        self, store: WebhookStore, dispatcher: Dispatcher, clock: Clock
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._read: tuple[datetime, QueueDepth] | None = None

    def __call__(self) -> Iterator[Reading]:
        """Yield the metrics; those of the queue only if the database is available."""
        yield Reading(
            "locframework_webhooks_attempts",
            "Attempts to deliver that ended",
            "counter",
            dict(self._dispatcher.ended),
            label="outcome",
        )
        now = self._clock()
        try:
            if self._read is None or abs(now - self._read[0]) >= QUEUE_READ_INTERVAL:
                self._read = now, self._store.queue_depth()
        except Unavailable:
            return
        depth = self._read[1]
        yield Reading(
            "locframework_webhooks_pending",
            "Deliveries that are not ended",
            "gauge",
            {"": depth.pending},
        )
        age = 0.0
        if depth.oldest_due_at is not None:
            age = (now - parse_timestamp(depth.oldest_due_at)).total_seconds()
        yield Reading(
            "locframework_webhooks_oldest_seconds",
            "For how long the oldest delivery has been due",
            "gauge",
            {"": max(0.0, age)},
        )

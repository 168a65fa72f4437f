"""Sends what is due: one thread asks and tells the store, others wait for receivers."""

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
from locframework.jobs.lease import is_dead, new_owner
from locframework.transactions import crash_point

from .attempt_log import AttemptLog
from .records import AttemptOutcome, ClaimedDelivery, QueueDepth, WebhookTarget
from .rules import PER_WEBHOOK_MOST, SHARE_LEAST, SHARE_MOST, deal
from .sender import Sender
from .store import WebhookStorage, WebhookStore

log = logging.getLogger("locframework.webhooks")

LEASE = timedelta(seconds=45)  # more than an attempt may take
STOP_SECONDS = 10.0

Share = Callable[[], float]
Work = tuple[ClaimedDelivery, WebhookTarget]


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
        self._untold: list[AttemptOutcome] = []  # sent, and not in the store yet
        self._at_work: Counter[str] = Counter()  # deliveries, by webhook
        self._turns: dict[str, int] = {}
        self._turn = 0

    def start(self) -> None:
        """Begin to send: what dead processes of this host held is due at once."""
        self.owner = new_owner()  # of this process: it may be a fork
        self._release_dead()
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
        self._release(self.owner)

    def wake(self) -> None:
        """A delivery may be due: look now. Cheap, from any thread."""
        self._woken.set()

    def wake_if(self, is_due: bool) -> None:
        """Wake if deliveries are due, or results of attempts are not stored yet."""
        if is_due or self._untold:
            self.wake()

    def run_until_idle(self) -> int:
        """Send all that is due, one after the other, in the calling thread.

        How many attempts it was; for tests, scripts, embedders.
        """
        made = 0
        while work := self._look(1):
            for claimed, target in work:
                self._sent.put(self._attempt(claimed, target))
                made += 1
        return made

    def _dispatch(self, abandoned: threading.Event) -> None:
        """``abandoned``: of its own start, so that no later one keeps it at work."""
        while not abandoned.is_set():
            if self._stopping.is_set() and not self._at_work:
                return
            self._woken.wait()
            self._woken.clear()
            try:
                for each in self._look(self._free()):
                    self._to_send.put(each)
            except Exception:
                log.exception("the dispatcher failed; it continues")
                self._untold = []  # sent again, when their leases are over

    def _send(self, to_send: queue.SimpleQueue[Work | None]) -> None:
        """Its own queue: who was left behind takes no work of a later start."""
        while (work := to_send.get()) is not None:
            self._sent.put(self._attempt(*work))
            self._woken.set()
        self._woken.set()

    def _attempt(
        self, claimed: ClaimedDelivery, target: WebhookTarget
    ) -> AttemptOutcome:
        crash_point("webhooks.after_claim")
        outcome = self._sender.attempt(claimed, target, self._share())
        crash_point("webhooks.after_send")
        return outcome

    def _free(self) -> int:
        if self._stopping.is_set():
            return 0
        return self._senders - self._at_work.total()

    def _look(self, free: int) -> list[Work]:
        """Tell the store what came of attempts, and take what is due: one commit.

        What is left then waits for a sender, or for its webhook: there is a wake-up
        when an attempt has ended.
        """
        self._gather()
        try:
            waiting = []
            if free > 0:
                now = timestamp(self._clock())
                waiting = self._store.waiting(now, PER_WEBHOOK_MOST)
            shares = deal(free, waiting, self._at_work, self._turns)
            if not shares and not self._untold:
                return []
            with self._storage.transaction():
                if self._untold:
                    self._attempt_log.record(self._untold, self.owner)
                claimed = self._claim(shares) if shares else []
        except Unavailable as error:  # told and claimed at the next wake-up
            log.info("the store of webhooks waits: %s", error)
            return []
        self._untold = []
        for each, _ in claimed:
            self._at_work[each.webhook_id] += 1
            self._turn += 1
            self._turns[each.webhook_id] = self._turn
        return claimed

    def _gather(self) -> None:
        while not self._sent.empty():
            outcome = self._sent.get()
            self._untold.append(outcome)
            webhook_id = outcome.claimed.webhook_id
            self._at_work[webhook_id] -= 1
            if not self._at_work[webhook_id]:
                del self._at_work[webhook_id]
            code, error = outcome.attempt.status_code, outcome.attempt.error
            self.ended["success" if outcome.succeeded else error or f"{code}"] += 1

    def _claim(self, shares: dict[str, int]) -> list[Work]:
        now = self._clock()
        claimed = self._store.claim(
            shares, self.owner, timestamp(now), timestamp(now + self._lease)
        )
        return self._attempt_log.begin(claimed, timestamp(now))

    def _release_dead(self) -> None:
        try:
            owners = self._storage.lease_owners()
        except Unavailable as error:
            log.warning("deliveries of dead processes wait for their lease: %s", error)
            return
        for owner in owners:
            if is_dead(owner):
                self._release(owner)

    def _release(self, owner: str) -> None:
        try:
            with self._storage.transaction():
                self._storage.release_leases(owner, timestamp(self._clock()))
        except Unavailable as error:
            log.warning("the deliveries of %s wait for their lease: %s", owner, error)


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

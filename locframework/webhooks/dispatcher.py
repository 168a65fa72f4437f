"""Sends due deliveries: one thread reads and writes the store, others send."""

import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable
from locframework.events import SYSTEM, EventLog
from locframework.fields import Clock, Timestamp, timestamp
from locframework.http.metrics import Reading
from locframework.jobs.lease import new_owner, release_leases
from locframework.jobs.queues import QueueMonitor, age_seconds
from locframework.transactions import crash_point
from locframework.validation import check_record

from .records import (
    KEPT_BYTES,
    Answer,
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    DisabledReason,
    Post,
    StoredWebhook,
)
from .rules import (
    GONE,
    PER_WEBHOOK_LIMIT,
    SHARE_LEAST,
    SHARE_MOST,
    deal,
    health_after,
    is_failing,
    is_worn_out,
    live,
    outcome_of,
)
from .signing import SecretBox, SecretLost, signed_headers
from .store import WebhookStorage
from .transport import Transport

log = logging.getLogger("locframework.webhooks")

LEASE = timedelta(seconds=45)  # more than an attempt may take
STOP_SECONDS = 10.0

Work = tuple[ClaimedDelivery, StoredWebhook]


class Dispatcher:
    """Claims due deliveries and has them sent. Any number may share a store.

    No transaction is open while anything is sent. A claim is a lease: when its
    process dies, the delivery is sent again by another, with the same id. Takes from
    each webhook in turn, and few at once, so that one receiver that hangs does not
    delay the others. It looks for deliveries when it is woken: after a commit in this
    process, when another process notifies, or each second if any are due. Endpoints
    that keep failing are disabled.
    """

    def __init__(
        self,
        storage: WebhookStorage,
        transport: Transport,
        box: SecretBox,
        events: EventLog,
        clock: Clock,
        queues: QueueMonitor,
        *,
        senders: int = 16,
    ) -> None:
        self.owner = new_owner()
        self._storage = storage
        self._store = storage.webhooks
        self._transport = transport
        self._box = box
        self._events = events
        self._clock = clock
        self._senders = senders
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
        self._ended: Counter[tuple[str, ...]] = Counter()  # attempts, by outcome
        self._queues = queues

    def start(self) -> None:
        """Start the threads, once; release the leases of this host's dead processes."""
        self.owner = new_owner()  # of this process: it may be a fork
        release_leases(self._storage, self._clock)
        self._woken.set()
        targets = {"dispatcher": self._dispatch}
        targets |= {f"sender-{number}": self._send for number in range(self._senders)}
        self._threads = [
            threading.Thread(
                target=target, name=f"locframework-webhooks-{name}", daemon=True
            )
            for name, target in targets.items()
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> None:
        """Claim nothing more; wait for attempts until the timeout. Another process
        repeats others."""
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
        release_leases(self._storage, self._clock, self.owner)

    def wake(self) -> None:
        """Look for due deliveries now. Cheap, from any thread."""
        self._woken.set()

    def wake_if(self, is_due: bool) -> None:
        """Wake if deliveries are due, or results of attempts are not stored yet."""
        if is_due or self._unrecorded:
            self.wake()

    def run_until_idle(self) -> int:
        """Send all due deliveries in this thread; return the number of attempts."""
        made = 0
        while work := self._look(1):
            for claimed, webhook in work:
                self._sent.put(self._attempt(claimed, webhook))
                made += 1
        return made

    def _dispatch(self) -> None:
        while not self._abandoned.is_set():
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

    def _send(self) -> None:
        while (work := self._to_send.get()) is not None:
            self._sent.put(self._attempt(*work))
            self._woken.set()
        self._woken.set()

    def _attempt(
        self, claimed: ClaimedDelivery, webhook: StoredWebhook
    ) -> AttemptOutcome:
        """Send a delivery, without raising. Any number of threads at once."""
        crash_point("webhooks.after_claim")
        at = self._clock()
        error: str | None
        status_code = duration_ms = body = retry_after = None
        try:
            secrets = self._secrets(webhook, at)
            headers = signed_headers(claimed.id, at, claimed.payload, secrets)
            post = Post(webhook.webhook.url, headers, claimed.payload.encode())
            answer = self._transport.send(post)
            _check_answer(answer)
            status_code, error = answer.status_code, answer.error
            duration_ms, retry_after = answer.duration_ms, answer.retry_after
            if error is None:
                body = answer.body[:KEPT_BYTES].decode("utf-8", "replace")
                body = body.replace("\0", "\ufffd")
        except SecretLost as lost:
            log.error("delivery %s cannot be signed: %s", claimed.id, lost)
            error = "secret_lost"
        except PLUGIN_EXCEPTIONS:
            name = self._transport.name
            log.exception("the transport %s failed with delivery %s", name, claimed.id)
            error = "transport_failed"
        attempt = DeliveryAttempt(
            number=claimed.number,
            at=timestamp(at),
            trigger=claimed.trigger,
            status_code=status_code,
            error=error,
            duration_ms=duration_ms,
            response_body=body,
        )
        url, now = webhook.webhook.url, self._clock()
        share = random.uniform(SHARE_LEAST, SHARE_MOST)
        outcome = outcome_of(claimed, attempt, url, now, share, retry_after)
        crash_point("webhooks.after_send")
        return outcome

    def _secrets(self, webhook: StoredWebhook, at: datetime) -> list[str]:
        """Return the secrets that sign, without old ones whose key is gone. Raises
        SecretLost."""
        secrets = []
        for each in live(webhook.secrets, at):
            try:
                secrets.append(self._box.open(each, webhook.webhook.id))
            except SecretLost as error:
                if each.signs_until is None:
                    raise
                log.warning("an old secret can no longer sign: %s", error)
        return secrets

    def _look(self, free: int) -> list[Work]:
        """Record the attempts that ended, and claim due deliveries, in one commit."""
        while not self._sent.empty():
            outcome = self._sent.get()
            self._unrecorded.append(outcome)
            self._at_work -= Counter([outcome.claimed.webhook_id])
            attempt = outcome.attempt
            is_success = outcome.status == "succeeded"
            failure = attempt.error or f"{attempt.status_code}"
            self._ended["success" if is_success else failure,] += 1
        claimed: list[Work] = []
        try:
            now = self._clock()
            waiting = (
                self._store.waiting(timestamp(now), PER_WEBHOOK_LIMIT) if free else []
            )
            shares = deal(free, waiting, self._at_work, self._turns)
            if not shares and not self._unrecorded:
                return []
            with self._storage.transaction():
                if self._unrecorded:
                    self._record(self._unrecorded)
                if shares:
                    now = self._clock()
                    due = self._store.claim(
                        shares, self.owner, timestamp(now), timestamp(now + LEASE)
                    )
                    claimed = self._begin(due, timestamp(now))
        except Unavailable as error:  # recorded and claimed at the next wake-up
            log.info("deliveries are postponed: %s", error)
            return []
        self._unrecorded = []
        for each, _ in claimed:
            self._at_work[each.webhook_id] += 1
            self._turn += 1
            self._turns[each.webhook_id] = self._turn
        return claimed

    def _begin(self, claimed: Sequence[ClaimedDelivery], now: Timestamp) -> list[Work]:
        """Record the start of attempts; return what to send, and where. Deliveries
        claimed too often, or automatic ones of a disabled webhook, fail."""
        webhooks = self._store.find_webhooks(
            sorted({each.webhook_id for each in claimed})
        )
        work, rest = [], []
        for each in claimed:
            stored = webhooks.get(each.webhook_id)
            if (
                stored is None
                or is_worn_out(each)
                or (each.trigger == "auto" and not stored.webhook.is_active)
            ):
                rest.append(each)
            else:
                work.append((each, stored))
        self._store.begin_attempts([each for each, _ in work], now, rest)
        return work

    def _record(self, outcomes: Sequence[AttemptOutcome]) -> None:
        """Log the attempts, and update the health of their endpoints, in a constant
        number of statements, and three for each endpoint that is disabled."""
        ids = sorted({done.claimed.webhook_id for done in outcomes})
        webhooks = self._store.find_webhooks(ids, lock=True)
        health = {}
        for done in outcomes:
            stored = webhooks.get(done.claimed.webhook_id)
            if stored is not None:
                id_, stored = stored.webhook.id, self._with_outcome(stored, done)
                webhooks[id_], health[id_] = stored, (done.attempt.at, stored.health)
        ended = []
        for done in outcomes:
            stored = webhooks.get(done.claimed.webhook_id)
            is_active = stored is not None and stored.webhook.is_active
            if done.status == "pending" and not is_active:
                done = replace(done, status="failed", next_at=None)
            ended.append(done)
        self._store.finish(ended, self.owner, health)

    def _with_outcome(
        self, stored: StoredWebhook, done: AttemptOutcome
    ) -> StoredWebhook:
        """Update the health, and disable the webhook if it is gone or failing."""
        webhook, at = stored.webhook, done.attempt.at
        if done.url != webhook.url or at < webhook.updated_at:
            return stored  # of another URL, or before it was switched off and on
        succeeded = done.status == "succeeded"
        health = health_after(stored.health, done.claimed.id, at, succeeded=succeeded)
        stored = replace(stored, health=health)
        reason: DisabledReason | None = None
        if done.attempt.status_code == GONE:
            reason = "gone"
        elif done.claimed.trigger == "auto" and is_failing(health):
            reason = "failing"
        if reason is None or not webhook.is_active:
            return stored
        log.warning("webhook %s is disabled: %s", webhook.id, reason)
        webhook = replace(
            webhook,
            is_active=False,
            disabled_reason=reason,
            updated_at=timestamp(self._clock()),
        )
        stored = replace(stored, webhook=webhook)
        self._store.update(stored)
        self._store.end_deliveries(webhook.id)
        self._events.append(
            "webhook.disabled",
            organization_id=stored.organization_id,
            project_id=webhook.project_id,
            actor=SYSTEM,
            items=[{"webhookId": webhook.id, "reason": reason}],
        )
        return stored

    def metrics(self) -> Iterator[Reading]:
        """Yield the attempts of this process, and the queue if it can be read."""
        yield Reading(
            "locframework_webhooks_attempts",
            "Attempts to deliver that ended",
            "counter",
            dict(self._ended),
            labels=("outcome",),
        )
        try:
            depth = self._queues.read().deliveries
        except Unavailable:
            return
        yield Reading(
            "locframework_webhooks_pending",
            "Deliveries that are not ended",
            "gauge",
            {(): depth.pending},
        )
        yield Reading(
            "locframework_webhooks_oldest_seconds",
            "For how long the oldest delivery has been due",
            "gauge",
            {(): age_seconds(depth.oldest_due_at, self._clock())},
        )


def _check_answer(answer: Answer) -> None:
    """Raise an exception for an invalid answer: a plugin made it."""
    if not isinstance(answer, Answer):
        raise TypeError(f"{type(answer).__name__} is not an Answer")
    check_record(answer)
    if (answer.status_code is None) is (answer.error is None):
        raise ValueError("an Answer has either a status_code or an error")
    if not isinstance(answer.body, bytes):  # check_record reads text as base64
        raise TypeError(f"body is {type(answer.body).__name__}, not bytes")

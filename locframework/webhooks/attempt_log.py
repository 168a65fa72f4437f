"""The attempt log: records attempts, and disables endpoints that keep failing."""

import logging
from collections.abc import Sequence

from msgspec.structs import replace

from locframework.events import SYSTEM, EventLog
from locframework.fields import Clock, Timestamp, timestamp

from .records import (
    AttemptOutcome,
    ClaimedDelivery,
    DisabledReason,
    StoredWebhook,
)
from .rules import GONE, health_after, is_failing, is_worn_out
from .store import WebhookStorage

log = logging.getLogger("locframework.webhooks")


class AttemptLog:
    """The attempt log: records attempts, and disables endpoints that keep failing."""

    def __init__(self, storage: WebhookStorage, events: EventLog, clock: Clock) -> None:
        self._store = storage.webhooks
        self._events = events
        self._clock = clock

    def begin(
        self, claimed: Sequence[ClaimedDelivery], now: Timestamp
    ) -> list[tuple[ClaimedDelivery, StoredWebhook]]:
        """Record the start of attempts; return what to send, and where.

        Other claims fail: those claimed too often, and automatic ones of a webhook
        that was disabled.
        """
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
        self._store.begin_attempts([each for each, _ in work], now)
        self._store.give_up(rest)
        return work

    def record(self, outcomes: Sequence[AttemptOutcome], owner: str) -> None:
        """Log the attempts, and update the health of their endpoints.

        One transaction: a constant number of statements, and three for each endpoint
        that is disabled.
        """
        ids = sorted({done.claimed.webhook_id for done in outcomes})
        webhooks = self._store.find_webhooks(ids, lock=True)
        attempted_at = {}
        for done in outcomes:
            stored = webhooks.get(done.claimed.webhook_id)
            if stored is not None:
                webhooks[stored.webhook.id] = self._with_outcome(stored, done)
                attempted_at[stored.webhook.id] = done.attempt.at
        self._store.save_health(
            {id_: (at, webhooks[id_].health) for id_, at in attempted_at.items()}
        )
        ended = []
        for done in outcomes:
            stored = webhooks.get(done.claimed.webhook_id)
            is_active = stored is not None and stored.webhook.is_active
            if done.status == "pending" and not is_active:
                done = replace(done, status="failed", next_at=None)
            ended.append(done)
        self._store.finish(ended, owner)

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

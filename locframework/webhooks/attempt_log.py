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
    WebhookHealth,
    WebhookTarget,
)
from .rules import health_after, is_failing, is_worn_out, judges
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
    ) -> list[tuple[ClaimedDelivery, WebhookTarget]]:
        """Record the start of attempts; return what to send, with its target.

        Other claims fail: those claimed too often, and automatic ones of a webhook
        that was disabled.
        """
        ids = sorted({each.webhook_id for each in claimed})
        targets = {
            id_: WebhookTarget(
                id_, each.webhook.url, each.webhook.is_active, each.secrets
            )
            for id_, each in self._store.find_webhooks(ids).items()
        }
        work, rest = [], []
        for each in claimed:
            target = targets.get(each.webhook_id)
            is_planned = each.trigger == "auto"
            if (
                target is None
                or is_worn_out(each)
                or (is_planned and not target.is_active)
            ):
                rest.append(each)
            else:
                work.append((each, target))
        self._store.begin_attempts([each for each, _ in work], now)
        self._store.give_up(rest)
        return work

    def record(self, outcomes: Sequence[AttemptOutcome], owner: str) -> None:
        """Log the attempts, and update the health of their endpoints.

        One transaction: a constant number of statements, and three for each endpoint
        that is disabled. If all attempts succeeded, health is reset without reading it.
        """
        ids = sorted({done.claimed.webhook_id for done in outcomes})
        all_well = all(done.succeeded for done in outcomes)
        webhooks = {} if all_well else self._store.find_webhooks(ids, lock=True)
        judged = dict(webhooks)
        health = {}
        for done in outcomes:
            id_, at = done.claimed.webhook_id, done.attempt.at
            if all_well:
                health[id_] = (at, WebhookHealth(good_at=at))
            elif id_ in judged:
                judged[id_] = self._judged(judged[id_], done)
                health[id_] = (at, judged[id_].health)
        self._store.save_health({id_: health[id_] for id_ in ids if id_ in health})
        for stored in judged.values():
            if stored.webhook != webhooks[stored.webhook.id].webhook:
                self._disable_if_failing(stored, webhooks[stored.webhook.id])
        self._store.finish([_as_of(done, judged) for done in outcomes], owner)

    def _judged(self, stored: StoredWebhook, done: AttemptOutcome) -> StoredWebhook:
        at, succeeded = done.attempt.at, done.succeeded
        webhook = replace(stored.webhook, last_delivery_at=at)
        if not judges(done, stored.webhook):
            return replace(stored, webhook=webhook)
        health = health_after(stored.health, done.claimed.id, at, succeeded=succeeded)
        reason: DisabledReason | None = None
        if done.is_gone:
            reason = "gone"
        elif done.claimed.trigger == "auto" and is_failing(health):
            reason = "failing"
        if reason is not None and webhook.is_active:
            webhook = replace(webhook, is_active=False, disabled_reason=reason)
        return replace(stored, webhook=webhook, health=health)

    def _disable_if_failing(self, new: StoredWebhook, old: StoredWebhook) -> None:
        if new.webhook.is_active == old.webhook.is_active:
            return
        webhook, now = new.webhook, timestamp(self._clock())
        log.warning("webhook %s is disabled: %s", webhook.id, webhook.disabled_reason)
        webhook = replace(webhook, updated_at=now)
        self._store.update(replace(new, webhook=webhook))
        self._store.end_deliveries(webhook.id)
        self._events.append(
            "webhook.disabled",
            organization_id=new.organization_id,
            project_id=webhook.project_id,
            actor=SYSTEM,
            items=[{"webhookId": webhook.id, "reason": webhook.disabled_reason}],
        )


def _as_of(done: AttemptOutcome, judged: dict[str, StoredWebhook]) -> AttemptOutcome:
    """What becomes of the delivery, by how its webhook is now: no plan for one that
    is switched off."""
    stored = judged.get(done.claimed.webhook_id)
    if done.status != "pending" or (stored is not None and stored.webhook.is_active):
        return done
    return replace(done, status="failed", next_at=None)

"""Records and steps for the storage contract of webhooks."""

from typing import Any

from msgspec.structs import replace

from locframework.fields import new_id
from locframework.projects.records import Project
from locframework.storage import Storage
from locframework.webhooks.records import (
    AttemptOutcome,
    ClaimedDelivery,
    Delivery,
    DeliveryAttempt,
    DeliveryFilter,
    NewDelivery,
    SealedSecret,
    StoredWebhook,
    Webhook,
    WebhookHealth,
)

from .storage_records import ALL, at

OWNER = "sender-1"
EVERY = DeliveryFilter()


def webhook(of: Project, minute: int = 0, **changes: Any) -> StoredWebhook:
    """Made at ``minute``; ``changes`` of the webhook, or of how it is kept."""
    shown = Webhook(
        id=new_id(),
        project_id=of.id,
        url="https://hooks.example.com/l10n",
        description="",
        event_types=("key.created",),
        language_codes=None,
        branches=None,
        is_active=True,
        disabled_reason=None,
        created_at=at(minute),
        updated_at=at(minute),
        last_delivery_at=None,
    )
    kept = StoredWebhook(
        webhook=shown,
        organization_id=of.organization_id,
        secrets=(SealedSecret("k1", "c2VhbGVk", None),),
        health=WebhookHealth(good_at=at(minute)),
    )
    own = {name: changes.pop(name) for name in list(changes) if hasattr(shown, name)}
    return replace(kept, webhook=replace(shown, **own), **changes)


def add_webhook(storage: Storage, of: Project, **changes: Any) -> StoredWebhook:
    made = webhook(of, **changes)
    storage.webhooks.insert(made)
    return made


def add_deliveries(
    storage: Storage, of: StoredWebhook, count: int = 1, minute: int = 0, **changes: Any
) -> list[NewDelivery]:
    """So many, due from ``minute`` on."""
    made = [
        replace(
            NewDelivery(
                id="msg_" + new_id().replace("-", ""),
                webhook_id=of.webhook.id,
                project_id=of.webhook.project_id,
                event_type="key.created",
                payload='{"type":"key.created"}',
                created_at=at(minute),
            ),
            **changes,
        )
        for _ in range(count)
    ]
    with storage.transaction():
        storage.webhooks.add_deliveries(made)
    return made


def claim(
    storage: Storage,
    of: StoredWebhook,
    count: int = 1,
    *,
    owner: str = OWNER,
    now: int = 20,
    until: int = 25,
) -> list[ClaimedDelivery]:
    with storage.transaction():
        shares = {of.webhook.id: count}
        found = storage.webhooks.claim(shares, owner, at(now), at(until))
        storage.webhooks.begin_attempts(found, at(now))
    return found


def attempt(of: ClaimedDelivery, **changes: Any) -> DeliveryAttempt:
    made = DeliveryAttempt(of.number, at(20), of.trigger, 204, None, 12, "")
    return replace(made, **changes)


def succeeded(of: ClaimedDelivery) -> AttemptOutcome:
    return AttemptOutcome(of, attempt(of), True, "succeeded", None)


def put_off(of: ClaimedDelivery, minute: int) -> AttemptOutcome:
    tried = attempt(of, status_code=500)
    return AttemptOutcome(of, tried, False, "pending", at(minute))


def log(storage: Storage, of: StoredWebhook) -> list[Delivery]:
    return storage.webhooks.list_deliveries(of.webhook.id, EVERY, ALL).items

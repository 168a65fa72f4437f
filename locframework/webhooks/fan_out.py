"""Turns events into deliveries, in the transaction of the change."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from locframework.events import Event
from locframework.fields import new_id

from .records import NewDelivery, Trigger, Webhook
from .rules import items_for
from .store import WebhookStorage

PAYLOAD_LIMIT = 20_000  # bytes, "under 20 KB" (decisions 2.7)


class _Pending(threading.local):
    def __init__(self) -> None:
        self.events: list[Event] = []


@dataclass(eq=False, repr=False)
class FanOut:
    """Writes a delivery for each event and each webhook that subscribes to it. All
    events of a transaction together take two statements: one that reads the active
    webhooks of the projects, and one that inserts the deliveries."""

    _storage: WebhookStorage
    _wake: Callable[[], None]  # called after a commit that leaves something to send
    _pending: _Pending = field(default_factory=_Pending, init=False)

    def on_event(self, event: Event) -> None:
        """Collect an event of a project, inside its transaction."""
        if event.project_id is None:
            return
        self._storage.before_commit("webhooks", self._begin)
        self._pending.events.append(event)

    def _begin(self) -> Callable[[], None]:
        self._pending.events = []
        return self._end

    def _end(self) -> None:
        events, self._pending.events = self._pending.events, []
        projects = {event.project_id for event in events if event.project_id}
        webhooks = self._storage.webhooks.active_webhooks(sorted(projects))
        deliveries = [
            delivery
            for event in events
            for webhook in webhooks
            for delivery in new_deliveries(event, items_for(webhook, event), webhook)
        ]
        if deliveries:
            self._storage.webhooks.add_deliveries(deliveries)
            self._storage.after_commit(self._wake)


def new_deliveries(
    event: Event,
    items: Sequence[Mapping[str, object]],
    webhook: Webhook,
    trigger: Trigger = "auto",
) -> Iterator[NewDelivery]:
    """Yield deliveries of these items of the event: as many as keep each under 20 KB.
    The payload is ``{ type, timestamp, data: { projectId, branch, actor, items } }``.
    """
    if not items:
        return
    payload = msgspec.json.encode(
        {
            "type": event.type,
            "timestamp": event.created_at,
            "data": {
                "projectId": event.project_id,
                "branch": event.branch,
                "actor": event.actor,
                "items": items,
            },
        }
    )
    if len(payload) >= PAYLOAD_LIMIT and len(items) > 1:
        half = len(items) // 2
        for part in (items[:half], items[half:]):
            yield from new_deliveries(event, part, webhook, trigger)
        return
    yield NewDelivery(
        id="msg_" + new_id().replace("-", ""),
        webhook_id=webhook.id,
        project_id=webhook.project_id,
        event_type=event.type,
        payload=payload.decode(),
        created_at=event.created_at,
        trigger=trigger,
    )

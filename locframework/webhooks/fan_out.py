"""Turns events into deliveries, in the transaction of the change."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from locframework.events import Event
from locframework.fields import new_id

from .records import NewDelivery, Trigger, Webhook
from .rules import hears, items_for
from .store import WebhookStorage

PAYLOAD_LIMIT = 20_000  # bytes, "under 20 KB" (decisions 2.7)

_encoder = msgspec.json.Encoder()


def payloads(event: Event, items: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The payloads that tell the items: mostly one, each smaller than 20 KB.

    ``{ type, timestamp, data: { projectId, branch, actor, items } }``.
    """
    written = _written(event, items)
    if len(written) < PAYLOAD_LIMIT or len(items) == 1:
        yield written.decode()
        return
    half = len(items) // 2
    yield from payloads(event, items[:half])
    yield from payloads(event, items[half:])


def _written(event: Event, items: Sequence[Mapping[str, object]]) -> bytes:
    return _encoder.encode(
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


ID_PREFIX = "msg_"

Items = Sequence[Mapping[str, object]]


class _Gathered(threading.local):
    """The events of the transaction that is open in this thread."""

    def __init__(self) -> None:
        self.events: list[Event] = []


class FanOut:
    """Writes a delivery for each event and each webhook that subscribes to it.

    All events of a transaction together take two statements: one that reads the
    active webhooks of the projects, and one that inserts the deliveries.
    """

    def __init__(self, storage: WebhookStorage, wake: Callable[[], None]) -> None:
        """``wake`` is called after a commit that has left something to send."""
        self._storage = storage
        self._wake = wake
        self._gathered = _Gathered()

    def on_event(self, event: Event) -> None:
        """Inside the transaction of an event."""
        if event.project_id is None:
            return
        self._storage.before_commit("webhooks", self._begin)
        self._gathered.events.append(event)

    def _begin(self) -> Callable[[], None]:
        self._gathered.events = []
        return self._end

    def _end(self) -> None:
        events, self._gathered.events = self._gathered.events, []
        projects = {event.project_id for event in events if event.project_id}
        webhooks = self._storage.webhooks.active_webhooks(sorted(projects))
        if not webhooks:
            return
        deliveries = [
            delivery
            for event in events
            for webhook in webhooks
            for delivery in deliveries_of(event, webhook)
        ]
        if deliveries:
            self._storage.webhooks.add_deliveries(deliveries)
            self._storage.after_commit(self._wake)


def deliveries_of(event: Event, webhook: Webhook) -> Iterator[NewDelivery]:
    """What the webhook is told of the event: nothing, mostly one delivery, or more."""
    if event.project_id != webhook.project_id or not hears(webhook, event):
        return
    items = items_for(webhook, event)
    if items:
        yield from new_deliveries(event, items, webhook)


def new_deliveries(
    event: Event, items: Items, webhook: Webhook, trigger: Trigger = "auto"
) -> Iterator[NewDelivery]:
    """The deliveries that tell these items of the event, due at once."""
    for payload in payloads(event, items):
        yield NewDelivery(
            id=ID_PREFIX + new_id().replace("-", ""),
            webhook_id=webhook.id,
            project_id=webhook.project_id,
            event_type=event.type,
            payload=payload,
            created_at=event.created_at,
            trigger=trigger,
        )

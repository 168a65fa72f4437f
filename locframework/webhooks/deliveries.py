"""Deliveries: reading the log, replays, and tests."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.errors import DeliveryNotFound, RateLimited
from locframework.events import Event
from locframework.fields import Clock, new_id, parse_given_time, timestamp
from locframework.http.rate_limit import MemoryWindows
from locframework.pagination import Page
from locframework.projects.service import Projects
from locframework.validation import check_record

from .event_schemas import TEST
from .fan_out import new_deliveries
from .records import (
    Delivery,
    DeliveryFilter,
    DeliveryQuery,
    ReplayMany,
    Webhook,
)
from .service import Webhooks
from .store import WebhookStorage

REPLAYS_MOST = 60  # a minute, of one project in one process
REPLAYED_AT_ONCE = 500  # deliveries: all of them in one write took seconds

_ID = re.compile(r"msg_[0-9a-f]{32}", re.ASCII)


@dataclass(eq=False, repr=False)
class Deliveries:
    """The log of what was sent to webhooks."""

    _storage: WebhookStorage
    _projects: Projects
    _webhooks: Webhooks
    _wake: Callable[[], None]
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.webhooks
        self._replays = MemoryWindows()

    def list_deliveries(
        self, caller: Caller, project_id: str, webhook_id: str, query: DeliveryQuery
    ) -> Page[Delivery]:
        """Return deliveries, newest first. Raises WebhookNotFound."""
        project = self._projects.require(caller, "webhook_read", project_id)
        check_record(query, "query")
        webhook = self._webhooks.find(project, webhook_id).webhook
        where = DeliveryFilter(query.status, query.event_type)
        return self._store.list_deliveries(webhook.id, where, query)

    def get_delivery(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: str
    ) -> Delivery:
        """Return a delivery with its payload.

        Raises WebhookNotFound, DeliveryNotFound.
        """
        webhook = self._webhooks.get_webhook(caller, project_id, webhook_id)
        return self._find(webhook, delivery_id)

    def replay(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: str
    ) -> tuple[Delivery, str]:
        """Send a delivery once more, with the same id and the present secret.

        Return it and its path below the API's base URL. It is also sent to a webhook
        that is switched off. If it fails, planned retries are still made. Raises
        WebhookNotFound, DeliveryNotFound, RateLimited.
        """
        project = self._projects.require(caller, "webhook_manage", project_id)
        webhook = self._webhooks.find(project, webhook_id).webhook
        self._find(webhook, delivery_id)
        self._count_replay(webhook)
        with self._storage.transaction():
            now = timestamp(self._clock())
            self._store.replay_deliveries([delivery_id], now)
            self._storage.after_commit(self._wake)
            return self._find(webhook, delivery_id), path_of(webhook, delivery_id)

    def replay_many(
        self, caller: Caller, project_id: str, webhook_id: str, which: ReplayMany
    ) -> tuple[int, str]:
        """Send all deliveries of a status again that were created since a time.

        Return their number and the path of their list. It counts as one replay. Others
        write in between, unless a transaction is open. Raises WebhookNotFound,
        ValidationFailed, RateLimited.
        """
        project = self._projects.require(caller, "webhook_manage", project_id)
        check_record(which)
        webhook = self._webhooks.find(project, webhook_id).webhook
        since = which.since
        if since is not None:
            since = timestamp(parse_given_time(since, "$.since"))
        self._count_replay(webhook)
        where = DeliveryFilter(which.status, since=since)
        ended = self._store.ended_deliveries(webhook.id, where)
        count = 0
        for first in range(0, len(ended), REPLAYED_AT_ONCE):
            with self._storage.transaction():
                some, now = ended[first:][:REPLAYED_AT_ONCE], timestamp(self._clock())
                count += self._store.replay_deliveries(some, now)
                self._storage.after_commit(self._wake)
        return count, path_of(webhook)

    def test(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> tuple[Delivery, str]:
        """Send ``webhook.test``, once; also to a webhook that is switched off.

        Return the delivery and its path. Raises WebhookNotFound.
        """
        project = self._projects.require(caller, "webhook_manage", project_id)
        webhook = self._webhooks.find(project, webhook_id).webhook
        event = Event(
            id=new_id(),
            type=TEST,
            organization_id=project.organization_id,
            project_id=project.id,
            branch=None,
            actor=caller.actor,
            items=[{"webhookId": webhook.id}],
            created_at=timestamp(self._clock()),
        )
        [new] = new_deliveries(event, event.items, webhook, "test")
        with self._storage.transaction():
            self._store.add_deliveries([new])
            self._storage.after_commit(self._wake)
        return self._find(webhook, new.id), path_of(webhook, new.id)

    def _count_replay(self, webhook: Webhook) -> None:
        window = self._replays.take(webhook.project_id, REPLAYS_MOST)
        if not window.is_accepted:
            raise RateLimited(window.retry_after_seconds, "replays in this project")

    def _find(self, webhook: Webhook, delivery_id: str) -> Delivery:
        found = None
        if _ID.fullmatch(delivery_id):
            found = self._store.find_delivery(webhook.id, delivery_id)
        if found is None:
            raise DeliveryNotFound
        return found


def path_of(webhook: Webhook, *delivery_id: str) -> str:
    """Return the path of the log or of a delivery, below the API's base URL."""
    log = f"/projects/{webhook.project_id}/webhooks/{webhook.id}/deliveries"
    return "/".join((log, *delivery_id))

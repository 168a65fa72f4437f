"""The store of webhooks, their deliveries, and the queue of these."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from locframework.fields import Timestamp
from locframework.jobs.lease import LeaseStorage
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.transactions import Repository

from .records import (
    AttemptOutcome,
    ClaimedDelivery,
    Delivery,
    DeliveryFilter,
    NewDelivery,
    StoredWebhook,
    WaitingWebhook,
    Webhook,
    WebhookHealth,
)


class WebhookStore(Repository[StoredWebhook], Protocol):
    """Webhooks of projects, their deliveries, and the queue of those that are due. Any
    number of processes may claim at once. ``last_delivery_at`` is not written with the
    record. A deleted webhook has no secrets, and nothing is sent to it."""

    def list_webhooks(self, project_id: str, page: PageRequest) -> Page[Webhook]:
        """Newest first."""

    def active_webhooks(self, project_ids: Sequence[str]) -> list[Webhook]:
        """Those of the projects that are active, by id. One statement."""

    # deliveries

    def add_deliveries(self, deliveries: Sequence[NewDelivery]) -> None:
        """Insert deliveries, due at once, in the open transaction."""

    def end_deliveries(self, webhook_id: str) -> None:
        """Set pending deliveries to ``failed``; here and below, one that succeeded
        stays ``succeeded`` although its replay fails."""

    def find_delivery(self, webhook_id: str, delivery_id: str) -> Delivery | None:
        """With its payload."""

    def list_deliveries(
        self, webhook_id: str, where: DeliveryFilter, page: PageRequest
    ) -> Page[Delivery]:
        """Newest first; without payloads. Three statements."""

    def ended_deliveries(self, webhook_id: str, where: DeliveryFilter) -> list[str]:
        """The ids of all that have ended and meet the filter, oldest first."""

    def replay_deliveries(self, delivery_ids: Sequence[str], at: Timestamp) -> int:
        """Have one more attempt made of each ``at``, beside the plan, except of those
        that are being sent; return how many."""

    # the queue

    def waiting(self, now: Timestamp, most: int) -> list[WaitingWebhook]:
        """Return the webhooks with deliveries due, counted up to ``most``: pending, and
        held by nobody or no longer. The cost grows with the webhooks alone."""

    def claim(
        self,
        shares: Mapping[str, int],
        owner: str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> list[ClaimedDelivery]:
        """Take so many due deliveries of each webhook, the longest due first.

        In the open transaction, such that no other claimer has the same: sets owner
        and lease, and counts the attempt. Those that others hold are passed over.
        ``lost`` counts attempts of the log, up to six in a row.
        """

    def begin_attempts(
        self,
        claimed: Sequence[ClaimedDelivery],
        at: Timestamp,
        given_up: Sequence[ClaimedDelivery] = (),
    ) -> None:
        """Log attempts in the open transaction; deliveries ``given_up`` become
        ``failed``."""

    def find_webhooks(
        self, webhook_ids: Sequence[str], *, lock: bool = False
    ) -> dict[str, StoredWebhook]:
        """Return those that exist, by id; ``lock``: until this transaction ends."""

    def finish(
        self,
        outcomes: Sequence[AttemptOutcome],
        owner: str,
        health: Mapping[str, tuple[Timestamp, WebhookHealth]],
    ) -> None:
        """Log the results of attempts, and store the new state of their deliveries.

        ``health`` is that of each webhook, and when its latest attempt was made. A
        delivery that was claimed again since, or ended, stays as it is; the log has
        the attempt nevertheless.
        """


class WebhookStorage(LeaseStorage, Protocol):
    """The part of the storage that this area uses."""

    webhooks: WebhookStore
    projects: ProjectStore

"""Webhooks over HTTP."""

from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from locframework.access.records import Caller
from locframework.errors import (
    LanguageNotInProject,
    UnknownEventType,
    UrlNotAllowed,
    WebhooksNotSetUp,
)
from locframework.http.operation import operation
from locframework.http.records import Accepted, Deleted, Prepared, Wrapped
from locframework.pagination import Page

from .records import (
    Delivery,
    DeliveryQuery,
    NewWebhook,
    ReplayMany,
    ShownEventType,
    Webhook,
    WebhookChanges,
    WebhookQuery,
)
from .service import Webhooks

_ALL = "/projects/{projectId}/webhooks"
_ONE = "/projects/{projectId}/webhooks/{webhookId}"
_LOG = _ONE + "/deliveries"
_CHOICES = (UnknownEventType, UrlNotAllowed, LanguageNotInProject, WebhooksNotSetUp)
_read = partial(operation, permission="webhook_read")
_manage = partial(operation, permission="webhook_manage")


EventTypesAnswer = Annotated[list[ShownEventType], Wrapped("eventTypes")]


class WebhookAnswer(Struct, frozen=True):
    """One webhook."""

    webhook: Webhook


class NewSecretAnswer(Struct, frozen=True, rename="camel"):
    """One webhook; ``signingSecret`` is shown only this once."""

    webhook: Webhook
    signing_secret: str


class DeliveryAnswer(Struct, frozen=True):
    """One delivery."""

    delivery: Delivery


DeliveryId = Annotated[
    str, Meta(pattern="^msg_[0-9a-f]{32}$", description="The id of a delivery")
]


class ReplayAnswer(Struct, frozen=True):
    """How many deliveries are sent again."""

    count: int


class WebhookEndpoints:
    """Declares the operations on webhooks and their deliveries."""

    tag = "Webhooks"

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks

    @_read("GET", "/webhook-event-types")
    def list_event_types(self, caller: Caller) -> EventTypesAnswer:
        """List the event types that can be subscribed to, with schema and example."""
        return self._webhooks.list_event_types(caller)

    @_read("GET", _ALL)
    def list_webhooks(
        self, caller: Caller, project_id: str, query: WebhookQuery
    ) -> Page[Webhook]:
        """List webhooks, newest first."""
        return self._webhooks.list_webhooks(caller, project_id, query)

    @_manage("POST", _ALL, status=201, secret=True, errors=_CHOICES)
    def create_webhook(
        self, caller: Caller, project_id: str, body: NewWebhook
    ) -> Prepared[NewSecretAnswer]:
        """Register a webhook.

        `signingSecret` is shown only this once. `languageCodes` null means every
        language; `branches` null means main. The URL must be https, and lead to a
        public address.
        """
        add = self._webhooks.prepare_webhook(caller, project_id, body)
        return Prepared(lambda: NewSecretAnswer(*add()))

    @_read("GET", _ONE)
    def get_webhook(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> WebhookAnswer:
        """Get a webhook.

        `disabledReason` is what switched it off: `manual`, a person; `failing`, five
        days without a success; `gone`, its answer 410.
        """
        return WebhookAnswer(self._webhooks.get_webhook(caller, project_id, webhook_id))

    @_manage("PATCH", _ONE, errors=_CHOICES, etag=True)
    def update_webhook(
        self, caller: Caller, project_id: str, webhook_id: str, body: WebhookChanges
    ) -> Prepared[WebhookAnswer]:
        """Change a webhook.

        `isActive` false cancels what is still to be sent; replay sends it again.
        """
        save = self._webhooks.prepare_update(caller, project_id, webhook_id, body)
        return Prepared(lambda: WebhookAnswer(save()))

    @_manage("DELETE", _ONE)
    def delete_webhook(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> Deleted:
        """Delete a webhook with its log."""
        return Deleted(self._webhooks.delete_webhook(caller, project_id, webhook_id).id)

    @_manage("POST", _ONE + "/rotate-secret", secret=True, errors=(WebhooksNotSetUp,))
    def rotate_webhook_secret(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> NewSecretAnswer:
        """Give a webhook a new signing secret, which is shown only this once.

        For 24 hours, what is sent has two signatures, one with each.
        """
        rotate = self._webhooks.rotate_secret
        return NewSecretAnswer(*rotate(caller, project_id, webhook_id))

    @_manage("POST", _ONE + "/test")
    def test_webhook(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> Accepted[DeliveryAnswer]:
        """Send `webhook.test` once, also to a webhook that is switched off."""
        made, where = self._webhooks.test_webhook(caller, project_id, webhook_id)
        return Accepted(DeliveryAnswer(made), where)

    @_read("GET", _LOG)
    def list_deliveries(
        self, caller: Caller, project_id: str, webhook_id: str, query: DeliveryQuery
    ) -> Page[Delivery]:
        """List deliveries of the last 30 days with their attempts, newest first."""
        return self._webhooks.list_deliveries(caller, project_id, webhook_id, query)

    @_read("GET", _LOG + "/{deliveryId}")
    def get_delivery(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: DeliveryId
    ) -> DeliveryAnswer:
        """Get a delivery with its payload."""
        get = self._webhooks.get_delivery
        return DeliveryAnswer(get(caller, project_id, webhook_id, delivery_id))

    @_manage("POST", _LOG + "/{deliveryId}/replay")
    def replay_delivery(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: DeliveryId
    ) -> Accepted[DeliveryAnswer]:
        """Send a delivery again, once, also to a webhook that is switched off.

        It has the same `webhook-id`, a new timestamp and the current secret. A project
        has 60 replays per minute; more than that are 429 `rate_limited`.
        """
        replay = self._webhooks.replay_delivery
        found, where = replay(caller, project_id, webhook_id, delivery_id)
        return Accepted(DeliveryAnswer(found), where)

    @_manage("POST", _LOG + "/replay")
    def replay_deliveries(
        self, caller: Caller, project_id: str, webhook_id: str, body: ReplayMany
    ) -> Accepted[ReplayAnswer]:
        """Send many deliveries again: those that failed, or succeeded, since a time.

        However many they are, this counts as one of the 60 replays per minute.
        """
        replay = self._webhooks.replay_deliveries
        count, where = replay(caller, project_id, webhook_id, body)
        return Accepted(ReplayAnswer(count), where)

"""Webhooks and the log of what was sent to them."""

import logging
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import MAIN
from locframework.branches.service import check_name
from locframework.errors import (
    PLUGIN_EXCEPTIONS,
    DeliveryNotFound,
    LocError,
    Unavailable,
    UnknownEventType,
    WebhookNotFound,
    WebhooksNotSetUp,
    abbreviate,
)
from locframework.events import Event
from locframework.fields import Clock, new_id, parse_given_time, timestamp
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.rules import require_languages
from locframework.projects.service import Projects
from locframework.transactions import get_record
from locframework.validation import check_record, given_fields

from .event_schemas import TEST, EventTypes
from .fan_out import new_deliveries
from .records import (
    Delivery,
    DeliveryFilter,
    DeliveryQuery,
    NewWebhook,
    ReplayMany,
    ShownEventType,
    StoredWebhook,
    Webhook,
    WebhookChanges,
    WebhookHealth,
)
from .rules import ALL_BRANCHES, rotated
from .signing import SecretBox, new_secret
from .store import WebhookStorage
from .transport import Transport

log = logging.getLogger("locframework.webhooks")

REPLAYS_LIMIT = 60  # a minute, of one project in one process
REPLAYED_AT_ONCE = 500  # deliveries: all of them in one write took seconds

_DELIVERY_ID = re.compile(r"msg_[0-9a-f]{32}", re.ASCII)


@dataclass(eq=False, repr=False)
class Webhooks:
    """The webhooks of projects, and their deliveries."""

    _storage: WebhookStorage
    _access: Access
    _projects: Projects
    _types: EventTypes
    _transport: Transport
    _box: SecretBox
    _wake: Callable[[], None]
    _count_replay: Callable[[str], None]  # of a project; raises RateLimited
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.webhooks

    def require_keys(self, key_ids: Iterable[str]) -> None:
        """Raise SettingsError unless there are all keys that sealed current secrets."""
        self._box.require_keys(key_ids)

    def list_event_types(self, caller: Caller) -> list[ShownEventType]:
        """Every type that can be subscribed to, in the order of the documentation."""
        self._access.require_somewhere(caller, "webhook_read")
        return self._types.shown

    def create_webhook(
        self, caller: Caller, project_id: str, new: NewWebhook
    ) -> tuple[Webhook, str]:
        """Create a webhook; return it and its secret, which is never shown again.
        Raises ProjectNotFound, PermissionDenied, UnknownEventType, UrlNotAllowed,
        LanguageNotInProject, ValidationFailed, WebhooksNotSetUp."""
        return self.prepare_webhook(caller, project_id, new)()

    def prepare_webhook(
        self, caller: Caller, project_id: str, new: NewWebhook
    ) -> Callable[[], tuple[Webhook, str]]:
        """Return the transaction of ``create_webhook``. Looking up the host of the URL
        may take seconds."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        check_record(new)
        languages = self._storage.projects.list_languages(project.id)
        now = timestamp(self._clock())
        webhook = Webhook(
            id=new_id(),
            project_id=project.id,
            url=new.url,
            description=new.description,
            event_types=self._known(new.event_types),
            language_codes=require_languages(new.language_codes, languages),
            branches=_branches(new.branches),
            is_active=new.is_active,
            disabled_reason=None if new.is_active else "manual",
            created_at=now,
            updated_at=now,
            last_delivery_at=None,
        )
        self._check_url(new.url)
        return lambda: self._add(project, webhook)

    def list_webhooks(
        self, caller: Caller, project_id: str, page: PageRequest = PageRequest()
    ) -> Page[Webhook]:
        """Newest first. Raises ProjectNotFound, PermissionDenied."""
        project = self._projects.require(caller, "webhook_read", project_id)
        check_record(page, "query")
        return self._store.list_webhooks(project.id, page)

    def get_webhook(self, caller: Caller, project_id: str, webhook_id: str) -> Webhook:
        """Raises ProjectNotFound, PermissionDenied, WebhookNotFound."""
        project = self._projects.require(caller, "webhook_read", project_id)
        return self.find(project, webhook_id).webhook

    def update_webhook(
        self, caller: Caller, project_id: str, webhook_id: str, changes: WebhookChanges
    ) -> Webhook:
        """Change a webhook, from the next event on. Switching it off ends its pending
        deliveries; switching it on sends none of them. Raises as ``create_webhook``
        does, and WebhookNotFound."""
        return self.prepare_update(caller, project_id, webhook_id, changes)()

    def prepare_update(
        self, caller: Caller, project_id: str, webhook_id: str, changes: WebhookChanges
    ) -> Callable[[], Webhook]:
        """Return the transaction of ``update_webhook``, to be called."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        check_record(changes)
        old = self.find(project, webhook_id).webhook
        self._changed(project, old, changes)
        if changes.url is not UNSET and changes.url != old.url:
            self._check_url(changes.url)
        return lambda: self._update(project, webhook_id, changes)

    def delete_webhook(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> Webhook:
        """Delete it with its log; nothing more is sent. Raises WebhookNotFound."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        with self._storage.transaction():
            gone = self._locked(project, webhook_id).webhook
            self._store.delete(gone.id, timestamp(self._clock()))
        return gone

    def rotate_secret(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> tuple[Webhook, str]:
        """Return a new secret; the old one signs for 24 hours more. Raises
        WebhookNotFound, WebhooksNotSetUp."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        with self._storage.transaction():
            old = self._locked(project, webhook_id)
            self._require_key()
            secret, now = new_secret(), self._clock()
            sealed = self._box.seal(secret, old.webhook.id)
            webhook = replace(old.webhook, updated_at=timestamp(now))
            secrets = rotated(old.secrets, sealed, now)
            self._store.update(replace(old, webhook=webhook, secrets=secrets))
        return webhook, secret

    def list_deliveries(
        self,
        caller: Caller,
        project_id: str,
        webhook_id: str,
        query: DeliveryQuery = DeliveryQuery(),
    ) -> Page[Delivery]:
        """Return deliveries, newest first. Raises WebhookNotFound."""
        project = self._projects.require(caller, "webhook_read", project_id)
        check_record(query, "query")
        webhook = self.find(project, webhook_id).webhook
        where = DeliveryFilter(query.status, query.event_type)
        return self._store.list_deliveries(webhook.id, where, query)

    def get_delivery(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: str
    ) -> Delivery:
        """Return a delivery, with its payload. Raises DeliveryNotFound."""
        webhook = self.get_webhook(caller, project_id, webhook_id)
        return self._delivery(webhook, delivery_id)

    def replay_delivery(
        self, caller: Caller, project_id: str, webhook_id: str, delivery_id: str
    ) -> tuple[Delivery, str]:
        """Send a delivery once more, also to a webhook that is switched off; return it
        and its path. Raises WebhookNotFound, DeliveryNotFound, RateLimited."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        webhook = self.find(project, webhook_id).webhook
        self._delivery(webhook, delivery_id)
        self._count_replay(project.id)
        with self._storage.transaction():
            now = timestamp(self._clock())
            self._store.replay_deliveries([delivery_id], now)
            self._storage.after_commit(self._wake)
            return self._delivery(webhook, delivery_id), _log_path(webhook, delivery_id)

    def replay_deliveries(
        self, caller: Caller, project_id: str, webhook_id: str, which: ReplayMany
    ) -> tuple[int, str]:
        """Send all deliveries of a status again that were created since a time; return
        their number and the path of their list. It counts as one replay. Raises
        WebhookNotFound, ValidationFailed, RateLimited."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        check_record(which)
        webhook = self.find(project, webhook_id).webhook
        since = which.since
        if since is not None:
            since = timestamp(parse_given_time(since, "$.since"))
        self._count_replay(project.id)
        where = DeliveryFilter(which.status, since=since)
        ended = self._store.ended_deliveries(webhook.id, where)
        count = 0
        for first in range(0, len(ended), REPLAYED_AT_ONCE):
            with self._storage.transaction():
                some, now = ended[first:][:REPLAYED_AT_ONCE], timestamp(self._clock())
                count += self._store.replay_deliveries(some, now)
                self._storage.after_commit(self._wake)
        return count, _log_path(webhook)

    def test_webhook(
        self, caller: Caller, project_id: str, webhook_id: str
    ) -> tuple[Delivery, str]:
        """Send ``webhook.test`` once, also to a webhook that is switched off; return
        the delivery and its path. Raises WebhookNotFound."""
        project = self._projects.require(caller, "webhook_manage", project_id)
        webhook = self.find(project, webhook_id).webhook
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
        return self._delivery(webhook, new.id), _log_path(webhook, new.id)

    def find(self, project: Project, reference: str) -> StoredWebhook:
        """Return a webhook of a project. Raises WebhookNotFound."""
        return get_record(self._store, reference, WebhookNotFound, project.id)

    def _delivery(self, webhook: Webhook, delivery_id: str) -> Delivery:
        found = None
        if _DELIVERY_ID.fullmatch(delivery_id):
            found = self._store.find_delivery(webhook.id, delivery_id)
        if found is None:
            raise DeliveryNotFound
        return found

    def _add(self, project: Project, webhook: Webhook) -> tuple[Webhook, str]:
        secret = new_secret()
        stored = StoredWebhook(
            webhook=webhook,
            organization_id=project.organization_id,
            secrets=(self._box.seal(secret, webhook.id),),
            health=WebhookHealth(good_at=webhook.created_at),
        )
        with self._storage.transaction():
            self._projects.lock(project)
            self._store.insert(stored)
        return webhook, secret

    def _update(
        self, project: Project, webhook_id: str, changes: WebhookChanges
    ) -> Webhook:
        with self._storage.transaction():
            old = self._locked(project, webhook_id)
            now = timestamp(self._clock())
            new = replace(old.webhook, **self._changed(project, old.webhook, changes))
            if changes.is_active is not UNSET:
                why = None if new.is_active else old.webhook.disabled_reason or "manual"
                new = replace(new, disabled_reason=why)
            if new == old.webhook:
                return new
            new = replace(new, updated_at=now)
            health = old.health
            if new.url != old.webhook.url or new.is_active > old.webhook.is_active:
                health = WebhookHealth(good_at=now)
            self._store.update(replace(old, webhook=new, health=health))
            if new.is_active < old.webhook.is_active:
                self._store.end_deliveries(new.id)
        return new

    def _locked(self, project: Project, reference: str) -> StoredWebhook:
        """Lock the project, then the webhook, and return it as it is now."""
        self._projects.lock(project)
        found = self.find(project, reference)
        locked = self._store.lock(found.webhook.id)
        if locked is None:
            raise WebhookNotFound
        return locked

    def _changed(
        self, project: Project, old: Webhook, changes: WebhookChanges
    ) -> dict[str, object]:
        """Return the given fields, validated. Languages that have left the project and
        event types of plugins that are gone may stay."""
        given = given_fields(changes)
        if changes.event_types is not UNSET:
            given["event_types"] = self._known(changes.event_types, old.event_types)
        if changes.language_codes is not UNSET:
            languages = self._storage.projects.list_languages(project.id)
            given["language_codes"] = require_languages(
                changes.language_codes, languages, old.language_codes or ()
            )
        if changes.branches is not UNSET:
            given["branches"] = _branches(changes.branches)
        return given

    def _check_url(self, url: str) -> None:
        self._require_key()
        try:
            self._transport.check_url(url)
        except LocError:
            raise
        except PLUGIN_EXCEPTIONS as error:
            name = self._transport.name
            log.exception("the transport %s failed to check a URL", name)
            raise Unavailable(f"the transport {name} failed") from error

    def _require_key(self) -> None:
        if not self._box.can_seal:
            message = "webhooks need a key in the setting webhooks.secret_key"
            raise WebhooksNotSetUp(message)

    def _known(self, types: list[str], had: Collection[str] = ()) -> tuple[str, ...]:
        for type_ in types:
            if type_ not in self._types and type_ not in had:
                name = abbreviate(type_)
                raise UnknownEventType(
                    f"there is no event type {name!r}; see GET /webhook-event-types"
                )
        return tuple(dict.fromkeys(types))


def _branches(names: list[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    for at, name in enumerate(names):
        if name not in (MAIN, ALL_BRANCHES):
            check_name(name, f"$.branches[{at}]")
    return tuple(dict.fromkeys(names))


def _log_path(webhook: Webhook, *delivery_id: str) -> str:
    """Return the path of the log or of a delivery, below the API's base URL."""
    log = f"/projects/{webhook.project_id}/webhooks/{webhook.id}/deliveries"
    return "/".join((log, *delivery_id))

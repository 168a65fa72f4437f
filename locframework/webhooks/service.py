"""What one can do with webhooks: register them, change them, renew their secrets."""

import logging
from collections.abc import Callable, Collection

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import MAIN
from locframework.branches.rules import check_name
from locframework.errors import (
    PLUGIN_EXCEPTIONS,
    LanguageNotInProject,
    LocError,
    Unavailable,
    UnknownEventType,
    WebhookNotFound,
    WebhooksNotSetUp,
    abbreviate,
)
from locframework.fields import Clock, id_from_reference, new_id, timestamp
from locframework.languages import require_tag
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Projects
from locframework.validation import check_record

from .event_schemas import EventTypes
from .records import (
    NewWebhook,
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


class Webhooks:
    """The webhooks of projects."""

    def __init__(
        self,
        storage: WebhookStorage,
        access: Access,
        projects: Projects,
        types: EventTypes,
        transport: Transport,
        box: SecretBox,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._store = storage.webhooks
        self._access = access
        self._projects = projects
        self._types = types
        self._transport = transport
        self._box = box
        self._clock = clock

    def require_keys(self) -> None:
        """Raise SettingsError when there are webhooks whose secrets no key opens."""
        self._box.require_keys(self._store.sealing_keys())

    def list_event_types(self, caller: Caller) -> list[ShownEventType]:
        """Every type that can be subscribed to, in the order of the documentation."""
        self._access.require_somewhere(caller, "webhook_read")
        return self._types.shown

    def create_webhook(
        self, caller: Caller, project_id: str, new: NewWebhook
    ) -> tuple[Webhook, str]:
        """A new webhook, and its signing secret, which is never shown again.

        Raises ProjectNotFound, PermissionDenied, UnknownEventType, UrlNotAllowed,
        LanguageNotInProject, ValidationFailed, WebhooksNotSetUp.
        """
        return self.prepare_webhook(caller, project_id, new)()

    def prepare_webhook(
        self, caller: Caller, project_id: str, new: NewWebhook
    ) -> Callable[[], tuple[Webhook, str]]:
        """``create_webhook`` but for its transaction, which a call of the answer is.

        Looks the URL's name up, which may take seconds.
        """
        project = self._projects.require(caller, "webhook_manage", project_id)
        check_record(new)
        now = timestamp(self._clock())
        webhook = Webhook(
            id=new_id(),
            project_id=project.id,
            url=new.url,
            description=new.description,
            event_types=self._known(new.event_types),
            language_codes=self._languages(project, new.language_codes),
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
        self, caller: Caller, project_id: str, page: PageRequest
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
        """Change it, from the next event on.

        Switching it off ends what is still to be sent; switching it on sends nothing
        of that again. Raises as ``create_webhook`` does, and WebhookNotFound.
        """
        return self.prepare_update(caller, project_id, webhook_id, changes)()

    def prepare_update(
        self, caller: Caller, project_id: str, webhook_id: str, changes: WebhookChanges
    ) -> Callable[[], Webhook]:
        """``update_webhook`` but for its transaction, which a call of the answer is."""
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
        """A new secret, shown this once; the old one signs too, for 24 hours.

        Raises WebhookNotFound, WebhooksNotSetUp.
        """
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

    def find(self, project: Project, reference: str) -> StoredWebhook:
        """A webhook of a project that the caller was let into. WebhookNotFound."""
        id_ = id_from_reference(reference)
        found = self._store.find(id_, project.id) if id_ else None
        if found is None:
            raise WebhookNotFound
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
                health = WebhookHealth(good_at=now)  # it begins anew
            self._store.update(replace(old, webhook=new, health=health))
            if new.is_active < old.webhook.is_active:
                self._store.end_deliveries(new.id)
        return new

    def _locked(self, project: Project, reference: str) -> StoredWebhook:
        """One order for everybody: the project, then the webhook."""
        self._projects.lock(project)
        found = self.find(project, reference)
        self._store.lock(found.webhook.id)
        return self.find(project, reference)

    def _changed(
        self, project: Project, old: Webhook, changes: WebhookChanges
    ) -> dict[str, object]:
        """The fields that are named, checked.

        What it has already may stay: languages that have left the project since, event
        types of plugins that are gone. So what was read can be written.
        """
        found: dict[str, object] = {}
        if changes.event_types is not UNSET:
            types = self._known(changes.event_types, old.event_types)
            found["event_types"] = types
        if changes.language_codes is not UNSET:
            had = old.language_codes or ()
            codes = self._languages(project, changes.language_codes, had)
            found["language_codes"] = codes
        if changes.branches is not UNSET:
            found["branches"] = _branches(changes.branches)
        for name in ("url", "description", "is_active"):
            value = getattr(changes, name)
            if value is not UNSET:
                found[name] = value
        return found

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
                told = f"there is no event type {abbreviate(type_)!r}"
                raise UnknownEventType(f"{told}; see GET /webhook-event-types")
        return tuple(dict.fromkeys(types))

    def _languages(
        self, project: Project, codes: list[str] | None, had: Collection[str] = ()
    ) -> tuple[str, ...] | None:
        if codes is None:
            return None
        languages = self._storage.projects.list_languages(project.id)
        there = {*had, *(language.language_code for language in languages)}
        tags = [
            require_tag(code, f"$.languageCodes[{at}]") for at, code in enumerate(codes)
        ]
        for tag in tags:
            if tag not in there:
                raise LanguageNotInProject(f"the project has no language {tag}")
        return tuple(dict.fromkeys(tags))


def _branches(names: list[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    for at, name in enumerate(names):
        if name not in (MAIN, ALL_BRANCHES):
            check_name(name, f"$.branches[{at}]")
    return tuple(dict.fromkeys(names))

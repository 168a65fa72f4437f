"""The API that requests and calls share: all endpoints, and who may pass a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

from .access.endpoints import AccessEndpoints
from .access.records import Caller
from .branches.endpoints import BranchEndpoints
from .delivery.endpoints import ContentEndpoints, DeliveryEndpoints
from .exchange.endpoints import ExchangeEndpoints
from .fields import id_from_reference
from .files.endpoints import FileEndpoints
from .formats.endpoints import FormatEndpoints
from .glossaries.endpoints import GlossaryEndpoints
from .history.endpoints import ActivityEndpoints, HistoryEndpoints
from .http.calls import Calls
from .http.dispatch import PermissionCheck, VisibilityCheck
from .http.docs import ServiceEndpoints
from .http.operation import operation
from .http.preconditions import Lock
from .http.records import Wrapped
from .issues.endpoints import IssueEndpoints
from .jobs.endpoints import JobEndpoints
from .keys.endpoints import KeyEndpoints, ReviewEndpoints
from .machine_translation.endpoints import MachineTranslationEndpoints
from .memories.endpoints import MemoryEndpoints
from .merging.endpoints import MergingEndpoints
from .plugin_services.endpoints import ProjectPluginEndpoints
from .plugins import LoadedPlugin, PluginHost
from .projects.endpoints import ProjectEndpoints
from .statistics.endpoints import StatisticsEndpoints
from .webhooks.endpoints import WebhookEndpoints

if TYPE_CHECKING:
    from .app import Framework


def endpoints_of(of: Framework) -> list[object]:
    """Return the endpoints of every area, for one app or ``Framework.call``."""
    return [
        KeyEndpoints(of.keys, of.bulk_keys),
        ReviewEndpoints(of.review, of.bulk_keys, of.bulk_reviews, of.dismissals),
        HistoryEndpoints(of.history),
        ActivityEndpoints(of.activity),
        ProjectEndpoints(of.projects, of.languages),
        BranchEndpoints(of.branches),
        MergingEndpoints(of.merging),
        MemoryEndpoints(
            of.memories, of.memory_entries, of.memory_files, of.matching, of.prefill
        ),
        IssueEndpoints(of.issues),
        StatisticsEndpoints(of.statistics),
        GlossaryEndpoints(
            of.glossaries, of.terms, of.glossary_files, of.glossary_matches
        ),
        ExchangeEndpoints(of.imports, of.exports),
        FileEndpoints(of.files),
        FormatEndpoints(of.formats),
        JobEndpoints(of.jobs),
        MachineTranslationEndpoints(of.machine_translation, of.run_approvals),
        DeliveryEndpoints(of.distributions, of.releases),
        ContentEndpoints(of.content),
        WebhookEndpoints(of.webhooks),
        AccessEndpoints(
            of.organizations, of.tokens, of.sessions, of.access.permissions
        ),
        PluginEndpoints(of.plugins),
        ProjectPluginEndpoints(of.project_settings),
        ServiceEndpoints([of.storage.ping, of.limiter.ping], of.queues.is_stalled),
    ]


def permission_checks_of(of: Framework) -> Mapping[str, PermissionCheck[Caller]]:
    """Return what raises the 404 or 403 of a caller, by the first parameter of a path.

    Checked before the body, If-Match, and the answer kept for an Idempotency-Key.
    """
    return {
        "": of.access.require_somewhere,
        "organizationId": of.access.require_organization,
        "projectId": of.projects.require,
        "glossaryId": of.glossaries.require,
        "tmId": of.memories.require,
    }


def visibility_checks_of(of: Framework) -> Mapping[str, VisibilityCheck[Caller]]:
    """Return what raises the 404 of a caller for operations without a permission."""
    return {
        "projectId": of.projects.visible,
        "glossaryId": of.glossaries.visible,
        "tmId": of.memories.visible,
    }


def calls_of(of: Framework) -> Calls[Caller]:
    """Return what ``Framework.call`` runs."""
    return Calls(
        endpoints_of(of),
        of_plugins=of.plugin_operations,
        permissions=of.access.permissions.by_key,
        permission_checks=permission_checks_of(of),
        visibility_checks=visibility_checks_of(of),
        limiter=of.limiter,
        transactions=of.storage,
        base_url=of.settings.base_url,
    )


def locks_of(framework: Framework) -> dict[str, Lock[Caller]]:
    """Return what locks out other writers, by path parameter, as services do it."""
    storage, organizations = framework.storage, framework.organizations

    def lock_own(caller: Caller, _: str) -> None:
        own = organizations.get_organization(caller, None)
        storage.access.organizations.lock(own.id)

    return {
        "": lock_own,
        "organizationId": _by_id(storage.access.organizations.lock),
        "projectId": _by_id(storage.projects.lock),
        "glossaryId": _by_id(storage.glossaries.lock),
        "distributionId": _by_id(storage.delivery.lock),
        "tmId": _by_id(storage.memories.lock),
        "webhookId": _by_id(storage.webhooks.lock),
    }


def _by_id(lock: Callable[[str], object]) -> Lock[Caller]:
    """Lock by id or slug. Other references lock nothing; the service refuses them."""
    return lambda _, reference: lock(id_from_reference(reference) or "")


PluginsAnswer = Annotated[list[LoadedPlugin], Wrapped("plugins")]


class PluginEndpoints:
    """Declares the list of plugins."""

    tag = "Service"

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins

    @operation("GET", "/plugins", permission=None)
    def list_plugins(self, caller: Caller) -> PluginsAnswer:
        """List the plugins, with their hooks, and names and types of settings."""
        return self._plugins.loaded

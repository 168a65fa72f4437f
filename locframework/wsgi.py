"""The WSGI app: every operation of a framework, as one Falcon app."""

import atexit
import os
from collections.abc import Callable
from typing import Annotated

import falcon

from .access.endpoints import AccessEndpoints
from .access.permissions import PERMISSIONS
from .access.records import Caller
from .app import Framework
from .branches.endpoints import BranchEndpoints
from .delivery.endpoints import ContentEndpoints, DeliveryEndpoints
from .exchange.endpoints import ExchangeEndpoints
from .fields import id_from_reference
from .files.endpoints import FileEndpoints
from .formats.endpoints import FormatEndpoints
from .glossaries.endpoints import GlossaryEndpoints
from .history.endpoints import ActivityEndpoints, HistoryEndpoints
from .http.app import build_wsgi
from .http.docs import ServiceEndpoints
from .http.forwarded import forwarded
from .http.idempotency import Idempotency
from .http.metrics import open_metrics
from .http.operation import operation
from .http.preconditions import Lock, Preconditions
from .http.rate_limit import RateLimiter, open_windows
from .http.records import Wrapped
from .issues.endpoints import IssueEndpoints
from .jobs.endpoints import JobEndpoints
from .keys.endpoints import KeyEndpoints, ReviewEndpoints
from .machine_translation.endpoints import MachineTranslationEndpoints
from .memories.endpoints import MemoryEndpoints
from .merging.endpoints import MergingEndpoints
from .plugins import LoadedPlugin, PluginHost
from .processes import Registration
from .projects.endpoints import ProjectEndpoints
from .settings import Settings
from .statistics.endpoints import StatisticsEndpoints
from .webhooks.endpoints import WebhookEndpoints


def create_app(framework: Framework) -> falcon.App[falcon.Request, falcon.Response]:
    """Return the WSGI app: every operation below ``/api/v1``, wherever it is mounted.

    Starts background work unless the setting ``start_scheduler`` is false. Raises
    SettingsError if a migration is pending, or if a key, format or blob store is
    missing that stored data needs; Unavailable if the framework was closed. Once it
    is closed, the app responds with 503 to everything.
    """
    framework.require_open()
    framework.require_migrated()
    framework.require_needs()
    settings = framework.settings
    limiter = RateLimiter(
        open_windows(settings.rate_limit_storage),
        content_limit=settings.content_requests_per_minute,
    )
    metrics = open_metrics()
    if metrics is not None:
        metrics.watch(framework.metrics)
    endpoints: list[object] = [
        *operations_of(framework),
        ServiceEndpoints(
            [framework.storage.ping, limiter.ping], framework.queues.is_stalled
        ),
        *([metrics] if metrics is not None else []),
    ]
    app = build_wsgi(
        endpoints,
        authenticate=framework.authenticate,
        # The 404 or 403 of a caller, by the first parameter of a path. Checked before
        # the body, If-Match, and the answer kept for an Idempotency-Key.
        permission_checks={
            "": framework.access.require_somewhere,
            "organizationId": framework.access.require_organization,
            "projectId": framework.projects.require,
            "glossaryId": framework.glossaries.require,
            "tmId": framework.memories.require,
        },
        # The 404 of a caller for operations without a permission.
        visibility_checks={
            "projectId": framework.projects.visible,
            "glossaryId": framework.glossaries.visible,
            "tmId": framework.memories.visible,
        },
        permissions=PERMISSIONS,
        limiter=limiter,
        base_url=settings.base_url,
        trust_host=settings.trust_host,
        metrics=metrics,
        preconditions=Preconditions(framework.storage, locks_of(framework)),
        idempotency=Idempotency(
            framework.storage.idempotency, framework.storage, framework.clock
        ),
        closed=framework.closed,
    )
    if settings.start_scheduler:
        framework.start()
    return app


def __getattr__(name: str) -> object:
    """Build ``app`` when a worker of a WSGI server imports it.

    So ``gunicorn locframework.wsgi:app`` opens connections and starts threads after the
    fork. Settings come from the file that LOCFRAMEWORK_SETTINGS names, and from the
    environment. Raises as ``create_app`` does, and SettingsError if another process
    that serves counts requests by itself, or this one does.
    """
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    settings = Settings.load(os.environ.get("LOCFRAMEWORK_SETTINGS"))
    framework = Framework(settings)
    atexit.register(framework.close)
    framework.require_migrated()
    atexit.register(register(framework).start().end)
    app = forwarded(create_app(framework), settings.server.trusted_proxy)
    globals()["app"] = app
    return app


def register(framework: Framework, address: str = "") -> Registration:
    """Return the registration of this process as one that serves the framework."""
    return Registration(
        framework.storage.processes,
        framework.clock,
        framework.settings.rate_limit_storage,
        address,
    )


def operations_of(of: Framework) -> list[object]:
    """Return the endpoints of every area, for one framework."""
    return [
        KeyEndpoints(of.keys, of.bulk_keys),
        ReviewEndpoints(of.review, of.dismissals),
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
        AccessEndpoints(of.organizations, of.tokens),
        PluginEndpoints(of.plugins),
    ]


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

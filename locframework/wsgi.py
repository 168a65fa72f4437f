"""The WSGI app: every operation of a framework, as one Falcon app."""

import atexit
import os

import falcon

from .api import endpoints_of, locks_of, permission_checks_of, visibility_checks_of
from .app import Framework
from .http.app import build_wsgi
from .http.forwarded import forwarded
from .http.idempotency import Idempotency
from .http.metrics import open_metrics
from .http.preconditions import Preconditions
from .processes import Registration
from .settings import Settings


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
    metrics = open_metrics()
    if metrics is not None:
        metrics.watch(framework.metrics)
    app = build_wsgi(
        [*endpoints_of(framework), *([metrics] if metrics is not None else [])],
        of_plugins=framework.plugin_operations,
        pages=framework.plugins.pages,
        authenticate=framework.authenticate,
        permission_checks=permission_checks_of(framework),
        visibility_checks=visibility_checks_of(framework),
        permissions=framework.access.permissions.by_key,
        limiter=framework.limiter,
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

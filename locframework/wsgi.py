"""The WSGI app: every operation of a framework, as one falcon app."""

from __future__ import annotations

import falcon

from .access.permissions import PERMISSIONS
from .app import Framework
from .http.api_document import ApiDocumentEndpoints
from .http.app import build_wsgi
from .http.docs_page import DocsPageEndpoints
from .http.health import HealthEndpoints
from .http.idempotency import Idempotency
from .http.metrics import MetricsEndpoints, open_metrics
from .http.preconditions import Preconditions
from .http.rate_limit import RateLimiter, open_windows
from .operations import guards_of, locks_of, operations_of, sights_of


def create_app(framework: Framework) -> falcon.App[falcon.Request, falcon.Response]:
    """The WSGI app: every operation below ``/api/v1``, wherever it is mounted.

    Begins background work unless the setting ``start_scheduler`` is false. Raises
    SettingsError when the database waits for a migration, or has webhooks whose
    secrets the setting ``webhooks.secret_key`` does not open; Unavailable for a
    framework that was closed. Once it is closed the app answers 503 to everything.
    """
    framework.require_open()
    framework.require_migrated()
    framework.webhooks.require_keys()
    settings = framework.settings
    limiter = RateLimiter(
        open_windows(settings.rate_limit_storage),
        content_most=settings.content_requests_per_minute,
    )
    document = ApiDocumentEndpoints()
    metrics = open_metrics()
    if metrics is not None:
        metrics.watch(framework.webhook_numbers)
    endpoints: list[object] = [
        *operations_of(framework),
        HealthEndpoints([framework.storage.ping, limiter.ping]),
        document,
        DocsPageEndpoints(),
        *([MetricsEndpoints(metrics)] if metrics is not None else []),
    ]
    app = build_wsgi(
        endpoints,
        authenticate=framework.authenticate,
        guards=guards_of(framework),
        sights=sights_of(framework),
        permissions=PERMISSIONS,
        limiter=limiter,
        base_url=settings.base_url,
        metrics=metrics,
        preconditions=Preconditions(framework.storage, locks_of(framework)),
        idempotency=Idempotency(
            framework.storage.idempotency, framework.storage, framework.clock
        ),
        require_open=framework.require_open,
    )
    if settings.start_scheduler:
        framework.start()
    return app

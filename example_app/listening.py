"""A webhook in the demo project, and its log: nobody listens where it leads."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from locframework import OPERATOR, Framework
from locframework.errors import WebhooksNotSetUp
from locframework.paging import PageRequest
from locframework.projects.records import Project
from locframework.webhooks.records import NewWebhook, Webhook, WebhookChanges

PORT = 9443
NETWORK = "127.0.0.0/8"
NEW = NewWebhook(
    url=f"https://127.0.0.1:{PORT}/l10n",
    event_types=["translation.updated", "translation.submitted", "key.created"],
    description="An example, switched off: nobody listens there. Give it the URL of "
    "your receiver, and switch it on.",
)


@contextmanager
def webhook_of(framework: Framework, project: Project) -> Iterator[None]:
    """What is done in the block is told to a webhook, in vain; then it is switched off.

    Webhooks lead to public addresses only. This one does not, so that the demo bothers
    nobody: a framework of its own, which may reach this machine, registers it.
    """
    webhook = _registered(framework, project)
    yield
    if webhook is not None and webhook.is_active:
        with _reaching_here(framework) as local:
            local.dispatcher.run_until_idle()
        off = WebhookChanges(is_active=False)
        framework.webhooks.update_webhook(OPERATOR, project.id, webhook.id, off)


def _registered(framework: Framework, project: Project) -> Webhook | None:
    page = PageRequest(limit=1)
    found = framework.webhooks.list_webhooks(OPERATOR, project.id, page).items
    if found:
        return found[0]
    try:
        with _reaching_here(framework) as local:
            return local.webhooks.create_webhook(OPERATOR, project.id, NEW)[0]
    except WebhooksNotSetUp:  # the user's settings have no transport
        return None


@contextmanager
def _reaching_here(framework: Framework) -> Iterator[Framework]:
    settings, log = framework.settings, logging.getLogger("locframework_webhooks_https")
    allowed = {"allowed_networks": [NETWORK], "allowed_ports": [443, PORT]}
    https = {**settings.plugins.get("https", {}), **allowed}
    opened = replace(settings, plugins={**settings.plugins, "https": https})
    level = log.level
    log.setLevel(logging.ERROR)  # it warns of the network, which is ours for a moment
    try:
        with Framework(opened) as local:
            yield local
    finally:
        log.setLevel(level)

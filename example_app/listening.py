"""Creates a webhook in the demo project, with a log of deliveries."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from msgspec.structs import replace

from locframework import OPERATOR, Framework
from locframework.commands.webhook_receiver import HOST, Listener
from locframework.errors import WebhooksNotSetUp
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.webhooks.records import (
    DeliveryQuery,
    NewWebhook,
    Webhook,
    WebhookChanges,
)

from .certificate import certificate_for

NETWORK = "127.0.0.0/8"
TYPES = ["translation.updated", "translation.submitted", "key.created"]
ABOUT = (
    "An example, switched off: its receiver existed only while the demo was made, and "
    "was too busy at first. Give it the URL of your receiver, and switch it on."
)


class Receiver(Listener):
    """A receiver on this machine that prints nothing."""

    def __init__(self, certificate: Path) -> None:
        super().__init__(0, certificate, [], status=503, delay=0)
        self.certificate = certificate

    def show(self, lines: Sequence[str]) -> None:
        """Print nothing."""


@contextmanager
def webhook_of(framework: Framework, project: Project) -> Iterator[None]:
    """Send the events of the block to a webhook, then switch it off.

    Webhooks are sent to public addresses only. This one is sent to a temporary receiver
    on this machine, by a framework of its own that may reach loopback addresses.
    """
    with _receiver() as receiver:
        webhook = _registered(framework, project, receiver)
        yield
        if webhook is not None and webhook.is_active:
            with _reaching(framework, receiver) as local:
                _send(local, webhook, receiver)
            off = WebhookChanges(is_active=False)
            framework.webhooks.update_webhook(OPERATOR, project.id, webhook.id, off)


def _send(local: Framework, webhook: Webhook, receiver: Receiver) -> None:
    """Fail each delivery once, then replay all but the last, and send a test."""
    where = OPERATOR, webhook.project_id, webhook.id
    local.dispatcher.run_until_idle()
    receiver.status = 204
    _, *others = local.deliveries.list_deliveries(*where, DeliveryQuery()).items
    for delivery in others:
        local.deliveries.replay(*where, delivery.id)
    local.deliveries.test(*where)
    local.dispatcher.run_until_idle()


@contextmanager
def _receiver() -> Iterator[Receiver]:
    with (
        TemporaryDirectory() as folder,
        Receiver(certificate_for(HOST, Path(folder))) as receiver,
    ):
        serving = Thread(target=receiver.serve_forever, daemon=True)
        serving.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            serving.join()


def _registered(
    framework: Framework, project: Project, receiver: Receiver
) -> Webhook | None:
    """Return the webhook; create it unless an interrupted start did."""
    page, url = PageRequest(limit=1), f"{receiver.url}l10n"
    found = framework.webhooks.list_webhooks(OPERATOR, project.id, page).items
    if found and not found[0].is_active:
        return found[0]
    try:
        with _reaching(framework, receiver) as local:
            if found:
                changes = WebhookChanges(url=url)
                where = OPERATOR, project.id, found[0].id
                return local.webhooks.update_webhook(*where, changes)
            new = NewWebhook(url, TYPES, ABOUT)
            return local.webhooks.create_webhook(OPERATOR, project.id, new)[0]
    except WebhooksNotSetUp:  # the user's settings have no key
        return None


@contextmanager
def _reaching(framework: Framework, receiver: Receiver) -> Iterator[Framework]:
    settings, log = framework.settings, logging.getLogger("locframework_webhooks_https")
    https = {
        "allowed_networks": [NETWORK],
        "allowed_ports": [443, receiver.server_port],
        "ca_file": str(receiver.certificate),
    }
    opened = replace(settings, plugins={**settings.plugins, "https": https})
    level = log.level
    log.setLevel(logging.ERROR)  # it warns of every private network that is allowed
    try:
        with Framework(opened) as local:
            yield local
    finally:
        log.setLevel(level)

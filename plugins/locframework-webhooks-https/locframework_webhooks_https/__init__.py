"""Gives locframework the webhook transport ``https``: to public addresses only."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Transport

from .channel import warn_once
from .transport import HttpsSettings, HttpsTransport

__all__ = ["HttpsPlugin", "HttpsSettings", "HttpsTransport"]


class HttpsPlugin:
    """The plugin ``https``; connects to nothing until a webhook is sent."""

    settings_type: ClassVar = HttpsSettings

    def __init__(self, settings: HttpsSettings) -> None:
        self._transport = HttpsTransport(settings)
        if settings.allowed_networks:
            warn_once(
                "webhooks may be sent into %s, which anybody with webhook_manage can "
                "then reach from here: for development only",
                ", ".join(settings.allowed_networks),
            )
        if settings.allowed_ports != (443,):
            ports = ", ".join(map(str, settings.allowed_ports))
            warn_once("webhooks may be sent to the ports %s, not only to 443", ports)

    @hookimpl
    def loc_provide_transports(self) -> list[Transport]:
        """One transport, within the limits of the settings."""
        return [self._transport]

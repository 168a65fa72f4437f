"""Gives locframework the webhook transport ``https``: to public addresses only."""

from time import monotonic
from typing import ClassVar

from locframework import hookimpl
from locframework.ports import (
    KEPT_BYTES,
    Answer,
    HttpClient,
    HttpRequest,
    Lookup,
    OutgoingSettings,
    Post,
    Transport,
    warn_once,
)

__all__ = ["HttpsPlugin", "HttpsSettings", "HttpsTransport"]

RETRY_AFTER_CHARACTERS = 100


class HttpsSettings(OutgoingSettings, frozen=True, forbid_unknown_fields=True):
    """The same as OutgoingSettings, which any plugin that sends requests has."""


class HttpsTransport:
    """The port Transport over the framework's HTTP client."""

    name = "https"

    def __init__(self, settings: HttpsSettings, lookup: Lookup | None = None) -> None:
        self._client = HttpClient(settings, lookup=lookup)

    def check_url(self, url: str) -> None:
        """Raise UrlNotAllowed unless all addresses of the host are public now."""
        self._client.check_url(url)

    def send(self, post: Post) -> Answer:
        """Make one attempt. The answer has the error, if there is one."""
        began = monotonic()
        request = HttpRequest("POST", post.url, post.headers, post.body, post.seconds)
        answer = self._client.send(request)
        retry_after = answer.headers.get("retry-after")
        if retry_after is not None:
            is_plain = retry_after.isascii() and retry_after.isprintable()
            retry_after = retry_after[:RETRY_AFTER_CHARACTERS] if is_plain else None
        return Answer(
            answer.status_code,
            answer.error,
            duration_ms=round((monotonic() - began) * 1000),
            retry_after=retry_after,
            body=answer.body[:KEPT_BYTES],
        )


class HttpsPlugin:
    """The plugin ``https``; connects to nothing until a webhook is sent."""

    requires_ports: ClassVar = "1"
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

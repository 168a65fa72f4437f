"""WSGI middleware that takes a client's address and scheme from a trusted proxy."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

FORWARDED_HEADERS = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_BY",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
)


def forwarded(app: WSGIApplication, trusted_proxy: str | None) -> WSGIApplication:
    """Return ``app`` behind a proxy at the IP address ``trusted_proxy``.

    For requests of that peer ("*": of any), the last entry of X-Forwarded-For becomes
    REMOTE_ADDR, and X-Forwarded-Proto the scheme. All forwarding headers are removed.
    """

    def behind_proxy(
        environ: dict[str, Any], start_response: StartResponse
    ) -> Iterable[bytes]:
        headers = {name: environ.pop(name, "") for name in FORWARDED_HEADERS}
        peer = environ.get("REMOTE_ADDR", "")
        if trusted_proxy is not None and trusted_proxy in ("*", peer):
            if headers["HTTP_X_FORWARDED_FOR"]:
                address = client_address(headers["HTTP_X_FORWARDED_FOR"])
                environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = address
            scheme = headers["HTTP_X_FORWARDED_PROTO"].strip().lower()
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
        return app(environ, start_response)

    return behind_proxy


def client_address(forwarded_for: str) -> str:
    """Return the last entry of X-Forwarded-For as a plain IP address.

    Port and brackets are dropped, and IPv4 mapped to IPv6 becomes IPv4, so that a
    client has one rate limit. What is no address is returned as it is.
    """
    last = forwarded_for.rpartition(",")[2].strip().strip('"')
    host = last[1:].partition("]")[0] if last.startswith("[") else last
    if host.count(":") == 1:  # IPv4 with a port
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return last
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)

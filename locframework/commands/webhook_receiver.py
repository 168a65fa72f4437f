"""A webhook receiver on loopback that prints every request."""

import ssl
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Lock

import click
import msgspec
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from locframework.server import ServerError

HOST = "127.0.0.1"
MAX_BODY_BYTES = 1024 * 1024  # our events have 20 KB at most
READ_TIMEOUT_SECONDS = 30.0
INDENT = " " * 10


class Listener(ThreadingHTTPServer):
    """Prints every POST, and answers it with ``status`` after ``delay`` seconds.

    ``certificate`` is a PEM file with its key; None means no TLS. A request that none
    of ``verifiers`` accepts is answered 401; without verifiers, all are accepted.
    Raises ServerError for a port in use.
    """

    daemon_threads = True

    def __init__(
        self,
        port: int,
        certificate: Path | None,
        verifiers: Sequence[Verifier],
        *,
        status: int,
        delay: float,
    ) -> None:
        self.verifiers, self.status, self.delay = verifiers, status, delay
        self._tls = None if certificate is None else _tls_context(certificate)
        self._deliveries = Counter[str]()
        self._count_lock, self._print_lock = Lock(), Lock()
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            message = f"cannot listen on {HOST} port {port}: {error.strerror}"
            raise ServerError(message) from error

    @property
    def url(self) -> str:
        """The URL it listens at."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://{HOST}:{self.server_port}/"

    def finish_request(
        self, request: socket | tuple[bytes, socket], client_address: object
    ) -> None:
        """Do the TLS handshake in the request's thread, so that it blocks no other."""
        if self._tls is None or not isinstance(request, socket):
            super().finish_request(request, client_address)
            return
        request.settimeout(READ_TIMEOUT_SECONDS)
        try:
            channel = self._tls.wrap_socket(request, server_side=True)
        except OSError as error:
            self.show([f"{_now()}  a client failed to set up TLS: {error}"])
            return
        with channel:
            super().finish_request(channel, client_address)

    def count(self, webhook_id: str) -> int:
        """Count a delivery of the id, and return the number so far."""
        with self._count_lock:
            self._deliveries[webhook_id] += 1
            return self._deliveries[webhook_id]

    def show(self, lines: Sequence[str]) -> None:
        """Print the lines together."""
        with self._print_lock:
            click.echo("\n".join(map(_printable, lines)))


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Listener
    timeout = READ_TIMEOUT_SECONDS

    def do_POST(self) -> None:
        """Print and answer the request."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.send_error(411)
        elif int(length) > MAX_BODY_BYTES:
            self.send_error(413)
        else:
            self._respond(self.rfile.read(int(length)))

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Log nothing: the request is printed."""

    def _respond(self, body: bytes) -> None:
        server = self.server
        is_valid, verdict = _signature(server.verifiers, self.headers, body)
        status = server.status if is_valid else 401
        webhook_id = self.headers.get("webhook-id", "no webhook-id")
        count = server.count(webhook_id)
        again = "" if count == 1 else f", seen {count} times"
        time.sleep(server.delay)
        self.send_response(status)  # before printing, which may block
        self.send_header("Content-Length", "0")
        self.end_headers()
        lines = [f"{_now()}  {_type_of(body)}  {webhook_id}{again}"]
        lines += [f"{INDENT}{self.path}, {len(body)} bytes, signature {verdict}"]
        lines += [f"{INDENT}{line}" for line in _pretty(body).split("\n")]
        lines += [f"{INDENT}answered {status}"]
        server.show(lines)


class _Payload(msgspec.Struct):
    """The field that every payload has."""

    type: str


def _signature(
    verifiers: Sequence[Verifier], headers: Message, body: bytes
) -> tuple[bool, str]:
    """Return whether the signature is accepted, and the words for it."""
    if not verifiers:
        return True, "not verified: no --secret"
    fault = ""
    for verifier in verifiers:
        try:
            verifier.verify(body, dict(headers.items()), json_parse=False)
        except WebhookVerificationError as error:
            fault = str(error)
        except ValueError:
            fault = "malformed"
        else:
            return True, "good"
    return False, f"WRONG: {fault}"


def _type_of(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Payload).type
    except (msgspec.DecodeError, RecursionError):
        return "no event"


def _pretty(body: bytes) -> str:
    try:
        return msgspec.json.format(body, indent=2).decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return body.decode("utf-8", "backslashreplace")


def _printable(line: str) -> str:
    """Return the line with control characters escaped, for a terminal."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode()
        for each in line
    )


def _now() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


def _tls_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context

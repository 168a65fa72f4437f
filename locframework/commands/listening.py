"""A receiver of webhooks on loopback that shows what it gets."""

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
MOST_BYTES = 1024 * 1024  # ours have 20 KB at most
READ_SECONDS = 30.0
INDENT = " " * 10


class Listener(ThreadingHTTPServer):
    """Shows every POST, and answers it as told. Raises ServerError for a port in use.

    ``certificate`` is a PEM file with its key; without it there is no TLS. What no
    one of ``verifiers`` finds good is answered with 401; without any, nothing is
    verified.
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
        self._tls = None if certificate is None else _speaking_tls(certificate)
        self._seen = Counter[str]()
        self._counting, self._showing = Lock(), Lock()
        try:
            super().__init__((HOST, port), Visit)
        except OSError as error:
            told = f"cannot listen on {HOST} port {port}: {error.strerror}"
            raise ServerError(told) from error

    @property
    def url(self) -> str:
        """Where it listens."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://{HOST}:{self.server_port}/"

    def finish_request(
        self, request: socket | tuple[bytes, socket], client_address: object
    ) -> None:
        """Shake hands in the visitor's own thread: a slow one holds nobody up."""
        if self._tls is None or not isinstance(request, socket):
            super().finish_request(request, client_address)
            return
        request.settimeout(READ_SECONDS)
        try:
            channel = self._tls.wrap_socket(request, server_side=True)
        except OSError as error:
            self.show([f"{_now()}  a client failed to set up TLS: {error}"])
            return
        with channel:
            super().finish_request(channel, client_address)

    def seen(self, webhook_id: str) -> int:
        """How often the id has come, this time included."""
        with self._counting:
            self._seen[webhook_id] += 1
            return self._seen[webhook_id]

    def show(self, lines: Sequence[str]) -> None:
        """Print the lines together."""
        with self._showing:
            click.echo("\n".join(map(_printable, lines)))


class Visit(BaseHTTPRequestHandler):
    """One request."""

    server: Listener
    timeout = READ_SECONDS

    def do_POST(self) -> None:
        """Show it and answer it."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.send_error(411)
        elif int(length) > MOST_BYTES:
            self.send_error(413)
        else:
            self._take(self.rfile.read(int(length)))

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: what is shown says it."""

    def _take(self, body: bytes) -> None:
        server = self.server
        is_good, told = _signature(server.verifiers, self.headers, body)
        status = server.status if is_good else 401
        webhook_id = self.headers.get("webhook-id", "no webhook-id")
        times = server.seen(webhook_id)
        again = "" if times == 1 else f", seen {times} times"
        time.sleep(server.delay)
        self.send_response(status)  # first: whoever reads what is shown may be slow
        self.send_header("Content-Length", "0")
        self.end_headers()
        lines = [f"{_now()}  {_type_of(body)}  {webhook_id}{again}"]
        lines += [f"{INDENT}{self.path}, {len(body)} bytes, signature {told}"]
        lines += [f"{INDENT}{line}" for line in _pretty(body).split("\n")]
        lines += [f"{INDENT}answered {status}"]
        server.show(lines)


class _Typed(msgspec.Struct):
    """What every payload has."""

    type: str


def _signature(
    verifiers: Sequence[Verifier], headers: Message, body: bytes
) -> tuple[bool, str]:
    """Whether it may be good, and what it is found to be."""
    if not verifiers:
        return True, "not verified: no --secret"
    told = ""
    for verifier in verifiers:
        try:
            verifier.verify(body, dict(headers.items()), json_parse=False)
        except WebhookVerificationError as error:
            told = str(error)
        except ValueError:
            told = "malformed"
        else:
            return True, "good"
    return False, f"WRONG: {told}"


def _type_of(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Typed).type
    except (msgspec.DecodeError, RecursionError):
        return "no event"


def _pretty(body: bytes) -> str:
    try:
        return msgspec.json.format(body, indent=2).decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return body.decode("utf-8", "backslashreplace")


def _printable(line: str) -> str:
    """The line without what would move a terminal's cursor, or hide text."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode()
        for each in line
    )


def _now() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


def _speaking_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context

"""``locframework webhooks``: new keys, the delivery log, and a receiver on loopback."""

import ssl
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Lock

import click
import msgspec
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError
from standardwebhooks.webhooks import EmptyWebhookSecretError

from locframework.app import OPERATOR
from locframework.pagination import PageRequest
from locframework.server import ServerError
from locframework.webhooks.records import Delivery, DeliveryQuery, DeliveryStatus
from locframework.webhooks.signing import SECRET_PREFIX, new_key

from .common import Setup, choose_project, common_options, counted, reference_option

HOST = "127.0.0.1"
MAX_BODY_BYTES = 1024 * 1024  # our events have 20 KB at most
READ_TIMEOUT_SECONDS = 30.0
INDENT = " " * 10
WEBHOOKS_SHOWN = 200


class Listener(ThreadingHTTPServer):
    """Prints every POST, and answers it with ``status`` after ``delay`` seconds.

    ``tls`` None means no TLS. A request that none of ``verifiers`` accepts is answered
    401; without verifiers, all are accepted.
    """

    daemon_threads = True

    def __init__(
        self,
        port: int,
        tls: ssl.SSLContext | None,
        verifiers: Sequence[Verifier],
        status: int,
        delay: float,
    ) -> None:
        self.tls, self.verifiers = tls, verifiers
        self.status, self.delay = status, delay
        self.deliveries = Counter[str]()
        self.lock = Lock()  # of the counts and the output
        super().__init__((HOST, port), Handler)

    def finish_request(
        self, request: socket | tuple[bytes, socket], client_address: object
    ) -> None:
        """Do the TLS handshake in the request's thread, so that it blocks no other."""
        if self.tls is None or not isinstance(request, socket):
            super().finish_request(request, client_address)
            return
        request.settimeout(READ_TIMEOUT_SECONDS)
        try:
            channel = self.tls.wrap_socket(request, server_side=True)
        except OSError as error:
            click.echo(f"{_now()}  a client failed to set up TLS: {error}")
            return
        with channel:
            super().finish_request(channel, client_address)


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
        signature = self._check_signature(body)
        status = 401 if signature.startswith("WRONG") else server.status
        webhook_id = self.headers.get("webhook-id", "no webhook-id")
        with server.lock:
            server.deliveries[webhook_id] += 1
            count = server.deliveries[webhook_id]
        again = "" if count == 1 else f", seen {count} times"
        try:
            type_ = msgspec.json.decode(body, type=_Payload).type
        except (msgspec.DecodeError, RecursionError):
            type_ = "no event"
        try:
            text = msgspec.json.format(body, indent=2).decode()
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            text = body.decode("utf-8", "backslashreplace")
        lines = [f"{_now()}  {type_}  {webhook_id}{again}"]
        lines += [f"{INDENT}{self.path}, {len(body)} bytes, signature {signature}"]
        lines += [f"{INDENT}{line}" for line in text.split("\n")]
        lines += [f"{INDENT}answered {status}"]
        time.sleep(server.delay)
        self.send_response(status)  # before printing, which may block
        self.send_header("Content-Length", "0")
        self.end_headers()
        with server.lock:
            click.echo("\n".join(map(_printable, lines)))

    def _check_signature(self, body: bytes) -> str:
        """Return ``good``, or what is wrong with the signature."""
        if not self.server.verifiers:
            return "not verified: no --secret"
        fault = ""
        for verifier in self.server.verifiers:
            try:
                verifier.verify(body, dict(self.headers.items()), json_parse=False)
            except WebhookVerificationError as error:
                fault = str(error)
            except ValueError:
                fault = "malformed"
            else:
                return "good"
        return f"WRONG: {fault}"


class _Payload(msgspec.Struct):
    """The field that every payload has."""

    type: str


def _printable(line: str) -> str:
    """Return the line with control characters escaped, for a terminal."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode()
        for each in line
    )


def _now() -> str:
    return f"{datetime.now().astimezone():%H:%M:%S}"


def secret(text: str) -> Verifier:
    """Return what verifies with a signing secret. A refusal does not show the text."""
    with suppress(ValueError, EmptyWebhookSecretError):
        if text.startswith(SECRET_PREFIX):
            return Verifier(text)
    raise click.BadParameter("is not a signing secret: whsec_ and then base64")


@click.group()
def webhooks() -> None:
    """Show webhooks, as sent and as received, and make keys."""


@webhooks.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="0 picks a free port.  [0]"
)
@click.option(
    "--secret",
    "verifiers",
    type=secret,
    multiple=True,
    envvar="WEBHOOK_SECRET",
    show_envvar=True,
    metavar="whsec_…",
    help="Verify signatures with it; may be given several times.",
)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Use TLS, with the certificate and its key in this PEM file.",
)
@click.option(
    "--status",
    type=click.IntRange(200, 599),
    default=204,
    show_default=True,
    help="The status to answer with.",
)
@click.option(
    "--delay",
    type=click.FloatRange(0, 3600),
    default=0.0,
    metavar="SECONDS",
    help="How long to wait before each answer.",
)
@common_options
def listen(
    port: int,
    verifiers: tuple[Verifier, ...],
    certificate: Path | None,
    status: int,
    delay: float,
) -> None:
    """Receive webhooks on 127.0.0.1 and show them.

    For trying out webhooks, and for developing a receiver. Each webhook is shown with
    its id, time, signature and payload. The answer is --status, or 401 if the
    signature is wrong. It needs no settings and no database. Ctrl-C ends it.

    The service sends webhooks over https only. To receive those of a service on this
    machine, give --certificate, and set allowed_networks, allowed_ports and ca_file in
    its [plugins.https], so that it may reach 127.0.0.1.

    \b
    Examples:
      locframework webhooks listen --port 9000
      WEBHOOK_SECRET=whsec_… locframework webhooks listen --certificate dev.pem
      locframework webhooks listen --status 500 --delay 30
    """
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            tls.load_cert_chain(certificate)
        except ssl.SSLError as error:
            message = f"{certificate}: holds no certificate with its key"
            raise click.BadParameter(message, param_hint="--certificate") from error
    try:
        listener = Listener(port, tls, verifiers, status, delay)
    except OSError as error:
        message = f"cannot listen on {HOST} port {port}: {error.strerror}"
        raise ServerError(message) from error
    with listener, suppress(KeyboardInterrupt):
        url = f"http{'s' if tls else ''}://{HOST}:{listener.server_port}/"
        click.echo(f"listening at {url} (any path); Ctrl-C ends it")
        listener.serve_forever()


@webhooks.command("new-key")
def new_key_command() -> None:
    """Print a new key for the setting webhooks.secret_key.

    Signing secrets are stored encrypted with it. Keep it as you keep the password of
    the database, and apart from its backups. Without it no webhook can be signed.

    \b
    Example:
      (umask 077; locframework webhooks new-key > webhooks.key)
      export LOCFRAMEWORK_WEBHOOKS__SECRET_KEY=$(cat webhooks.key)
      locframework serve
    """
    click.echo(new_key())


@webhooks.command()
@reference_option("project")
@click.option(
    "--webhook", "webhook_id", metavar="ID", help="Only those of this webhook."
)
@click.option(
    "--status",
    type=click.Choice(["pending", "succeeded", "failed"]),
    help="Only those with this status.",
)
@click.option(
    "--type",
    "event_type",
    metavar="TYPE",
    help="Only those of this type, such as key.created.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 200),
    default=20,
    help="How many of each webhook.  [20]",
)
@common_options
@click.pass_obj
def deliveries(
    setup: Setup,
    reference: str | None,
    webhook_id: str | None,
    status: DeliveryStatus | None,
    event_type: str | None,
    limit: int,
) -> None:
    """Show what was sent to the webhooks of a project, newest first.

    Deliveries are kept for 30 days.

    \b
    Examples:
      locframework webhooks deliveries
      locframework webhooks deliveries --project web-shop-01a1fd83-… --status failed
    """
    query = DeliveryQuery(limit=limit, status=status, event_type=event_type)
    with setup.framework() as framework:
        project = choose_project(framework, reference)
        if webhook_id is not None:
            found = [framework.webhooks.get_webhook(OPERATOR, project, webhook_id)]
        else:
            page = PageRequest(limit=WEBHOOKS_SHOWN)
            found = framework.webhooks.list_webhooks(OPERATOR, project, page).items
        for webhook in found:
            log = framework.deliveries.list_deliveries(
                OPERATOR, project, webhook.id, query
            )
            state = "active" if webhook.is_active else f"off: {webhook.disabled_reason}"
            click.echo(f"{webhook.url}  {webhook.id}  {state}")
            for delivery in log.items:
                click.echo(f"  {_line_of(delivery)}")
            if log.total > len(log.items):
                click.echo(f"  … and {log.total - len(log.items)} more")
            if not log.items:
                click.echo("  nothing was sent")


def _line_of(delivery: Delivery) -> str:
    outcome = counted(len(delivery.attempts), "attempt")
    if delivery.attempts:
        last = delivery.attempts[-1]
        outcome += f", {last.error or last.status_code or 'no answer yet'}"
        if last.duration_ms is not None:
            outcome += f" in {last.duration_ms} ms"
    if delivery.next_attempt_at is not None:
        outcome += f", next {delivery.next_attempt_at}"
    parts = (delivery.created_at, f"{delivery.status:9}", f"{delivery.event_type:22}")
    return "  ".join((*parts, outcome, delivery.id))

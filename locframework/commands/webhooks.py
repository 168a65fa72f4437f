"""The commands ``locframework webhooks``: listen, deliveries and new-key."""

import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import EmptyWebhookSecretError

from locframework.app import OPERATOR, Framework
from locframework.pagination import PageRequest
from locframework.webhooks.records import (
    Delivery,
    DeliveryQuery,
    DeliveryStatus,
    Webhook,
)
from locframework.webhooks.signing import SECRET_PREFIX, new_key

from .errors import counted
from .options import Setup, chosen_project, common_options, project_option
from .webhook_receiver import Listener

NO_SECRET = "is not a signing secret: whsec_ and then base64"


class Secret(click.ParamType[Verifier]):
    """A signing secret, as the creation of a webhook shows it."""

    name = "whsec_…"

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Verifier:
        """What verifies with it. The text is not told: it would be in a log."""
        text = str(value)
        if not text.startswith(SECRET_PREFIX):
            self.fail(NO_SECRET, param, ctx)
        try:
            return Verifier(text)
        except (ValueError, EmptyWebhookSecretError):
            self.fail(NO_SECRET, param, ctx)


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
    type=Secret(),
    multiple=True,
    envvar="WEBHOOK_SECRET",
    show_envvar=True,
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
    listener = _open(port, certificate, verifiers, status, delay)
    with listener, suppress(KeyboardInterrupt):
        click.echo(f"listening at {listener.url} (any path); Ctrl-C ends it")
        listener.serve_forever()


def _open(
    port: int,
    certificate: Path | None,
    verifiers: tuple[Verifier, ...],
    status: int,
    delay: float,
) -> Listener:
    try:
        return Listener(port, certificate, verifiers, status=status, delay=delay)
    except ssl.SSLError as error:
        told = f"{certificate}: holds no certificate with its key"
        raise click.BadParameter(told, param_hint="--certificate") from error


WEBHOOKS_AT_ONCE = 200


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
@project_option
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
        project = chosen_project(framework, reference)
        for webhook in _webhooks(framework, project, webhook_id):
            page = framework.deliveries.list_deliveries(
                OPERATOR, project, webhook.id, query
            )
            state = "active" if webhook.is_active else f"off: {webhook.disabled_reason}"
            click.echo(f"{webhook.url}  {webhook.id}  {state}")
            for delivery in page.items:
                click.echo(f"  {_line(delivery)}")
            if page.total > len(page.items):
                click.echo(f"  … and {page.total - len(page.items)} more")
            if not page.items:
                click.echo("  nothing was sent")


def _webhooks(
    framework: Framework, project: str, webhook_id: str | None
) -> Iterator[Webhook]:
    if webhook_id is not None:
        yield framework.webhooks.get_webhook(OPERATOR, project, webhook_id)
        return
    page = PageRequest(limit=WEBHOOKS_AT_ONCE)
    yield from framework.webhooks.list_webhooks(OPERATOR, project, page).items


def _line(delivery: Delivery) -> str:
    told = [counted(len(delivery.attempts), "attempt")]
    if delivery.attempts:
        last = delivery.attempts[-1]
        came = last.error or last.status_code or "no answer yet"
        took = "" if last.duration_ms is None else f" in {last.duration_ms} ms"
        told.append(f"{came}{took}")
    if delivery.next_attempt_at is not None:
        told.append(f"next {delivery.next_attempt_at}")
    outcome = ", ".join(told)
    parts = (delivery.created_at, f"{delivery.status:9}", f"{delivery.event_type:22}")
    return "  ".join((*parts, outcome, delivery.id))

"""``locframework webhooks``: what is sent, as its receiver sees it."""

import ssl
from contextlib import suppress
from pathlib import Path

import click
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import EmptyWebhookSecretError

from locframework.webhooks.signing import SECRET_PREFIX

from .listening import Listener
from .options import common_options

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

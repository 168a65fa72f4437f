"""``locframework webhooks``: new keys, and the delivery log."""

from typing import Any

import click

from locframework.app import OPERATOR
from locframework.pagination import PageRequest
from locframework.webhooks.records import Delivery, DeliveryQuery
from locframework.webhooks.signing import new_key

from .common import Setup, choose_project, common_options, counted, reference_option

WEBHOOKS_SHOWN = 200


@click.group()
def webhooks() -> None:
    """Show what was sent to webhooks, and make keys."""


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
    /,
    reference: str | None,
    webhook_id: str | None,
    **given: Any,  # fields of DeliveryQuery
) -> None:
    """Show what was sent to the webhooks of a project, newest first.

    Deliveries are kept for 30 days.

    \b
    Examples:
      locframework webhooks deliveries
      locframework webhooks deliveries --project web-shop-01a1fd83-… --status failed
    """
    query = DeliveryQuery(**given)
    with setup.framework() as framework:
        project = choose_project(framework, reference)
        if webhook_id is not None:
            found = [framework.webhooks.get_webhook(OPERATOR, project, webhook_id)]
        else:
            page = PageRequest(limit=WEBHOOKS_SHOWN)
            found = framework.webhooks.list_webhooks(OPERATOR, project, page).items
        for webhook in found:
            log = framework.webhooks.list_deliveries(
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

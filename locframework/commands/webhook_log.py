"""``locframework webhooks deliveries`` and ``new-key``: what its operator asks."""

from collections.abc import Iterator

import click

from locframework.app import OPERATOR, Framework
from locframework.pagination import PageRequest
from locframework.webhooks.records import (
    Delivery,
    DeliveryQuery,
    DeliveryStatus,
    Webhook,
)
from locframework.webhooks.signing import new_key

from .choosing import chosen_project, project_option
from .options import Setup, common_options
from .telling import counted
from .webhooks import webhooks as webhooks

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

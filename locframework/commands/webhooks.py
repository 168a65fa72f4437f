"""``locframework webhooks``: new keys, and the delivery log."""

from functools import partial
from typing import Any

import click

from locframework.app import OPERATOR
from locframework.pagination import all_pages
from locframework.webhooks.records import Delivery, DeliveryQuery
from locframework.webhooks.signing import new_key

from .common import (
    PROJECT,
    CommandFailed,
    Setup,
    common_options,
    counted,
    json_option,
    reference_option,
)


@click.group()
def webhooks() -> None:
    """Show what was sent to webhooks, and make keys."""


@webhooks.command("new-key")
@json_option
@click.pass_obj
def new_key_command(setup: Setup) -> None:
    """Print a new key for the setting webhooks.secret_key.

    Signing secrets are stored encrypted with it. Keep it as you keep the password of
    the database, and apart from its backups. Without it no webhook can be signed.

    \b
    Example:
      (umask 077; locframework webhooks new-key > webhooks.key)
      export LOCFRAMEWORK_WEBHOOKS__SECRET_KEY=$(cat webhooks.key)
      locframework serve
    """
    key = new_key()
    setup.say(key)
    setup.show({"key": key})


@webhooks.command()
@reference_option("project")
@click.option(
    "--webhook",
    "wanted",
    metavar="WEBHOOK",
    help="Only those of this webhook, by id or URL.",
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
@json_option
@common_options
@click.pass_obj
def deliveries(
    setup: Setup,
    /,
    reference: str | None,
    wanted: str | None,
    **given: Any,  # fields of DeliveryQuery
) -> None:
    """Show what was sent to the webhooks of a project, newest first.

    Deliveries are kept for 30 days.

    \b
    Examples:
      locframework webhooks deliveries
      locframework webhooks deliveries --project web-shop --status failed
    """
    query = DeliveryQuery(**given)
    with setup.framework() as framework:
        project = PROJECT.choose(framework, reference).id
        list_page = partial(framework.webhooks.list_webhooks, OPERATOR, project)
        found = list(all_pages(list_page))
        if wanted is not None:
            known, found = found, [e for e in found if wanted in (e.id, e.url)]
            if len(found) != 1:
                there = ", ".join(f"{e.id} ({e.url})" for e in found or known) or "none"
                raise CommandFailed(
                    f"{wanted!r} is not one webhook; there are: {there}"
                )
        logs: list[dict[str, object]] = []
        for webhook in found:
            log = framework.webhooks.list_deliveries(
                OPERATOR, project, webhook.id, query
            )
            logs.append({"webhook": webhook, "deliveries": log})
            state = "active" if webhook.is_active else f"off: {webhook.disabled_reason}"
            setup.say(f"{webhook.url}  {webhook.id}  {state}")
            for delivery in log.items:
                setup.say(f"  {_line_of(delivery)}")
            if log.total > len(log.items):
                setup.say(f"  … and {log.total - len(log.items)} more")
            if not log.items:
                setup.say("  nothing was sent")
        setup.show({"items": logs})


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

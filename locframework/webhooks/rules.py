"""Rules of webhooks: subscriptions, retries, health and rotation of secrets."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from locframework.branches.records import MAIN
from locframework.events import Event
from locframework.fields import parse_timestamp, timestamp
from locframework.outgoing.client import read_retry_after

from .records import (
    AttemptOutcome,
    ClaimedDelivery,
    DeliveryAttempt,
    DeliveryStatus,
    SealedSecret,
    WaitingWebhook,
    Webhook,
    WebhookHealth,
)

RETRY_AFTER = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
)
"""Waits after the first to fifth failure (service.md, Events 4; decisions 2.7)."""

TRIES_LIMIT = len(RETRY_AFTER) + 1

SHARE_LEAST, SHARE_MOST = 0.8, 1.0  # of a wait; the share is drawn at random
GONE = 410

FAILING_AFTER = timedelta(days=5)  # without a success …
FAILING_SPAN = timedelta(hours=12)  # … and with failures over so long (decisions 2.7)

PER_WEBHOOK_LIMIT = 4  # deliveries at once: none may delay the others
PER_FAILING_LIMIT = 1  # to one whose latest attempt failed

OLD_SECRET_SIGNS = timedelta(hours=24)  # after a rotation (decisions 2.7)
SECRETS_LIMIT = 5  # that sign at once

ALL_BRANCHES = "*"


def items_for(webhook: Webhook, event: Event) -> Sequence[Mapping[str, object]]:
    """Return the items of the event that the webhook subscribes to, by their language
    if any."""
    branches = (MAIN,) if webhook.branches is None else webhook.branches
    is_of_branch = ALL_BRANCHES in branches or (event.branch or MAIN) in branches
    if (
        not webhook.is_active
        or event.project_id != webhook.project_id
        or event.type not in webhook.event_types
        or not is_of_branch
    ):
        return ()
    wanted = webhook.language_codes
    if wanted is None:
        return event.items
    return [
        item for item in event.items if item.get("languageCode", wanted[0]) in wanted
    ]


def next_attempt(
    tries: int, at: datetime, share: float, retry_after: timedelta | None = None
) -> datetime | None:
    """Return when to try a delivery again, or None when the tries are used up.

    ``tries`` counts the attempts so far, the first one included: 1 to 6. ``share`` is
    0.8 to 1.0 of the planned wait; ``retry_after``, what the receiver asked for, may
    lengthen the wait up to twice the plan.
    """
    if tries > len(RETRY_AFTER):
        return None
    plan = RETRY_AFTER[tries - 1]
    wait = plan * share
    if retry_after is not None:
        wait = max(wait, min(retry_after, 2 * plan))
    return at + wait


def outcome_of(
    claimed: ClaimedDelivery,
    attempt: DeliveryAttempt,
    url: str,
    at: datetime,
    share: float,
    retry_after: str | None = None,
) -> AttemptOutcome:
    """Return the outcome of an attempt to send to ``url`` that ended ``at``. Only 2xx
    succeeds. After a failed replay or test, the plan goes on where it was."""
    code = attempt.status_code
    if code is not None and 200 <= code < 300:
        return AttemptOutcome(claimed, attempt, "succeeded", None, url)
    next_at = claimed.planned_at
    if claimed.trigger == "auto":
        asked = read_retry_after(retry_after, at)
        found = next_attempt(claimed.tries, at, share, asked)
        next_at = None if found is None else timestamp(found)
    status: DeliveryStatus = "failed" if next_at is None else "pending"
    return AttemptOutcome(claimed, attempt, status, next_at, url)


def is_worn_out(claimed: ClaimedDelivery) -> bool:
    """Return whether a delivery was claimed more often than the plan has tries, or six
    times in a row for a test or replay: it may kill its process."""
    if claimed.trigger == "auto":
        return claimed.tries > TRIES_LIMIT
    return claimed.lost >= TRIES_LIMIT


def health_after(
    health: WebhookHealth, delivery_id: str, at: str, *, succeeded: bool
) -> WebhookHealth:
    """Return the health after an attempt. A success resets all failures."""
    if succeeded:
        return WebhookHealth(good_at=at)
    if health.failing_since is None:
        return replace(
            health, failing_since=at, failed_at=at, failed_delivery=delivery_id
        )
    others = health.failed_others or health.failed_delivery != delivery_id
    return replace(health, failed_at=at, failed_others=others)


def is_failing(health: WebhookHealth) -> bool:
    """Return whether an endpoint is to be disabled: no success for 5 days, and failures
    of two events over 12 hours (decisions 2.7)."""
    since, failed_at = health.failing_since, health.failed_at
    if since is None or failed_at is None or not health.failed_others:
        return False
    latest = parse_timestamp(failed_at)
    return (
        latest - parse_timestamp(health.good_at) >= FAILING_AFTER
        and latest - parse_timestamp(since) >= FAILING_SPAN
    )


def deal(
    free: int,
    waiting: Sequence[WaitingWebhook],
    at_work: Mapping[str, int],
    turns: Mapping[str, int],
) -> dict[str, int]:
    """Return how many deliveries to take of each webhook, ``free`` in all at most. One
    each in turn, beginning with whose turn is longest ago: ``turns`` has a number that
    grows. ``at_work``: deliveries of each that are being sent."""
    rest = {
        each.webhook_id: min(
            each.due,
            (PER_FAILING_LIMIT if each.is_failing else PER_WEBHOOK_LIMIT)
            - at_work.get(each.webhook_id, 0),
        )
        for each in sorted(waiting, key=lambda one: turns.get(one.webhook_id, 0))
    }
    dealt: dict[str, int] = {}
    while free > 0 and any(count > 0 for count in rest.values()):
        for webhook_id, count in rest.items():
            if count > 0 and free > 0:
                dealt[webhook_id] = dealt.get(webhook_id, 0) + 1
                rest[webhook_id] -= 1
                free -= 1
    return dealt


def rotated(
    secrets: Sequence[SealedSecret], new: SealedSecret, at: datetime
) -> tuple[SealedSecret, ...]:
    """Put the new secret first; old ones sign for 24 hours more, at most 5 in all."""
    until = timestamp(at + OLD_SECRET_SIGNS)
    old = [
        replace(each, signs_until=min(each.signs_until or until, until))
        for each in live(secrets, at)
    ]
    return (new, *old[: SECRETS_LIMIT - 1])


def live(secrets: Sequence[SealedSecret], at: datetime) -> list[SealedSecret]:
    """Return the secrets that sign: the current one, and old ones until they expire."""
    now = timestamp(at)
    return [
        each for each in secrets if each.signs_until is None or each.signs_until > now
    ]

"""Who hears of what, when a delivery is tried again, and who is switched off."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.events import SYSTEM, Event
from locframework.fields import parse_timestamp, timestamp
from locframework.outgoing.client import read_retry_after
from locframework.webhooks.records import (
    ClaimedDelivery,
    DeliveryAttempt,
    SealedSecret,
    WaitingWebhook,
    Webhook,
    WebhookHealth,
)
from locframework.webhooks.rules import (
    deal,
    health_after,
    is_failing,
    is_worn_out,
    items_for,
    live,
    next_attempt,
    outcome_of,
    rotated,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
PLAN = (5, 300, 1800, 7200, 18000)  # seconds


def webhook(**changes):
    fields = {
        "id": "w1",
        "project_id": "p1",
        "url": "https://x.example",
        "description": "",
        "event_types": ("key.created",),
        "language_codes": None,
        "branches": None,
        "is_active": True,
        "disabled_reason": None,
        "created_at": timestamp(NOW),
        "updated_at": timestamp(NOW),
        "last_delivery_at": None,
    }
    return Webhook(**{**fields, **changes})


def event(type_="key.created", branch=None, *items):
    found = items or ({"keyId": "k"},)
    return Event("e1", type_, "o1", "p1", branch, SYSTEM, found, timestamp(NOW))


def claimed(**changes):
    fields = {
        "id": "msg_1",
        "webhook_id": "w1",
        "project_id": "p1",
        "event_type": "key.created",
        "payload": "{}",
        "created_at": timestamp(NOW),
        "number": 1,
        "trigger": "auto",
        "tries": 1,
        "planned_at": None,
    }
    return ClaimedDelivery(**{**fields, **changes})


@pytest.mark.parametrize(
    ("branches", "branch", "is_sent"),
    [
        (None, None, True),
        (None, "spring", False),
        (("main",), None, True),
        (("main",), "spring", False),
        (("spring",), "spring", True),
        (("spring",), None, False),
        (("spring", "main"), None, True),
        (("*",), None, True),
        (("*",), "spring", True),
    ],
)
def test_a_webhook_gets_the_events_of_its_branches(branches, branch, is_sent):
    found = items_for(webhook(branches=branches), event(branch=branch))

    assert bool(found) is is_sent


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [0, 1, 2]),
        ({"language_codes": ("de", "nl")}, [0, 2]),
        ({"language_codes": ("nl",)}, [2]),  # an item without a language passes
        ({"event_types": ("key.deleted",)}, []),
        ({"is_active": False}, []),
        ({"project_id": "p2"}, []),
    ],
)
def test_a_webhook_gets_the_items_of_its_types_and_languages(changes, expected):
    items = [{"languageCode": "de"}, {"languageCode": "fr"}, {"keyId": "k"}]
    found = items_for(webhook(**changes), event("key.created", None, *items))

    assert list(found) == [items[at] for at in expected]


@pytest.mark.parametrize(
    ("tries", "share", "asked", "wait"),
    [
        *((tries, 1.0, None, plan) for tries, plan in enumerate(PLAN, 1)),
        (1, 0.8, None, 4),
        (5, 0.8, None, 4 * 3600),
        (6, 1.0, None, None),
        # Retry-After may lengthen the wait up to twice the plan
        (2, 1.0, 0, 300),
        (2, 1.0, 299, 300),
        (2, 1.0, 450, 450),
        (2, 1.0, 864000, 600),
        (1, 0.8, 1, 4),
        (1, 0.8, 9, 9),
        (1, 0.8, 11, 10),
    ],
)
def test_a_retry_follows_the_plan(tries, share, asked, wait):
    retry_after = None if asked is None else timedelta(seconds=asked)
    expected = None if wait is None else NOW + timedelta(seconds=wait)

    assert next_attempt(tries, NOW, share, retry_after) == expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0),
        (" 10 ", 10),
        ("864000", 864000),
        ("9" * 100, 10**8),
        ("-1", None),
        ("1.5", None),
        ("１０", None),
        ("soon", None),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30),
        ("Sat, 21 Nov 2026 12:00:30 -0000", 30),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0),
        ("Sat, 99 Nov 2026 11:00:00 GMT", None),
        ("\0", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_garbage_is_none(header, seconds):
    wanted = None if seconds is None else timedelta(seconds=seconds)

    assert read_retry_after(header, NOW) == wanted


@given(st.text(max_size=100))
def test_no_retry_after_makes_trouble(header):
    found = read_retry_after(header, NOW)

    assert found is None or found >= timedelta(0)


def outcome(code, **changes):
    """The status and the next attempt after an answer, without randomness."""
    attempt = DeliveryAttempt(1, timestamp(NOW), "auto", code, None, 5, "")
    found = outcome_of(claimed(**changes), attempt, "https://x.example", NOW, 1.0, "9")
    return found.status, found.next_at


def in_(wait):
    return timestamp(NOW + wait)


@pytest.mark.parametrize(
    ("code", "changes", "expected"),
    [
        *((code, {}, ("succeeded", None)) for code in (200, 201, 204, 299)),
        *(
            (code, {}, ("pending", in_(9 * SECOND)))
            for code in (100, 199, 300, 301, 308, 400, 404, 410, 429, 500, 503, None)
        ),
        (None, {"tries": 5}, ("pending", in_(5 * HOUR))),
        (500, {"tries": 6}, ("failed", None)),
        (
            500,
            {"trigger": "replay", "tries": 2, "planned_at": in_(HOUR)},
            ("pending", in_(HOUR)),
        ),
        (500, {"trigger": "replay", "tries": 6}, ("failed", None)),
    ],
)
def test_only_2xx_succeeds_and_other_attempts_follow_the_plan(code, changes, expected):
    assert outcome(code, **changes) == expected


def test_what_was_claimed_more_often_than_the_plan_has_tries_is_worn_out():
    assert not is_worn_out(claimed(tries=6))
    assert is_worn_out(claimed(tries=7))
    assert not is_worn_out(claimed(tries=9, trigger="replay", lost=5))
    assert is_worn_out(claimed(trigger="replay", lost=6))
    assert is_worn_out(claimed(trigger="test", lost=6))


def ill(*failures, good=NOW):
    health = WebhookHealth(good_at=timestamp(good))
    for delivery_id, at in failures:
        health = health_after(health, delivery_id, timestamp(at), succeeded=False)
    return health


def test_five_days_without_success_and_two_events_over_twelve_hours_are_failing():
    late = NOW + 5 * DAY

    assert is_failing(ill(("m1", late - 12 * HOUR), ("m2", late)))
    assert not is_failing(ill(("m1", late - 12 * HOUR), ("m1", late)))
    assert not is_failing(ill(("m1", late - 11 * HOUR), ("m2", late)))
    assert not is_failing(ill(("m1", NOW), ("m2", late - HOUR)))
    assert not is_failing(ill(("m1", late)))


def due(id_, count=4, *, fails=False):
    return WaitingWebhook(id_, count, fails)


def test_webhooks_are_served_in_turn():
    assert deal(3, [due("a"), due("b")], {}, {"a": 7, "b": 3}) == {"b": 2, "a": 1}
    assert deal(9, [due("a", 1), due("b")], {}, {}) == {"a": 1, "b": 4}
    assert deal(0, [due("a")], {}, {}) == {}


def test_a_webhook_has_four_at_once_and_a_failing_one_has_one():
    assert deal(99, [due("a", 4)], {"a": 3}, {}) == {"a": 1}
    assert deal(99, [due("a", 4)], {"a": 4}, {}) == {}
    assert deal(99, [due("a", 4, fails=True)], {}, {}) == {"a": 1}
    assert deal(99, [due("a", 4, fails=True)], {"a": 2}, {}) == {}


def sealed(name, until=None):
    return SealedSecret("k", name, None if until is None else timestamp(until))


def test_an_old_secret_signs_for_a_day_more():
    first = rotated([sealed("a")], sealed("b"), NOW)
    second = rotated(first, sealed("c"), NOW + HOUR)

    assert [each.sealed for each in second] == ["c", "b", "a"]
    assert [
        each.signs_until and parse_timestamp(each.signs_until) for each in second
    ] == [None, NOW + 25 * HOUR, NOW + 24 * HOUR]
    assert [each.sealed for each in live(second, NOW + 24 * HOUR)] == ["c", "b"]
    assert [each.sealed for each in live(second, NOW + 25 * HOUR)] == ["c"]


def test_no_more_than_five_secrets_sign():
    secrets = [sealed("0")]
    for number in range(1, 9):
        secrets = rotated(secrets, sealed(str(number)), NOW)

    assert [each.sealed for each in secrets] == ["8", "7", "6", "5", "4"]

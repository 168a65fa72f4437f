"""Times as every record spells them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.clock import given_moment, moment, system_clock, timestamp
from locframework.errors import ValidationFailed

AWARE = st.datetimes(timezones=st.just(UTC)).filter(lambda at: at.year >= 1000)


def test_a_time_is_utc_with_milliseconds_and_z() -> None:
    at = datetime(2026, 11, 21, 8, 45, 29, 123456, UTC)

    assert timestamp(at) == "2026-11-21T08:45:29.123Z"


def test_whole_seconds_have_their_milliseconds_too() -> None:
    assert timestamp(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00.000Z"


@pytest.mark.parametrize("hours", [-12, -5.5, 1, 14])
def test_another_zone_is_turned_into_utc(hours: float) -> None:
    at = datetime(2026, 6, 1, 12, tzinfo=UTC)

    there = at.astimezone(timezone(timedelta(hours=hours)))

    assert timestamp(there) == timestamp(at)


def test_the_system_clock_is_aware_and_now() -> None:
    now = system_clock()

    assert now.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=5)


@pytest.mark.parametrize(
    ("given_as", "path", "is_told"),
    [
        ("2026-01-01T00:00:00 02:00", "query.since", True),
        ("2026-01-01T00:00 0200", "query.updatedSince", True),
        ("2026-01-01T00:00:00 02:00", "$.since", False),
        ("new year", "query.since", False),
    ],
)
def test_a_zone_whose_plus_a_query_has_lost_is_told_how_to_send_it(
    given_as: str, path: str, is_told: bool
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        given_moment(given_as, path)

    assert "is not an ISO 8601 date" in refused.value.message
    assert ("%2B" in refused.value.message) is is_told


@given(AWARE)
def test_a_time_read_back_is_the_same_millisecond(at: datetime) -> None:
    read = moment(timestamp(at))

    assert read.utcoffset() == timedelta(0)
    assert timedelta(0) <= at - read < timedelta(milliseconds=1)
    assert timestamp(read) == timestamp(at)


@given(AWARE, AWARE)
def test_as_text_times_sort_as_they_happened(one: datetime, other: datetime) -> None:
    if timestamp(one) < timestamp(other):
        assert one < other

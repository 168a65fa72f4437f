"""Times as every record spells them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.clock import moment, system_clock, timestamp

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

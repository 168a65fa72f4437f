"""Identifiers, slugs and timestamps."""

import time
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import ValidationFailed
from locframework.fields import (
    SLUG_NAME_LENGTH,
    id_from_reference,
    is_id,
    new_id,
    parse_given_time,
    parse_timestamp,
    slug,
    system_clock,
    timestamp,
)

ID = "01a1fd83-846d-748b-82ee-b31324cf0e63"


def test_an_id_is_a_uuid_of_version_7():
    id_ = new_id()

    assert UUID(id_).version == 7
    assert UUID(id_).variant == "specified in RFC 4122"
    assert is_id(id_)


def test_an_id_begins_with_the_time_it_was_made():
    before = time.time_ns() // 1_000_000
    id_ = new_id()
    after = time.time_ns() // 1_000_000

    assert before <= UUID(id_).int >> 80 <= after


def test_ids_made_within_a_millisecond_keep_their_order():
    ids = []
    for _ in range(500):
        ids.append(new_id())
        time.sleep(0.000_001)

    assert ids == sorted(ids)
    assert len({*ids, *(new_id() for _ in range(10_000))}) == 10_500


@pytest.mark.parametrize(
    "text",
    [
        "",
        ID.upper(),
        ID.replace("-", ""),
        f"{{{ID}}}",
        f" {ID}",
        f"{ID}\n",
        ID[:-1],
        f"{ID}0",
        ID.replace("0", "०"),
        ID.replace("-", "_"),
    ],
)
def test_only_a_lower_case_hyphenated_uuid_is_an_id(text):
    assert not is_id(text)
    assert id_from_reference(text) is None


def test_a_path_segment_ends_in_its_id():
    assert is_id("00000000-0000-0000-0000-000000000000")  # of any version
    assert id_from_reference(ID) == ID
    assert id_from_reference(f"web-shop-{ID}") == ID
    assert id_from_reference(f"renamed-since-{ID}") == ID
    assert id_from_reference(f"-{ID}") == ID


@pytest.mark.parametrize("before", ["x", "web-shop", "0", ID])
def test_what_stands_before_the_id_ends_with_a_hyphen(before):
    assert id_from_reference(f"{before}{ID}") is None


@pytest.mark.parametrize(
    ("name", "kebab"),
    [
        ("Web shop", "web-shop"),
        ("  Café & Crème!  ", "cafe-creme"),
        ("snake_case", "snake-case"),
        ("ﬁne ①", "fine-1"),
        ("a" * 59 + " bc", "a" * 59),
        ("Ünïcödé", "unicode"),
    ],
)
def test_a_slug_is_the_kebab_of_the_name(name, kebab):
    assert slug(name, ID) == f"{kebab}-{ID}"


@pytest.mark.parametrize("name", ["日本語", "—", "   ", "🎉"])
def test_a_name_without_ascii_letters_gives_the_bare_id(name):
    assert slug(name, ID) == ID


@given(st.text(max_size=300))
def test_every_slug_leads_back_to_its_id(name):
    made = slug(name, ID)

    assert id_from_reference(made) == ID
    assert len(made) <= SLUG_NAME_LENGTH + 1 + len(ID)
    assert made.isascii()
    assert made == made.lower()


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text):
    found = id_from_reference(text)

    assert found is None or text.endswith(found)


AWARE = st.datetimes(timezones=st.just(UTC)).filter(lambda at: at.year >= 1000)


def test_a_time_is_utc_with_milliseconds_and_z():
    at = datetime(2026, 11, 21, 8, 45, 29, 123456, UTC)

    assert timestamp(at) == "2026-11-21T08:45:29.123Z"
    assert timestamp(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00.000Z"
    assert system_clock().utcoffset() == timedelta(0)


@pytest.mark.parametrize("hours", [-12, -5.5, 1, 14])
def test_another_zone_is_turned_into_utc(hours):
    at = datetime(2026, 6, 1, 12, tzinfo=UTC)

    there = at.astimezone(timezone(timedelta(hours=hours)))

    assert timestamp(there) == timestamp(at)


@pytest.mark.parametrize(
    ("given_as", "path", "is_named"),
    [
        ("2026-01-01T00:00:00 02:00", "query.since", True),
        ("2026-01-01T00:00 0200", "query.updatedSince", True),
        ("2026-01-01T00:00:00 02:00", "$.since", False),
        ("new year", "query.since", False),
    ],
)
def test_a_zone_whose_plus_a_query_has_lost_is_told_how_to_send_it(
    given_as, path, is_named
):
    with pytest.raises(ValidationFailed) as refused:
        parse_given_time(given_as, path)

    assert "is not an ISO 8601 date" in refused.value.message
    assert ("%2B" in refused.value.message) is is_named


@given(AWARE)
def test_a_time_read_back_is_the_same_millisecond(at):
    read = parse_timestamp(timestamp(at))

    assert read.utcoffset() == timedelta(0)
    assert timedelta(0) <= at - read < timedelta(milliseconds=1)
    assert timestamp(read) == timestamp(at)


@given(AWARE, AWARE)
def test_as_text_times_sort_as_they_happened(one, other):
    if timestamp(one) < timestamp(other):
        assert one < other

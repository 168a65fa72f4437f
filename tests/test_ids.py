"""Identifiers and slugs: made, recognised, and read from paths."""

import time
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.ids import SLUG_NAME_LENGTH, id_in, is_id, new_id, slug

ID = "01a1fd83-846d-748b-82ee-b31324cf0e63"


def test_an_id_is_a_uuid_of_version_7() -> None:
    id_ = new_id()

    assert UUID(id_).version == 7
    assert UUID(id_).variant == "specified in RFC 4122"
    assert is_id(id_)


def test_an_id_begins_with_the_time_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    id_ = new_id()
    after = time.time_ns() // 1_000_000

    assert before <= UUID(id_).int >> 80 <= after


def test_later_ids_sort_after_earlier_ones() -> None:
    ids = []
    for _ in range(5):
        ids.append(new_id())
        time.sleep(0.002)

    assert ids == sorted(ids)


def test_ids_made_within_a_millisecond_keep_their_order() -> None:
    ids = []
    for _ in range(500):
        ids.append(new_id())
        time.sleep(0.000_001)

    assert ids == sorted(ids)


def test_no_two_ids_are_the_same() -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000


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
def test_only_a_lower_case_hyphenated_uuid_is_an_id(text: str) -> None:
    assert not is_id(text)
    assert id_in(text) is None


def test_any_version_of_uuid_is_an_id() -> None:
    """Only the form is judged; whether it exists, the store knows."""
    assert is_id("00000000-0000-0000-0000-000000000000")


def test_a_path_segment_ends_in_its_id() -> None:
    assert id_in(ID) == ID
    assert id_in(f"web-shop-{ID}") == ID
    assert id_in(f"renamed-since-{ID}") == ID
    assert id_in(f"-{ID}") == ID


@pytest.mark.parametrize("before", ["x", "web-shop", "0", ID])
def test_what_stands_before_the_id_ends_with_a_hyphen(before: str) -> None:
    assert id_in(f"{before}{ID}") is None


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
def test_a_slug_is_the_kebab_of_the_name(name: str, kebab: str) -> None:
    assert slug(name, ID) == f"{kebab}-{ID}"


@pytest.mark.parametrize("name", ["日本語", "—", "   ", "🎉"])
def test_a_name_without_ascii_letters_gives_the_bare_id(name: str) -> None:
    assert slug(name, ID) == ID


@given(st.text(max_size=300))
def test_every_slug_leads_back_to_its_id(name: str) -> None:
    made = slug(name, ID)

    assert id_in(made) == ID
    assert len(made) <= SLUG_NAME_LENGTH + 1 + len(ID)
    assert made.isascii()
    assert made == made.lower()


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = id_in(text)

    assert found is None or text.endswith(found)

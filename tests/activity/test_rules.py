"""What undoing chosen changes of a value goes back to."""

from typing import Any

import pytest
from msgspec.structs import replace

from locframework.activity.rules import (
    ChangedLater,
    FieldChange,
    before,
    field_before,
    stands_alone,
)
from locframework.activity.undoing import by_line
from locframework.events import Actor, Event, Touch
from locframework.keys.revisions import Revision, revision_of
from locframework.keys.rules import fresh_value

NOW = "2026-11-21T00:00:00.000Z"


def revisions(*numbers: int) -> list[Revision]:
    fresh = fresh_value("k", "de", None, "x", origin="human", at=NOW, by="anna")
    return [revision_of(replace(fresh, revision=number)) for number in numbers]


@pytest.mark.parametrize(
    ("there", "chosen", "expected"),
    [
        ((1, 2, 3), {3}, 2),
        ((3, 1, 2), {2, 3}, 1),
        ((1, 2), {1, 2}, None),
        ((1, 2, 3), {1, 3}, 2),  # what lies below is gone already
        ((2, 5), {5, 7}, 2),
    ],
)
def test_the_chosen_changes_at_the_end_are_undone(
    there: tuple[int, ...], chosen: set[int], expected: int | None
) -> None:
    found = before(revisions(*there), chosen)

    assert (found.revision if found else None) == expected


@pytest.mark.parametrize(("there", "chosen"), [((1, 2), {1}), ((1,), set()), ((), {1})])
def test_what_was_changed_later_stays(there: tuple[int, ...], chosen: set[int]) -> None:
    with pytest.raises(ChangedLater):
        before(revisions(*there), chosen)


CHANGES = [
    FieldChange("e1", "", "a"),
    FieldChange("e2", "a", "b"),
    FieldChange("e3", "b", "c"),
]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [({"e3"}, "b"), ({"e2", "e3"}, "a"), ({"e1", "e3"}, "b"), ({"e1", "e2", "e3"}, "")],
)
def test_a_field_goes_back_over_the_chosen_changes_at_the_end(
    chosen: set[str], expected: str
) -> None:
    assert field_before(CHANGES, chosen, "c") == expected


@pytest.mark.parametrize(
    ("changes", "chosen", "now"),
    [(CHANGES, {"e1"}, "c"), (CHANGES, {"e3"}, "followed main"), ([], {"e1"}, "c")],
)
def test_a_field_that_says_something_else_by_now_stays(
    changes: list[FieldChange], chosen: set[str], now: str
) -> None:
    with pytest.raises(ChangedLater):
        field_before(changes, chosen, now)


def test_a_field_goes_back_no_further_than_what_it_said() -> None:
    gap = [FieldChange("e1", "", "a"), FieldChange("e2", "from main", "b")]

    assert field_before(gap, {"e1", "e2"}, "b") == "from main"


@pytest.mark.parametrize(
    ("types", "alone"),
    [
        (["key.created", "translation.updated"], True),
        (["key.updated by others", "key.restored"], True),
        (["key.created", "translation.updated by others"], False),
        (["key.created", "key.updated by others", "key.restored"], False),
    ],
)
def test_a_key_stands_alone_since_a_chosen_event_made_it(
    types: list[str], *, alone: bool
) -> None:
    touches = [
        Touch(f"e{at}", type_.removesuffix(" by others"), "k", None, NOW)
        for at, type_ in enumerate(types)
    ]
    chosen = {f"e{at}" for at, type_ in enumerate(types) if "others" not in type_}

    assert stands_alone(touches, chosen) is alone


def event(type_: str, *items: dict[str, Any], branch: str | None = None) -> Event:
    actor = Actor("user", "anna")
    told = [{"keyId": "k", "key": "a.b", **item} for item in items]
    return Event(f"e{id(items)}", type_, "o", "p", branch, actor, told, NOW)


def value(revision: int, form: str | None = None) -> dict[str, Any]:
    return {"languageCode": "de", "pluralForm": form, "revision": revision}


def line_of(event: Event) -> str | None:
    return event.branch


def test_events_are_gathered_by_line_key_and_place() -> None:
    found = by_line(
        [
            event("key.created", {}),
            event("translation.updated", value(1), value(1, "one")),
            event("translation.approved", value(2)),
            event("translation.outdated", value(9, "other")),
            event("translation.submitted", value(4), branch="spring"),
            event("language.added", {}),
        ],
        line_of,
    )

    assert set(found) == {None, "spring"}
    main = found[None]
    assert main.values == {
        "k": {("de", None): {1: NOW, 2: NOW}, ("de", "one"): {1: NOW}}
    }
    assert main.outdated == {"k": {("de", "other"): {9: NOW}}}
    assert (list(main.made), list(main.deleted)) == (["k"], [])
    assert found["spring"].values == {"k": {("de", None): {4: NOW}}}


def test_a_key_that_came_back_was_not_deleted() -> None:
    found = by_line([event("key.deleted", {}), event("key.restored", {})], line_of)

    assert list(found[None].deleted) == []
    assert list(found[None].made) == []


def test_a_key_that_was_brought_back_was_made() -> None:
    found = by_line([event("key.restored", {}), event("key.deleted", {})], line_of)

    assert (list(found[None].made), list(found[None].deleted)) == (["k"], [])

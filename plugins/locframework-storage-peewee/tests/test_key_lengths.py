"""Of several lists that a filter names, the shortest is walked."""

from collections.abc import Callable, Sequence

import pytest
from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.engine import Row
from locframework_storage_peewee.key_lengths import Lengths

from locframework.keys.records import KeyFilter
from locframework.paging import PageRequest
from locframework.projects.records import Project
from locframework.testing.contracts.storage_key_records import (
    add_keys_project,
    key,
    value,
)
from locframework.testing.contracts.storage_records import add_branch, at

MANY = 200
PAGE = PageRequest(1, 10)
Asked = list[tuple[str, Sequence[object]]]
Ask = Callable[[KeyFilter], tuple[int, Asked]]


@pytest.fixture
def of(storage: PeeweeStorage) -> Project:
    """Keys that all have the tag ``all`` and an English text: one in twenty has the
    tag ``some`` too, one ``rare``; ten were changed later than others. No key has
    anything in French, and one a German text, which is outdated."""
    of = add_keys_project(storage, "en", "de", "fr")
    keys = [
        key(
            of,
            f"k{each:03}",
            tags=("all", *("some",) * (each % 20 == 0), *("rare",) * (each == 60)),
            updated_at=at(1 if each < MANY - 10 else 9),
        )
        for each in range(MANY)
    ]
    german = value(keys[60], "de", is_outdated=True)
    storage.keys.add_keys(keys, [german, *(value(each, "en") for each in keys)])
    return of


@pytest.fixture
def ask(storage: PeeweeStorage, of: Project, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The number of keys that a filter means, and what finds them."""
    asked: Asked = []
    rows, row = storage.database.rows, storage.database.row

    def noted(sql: str, params: Sequence[object] = ()) -> list[Row]:
        asked.append((sql, params))
        return rows(sql, params)

    def noted_row(sql: str, params: Sequence[object] = ()) -> Row | None:
        asked.append((sql, params))
        return row(sql, params)

    monkeypatch.setattr(storage.database, "rows", noted)
    monkeypatch.setattr(storage.database, "row", noted_row)

    def ask(where: KeyFilter) -> tuple[int, Asked]:
        asked.clear()
        found = storage.keys.list_keys(of.id, where, "key", PAGE)
        return found.total, asked[-2:]  # without the lengths

    return ask


def lists_in(asked: Asked) -> list[list[object]]:
    """The lists that stand in each statement, in their order."""
    return [
        [each for each in params if "#" in str(each) or "/" in str(each)]
        for _, params in asked
    ]


@pytest.mark.parametrize("tags", [("rare", "some"), ("some", "rare")])
def test_the_shortest_list_is_walked_in_whatever_order_they_are_named(
    ask: Ask, tags: tuple[str, ...]
) -> None:
    total, asked = ask(KeyFilter(tags=tags))

    assert total == 1
    assert lists_in(asked) == [["#rare", "#some"]] * 2


@pytest.mark.parametrize(
    "where",
    [
        KeyFilter(tags=("all", "rare")),
        KeyFilter(tags=("rare",), status="untranslated", language_code="fr"),
        KeyFilter(tags=("rare",), status="untranslated"),
        KeyFilter(tags=("rare",), status="approved"),
        KeyFilter(tags=("rare",), is_plural=False),
        KeyFilter(tags=("rare",), is_outdated=False, language_code="fr"),
    ],
)
def test_a_list_that_every_key_is_on_asks_nothing(ask: Ask, where: KeyFilter) -> None:
    total, asked = ask(where)

    assert total == 1
    assert lists_in(asked) == [["#rare"]] * 2


@pytest.mark.parametrize("status", ["untranslated", "approved"])
def test_a_state_that_every_key_has_somewhere_is_every_key(
    ask: Ask, status: str
) -> None:
    """A language without texts made the rows of all languages be read and sorted."""
    total, asked = ask(KeyFilter(status=status))  # type: ignore[arg-type]

    assert total == MANY
    assert lists_in(asked) == [[], []]
    assert not any("DISTINCT" in sql for sql, _ in asked)


def test_only_languages_in_which_a_key_has_the_state_are_looked_into(ask: Ask) -> None:
    outdated, asked = ask(KeyFilter(is_outdated=True))
    fresh, asked_for_fresh = ask(KeyFilter(is_outdated=False))

    assert (outdated, fresh) == (1, MANY - 1)
    assert lists_in(asked) == [["de/outdated"]] * 2
    assert lists_in(asked_for_fresh) == [["de/outdated"]] * 2
    assert "FROM key_lists" not in asked_for_fresh[0][0]  # its length is kept


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_few_keys_that_changed_are_found_before_any_list(
    storage: PeeweeStorage, ask: Ask
) -> None:
    total, asked = ask(
        KeyFilter(
            updated_since=at(5),
            status="untranslated",
            language_code="de",
        )
    )

    assert total == 10
    for sql, params in asked:
        plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", params)
        assert any("keys_by_update" in step for *_, step in plan), plan


def test_a_list_that_all_of_main_is_on_can_be_another_on_a_branch(
    storage: PeeweeStorage, of: Project
) -> None:
    on = storage.branch_keys(of.id, add_branch(storage, of).id)
    on.add_keys([key(of, "own", tags=("rare",))])
    found = {
        name: on.list_keys(of.id, where, "key", PAGE).total
        for name, where in {
            "all": KeyFilter(tags=("all", "rare")),
            "rare": KeyFilter(tags=("rare",), is_plural=False),
            "approved": KeyFilter(status="approved"),
            "fresh": KeyFilter(is_outdated=False),
        }.items()
    }

    assert found == {"all": 1, "rare": 2, "approved": MANY, "fresh": MANY}


def test_how_many_lists_are_looked_into() -> None:
    lengths = Lengths(100, {"a/x": 50, "b/x": 100, "#/x": 1, "c/y": 2})

    assert lengths.in_state("approved") == ()
    assert lengths.looks(("b/x", "a/x")) == 1
    assert lengths.looks(("a/x", "b/x", "c/x")) == 1.5

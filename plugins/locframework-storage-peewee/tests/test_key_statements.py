"""What keys and delivery ask costs the same number of statements, however many."""

from collections.abc import Callable
from functools import partial

import pytest
from locframework_storage_peewee import PeeweeStorage

from locframework.keys.file_records import Selection
from locframework.keys.records import Key, KeyFilter
from locframework.pagination import Position
from locframework.projects.records import Project
from locframework.testing.contracts.storage_delivery import (
    building,
    distribution,
    ready,
)
from locframework.testing.contracts.storage_records import (
    add_keys_project,
    at,
    key,
    value,
)
from locframework.testing.databases import Kind, statements_of

Batch = Callable[[PeeweeStorage, Project, list[Key]], object]

BATCHES: dict[str, Batch] = {
    "add_keys": lambda s, p, ks: s.keys.add_keys(
        [key(p, f"new.{one.key}", tags=("t",)) for one in ks]
    ),
    "find_keys": lambda s, p, ks: s.keys.find_keys(p.id, [one.id for one in ks]),
    "find_keys_by_name": lambda s, p, ks: s.keys.find_keys_by_name(
        p.id, [one.key for one in ks]
    ),
    "save_keys": lambda s, p, ks: s.keys.save_keys(
        [key(p, f"r.{one.key}", id=one.id) for one in ks]
    ),
    "touch_keys": lambda s, p, ks: s.keys.touch_keys([one.id for one in ks], at(9)),
    "trash_keys": lambda s, p, ks: s.keys.trash_keys(
        p.id, [one.id for one in ks], at(9)
    ),
    "trashed": lambda s, p, ks: s.keys.trashed(p.id, [one.id for one in ks]),
    "values_of": lambda s, p, ks: s.keys.values_of([one.id for one in ks]),
    "put_values": lambda s, p, ks: s.keys.put_values([value(one) for one in ks]),
    "remove_values": lambda s, p, ks: s.keys.remove_values(
        [value(one, "de") for one in ks]
    ),
    "mark_outdated": lambda s, p, ks: s.keys.mark_outdated(
        [one.id for one in ks], "en"
    ),
}

FILTERS = {
    "every key": KeyFilter(),
    "prefix": KeyFilter(prefix="k0"),
    "tag": KeyFilter(tags=("t",)),
    "state": KeyFilter(status="approved", language_code="de"),
    "state anywhere": KeyFilter(status="approved"),
    "untranslated": KeyFilter(status="untranslated", language_code="de"),
    "outdated": KeyFilter(is_outdated=True),
    "fresh": KeyFilter(is_outdated=False),
    "plural": KeyFilter(is_plural=True),
    "since": KeyFilter(updated_since=at(1)),
    "search": KeyFilter(search="k0"),
    "all at once": KeyFilter("k", "k", ("t",), "de", "approved", False, False, at(0)),
}


ALLOWED_SCANS = ("", "found", "page", "c", "g", "json_each", "CONSTANT", "key_search")
"""Results of subqueries; the virtual table finds rows by its own index."""


def counted(storage: PeeweeStorage, call: Callable[[], object]) -> int:
    with statements_of(storage) as seen:
        call()
    return len(seen)


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_costs_no_statement_a_row(storage: PeeweeStorage, name: str) -> None:
    of = add_keys_project(storage)
    made = [key(of, f"k{number:04}", tags=("t",)) for number in range(1502)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])
    of_one, of_chunk, of_many = made[:1], made[1:501], made[501:]

    one, chunk, many = (
        counted(storage, partial(BATCHES[name], storage, of, keys))
        for keys in (of_one, of_chunk, of_many)
    )

    assert 1 <= one <= 12
    assert chunk == one
    assert many <= 3 * one  # 1001 keys


def test_keys_come_back_without_a_statement_each(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)
    made = [key(of, f"k{number:04}", tags=("t",)) for number in range(501)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])
    ids = [one.id for one in made]
    storage.keys.trash_keys(of.id, ids, at(1))

    one, chunk = (
        counted(storage, partial(storage.keys.restore_keys, of.id, some, at(2)))
        for some in (ids[:1], ids[1:])
    )

    assert chunk == one <= 11


@pytest.mark.parametrize("after", [None, Position("k1", "")], ids=["page", "cursor"])
@pytest.mark.parametrize("sort", ["key", "-updatedAt"])
@pytest.mark.parametrize("name", FILTERS)
def test_a_page_of_keys_is_three_statements_at_most_and_scans_no_table(
    storage: PeeweeStorage, kind: Kind, name: str, sort: str, after: Position | None
) -> None:
    of = add_keys_project(storage)
    made = [key(of, f"k{number:02}", tags=("t",)) for number in range(20)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])

    with statements_of(storage) as seen:
        storage.keys.list_keys(
            of.id, FILTERS[name], sort, limit=5, offset=0 if after else 5, after=after
        )

    assert 1 <= len(seen) <= 3
    for sql in seen if kind == "sqlite" else ():
        plan = f"EXPLAIN QUERY PLAN {sql}"
        for *_, step in storage.database.rows(plan, [None] * sql.count("?")):
            scanned = step.split()[1] if step.startswith("SCAN ") else ""
            assert scanned in ALLOWED_SCANS, (step, sql)


def test_the_texts_of_a_language_are_one_statement(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)
    made = [key(of, f"k{number:04}") for number in range(2100)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])

    for which in (Selection(), Selection("any", "@root", "t"), Selection(module="k")):
        with statements_of(storage) as seen:
            texts = sum(
                len(row.texts) for row in storage.keys.text_rows(of.id, "de", which)
            )
        assert len(seen) == 1
        assert texts == (0 if which.tag or which.module else 2100)


def test_all_texts_of_a_language_are_read_as_they_lie_and_sorted(
    storage: PeeweeStorage, kind: Kind
) -> None:
    if kind != "sqlite":
        pytest.skip("the plan is PostgreSQL's own, by what the tables hold")
    of = add_keys_project(storage)

    with statements_of(storage) as seen:
        assert not [*storage.keys.text_rows(of.id, "de", Selection())]

    [sql] = seen
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    steps = [step for *_, step in plan]
    assert any(s.startswith("SEARCH k USING INTEGER PRIMARY KEY") for s in steps), steps


def test_the_public_asks_one_statement(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)
    made = distribution(of)
    storage.delivery.insert(made)
    storage.delivery.releases.insert(ready(building(made), "a" * 64))

    head = counted(storage, lambda: storage.delivery.find_head(made.public_key))
    blob = counted(storage, lambda: storage.delivery.names_blob(made.id, "a" * 64))

    assert (head, blob) == (1, 1)

"""PostgreSQL plans for what a project has become, be autovacuum on or off."""

import re

import psycopg
import pytest
from locframework_storage_peewee import database

from locframework.blobs.store import BlobNote
from locframework.keys.records import KeyFilter
from locframework.testing.contracts.storage_delivery import (
    building,
    distribution,
    ready,
)
from locframework.testing.contracts.storage_records import (
    add_branch,
    add_project,
    at,
    key,
    value,
)

from .conftest import plan_of

pytestmark = [
    pytest.mark.parametrize("kind", ["postgres"], indirect=True),
    pytest.mark.server,
]
MANY = 3000
FILTERED = re.compile(r"Rows Removed by Join Filter: (\d+)")
DEEP = {"limit": 50, "offset": 950}
TAGGED = KeyFilter(tags=("button",))


@pytest.fixture
def storage(empty_url, open_storage):
    """Never counted: a database that was emptied may keep what was counted before."""
    storage = open_storage(empty_url)
    storage.migrate()
    return storage


def fill(storage, number=MANY):
    of = add_project(storage)
    keys = [
        key(of, f"key{each:04}", tags=("button",), created_at=at(each))
        for each in range(number)
    ]
    storage.keys.add_keys(keys, [value(each) for each in keys])
    return of


def counted(storage, table):
    """How many rows the planner believes in; -1 before they are counted."""
    sql = "SELECT reltuples FROM pg_class WHERE oid = to_regclass(?)"
    [(number,)] = storage.database.rows(sql, (table,))
    return float(number)


LISTS: dict[str, tuple[KeyFilter, str]] = {
    "with a tag, deep in the order of time": (TAGGED, "createdAt"),
    "with a tag and a state": (
        KeyFilter(tags=("button",), language_code="en", status="approved"),
        "key",
    ),
    "with a tag, searched": (KeyFilter(tags=("button",), search="key1"), "createdAt"),
    "all": (KeyFilter(), "key"),
}


@pytest.mark.parametrize("name", LISTS)
def test_keys_are_found_by_name_in_a_project_that_was_just_made(storage, asked, name):
    of = fill(storage)
    asked.clear()

    where, sort = LISTS[name]
    storage.keys.list_keys(of.id, where, sort, **DEEP)

    compared = [step for step in plan_of(storage, asked) if "Join Filter" in step]
    assert compared == []  # each key with each of a list


def test_keys_of_a_branch_are_found_by_name_when_it_was_just_filled(storage, asked):
    of = fill(storage)
    on = storage.branch_keys(of.id, add_branch(storage, of).id)
    on.add_keys([key(of, f"own{each:04}") for each in range(MANY)])
    asked.clear()

    on.list_keys(of.id, KeyFilter(), "createdAt", **DEEP)

    plan = plan_of(storage, asked)
    assert not any("Join Filter" in step for step in plan), plan
    looked_up = [step for step in plan if "Index Cond: (key = " in step]
    assert looked_up == []  # which reads all of an index that begins with the project


@pytest.mark.parametrize("where", [KeyFilter(), TAGGED], ids=["all", "on a list"])
def test_what_a_branch_hides_is_looked_up_by_id_in_tables_counted_on_other_days(
    storage, asked, where
):
    of = fill(storage)
    branch = add_branch(storage, of)
    on = storage.branch_keys(of.id, branch.id)
    on.write_values(storage.keys.names_of(of.id, prefix="key0").values(), at(1))
    storage.database.run("ANALYZE branch_keys")
    storage.database.run("UPDATE pg_class SET reltuples = 99 WHERE relname = 'keys'")
    asked.clear()

    page = on.list_keys(of.id, where, "key", **DEEP)
    storage.statistics.counts_of(of.id, branch.id)

    assert page.total == MANY
    steps = plan_of(storage, asked, "ANALYZE, TIMING OFF")
    again = [step for step in steps if "Seq Scan" in step and "loops=1)" not in step]
    assert again == []  # all keys, once for each of the branch
    compared = [int(number) for step in steps for number in FILTERED.findall(step)]
    assert sum(compared) < MANY  # each key of the branch with each


def test_the_last_change_is_the_end_of_an_index_also_before_keys_are_counted(
    storage, asked, monkeypatch
):
    monkeypatch.setattr(database, "GROWTH", 10**9)
    of = fill(storage, 4 * MANY)  # the index of times is deeper than that of names
    asked.clear()

    storage.statistics.counts_of(of.id)

    plan = plan_of(storage, asked)
    assert counted(storage, "keys") == -1
    walks = [step for step in plan if " on keys k" in step]
    assert len(walks) == 1, plan
    assert "Backward using keys_by_update" in walks[0]


def test_tables_that_grow_are_counted_again_and_small_ones_never(storage):
    fill(storage, 10)
    few = counted(storage, "keys")
    of = fill(storage)
    many = counted(storage, "keys")
    storage.keys.add_keys([key(of, f"more{each:05}") for each in range(3 * MANY)])

    assert few == -1
    assert many == pytest.approx(MANY, rel=0.1)
    assert counted(storage, "keys") == pytest.approx(4 * MANY, rel=0.1)
    assert counted(storage, "branch_keys") == -1


def test_what_is_rolled_back_is_not_counted(storage):
    def fill_and_fail():
        with storage.transaction():
            fill(storage)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fill_and_fail()

    assert counted(storage, "keys") == -1


def test_keys_are_kept_when_they_cannot_be_counted(storage, monkeypatch, caplog):
    def cancelled(_connection):
        raise psycopg.errors.QueryCanceled("canceling statement")

    monkeypatch.setattr(storage.database.engine, "analyze_grown", cancelled)
    of = fill(storage)

    page = storage.keys.list_keys(of.id, KeyFilter(), "key", **DEEP)
    assert page.total == MANY
    assert "canceling statement" in caplog.text


def test_whether_a_release_names_a_blob_is_looked_up_release_by_release(storage, asked):
    """A merge with the table of releases read hundreds of them for each blob."""
    one, blobs = distribution(add_project(storage)), [name * 64 for name in "abc"]
    storage.delivery.insert(one)
    with storage.transaction():
        for version in range(1, 301):
            storage.delivery.releases.insert(ready(building(one, version), *blobs[1:]))
        storage.blobs.note([BlobNote("disk", name, 1, at(1)) for name in blobs])
    for table in ("releases", "release_files", "blob_notes"):
        storage.database.run(f"ANALYZE {table}")
    asked.clear()

    [gone] = storage.blobs.list_expired(at(2), 9, ["disk"], look_again=at(3))

    assert gone.name == blobs[0]
    steps = plan_of(storage, asked, "ANALYZE, TIMING OFF")
    read = [
        re.search(r"actual rows=(\d+)", step) for step in steps if " releases" in step
    ]
    assert read
    assert all(rows and int(rows[1]) <= 1 for rows in read), steps

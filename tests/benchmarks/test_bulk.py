"""Writing many keys with three languages: by the store, and over the API."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import stock
from measuring import Stopwatch, Table, in_turns, rounds
from raw_rows import RawTables, rows_of

from locframework.keys.file_records import Selection

THREE = stock.FIVE[:3]
API_AT_ONCE = 500
WRITERS = 8
WRITING_SECONDS = 3.0


@pytest.fixture
def raw(shop: Any) -> Iterator[RawTables]:
    """Plain tables beside ours."""
    tables = RawTables(shop.url)
    yield tables
    tables.empty()
    tables.close()


def by_store(shop: Any, size: int) -> float:
    """Seconds in the storage, in one transaction; records are made before."""
    project = shop.workspace.project(languages=THREE[1:])
    made = [stock.records(project["id"], part, THREE) for part in stock.parts(size)]
    watch = Stopwatch()
    with watch, shop.storage.transaction():
        for keys, values in made:
            shop.storage.keys.add_keys(keys, values)
    assert shop.storage.projects.find_project(project["id"]).key_count == size
    rows = shop.storage.keys.text_rows(project["id"], "fr", Selection())
    assert {row.key: row.texts[None] for row in rows} == stock.texts(size, "fr")
    return watch.seconds


def by_api(shop: Any, size: int) -> float:
    """Seconds of the requests, 500 keys each; a transaction each."""
    project = shop.workspace.project(languages=THREE[1:])
    path = f"/projects/{project['id']}/keys/bulk"
    watch = Stopwatch()
    for first in range(0, size, API_AT_ONCE):
        keys = [
            {
                "key": stock.key_name(at),
                "values": {code: stock.text(at, code) for code in THREE},
            }
            for at in range(first, min(size, first + API_AT_ONCE))
        ]
        with watch:
            answer = shop.workspace.owner.post(path, json={"keys": keys})
        assert {item["outcome"] for item in answer.data["results"]} == {"created"}
    assert shop.storage.projects.find_project(project["id"]).key_count == size
    return watch.seconds


def by_raw(raw: RawTables, size: int, *, peewee: bool) -> float:
    """Seconds of executemany, or of peewee; rows are made before."""
    keys, values = rows_of(*stock.records("p", range(size), THREE))
    raw.empty()
    watch = Stopwatch()
    with watch:
        (raw.insert_many if peewee else raw.executemany)(keys, values)
    assert raw.count() == (size, size * len(THREE))
    return watch.seconds


def test_bulk_write(shop: Any, size: int, raw: RawTables, table: Table) -> None:
    if size > 100_000:
        pytest.skip("the goal speaks of 100k keys")

    taken = in_turns(
        rounds(),
        store=lambda: by_store(shop, size),
        api=lambda: by_api(shop, size),
        raw=lambda: by_raw(raw, size, peewee=False),
        peewee=lambda: by_raw(raw, size, peewee=True),
    )

    executemany = ("raw executemany", taken["raw"])
    insert_many = ("peewee insert_many", taken["peewee"])
    store, api = "bulk write x 3 languages, store", "bulk write x 3 languages, API"
    table.add(store, shop.kind, size, taken["store"], executemany, ratio_most=1.5)
    what = f"{store}: peewee"
    table.add(what, shop.kind, size, taken["store"], insert_many, ratio_most=0.25)
    table.add(api, shop.kind, size, taken["api"], executemany)


def test_the_longest_wait_of_one_of_eight_writers(shop: Any, table: Table) -> None:
    size = 1000
    project = shop.workspace.project(languages=["de"])
    keys, values = stock.records(project["id"], range(size), ["en", "de"])
    with shop.storage.transaction():
        shop.storage.keys.add_keys(keys, values)
    waits: list[list[float]] = [[] for _ in range(WRITERS)]
    refused: list[int] = []

    def write(number: int) -> None:
        end, at = time.perf_counter() + WRITING_SECONDS, number
        while time.perf_counter() < end:
            key = keys[at % size]
            path = f"/projects/{project['id']}/keys/{key.id}/values/de"
            begun = time.perf_counter()
            answer = shop.workspace.owner.put(path, json={"value": f"{number} {at}"})
            waits[number].append(time.perf_counter() - begun)
            refused.extend([answer.status] if answer.status != 200 else [])
            at += WRITERS

    threads = [threading.Thread(target=write, args=(at,)) for at in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert refused == []
    everything = sorted(wait * 1000 for each in waits for wait in each)
    middle = ("the median write", everything[len(everything) // 2])
    what = f"longest of single writes, {WRITERS} writers"
    table.add(what, shop.kind, size, everything[-1], middle, ms_most=100)

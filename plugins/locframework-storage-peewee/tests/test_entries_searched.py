"""Entries of a large memory are searched by the indexes of trigrams, as others are."""

import pytest
from locframework_storage_peewee import PeeweeStorage, memory_filters

from locframework.memories.records import EntryFilter
from locframework.ports import folded
from locframework.testing.contracts.storage_memories import (
    add_entries,
    add_memory,
    entry,
)
from locframework.testing.contracts.storage_records import ALL, add_project
from locframework.testing.databases import statements_of

TEXTS = [
    "Pay 100% now",
    "Größe_x",
    'Say "pay"',
    "Häfen und Pay",
    "支払いをする",
    "pa y",
]
SEARCHED = [
    "pay",
    "PAY 100%",
    "0% n",
    "0_ n",
    "größe_",
    '"pay"',
    "支払い",
    "zahlen",
    "a",
    "now or later or never",  # longer than what LIKE is asked for
    "jetzt zahlen und später",
    "nothing",
]


@pytest.mark.parametrize("code", [None, "de", "fr"])
def test_the_same_is_found_by_an_index_as_by_reading_all(
    storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch, code: str | None
) -> None:
    of = add_project(storage)
    mine, other = add_memory(storage, of), add_memory(storage, of)
    for memory in (mine, other):
        said = ("de:Jetzt zahlen und später", "fr:Payer maintenant")
        add_entries(storage, [entry(memory, text, *said) for text in TEXTS[:3]])
        add_entries(storage, [entry(memory, text) for text in TEXTS[3:]])
    asked = [EntryFilter(folded(text), code) for text in SEARCHED]

    def found(large: int) -> list[list[str]]:
        monkeypatch.setattr(memory_filters, "LARGE", large)
        pages = [storage.memories.list_entries(mine.id, each, ALL) for each in asked]
        assert [len(page.items) for page in pages] == [page.total for page in pages]
        return [[one.id for one in page.items] for page in pages]

    assert found(0) == found(1000)
    assert sum(map(bool, found(0))) > 4


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_only_entries_that_the_indexes_tell_of_are_read(
    storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_filters, "LARGE", 1)
    memory = add_memory(storage, add_project(storage))
    add_entries(storage, [entry(memory, text) for text in TEXTS])

    with statements_of(storage) as seen:
        storage.memories.list_entries(memory.id, EntryFilter("pay"), ALL)

    asked = [sql for sql in seen if "MATCH" in sql]
    assert len(asked) == 2
    for sql in asked:
        plan = storage.database.rows(
            f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
        )
        steps = [step for *_, step in plan]
        [walk] = [step for step in steps if " e " in step]
        assert walk.endswith("rowid=?)"), steps
        scans = [step for step in steps if step.startswith("SCAN")]
        assert all("VIRTUAL TABLE INDEX" in step for step in scans), steps

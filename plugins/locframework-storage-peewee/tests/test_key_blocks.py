"""Pages of a line that is parted into blocks are those of a line that is not."""

import random
from collections.abc import Callable

import pytest
from locframework_storage_peewee import PeeweeStorage, key_blocks
from msgspec.structs import replace

from locframework.keys.records import Key, KeyFilter
from locframework.paging import PageRequest
from locframework.testing.contracts.storage_key_records import add_keys_project, key
from locframework.testing.contracts.storage_records import at
from locframework.testing.databases import statements_of

NAMES = [f"{letter}.{number}" for letter in "azAZ_0-" for number in range(30)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_blocks, "SIZE", 3)
    monkeypatch.setattr(key_blocks, "MOST", 6)


def all_pages(storage: PeeweeStorage, project_id: str, sort: str) -> list[str]:
    """The names on all pages; every page tells the same total."""
    pages = [
        storage.keys.list_keys(project_id, KeyFilter(), sort, PageRequest(number, 4))
        for number in range(1, len(NAMES) // 4 + 2)
    ]
    assert len({page.total for page in pages}) == 1
    assert pages[0].total == sum(len(page.items) for page in pages)
    return [one.key for page in pages for one in page.items]


def blocks_of(storage: PeeweeStorage) -> list[tuple[str, int]]:
    return storage.database.rows("SELECT first, keys FROM key_blocks ORDER BY first")


def test_pages_stay_right_whatever_is_added_deleted_restored_and_renamed(
    storage: PeeweeStorage,
) -> None:
    of = add_keys_project(storage)
    chance = random.Random(7)
    live: dict[str, Key] = {}
    trashed: dict[str, Key] = {}

    def free(count: int) -> list[str]:
        left = sorted(set(NAMES) - set(live))
        return chance.sample(left, min(count, len(left)))

    def some() -> list[Key]:
        keys = sorted(live.values(), key=lambda one: one.key)
        return chance.sample(keys, min(chance.randint(1, 9), len(keys)))

    def add() -> None:
        new = [key(of, name) for name in free(chance.randint(1, 25))]
        storage.keys.add_keys(new)
        live.update((one.key, one) for one in new)

    def trash() -> None:
        gone = some()
        storage.keys.trash_keys(of.id, [one.id for one in gone], at(1))
        for one in gone:
            trashed[one.id] = live.pop(one.key)

    def restore() -> None:
        for one in list(trashed.values()):
            if one.key not in live:
                storage.keys.restore_keys(of.id, [one.id], at(2))
                live[one.key] = trashed.pop(one.id)

    def rename() -> None:
        moved = some()
        others = [one.key for one in moved[1:]] + free(1)
        new = [replace(one, key=name) for one, name in zip(moved, others, strict=False)]
        with storage.transaction():
            storage.keys.save_keys(new)
        for one in moved[: len(new)]:
            del live[one.key]
        live.update((one.key, one) for one in new)

    steps: list[Callable[[], None]] = [add, add, trash, restore, rename]
    for _ in range(60):
        chance.choice(steps)()

        assert all_pages(storage, of.id, "key") == sorted(live)
        assert all_pages(storage, of.id, "-key") == sorted(live, reverse=True)
    blocks = blocks_of(storage)
    assert len(blocks) > 5
    assert blocks[0][0] == ""
    assert sum(keys for _, keys in blocks) == len(live)


def test_blocks_hold_the_keys_that_they_count(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)
    made = [key(of, f"k{number:03}") for number in range(40)]
    storage.keys.add_keys(made[:20])
    storage.keys.add_keys(made[20:])

    storage.keys.trash_keys(of.id, [one.id for one in made[7:18]], at(1))

    blocks = blocks_of(storage)
    left = [one.key for one in made[:7] + made[18:]]
    ends = [first for first, _ in blocks[1:]] + ["~"]
    assert [
        (first, len([name for name in left if first <= name < end]))
        for (first, _), end in zip(blocks, ends, strict=True)
    ] == blocks
    assert all(keys for _, keys in blocks)


def test_a_line_of_few_keys_has_no_blocks(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)

    storage.keys.add_keys([key(of, f"k{number}") for number in range(6)])

    assert blocks_of(storage) == []


def test_a_purged_project_leaves_no_blocks(storage: PeeweeStorage) -> None:
    of = add_keys_project(storage)
    storage.keys.add_keys([key(of, f"k{number}") for number in range(20)])
    storage.projects.delete(of.id, at(1))

    storage.purge("projects", at(2), 1000)

    assert blocks_of(storage) == []


def test_adding_a_key_asks_two_more_statements_of_any_parted_line(
    storage: PeeweeStorage,
) -> None:
    of = add_keys_project(storage)
    storage.keys.add_keys([key(of, f"k{number}") for number in range(200)])

    with statements_of(storage) as seen:
        storage.keys.add_keys([key(of, "k1000")])

    assert len([sql for sql in seen if "key_blocks" in sql]) == 2

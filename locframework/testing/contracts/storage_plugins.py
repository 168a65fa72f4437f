"""Contract of the store of plugins: JSON values by space, owner and key."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from msgspec.structs import replace

from locframework.fields import new_id
from locframework.pagination import PageRequest
from locframework.plugin_services.store import EVERYWHERE, PluginEntry
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import ALL, TEXTS, add_project, at


def entry(of: Project | None, key: str = "a", value: str = "1") -> PluginEntry:
    """Return an entry of a project, or of none."""
    if of is None:
        return PluginEntry("digest", EVERYWHERE, None, key, value)
    return PluginEntry("digest", of.id, of.organization_id, key, value)


def stored(storage: Storage, like: PluginEntry) -> PluginEntry | None:
    return storage.plugin_entries.find(like.space, like.owner_id, like.key)


class StoragePluginsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_value_comes_back_byte_for_byte(self, storage: Storage, text: str) -> None:
        made = entry(add_project(storage), text[:200] or "a", text)

        assert storage.plugin_entries.write(made) is True

        assert stored(storage, made) == made

    def test_entries_are_apart_by_space_owner_and_key(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.plugin_entries
        first = entry(of)
        owner = replace(first, owner_id=of.organization_id)
        others = [
            replace(first, space="digest.x", value="2"),
            replace(first, key="A", value="3"),
            replace(owner, value="4"),
            entry(add_project(storage), value="5"),
            entry(None, value="6"),
        ]
        for made in (first, *others):
            store.write(made)

        store.write(replace(first, value="7"))
        assert stored(storage, first) == replace(first, value="7")
        assert store.delete(first.space, first.owner_id, first.key) is True
        assert store.delete(first.space, first.owner_id, first.key) is False

        assert stored(storage, first) is None
        assert [stored(storage, each) for each in others] == others

    def test_entries_are_listed_by_key_and_prefix(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.plugin_entries
        keys = ["B", "a", "a%b", "a/1", "a/2", "a_b", "b", "ä", "𝒳"]  # by code point
        for key in reversed(keys):
            store.write(entry(of, key))
        store.write(replace(entry(of), space="other"))
        store.write(entry(None))

        def listed(prefix: str, page: PageRequest = ALL) -> tuple[list[str], int]:
            found = store.list_entries("digest", of.id, prefix, page)
            return [each.key for each in found.items], found.total

        assert listed("") == (keys, 9)
        assert listed("a/") == (["a/1", "a/2"], 2)
        assert listed("a%") == (["a%b"], 1)
        assert listed("a_") == (["a_b"], 1)
        assert listed("A") == ([], 0)
        assert listed("", PageRequest(page=2, limit=4)) == (keys[4:8], 9)

    def test_expected_value_decides_whether_it_is_written(
        self, storage: Storage
    ) -> None:
        made, store = entry(add_project(storage)), storage.plugin_entries
        new = replace(made, value="2")

        assert store.write(made, "1") is False  # there is none
        assert stored(storage, made) is None
        assert store.write(made, None) is True
        assert store.write(new, None) is store.write(new, "3") is False
        assert stored(storage, made) == made
        assert store.write(new, "1") is True
        assert stored(storage, made) == new

    @pytest.mark.parametrize("expected", [None, "0"])
    def test_of_several_that_expect_the_same_one_writes(
        self, storage: Storage, expected: str | None
    ) -> None:
        made = entry(add_project(storage), value="0")
        if expected is not None:
            storage.plugin_entries.write(made)
        together = Barrier(4)

        def write(number: int) -> bool:
            together.wait(10)
            new = replace(made, value=f"{number}")
            return storage.plugin_entries.write(new, expected)

        with ThreadPoolExecutor(4) as threads:
            written = list(threads.map(write, range(1, 5)))

        left = stored(storage, made)
        assert sum(written) == 1
        assert left is not None
        assert left.value == f"{written.index(True) + 1}"

    def test_write_is_rolled_back_with_its_transaction(self, storage: Storage) -> None:
        made = entry(add_project(storage))

        def fail() -> None:
            with storage.transaction():
                storage.plugin_entries.write(made)
                assert stored(storage, made) == made
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()

        assert stored(storage, made) is None

    def test_entries_of_projects_are_found_until_these_are_deleted(
        self, storage: Storage
    ) -> None:
        store = storage.plugin_entries
        projects = sorted((add_project(storage) for _ in range(3)), key=lambda p: p.id)
        for of in projects:
            store.write(entry(of))
        store.write(entry(projects[0], "0"))
        store.write(replace(entry(projects[0]), space="other"))
        organization = projects[0].organization_id
        store.write(replace(entry(projects[0]), owner_id=organization))
        store.write(entry(None))

        storage.projects.delete(projects[1].id, at(1))

        first, _, last = projects
        expected = [entry(first, "0"), entry(first), entry(last)]
        assert store.list_of_projects("digest") == expected
        assert store.list_of_projects("none") == []

    def test_entries_are_purged_with_their_project(self, storage: Storage) -> None:
        gone, kept = add_project(storage), add_project(storage)
        for of in (gone, kept):
            for key in ("a", "b", "c"):
                storage.plugin_entries.write(entry(of, key))
        storage.projects.delete(gone.id, at(1))

        with storage.transaction():
            while storage.purge("projects", at(2), 2):
                pass

        assert [stored(storage, entry(gone, key)) for key in "abc"] == [None] * 3
        assert stored(storage, entry(kept)) == entry(kept)

    def test_entries_are_deleted_with_their_organization(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        organization = of.organization_id
        owned = [entry(of), replace(entry(of), owner_id=organization)]
        for made in (*owned, entry(other), entry(None)):
            storage.plugin_entries.write(made)

        storage.access.organizations.delete(organization, at(1))

        assert [stored(storage, each) for each in owned] == [None, None]
        assert stored(storage, entry(other)) == entry(other)
        assert stored(storage, entry(None)) == entry(None)
        assert storage.plugin_entries.find("digest", new_id(), "a") is None

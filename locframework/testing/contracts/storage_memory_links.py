"""The contract of Storage, part SN: which keys teach which entries of memories."""

from collections.abc import Iterator
from contextlib import contextmanager

from locframework.fields import new_id
from locframework.memories.records import KeyLink, MemoryWriting, TranslationMemory
from locframework.storage import Storage

from .storage_memory_records import add_entries, add_memory, entry
from .storage_records import add_project, at


@contextmanager
def writing(storage: Storage, of: TranslationMemory) -> Iterator[MemoryWriting]:
    with storage.transaction():
        begun = storage.memories.begin(of.id)
        assert begun is not None
        yield begun


class StorageMemoryLinksContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sn1_links_are_found_by_key_and_by_entry(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        a, b = entry(mine, "a"), entry(mine, "b")
        add_entries(storage, [a, b])
        plain = KeyLink(of.id, new_id(), None, a.id)
        one = KeyLink(of.id, new_id(), "one", a.id)
        many = KeyLink(of.id, one.key_id, "other", b.id)

        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, [], [plain, one, many])

        store = storage.memories
        assert set(store.links_of(mine.id, [one.key_id, new_id()])) == {one, many}
        assert set(store.links_to(mine.id, [a.id])) == {plain, one}
        assert store.links_of(other.id, [one.key_id]) == []
        assert store.links_to(other.id, [a.id]) == []
        assert store.entry_ids_by_text(mine.id, [("a", ""), ("a", "x")]) == {
            ("a", ""): a.id
        }

    def test_sn2_links_take_the_place_of_others(self, storage: Storage) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        a, b = entry(mine, "a"), entry(mine, "b")
        add_entries(storage, [a, b])
        stays = KeyLink(of.id, new_id(), None, a.id)
        goes = KeyLink(of.id, new_id(), None, a.id)
        old = KeyLink(of.id, new_id(), "one", a.id)
        new = KeyLink(of.id, old.key_id, "one", b.id)
        before = [stays, goes, old]
        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, [], before)

        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, before, [stays, new])

        ids = [link.key_id for link in before]
        assert set(storage.memories.links_of(mine.id, ids)) == {stays, new}

    def test_sn3_a_removed_entry_is_taught_by_no_key(self, storage: Storage) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        a, b = entry(mine, "a"), entry(mine, "b")
        add_entries(storage, [a, b])
        links = [KeyLink(of.id, new_id(), None, each.id) for each in (a, b)]

        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, [], links)
            storage.memories.remove_entries(begun, [a.id])

        ids = [link.key_id for link in links]
        assert storage.memories.links_of(mine.id, ids) == [links[1]]

    def test_sn4_what_is_detached_is_taught_no_more_and_stays(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        entries = [entry(mine, text, "de:x") for text in "ab"]
        with writing(storage, mine) as begun:
            storage.memories.add_entries(begun, entries, learned=True)
            links = [KeyLink(of.id, new_id(), None, each.id) for each in entries]
            storage.memories.replace_links(begun, [], links)

        def learned() -> list[bool]:
            rows = storage.memories.translations_of(mine.id, [e.id for e in entries])
            made = storage.memories.learned_entries(mine.id, [e.id for e in entries])
            told = [rows[each.id][0].is_learned for each in entries]
            assert made == {e.id for e, is_ in zip(entries, told, strict=True) if is_}
            return told

        assert learned() == [True, True]
        with writing(storage, mine) as begun:
            storage.memories.detach_entries(begun, [entries[0].id])
        assert learned() == [False, True]
        ids = [link.key_id for link in links]
        assert set(storage.memories.links_of(mine.id, ids)) == set(links[1:])

    def test_sn5_of_a_deleted_memory_no_link_is_found(self, storage: Storage) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        one = entry(mine)
        add_entries(storage, [one])
        link = KeyLink(of.id, new_id(), None, one.id)
        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, [], [link])

        storage.memories.delete(mine.id, at(1))

        assert storage.memories.links_of(mine.id, [link.key_id]) == []
        assert storage.memories.links_to(mine.id, [one.id]) == []

    def test_sn6_entries_that_keys_of_several_projects_teach(
        self, storage: Storage
    ) -> None:
        of, far = add_project(storage), add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        shared, alone, apart = (entry(mine, text) for text in "abc")
        add_entries(storage, [shared, alone, apart])
        gone = new_id()
        links = [
            KeyLink(of.id, gone, None, shared.id),
            KeyLink(of.id, gone, "one", alone.id),
            KeyLink(of.id, new_id(), None, alone.id),
            KeyLink(far.id, new_id(), None, shared.id),
            KeyLink(far.id, new_id(), "one", shared.id),
            KeyLink(far.id, new_id(), None, apart.id),
        ]
        with writing(storage, mine) as begun:
            storage.memories.replace_links(begun, [], links)

        store = storage.memories
        assert store.shared_entries(mine.id, of.id) == [shared.id]
        assert store.shared_entries(mine.id, far.id) == [shared.id]
        assert store.shared_entries(other.id, of.id) == []
        assert store.linked_keys(of.id) == {gone, links[2].key_id}
        assert store.linked_keys(new_id()) == set()

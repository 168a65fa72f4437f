"""The contract of Storage, part SM: translation memories and their entries."""

import pytest
from msgspec.structs import replace

from locframework.errors import Unavailable
from locframework.fields import new_id
from locframework.languages import folded
from locframework.memories.records import (
    Assignment,
    EntryFilter,
    EntryQuery,
    KeptMemory,
    MemoryEntry,
    MemoryLanguage,
    Penalties,
    StoredTranslation,
)
from locframework.paging import PageRequest
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_memory_records import add_entries, add_memory, entry, memory
from .storage_records import ALL, TEXTS, add_project, at, organization


class StorageMemoriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sm1_a_memory_comes_back_as_it_was(self, storage: Storage) -> None:
        owner = organization()
        storage.access.organizations.insert(owner)
        full = memory(
            "Größe",
            source_language="pt-BR",
            min_match_percentage=0,
            penalties=Penalties(100, 0, 7),
            requires_approval=True,
            updated_at=at(3),
        )
        plain = memory()
        for one in (full, plain):
            storage.memories.insert(KeptMemory(one, owner.id))

        assert storage.memories.find(full.id) == KeptMemory(full, owner.id)
        assert storage.memories.find(plain.id) == KeptMemory(plain, owner.id)
        assert storage.memories.find(new_id()) is None

    def test_sm2_a_saved_memory_is_changed(self, storage: Storage) -> None:
        of = add_project(storage)
        old, other = add_memory(storage, of), add_memory(storage, of)
        new = replace(
            memory("New", penalties=Penalties(1, 2, 3), requires_approval=True),
            id=old.id,
            min_match_percentage=90,
            updated_at=at(5),
        )

        storage.memories.update(KeptMemory(new, of.organization_id))

        assert storage.memories.find(old.id) == KeptMemory(new, of.organization_id)
        assert storage.memories.find(other.id) == KeptMemory(other, of.organization_id)

    def test_sm4_target_languages_are_listed_as_they_were_added(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        one, other = add_memory(storage, of), add_memory(storage, of)
        fr, de = (MemoryLanguage(new_id(), one.id, c, c.upper()) for c in ("fr", "de"))
        storage.memories.add_languages([fr, de])

        assert storage.memories.list_languages(one.id) == [fr, de]
        assert storage.memories.list_languages(other.id) == []
        again = MemoryLanguage(new_id(), one.id, "de", "German")
        with pytest.raises(Unavailable):
            storage.memories.add_languages([again])

    def test_sm5_a_language_goes_with_its_translations(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        storage.memories.add_languages([MemoryLanguage(new_id(), mine.id, "de", "DE")])
        both = entry(mine, "a", "de:x", "fr:y")
        kept = entry(other, "a", "de:x")
        add_entries(storage, [both])
        add_entries(storage, [kept])

        with storage.transaction():
            writing = storage.memories.begin(mine.id)
            assert writing is not None
            storage.memories.remove_language(writing, "de")

        assert storage.memories.list_languages(mine.id) == []
        [left] = storage.memories.list_entries(mine.id, EntryFilter(), ALL).items
        assert [each.language_code for each in left.translations] == ["fr"]
        assert storage.memories.find_entry(other.id, kept.id) == kept

    def test_sm18_the_translations_in_a_language_go_in_pieces(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage, add_project(storage))
        other = add_memory(storage, add_project(storage))
        made = [
            entry(mine, str(at), *["de:x"] * (at % 3 > 0), "fr:y") for at in range(9)
        ]
        kept = entry(other, "a", "de:x")
        add_entries(storage, made)
        add_entries(storage, [kept])
        head = storage.memory_texts.revisions([mine.id])[mine.id]

        left = []
        done: int | None = 0
        while done is not None:
            with storage.transaction():
                writing = storage.memories.begin(mine.id)
                assert writing is not None
                done = storage.memories.remove_translations_in(writing, "de", done, 4)
            found = storage.memories.list_entries(mine.id, EntryFilter(), ALL).items
            codes = [t.language_code for each in found for t in each.translations]
            left.append((codes.count("de"), codes.count("fr")))

        assert left == [(2, 9), (0, 9)]
        changed = {
            each.entry_id for each in storage.memory_texts.changes(mine.id, head)
        }
        assert changed == {each.id for at, each in enumerate(made) if at % 3}
        assert storage.memories.find_entry(other.id, kept.id) == kept

    def test_sm6_projects_use_memories_in_the_order_of_their_priorities(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        a, b, c = (add_memory(storage, of, name) for name in "abc")
        uses = [
            Assignment(a.id, True, "approved", 2, 0),
            Assignment(b.id, False, "all", 1, 7),
            Assignment(c.id, True, "none", 1, 100),
        ]
        for use in uses:
            storage.memories.assign(of.id, use)
        storage.memories.assign(other.id, uses[0])

        found = storage.memories.list_assigned(of.id)

        assert [one.assignment for one in found] == [uses[1], uses[2], uses[0]]
        assert [one.memory for one in found] == [b, c, a]
        assert set(storage.memories.projects_of(a.id)) == {of.id, other.id}
        first = replace(uses[0], priority=0, write_mode="none")
        storage.memories.assign(of.id, first)
        assert storage.memories.list_assigned(of.id)[0].assignment == first
        storage.memories.unassign(of.id, a.id)
        assert len(storage.memories.list_assigned(of.id)) == 2
        assert storage.memories.projects_of(a.id) == [other.id]

    def test_sm7_an_entry_comes_back_as_it_was(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [
            entry(mine, text, f"de:{text}", context=name)
            for name, text in TEXTS.items()
        ]
        waiting = TermTranslation("fr", "", "pending_review", None, "Payer")
        made.append(entry(mine, "Pay", translations=(waiting,)))
        add_entries(storage, made)

        ids = [one.id for one in made]
        assert storage.memories.find_entries(mine.id, ids) == {
            one.id: one for one in made
        }
        assert storage.memories.find_entry(mine.id, made[0].id) == made[0]
        assert storage.memories.find_entry(other.id, made[0].id) is None
        texts = {(one.source_text, one.context): one for one in made}
        found = storage.memories.find_entries_by_text(mine.id, [*texts, ("Pay", "x")])
        assert found == texts
        assert storage.memories.find_entries_by_text(other.id, texts) == {}
        kept = storage.memories.find(mine.id)
        assert kept is not None
        assert kept.memory.entry_count == len(made)

    def test_sm8_two_entries_of_one_text_and_context_cannot_be(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage, add_project(storage))
        add_entries(storage, [entry(mine, "Pay"), entry(mine, "Pay", context="x")])

        with pytest.raises(Unavailable):
            add_entries(storage, [entry(mine, "Pay")])

        found = storage.memories.list_entries(mine.id, EntryFilter(), ALL)
        assert (len(found.items), found.total) == (2, 2)

    def test_sm9_entries_are_listed_as_they_were_made(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [entry(mine, f"t{number}", updated_at=at(number)) for number in range(5)]
        add_entries(storage, made)
        add_entries(storage, [entry(other)])

        def listed(page: PageRequest) -> list[MemoryEntry]:
            found = storage.memories.list_entries(mine.id, EntryFilter(), page)
            assert found.total == 5
            return found.items

        assert listed(ALL) == made
        assert listed(EntryQuery(sort="-createdAt", limit=2)) == made[:2:-1]
        assert listed(EntryQuery(sort="-updatedAt", page=2, limit=2)) == made[2:0:-1]
        assert listed(PageRequest(page=9)) == []

    def test_sm19_entries_are_found_by_how_they_stand(self, storage: Storage) -> None:
        mine = add_memory(storage, add_project(storage))
        add_entries(storage, [entry(mine, "a", "de:x"), entry(mine, "b")])
        wanted = {EntryFilter(status="approved"): "a"}
        wanted[EntryFilter(status="untranslated")] = "b"
        for where, text in wanted.items():
            [found] = storage.memories.list_entries(mine.id, where, ALL).items
            assert found.source_text == text

    def test_sm10_entries_are_found_by_a_part_of_their_texts(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage, add_project(storage))
        pay = entry(mine, "Pay  100%\nnow", "de:Jetzt ZAHLEN", "fr:Payer")
        other = entry(mine, "Größe_x", "de:anders")
        add_entries(storage, [pay, other])

        def found(search: str | None, code: str | None = None) -> list[str]:
            where = EntryFilter(search and folded(search), code)
            page = storage.memories.list_entries(mine.id, where, ALL)
            assert page.total == len(page.items)
            return [one.source_text for one in page.items]

        assert found("pay 100% NOW") == [pay.source_text]
        assert found("GRÖSSE_X") == [other.source_text]
        assert found("0_") == found("1%0") == found("'") == []
        assert found("zahlen") == found("PAYER") == [pay.source_text]
        assert found("zahlen", "fr") == []
        assert found("now", "fr") == [pay.source_text]
        assert found(None, "fr") == [pay.source_text]
        assert found(None, "de") == [pay.source_text, other.source_text]

    def test_sm11_a_saved_entry_is_changed_and_its_translations_stay(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage, add_project(storage))
        old, other = entry(mine, "a", "de:x"), entry(mine, "b", "de:y")
        add_entries(storage, [old, other])
        new = replace(old, source_text="c", context="d", updated_at=at(4))

        with storage.transaction():
            writing = storage.memories.begin(mine.id)
            assert writing is not None
            storage.memories.save_entries(writing, [replace(new, translations=())])

        assert storage.memories.find_entry(mine.id, old.id) == new
        assert storage.memories.find_entry(mine.id, other.id) == other
        texts = [("a", ""), ("c", "d")]
        assert storage.memories.find_entries_by_text(mine.id, texts) == {texts[1]: new}

    def test_sm12_translations_are_put_and_taken_away(self, storage: Storage) -> None:
        mine = add_memory(storage, add_project(storage))
        one, other = entry(mine, "a", "de:x", "fr:y"), entry(mine, "b", "de:z")
        add_entries(storage, [one, other])
        new = TermTranslation("de", "new", "approved", at(2), "newer")
        draft = TermTranslation("ar", "d", "draft", None, None)

        with storage.transaction():
            writing = storage.memories.begin(mine.id)
            assert writing is not None
            storage.memories.put_translations(
                writing,
                [
                    StoredTranslation(one.id, new, at(3)),
                    StoredTranslation(one.id, draft, at(3), is_learned=True),
                ],
            )
            storage.memories.remove_translations(writing, [(other.id, "de")], at(5))

        fr = one.translations[1]
        found = storage.memories.find_entries(mine.id, [one.id, other.id])
        assert found[one.id].translations == (draft, new, fr)
        assert found[one.id].updated_at == at(3)
        assert found[other.id].translations == ()
        assert found[other.id].updated_at == at(5)
        kept = storage.memories.translations_of(mine.id, [one.id, other.id])
        assert set(kept) == {one.id}
        assert {each.translation: each.is_learned for each in kept[one.id]} == {
            draft: True,
            new: False,
            fr: False,
        }

    def test_sm13_removed_entries_are_found_by_no_question(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage, add_project(storage))
        gone, kept = entry(mine, "a", "de:x"), entry(mine, "b", "de:y")
        add_entries(storage, [gone, kept])

        with storage.transaction():
            writing = storage.memories.begin(mine.id)
            assert writing is not None
            storage.memories.remove_entries(writing, [gone.id, new_id()])

        found = storage.memories.list_entries(mine.id, EntryFilter(), ALL)
        assert (found.items, found.total) == ([kept], 1)
        assert storage.memories.find_entry(mine.id, gone.id) is None
        assert storage.memories.translations_of(mine.id, [gone.id]) == {}
        add_entries(storage, [entry(mine, "a")])  # its text is free again

    def test_sm14_of_a_deleted_memory_nothing_is_found(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        for one in (mine, other):
            add_entries(storage, [entry(one, f"{n}", "de:x") for n in range(5)])
            storage.memories.assign(of.id, Assignment(one.id, True, "all", 0, 0))

        storage.memories.delete(mine.id, at(1))

        page = storage.memories.list_memories(None, ALL)
        assert [one.id for one in page.items] == [other.id]
        assert storage.memories.find(mine.id) is None
        assert storage.memories.list_entries(mine.id, EntryFilter(), ALL).items == []
        [left] = storage.memories.list_assigned(of.id)
        assert left.assignment.tm_id == other.id
        with storage.transaction():
            assert storage.memories.begin(mine.id) is None
        assert storage.purge("memories", at(0), 100) == 0
        gone = [storage.purge("memories", at(2), 3) for _ in range(4)]
        assert gone[0] == 3
        assert gone[-1] == 0
        found = storage.memories.list_entries(other.id, EntryFilter(), ALL)
        assert (len(found.items), found.total) == (5, 5)

    def test_sm15_entries_are_written_in_a_transaction(self, storage: Storage) -> None:
        mine = add_memory(storage, add_project(storage))

        with pytest.raises(RuntimeError):
            storage.memories.begin(mine.id)
        with pytest.raises(RuntimeError):
            storage.memories.lock(mine.id)

        with storage.transaction():
            first = storage.memories.begin(mine.id)
        with storage.transaction():
            second = storage.memories.begin(mine.id)
        assert first is not None
        assert second is not None
        assert second.revision > first.revision

    def test_sm17_all_entries_are_told_as_they_were_made(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [entry(mine, f"t{n}", "de:x", "fr:y") for n in range(1200)]
        made.append(entry(mine, "bare"))
        add_entries(storage, made)
        add_entries(storage, [entry(other)])

        assert list(storage.memories.walk_entries(mine.id)) == made

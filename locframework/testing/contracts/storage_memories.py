"""Contract of the memory store: memories, entries, and links to the keys they learn."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Scope
from locframework.errors import Unavailable
from locframework.fields import new_id, slug
from locframework.languages import folded
from locframework.memories.matching.port import encode_note
from locframework.memories.matching.records import MatchSource, ValueStatus
from locframework.memories.records import (
    Assignment,
    EntryFilter,
    EntryQuery,
    KeyLink,
    MemoryEntry,
    MemoryLanguage,
    MemoryQuery,
    MemoryWriting,
    Penalties,
    StoredMemory,
    StoredTranslation,
    TranslationMemory,
)
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_records import ALL, TEXTS, add_project, at

CODES = ("ar", "de", "fr")
STATUSES: tuple[ValueStatus, ...] = ("approved", "draft")


def memory(name: str = "Main", **changes: Any) -> TranslationMemory:
    id_ = new_id()
    made = TranslationMemory(
        id=id_,
        slug=slug(name, id_),
        name=name,
        source_language="en",
        min_match_percentage=70,
        penalties=Penalties(),
        requires_approval=False,
        entry_count=0,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def add_memory(
    storage: Storage, of: Project | None = None, name: str = "Main"
) -> TranslationMemory:
    made = memory(name)
    owner = of or add_project(storage)
    storage.memories.insert(StoredMemory(made, owner.organization_id))
    return made


def add_languages(storage: Storage, of: TranslationMemory, *codes: str) -> None:
    storage.memories.add_languages(
        [MemoryLanguage(new_id(), of.id, code, code) for code in codes]
    )


def entry(
    of: TranslationMemory, text: str = "Pay", *translations: str, **changes: Any
) -> MemoryEntry:
    """Return an entry; ``translations`` are languages with a colon and the value."""
    parts = [each.partition(":") for each in translations]
    made = MemoryEntry(
        id=new_id(),
        tm_id=of.id,
        source_text=text,
        context="",
        created_at=at(0),
        updated_at=at(0),
        translations=tuple(
            TermTranslation(code, value, "approved", at(0), None)
            for code, _, value in parts
        ),
    )
    return replace(made, **changes)


def add_entries(storage: Storage, entries: Sequence[MemoryEntry]) -> None:
    with storage.transaction():
        writing = storage.memories.begin(entries[0].tm_id)
        assert writing is not None
        storage.memories.add_entries(writing, entries)


@contextmanager
def write(storage: Storage, of: TranslationMemory) -> Iterator[MemoryWriting]:
    with storage.transaction():
        writing = storage.memories.begin(of.id)
        assert writing is not None
        yield writing


def all_entries(storage: Storage, of: TranslationMemory) -> list[MemoryEntry]:
    found = storage.memories.list_entries(of.id, EntryFilter(), ALL)
    assert found.total == len(found.items)
    return found.items


class StorageMemoriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_memories_are_listed_by_scope_search_and_project(
        self, storage: Storage
    ) -> None:
        mine, theirs = add_project(storage), add_project(storage)
        add_memory(storage, mine, "Häfen  \tund 100%")
        b, _ = add_memory(storage, mine, "b"), add_memory(storage, theirs, "far")
        storage.memories.assign(mine.id, Assignment(b.id, True, "none", 0, 0))

        def listed(
            *scopes: Scope, sort: str = "name", every: bool = False, **where: str
        ) -> list[str]:
            page = storage.memories.list_memories(
                None if every else scopes,
                MemoryQuery(sort=sort),  # type: ignore[arg-type]
                **where,
            )
            assert page.total == len(page.items)
            return [one.name[0] for one in page.items]

        whole = Scope(mine.organization_id)
        assert listed(whole) == ["H", "b"]
        assert listed(whole, sort="-name") == ["b", "H"]
        assert listed(Scope(mine.organization_id, mine.id)) == ["b"]
        assert listed(Scope(theirs.organization_id, mine.id)) == []
        assert (listed(), listed(every=True)) == ([], ["H", "b", "f"])
        assert listed(whole, project_id=mine.id) == ["b"]
        assert listed(whole, project_id=theirs.id) == []
        assert listed(Scope(theirs.organization_id), project_id=mine.id) == []
        assert listed(whole, search="häfen und") == listed(whole, search="%") == ["H"]

    def test_languages_are_deleted_with_their_translations_in_pieces(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [entry(mine, f"{n}", *["de:x"] * (n % 3 > 0), "fr:y") for n in range(9)]
        kept = entry(other, "a", "de:x")
        add_entries(storage, made)
        add_entries(storage, [kept])
        fr, de = (MemoryLanguage(new_id(), mine.id, c, c.upper()) for c in ("fr", "de"))
        storage.memories.add_languages([fr, de])
        assert storage.memories.list_languages(mine.id) == [fr, de]
        revision = storage.memory_texts.revisions([mine.id])[mine.id]

        left = []
        done: int | None = 0
        while done is not None:
            with write(storage, mine) as writing:
                done = storage.memories.delete_language(writing, "de", done, 4)
            codes = [
                each.language_code
                for one in all_entries(storage, mine)
                for each in one.translations
            ]
            left.append((codes.count("de"), codes.count("fr")))

        assert left == [(2, 9), (0, 9)]
        assert storage.memories.list_languages(mine.id) == [fr]
        changes = storage.memory_texts.changes(mine.id, revision)
        assert {each.entry_id for each in changes} == {
            each.id for n, each in enumerate(made) if n % 3
        }
        assert all_entries(storage, other) == [kept]

    def test_assigned_memories_are_listed_by_priority(self, storage: Storage) -> None:
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
        storage.projects.delete(other.id, at(1))
        assert storage.memories.projects_of(a.id) == []

    def test_entries_with_any_text_are_found_by_id_and_text(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [
            entry(mine, text, f"de:{text}", context=name)
            for name, text in TEXTS.items()
        ]
        proposal = TermTranslation("fr", "", "pending_review", None, "Payer")
        made.append(entry(mine, "Pay", translations=(proposal,)))
        add_entries(storage, made)

        by_id = {one.id: one for one in made}
        assert storage.memories.find_entries(mine.id, by_id) == by_id
        assert storage.memories.find_entries(other.id, by_id) == {}
        texts = {(one.source_text, one.context): one.id for one in made}
        ids = storage.memories.entry_ids_by_text
        assert ids(mine.id, [*texts, ("Pay", "x")]) == texts
        assert ids(other.id, texts) == {}
        found = storage.memories.find(mine.id)
        assert found is not None
        assert found.memory.entry_count == len(made)

    def test_second_entry_with_the_same_text_and_context_is_refused(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage)
        made = [entry(mine, "Pay"), entry(mine, "Pay", context="x")]
        add_entries(storage, made)

        with pytest.raises(Unavailable):
            add_entries(storage, [entry(mine, "Pay")])

        assert all_entries(storage, mine) == made

    def test_entries_are_listed_and_streamed_in_order(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        made = [
            entry(mine, f"t{n}", *["de:x", "fr:y"][: n % 3], updated_at=at(n % 60))
            for n in range(1100)
        ]
        add_entries(storage, made)
        add_entries(storage, [entry(other)])

        def listed(page: PageRequest) -> list[MemoryEntry]:
            found = storage.memories.list_entries(mine.id, EntryFilter(), page)
            assert found.total == len(made)
            return found.items

        assert list(storage.memories.stream_entries(mine.id)) == made
        assert listed(PageRequest(page=2)) == made[50:100]
        assert listed(EntryQuery(sort="-createdAt", limit=2)) == made[:-3:-1]
        latest = [each for each in made if each.updated_at == at(59)][::-1]
        assert listed(EntryQuery(sort="-updatedAt", limit=9)) == latest[:9]
        assert listed(PageRequest(page=99)) == []

    def test_entries_are_filtered_by_text_language_and_status(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage)
        pay = entry(mine, "Pay  100%\nnow", "de:Jetzt ZAHLEN", "fr:Payer")
        other, bare = entry(mine, "Größe_x", "de:anders"), entry(mine, "bare")
        add_entries(storage, [pay, other, bare])

        def found(search: str | None = None, **where: Any) -> list[MemoryEntry]:
            asked = EntryFilter(search and folded(search), **where)
            page = storage.memories.list_entries(mine.id, asked, ALL)
            assert page.total == len(page.items)
            return page.items

        assert found("pay 100% NOW") == [pay]
        assert found("GRÖSSE_X") == [other]
        assert found("0_") == found("1%0") == found("'") == []
        assert found("zahlen") == found("PAYER") == [pay]
        assert found("zahlen", language_code="fr") == []
        assert found("now", language_code="fr") == found(language_code="fr") == [pay]
        assert found(language_code="de") == found(status="approved") == [pay, other]
        assert found(status="untranslated") == [bare]

    def test_entries_and_translations_are_changed_by_themselves(
        self, storage: Storage
    ) -> None:
        mine = add_memory(storage)
        old, other = entry(mine, "a", "de:x", "fr:y"), entry(mine, "b", "de:z")
        add_entries(storage, [old, other])
        new = replace(old, source_text="c", context="d", updated_at=at(3))
        value = TermTranslation("de", "new", "approved", at(2), "newer")
        draft = TermTranslation("ar", "d", "draft", None, None)

        with write(storage, mine) as writing:
            storage.memories.save_entries(writing, [replace(new, translations=())])
            storage.memories.put_translations(
                writing,
                [
                    StoredTranslation(old.id, value, at(3)),
                    StoredTranslation(old.id, draft, at(3), is_learned=True),
                ],
            )
            storage.memories.remove_translations(writing, [(other.id, "de")], at(5))

        french = old.translations[1]
        assert all_entries(storage, mine) == [
            replace(new, translations=(draft, value, french)),
            replace(other, translations=(), updated_at=at(5)),
        ]
        stored = storage.memories.translations_of(mine.id, [old.id, other.id])
        assert {each.translation: each.is_learned for each in stored[old.id]} == {
            draft: True,
            value: False,
            french: False,
        }
        texts = [("a", ""), ("c", "d")]
        ids = storage.memories.entry_ids_by_text(mine.id, texts)
        assert ids == {texts[1]: old.id}

    def test_removed_entries_are_not_found_and_free_their_text(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        gone, kept = entry(mine, "a", "de:x"), entry(mine, "b", "de:y")
        links = [KeyLink(of.id, new_id(), None, each.id) for each in (gone, kept)]
        add_entries(storage, [gone, kept])

        with write(storage, mine) as writing:
            storage.memories.replace_links(writing, [], links)
            storage.memories.remove_entries(writing, [gone.id, new_id()])

        assert all_entries(storage, mine) == [kept]
        assert storage.memories.translations_of(mine.id, [gone.id]) == {}
        keys = [link.key_id for link in links]
        assert storage.memories.find_links(mine.id, key_ids=keys) == [links[1]]
        add_entries(storage, [entry(mine, "a")])

    def test_deleted_memory_is_hidden_and_purged_in_pieces(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        for one in (mine, other):
            made = [entry(one, f"{n}", "de:x") for n in range(5)]
            link = KeyLink(of.id, new_id(), None, made[0].id)
            storage.memories.assign(of.id, Assignment(one.id, True, "all", 0, 0))
            with write(storage, one) as writing:
                storage.memories.add_entries(writing, made)
                storage.memories.replace_links(writing, [], [link])

        storage.memories.delete(mine.id, at(1))

        page = storage.memories.list_memories(None, ALL)
        assert [one.id for one in page.items] == [other.id]
        assert storage.memories.find(mine.id) is None
        assert all_entries(storage, mine) == []
        assert storage.memories.find_links(mine.id, key_ids=[link.key_id]) == []
        assert [each.memory.id for each in storage.memories.list_assigned(of.id)] == [
            other.id
        ]
        with storage.transaction():
            assert storage.memories.begin(mine.id) is None
        assert storage.purge("memories", at(1), 100) == 0
        purged = [storage.purge("memories", at(2), 3) for _ in range(4)]
        assert (purged[0], purged[-1]) == (3, 0)
        assert len(all_entries(storage, other)) == 5

    def test_each_write_has_a_higher_revision(self, storage: Storage) -> None:
        mine = add_memory(storage)

        with pytest.raises(RuntimeError):  # outside a transaction
            storage.memories.begin(mine.id)
        with write(storage, mine) as first:
            pass
        with write(storage, mine) as second:
            pass

        assert second.revision > first.revision

    # links

    def test_links_are_found_by_key_and_by_entry(self, storage: Storage) -> None:
        of = add_project(storage)
        mine, other = add_memory(storage, of), add_memory(storage, of)
        a, b = entry(mine, "a"), entry(mine, "b")
        add_entries(storage, [a, b])
        plain = KeyLink(of.id, new_id(), None, a.id)
        one = KeyLink(of.id, new_id(), "one", a.id)
        many = KeyLink(of.id, one.key_id, "other", b.id)
        with write(storage, mine) as writing:
            storage.memories.replace_links(writing, [], [plain, one, many])
        find = storage.memories.find_links

        assert set(find(mine.id, key_ids=[one.key_id, new_id()])) == {one, many}
        assert set(find(mine.id, entry_ids=[a.id])) == {plain, one}
        assert find(other.id, key_ids=[one.key_id]) == []
        assert find(other.id, entry_ids=[a.id]) == []

        moved = replace(one, entry_id=b.id)
        with write(storage, mine) as writing:
            storage.memories.replace_links(writing, [one, many, plain], [plain, moved])
        keys = [plain.key_id, one.key_id]
        assert set(find(mine.id, key_ids=keys)) == {plain, moved}

    def test_detached_entries_stay_without_links(self, storage: Storage) -> None:
        of = add_project(storage)
        mine = add_memory(storage, of)
        made = [entry(mine, text, "de:x") for text in "ab"]
        links = [KeyLink(of.id, new_id(), None, each.id) for each in made]
        ids = [each.id for each in made]
        with write(storage, mine) as writing:
            storage.memories.add_entries(writing, made, learned=True)
            storage.memories.replace_links(writing, [], links)
        assert storage.memories.learned_entries(mine.id, ids) == {*ids}

        with write(storage, mine) as writing:
            storage.memories.detach_entries(writing, ids[:1])

        assert storage.memories.learned_entries(mine.id, ids) == {ids[1]}
        rows = storage.memories.translations_of(mine.id, ids)
        assert [rows[id_][0].is_learned for id_ in ids] == [False, True]
        assert storage.memories.find_links(mine.id, entry_ids=ids) == links[1:]

    def test_linked_keys_are_those_of_a_project(self, storage: Storage) -> None:
        of, far = add_project(storage), add_project(storage)
        mine = add_memory(storage, of)
        add_entries(storage, [made := entry(mine, "a")])
        keys = [new_id() for _ in range(3)]
        links = [KeyLink(of.id, key, None, made.id) for key in keys[:2]]
        links += [KeyLink(of.id, keys[0], "one", made.id)]
        links += [KeyLink(far.id, keys[2], None, made.id)]
        with write(storage, mine) as writing:
            storage.memories.replace_links(writing, [], links)

        assert storage.memories.linked_keys(of.id) == {*keys[:2]}
        assert storage.memories.linked_keys(new_id()) == set()

    # what matching compares

    def test_match_sources_are_what_is_compared_of_entries(
        self, storage: Storage
    ) -> None:
        of = add_memory(storage)
        one = entry(of, "Pay  NOW", "de:Zahlen", context="a", updated_at=at(3))
        two = entry(of, "Buy")
        add_entries(storage, [one, two])

        found = storage.memory_texts.match_sources([two.id, one.id, new_id()])

        assert {
            id_: replace(each, values_digest="") for id_, each in found.items()
        } == {
            two.id: MatchSource("Buy", "", two.updated_at, ""),
            one.id: MatchSource("Pay  NOW", "a", at(3), ""),
        }
        assert storage.memory_texts.match_sources([]) == {}

    def test_digest_of_values_is_equal_exactly_for_equal_values(
        self, storage: Storage
    ) -> None:
        of, chosen = add_memory(storage), random.Random(4)
        made = [
            entry(of, "Pay", *[["de:x", "fr:y"], ["de:x"], []][n % 3], context=str(n))
            for n in range(12)
        ]
        ids = [each.id for each in made]
        notes: dict[str, bytes] = {}
        revision = 0

        for step in range(12):
            with write(storage, of) as writing:
                if not step:
                    storage.memories.add_entries(writing, made)
                elif step == 11:
                    storage.memories.delete_language(writing, "de", 0, 99)
                elif step == 10:
                    storage.memories.delete_language(writing, "fr", 0, 5)
                else:
                    _write_some(storage, writing, ids, chosen)
            for change in storage.memory_texts.changes(of.id, revision):
                notes[change.entry_id] = change.note
            revision = storage.memory_texts.revisions([of.id])[of.id]
            with storage.memory_texts.snapshot():
                sources = storage.memory_texts.match_sources(ids)
                values = storage.memory_texts.applied_values(ids, CODES)
            said = {id_: frozenset(values.get(id_, [])) for id_ in ids}
            pairs = {(each.values_digest, said[id_]) for id_, each in sources.items()}
            digests = {each.values_digest for each in sources.values()}
            assert len(pairs) == len(digests) == len(set(said.values()))
            assert notes == {id_: encode_note(each) for id_, each in sources.items()}


def _write_some(
    storage: Storage, writing: MemoryWriting, ids: list[str], chosen: random.Random
) -> None:
    put = []
    for id_ in chosen.sample(ids, 4):
        code, value = chosen.choice(CODES), chosen.choice(("x", "y", ""))
        status: Any = chosen.choice(STATUSES) if value else "pending_review"
        proposal = None if value else "z"
        translation = TermTranslation(code, value, status, None, proposal)
        put.append(StoredTranslation(id_, translation, at(2)))
    storage.memories.put_translations(writing, put)
    gone = [(id_, chosen.choice(CODES)) for id_ in chosen.sample(ids, 2)]
    storage.memories.remove_translations(writing, gone, at(3))

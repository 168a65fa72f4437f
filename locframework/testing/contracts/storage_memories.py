"""Contract of translation memories: entries, links to keys, and texts to search."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from operator import attrgetter
from random import Random
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from locframework.errors import Unavailable
from locframework.fields import new_id, slug
from locframework.languages import folded
from locframework.memories.matching.port import Forgotten
from locframework.memories.matching.records import (
    Concordance,
    FoundTranslation,
    MatchSource,
    MatchValue,
    SearchIn,
)
from locframework.memories.matching.scoring import match_fold
from locframework.memories.records import (
    Assignment,
    EntryQuery,
    KeyLink,
    MemoryEntry,
    MemoryLanguage,
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

from .storage_glossaries import in_language, meets, random_filter, random_translation
from .storage_records import ALL, TEXTS, add_project, at, sample

T = TypeVar("T")

CODES = ("de", "fr", "ja")
SOURCES = (
    *("Pay  100%\nnow", "PAY", "Größe_x", 'say "hi"', "設定を保存", " Pay\t!", "a*"),
    *("Anleger", "pay 100% now or later", "<a_b> (x:y) \\ '-- {a}"),
)
PARTS = (
    *("pay", "pay 100%", "größe_", "0_", "%", '"', "設定", "定を保", "anleger", "z"),
    *("pay 100% now or later", "nowhere", "a or b", "*", "(x:", "\\", "'--"),
    *("^a", "_b"),
)
SEARCH_IN: tuple[SearchIn, ...] = ("source", "target", "both")


def memory(name: str | None = None, **changes: Any) -> TranslationMemory:
    name = f"Main {new_id()}" if name is None else name
    fields = {"name": name, "slug": slug(name, new_id()), "source_language": "en"}
    more = {"min_match_percentage": 70, "penalties": Penalties()}
    return sample(TranslationMemory, fields | more, changes)


def add_memory(
    storage: Storage, of: Project | None = None, name: str | None = None
) -> TranslationMemory:
    made = memory(name)
    owner = of or add_project(storage)
    storage.memories.insert(StoredMemory(made, owner.organization_id))
    return made


def entry(
    of: TranslationMemory, text: str = "Pay", *translations: str, **changes: Any
) -> MemoryEntry:
    """Return an entry; ``translations`` are languages with a colon and the value."""
    parts = [each.partition(":") for each in translations]
    values = tuple(
        TermTranslation(code, value, "approved", at(0), None)
        for code, _, value in parts
    )
    fields = {"tm_id": of.id, "source_text": text, "translations": values}
    return sample(MemoryEntry, fields, changes)


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
    found = storage.memories.list_entries(of.id, EntryQuery(limit=200))
    assert found.total == len(found.items)
    return found.items


def expected(entries: Sequence[MemoryEntry], asked: Concordance) -> list[str]:
    """Return the ids that a search must find, by reading all entries."""
    found = []
    for each in entries:
        texts = [each.source_text] if asked.search_in != "target" else []
        if asked.search_in != "source":
            texts += [
                one.value
                for one in each.translations
                if asked.language_codes is None
                or one.language_code in asked.language_codes
            ]
        if any(asked.text in folded(text) for text in texts):
            whole = any(asked.text == folded(text) for text in texts)
            found.append((not whole, len(each.source_text), each))
    found.sort(key=lambda one: one[2].id)
    found.sort(key=lambda one: one[2].updated_at, reverse=True)
    found.sort(key=lambda one: one[:2])
    return [each.id for _, _, each in found]


class MemoryModel:
    """A memory, what it must have, and writes to choose from."""

    def __init__(self, storage: Storage, random: Random, of: Project) -> None:
        self.storage, self.random, self.of = storage, random, of
        self.memory, self.clock = add_memory(storage, of), count(1)
        self.languages = [self._add_language(code) for code in CODES]
        self.entries: dict[str, MemoryEntry] = {}  # in the order of their creation
        self.learned: dict[str, bool] = {}
        self.learned_values: dict[tuple[str, str], bool] = {}
        self.links: list[KeyLink] = []
        self.keys = [new_id() for _ in range(4)]
        self.segments: dict[str, str | None] = {}  # a matcher's copy
        self.reached = 0

    def write(self) -> None:
        steps: list[Callable[[MemoryWriting], None]] = [
            *[self.add, self.put] * 3,
            *(self.save, self.remove, self.put, self.link, self.link),
            *(self.detach, self.delete_language),
        ]
        with write(self.storage, self.memory) as writing:
            self.random.choice(steps)(writing)

    # writes

    def add(self, writing: MemoryWriting) -> None:
        learned = self.random.random() < 0.5
        made = []
        for text, context in self._free_texts()[: self.random.randint(1, 4)]:
            id_, now = new_id(), self._now()
            values = [random_translation(self.random, code) for code in self._codes()]
            made.append(
                MemoryEntry(id_, self.memory.id, text, context, now, now, (*values,))
            )
            self.entries[id_], self.learned[id_] = made[-1], learned
            for each in values:
                self.learned_values[id_, each.language_code] = learned
        self.storage.memories.add_entries(writing, made, learned=learned)

    def save(self, writing: MemoryWriting) -> None:
        new = []
        for id_, (text, context) in zip(self._some(), self._free_texts(), strict=False):
            new.append(
                replace(
                    self.entries[id_],
                    source_text=text,
                    context=context,
                    updated_at=self._now(),
                )
            )
            self.entries[id_] = new[-1]
        bare = [replace(each, translations=()) for each in new]
        self.storage.memories.save_entries(writing, bare)

    def remove(self, writing: MemoryWriting) -> None:
        ids, only = self._some(), self.random.random() < 0.5
        gone = self.storage.memories.remove_entries(
            writing, [*ids, new_id()], only_learned=only
        )
        assert gone == {id_ for id_ in ids if self.learned[id_] or not only}
        self._forget(gone)

    def put(self, writing: MemoryWriting) -> None:
        """Remove some translations, and put others."""
        at_, stored = self._now(), []
        removed = [(id_, code) for id_ in self._some() for code in self._codes()]
        for id_, code in removed:
            self._replace_value(id_, code, [], at_)
        for id_ in self._some():
            now, learned = self._now(), self.random.random() < 0.5
            for code in self._codes():
                made = random_translation(self.random, code)
                stored.append(StoredTranslation(id_, made, now, learned))
                self._replace_value(id_, code, [made], now)
                self.learned_values[id_, code] = learned
        self.storage.memories.write_translations(writing, stored, at_, removed)

    def link(self, writing: MemoryWriting) -> None:
        """Replace all links of a key, which may have one for each plural form."""
        key_id = self.random.choice(self.keys)
        old = [each for each in self.links if each.key_id == key_id]
        forms = self.random.choice([(), (None,), ("one", "other")])
        new = [
            KeyLink(self.of.id, key_id, form, id_)
            for form, id_ in zip(forms, self._some(), strict=False)
        ]
        self.storage.memories.replace_links(writing, old, new)
        self.links = [each for each in self.links if each.key_id != key_id] + new

    def detach(self, writing: MemoryWriting) -> None:
        ids = self._some()
        self.storage.memories.detach_entries(writing, ids)
        self.links = [each for each in self.links if each.entry_id not in ids]
        for id_ in ids:
            self.learned[id_] = False
        for place in self.learned_values:
            self.learned_values[place] &= place[0] not in ids

    def delete_language(self, writing: MemoryWriting) -> None:
        """In pieces; learned entries go with their last translation."""
        gone, rows = self.random.choice(self.languages), self.random.randint(1, 3)
        code = gone.language_code
        after: int | None = 0
        pieces = 0
        while after is not None:
            after = self.storage.memories.delete_language(writing, code, after, rows)
            pieces += 1
        there = [id_ for id_ in self.entries if (id_, code) in self.learned_values]
        assert pieces == len(there) // rows + 1
        for id_ in there:
            self._replace_value(id_, code, [], self.entries[id_].updated_at)
            if self.learned[id_] and not self.entries[id_].translations:
                self._forget([id_])
        self.languages.remove(gone)
        ids = [self.memory.id, new_id()]
        assert self.storage.memories.list_languages(ids) == self.languages
        self.languages.append(self._add_language(code))

    # reads

    def check(self) -> None:
        """Compare all that is read of the memory."""
        store, id_, entries = self.storage.memories, self.memory.id, self.entries
        ids = [*entries, new_id()]
        assert store.find_entries(id_, ids) == entries
        assert store.find_entries(new_id(), ids) == {}
        assert [*store.stream_entries(id_)] == [*entries.values()]
        texts = {(one.source_text, one.context): one.id for one in entries.values()}
        asked = [*texts, *self._free_texts(), ("absent", "")]
        assert store.entry_ids_by_text(id_, asked) == texts
        wanted: dict[str, set[tuple[TermTranslation, bool]]] = {}
        for one, each in entries.items():
            for value in each.translations:
                learned = self.learned_values[one, value.language_code]
                wanted.setdefault(one, set()).add((value, learned))
        assert wanted == {
            one: {(each.translation, each.is_learned) for each in rows}
            for one, rows in store.translations_of(id_, ids).items()
        }
        some, keys = self._some(), self.keys[:2]
        assert {*store.find_links(tm_id=id_, entry_ids=some)} == {
            each for each in self.links if each.entry_id in some
        }
        assert {*store.find_links(tm_id=id_, key_ids=keys)} == {
            each for each in self.links if each.key_id in keys
        }
        linked = store.find_links(project_id=self.of.id)
        assert {each for each in linked if each.key_id in self.keys} == {*self.links}
        found = store.find(id_)
        assert found is not None
        assert found.memory == replace(self.memory, entry_count=len(entries))
        for _ in range(6):
            self._check_list()
        self._check_texts()
        self._check_search()

    def _check_list(self) -> None:
        conditions = random_filter(self.random, self.random.choice(PARTS))
        where, wanted = EntryQuery(limit=3, **conditions), []
        for each in self.entries.values():
            own = in_language(each.translations, where)
            texts = [each.source_text, *(one.value for one in own)]
            is_found = any((where.search or "") in folded(text) for text in texts)
            if is_found and meets(each.translations, where):
                wanted.append(each)
        sort = self.random.choice(["", "-createdAt", "updatedAt", "-updatedAt"])
        if "updatedAt" in sort:
            wanted.sort(key=lambda each: each.updated_at)
        if sort.startswith("-"):
            wanted.reverse()
        for page in (1, 2):
            query = replace(where, page=page, sort=sort)
            found = self.storage.memories.list_entries(self.memory.id, query)
            assert found.items == wanted[page * 3 - 3 : page * 3], (where, sort)
            assert found.total == len(wanted)

    def _check_texts(self) -> None:
        """Bring the copies up to date by what has changed since the last time."""
        texts, id_ = self.storage.memory_texts, self.memory.id
        if self.random.random() < 0.4:
            return  # changes of several writes are read together
        sources = texts.match_sources([*self.entries, new_id()])
        assert {
            one: replace(each, values_digest="") for one, each in sources.items()
        } == {
            one: MatchSource(each.source_text, each.context, each.updated_at, "")
            for one, each in self.entries.items()
        }
        values = texts.applied_values([*self.entries], CODES)
        every = {one: {*values.get(one, ())} for one in self.entries}
        assert every == {
            one: {MatchValue(*each) for each in _applied(entry_)}
            for one, entry_ in self.entries.items()
        }
        assert texts.languages_with_values([id_], ["de", "fr", "nl"]) == {
            each.language_code for there in every.values() for each in there
        } - {"ja"}
        pairs = {(sources[one].values_digest, frozenset(every[one])) for one in every}
        assert len(pairs) == len({digest for digest, _ in pairs})
        assert len(pairs) == len({values for _, values in pairs})
        head = texts.revisions([id_, new_id()])[id_]
        for each in texts.changes(id_, self.reached):
            assert self.reached < each.revision <= head
            self.segments[each.entry_id] = each.text
        self.reached = head
        there = {one: each for one, each in self.segments.items() if each is not None}
        assert there == {
            one: match_fold(each.source_text) for one, each in self.entries.items()
        }

    def _check_search(self) -> None:
        codes = self.random.choice([None, ["de"], ["ja", "de"], ["nl"]])
        where = self.random.choice(SEARCH_IN)
        part = self.random.choice(PARTS)
        asked = Concordance([self.memory.id, new_id()], part, codes, where)
        wanted = expected([*self.entries.values()], asked)
        for page in (1, 2, 9):
            request = PageRequest(page, 3)
            found = self.storage.memory_texts.search(asked, request)
            some = wanted[page * 3 - 3 : page * 3]
            assert [each.entry_id for each in found.items] == some, asked
            assert found.total == len(wanted)
            for item in found.items:
                entry_ = self.entries[item.entry_id]
                assert item.source_text == entry_.source_text
                assert item.context == entry_.context
                assert item.translations == [
                    FoundTranslation(*each)
                    for each in _applied(entry_)
                    if codes is None or each[0] in codes
                ]

    # what is chosen

    def _add_language(self, code: str) -> MemoryLanguage:
        made = MemoryLanguage(new_id(), self.memory.id, code, code.upper())
        self.storage.memories.add_languages([made])
        return made

    def _now(self) -> str:
        minute = next(self.clock)
        return at(minute % 60, hour=1 + minute // 60)

    def _some(self) -> list[str]:
        number = self.random.randint(0, min(3, len(self.entries)))
        return self.random.sample([*self.entries], number)

    def _codes(self) -> list[str]:
        return sorted(self.random.sample(CODES, self.random.randint(0, 2)))

    def _free_texts(self) -> list[tuple[str, str]]:
        taken = {(each.source_text, each.context) for each in self.entries.values()}
        texts = [(text, context) for text in SOURCES for context in ("", "x")]
        self.random.shuffle(texts)
        return [each for each in texts if each not in taken]

    def _replace_value(
        self, id_: str, code: str, new: list[TermTranslation], now: str
    ) -> None:
        old = self.entries[id_]
        rest = [each for each in old.translations if each.language_code != code]
        values = sorted([*rest, *new], key=attrgetter("language_code"))
        self.entries[id_] = replace(old, translations=(*values,), updated_at=now)
        self.learned_values.pop((id_, code), None)

    def _forget(self, ids: Collection[str]) -> None:
        self.links = [each for each in self.links if each.entry_id not in ids]
        for id_ in ids:
            del self.entries[id_], self.learned[id_]
            for code in CODES:
                self.learned_values.pop((id_, code), None)


def _applied(of: MemoryEntry) -> list[tuple[str, str, Any]]:
    values = [(one.language_code, one.value, one.status) for one in of.translations]
    return [each for each in values if each[1]]


class StorageMemoriesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.mark.parametrize("seed", range(8))
    def test_memories_have_what_a_model_has(self, storage: Storage, seed: int) -> None:
        random, of = Random(seed), add_project(storage)
        models = [MemoryModel(storage, random, of) for _ in range(2)]
        for _ in range(25):
            model = random.choice(models)
            model.write()
            model.check()
        for model in models:
            model.check()

    def test_many_entries_are_listed_and_streamed(self, storage: Storage) -> None:
        mine = add_memory(storage)
        made = [entry(mine, f"t{n}", *["de:x", "fr:y"][: n % 3]) for n in range(1100)]
        add_entries(storage, made)

        assert list(storage.memories.stream_entries(mine.id)) == made
        page = storage.memories.list_entries(mine.id, EntryQuery(page=2))
        assert (page.items, page.total) == (made[50:100], 1100)
        by_id = {each.id: each for each in made}
        assert storage.memories.find_entries(mine.id, by_id) == by_id

    def test_entries_may_have_any_text_but_of_another(self, storage: Storage) -> None:
        mine = add_memory(storage)
        made = [
            entry(mine, text, f"de:{text}", context=name)
            for name, text in [*TEXTS.items(), ("other", TEXTS["scripts"])]
        ]
        add_entries(storage, made)

        with pytest.raises(Unavailable):
            add_entries(storage, [entry(mine, TEXTS["json"], context="json")])
        assert all_entries(storage, mine) == made
        texts = {(one.source_text, one.context): one.id for one in made}
        assert storage.memories.entry_ids_by_text(mine.id, texts) == texts

    def test_assigned_memories_are_listed_by_priority(self, storage: Storage) -> None:
        of, other = add_project(storage), add_project(storage)
        a, b, c = (add_memory(storage, of, name) for name in "abc")
        uses = [
            Assignment(a.id, True, "approved", 2, 0),
            Assignment(b.id, False, "all", 1, 7),
            Assignment(c.id, True, "none", 1, 100),
        ]
        for use in uses:
            storage.memories.assign(of.id, use.tm_id, use)
        storage.memories.assign(other.id, a.id, uses[0])

        found = storage.memories.list_assigned(of.id)

        assert [one.assignment for one in found] == [uses[1], uses[2], uses[0]]
        assert [one.memory for one in found] == [b, c, a]
        assert set(storage.memories.projects_of(a.id)) == {of.id, other.id}
        first = replace(uses[0], priority=0, write_mode="none")
        storage.memories.assign(of.id, a.id, first)
        assert storage.memories.list_assigned(of.id)[0].assignment == first
        storage.memories.assign(of.id, a.id, None)
        assert len(storage.memories.list_assigned(of.id)) == 2
        storage.projects.delete(other.id, at(1))
        assert storage.memories.projects_of(a.id) == []

    def test_deleted_memory_is_hidden(self, storage: Storage) -> None:
        of, store = add_project(storage), storage.memories
        mine, other = add_memory(storage, of), add_memory(storage, of)
        links = [KeyLink(of.id, new_id(), None, new_id()) for _ in range(2)]
        for one, link in zip((mine, other), links, strict=True):
            store.assign(of.id, one.id, Assignment(one.id, True, "all", 0, 0))
            store.add_languages([MemoryLanguage(new_id(), one.id, "de", "German")])
            with write(storage, one) as writing:
                store.add_entries(writing, [entry(one, "a", "de:x", id=link.entry_id)])
                store.replace_links(writing, [], [link])

        store.delete(mine.id, at(1))

        keys, ids = [each.key_id for each in links], [mine.id, other.id]
        assert [one.id for one in store.list_memories(None, ALL).items] == [other.id]
        assert [each.memory.id for each in store.list_assigned(of.id)] == [other.id]
        assert all_entries(storage, mine) == []
        assert list(store.find_links(tm_id=mine.id, key_ids=keys)) == []
        assert list(store.find_links(tm_id=other.id, key_ids=keys)) == links[1:]
        texts = storage.memory_texts
        assert texts.languages_with_values(ids[:1], ["de"]) == set()
        assert texts.languages_with_values(ids, ["de", "fr"]) == {"de"}
        search = Concordance(ids, "a", None, "both")
        assert [each.tm_id for each in texts.search(search, ALL).items] == [other.id]
        with storage.transaction():
            assert store.begin(mine.id) is None

    @pytest.mark.parametrize("search_in", ["source", "target", "both"])
    def test_concordance_takes_languages_exactly(
        self, storage: Storage, search_in: SearchIn
    ) -> None:
        mine = add_memory(storage)
        one = entry(mine, "Pay", "de:Pay", "de-AT:Pay")
        other = entry(mine, "Pay now", "de-AT:Pay now")
        add_entries(storage, [one, other])

        found = {
            code: storage.memory_texts.search(
                Concordance([mine.id], "pay", [code], search_in), ALL
            ).items
            for code in ("de", "de-AT", "d")
        }

        shown = {
            code: [[each.language_code for each in item.translations] for item in items]
            for code, items in found.items()
        }
        no_values: list[list[str]] = [] if search_in == "target" else [[], []]
        assert shown["de"] == ([["de"]] if search_in == "target" else [["de"], []])
        assert shown["de-AT"] == [["de-AT"], ["de-AT"]]
        assert shown["d"] == no_values

    def test_write_has_a_revision_of_its_own(self, storage: Storage) -> None:
        mine, gone = add_memory(storage), add_memory(storage)
        storage.memories.delete(gone.id, at(1))
        revisions, seen = storage.memory_texts.revisions, [0]
        for is_rolled_back in (False, True, True, False):
            with suppress(ZeroDivisionError), write(storage, mine) as writing:
                found = revisions([mine.id, gone.id, new_id()])
                assert found == {mine.id: writing.revision}
                seen.append(writing.revision)
                if is_rolled_back:
                    raise ZeroDivisionError

        assert len({*seen}) == 5
        assert seen[1] < seen[4]
        for block in (storage.transaction, storage.snapshot):
            with block():
                assert storage.memory_texts.is_in_block()
            assert not storage.memory_texts.is_in_block()

    def test_removals_are_changes_until_forgotten(self, storage: Storage) -> None:
        memory, texts = add_memory(storage), storage.memory_texts
        there = [entry(memory, f"Pay {n}") for n in range(6)]
        add_entries(storage, there)

        def forget(now: int, before: int, rows: int = 9) -> int:
            with storage.transaction():
                return storage.memories.forget_removals(at(now), at(before), rows)

        revision = partial(_revision, storage, memory)

        def remove(ids: list[str]) -> None:
            with write(storage, memory) as writing:
                storage.memories.remove_entries(writing, ids)

        first = revision()
        remove([each.id for each in there[:3]])
        second = revision()
        assert forget(now=10, before=9) == 0  # from now on it is noted
        remove([there[3].id])
        assert forget(now=11, before=10) == 0  # nobody was given the time
        assert len(list(texts.changes(memory.id, first))) == 4

        assert [forget(now=20, before=11, rows=2) for _ in range(3)] == [2, 1, 0]

        with pytest.raises(Forgotten):
            next(texts.changes(memory.id, first))
        [gone] = texts.changes(memory.id, second)
        assert (gone.entry_id, gone.text) == (there[3].id, None)
        whole = {each.entry_id for each in texts.changes(memory.id, 0)}
        assert whole == {each.id for each in there[4:]}

    def test_applied_values_are_byte_for_byte(self, storage: Storage) -> None:
        odd = "\"a\" \\ ['b'] \n\r\t\x01\x1f\x7f {%s} \u2028 \ufeff 設定 \U0001f600"
        codes = [f"de-{number}" for number in range(100, 140)]
        memory = add_memory(storage)
        one = entry(memory, "Pay", *[f"{c}:{odd} {c}" for c in codes], "fr:")
        add_entries(storage, [one, other := entry(memory, "Sell", "fr:")])

        for asked in (codes, codes[:3], codes[-1:]):
            found = storage.memory_texts.applied_values(
                [one.id, other.id], [*asked, "fr"]
            )
            assert {*found} == {one.id}
            wanted = {MatchValue(code, f"{odd} {code}", "approved") for code in asked}
            assert {*found[one.id]} == wanted


def _revision(storage: Storage, of: TranslationMemory) -> int:
    return storage.memory_texts.revisions([of.id])[of.id]

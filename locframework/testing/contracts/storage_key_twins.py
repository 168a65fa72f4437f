"""The contract of Storage, clause SL15: lists of keys after any changes."""

from collections.abc import Callable
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.keys.query import position_of
from locframework.keys.records import KeyFilter, StoredKey, StoredValue
from locframework.languages import fold
from locframework.pagination import Position
from locframework.projects.records import Project
from locframework.quality.records import Finding
from locframework.storage import Storage

from .storage_key_model import KeyModel
from .storage_key_records import add_keys_project, key, value
from .storage_records import OWN_PROJECT, at, delete_language, language

T = TypeVar("T")

LANGUAGES = ("en", "de", "ja")
NAMES = tuple(f"{a}{b}" for a in ("a.", "a_", "A.", "b") for b in ("x", "y", "Z", "0"))
TAGS = ("ui", "UI", "%", "en/approved")
TEXTS = ("Straße", "設定", "100%_!", "o\u0308 Pay", "a\nb", "")
SEARCHES = ("s", "STRASSE", "設", "%", "_", "!", "ö", "a.", "\n", "nowhere", "\\")
SORTS = ("key", "-key", "createdAt", "-createdAt", "updatedAt", "-updatedAt")
CHECKS = ("length", "markup")
STATES = ("draft", "pending_review", "approved")

minutes = st.integers(0, 5).map(at)
tags = st.lists(st.sampled_from(TAGS), unique=True, max_size=2).map(tuple)
languages = st.sampled_from(LANGUAGES)
filters = st.builds(
    KeyFilter,
    search=st.none() | st.sampled_from(SEARCHES).map(fold),
    prefix=st.none() | st.sampled_from(("a.", "a_", "A", "b", "%", "")),
    tags=tags,
    language_code=st.none() | languages,
    status=st.none() | st.sampled_from((*STATES, "untranslated")),
    is_outdated=st.none() | st.booleans(),
    has_issues=st.none() | st.booleans(),
    checks=st.sampled_from((CHECKS, CHECKS[:1], CHECKS[1:])),
    is_plural=st.none() | st.booleans(),
    updated_since=st.none() | minutes,
    nothing=st.integers(0, 20).map(lambda number: number == 20),
)


class Twins:
    """A project in the store and in the model; whatever is done is done to both."""

    def __init__(self, storage: Storage, data: st.DataObject) -> None:
        self.storage = storage
        self.store = storage.keys
        self.project: Project = add_keys_project(storage, *LANGUAGES)
        self.model = KeyModel(*LANGUAGES)
        self._data = data

    def add(self) -> None:
        taken = {one.key for one in self.model.keys.values()}
        free = [name for name in NAMES if name not in taken]
        made = [self._key(name) for name in self._some(free)]
        values = {one.id: self._values(one) for one in made}
        self.store.add_keys(made, [v for those in values.values() for v in those])
        for one in made:
            self.model.add(one, values[one.id])

    def save(self) -> None:
        old = self._some(list(self.model.keys.values()))
        names = self._draw(st.permutations([one.key for one in old]))
        new = [
            replace(self._key(name), id=one.id, created_at=one.created_at)
            for one, name in zip(old, names, strict=True)
        ]
        self.store.save_keys(new)
        self.model.keys.update({one.id: one for one in new})

    def put(self) -> None:
        values = [v for one in self._those() for v in self._values(one)]
        self.store.put_values(values)
        for each in values:
            self.model.put(each)

    def remove(self) -> None:
        values = [v for one in self._those() for v in self._values(one)]
        self.store.remove_values(values)
        for each in values:
            self.model.remove(each)

    def outdate(self) -> None:
        ids = [one.id for one in self._those()]
        self.store.mark_outdated(ids, "en")
        for id_ in ids:
            self.model.outdate(id_, "en")

    def find(self) -> None:
        spots = [(one.id, self._draw(languages)) for one in self._those()]
        found = {spot: self._some(list(CHECKS)) for spot in spots}
        self.store.put_findings(
            {
                spot: [Finding("is wrong", 0, 1, check=check) for check in checks]
                for spot, checks in found.items()
            }
        )
        self.model.found.update({spot: set(each) for spot, each in found.items()})

    def throw_away(self) -> None:
        ids = [one.id for one in self._those()]
        self.store.trash_keys(self.project.id, ids, at(9))
        for id_ in ids:
            self.model.throw_away(id_)

    def restore(self) -> None:
        taken = {one.key for one in self.model.keys.values()}
        for one in list(self.model.trash.values()):
            if one.key not in taken:
                taken.add(one.key)
                self.store.restore_keys(self.project.id, [one.id], at(4))
                self.model.restore(one.id, at(4))

    def turn_over_a_language(self) -> None:
        code = self._draw(languages)
        delete_language(self.storage, self.project.id, code)
        self.model.remove_language(code)
        self.storage.projects.languages.insert(language(self.project, code))
        self.model.languages.append(code)

    def agree(self, where: KeyFilter, sort: str, limit: int) -> None:
        expected = self.model.listed(where, sort)
        found: list[StoredKey] = []
        for number in range(1, len(expected) // limit + 3):
            offset = (number - 1) * limit
            page = self.store.list_keys(
                self.project.id, where, sort, limit=limit, offset=offset
            )
            assert page.total == len(expected)
            assert len(page.items) <= limit
            found += page.items
        assert found == expected
        self.agree_behind(where, sort, limit, expected)

    def agree_behind(
        self, where: KeyFilter, sort: str, limit: int, expected: list[StoredKey]
    ) -> None:
        """A walk of the list, from one page on behind its last key."""
        found: list[StoredKey] = []
        position: Position | None = None
        while True:
            page = self.store.list_keys(
                self.project.id, where, sort, limit=limit, after=position
            )
            assert page.total == len(expected)
            found += page.items
            if not page.items:
                break
            position = position_of(page.items[-1], sort)
        assert found == expected

    def _key(self, name: str) -> StoredKey:
        return key(
            self.project,
            name,
            description=self._draw(st.sampled_from(TEXTS)),
            tags=self._draw(tags),
            is_plural=self._draw(st.booleans()),
            created_at=self._draw(minutes),
            updated_at=self._draw(minutes),
        )

    def _values(self, of: StoredKey) -> list[StoredValue]:
        forms = ("one", "other") if of.is_plural else (None,)
        places = [(code, form) for code in LANGUAGES for form in forms]
        return [
            value(
                of,
                code,
                self._draw(st.sampled_from(TEXTS)),
                form,
                status=self._draw(st.sampled_from(STATES)),
                is_outdated=self._draw(st.booleans()),
            )
            for code, form in self._some(places)
        ]

    def _those(self) -> list[StoredKey]:
        return self._some(list(self.model.keys.values()))

    def _some(self, items: list[T]) -> list[T]:
        if not items:
            return []
        return self._draw(
            st.lists(st.sampled_from(items), unique_by=_identity, max_size=6)
        )

    def _draw(self, strategy: st.SearchStrategy[T]) -> T:
        return self._data.draw(strategy)


STEPS: tuple[Callable[[Twins], None], ...] = (
    Twins.add,
    Twins.add,
    Twins.put,
    Twins.save,
    Twins.remove,
    Twins.outdate,
    Twins.find,
    Twins.find,
    Twins.throw_away,
    Twins.restore,
    Twins.turn_over_a_language,
)


limits = st.integers(1, 7)


class StorageKeyTwinsContract:
    """Give the fixture ``storage``: a migrated database for each test."""

    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=OWN_PROJECT,
    )
    @given(data=st.data())
    def test_sl15_lists_agree_with_plain_dictionaries(
        self, storage: Storage, data: st.DataObject
    ) -> None:
        twins = Twins(storage, data)
        twins.add()

        for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=8)):
            step(twins)
            sort = data.draw(st.sampled_from(SORTS))
            twins.agree(data.draw(filters), sort, data.draw(limits))

        for sort in SORTS:
            twins.agree(data.draw(filters), sort, data.draw(limits))
        found = storage.projects.find(twins.project.id)
        assert found is not None
        assert found.key_count == len(twins.model.keys)


def _identity(item: object) -> object:
    return item.id if isinstance(item, StoredKey) else item

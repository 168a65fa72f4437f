"""The contract of Storage, clause SC7: after any changes counts are a recount."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.keys.records import StoredKey, StoredValue
from locframework.keys.store import BranchKeyStore, KeyStore
from locframework.statistics.records import LanguageCounts
from locframework.statistics.rules import complete_languages, count_words
from locframework.storage import Storage

from .storage_records import (
    LANGUAGES,
    OWN_PROJECT,
    add_branch,
    add_keys_project,
    at,
    delete_language,
    key,
    language,
    value,
)
from .storage_statistics import counted

T = TypeVar("T")

TEXTS = ("Pay", "Pay now, please", "設定", "100%!", "…", "")
STATES = ("draft", "pending_review", "approved")
_WORST = {state: rank for rank, state in enumerate(STATES)}


def recounted(
    store: KeyStore, project_id: str, codes: Sequence[str], source: str
) -> tuple[int, list[LanguageCounts]]:
    """How many keys there are, and what they count: one by one, from their values."""
    ids = store.names_of(project_id).values()
    values = store.values_of(list(ids))
    found = [
        _recounted_language([values.get(id_, []) for id_ in ids], code, source)
        for code in codes
    ]
    return len(ids), found


def _recounted_language(
    keys: Sequence[Sequence[StoredValue]], code: str, source: str
) -> LanguageCounts:
    states: list[str] = []
    outdated = words = approved_words = 0
    for texts in keys:
        forms = [each for each in texts if each.language_code == code]
        if not forms:
            continue
        in_source = [each for each in texts if each.language_code == source]
        of_key = sum(count_words(_counting(each)) for each in in_source)
        state = min((each.status for each in forms), key=_WORST.__getitem__)
        states.append(state)
        outdated += any(each.is_outdated for each in forms)
        words += of_key
        approved_words += of_key if state == "approved" else 0
    return LanguageCounts(
        language_code=code,
        approved=states.count("approved"),
        pending_review=states.count("pending_review"),
        draft=states.count("draft"),
        outdated=outdated,
        words=words,
        approved_words=approved_words,
    )


def _counting(text: StoredValue) -> str:
    """The approved text, or the only one."""
    return text.value if text.approved_value is None else text.approved_value


class Lines:
    """A project with a main and two branches, changed at random."""

    def __init__(self, storage: Storage, data: st.DataObject) -> None:
        self.storage = storage
        self.project = add_keys_project(storage, *LANGUAGES)
        self.codes = list(LANGUAGES)
        self.branches: dict[str, BranchKeyStore] = {}
        for name in ("spring", "autumn"):
            made = add_branch(storage, self.project, name)
            store = storage.branch_keys(self.project.id, made.id)
            self.branches[made.id] = store
        self._data = data
        self._names = 0
        self._trash: list[tuple[KeyStore, str]] = []

    def agree(self) -> None:
        """Every line counts what its values say."""
        source = self.project.source_language
        stores: list[tuple[str | None, KeyStore]] = [(None, self.storage.keys)]
        stores += self.branches.items()
        for branch_id, store in stores:
            found = self.storage.statistics.counts_of(self.project.id, branch_id)
            wanted = recounted(store, self.project.id, self.codes, source)
            assert counted(found) == wanted
            complete = self.storage.statistics.complete_languages(
                self.project.id, branch_id
            )
            assert complete == complete_languages(found)

    def add(self) -> None:
        made = [self._key() for _ in range(self._draw(st.integers(1, 4)))]
        values = [each for one in made for each in self._values(one)]
        self._store().add_keys(made, values)

    def put(self) -> None:
        store = self._store()
        store.put_values([v for one in self._those(store) for v in self._values(one)])

    def remove(self) -> None:
        store = self._store()
        gone = [v for one in self._those(store) for v in self._values(one)]
        store.remove_values(gone, at(5))

    def outdate(self) -> None:
        store = self._store()
        ids = [one.id for one in self._those(store)]
        store.mark_outdated(ids, self.project.source_language)

    def save(self) -> None:
        store = self._store()
        made = [replace(self._key(), id=one.id) for one in self._those(store)]
        store.save_keys(made)

    def touch(self) -> None:
        store = self._store()
        store.touch_keys([one.id for one in self._those(store)], at(6))

    def throw_away(self) -> None:
        store = self._store()
        ids = [one.id for one in self._those(store)]
        store.trash_keys(self.project.id, ids, at(7))
        self._trash += [(store, id_) for id_ in ids]

    def restore(self) -> None:
        for store, id_ in self._trash:
            if store.trashed(self.project.id, [id_]):
                store.restore_keys(self.project.id, [id_], at(8))
        self._trash = []

    def purge(self) -> None:
        self.storage.purge("keys", at(9), 100)

    def forget(self) -> None:
        """What a branch has for itself, as a merge does."""
        store = self._branch()
        ids = self._some([entry.key_id for entry in store.overlay()])
        store.drop_overlay(ids)

    def turn_over_a_language(self) -> None:
        """Any but the source language, which cannot leave."""
        source = self.project.source_language
        others = [code for code in self.codes if code != source]
        code = self._draw(st.sampled_from(others))
        delete_language(self.storage, self.project.id, code)
        self.storage.projects.languages.insert(language(self.project, code))
        self.codes.remove(code)
        self.codes.append(code)

    def move_the_source(self) -> None:
        code = self._draw(st.sampled_from(self.codes))
        self.project = replace(self.project, source_language=code)
        self.storage.projects.update(self.project)

    def _store(self) -> KeyStore:
        return self._draw(
            st.sampled_from([self.storage.keys, self.storage.keys, self._branch()])
        )

    def _branch(self) -> BranchKeyStore:
        return self._draw(st.sampled_from(list(self.branches.values())))

    def _key(self) -> StoredKey:
        self._names += 1
        plural = self._draw(st.booleans())
        return key(self.project, f"k{self._names}", is_plural=plural)

    def _values(self, of: StoredKey) -> list[StoredValue]:
        forms = ("one", "other") if of.is_plural else (None,)
        places = [(code, form) for code in LANGUAGES for form in forms]
        return [self._value(of, code, form) for code, form in self._some(places)]

    def _value(self, of: StoredKey, code: str, form: str | None) -> StoredValue:
        status = self._draw(st.sampled_from(STATES))
        text, last = self._draw(st.tuples(*[st.sampled_from(TEXTS)] * 2))
        outdated = self._draw(st.booleans())
        made = value(of, code, text, form, status=status, is_outdated=outdated)
        if status == "approved":
            return made
        kept = self._draw(st.sampled_from([None, last]))
        return replace(made, approved_value=kept)

    def _those(self, store: KeyStore) -> list[StoredKey]:
        ids = sorted(store.names_of(self.project.id).values())
        return list(store.find_keys(self.project.id, self._some(ids)).values())

    def _some(self, items: Sequence[T]) -> list[T]:
        if not items:
            return []
        return self._draw(st.lists(st.sampled_from(items), unique=True, max_size=5))

    def _draw(self, strategy: st.SearchStrategy[T]) -> T:
        return self._data.draw(strategy)


STEPS: tuple[Callable[[Lines], None], ...] = (
    Lines.add,
    Lines.add,
    Lines.put,
    Lines.put,
    Lines.remove,
    Lines.outdate,
    Lines.save,
    Lines.touch,
    Lines.throw_away,
    Lines.restore,
    Lines.purge,
    Lines.forget,
    Lines.turn_over_a_language,
    Lines.move_the_source,
)


class StorageRecountContract:
    """Give the fixture ``storage``: a migrated database for each test."""

    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=OWN_PROJECT,
    )
    @given(data=st.data())
    def test_sc7_after_any_changes_counts_are_what_a_recount_finds(
        self, storage: Storage, data: st.DataObject
    ) -> None:
        lines = Lines(storage, data)
        lines.add()

        for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=10)):
            step(lines)
            lines.agree()

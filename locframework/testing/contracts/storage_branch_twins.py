"""The contract of Storage, clause SO13: a branch after any changes."""

from collections.abc import Callable
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.keys.file_records import Selection
from locframework.keys.records import KeyFilter, StoredKey, StoredValue
from locframework.storage import Storage

from .storage_key_model import KeyModel
from .storage_key_twins import LANGUAGES, SORTS, Twins, filters, limits
from .storage_records import OWN_PROJECT, add_branch, at

PREFIXES = ("a.", "a_", "A.", "b", "é")


class BranchTwins(Twins):
    """A project and a branch, in the store and in two models; ``mine`` are the keys
    that the branch has for itself."""

    def __init__(self, storage: Storage, data: st.DataObject) -> None:
        super().__init__(storage, data)
        branch = add_branch(storage, self.project)
        self.on = storage.branch_keys(self.project.id, branch.id)
        self.main = self.model
        self.own = KeyModel(*LANGUAGES)
        self.mine: set[str] = set()
        self._numbers = count(1)

    def seen(self) -> KeyModel:
        """The keys as the branch sees them."""
        model = KeyModel(*LANGUAGES)
        for id_, key in self.main.keys.items():
            if id_ not in self.mine:
                model.keys[id_], model.values[id_] = key, self.main.values[id_]
        for id_, key in self.own.keys.items():
            model.keys[id_] = replace(key, key_source="branch")
            model.values[id_] = self.own.values[id_]
        return model

    def add_to_main(self) -> None:
        made = self._fresh()
        texts = [text for key in made for text in self._values(key)]
        self.storage.keys.add_keys(made, texts)
        _add(self.main, made, texts)

    def add_to_branch(self) -> None:
        made = self._fresh()
        texts = [text for key in made for text in self._values(key)]
        self.on.add_keys(made, texts)
        _add(self.own, made, texts)
        self.mine.update(key.id for key in made)

    def put_on_main(self) -> None:
        texts = [t for key in self._some(_keys(self.main)) for t in self._values(key)]
        self.storage.keys.put_values(texts)
        for text in texts:
            self.main.put(text)

    def put_on_branch(self) -> None:
        texts = [t for key in self._adopted() for t in self._values(key)]
        self.on.put_values(texts)
        for text in texts:
            self._adopt(text.key_id)
            self.own.put(text)

    def remove_on_branch(self) -> None:
        texts = [t for key in self._adopted() for t in self._values(key)]
        self.on.remove_values(texts)
        for text in texts:
            self._adopt(text.key_id)
            self.own.remove(text)

    def save_on_branch(self) -> None:
        old = self._adopted()
        new = [
            replace(self._key(self._name()), id=key.id, created_at=key.created_at)
            for key in old
        ]
        self.on.save_keys(new)
        for key in new:
            self._adopt(key.id)
            self.own.keys[key.id] = key

    def outdate_on_branch(self) -> None:
        ids = [key.id for key in self._adopted()]
        self.on.mark_outdated(ids, "en")
        for id_ in ids:
            self._adopt(id_)
            self.own.outdate(id_, "en")

    def trash_on_main(self) -> None:
        ids = [key.id for key in self._some(_keys(self.main))]
        self.storage.keys.trash_keys(self.project.id, ids, at(9))
        for id_ in ids:
            self.main.throw_away(id_)

    def trash_on_branch(self) -> None:
        ids = [key.id for key in self._adopted()]
        self.on.trash_keys(self.project.id, ids, at(9))
        for id_ in ids:
            self._adopt(id_)
            self.own.throw_away(id_)

    def restore_on_branch(self) -> None:
        for id_ in self._some(sorted(self.own.trash)):
            self.on.restore_keys(self.project.id, [id_], at(4))
            self.own.restore(id_, at(4))

    def drop(self) -> None:
        ids = self._some(sorted(self.mine))
        self.on.drop_overlay(ids)
        for id_ in ids:
            self.mine.discard(id_)
            for kept in (self.own.keys, self.own.trash, self.own.values):
                kept.pop(id_, None)

    def agree_everywhere(self, where: KeyFilter, sort: str, limit: int) -> None:
        """On the branch by every question, and main's lists too."""
        self.model, self.store = self.main, self.storage.keys
        self.agree(where, sort, limit)
        self.model, self.store = self.seen(), self.on
        self.agree(where, sort, limit)
        ids = [*self.main.keys, *self.main.trash, *self.own.keys, *self.own.trash]
        project_id, there = self.project.id, self.model.keys
        assert self.on.find_keys(project_id, ids) == there
        names = {key.key: id_ for id_, key in there.items()}
        assert self.on.names_of(project_id) == names
        texts = self.on.values_of(list(there))
        assert {id_: _placed(texts.get(id_, [])) for id_ in there} == self.model.values
        rows = list(self.on.text_rows(project_id, "de", Selection()))
        assert [(row.key, row.key_id) for row in rows] == sorted(names.items())
        assert {entry.key_id for entry in self.on.overlay()} == self.mine
        assert set(self.on.copies(ids)) == set(self.own.keys)

    def _fresh(self) -> list[StoredKey]:
        number = self._draw(st.integers(0, 3))
        return [self._key(self._name()) for _ in range(number)]

    def _name(self) -> str:
        """One that no key ever had: names that meet are the service's to settle."""
        return f"{self._draw(st.sampled_from(PREFIXES))}{next(self._numbers)}"

    def _adopted(self) -> list[StoredKey]:
        return self._some(_keys(self.seen()))

    def _adopt(self, id_: str) -> None:
        if id_ not in self.mine:
            self.mine.add(id_)
            self.own.keys[id_] = self.main.keys[id_]
            self.own.values[id_] = dict(self.main.values[id_])


STEPS: tuple[Callable[[BranchTwins], None], ...] = (
    BranchTwins.add_to_main,
    BranchTwins.add_to_branch,
    BranchTwins.put_on_main,
    BranchTwins.put_on_branch,
    BranchTwins.remove_on_branch,
    BranchTwins.save_on_branch,
    BranchTwins.outdate_on_branch,
    BranchTwins.trash_on_main,
    BranchTwins.trash_on_branch,
    BranchTwins.restore_on_branch,
    BranchTwins.drop,
)


class StorageBranchTwinsContract:
    """Give the fixture ``storage``: a migrated database for each test."""

    @settings(
        max_examples=50,
        deadline=None,
        suppress_health_check=OWN_PROJECT,
    )
    @given(data=st.data())
    def test_so13_a_branch_agrees_with_plain_dictionaries(
        self, storage: Storage, data: st.DataObject
    ) -> None:
        twins = BranchTwins(storage, data)
        twins.add_to_main()

        for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=8)):
            step(twins)
            sort = data.draw(st.sampled_from(SORTS))
            twins.agree_everywhere(data.draw(filters), sort, data.draw(limits))


def _keys(model: KeyModel) -> list[StoredKey]:
    return list(model.keys.values())


def _add(model: KeyModel, keys: list[StoredKey], texts: list[StoredValue]) -> None:
    for key in keys:
        model.add(key, [text for text in texts if text.key_id == key.id])


def _placed(
    texts: list[StoredValue],
) -> dict[tuple[str, str | None], StoredValue]:
    return {(text.language_code, text.plural_form): text for text in texts}

"""The contract of Storage, part SO: main's keys as they are seen from a branch."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from locframework.branches.records import Branch
from locframework.fields import new_id
from locframework.keys.file_records import FileDetail, Selection
from locframework.keys.records import (
    BranchKey,
    KeyFilter,
    KeyState,
    StoredKey,
    StoredValue,
)
from locframework.keys.revisions import revision_of
from locframework.keys.store import BranchKeyStore, KeyStore
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import ALL, add_branch, add_keys_project, at, key, value

Question = Callable[[KeyStore, Project, StoredKey], object]
Write = Callable[[BranchKeyStore, StoredKey, StoredValue], object]

QUESTIONS: dict[str, Question] = {
    "find_key": lambda s, of, k: s.find_key(of.id, k.id),
    "find_key_with_values": lambda s, of, k: s.find_key_with_values(of.id, k.id),
    "find_state": lambda s, of, k: s.find_state(of.id, k.id),
    "find_keys": lambda s, of, k: s.find_keys(of.id, [k.id]),
    "find_keys_by_name": lambda s, of, k: s.find_keys_by_name(of.id, [k.key]),
    "names_of": lambda s, of, k: s.names_of(of.id),
    "values_of": lambda s, of, k: s.values_of([k.id]),
    "values_of one language": lambda s, of, k: s.values_of([k.id], ["de"]),
    "list_keys": lambda s, of, k: (
        s.list_keys(of.id, KeyFilter(), "key", limit=200).items
    ),
    "list_keys by tag": lambda s, of, k: (
        s.list_keys(of.id, KeyFilter(tags=("ui",)), "-updatedAt", limit=200).items
    ),
    "list_keys by text": lambda s, of, k: (
        s.list_keys(of.id, KeyFilter(search="zahlen"), "key", limit=200).items
    ),
    "list_keys by state": lambda s, of, k: (
        s.list_keys(of.id, KeyFilter(status="untranslated"), "key", limit=200).items
    ),
    "text_rows": lambda s, of, k: [*s.text_rows(of.id, "de", Selection())],
}
"""What is asked of the one key that there is; each answers nothing for none."""

WRITES: dict[str, Write] = {
    "save_keys": lambda s, k, v: s.save_keys([replace(k, key="b", description="x")]),
    "touch_keys": lambda s, k, v: s.touch_keys([k.id], at(9)),
    "touch_unchanged": lambda s, k, v: s.touch_unchanged(k, at(9)),
    "trash_keys": lambda s, k, v: s.trash_keys(k.project_id, [k.id], at(9)),
    "put_values": lambda s, k, v: s.put_values([replace(v, value="Zahl!")]),
    "remove_values": lambda s, k, v: s.remove_values([v]),
    "mark_outdated": lambda s, k, v: s.mark_outdated([k.id], "en"),
    "add_revisions": lambda s, k, v: s.add_revisions([revision_of(v)]),
}
"""What can be done on a branch to a key of main, and to its German text."""


class Lines:
    """A project with one key, seen from main and from two branches."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.of = add_keys_project(storage)
        self.branch = add_branch(storage, self.of)
        self.key = key(self.of, "a.pay", tags=("ui",), description="Zahlen bitte")
        self.values = [value(self.key), value(self.key, "de", "Zahlen")]
        storage.keys.add_keys([self.key], self.values)
        self.on = self.seen_from(self.branch)
        self.other = self.seen_from(add_branch(storage, self.of, "autumn"))

    def seen_from(self, branch: Branch) -> BranchKeyStore:
        return self.storage.branch_keys(self.of.id, branch.id)

    def answers(
        self, store: KeyStore, of: StoredKey | None = None
    ) -> dict[str, object]:
        """What every question answers."""
        asked = of or self.key
        return {name: ask(store, self.of, asked) for name, ask in QUESTIONS.items()}

    @property
    def state(self) -> KeyState:
        """The key as main has it."""
        return KeyState(self.key, tuple(self.values))


def by_place(
    state: KeyState,
) -> tuple[StoredKey, dict[tuple[str, str | None], StoredValue]]:
    """A state, whose texts come in no order."""
    places = {(v.language_code, v.plural_form): v for v in state.values}
    return state.key, places


class StorageBranchKeysContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_so1_a_new_branch_reads_as_main(self, storage: Storage) -> None:
        lines = Lines(storage)

        assert lines.answers(lines.on) == lines.answers(storage.keys)
        assert all(lines.answers(lines.on).values())
        assert lines.on.overlay() == []
        assert lines.on.copies([lines.key.id]) == {}
        assert lines.on.trashed(lines.of.id, [lines.key.id]) == {}

    @pytest.mark.parametrize("what", WRITES)
    def test_so2_a_write_on_a_branch_leaves_main_and_others_as_they_were(
        self, storage: Storage, what: str
    ) -> None:
        lines = Lines(storage)
        before = lines.answers(storage.keys)

        WRITES[what](lines.on, lines.key, lines.values[1])

        assert lines.answers(storage.keys) == before
        assert lines.answers(lines.other) == before
        assert lines.other.overlay() == []
        assert lines.answers(lines.on) != before

    @pytest.mark.parametrize("what", WRITES)
    def test_so3_a_write_copies_the_key_and_notes_what_it_was(
        self, storage: Storage, what: str
    ) -> None:
        lines = Lines(storage)

        WRITES[what](lines.on, lines.key, lines.values[1])
        lines.on.touch_keys([lines.key.id], at(10))
        storage.keys.save_keys([replace(lines.key, description="of main")])
        storage.keys.remove_values(lines.values)

        [entry] = lines.on.overlay([lines.key.id, "k0"])
        assert (entry.key_id, entry.kind) == (lines.key.id, "copy")
        assert entry.base is not None
        assert by_place(entry.base) == by_place(lines.state)
        assert lines.on.overlay() == [entry]
        seen = lines.on.find_key(lines.of.id, lines.key.id)
        if what == "trash_keys":
            assert seen is None
            return
        assert seen is not None
        assert seen.key_source == "branch"
        assert seen.description != "of main"
        english = lines.on.values_of([lines.key.id], ["en"])[lines.key.id]
        assert english == [lines.values[0]]

    def test_so4_a_key_made_on_a_branch_is_seen_there_only(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        made = key(lines.of, "own", tags=("ui",))
        texts = [value(made), value(made, "de", "Zahlen")]

        lines.on.add_keys([made], texts)

        seen = replace(made, key_source="branch")
        assert lines.on.find_key(lines.of.id, made.id) == seen
        assert lines.on.find_keys_by_name(lines.of.id, ["own"]) == {"own": seen}
        found = lines.on.values_of([made.id, lines.key.id])
        assert {id_: len(values) for id_, values in found.items()} == {
            made.id: 2,
            lines.key.id: 2,
        }
        assert lines.on.overlay() == [BranchKey(made.id, "own")]
        for store in (storage.keys, lines.other):
            assert store.find_key(lines.of.id, made.id) is None
            assert list(store.names_of(lines.of.id)) == ["a.pay"]

    def test_so5_a_key_trashed_on_a_branch_can_be_restored_there(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        made = key(lines.of, "own")
        lines.on.add_keys([made], [value(made)])
        ids = [made.id, lines.key.id]

        lines.on.trash_keys(lines.of.id, ids, at(3))

        assert lines.on.names_of(lines.of.id) == {}
        assert lines.on.find_keys(lines.of.id, ids) == {}
        assert lines.on.values_of(ids) == {}
        for id_ in ids:
            trashed = lines.on.trashed(lines.of.id, [id_]).get(id_)
            assert trashed is not None
            assert (trashed.id, trashed.project_id) == (id_, lines.of.id)
            assert storage.keys.trashed(lines.of.id, [id_]) == {}
            listed = lines.on.page_of_trash(lines.of.id, None, ALL).items
            assert id_ in {one.id for one in listed}
            assert {one.project_id for one in listed} == {lines.of.id}
            lines.on.restore_keys(lines.of.id, [id_], at(4))
        found = lines.on.find_keys(lines.of.id, ids)
        assert [found[id_].updated_at for id_ in ids] == [at(4), at(4)]
        assert len(lines.on.values_of(ids)[lines.key.id]) == 2

    def test_so6_a_key_of_main_is_hidden_by_one_of_its_name(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        own = key(lines.of, lines.key.key, description="own")
        lines.on.add_keys([own], [value(own, "de", "Eigenes")])
        main_key = key(lines.of, "later")
        later = replace(own, id=new_id(), key="later")
        lines.on.add_keys([later])

        storage.keys.add_keys([main_key], [value(main_key)])  # after the branch's own

        shown = {own.key: own.id, "later": later.id}
        of, on = lines.of.id, lines.on
        assert on.names_of(of) == shown
        assert on.find_keys(of, [lines.key.id, main_key.id]) == {}
        assert on.find_key_with_values(of, lines.key.id) is None
        found = on.find_keys_by_name(of, list(shown))
        assert {name: each.id for name, each in found.items()} == shown
        page = on.list_keys(of, KeyFilter(), "key", limit=200)
        assert [each.id for each in page.items] == [own.id, later.id]
        assert page.total == 2
        rows = list(on.text_rows(of, "de", Selection("any")))
        assert [row.key_id for row in rows] == [own.id, later.id]
        assert all(lines.answers(storage.keys).values())

        on.trash_keys(of, [own.id], at(1))

        assert on.find_key(of, lines.key.id) == lines.key

    def test_so7_copies_are_told_as_they_are_on_the_branch(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        own, gone = key(lines.of, "own"), key(lines.of, "gone")
        text = value(own, "de", "Eigenes", "other")
        lines.on.add_keys([own, gone], [text])
        lines.on.trash_keys(lines.of.id, [gone.id], at(1))
        changed = replace(lines.values[1], value="Bezahlen", revision=2)
        lines.on.put_values([changed])

        ids = [own.id, gone.id, lines.key.id, "k0"]
        found = lines.on.copies(ids)

        copy = replace(lines.key, key_source="branch")
        assert {id_: by_place(state) for id_, state in found.items()} == {
            own.id: by_place(KeyState(replace(own, key_source="branch"), (text,))),
            lines.key.id: by_place(KeyState(copy, (lines.values[0], changed))),
        }

    def test_so8_without_its_overlay_a_key_is_mains_again(
        self, storage: Storage
    ) -> None:
        for what in WRITES:
            lines = Lines(storage)
            before = lines.answers(storage.keys)
            own = key(lines.of, "own")
            lines.on.add_keys([own], [value(own)])
            WRITES[what](lines.on, lines.key, lines.values[1])

            lines.on.drop_overlay([lines.key.id, own.id])

            assert lines.answers(lines.on) == before, what
            assert lines.on.overlay() == []
            assert lines.on.copies([lines.key.id, own.id]) == {}
            assert lines.on.trashed(lines.of.id, [lines.key.id]) == {}
            assert lines.on.find_key(lines.of.id, own.id) is None

    def test_so9_a_note_takes_the_place_of_the_one_before(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        lines.on.touch_keys([lines.key.id], at(2))
        base = replace(lines.state, values=())
        note = BranchKey(lines.key.id, "copy", base, changes=7)

        lines.on.put_overlay([note, BranchKey("k0", "own")])

        noted = sorted([note, BranchKey("k0", "own")], key=lambda one: one.key_id)
        assert lines.on.overlay() == noted
        assert lines.on.overlay([lines.key.id]) == [note]
        assert lines.on.overlay([]) == []
        assert len(lines.on.copies([lines.key.id])[lines.key.id].values) == 2

    def test_so10_texts_of_main_and_branch_come_in_one_order(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)
        names = ["Z", "_", "b.x", "é", "\U0001f600"]
        main = [key(lines.of, name) for name in names[::2]]
        storage.keys.add_keys(main, [value(each, "de", each.key) for each in main])
        own = [key(lines.of, name) for name in names[1::2]]
        lines.on.add_keys(own, [value(each, "de", each.key) for each in own])
        lines.on.put_values([replace(lines.values[1], value="Branch")])

        for which in (Selection(), Selection("any")):
            rows = list(lines.on.text_rows(lines.of.id, "de", which))

            assert [row.key for row in rows] == sorted(["a.pay", *names])
            ids = {row.key: row.key_id for row in rows}
            assert ids["a.pay"] == lines.key.id
            assert all("@" not in id_ for id_ in ids.values())

    def test_so11_what_files_say_on_a_branch_comes_before_mains(
        self, storage: Storage
    ) -> None:
        lines = Lines(storage)

        def said(of: str, text: str) -> FileDetail:
            module = "" if of else "m"
            return FileDetail(lines.of.id, "po", of, module, "de", {"said": text})

        of_key, of_file = said(lines.key.id, "main"), said("", "main")
        storage.keys.put_details([of_key, of_file])
        assert lines.on.details_of(lines.of.id, "po", "de") == {lines.key.id: of_key}
        assert lines.on.file_detail(lines.of.id, "po", "m", "de") == of_file
        assert lines.on.own_details() == []

        mine = [said(lines.key.id, "branch"), said("", "branch")]
        lines.on.put_details(mine)

        assert lines.on.details_of(lines.of.id, "po", "de") == {lines.key.id: mine[0]}
        assert lines.on.file_detail(lines.of.id, "po", "m", "de") == mine[1]
        assert sorted(each.key_id for each in lines.on.own_details()) == [
            "",
            lines.key.id,
        ]
        for store in (storage.keys, lines.other):
            assert store.file_detail(lines.of.id, "po", "m", "de") == of_file
            found = store.details_of(lines.of.id, "po", "de")
            assert found == {lines.key.id: of_key}

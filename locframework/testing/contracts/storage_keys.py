"""The contract of Storage, part SK: keys, their names, and the trash."""

from collections.abc import Callable
from operator import attrgetter

import pytest
from msgspec import UNSET
from msgspec.structs import asdict, replace

from locframework.errors import Unavailable
from locframework.fields import new_id
from locframework.keys.file_records import Selection
from locframework.keys.records import (
    Key,
    KeyFilter,
    KeyValue,
    TrashedKey,
    public_key,
)
from locframework.keys.rules import shown_value
from locframework.languages import fold
from locframework.pagination import Page, PageRequest
from locframework.storage import Storage

from .storage_records import TEXTS, add_keys_project, at, key, value

Question = Callable[[Storage, Key], object]

QUESTIONS: dict[str, Question] = {
    "find_key": lambda s, k: s.keys.find_key(k.project_id, k.id),
    "find_key_with_values": lambda s, k: s.keys.find_key_with_values(
        k.project_id, k.id
    ),
    "find_keys": lambda s, k: s.keys.find_keys(k.project_id, [k.id]),
    "find_keys_by_name": lambda s, k: s.keys.find_keys_by_name(k.project_id, [k.key]),
    "names_of": lambda s, k: s.keys.names_of(k.project_id),
    "values_of": lambda s, k: s.keys.values_of([k.id]),
    "mark_outdated": lambda s, k: s.keys.mark_outdated([k.id], "xx"),
    "list_keys": lambda s, k: (
        s.keys.list_keys(k.project_id, KeyFilter(), "key", limit=200).items
    ),
    "list_keys by tag": lambda s, k: (
        s.keys.list_keys(k.project_id, KeyFilter(tags=("ui",)), "key", limit=200).items
    ),
    "list_keys by state": lambda s, k: (
        s.keys.list_keys(
            k.project_id, KeyFilter(status="untranslated"), "key", limit=200
        ).items
    ),
    "text_rows": lambda s, k: [*s.keys.text_rows(k.project_id, "en", Selection())],
}
"""What is asked of a key that is not in the trash; each answers nothing for one."""


class StorageKeysContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sk1_a_key_comes_back_without_values(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = key(
            of,
            description="Über",
            tags=("z", "a", "Ä"),
            is_plural=True,
            screenshot_url="https://example.com/1.png",
            screenshot_file_id="f1",
            updated_at=at(5),
        )
        shown = [KeyValue("en", "Pay", "approved", None, is_outdated=False)]

        storage.keys.add_keys([replace(made, values=shown)])

        assert storage.keys.find_key(of.id, made.id) == made
        assert storage.keys.find_keys(of.id, [made.id]) == {made.id: made}
        by_name = storage.keys.find_keys_by_name(of.id, [made.key])
        assert by_name == {made.key: made}
        assert storage.keys.values_of([made.id]) == {}
        assert storage.keys.find_key(other.id, made.id) is None
        assert storage.keys.find_keys(other.id, [made.id]) == {}
        assert storage.keys.find_keys_by_name(other.id, [made.key]) == {}

    def test_sk2_keys_that_are_not_there_are_left_out(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number:04}") for number in range(1203)]
        storage.keys.add_keys(made)

        by_id = storage.keys.find_keys(of.id, [new_id(), *(one.id for one in made)])
        by_name = storage.keys.find_keys_by_name(of.id, {"K0001", "k0001", "k", ""})

        assert by_id == {one.id: one for one in made}
        assert by_name == {"k0001": made[1]}
        assert storage.keys.find_keys(of.id, []) == {}
        assert storage.keys.find_keys_by_name(of.id, []) == {}

    def test_sk3_texts_come_back_byte_for_byte(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [
            key(of, f"k{number}", description=text[:1000], tags=(text[:50], "t"))
            for number, text in enumerate(TEXTS.values())
        ]
        storage.keys.add_keys(made)

        assert storage.keys.find_keys(of.id, [one.id for one in made]) == {
            one.id: one for one in made
        }

    def test_sk4_a_saved_key_is_changed_and_no_other(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        old, other = key(of, tags=("a",)), key(of, "other", tags=("a",))
        storage.keys.add_keys([old, other], [value(old)])
        new = replace(
            old,
            key="renamed",
            description="d",
            tags=("b", "c"),
            is_plural=True,
            screenshot_url="u",
            screenshot_file_id="f",
            updated_at=at(3),
        )

        storage.keys.save_keys([new])

        assert storage.keys.find_key(of.id, old.id) == new
        assert storage.keys.find_key(of.id, other.id) == other
        assert storage.keys.find_keys_by_name(of.id, [old.key]) == {}
        assert storage.keys.values_of([old.id]) == {old.id: [value(old)]}

    def test_sk5_names_may_change_places_in_one_batch(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        old = [key(of, f"k{number:04}", tags=("t",)) for number in range(1200)]
        storage.keys.add_keys(old)
        names = [one.key for one in old]
        new = [
            replace(one, key=name)
            for one, name in zip(old, [*names[1:], "new"], strict=True)
        ]

        storage.keys.save_keys(new[::-1])
        storage.keys.save_keys(old)
        storage.keys.save_keys(new)

        assert storage.keys.names_of(of.id) == {one.key: one.id for one in new}
        tagged = storage.keys.list_keys(of.id, KeyFilter(tags=("t",)), "key", limit=200)
        assert (tagged.total, tagged.items) == (1200, new[:200])

    def test_sk6_a_touched_key_has_a_new_time_and_nothing_else(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        touched, other = key(of, "a", tags=("t",)), key(of, "b")
        storage.keys.add_keys([touched, other])

        storage.keys.touch_keys([touched.id, new_id()], at(9))

        new = replace(touched, updated_at=at(9))
        assert storage.keys.find_key(of.id, touched.id) == new
        assert storage.keys.find_key(of.id, other.id) == other

    def test_sk7_the_project_counts_its_keys(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = [key(of, name) for name in "abc"]

        def count() -> int:
            found = storage.projects.find(of.id)
            assert found is not None
            return found.key_count

        storage.keys.add_keys(made)
        storage.keys.add_keys([key(other)])
        assert count() == 3

        storage.keys.trash_keys(of.id, [made[0].id, made[1].id, new_id()], at(1))
        storage.keys.trash_keys(of.id, [made[0].id], at(2))
        assert count() == 1

        storage.keys.restore_keys(of.id, [made[0].id], at(3))
        storage.keys.restore_keys(of.id, [made[2].id], at(3))
        storage.purge("keys", at(9), 10)
        assert count() == 2

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_sk8_a_key_in_the_trash_is_found_there_only(
        self, storage: Storage, question: str
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        gone = key(of, tags=("ui",))
        storage.keys.add_keys([gone], [value(gone)])
        assert QUESTIONS[question](storage, gone)

        storage.keys.trash_keys(other.id, [gone.id], at(1))
        assert storage.keys.trashed(of.id, [gone.id]) == {}

        storage.keys.trash_keys(of.id, [gone.id], at(1))
        storage.keys.touch_keys([gone.id], at(2))
        storage.keys.save_keys([replace(gone, key="back", tags=("ui",))])

        assert not QUESTIONS[question](storage, gone)
        assert storage.keys.trashed(of.id, [gone.id]) == {gone.id: gone}
        assert storage.keys.trashed(other.id, [gone.id]) == {}

    def test_sk9_a_restored_key_has_its_values_again(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        old = key(of, tags=("ui",))
        storage.keys.add_keys([old], [value(old), value(old, "de", "Zahlen")])
        storage.keys.trash_keys(of.id, [old.id], at(1))

        storage.keys.restore_keys(other.id, [old.id], at(2))
        assert storage.keys.trashed(of.id, [old.id]) == {old.id: old}

        storage.keys.restore_keys(of.id, [old.id], at(2))

        back = replace(old, updated_at=at(2))
        assert storage.keys.find_key(of.id, old.id) == back
        assert storage.keys.trashed(of.id, [old.id]) == {}
        assert len(storage.keys.values_of([old.id])[old.id]) == 2
        for where in (
            KeyFilter(tags=("ui",)),
            KeyFilter(status="approved", language_code="de"),
            KeyFilter(status="untranslated", language_code="ja"),
        ):
            found = storage.keys.list_keys(of.id, where, "key", limit=200)
            assert (found.items, found.total) == ([back], 1)

    def test_sk10_the_trash_is_purged_in_pieces_the_oldest_first(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number}") for number in range(5)]
        storage.keys.add_keys(made, [value(one) for one in made])
        for minute, one in enumerate(made[:4]):
            storage.keys.trash_keys(of.id, [one.id], at(minute))

        pieces = [storage.purge("keys", at(3), 2) for _ in range(3)]

        assert pieces == [2, 1, 0]
        left = storage.keys.trashed(of.id, [one.id for one in made])
        assert left == {made[3].id: made[3]}  # trashed at the time, not before it
        storage.keys.restore_keys(of.id, [made[3].id], at(4))
        assert set(storage.keys.values_of([one.id for one in made])) == {
            made[3].id,
            made[4].id,
        }

    def test_sk11_names_are_told_by_prefix_letter_by_letter(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        names = ["a.b", "a.c", "a_b", "a", "A.b", "ab", "b", "a-b"]
        made = {name: key(of, name) for name in names}
        storage.keys.add_keys([*made.values(), key(other, "a.d")])

        def told(prefix: str) -> set[str]:
            found = storage.keys.names_of(of.id, prefix=prefix)
            assert found == {name: made[name].id for name in found}
            return set(found)

        assert told("") == set(names)
        assert told("a.") == {"a.b", "a.c"}
        assert told("a_") == {"a_b"}
        assert told("a%") == set()
        assert told("A") == {"A.b"}

    def test_sk12_a_name_is_taken_once_in_its_project(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        first, second = key(of), key(of)
        storage.keys.add_keys([first])

        with pytest.raises(Unavailable):
            storage.keys.add_keys([key(of, "new"), second], [value(second)])

        assert storage.keys.names_of(of.id) == {first.key: first.id}
        storage.keys.add_keys([key(other)])
        storage.keys.trash_keys(of.id, [first.id], at(1))
        storage.keys.add_keys([second])
        with pytest.raises(Unavailable):
            storage.keys.restore_keys(of.id, [first.id], at(2))
        assert storage.keys.names_of(of.id) == {second.key: second.id}

    def test_sk13_a_key_comes_with_its_values_in_the_order_of_the_project(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        bare, made = key(of, "bare"), key(of, "made", is_plural=True)
        rows = [
            value(made, language_code="de", plural_form="other", is_outdated=True),
            value(made, language_code="en", plural_form="one", value="1"),
            value(made, language_code="en", plural_form="other", value="n"),
        ]
        storage.keys.add_keys([bare, made], rows)

        found = storage.keys.find_key_with_values(of.id, made.id)

        assert found is not None
        assert replace(found, values=UNSET) == made
        assert found.values
        assert [shown.language_code for shown in found.values] == ["en", "en", "de"]
        wanted = [shown_value(row) for row in rows]
        assert sorted(found.values, key=repr) == sorted(wanted, key=repr)
        without = storage.keys.find_key_with_values(of.id, bare.id)
        assert without == replace(bare, values=[])
        assert storage.keys.find_key_with_values(other.id, made.id) is None

    def test_sk14_the_trash_is_told_page_by_page_deleted_last_first(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = [
            key(of, "a", description="Straße 100%"),
            *(key(of, f"b{number}") for number in range(3)),
        ]
        storage.keys.add_keys([*made, key(of, "live"), key(other)])
        storage.keys.trash_keys(of.id, [made[0].id], at(1), "ann")
        storage.keys.trash_keys(of.id, [one.id for one in made[1:]], at(2))

        def page(search: str | None = None, *, number: int = 1) -> Page[TrashedKey]:
            return storage.keys.page_of_trash(of.id, search, PageRequest(number, 3))

        first, second = page(), page(number=2)
        latest = sorted(made[1:], key=attrgetter("id"), reverse=True)
        assert (first.total, second.total) == (4, 4)
        assert [one.id for one in first.items] == [one.id for one in latest]
        [oldest] = second.items
        was = {**asdict(public_key(made[0])), "deleted_at": at(1), "deleted_by": "ann"}
        assert asdict(oldest) == was
        assert {one.deleted_by for one in first.items} == {None}
        assert [one.key for one in page(fold("STRASSE 100%")).items] == ["a"]
        assert page("_").items == []
        storage.keys.restore_keys(of.id, [made[0].id, made[1].id], at(3))
        assert page().total == 2
        storage.keys.trash_keys(of.id, [made[0].id], at(4))
        assert page().items[0].deleted_by is None

"""Contract of keys and branches: what the model of storage_key_model.py leaves out."""

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.branches.records import Branch, BranchStatus
from locframework.errors import Unavailable
from locframework.events import Actor
from locframework.fields import new_id
from locframework.keys.query import position_of
from locframework.keys.records import (
    BranchKey,
    Dismissal,
    FileDetail,
    KeyFilter,
    KeyState,
    Selection,
)
from locframework.keys.rules import revision_of
from locframework.keys.store import KeyStore
from locframework.pagination import TOTAL_LIMIT, BoundedList, PageRequest
from locframework.projects.records import Project
from locframework.quality.check import Finding
from locframework.statistics.records import LanguageCounts, LineCounts
from locframework.storage import Storage

from .storage_records import (
    ALL,
    TEXTS,
    add_branch,
    add_keys_project,
    at,
    branch,
    delete_language,
    key,
    language,
    value,
)

ANN = Actor("user", "ann")


class StorageKeysContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_batches_may_have_any_size(self, storage: Storage) -> None:
        of, keys = add_keys_project(storage), storage.keys
        old = [key(of, f"k{number:04}", tags=("t",)) for number in range(1203)]
        olds = [value(each) for each in old]
        names = [each.key for each in old]
        new = [
            replace(each, key=name)
            for each, name in zip(old, [*names[1:], "new"], strict=True)
        ]

        keys.add_keys(old, [replace(each, revision=2) for each in olds])
        ends = [revision_of(each) for each in olds]
        keys.write_values([each.id for each in old], at(0), revisions=ends)
        assert keys.find_keys(of.id, names=names) == {each.id: each for each in old}
        for some in (new[::-1], old, new):
            keys.save_keys(some)

        by_id = {each.id: each for each in new}
        assert keys.find_keys(of.id, [new_id(), *by_id]) == by_id
        page = keys.list_keys(of.id, KeyFilter(tags=("t",)), "key", limit=200)
        assert (page.total, page.items) == (1203, new[:200])
        assert len(keys.values_of([*by_id])) == 1203
        assert len(keys.revisions_of([*by_id])) == 2 * 1203
        assert keys.find_keys(of.id) == {}

    def test_texts_come_back_byte_for_byte(self, storage: Storage) -> None:
        of, keys = add_keys_project(storage), storage.keys
        for number, text in enumerate(TEXTS.values()):
            short = text[:300]
            made = key(of, f"k{number}", description=short, tags=(text[:50], "t"))
            detail = FileDetail(
                of.id, "po", made.id, "", "de", {text: [1, {"é": text}]}
            )
            found = [Finding(short or "x", 0, 1, None, "length")]
            keys.add_keys([made])
            keys.write_values([made.id], made.updated_at, [value(made, "en", text)])
            keys.put_details([detail])
            keys.put_findings({(made.id, "en"): found})
            gone = Dismissal(made.id, "en", "length", number, short, ANN, at(0))
            keys.put_dismissals(of.id, [gone])

            assert keys.find_keys(of.id, [made.id]).get(made.id) == made
            assert keys.values_of([made.id]) == {made.id: [value(made, "en", text)]}
            assert keys.details_of(of.id, "po", "de", [made.id]) == [detail]
            assert keys.findings_of([made.id]) == {(made.id, "en"): found}
            assert keys.dismissals_of(of.id, [made.id]) == [gone]

    def test_name_is_unique_outside_the_trash(self, storage: Storage) -> None:
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

        kept, gone = second, first  # in the trash nothing is written
        storage.keys.trash_keys(other.id, [kept.id], at(1))
        storage.keys.restore_keys(other.id, [gone.id], at(2))
        storage.keys.save_keys([replace(gone, key="c")])
        storage.keys.write_values([gone.id], at(2))
        storage.keys.put_findings({(gone.id, "en"): [Finding("x", 0, 1)]})

        assert not storage.keys.write_values([gone.id], at(2), read=gone)
        assert storage.keys.names_of(of.id) == {kept.key: kept.id}
        assert storage.keys.find_keys(of.id, [kept.id, gone.id], in_trash=True) == {
            gone.id: gone
        }
        assert storage.keys.findings_of([gone.id]) == {}

    def test_purged_project_leaves_no_keys(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made, gone, own, kept = key(of), key(of, "b"), key(of, "c"), key(other)
        storage.keys.add_keys([made, gone, kept], [value(made), value(kept)])
        ends = [revision_of(value(made, "de"))]
        storage.keys.write_values([made.id], at(0), revisions=ends)
        storage.keys.put_findings({(made.id, "de"): [Finding("x", 0, 1)]})
        dismissal = Dismissal(made.id, "de", "length", 1, None, ANN, at(0))
        storage.keys.put_dismissals(of.id, [dismissal])
        storage.keys.trash_keys(of.id, [gone.id], at(0))
        on = storage.branch_keys(of.id, add_branch(storage, of).id)
        on.add_keys([own])
        storage.projects.delete(of.id, at(1))

        assert storage.branches.list_branches(of.id, ALL).total == 0
        while storage.purge("projects", at(2), 3):
            pass

        assert storage.keys.names_of(of.id) == on.names_of(of.id) == {}
        assert storage.keys.find_keys(of.id, [gone.id], in_trash=True) == {}
        found = storage.keys.values_of([made.id, gone.id, kept.id])
        assert found == {kept.id: [value(kept)]}
        assert storage.keys.revisions_of([made.id]) == []
        assert storage.keys.findings_of([made.id]) == {}
        assert storage.keys.dismissals_of(of.id) == []
        assert on.overlay() == []

    @pytest.mark.parametrize("tags", [(), ("t",)])
    def test_totals_are_exact_up_to_the_limit(
        self, storage: Storage, tags: tuple[str, ...]
    ) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{n:05}", tags=("t",)) for n in range(TOTAL_LIMIT + 1)]
        storage.keys.add_keys(made[:-1])

        def listed(**where: Any) -> BoundedList[Any]:
            filter_ = KeyFilter(tags=tags)
            return storage.keys.list_keys(of.id, filter_, "key", limit=2, **where)

        exact = listed(offset=TOTAL_LIMIT - 1)
        storage.keys.add_keys(made[-1:])

        assert exact == BoundedList(made[-2:-1], TOTAL_LIMIT, total_is_exact=True)
        many = BoundedList(made[-2:], TOTAL_LIMIT, total_is_exact=False)
        assert listed(offset=TOTAL_LIMIT - 1) == many
        assert listed(offset=TOTAL_LIMIT) == replace(many, items=[])
        after = listed(after=position_of(made[-2], "key"))
        assert after == replace(many, items=made[-1:])

    def test_two_streams_of_texts_may_be_read_at_once(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made = [key(of, f"k{number:04}") for number in range(2500)]
        storage.keys.add_keys(made)
        rows = storage.keys.text_rows(of.id, "en", Selection())
        assert next(rows).key == "k0000"
        del rows

        storage.keys.write_values([made[0].id], at(0), [value(made[0])])
        with storage.snapshot():
            first = storage.keys.text_rows(of.id, "en", Selection())
            second = storage.keys.text_rows(of.id, "de", Selection())
            pairs = [(a.key, b.key) for a, b in zip(first, second, strict=True)]

        assert pairs == [(one.key, one.key) for one in made]

    def test_details_are_found_by_format_and_language(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made, gone = key(of), key(of, "gone")
        storage.keys.add_keys([made, gone])
        kept = [
            _detail(of, made.id),
            _detail(of, made.id, "de"),
            _detail(of, made.id, family="arb"),
            _detail(of, "", module="checkout"),
            _detail(of, ""),
        ]
        others = [_detail(other, made.id), _detail(of, gone.id, family="gone")]
        old = replace(kept[0], detail={"old": 1})
        storage.keys.put_details([old, *kept[1:], *others])

        storage.keys.put_details(kept[:1])

        details = storage.keys.details_of
        assert details(of.id, "po", "") == [kept[0]]
        assert details(of.id, "po", "", [gone.id]) == []
        assert details(of.id, "po", "de") == [kept[1]]
        assert details(of.id, "arb", "") == [kept[2]]
        assert details(of.id, "po", "ja") == []
        by_module = {each.module: each for each in details(of.id, "po", "", [""])}
        assert by_module == {"checkout": kept[3], "": kept[4]}
        assert (
            details(of.id, "po", "de", [""]) == details(other.id, "po", "", [""]) == []
        )
        delete_language(storage, of.id, "de")
        storage.keys.trash_keys(of.id, [gone.id], at(1))
        storage.purge("keys", at(2), 10)
        assert details(of.id, "po", "de") == details(of.id, "gone", "") == []
        assert details(of.id, "po", "") == [kept[0]]

    def test_details_of_a_branch_precede_those_of_main(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        on = storage.branch_keys(of.id, add_branch(storage, of).id)
        other = storage.branch_keys(of.id, add_branch(storage, of, "autumn").id)
        made = key(of)
        storage.keys.add_keys([made])
        main = [_detail(of, made.id), _detail(of, "", module="m")]
        storage.keys.put_details(main)

        def shown(store: KeyStore) -> list[FileDetail]:
            of_keys = store.details_of(of.id, "po", "")
            return [*of_keys, *store.details_of(of.id, "po", "", [""])]

        assert (shown(on), on.details_of(of.id, None, None, own=True)) == (main, [])
        own = [replace(each, detail={"own": 1}) for each in main]
        on.put_details(own)

        assert (shown(on), shown(storage.keys), shown(other)) == (own, main, main)
        own = on.details_of(of.id, None, None, own=True)
        assert {each.key_id for each in own} == {made.id, ""}

    def test_a_new_branch_copies_the_files_of_main(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = key(of)
        storage.keys.add_keys([made])
        kept = [
            _detail(of, "", code, family=f"{family}/layout", module=module)
            for family, code, module in (("po", "", "m"), ("arb", "de", ""))
        ]
        rest = [_detail(of, made.id), _detail(of, ""), _detail(other, "", family="po")]
        storage.keys.put_details([*kept, *rest])

        on = storage.branch_keys(of.id, add_branch(storage, of).id)

        storage.keys.put_details([replace(each, detail={}) for each in kept])
        copies = [replace(each, family=f"{each.family}/base") for each in kept]
        own = on.details_of(of.id, None, None, own=True)
        assert sorted(own, key=lambda each: each.family, reverse=True) == copies

    # history

    def test_history_of_a_copy_continues_that_of_main(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        on = storage.branch_keys(of.id, add_branch(storage, of).id)
        made = key(of)
        second = value(made, text="2", revision=2, updated_at=at(2))
        storage.keys.add_keys([made], [second])
        first = revision_of(value(made, text="1"))
        storage.keys.write_values([made.id], at(0), revisions=[first])

        def texts(store: KeyStore) -> list[str]:
            found = store.list_revisions(made.id, "en", ALL)
            every = sorted(each.value for each in store.revisions_of([made.id], ["en"]))
            listed = [each.value for each in found.items]
            assert (found.total, sorted(listed)) == (len(listed), every)
            return listed

        assert texts(on) == ["2", "1"]
        third = replace(second, value="b3", revision=3, updated_at=at(3))
        changed, ends = replace(second, value="m3", revision=3), [revision_of(second)]
        on.write_values([made.id], at(3), [third], revisions=ends)
        storage.keys.write_values([made.id], at(3), [changed], revisions=ends)

        assert (texts(on), texts(storage.keys)) == (["b3", "2", "1"], ["m3", "2", "1"])
        on.drop_overlay([made.id])
        assert texts(on) == ["m3", "2", "1"]

    # statistics

    def test_counts_have_the_time_of_the_last_change(self, storage: Storage) -> None:
        of = add_keys_project(storage, "en", "de")
        spring = add_branch(storage, of)
        on, keys = storage.branch_keys(of.id, spring.id), storage.keys
        counts_of = storage.statistics.counts_of
        nothing = LineCounts(0, None, (LanguageCounts("en"), LanguageCounts("de")))
        assert counts_of(of.id) == counts_of(of.id, spring.id) == nothing
        one, other = key(of, "a", updated_at=at(1)), key(of, "b", updated_at=at(2))
        text = value(one, "de", updated_at=at(3))

        def last(branch_id: str | None = None) -> list[str | None]:
            found = counts_of(of.id, branch_id)
            return [found.updated_at, *(each.changed_at for each in found.languages)]

        keys.add_keys([one, other], [text])
        assert last() == last(spring.id) == [at(2), None, at(3)]
        keys.write_values([one.id], at(2), [replace(text, updated_at=at(5))])
        keys.write_values([one.id], at(2), [replace(text, updated_at=at(4))])
        assert last() == [at(2), None, at(5)]
        keys.write_values([one.id], at(6), cleared=[text])
        keys.write_values([one.id], at(7))
        assert last() == [at(7), None, at(6)]
        keys.trash_keys(of.id, [one.id], at(8))
        assert last()[0] == at(8)
        keys.restore_keys(of.id, [one.id], at(9))
        text = replace(text, key_id=other.id, updated_at=at(10))
        on.write_values([other.id], at(11), [text])
        assert (last(), last(spring.id)[0]) == ([at(9), None, at(6)], at(11))
        assert last(spring.id)[2] == at(10)
        delete_language(storage, of.id, "de")
        storage.projects.languages.insert(language(of, "de"))
        assert last() == [at(9), None, None]

    def test_branch_is_found_by_id_and_name(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        store, name = storage.branches, "feature/a.b-c_1"
        made = add_branch(storage, of, name, created_by="p1", updated_at=at(2))
        autumn = add_branch(storage, of, "autumn")

        for reference in (made.id, name):
            assert store.find_branch(of.id, reference) == made
            assert store.find_branch(other.id, reference) is None
        for reference in ("feature/a.b-C_1", "feature", "", new_id()):
            assert store.find_branch(of.id, reference) is None
        ended = _ended(made, "closed")
        store.save_branch(ended)
        assert store.find_branch(of.id, made.id) == ended
        assert store.find_branch(of.id, autumn.id) == autumn

    def test_open_branch_of_a_name_is_found_first(self, storage: Storage) -> None:
        of, store = add_keys_project(storage), storage.branches
        first, second, third = (
            add_branch(storage, of, status=status, created_at=at(minute))
            for minute, status in enumerate(("closed", "open", "merged"))
        )
        named = add_branch(storage, of, first.id)
        for other, name in ((of, "Spring"), (add_keys_project(storage), "spring")):
            add_branch(storage, other, name)
        find = partial(store.find_branch, of.id)

        with pytest.raises(Unavailable):
            store.add_branch(branch(of))

        assert find("spring") == second
        store.save_branch(_ended(second))
        assert find("spring") == third
        assert (find(first.id), find(named.id)) == (first, named)
        assert store.list_branches(of.id, ALL).total == 5
        add_branch(storage, of)

    def test_branches_are_listed_newest_first(self, storage: Storage) -> None:
        of, elsewhere = add_keys_project(storage), add_keys_project(storage)
        statuses: tuple[BranchStatus, ...] = ("open", "merging", "merged", "closed")
        made = [
            add_branch(storage, of, f"{status}{n}", status=status, created_at=at(n % 2))
            for status in statuses
            for n in range(3)
        ]
        add_branch(storage, elsewhere)
        made.sort(key=lambda each: (each.created_at, each.id), reverse=True)

        for status in (None, *statuses):
            wanted = [each for each in made if status in (None, each.status)]
            for number in (1, 2):
                page = PageRequest(number, 2)
                found = storage.branches.list_branches(of.id, page, status=status)
                assert found.items == wanted[number * 2 - 2 : number * 2]
                assert found.total == len(wanted)

    def test_notes_on_keys_are_replaced_and_counted(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made, other = add_branch(storage, of), add_branch(storage, of, "autumn")
        on, shown = storage.branch_keys(of.id, made.id), key(of)
        storage.keys.add_keys([shown], [value(shown)])
        on.write_values([shown.id], at(2))

        note = BranchKey(shown.id, "copy", KeyState(shown, ()), changes=2**31)
        own = BranchKey("k0", "own", changes=2)
        on.put_overlay([note, own], at(3))

        assert on.overlay() == sorted([note, own], key=lambda each: each.key_id)
        assert on.overlay([shown.id, "absent"]) == [note]
        assert on.overlay([]) == []
        assert len(on.values_of([shown.id])[shown.id]) == 1
        wanted = replace(made, change_count=2**31 + 2, updated_at=at(3))
        assert storage.branches.find_branch(of.id, made.id) == wanted
        listed = storage.branches.list_branches(of.id, ALL).items
        assert {each.id: each for each in listed} == {made.id: wanted, other.id: other}

    def test_ended_branches_are_purged_in_pieces(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        main = key(of, "main")
        storage.keys.add_keys([main], [value(main)])
        stores = []
        for number, minute in enumerate((2, 1, 9, 0)):
            made = add_branch(storage, of, f"b{number}", updated_at=at(minute))
            stores.append(storage.branch_keys(of.id, made.id))
            own = [key(of, f"b{number}.{n}") for n in range(3)]
            stores[-1].add_keys(own, [value(each) for each in own])
            if minute:
                storage.branches.save_branch(_ended(made, minute=minute))

        assert storage.purge("branches", at(5), 1) > 0
        assert len(stores[0].overlay()) == 3  # the oldest went first
        while storage.purge("branches", at(5), 1):
            pass

        names = [len(each.names_of(of.id)) for each in stores]
        assert names == [1, 1, 4, 4]
        assert [len(each.overlay()) for each in stores] == [0, 0, 3, 3]
        assert storage.branches.list_branches(of.id, ALL).total == 4


def _ended(of: Branch, status: BranchStatus = "merged", minute: int = 5) -> Branch:
    moment = at(minute)
    return replace(of, status=status, updated_at=moment, merged_at=moment)


def _detail(
    of: Project, key_id: str, code: str = "", *, module: str = "", family: str = "po"
) -> FileDetail:
    detail = {"z": [1, None], "of": [of.id, code, module, family], "a": "\u0001"}
    return FileDetail(of.id, family, key_id, module, code, detail)

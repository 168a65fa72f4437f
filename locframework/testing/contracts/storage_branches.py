"""The contract of Storage, part SR: branches, and what becomes of ended ones."""

import pytest
from msgspec.structs import replace

from locframework.branches.records import Branch, BranchStatus
from locframework.errors import Unavailable
from locframework.keys.records import BranchKey
from locframework.keys.store import BranchKeyStore
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_records import ALL, add_branch, add_keys_project, at, branch, key, value

KEYS = 3


def ended(of: Branch, status: str = "merged", minute: int = 5) -> Branch:
    """The branch, as it is saved when it has ended."""
    changes = {"status": status, "updated_at": at(minute), "merged_at": at(minute)}
    return replace(of, **changes)


def keys_on(storage: Storage, of: Project, on: Branch, minute: int) -> BranchKeyStore:
    """The keys of a branch that has some, and has ended at the minute."""
    store = storage.branch_keys(of.id, on.id)
    names = [f"{on.name}.{number}" for number in range(KEYS)]
    made = [key(of, name) for name in names]
    store.add_keys(made, [value(each) for each in made])
    storage.branches.save_branch(ended(on, minute=minute))
    return store


class StorageBranchesContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sr1_a_branch_comes_back_as_it_was(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = add_branch(
            storage, of, "feature/a.b-c_1", created_by="p1", updated_at=at(2)
        )
        add_branch(storage, other, "autumn")

        for reference in (made.id, made.name):
            assert storage.branches.find_branch(of.id, reference) == made
            assert storage.branches.find_branch(other.id, reference) is None
        for reference in ("feature/a.b-C_1", "feature", "", "autumn"):
            assert storage.branches.find_branch(of.id, reference) is None

    def test_sr2_of_one_name_the_open_branch_is_found_else_the_latest(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        first, second, third = (
            add_branch(storage, of, status=status, created_at=at(minute))
            for minute, status in enumerate(("closed", "open", "merged"))
        )
        named = add_branch(storage, of, first.id)

        assert storage.branches.find_branch(of.id, "spring") == second
        storage.branches.save_branch(ended(second))
        assert storage.branches.find_branch(of.id, "spring") == third
        assert storage.branches.find_branch(of.id, first.id) == first
        assert storage.branches.find_branch(of.id, named.id) == named

    def test_sr3_a_saved_branch_is_changed_and_no_other(self, storage: Storage) -> None:
        of = add_keys_project(storage)
        made, other = add_branch(storage, of), add_branch(storage, of, "autumn")
        changed = ended(made, "closed")

        storage.branches.save_branch(changed)

        assert storage.branches.find_branch(of.id, made.id) == changed
        assert storage.branches.find_branch(of.id, other.id) == other

    def test_sr4_branches_are_listed_newest_first(self, storage: Storage) -> None:
        of, elsewhere = add_keys_project(storage), add_keys_project(storage)
        made = [
            add_branch(storage, of, f"b{number}", created_at=at(minute))
            for number, minute in enumerate((3, 1, 2, 2))
        ]
        add_branch(storage, elsewhere)

        found = storage.branches.list_branches(of.id, ALL)
        pages = [
            storage.branches.list_branches(of.id, PageRequest(number, 3))
            for number in (1, 2, 3)
        ]

        later, earlier = sorted(made[2:], key=lambda one: one.id, reverse=True)
        assert found.items == [made[0], later, earlier, made[1]]
        assert [page.total for page in pages] == [4, 4, 4]
        assert [one for page in pages for one in page.items] == found.items

    def test_sr4_branches_of_one_status_are_listed_and_counted(
        self, storage: Storage
    ) -> None:
        of, elsewhere = add_keys_project(storage), add_keys_project(storage)
        statuses: tuple[BranchStatus, ...] = ("open", "merging", "merged", "closed")
        made = {
            status: [
                add_branch(storage, of, f"{status}{n}", status=status, created_at=at(n))
                for n in (2, 1, 0)
            ]
            for status in statuses
        }
        add_branch(storage, elsewhere, "open0")

        for status in statuses:
            page = PageRequest(1, 2)
            found = storage.branches.list_branches(of.id, page, status=status)
            assert (found.items, found.total) == (made[status][:2], 3)
        assert storage.branches.list_branches(of.id, ALL).total == 12

    def test_sr5_a_branch_has_as_many_changes_as_are_noted(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made, other = add_branch(storage, of), add_branch(storage, of, "autumn")
        notes = [BranchKey("k1", "own", changes=2), BranchKey("k2", "own")]
        storage.branch_keys(of.id, made.id).put_overlay(notes)
        storage.branch_keys(of.id, made.id).put_overlay(
            [BranchKey("k3", "own", changes=2**31)]
        )

        found = storage.branches.find_branch(of.id, made.id)

        assert found == replace(made, change_count=2**31 + 2)
        listed = storage.branches.list_branches(of.id, ALL).items
        assert {one.id: one.change_count for one in listed} == {
            made.id: 2**31 + 2,
            other.id: 0,
        }

    def test_sr6_a_name_is_taken_once_among_open_branches(
        self, storage: Storage
    ) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made = add_branch(storage, of)
        add_branch(storage, other)
        add_branch(storage, of, "Spring")

        with pytest.raises(Unavailable):
            storage.branches.add_branch(branch(of))

        assert storage.branches.list_branches(of.id, ALL).total == 2
        storage.branches.save_branch(ended(made))
        add_branch(storage, of)

    def test_sr7_what_ended_branches_held_is_purged_in_pieces(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        main = key(of, "main")
        storage.keys.add_keys([main], [value(main)])
        branches = [add_branch(storage, of, f"b{number}") for number in range(3)]
        old, older, young = (
            keys_on(storage, of, on, minute)
            for on, minute in zip(branches, (2, 1, 9), strict=True)
        )
        kept = add_branch(storage, of, "open", updated_at=at(0))
        opened = storage.branch_keys(of.id, kept.id)
        opened.add_keys([key(of, "own")])

        first = storage.purge("branches", at(5), 1)
        assert first > 0
        assert len(old.overlay()) == KEYS  # the oldest went first
        while storage.purge("branches", at(5), 1):
            pass

        for gone in (old, older):
            assert gone.overlay() == []
            assert list(gone.names_of(of.id)) == ["main"]
        assert len(young.names_of(of.id)) == KEYS + 1
        assert sorted(opened.names_of(of.id)) == ["main", "own"]
        assert storage.branches.list_branches(of.id, ALL).total == 4
        assert storage.branches.find_branch(of.id, branches[0].id) is not None

    def test_sr8_branches_go_with_their_project(self, storage: Storage) -> None:
        of, other = add_keys_project(storage), add_keys_project(storage)
        made, left = add_branch(storage, of), add_branch(storage, other)
        on = storage.branch_keys(of.id, made.id)
        on.add_keys([key(of, "own")])

        with storage.transaction():
            storage.projects.delete(of.id, at(1))

        assert storage.branches.find_branch(of.id, made.id) is None
        assert storage.branches.list_branches(of.id, ALL).total == 0
        while storage.purge("projects", at(2), 1):
            pass
        assert on.overlay() == []
        assert on.names_of(of.id) == {}
        assert storage.branches.find_branch(other.id, left.id) == left

    def test_sr9_touching_a_branch_moves_its_time_and_nothing_else(
        self, storage: Storage
    ) -> None:
        of = add_keys_project(storage)
        made, other = add_branch(storage, of), add_branch(storage, of, "autumn")

        storage.branches.touch_branch(made.id, at(9))

        assert storage.branches.find_branch(of.id, made.id) == replace(
            made, updated_at=at(9)
        )
        assert storage.branches.find_branch(of.id, other.id) == other

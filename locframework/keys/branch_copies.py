"""Counts what branches change in their copies of keys."""

from collections.abc import Collection

from msgspec.structs import replace

from locframework.branches.records import BranchScope
from locframework.fields import Timestamp

from .comparing import states_of
from .edits import KeyMerge, edits_of
from .store import KeyStorage


class BranchCopies:
    """The copies that branches have of main's keys.

    The first write to a key on a branch copies it with its values, and keeps the copied
    state as base (KeyStore of a branch). Main's later changes do not reach the copy
    until the branch is updated.
    """

    def __init__(self, storage: KeyStorage) -> None:
        self._storage = storage

    def count_changes(
        self, scope: BranchScope, key_ids: Collection[str], at: Timestamp
    ) -> None:
        """After a write to a branch, in its transaction: count the changes of the keys.

        Nothing is done for main. A number of statements that grows with the keys / 500.
        """
        if scope.branch is None or not key_ids:
            return
        store = self._storage.branch_keys(scope.project.id, scope.branch.id)
        copies = states_of(store, scope.project.id, key_ids)
        store.put_overlay(
            [
                replace(entry, changes=len(edits_of(touched)))
                for entry in store.overlay(key_ids)
                for touched in [KeyMerge(entry, entry.base, copies.get(entry.key_id))]
            ]
        )
        self._storage.branches.touch_branch(scope.branch.id, at)

"""Reads and counts the copies that branches have of main's keys.

The first write to a key on a branch copies it with its values, and keeps the copied
state as base. Main's later changes do not reach the copy until the branch is updated.
"""

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from locframework.branches.service import BranchScope
from locframework.fields import Timestamp

from .records import BranchKey, KeyState
from .store import BranchKeyStore, KeyStorage, KeyStore
from .three_way import KeyMerge, edits_of


def count_changes(
    storage: KeyStorage, scope: BranchScope, key_ids: Collection[str], at: Timestamp
) -> None:
    """Count again what a branch changes in keys, in the transaction of a write to it.

    Nothing is done for main. A number of statements that grows with the keys / 500.
    """
    if scope.branch is None or not key_ids:
        return
    store = storage.branch_keys(scope.project.id, scope.branch.id)
    copies = states_of(store, scope.project.id, key_ids)
    counted = []
    for entry in store.overlay(key_ids):
        edits = edits_of(KeyMerge(entry, entry.base, copies.get(entry.key_id)))
        counted.append(replace(entry, changes=len(edits)))
    store.put_overlay(counted, at)


def merges_of(
    main: KeyStore,
    branch: BranchKeyStore,
    project_id: str,
    entries: Iterable[BranchKey],
) -> list[KeyMerge]:
    """Return keys of a branch with their three states: base, main and branch.

    A number of statements that grows with the keys / 500.
    """
    by_id = {entry.key_id: entry for entry in entries}
    states = states_of(main, project_id, by_id)
    copies = states_of(branch, project_id, by_id)
    others = _name_conflicts(main, branch, project_id, copies.values())
    merges: list[KeyMerge] = []
    for id_, entry in by_id.items():
        state, copy = states.get(id_), copies.get(id_)
        other = others.get(copy.key.key) if copy is not None else None
        if other is not None and entry.base is None:
            state = other  # both become one key
        merges.append(KeyMerge(entry, state, copy, taken=other is not None))
    return merges


def _name_conflicts(
    main: KeyStore, branch: BranchKeyStore, project_id: str, copies: Iterable[KeyState]
) -> dict[str, KeyState]:
    """Return main's keys that have the name of another key on the branch, by name.

    Keys that the branch has copied itself are left out.
    """
    ids = {state.key.key: state.key.id for state in copies}
    named = main.find_keys(project_id, names=ids)
    others = [id_ for id_, key in named.items() if id_ != ids[key.key]]
    if not others:
        return {}
    copied = {each.key_id for each in branch.overlay(others)}
    rest = [id_ for id_ in others if id_ not in copied]
    return {
        state.key.key: state for state in states_of(main, project_id, rest).values()
    }


def states_of(
    store: KeyStore, project_id: str, key_ids: Collection[str]
) -> dict[str, KeyState]:
    """Return keys with all their values, by id; missing keys are left out."""
    keys = store.find_keys(project_id, key_ids)
    values = store.values_of(list(keys)) if keys else {}
    return {id_: KeyState(key, tuple(values.get(id_, ()))) for id_, key in keys.items()}

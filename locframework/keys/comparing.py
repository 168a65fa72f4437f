"""Reads the keys that a branch has for itself, as main and as the branch have them."""

from collections.abc import Collection, Iterable, Mapping

from .edits import KeyMerge
from .records import BranchKey, KeyState
from .store import BranchKeyStore, KeyStore

Twins = Mapping[str, KeyState]
"""Main's keys that have the name of another key on a branch, by that name."""


def touched_keys(
    main: KeyStore,
    branch: BranchKeyStore,
    project_id: str,
    entries: Iterable[BranchKey],
) -> list[KeyMerge]:
    """The keys of these entries, in their three states.

    A number of statements that grows with the keys / 500.
    """
    mine = {entry.key_id: entry for entry in entries}
    states = states_of(main, project_id, mine)
    copies = states_of(branch, project_id, mine)
    twins = twins_of(main, branch, project_id, copies.values())
    return [
        touched(entry, states.get(id_), copies.get(id_), twins)
        for id_, entry in mine.items()
    ]


def touched(
    entry: BranchKey, main: KeyState | None, copy: KeyState | None, twins: Twins
) -> KeyMerge:
    """One key; ``main`` is the key of that id, if it is there."""
    twin = twins.get(copy.key.key) if copy is not None else None
    if twin is None:
        return KeyMerge(entry, main, copy)
    return KeyMerge(entry, twin if entry.base is None else main, copy, taken=True)


def twins_of(
    main: KeyStore,
    branch: BranchKeyStore,
    project_id: str,
    copies: Iterable[KeyState],
) -> Twins:
    """The twins of a branch's keys, but for those that it has for itself too."""
    ids = {state.key.key: state.key.id for state in copies}
    named = main.find_keys_by_name(project_id, ids) if ids else {}
    others = [key.id for name, key in named.items() if key.id != ids[name]]
    if not others:
        return {}
    mine = {each.key_id for each in branch.overlay(others)}
    rest = [id_ for id_ in others if id_ not in mine]
    return {
        state.key.key: state for state in states_of(main, project_id, rest).values()
    }


def states_of(
    store: KeyStore, project_id: str, key_ids: Collection[str]
) -> dict[str, KeyState]:
    """Keys with all their texts, by id; those that are not there are left out."""
    keys = store.find_keys(project_id, key_ids) if key_ids else {}
    values = store.values_of(list(keys)) if keys else {}
    return {id_: KeyState(key, tuple(values.get(id_, ()))) for id_, key in keys.items()}

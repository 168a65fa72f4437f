"""Updates a branch: which of main's later changes its copy of a key takes over."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from locframework.keys.edits import KeyMerge, edits_of
from locframework.keys.key_fields import KEY_FIELDS
from locframework.keys.records import BranchKey, KeyState
from locframework.keys.three_way import (
    Unit,
    form_in,
    is_aligned,
    needs_plurals,
    rows_of,
)


class Incoming(Struct, frozen=True):
    """What main changed in a key since a branch copied it."""

    base: KeyState
    main: KeyState | None
    swapped: KeyMerge
    """The three states with main in the place of the branch, and the reverse."""
    units: set[Unit]
    """What the branch takes over."""
    conflicts: set[Unit]
    """What both changed, to something else."""

    @property
    def key_id(self) -> str:
        return self.swapped.entry.key_id

    @property
    def is_dropped(self) -> bool:
        """Whether main deleted the key, and the branch changed nothing in it."""
        return self.main is None and not self.conflicts

    @property
    def has_news(self) -> bool:
        return self.is_dropped or bool(self.units)


def incoming(touched: KeyMerge) -> Incoming | None:
    """Return what main changed in a copied key; None if there is nothing to do.

    A key that the branch created, and one that both deleted, has no such changes.
    """
    base, main, branch = touched.entry.base, touched.main, touched.branch
    if base is None or (main is None and branch is None):
        return None
    entry = BranchKey(touched.entry.key_id, "copy", base)
    swapped = KeyMerge(entry, main=branch, branch=main)
    edits = edits_of(swapped)
    conflicts = {edit.unit for edit in edits if edit.conflict}
    units = {edit.unit for edit in edits} - conflicts
    if main is None or branch is None:  # a deletion is taken over whole, or not at all
        units = set()
    return Incoming(base, main, swapped, units, conflicts)


def updated_base(news: Incoming) -> KeyState:
    """Return the base of the copy after the update: main, but for conflicts."""
    base, main = news.base, news.main
    if main is None or news.swapped.main is None:
        return base
    fields = {
        name: getattr(base.key, name)
        for unit in news.conflicts
        if unit.language_code is None
        for name in KEY_FIELDS[unit.field].attributes
    }
    key = replace(main.key, **fields)
    aligned = is_aligned((base, main, news.swapped.main))
    rows, old = rows_of(main, aligned=aligned), rows_of(base, aligned=aligned)
    for unit in news.conflicts:
        if unit.language_code is not None:
            rows.pop(unit, None)
            if unit in old:
                rows[unit] = old[unit]
    values = [
        row if needs_plurals(unit) else replace(row, plural_form=form_in(key, unit))
        for unit, row in rows.items()
    ]
    return KeyState(key, tuple(values))

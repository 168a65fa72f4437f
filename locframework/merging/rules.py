"""Decides what the changes of a branch are called, and what a merge writes of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct
from msgspec.json import Encoder
from msgspec.structs import replace

from locframework.errors import ValidationFailed
from locframework.keys.key_fields import KEY_FIELDS
from locframework.keys.records import (
    BranchKey,
    KeyState,
    KeyWrite,
    StoredKey,
    StoredValue,
)
from locframework.keys.rules import outdated
from locframework.keys.three_way import (
    KEY,
    PLURAL,
    TAGS,
    Edit,
    KeyMerge,
    Text,
    ThreeStates,
    Unit,
    compare_states,
    edits_of,
    form_in,
    has_place,
    is_aligned,
    merged_tags,
    needs_plurals,
    rows_of,
    shown_text,
)

from .records import (
    Applied,
    Change,
    ChangeCounts,
    ChangeType,
    Content,
    MainChange,
    Resolution,
    Side,
    Strategy,
)

_encoder = Encoder()


class Listed(NamedTuple):
    """What a branch changes, with the change that tells of it."""

    unit: Unit
    change: Change
    needs: str | None  # the id of the change that it cannot come without


def changes_of(touched: KeyMerge) -> list[Listed]:
    """What the branch changes of one key; nothing where it agrees with main."""
    edits = {edit.unit: edit for edit in edits_of(touched)}
    changes = {unit: _change(touched, edit) for unit, edit in edits.items()}
    return [
        Listed(unit, change, _needed(touched, unit, changes))
        for unit, change in changes.items()
    ]


def _needed(touched: KeyMerge, unit: Unit, changes: dict[Unit, Change]) -> str | None:
    """A plural form needs that there are plurals, and a new key's fields the key."""
    if needs_plurals(unit) and PLURAL in changes:
        return changes[PLURAL].id
    is_new = touched.main is None and touched.entry.base is None
    return changes[KEY].id if is_new and unit != KEY else None


def _change(touched: KeyMerge, edit: Edit) -> Change:
    unit, side = edit.unit, edit.sides
    base, main, branch = (_content(each) for each in side[:3])
    of = touched.branch or touched.main
    assert of is not None  # a key that is nowhere is no change
    shown: tuple[object, ...] = (touched.entry.key_id, *unit, base, main, branch)
    shown += (*_states(side), *edit.dependents)
    return Change(
        id=hashlib.sha256(_encoder.encode(shown)).hexdigest()[:32],
        type=_type(unit, main, branch, is_there=touched.main is not None),
        key_id=touched.entry.key_id,
        key=of.key.key,
        field=unit.field,
        language_code=unit.language_code,
        plural_form=unit.plural_form,
        base=base,
        main=main,
        branch=branch,
        conflict=edit.conflict,
        main_changes=_lost(edit) or UNSET,
    )


def _lost(edit: Edit) -> list[MainChange]:
    return [
        MainChange(*unit, _content(side.base), _content(side.main))
        for unit, side in edit.lost.items()
    ]


def _content(side: object) -> Content:
    shown = shown_text(side)
    if isinstance(shown, tuple):
        return [str(tag) for tag in shown]
    return shown if isinstance(shown, str | bool | int) else None


def _states(side: ThreeStates) -> list[str]:
    """Review states: a text that was approved meanwhile is another change."""
    return [str(getattr(each, "status", "")) for each in side[:3]]


def _type(unit: Unit, main: Content, branch: Content, *, is_there: bool) -> ChangeType:
    """What becomes of main's key, or of its text; ``is_there``: main has the key."""
    if unit.field in ("key", "value"):
        is_there = main is not None
        if branch is None:
            return "deleted"
    return "updated" if is_there else "added"


def counts_of(changes: Iterable[Change]) -> ChangeCounts:
    """How many there are of each type."""
    changes = list(changes)
    types = [change.type for change in changes]
    return ChangeCounts(
        added=types.count("added"),
        updated=types.count("updated"),
        deleted=types.count("deleted"),
        conflicts=sum(change.conflict for change in changes),
    )


def applied(changes: Iterable[Change]) -> Applied:
    """The same of changes that came to main."""
    counts = counts_of(changes)
    return Applied(counts.added, counts.updated, counts.deleted)


def decide(
    listed: Sequence[Listed], strategy: Strategy, resolutions: Sequence[Resolution]
) -> dict[str, Side | None]:
    """The side that each change is decided for, by its id; None: still open.

    A resolution decides any change; of the others, what does not conflict comes from
    the branch, and the strategy decides the rest. What needs a change that is decided
    for main stays as main has it, too. Raises ValidationFailed for a resolution of a
    change that is not there, or is another by now; for a second one of a change; for
    one that takes from the branch what needs a change that does not come; and for one
    that keeps a plural form while the plurals go.
    """
    chosen = _chosen(listed, resolutions)
    by_strategy: dict[Strategy, Side | None] = {
        "fail": None,
        "use_branch": "branch",
        "use_main": "main",
    }
    sides = {
        each.change.id: chosen.get(
            each.change.id,
            by_strategy[strategy] if each.change.conflict else "branch",
        )
        for each in listed
    }
    for each in listed:
        if each.needs is None:
            continue
        needed, asked = sides[each.needs], chosen.get(each.change.id)
        if needed == "main" and asked == "branch":
            why = f"cannot come from the branch while {each.needs} stays on main"
            raise _needed_otherwise(resolutions, each, why)
        if needed == "branch" and asked == "main" and each.change.type == "deleted":
            why = f"cannot stay on main while {each.needs} comes from the branch"
            raise _needed_otherwise(resolutions, each, why)
        if needed == "main":
            sides[each.change.id] = "main"
    return sides


def _needed_otherwise(
    resolutions: Sequence[Resolution], listed: Listed, why: str
) -> ValidationFailed:
    at = [one.change_id for one in resolutions].index(listed.change.id)
    return ValidationFailed.at(f"$.resolutions[{at}].use", "needed", why)


def _chosen(
    listed: Sequence[Listed], resolutions: Sequence[Resolution]
) -> dict[str, Side]:
    there = {each.change.id for each in listed}
    chosen: dict[str, Side] = {}
    for at, resolution in enumerate(resolutions):
        path = f"$.resolutions[{at}].changeId"
        if resolution.change_id not in there:
            message = "is not among the branch's changes any more; read the diff again"
            raise ValidationFailed.at(path, "change", message)
        if resolution.change_id in chosen:
            raise ValidationFailed.at(path, "unique", "is given twice")
        chosen[resolution.change_id] = resolution.use
    return chosen


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


def is_lost(touched: KeyMerge) -> bool:
    """Return whether the branch has a copy of a key that main has deleted."""
    is_edit = touched.branch is not None and touched.entry.base is not None
    return is_edit and touched.main is None


def write_whole(touched: KeyMerge, branch: KeyState, source: str) -> KeyWrite:
    """Return a write that creates a key which is not even in the trash."""
    new = KeyMerge(BranchKey(touched.entry.key_id, "own"), None, branch)
    return write_units(new, branch, compare_states(None, None, branch).keys(), source)


def write_units(
    touched: KeyMerge,
    branch: KeyState,
    units: Collection[Unit],
    source: str,
    deleted: StoredKey | None = None,
) -> KeyWrite:
    """Return the write that sets the chosen units as the branch has them.

    ``source`` is the source language. ``deleted``: the key as it was when it was
    deleted on the target, where it is restored.
    """
    main, base, key = touched.main, touched.entry.base, branch.key
    before = main or base  # None: the key is new
    is_plural = key.is_plural
    if PLURAL not in units:
        left = None if before is None else before.key
        if deleted is not None and left is not None and left.is_plural != is_plural:
            left = deleted  # the branch turned them, and main's are to stay
        is_plural = left is not None and left.is_plural
    compared = compare_states(base, main, branch)
    placed = replace(key, is_plural=is_plural)
    # the target keeps another source text: the branch's translations are outdated there
    is_stale = any(
        unit.language_code == source
        and unit not in units
        and isinstance(side.main, Text)
        and (
            not isinstance(side.branch, Text)
            or side.main.applied != side.branch.applied
        )
        for unit, side in compared.items()
    )
    fields: dict[str, object] = {
        attribute: getattr(key, attribute)
        for name, field in KEY_FIELDS.items()
        if Unit(name) in units
        for attribute in field.attributes
    }
    fields["is_plural"] = is_plural
    if TAGS in units:
        fields["tags"] = merged_tags(compared[TAGS])
    if before is None:
        fields.pop("key", None)
    return KeyWrite(
        name=key.key,
        key_id=before.key.id if before is not None else None,
        new_id=key.id,
        created_at=key.created_at,
        fields=fields,
        stored_values=_values(
            touched, branch, units, placed, source if is_stale else None
        ),
        keep_approved=frozenset(
            (unit.language_code, form_in(placed, unit))
            for unit, side in compared.items()
            if unit.language_code is not None and side.keeps_approved
        ),
        up_to_date=frozenset(
            (row.language_code, row.plural_form)
            for row in branch.values
            if not (row.is_outdated or is_stale)
        ),
    )


def _values(
    touched: KeyMerge,
    branch: KeyState,
    units: Collection[Unit],
    key: StoredKey,
    stale_source: str | None,
) -> Mapping[tuple[str, str | None], StoredValue | None]:
    """Return the chosen values; outdated unless of the language ``stale_source``, where
    that is not None."""
    states = (touched.entry.base, touched.main, branch)
    rows = rows_of(branch, aligned=is_aligned(states))
    found: dict[tuple[str, str | None], StoredValue | None] = {}
    for unit in units:
        if unit.language_code is None or not has_place(key, unit):
            continue  # what goes with the plurals does not stand on ``other``
        form, row = form_in(key, unit), rows.get(unit)
        value = None if row is None else replace(row, plural_form=form)
        if value and stale_source not in (None, unit.language_code):
            value = outdated(value)
        found[unit.language_code, form] = value
    return found


def lost_forms(touched: KeyMerge) -> set[Unit]:
    """Forms that the branch left as they were, of a key whose plurals main turned off
    before it deleted the key."""
    base, branch = touched.entry.base, touched.branch
    found = compare_states(base, base, branch).items()
    return {unit for unit, side in found if needs_plurals(unit) and not side.is_edited}


def within_languages(write: KeyWrite, codes: set[str]) -> KeyWrite:
    """Return the write without values in languages that left the project."""
    found = write.stored_values.items()
    values = {slot: value for slot, value in found if slot[0] in codes}
    return replace(write, stored_values=values)

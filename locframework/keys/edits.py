"""Decides what a branch changes of a key, and where main has changed the same."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from .records import BranchKey, KeyState
from .three_way import (
    EMPTY,
    KEY,
    PLURAL,
    TAGS,
    Sides,
    Unit,
    needs_plurals,
    sides,
    too_many_tags,
    united,
)


class KeyMerge(Struct, frozen=True):
    """A key that a branch has for itself, in its three states.

    ``taken``: main gave the name that the key has on the branch to another key; for a
    key made on the branch ``main`` is that other key, and both are one from then on.
    """

    entry: BranchKey
    main: KeyState | None
    branch: KeyState | None
    taken: bool = False


class Edit(NamedTuple):
    """One unit that the branch changes."""

    unit: Unit
    sides: Sides
    conflict: bool  # main changed the same, to something else
    hanging: tuple[object, ...] = ()  # what else goes or stays with it, as it is now
    lost: Mapping[Unit, Sides] = {}  # what main changed of a key that would go


def edits_of(touched: KeyMerge) -> list[Edit]:
    """What the branch changes of one key; nothing where it agrees with main.

    A key deleted on one side and changed on the other is a conflict, and so is what two
    keys of one name both fill, with another content; tags are united, unless that makes
    too many.
    """
    base, main, branch = touched.entry.base, touched.main, touched.branch
    if branch is None:
        return _deletion(base, main)
    if base is not None and main is None:
        compared = sides(base, base, branch)
        return [
            Edit(unit, side._replace(main=None), True, _hanging(unit, compared))
            for unit, side in compared.items()
            if side.edited
        ]
    found = []
    compared = sides(base, main, branch)
    for unit, side in compared.items():
        fits = True
        if unit == TAGS:
            fits = not too_many_tags(side)
            side = side._replace(branch=united(side))
        is_new = base is None and not side.at_odds
        if not side.edited or side.waits_for_nothing:
            continue
        if is_new and _is_silent(unit, side.branch, side):
            continue
        clashes = side.clashes and not (unit == TAGS and fits)
        if base is None and _is_silent(unit, side.main, side):
            clashes = False  # another key of that name, which says nothing there
        if unit == KEY and touched.taken:
            clashes = base is not None
        found.append(Edit(unit, side, clashes, _hanging(unit, compared)))
    return found


def _is_silent(unit: Unit, content: object, side: Sides) -> bool:
    """Whether one of two keys of a name says nothing there; without plurals is said
    as well as with them, if there are two."""
    if unit == PLURAL and side.main is not None:
        return False
    return content in EMPTY


def _deletion(base: KeyState | None, main: KeyState | None) -> list[Edit]:
    if base is None or main is None:
        return []  # made and deleted there, or gone on both sides
    compared = sides(base, main, base)
    moved = {unit: side for unit, side in compared.items() if side.main != side.base}
    key = Sides(base.key.key, main.key.key, None)
    lost = {unit: side for unit, side in moved.items() if unit != KEY}
    return [Edit(KEY, key, bool(moved), _shown(compared), lost)]


def _hanging(unit: Unit, compared: dict[Unit, Sides]) -> tuple[object, ...]:
    """With a new key all that it says; with plurals the forms that need them."""
    if unit == PLURAL:
        return _shown({u: side for u, side in compared.items() if needs_plurals(u)})
    is_new = unit == KEY and compared[KEY][:2] == (None, None)
    return _shown(compared) if is_new else ()


def _shown(compared: dict[Unit, Sides]) -> tuple[object, ...]:
    """What main and the branch have there, in an order of its own."""
    found = [(*unit, side.main, side.branch) for unit, side in compared.items()]
    return tuple(sorted(found, key=lambda each: [part or "" for part in each[:3]]))

"""Decides what a branch changes of a key, and where main has changed the same."""

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
    sides,
    too_many_tags,
    united,
)


class Touched(Struct, frozen=True):
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


def edits_of(touched: Touched) -> list[Edit]:
    """What the branch changes of one key; nothing where it agrees with main.

    A key deleted on one side and changed on the other is a conflict, and so is what two
    keys of one name both fill, with another content; tags are united, unless that makes
    too many.
    """
    base, main, branch = touched.entry.base, touched.main, touched.branch
    if branch is None:
        return _deletion(base, main)
    if base is not None and main is None:
        return [
            Edit(unit, side._replace(main=None), conflict=True)
            for unit, side in sides(base, base, branch).items()
            if side.edited
        ]
    found = []
    for unit, side in sides(base, main, branch).items():
        fits = True
        if unit == TAGS:
            fits = not too_many_tags(side)
            side = side._replace(branch=united(side))
        is_new = base is None and not side.at_odds
        if not side.edited or (is_new and _is_silent(unit, side.branch, side)):
            continue
        clashes = side.clashes and not (unit == TAGS and fits)
        if base is None and _is_silent(unit, side.main, side):
            clashes = False  # another key of that name, which says nothing there
        if unit == KEY and touched.taken:
            clashes = base is not None
        if unit == TAGS and base is not None:
            side = side._replace(base=base.key.tags)
        found.append(Edit(unit, side, clashes))
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
    moved = any(side.main != side.base for side in sides(base, main, base).values())
    return [Edit(KEY, Sides(base.key.key, main.key.key, None), conflict=moved)]

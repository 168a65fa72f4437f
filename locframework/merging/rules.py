"""Decides what a branch changes, and which side each change is decided for."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.json import Encoder

from locframework.keys.records import BranchKey, KeyState
from locframework.keys.three_way import (
    EMPTY,
    KEY,
    TAGS,
    Sides,
    Unit,
    shown_text,
    sides,
    too_many_tags,
    united,
)

from .records import (
    Applied,
    Change,
    ChangeCounts,
    ChangeType,
    Content,
    Resolution,
    Side,
    Strategy,
)

_encoder = Encoder()


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
    """A change with the unit it is about."""

    unit: Unit
    change: Change


def edits_of(touched: Touched) -> list[Edit]:
    """What the branch changes of one key; nothing where it agrees with main.

    A key deleted on one side and changed on the other is a conflict; tags are united,
    unless that makes too many.
    """
    base, main, branch = touched.entry.base, touched.main, touched.branch
    if branch is None:
        return _deletion(touched)
    if base is not None and main is None:
        return [
            _edit(touched, unit, side._replace(main=None), conflict=True)
            for unit, side in sides(base, base, branch).items()
            if side.edited
        ]
    found = []
    for unit, side in sides(base, main, branch).items():
        fits = True
        if unit == TAGS:
            fits = not too_many_tags(side)
            side = side._replace(branch=united(side))
        if not side.edited or (base is None and side.branch in EMPTY):
            continue
        clashes = side.clashes and not (unit == TAGS and fits)
        if base is None and side.main in EMPTY:
            clashes = False  # another key of that name, which says nothing there
        if unit == KEY and touched.taken:
            clashes = base is not None
        found.append(_edit(touched, unit, side, conflict=clashes))
    return found


def _deletion(touched: Touched) -> list[Edit]:
    base, main = touched.entry.base, touched.main
    if base is None or main is None:
        return []  # made and deleted there, or gone on both sides
    moved = any(side.main != side.base for side in sides(base, main, base).values())
    side = Sides(base.key.key, main.key.key, None)
    return [_edit(touched, KEY, side, conflict=moved)]


def _edit(touched: Touched, unit: Unit, side: Sides, *, conflict: bool) -> Edit:
    base, main, branch = (_content(each) for each in side)
    of = touched.branch or touched.main
    assert of is not None  # a key that is nowhere is no change
    shown = (touched.entry.key_id, *unit, base, main, branch, *_states(side))
    change = Change(
        id=hashlib.sha256(_encoder.encode(shown)).hexdigest()[:32],
        type=_type(base, branch),
        key_id=touched.entry.key_id,
        key=of.key.key,
        field=unit.field,
        language_code=unit.language_code,
        plural_form=unit.plural_form,
        base=base,
        main=main,
        branch=branch,
        conflict=conflict,
    )
    return Edit(unit, change)


def _content(side: object) -> Content:
    shown = shown_text(side)
    if isinstance(shown, tuple):
        return [str(tag) for tag in shown]
    return shown if isinstance(shown, str | bool) else None


def _states(side: Sides) -> list[str]:
    """Review states: a text that was approved meanwhile is another change."""
    return [str(getattr(each, "status", "")) for each in side]


def _type(base: Content, branch: Content) -> ChangeType:
    if base is None:
        return "added"
    return "deleted" if branch is None else "updated"


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
    changes: Sequence[Change], strategy: Strategy, resolutions: Sequence[Resolution]
) -> dict[str, Side | None]:
    """The side that each change is decided for, by its id; None: still open.

    What does not conflict comes from the branch. A resolution of a change that is not
    there, or is another by now, decides nothing.
    """
    chosen = {resolution.change_id: resolution.use for resolution in resolutions}
    by_strategy: dict[Strategy, Side | None] = {
        "fail": None,
        "use_branch": "branch",
        "use_main": "main",
    }
    return {
        change.id: chosen.get(change.id, by_strategy[strategy])
        if change.conflict
        else "branch"
        for change in changes
    }

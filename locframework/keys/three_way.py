"""Compares three states of a key, field by field: base, main and branch.

The unit is one field of one language of one plural form, so edits of different things
never clash. Where one state has plurals and another has none, the text without plurals
stands beside the form ``other``. The other forms go with the plurals: one side may
turn them off while the other writes one of them, and then both are at odds.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from .key_fields import KEY_FIELDS
from .records import (
    TAGS_MOST,
    BranchKey,
    Field,
    Key,
    KeyState,
    StoredValue,
    ValueStatus,
)

Rows = dict["Unit", StoredValue]
Contents = dict["Unit", object]


class Unit(NamedTuple):
    """What is compared on its own."""

    field: Field
    language_code: str | None = None
    plural_form: str | None = None


class Text(NamedTuple):
    """What makes a value: its text, and where it stands in review."""

    value: str
    status: ValueStatus
    approved_value: str | None

    @property
    def applied(self) -> str:
        """The text that counts: the approved one, or the only one there is."""
        return self.value if self.approved_value is None else self.approved_value


class ThreeStates(NamedTuple):
    """One unit in three states; None: there is none.

    ``is_confirmed``: outdated in the base and on main, and not on the branch.
    ``plurals_differ``: plurals, or a form, that one side has against the other.
    """

    base: object
    main: object
    branch: object
    is_confirmed: bool = False
    plurals_differ: bool = False

    @property
    def is_changed_on_branch(self) -> bool:
        """Whether the branch left the base: main may have come to say the same."""
        return self.branch != self.base or self.plurals_differ

    @property
    def keeps_approved(self) -> bool:
        """Of a value: whether the branch left the approved text as it was."""
        return _approved(self.branch) == _approved(self.base)

    @property
    def is_approved_on_main(self) -> bool:
        """Of a value: whether it waits on the branch, and main approved just that."""
        if not (isinstance(self.branch, Text) and isinstance(self.main, Text)):
            return False
        waits = self.branch.status != "approved" and self.keeps_approved
        is_there = self.main.status == "approved"
        return waits and is_there and self.main.value == self.branch.value

    @property
    def is_edited(self) -> bool:
        """Whether the branch says what neither main nor the base says, or found a
        text right that is outdated on main."""
        return (
            self.is_confirmed if self.branch == self.main else self.is_changed_on_branch
        )

    @property
    def is_conflict(self) -> bool:
        """Whether main left the base too; review states of one text do not clash.

        Forms that are at odds are decided with the plurals.
        """
        if self.plurals_differ:
            return isinstance(self.branch, bool)
        if self.main == self.base or not self.is_edited:
            return False
        return shown_text(self.main) != shown_text(self.branch)


EMPTY: tuple[object, ...] = (None, "", (), False)
"""The contents with which a field of a new key says nothing."""

KEY, TAGS, PLURAL = Unit("key"), Unit("tags"), Unit("isPlural")


def compare_states(
    base: KeyState | None, main: KeyState | None, branch: KeyState | None
) -> dict[Unit, ThreeStates]:
    """Every unit of any of the states: fields of the key first, then values."""
    states = (base, main, branch)
    aligned = is_aligned(states)
    old, now, mine = (_contents(state, aligned=aligned) for state in states)
    stale = [_outdated(state, aligned=aligned) for state in states]
    freshened = stale[0] & stale[1] - stale[2]
    at_odds = _plurals_differ(old, now, mine)
    return {
        unit: ThreeStates(
            old.get(unit),
            now.get(unit),
            mine.get(unit),
            unit in freshened,
            unit in at_odds,
        )
        for unit in {**old, **now, **mine}
    }


def _plurals_differ(old: Contents, now: Contents, mine: Contents) -> set[Unit]:
    """The plurals with all the forms that go with them, where one side turned them off
    and the other wrote such a form; so are two keys of one name."""
    if not (now and mine) or now[PLURAL] == mine[PLURAL]:
        return set()
    if not old.get(PLURAL, True):
        return set()  # turning them on leaves place for everything
    with_plurals = now if now[PLURAL] else mine
    forms = {unit for unit in with_plurals if needs_plurals(unit)}
    if all(with_plurals[unit] == old.get(unit) for unit in forms):
        return set()
    return {PLURAL, *forms}


def needs_plurals(unit: Unit) -> bool:
    """Whether a key without plurals has no place for it."""
    return unit.plural_form not in (None, "other")


def is_aligned(states: Sequence[KeyState | None]) -> bool:
    """Whether some have plurals and others none."""
    return len({state.key.is_plural for state in states if state is not None}) > 1


def rows_of(state: KeyState | None, *, aligned: bool) -> Rows:
    """The texts of a state by their unit."""
    if state is None:
        return {}
    form = "other" if aligned else None
    return {
        Unit("value", row.language_code, row.plural_form or form): row
        for row in state.values
    }


def merged_tags(side: ThreeStates) -> tuple[str, ...]:
    """Main's tags and those the branch added, without those it took away.

    The branch's own, in its order, where it has all of them already, and where both
    together are more tags than a key may have.
    """
    base, main, branch = (_tags(tags) for tags in side[:3])
    if side.main is None or main == base or too_many_tags(side):
        return branch
    both = _both(base, main, branch)
    is_moved = branch == base or {*both} != {*branch}
    return both if is_moved else branch


def too_many_tags(side: ThreeStates) -> bool:
    """Whether main's and the branch's cannot stand on one key (service.md, Key)."""
    return len(_both(*(_tags(tags) for tags in side[:3]))) > TAGS_MOST


def _both(
    base: tuple[str, ...], main: tuple[str, ...], branch: tuple[str, ...]
) -> tuple[str, ...]:
    of_main = [tag for tag in main if tag in branch or tag not in base]
    added = [tag for tag in branch if tag not in base]
    return tuple(dict.fromkeys([*of_main, *added]))


def _approved(content: object) -> str | None:
    return content.approved_value if isinstance(content, Text) else None


def shown_text(content: object) -> object:
    """A unit's content as people read it: of a value its text alone."""
    return content.value if isinstance(content, Text) else content


def _contents(state: KeyState | None, *, aligned: bool) -> Contents:
    if state is None:
        return {}
    found: Contents = {
        Unit(name): field.of(state.key) for name, field in KEY_FIELDS.items()
    }
    for unit, row in rows_of(state, aligned=aligned).items():
        found[unit] = Text(row.value, row.status, row.approved_value)
    return found


def _outdated(state: KeyState | None, *, aligned: bool) -> set[Unit]:
    rows = rows_of(state, aligned=aligned)
    return {unit for unit, row in rows.items() if row.is_outdated}


def has_place(key: Key, unit: Unit) -> bool:
    """Whether a key has place for the text: without plurals for ``other`` alone."""
    return key.is_plural or not needs_plurals(unit)


def form_in(key: Key, unit: Unit) -> str | None:
    """The plural form that a unit's text has in a key with place for it."""
    return (unit.plural_form or "other") if key.is_plural else None


def _tags(tags: object) -> tuple[str, ...]:
    return tags if isinstance(tags, tuple) else ()


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
    sides: ThreeStates
    conflict: bool  # main changed the same, to something else
    dependents: tuple[object, ...] = ()  # what else goes or stays with it, as it is now
    lost: Mapping[Unit, ThreeStates] = {}  # what main changed of a key that would go


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
        compared = compare_states(base, base, branch)
        return [
            Edit(unit, side._replace(main=None), True, _dependents(unit, compared))
            for unit, side in compared.items()
            if side.is_edited
        ]
    found = []
    compared = compare_states(base, main, branch)
    for unit, side in compared.items():
        fits = True
        if unit == TAGS:
            fits = not too_many_tags(side)
            side = side._replace(branch=merged_tags(side))
        is_new = base is None and not side.plurals_differ
        if not side.is_edited or side.is_approved_on_main:
            continue
        if is_new and _is_silent(unit, side.branch, side):
            continue
        clashes = side.is_conflict and not (unit == TAGS and fits)
        if base is None and _is_silent(unit, side.main, side):
            clashes = False  # another key of that name, which says nothing there
        if unit == KEY and touched.taken:
            clashes = base is not None
        found.append(Edit(unit, side, clashes, _dependents(unit, compared)))
    return found


def _is_silent(unit: Unit, content: object, side: ThreeStates) -> bool:
    """Whether one of two keys of a name says nothing there; without plurals is said
    as well as with them, if there are two."""
    if unit == PLURAL and side.main is not None:
        return False
    return content in EMPTY


def _deletion(base: KeyState | None, main: KeyState | None) -> list[Edit]:
    if base is None or main is None:
        return []  # made and deleted there, or gone on both sides
    compared = compare_states(base, main, base)
    moved = {unit: side for unit, side in compared.items() if side.main != side.base}
    key = ThreeStates(base.key.key, main.key.key, None)
    lost = {unit: side for unit, side in moved.items() if unit != KEY}
    return [Edit(KEY, key, bool(moved), _shown(compared), lost)]


def _dependents(unit: Unit, compared: dict[Unit, ThreeStates]) -> tuple[object, ...]:
    """With a new key all that it says; with plurals the forms that need them."""
    if unit == PLURAL:
        return _shown({u: side for u, side in compared.items() if needs_plurals(u)})
    is_new = unit == KEY and compared[KEY][:2] == (None, None)
    return _shown(compared) if is_new else ()


def _shown(compared: dict[Unit, ThreeStates]) -> tuple[object, ...]:
    found = [(*unit, side.main, side.branch) for unit, side in compared.items()]
    return tuple(sorted(found, key=lambda each: [part or "" for part in each[:3]]))

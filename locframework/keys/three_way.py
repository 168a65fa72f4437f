"""Compares three states of a key, field by field: base, main and branch.

The unit is one field of one language of one plural form, so edits of different things
never clash. Where one state has plurals and another has none, the text without plurals
stands beside the form ``other``. The other forms go with the plurals: one side may
turn them off while the other writes one of them, and then both are at odds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from .marks import marked_as, outdated
from .records import TAGS_MOST, Field, Key, KeyState, StoredValue, ValueStatus

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
    def counts(self) -> str:
        """The text that counts: the approved one, or the only one there is."""
        return self.value if self.approved_value is None else self.approved_value


class Sides(NamedTuple):
    """One unit in three states; None: there is none."""

    base: object
    main: object
    branch: object
    freshened: bool = False  # outdated in the base and on main, and not on the branch
    at_odds: bool = False  # plurals, or a form, that one side has against the other

    @property
    def own(self) -> bool:
        """Whether the branch left the base: main may have come to say the same."""
        return self.branch != self.base or self.at_odds

    @property
    def edited(self) -> bool:
        """Whether the branch says what neither main nor the base says, or found a
        text right that is outdated on main."""
        return self.freshened if self.branch == self.main else self.own

    @property
    def clashes(self) -> bool:
        """Whether main left the base too; review states of one text do not clash.

        Forms that are at odds are decided with the plurals.
        """
        if self.at_odds:
            return isinstance(self.branch, bool)
        if self.main == self.base or not self.edited:
            return False
        return shown_text(self.main) != shown_text(self.branch)


EMPTY: tuple[object, ...] = (None, "", (), False)
"""What a field of a new key says nothing with."""

KEY, TAGS, PLURAL = Unit("key"), Unit("tags"), Unit("isPlural")
DESCRIPTION, SCREENSHOT = Unit("description"), Unit("screenshotFileId")


def sides(
    base: KeyState | None, main: KeyState | None, branch: KeyState | None
) -> dict[Unit, Sides]:
    """Every unit of any of the states: fields of the key first, then values."""
    states = (base, main, branch)
    aligned = is_aligned(states)
    old, now, mine = (_contents(state, aligned=aligned) for state in states)
    stale = [_outdated(state, aligned=aligned) for state in states]
    freshened = stale[0] & stale[1] - stale[2]
    at_odds = _at_odds(old, now, mine)
    return {
        unit: Sides(
            old.get(unit),
            now.get(unit),
            mine.get(unit),
            unit in freshened,
            unit in at_odds,
        )
        for unit in {**old, **now, **mine}
    }


def _at_odds(old: Contents, now: Contents, mine: Contents) -> set[Unit]:
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


def united(side: Sides) -> tuple[str, ...]:
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


def too_many_tags(side: Sides) -> bool:
    """Whether main's and the branch's cannot stand on one key (service.md, Key)."""
    return len(_both(*(_tags(tags) for tags in side[:3]))) > TAGS_MOST


def _both(
    base: tuple[str, ...], main: tuple[str, ...], branch: tuple[str, ...]
) -> tuple[str, ...]:
    kept = [tag for tag in main if tag in branch or tag not in base]
    return tuple(dict.fromkeys([*kept, *(tag for tag in branch if tag not in base)]))


def _base_tags(side: Sides) -> tuple[str, ...]:
    """Each tag for itself: as on main, but for those that the branch added or took
    away, which are as they were."""
    base, main, branch = (_tags(tags) for tags in side[:3])
    own = {*base} ^ {*branch}
    kept = [tag for tag in main if tag in base or tag not in own]
    return (*kept, *(tag for tag in base if tag in own and tag not in main))


def shown_text(content: object) -> object:
    """A unit's content as people read it: of a value its text alone."""
    return content.value if isinstance(content, Text) else content


def followed(
    base: KeyState,
    main: KeyState,
    copy: KeyState,
    source_language: str,
    *,
    outdates: bool = True,
) -> tuple[KeyState, KeyState]:
    """Base and copy of a branch after main changed.

    What the branch did not edit follows main, in both; what it edited stays, also while
    main says the same: main may go on. A source text that follows makes the branch's
    own texts in other languages outdated, unless main's writer was to keep them fresh
    (``outdates``).
    """
    states = (base, main, copy)
    aligned = is_aligned(states)
    of_base, of_main, of_copy = (rows_of(state, aligned=aligned) for state in states)
    bases, copies = dict(of_main), dict(of_main)
    fields: dict[Unit, Sides] = {}
    moved, has_source = False, False  # the source text: with main, on the branch
    own: list[Unit] = []
    for unit, side in sides(base, main, copy).items():
        if unit.field != "value":
            fields[unit] = side
        elif side.edited:
            own.append(unit)
            if side.main != side.base:
                _set(bases, unit, of_base.get(unit))
            _set(copies, unit, of_copy.get(unit))
            has_source |= unit.language_code == source_language
        else:
            if side.own:
                _set(bases, unit, _beside(of_base.get(unit), of_main.get(unit)))
            if unit.language_code == source_language and has_place(main.key, unit):
                moved |= outdates and _counts_otherwise(side)
    for unit, row in copies.items():
        if unit not in own:
            is_other = has_source and unit.language_code != source_language
            copies[unit] = _following(row, of_copy.get(unit), has_source=is_other)
        elif moved and unit.language_code != source_language:
            copies[unit] = outdated(row)
    tags = fields[TAGS]
    key = replace(_key(copy.key, main.key, fields), tags=united(tags))
    old = _base(_key(base.key, main.key, fields), bases)
    return _with_tags(base, old, main.key, tags), _state(key, copies)


def _counts_otherwise(side: Sides) -> bool:
    """Whether another text counts on main; the first one outdates nothing."""
    main, branch = side.main, side.branch
    if not isinstance(branch, Text):
        return False
    return not isinstance(main, Text) or main.counts != branch.counts


def _beside(base: StoredValue | None, main: StoredValue | None) -> StoredValue | None:
    """A base that stays while main and the branch say another thing: marked as main."""
    return base if base is None or main is None else marked_as(base, main)


def _following(
    main: StoredValue, mine: StoredValue | None, *, has_source: bool
) -> StoredValue:
    """A text in which main and the branch agree, or that follows main. Marks follow
    main like fields do.

    ``has_source``: the branch has a source text of its own, so what main's marks and
    new translations are about is another one.
    """
    if mine is None or _text(main) != _text(mine):
        return outdated(main) if has_source else main
    return mine if has_source else marked_as(mine, main)


def _text(row: StoredValue) -> Text:
    return Text(row.value, row.status, row.approved_value)


def _contents(state: KeyState | None, *, aligned: bool) -> Contents:
    if state is None:
        return {}
    key = state.key
    found: Contents = {
        KEY: key.key,
        DESCRIPTION: key.description,
        TAGS: key.tags if state.followed_tags is None else state.followed_tags,
        PLURAL: key.is_plural,
        SCREENSHOT: key.screenshot_file_id,
    }
    for unit, row in rows_of(state, aligned=aligned).items():
        found[unit] = _text(row)
    return found


def _outdated(state: KeyState | None, *, aligned: bool) -> set[Unit]:
    rows = rows_of(state, aligned=aligned)
    return {unit for unit, row in rows.items() if row.is_outdated}


def _with_tags(old: KeyState, new: KeyState, main: Key, side: Sides) -> KeyState:
    """The new base with its tags: main's, or what they were when the branch changed
    them, beside those that it is compared with from now on."""
    tags, followed_tags = old.key.tags, old.followed_tags
    if not too_many_tags(side):  # else it stays where it was for a merge to tell
        followed_tags = _base_tags(side)
        if followed_tags == united(side):
            tags, followed_tags = main.tags, None
    return replace(new, key=replace(new.key, tags=tags), followed_tags=followed_tags)


def _key(old: Key, main: Key, fields: Mapping[Unit, Sides]) -> Key:
    """The key with the fields that follow; ``old`` is the base's or the branch's."""

    def follows(unit: Unit) -> bool:
        return not fields[unit].own

    key = replace(old, updated_at=max(old.updated_at, main.updated_at))
    if follows(KEY):
        key = replace(key, key=main.key)
    if follows(DESCRIPTION):
        key = replace(key, description=main.description)
    if follows(PLURAL):
        key = replace(key, is_plural=main.is_plural)
    if follows(SCREENSHOT):
        key = replace(
            key,
            screenshot_file_id=main.screenshot_file_id,
            screenshot_url=main.screenshot_url,
        )
    return key


def _base(key: Key, rows: Rows) -> KeyState:
    """All texts, also such as the key has no place for: a branch that turned plurals on
    compares them with main's."""
    return KeyState(
        key,
        tuple(
            row if needs_plurals(unit) else replace(row, plural_form=form_in(key, unit))
            for unit, row in rows.items()
        ),
    )


def _state(key: Key, rows: Rows) -> KeyState:
    """The texts that a key of this kind has place for."""
    return KeyState(key, tuple(_fitting(key, rows)))


def _fitting(key: Key, rows: Rows) -> Iterator[StoredValue]:
    for unit, row in rows.items():
        if has_place(key, unit):
            yield replace(row, plural_form=form_in(key, unit))


def has_place(key: Key, unit: Unit) -> bool:
    """Whether a key has place for the text: without plurals for ``other`` alone."""
    return key.is_plural or not needs_plurals(unit)


def form_in(key: Key, unit: Unit) -> str | None:
    """The plural form that a unit's text has in a key with place for it."""
    return (unit.plural_form or "other") if key.is_plural else None


def _set(rows: Rows, unit: Unit, row: StoredValue | None) -> None:
    if row is None:
        rows.pop(unit, None)
    else:
        rows[unit] = row


def _tags(tags: object) -> tuple[str, ...]:
    return tags if isinstance(tags, tuple) else ()

"""Decides what a branch has of a key after main changed.

What the branch did not edit follows main; what it edited stays. Texts are compared one
by one, as everywhere (three_way.py).
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from .outdated import marked_as, outdated
from .records import Key, KeyState, StoredValue
from .three_way import (
    DESCRIPTION,
    KEY,
    PLURAL,
    SCREENSHOT,
    TAGS,
    Rows,
    Sides,
    Text,
    Unit,
    base_tags,
    form_in,
    has_place,
    is_aligned,
    needs_plurals,
    rows_of,
    sides,
    text_of,
    too_many_tags,
    united,
)


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
    compared = sides(base, main, copy)
    fields = {unit: side for unit, side in compared.items() if unit.field != "value"}
    texts = {unit: side for unit, side in compared.items() if unit.field == "value"}
    source = _source(texts, main.key, of_copy, source_language, outdates=outdates)
    copies = _copies(texts, of_main, of_copy, source)
    bases = _bases(texts, of_base, of_main)
    tags = fields[TAGS]
    key = replace(_key(copy.key, main.key, fields), tags=united(tags))
    old = _base(_key(base.key, main.key, fields), bases)
    return _with_tags(base, old, main.key, tags), _state(key, copies)


class _Source(NamedTuple):
    """What becomes of the source text, for the texts in other languages."""

    language_code: str
    moves: bool  # it follows main: what the branch wrote in them is outdated
    is_own: bool  # another counts on the branch than on main
    outdates: bool  # and what main writes in them is outdated by that one


def _source(
    texts: Mapping[Unit, Sides],
    main: Key,
    of_copy: Rows,
    language_code: str,
    *,
    outdates: bool,
) -> _Source:
    moves = is_own = outdates_new = False
    for unit, side in texts.items():
        if unit.language_code != language_code:
            continue
        if side.edited:
            is_another = side.has_another
            is_first = not isinstance(side.main, Text)  # which outdates nothing
            is_kept = side.main == side.base and _is_kept(of_copy.get(unit))
            is_own |= is_another
            outdates_new |= is_another and not (is_first or is_kept)
        elif has_place(main, unit):
            moves |= outdates and _counts_otherwise(side)
    return _Source(language_code, moves, is_own, outdates_new)


def _bases(texts: Mapping[Unit, Sides], of_base: Rows, of_main: Rows) -> Rows:
    """What the branch's texts are compared with from now on: main's, but where main and
    the branch have both left the base."""
    bases = dict(of_main)
    for unit, side in texts.items():
        if side.edited and side.main != side.base:
            _set(bases, unit, of_base.get(unit))
        elif side.own and not side.edited:
            _set(bases, unit, _beside(of_base.get(unit), of_main.get(unit)))
    return bases


def _copies(
    texts: Mapping[Unit, Sides], of_main: Rows, of_copy: Rows, source: _Source
) -> Rows:
    """The branch's texts from now on: main's, but where it edited them."""
    copies = dict(of_main)
    for unit, side in texts.items():
        mine = of_copy.get(unit)
        is_other = unit.language_code != source.language_code
        if side.edited:
            if mine is not None and source.moves and is_other:
                mine = outdated(mine)
            _set(copies, unit, mine)
        elif unit in of_main:
            copies[unit] = _following(
                of_main[unit],
                mine,
                has_source=source.is_own and is_other,
                outdates=source.outdates and is_other,
            )
    return copies


def _counts_otherwise(side: Sides) -> bool:
    """Whether another text counts on main; the first one outdates nothing."""
    main, branch = side.main, side.branch
    if not isinstance(branch, Text):
        return False
    return not isinstance(main, Text) or main.counts != branch.counts


def _is_kept(source: StoredValue | None) -> bool:
    """Whether a source text that counts was to keep translations fresh."""
    return source is not None and source.status == "approved" and source.keeps_fresh


def _beside(base: StoredValue | None, main: StoredValue | None) -> StoredValue | None:
    """A base that stays while main and the branch say another thing: marked as main."""
    return base if base is None or main is None else marked_as(base, main)


def _following(
    main: StoredValue,
    mine: StoredValue | None,
    *,
    has_source: bool,
    outdates: bool,
) -> StoredValue:
    """A text in which main and the branch agree, or that follows main. Marks follow
    main like fields do.

    ``has_source``: another source text counts on the branch, so what main's marks are
    about is not that; nor are main's new translations, if it ``outdates`` them.
    """
    if mine is None or text_of(main) != text_of(mine):
        return outdated(main) if outdates else main
    return mine if has_source else marked_as(mine, main)


def _with_tags(old: KeyState, new: KeyState, main: Key, side: Sides) -> KeyState:
    """The new base with its tags: main's, or what they were when the branch changed
    them, beside those that it is compared with from now on."""
    tags, followed_tags = old.key.tags, old.followed_tags
    if not too_many_tags(side):  # else it stays where it was for a merge to tell
        followed_tags = base_tags(side)
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


def _set(rows: Rows, unit: Unit, row: StoredValue | None) -> None:
    if row is None:
        rows.pop(unit, None)
    else:
        rows[unit] = row

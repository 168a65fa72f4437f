"""Writes the changes of a branch to main, by the way that all keys are written."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import Line
from locframework.keys.moves import KeyMoves
from locframework.keys.records import Key, KeyState, KeyWrite, StoredValue
from locframework.keys.three_way import (
    DESCRIPTION,
    KEY,
    PLURAL,
    SCREENSHOT,
    TAGS,
    Unit,
    form_in,
    is_aligned,
    rows_of,
    sides,
    united,
)
from locframework.keys.writer import KeyWriter
from locframework.projects.languages import Languages
from locframework.storage import Storage

from .rules import Edit, Touched


class Applying:
    """Brings chosen changes to main, in the open transaction."""

    def __init__(
        self,
        storage: Storage,
        languages: Languages,
        writer: KeyWriter,
        moves: KeyMoves,
    ) -> None:
        self._storage = storage
        self._languages = languages
        self._writer = writer
        self._moves = moves

    def apply(
        self,
        caller: Caller,
        main: Line,
        touched: Sequence[Touched],
        edits: Sequence[Edit],
    ) -> None:
        """Deletions first: they free names. Raises LanguageNotAssigned, KeyExists."""
        units: dict[str, list[Unit]] = {}
        for edit in edits:
            units.setdefault(edit.change.key_id, []).append(edit.unit)
        chosen = [each for each in touched if each.entry.key_id in units]
        gone = [each.main for each in chosen if each.branch is None]
        self._moves.trash(caller, main, [each.key for each in gone if each is not None])
        languages = self._languages.of(main.project)
        lost = [each.entry.key_id for each in chosen if _is_lost(each)]
        found = self._storage.keys.trashed(main.project.id, lost) if lost else {}
        self._moves.restore(caller, main, languages, list(found.values()))
        writes = [
            _write(each, each.branch, units[each.entry.key_id])
            for each in chosen
            if each.branch is not None
        ]
        there = {language.language_code for language in languages}
        self._writer.write(
            caller,
            main,
            languages,
            [_within(write, there) for write in writes],
            origin="merge",
        )


def _is_lost(touched: Touched) -> bool:
    return (
        touched.branch is not None
        and touched.entry.base is not None
        and (touched.main is None)
    )


def _write(touched: Touched, branch: KeyState, units: Sequence[Unit]) -> KeyWrite:
    """What main's key becomes: the chosen fields as the branch has them."""
    main, base, key = touched.main, touched.entry.base, branch.key
    is_new = main is None and base is None
    compared = sides(base, main, branch)
    plural = (
        key.is_plural
        if is_new or PLURAL in units or main is None
        else (main.key.is_plural)
    )
    chosen = set(units)
    return KeyWrite(
        name=key.key,
        key_id=None if is_new else (main.key.id if main is not None else key.id),
        new_id=key.id,
        rename=key.key if KEY in chosen and not is_new else UNSET,
        description=key.description if DESCRIPTION in chosen else UNSET,
        tags=united(compared[TAGS]) if TAGS in chosen else UNSET,
        is_plural=plural if is_new or PLURAL in chosen else UNSET,
        screenshot_file_id=key.screenshot_file_id if SCREENSHOT in chosen else UNSET,
        screenshot_url=key.screenshot_url if SCREENSHOT in chosen else UNSET,
        carried=_carried(touched, branch, units, replace(key, is_plural=plural)),
        fresh=frozenset(
            (row.language_code, row.plural_form)
            for row in branch.values
            if not row.is_outdated  # beside the branch's source text
        ),
    )


def _carried(
    touched: Touched, branch: KeyState, units: Sequence[Unit], key: Key
) -> Mapping[tuple[str, str | None], StoredValue | None]:
    states = (touched.entry.base, touched.main, branch)
    rows = rows_of(branch, aligned=is_aligned(states))
    found: dict[tuple[str, str | None], StoredValue | None] = {}
    for unit in units:
        if unit.language_code is None:
            continue
        if not key.is_plural and unit.plural_form not in (None, "other"):
            continue  # a key without plurals has no place for it
        form, row = form_in(key, unit), rows.get(unit)
        value = None if row is None else replace(row, plural_form=form)
        found[unit.language_code, form] = value
    return found


def _within(write: KeyWrite, codes: set[str]) -> KeyWrite:
    """Without texts in languages that left the project."""
    carried = {at: value for at, value in write.carried.items() if at[0] in codes}
    return replace(write, carried=carried)

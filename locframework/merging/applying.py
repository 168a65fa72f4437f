"""Writes the changes of a branch to main, by the way that all keys are written."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.records import BranchScope
from locframework.keys.edits import KeyMerge
from locframework.keys.records import (
    BranchKey,
    Key,
    KeyState,
    KeyWrite,
    StoredValue,
)
from locframework.keys.three_way import (
    DESCRIPTION,
    KEY,
    PLURAL,
    SCREENSHOT,
    TAGS,
    Unit,
    form_in,
    has_place,
    is_aligned,
    needs_plurals,
    rows_of,
    sides,
    united,
)
from locframework.keys.trash import KeyTrash
from locframework.keys.writer import KeyWriter
from locframework.projects.languages import Languages
from locframework.storage import Storage

from .rules import Listed


class Applying:
    """Brings chosen changes to main, in the open transaction."""

    def __init__(
        self,
        storage: Storage,
        languages: Languages,
        writer: KeyWriter,
        moves: KeyTrash,
    ) -> None:
        self._storage = storage
        self._languages = languages
        self._writer = writer
        self._moves = moves

    def prepare(self, project_id: str) -> None:
        """Before the transaction: see Findings.prepare."""
        self._writer.findings.prepare(project_id)

    def apply(
        self,
        caller: Caller,
        main: BranchScope,
        touched: Sequence[KeyMerge],
        coming: Sequence[Listed],
    ) -> None:
        """Deletions first: they free names. Raises LanguageNotAssigned, KeyExists,
        WriteRefused."""
        units: dict[str, set[Unit]] = {}
        for each in coming:
            units.setdefault(each.change.key_id, set()).add(each.unit)
        chosen = [each for each in touched if each.entry.key_id in units]
        languages = self._languages.of(main.project)
        states = [each.main for each in chosen if each.branch is None]
        gone = [state.key for state in states if state is not None]
        self._moves.trash(caller, main, gone, origin="merge")
        lost = [each.entry.key_id for each in chosen if _is_lost(each)]
        found = self._storage.keys.trashed(main.project.id, lost) if lost else {}
        back = list(found.values())
        self._moves.restore(caller, main, languages, back, origin="merge")
        purged = set(lost) - found.keys()
        for one in chosen:
            key = found.get(one.entry.key_id)
            if key is not None and not key.is_plural:
                units[key.id] |= _lost_forms(one)
        writes = [
            _whole(each, each.branch)
            if each.entry.key_id in purged
            else _write(
                each,
                each.branch,
                units[each.entry.key_id],
                found.get(each.entry.key_id),
            )
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


def _is_lost(touched: KeyMerge) -> bool:
    is_edit = touched.branch is not None and touched.entry.base is not None
    return is_edit and touched.main is None


def _whole(touched: KeyMerge, branch: KeyState) -> KeyWrite:
    """A key that main has not even in the trash: all of it, as on the branch."""
    new = KeyMerge(BranchKey(touched.entry.key_id, "own"), None, branch)
    return _write(new, branch, sides(None, None, branch).keys())


def _write(
    touched: KeyMerge,
    branch: KeyState,
    units: Collection[Unit],
    deleted: Key | None = None,
) -> KeyWrite:
    """What main's key becomes: the chosen fields as the branch has them.

    ``deleted``: as main had it when it deleted the key, which comes back.
    """
    main, base, key = touched.main, touched.entry.base, branch.key
    before = main or base  # None: the key is new
    is_plural = key.is_plural
    if PLURAL not in units:
        left = None if before is None else before.key
        if deleted is not None and left is not None and left.is_plural != is_plural:
            left = deleted  # the branch turned them, and main's are to stay
        is_plural = left is not None and left.is_plural
    compared = sides(base, main, branch)
    tags = united(compared[TAGS])
    placed = replace(key, is_plural=is_plural)
    return KeyWrite(
        name=key.key,
        key_id=before.key.id if before is not None else None,
        new_id=key.id,
        made_at=key.created_at,
        rename=key.key if KEY in units and before is not None else UNSET,
        description=key.description if DESCRIPTION in units else UNSET,
        tags=tags if TAGS in units else UNSET,
        is_plural=is_plural,
        screenshot_file_id=key.screenshot_file_id if SCREENSHOT in units else UNSET,
        screenshot_url=key.screenshot_url if SCREENSHOT in units else UNSET,
        carried=_carried(touched, branch, units, placed),
        beside=frozenset(
            (unit.language_code, form_in(placed, unit))
            for unit, side in compared.items()
            if unit.language_code is not None and side.leaves_approved
        ),
        fresh=frozenset(
            (row.language_code, row.plural_form)
            for row in branch.values
            if not row.is_outdated  # beside the branch's source text
        ),
    )


def _carried(
    touched: KeyMerge, branch: KeyState, units: Collection[Unit], key: Key
) -> Mapping[tuple[str, str | None], StoredValue | None]:
    states = (touched.entry.base, touched.main, branch)
    rows = rows_of(branch, aligned=is_aligned(states))
    found: dict[tuple[str, str | None], StoredValue | None] = {}
    for unit in units:
        if unit.language_code is None or not has_place(key, unit):
            continue  # what goes with the plurals does not stand on ``other``
        form, row = form_in(key, unit), rows.get(unit)
        value = None if row is None else replace(row, plural_form=form)
        found[unit.language_code, form] = value
    return found


def _lost_forms(touched: KeyMerge) -> set[Unit]:
    """Forms that the branch left as they were, of a key whose plurals main turned off
    before it deleted the key."""
    base, branch = touched.entry.base, touched.branch
    found = sides(base, base, branch).items()
    return {unit for unit, side in found if needs_plurals(unit) and not side.edited}


def _within(write: KeyWrite, codes: set[str]) -> KeyWrite:
    """Without texts in languages that left the project."""
    carried = {at: value for at, value in write.carried.items() if at[0] in codes}
    return replace(write, carried=carried)

"""Writes chosen changes of one state of keys to another: a branch's to main, or main's
to a branch."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.service import BranchScope
from locframework.errors import LocError
from locframework.fields import Clock, timestamp
from locframework.keys.branch_copies import count_changes
from locframework.keys.key_fields import KEY_FIELDS
from locframework.keys.records import (
    BranchKey,
    KeyState,
    KeyWrite,
    StoredKey,
    StoredValue,
)
from locframework.keys.rules import outdated
from locframework.keys.store import KeyStorage, store_of
from locframework.keys.three_way import (
    PLURAL,
    TAGS,
    KeyMerge,
    Text,
    Unit,
    compare_states,
    form_in,
    has_place,
    is_aligned,
    merged_tags,
    needs_plurals,
    rows_of,
)
from locframework.keys.writing.trash import KeyTrash
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.service import Languages


class Applying:
    """Applies changes, in the open transaction."""

    def __init__(
        self,
        storage: KeyStorage,
        languages: Languages,
        writer: KeyWriter,
        moves: KeyTrash,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._languages = languages
        self._writer = writer
        self._moves = moves
        self._clock = clock

    def prepare(self, project_id: str) -> None:
        """Read what checks need, before the transaction."""
        self._writer.prepare_checks(project_id)

    def count_changes(self, branch: BranchScope, key_ids: Collection[str]) -> None:
        """Count the changes of keys of a branch, after their bases have changed."""
        count_changes(self._storage, branch, key_ids, timestamp(self._clock()))

    def apply(
        self,
        caller: Caller,
        target: BranchScope,
        touched: Sequence[KeyMerge],
        units: Mapping[str, set[Unit]],
        *,
        dry_run: bool = False,
    ) -> None:
        """Write the chosen units of each key, by its id, to the target.

        Deletions go first: they free names. ``dry_run``: write nothing, and raise the
        same errors. Raises LanguageNotAssigned, KeyExists, WriteRefused.
        """
        chosen = [each for each in touched if each.entry.key_id in units]
        languages = self._languages.of(target.project)
        states = [each.main for each in chosen if each.branch is None]
        gone = [state.key for state in states if state is not None]
        for error in self._moves.trash_each(
            caller, target, gone, origin="merge", dry_run=dry_run
        ).values():
            raise error
        free = {key.id for key in gone}
        lost = [each.entry.key_id for each in chosen if _is_lost(each)]
        store = store_of(self._storage, target)
        found = store.find_keys(target.project.id, lost, in_trash=True) if lost else {}
        for error in self._moves.restore_each(
            caller,
            target,
            languages,
            list(found.values()),
            origin="merge",
            free=free,
            dry_run=dry_run,
        ).values():
            raise error
        purged = set(lost) - found.keys()
        if dry_run:  # nothing restored is there to be written to
            chosen = [each for each in chosen if each.entry.key_id not in found]
        source, writes = target.project.source_language, []
        for each in chosen:
            id_, branch = each.entry.key_id, each.branch
            deleted, mine = found.get(id_), units[id_]
            if branch is None:
                continue
            if id_ in purged:
                writes.append(_whole(each, branch, source))
                continue
            if deleted is not None and not deleted.is_plural:
                mine = mine | _lost_forms(each)
            writes.append(_write(each, branch, mine, source, deleted))
        there = {language.language_code for language in languages}
        results = self._writer.write_each(
            caller,
            target,
            languages,
            [_within(write, there) for write in writes],
            origin="merge",
            free=free,
            stops=True,
            dry_run=dry_run,
        )
        for result in results:
            if isinstance(result, LocError):
                raise result


def _is_lost(touched: KeyMerge) -> bool:
    is_edit = touched.branch is not None and touched.entry.base is not None
    return is_edit and touched.main is None


def _whole(touched: KeyMerge, branch: KeyState, source: str) -> KeyWrite:
    """Return a write that creates a key which is not even in the trash."""
    new = KeyMerge(BranchKey(touched.entry.key_id, "own"), None, branch)
    return _write(new, branch, compare_states(None, None, branch).keys(), source)


def _write(
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


def _lost_forms(touched: KeyMerge) -> set[Unit]:
    """Forms that the branch left as they were, of a key whose plurals main turned off
    before it deleted the key."""
    base, branch = touched.entry.base, touched.branch
    found = compare_states(base, base, branch).items()
    return {unit for unit, side in found if needs_plurals(unit) and not side.is_edited}


def _within(write: KeyWrite, codes: set[str]) -> KeyWrite:
    """Without texts in languages that left the project."""
    found = write.stored_values.items()
    values = {slot: value for slot, value in found if slot[0] in codes}
    return replace(write, stored_values=values)

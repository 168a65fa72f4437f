"""Undoes what chosen events did on one line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import Line
from locframework.crash_points import crash_point
from locframework.errors import LocError
from locframework.events import EventFilter
from locframework.jobs.work import Work
from locframework.keys.moves import KeyMoves
from locframework.keys.records import Key, KeyWrite, StoredValue
from locframework.keys.revisions import Revision, value_of
from locframework.keys.store import KeyStore, store_of
from locframework.keys.writer import KeyWriter
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.storage import Storage

from .records import RevertResult, Skipped
from .rules import ChangedLater, before
from .undoing import LineChanges, Place

KEYS_AT_ONCE = 500
SKIPPED_TOLD = 1000

Histories = dict[str, dict[Place, list[Revision]]]


class LineRun(Struct):
    """One line while it is undone."""

    caller: Caller
    line: Line
    languages: Sequence[Language]
    changes: LineChanges
    result: RevertResult

    def skip(self, key_id: str, place: Place | None, reason: str) -> None:
        """Tell that something stays; the first 1000 are listed."""
        self.result.skipped_count += 1
        if len(self.result.skipped) < SKIPPED_TOLD:
            code, form = place or (None, None)
            key = self.changes.names[key_id]
            self.result.skipped.append(Skipped(key_id, key, code, form, reason))


class LineRevert:
    """Undoes what was done on one line."""

    def __init__(
        self, storage: Storage, access: Access, writer: KeyWriter, moves: KeyMoves
    ) -> None:
        self._storage = storage
        self._access = access
        self._writer = writer
        self._moves = moves

    def undo(self, run: LineRun, work: Work) -> None:
        store = store_of(self._storage, run.line)
        changes = run.changes
        may_delete = self._access.may(
            run.caller, "key_delete", scope_of(run.line.project)
        )
        meddled = self._meddled(run) if changes.created else set()
        ids = list(dict.fromkeys([*changes.deleted, *changes.created, *changes.values]))
        for at in range(0, len(ids), KEYS_AT_ONCE):
            work.check_cancelled()
            some = ids[at : at + KEYS_AT_ONCE]
            histories = _histories(store, some)
            self._restore(run, store, some, may_delete=may_delete)
            gone = self._remove(
                run, store, some, histories, meddled, may_delete=may_delete
            )
            self._put_back(run, store, [i for i in some if i not in gone], histories)
            work.report(at + len(some), len(ids))
            crash_point("revert.after_batch")
        for key_id in changes.described:
            if key_id not in changes.created:
                run.skip(key_id, None, "fields_stay")

    def _meddled(self, run: LineRun) -> set[str]:
        """The keys that events beside the chosen ones were about, since the first."""
        where = EventFilter(since=run.changes.first_at)
        return {
            str(item["keyId"])
            for event in self._storage.events.walk_events(run.line.project.id, where)
            if event.type in ("key.updated", "key.restored")
            and event.branch == run.line.name
            and event.id not in run.changes.events
            for item in event.items
        }

    def _restore(
        self, run: LineRun, store: KeyStore, ids: Sequence[str], *, may_delete: bool
    ) -> None:
        """Bring back the keys that were deleted, unless they were created too."""
        lost = [
            id_
            for id_ in ids
            if id_ in run.changes.deleted and id_ not in run.changes.created
        ]
        found = store.trashed(run.line.project.id, lost) if lost else {}
        if not may_delete:
            for key_id in found:
                run.skip(key_id, None, "permission_denied")
            return
        refused = self._moves.restore_each(
            run.caller, run.line, run.languages, list(found.values())
        )
        for key_id, refusal in refused.items():
            run.skip(key_id, None, refusal.code)
        run.result.keys_restored += len(found) - len(refused)

    def _remove(
        self,
        run: LineRun,
        store: KeyStore,
        ids: Sequence[str],
        histories: Histories,
        meddled: set[str],
        *,
        may_delete: bool,
    ) -> set[str]:
        """Move the keys that were created to the trash; those that need no more."""
        made = [id_ for id_ in ids if id_ in run.changes.created]
        keys = store.find_keys(run.line.project.id, made) if made else {}
        gone = {id_ for id_ in made if id_ not in keys}  # deleted already
        removed: list[Key] = []
        for key_id, key in keys.items():
            if not may_delete:
                run.skip(key_id, None, "permission_denied")
            elif key_id in meddled or self._has_more(run, key_id, histories):
                run.skip(key_id, None, "changed_later")
            else:
                removed.append(key)
        run.result.keys_deleted += len(removed)
        if removed:
            self._moves.trash(run.caller, run.line, removed)
        return gone | {key.id for key in removed}

    def _has_more(self, run: LineRun, key_id: str, histories: Histories) -> bool:
        """Whether the key has a value that somebody else wrote."""
        chosen = run.changes.values.get(key_id, {})
        return any(
            each.revision not in chosen.get(place, ())
            for place, history in histories.get(key_id, {}).items()
            for each in history
        )

    def _put_back(
        self, run: LineRun, store: KeyStore, ids: Sequence[str], histories: Histories
    ) -> None:
        wanted = [id_ for id_ in ids if id_ in run.changes.values]
        keys = store.find_keys(run.line.project.id, wanted) if wanted else {}
        writes: list[KeyWrite] = []
        for key_id in wanted:
            if key_id not in keys:
                run.skip(key_id, None, "key_not_found")
                continue
            write = self._write(run, keys[key_id], histories.get(key_id, {}))
            if write.carried:
                writes.append(write)
        written = self._writer.write_each(
            run.caller, run.line, run.languages, writes, origin="revert"
        )
        for write, done in zip(writes, written, strict=True):
            if isinstance(done, LocError):
                for place in write.carried:
                    run.skip(str(write.key_id), place, done.code)
            else:
                run.result.reverted += done.values_written

    def _write(
        self, run: LineRun, key: Key, histories: dict[Place, list[Revision]]
    ) -> KeyWrite:
        """What brings the key's values back to how they stood."""
        carried: dict[Place, StoredValue | None] = {}
        for place, chosen in run.changes.values[key.id].items():
            reason = self._refusal(run, key, place)
            if reason is not None:
                run.skip(key.id, place, reason)
                continue
            try:
                found = before(histories.get(place, ()), chosen)
            except ChangedLater:
                run.skip(key.id, place, "changed_later")
                continue
            carried[place] = None if found is None else value_of(found)
        source = run.line.project.source_language
        if any(code == source for code, _ in carried):
            carried |= self._fresh_again(run, key, histories, set(carried))
        return KeyWrite(name=key.key, key_id=key.id, carried=carried)

    def _refusal(self, run: LineRun, key: Key, place: Place) -> str | None:
        code, form = place
        if code not in {language.language_code for language in run.languages}:
            return "language_not_found"
        scope = scope_of(run.line.project)
        if not self._access.may_write_language(run.caller, scope, code):
            return "language_not_assigned"
        if key.is_plural != (form is not None):
            return "plural_mismatch"
        return None

    def _fresh_again(
        self,
        run: LineRun,
        key: Key,
        histories: Mapping[Place, Sequence[Revision]],
        done: Collection[Place],
    ) -> dict[Place, StoredValue | None]:
        """Translations that only the source text which goes made outdated."""
        found: dict[Place, StoredValue | None] = {}
        for place, revision in run.changes.outdated.get(key.id, {}).items():
            rows = histories.get(place, ())
            newest = max(rows, key=lambda each: each.revision, default=None)
            if newest is None or newest.revision != revision or place in done:
                continue
            if newest.is_outdated and self._refusal(run, key, place) is None:
                found[place] = value_of(replace(newest, is_outdated=False))
        return found


def _histories(store: KeyStore, key_ids: Sequence[str]) -> Histories:
    """Every revision of these keys, by key and place."""
    found: Histories = {}
    for each in store.revisions_of(key_ids):
        places = found.setdefault(each.key_id, {})
        places.setdefault((each.language_code, each.plural_form), []).append(each)
    return found

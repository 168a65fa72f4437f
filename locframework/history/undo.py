"""Undo: puts back what selected events changed on main, unless it was changed later."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.branches.service import BranchScope
from locframework.errors import (
    BranchProtected,
    KeyExists,
    LocError,
    PermissionDenied,
    ProjectNotFound,
)
from locframework.events import Event, EventFilter, EventLog, Touch
from locframework.files.service import Files
from locframework.jobs.records import StoredJob
from locframework.jobs.work import Work
from locframework.keys.key_fields import (
    KEY_FIELDS,
    FieldValue,
    LoggedChange,
    fields_of,
    read_change,
)
from locframework.keys.records import (
    Field,
    Key,
    KeyWrite,
    Revision,
    StoredKey,
    StoredValue,
)
from locframework.keys.rules import outdated, value_of
from locframework.keys.writing.trash import KeyTrash
from locframework.keys.writing.unit_of_work import StalePlan
from locframework.keys.writing.writer import ATTEMPTS, KeyWriter, WritePlan
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.transactions import crash_point, get_record

from .records import RevertResult, Skipped
from .store import HistoryStorage

TYPE = "revert"
PERMISSION = "translation_approve"
SKIPPED_LIMIT = 1000  # listed in the result
KEYS_AT_ONCE = 500

CHANGED_LATER = "changed_later"
NOT_REVERTIBLE = "not_revertible"

_VALUE_EVENTS = frozenset(
    f"translation.{what}" for what in ("updated", "submitted", "approved", "rejected")
)
# events that report something and change nothing themselves
_REPORTS = frozenset(
    (
        "branch.merged",
        "import.completed",
        "ai.completed",
        "job.failed",
        "language.completed",
    )
)

Slot = tuple[str, str]
"""Language code and plural form; the value of a key without plurals is ``other``."""
History = Mapping[Slot, Sequence[Revision]]
"""The revisions of the values of one key, newest first."""


class UndoParams(Struct, frozen=True):
    """The parameters of an undo job."""

    where: EventFilter
    dry_run: bool


class SelectedKey(Struct):
    """What the selected events did to one key."""

    name: str
    values: dict[Slot, set[int]] = field(default_factory=dict)
    """The revisions that they wrote."""
    outdated: dict[Slot, set[int]] = field(default_factory=dict)
    """The revisions that became outdated by them."""
    updated: bool = False
    is_created: bool = False  # or restored
    is_restored: bool = False
    is_deleted: bool = False


class Selection(Struct):
    """The selected events, by key."""

    keys: dict[str, SelectedKey] = field(default_factory=dict)
    event_ids: set[str] = field(default_factory=set)
    since: str = ""
    """The time of the earliest event."""
    others: list[Event] = field(default_factory=list)
    """Events that changed no key or value."""


def select(
    events: Iterable[Event], languages: Iterable[Language], key_id: str | None
) -> Selection:
    """Return what the events did, to one key if ``key_id`` is given, without values of
    languages that were removed since: their revisions are gone."""
    added_at = {each.language_code: each.created_at for each in languages}
    found = Selection()
    for event in events:
        # a write has the time of its plan, and may be appended after later ones
        found.since = min(found.since or event.created_at, event.created_at)
        found.event_ids.add(event.id)
        if not event.type.startswith(("key.", "translation.")):
            if event.type not in _REPORTS:
                found.others.append(event)
            continue
        for item in event.items:
            id_, code = str(item["keyId"]), str(item.get("languageCode"))
            if key_id not in (None, id_):
                continue
            if event.created_at < added_at.get(code, ""):
                continue
            key = found.keys.setdefault(id_, SelectedKey(str(item["key"])))
            key.name = str(item["key"])
            if event.type in _VALUE_EVENTS or event.type == "translation.outdated":
                slots = key.values if event.type in _VALUE_EVENTS else key.outdated
                revision = item["revision"]
                assert isinstance(revision, int)
                slot = _slot(code, item["pluralForm"])
                slots.setdefault(slot, set()).add(revision)
            elif event.type == "key.updated":
                key.updated = True
            elif event.type == "key.deleted":
                key.is_deleted = not key.is_created
            elif key.is_deleted:
                key.is_deleted = False  # deleted, and restored again
            else:
                key.is_restored |= event.type == "key.restored" and not key.is_created
                key.is_created = True
    return found


@dataclass(eq=False, repr=False)
class UndoJob:
    """The handler of undo jobs."""

    type = TYPE

    _storage: HistoryStorage
    _access: Access
    _files: Files
    _writer: KeyWriter
    _key_trash: KeyTrash
    _renewed: Renewed
    _events: EventLog

    def run(self, job: StoredJob, work: Work) -> None:
        """Undo everything in one transaction with the end of the job; a dry run writes
        the job alone. Edits are planned on a snapshot, again if others change the same
        keys. Raises BranchProtected, PermissionDenied."""
        params = msgspec.convert(job.params, UndoParams)
        self._writer.prepare_checks(job.project_id)
        if params.dry_run:
            with self._storage.snapshot():
                undo = self._begin(job, params)
                undo.run(work)
            with work.finish(lock_project=False) as outcome:
                outcome.result = msgspec.to_builtins(undo.result)
            return
        for attempt in range(1, ATTEMPTS + 1):
            with self._storage.snapshot():
                latest = self._events.latest(job.project_id)
                planned = self._begin(job, params)
                planned.is_applied_later = planned.is_of_edits
                if planned.is_applied_later:
                    planned.run(work)
                    work.check_cancelled()
            with suppress(StalePlan), work.finish() as outcome:
                undo = self._begin(job, params)
                if planned.is_applied_later and self._holds(planned, undo, latest):
                    if planned.plan is not None:
                        self._writer.apply(planned.plan)
                    undo = planned
                elif planned.is_applied_later and attempt < ATTEMPTS:
                    raise StalePlan
                else:
                    undo.run(work)
                outcome.result = msgspec.to_builtins(undo.result)
                crash_point("revert.before_commit")
            if work.is_finished:
                break
        crash_point("revert.after_commit")

    def _holds(self, planned: "_Undo", now: "_Undo", latest: str | None) -> bool:
        """Return whether a plan of the same events would be the same now."""
        keys = planned.selection.keys
        names = {*keys, *(key.name for key in keys.values())}
        events = self._events.since(now.project.id, latest)
        return (
            now.project == replace(planned.project, key_count=now.project.key_count)
            and now.languages == planned.languages
            and events is not None
            and not any(event.is_about(names) for event in events)
        )

    def _begin(self, job: StoredJob, params: UndoParams) -> "_Undo":
        project = get_record(self._storage.projects, job.project_id, ProjectNotFound)
        caller = self._renewed(job.caller)
        if caller is None:
            raise PermissionDenied(PERMISSION)
        scope, where = scope_of(project), params.where
        self._access.require(caller, PERMISSION, scope, ProjectNotFound)
        if project.main_protected:
            if where.merge_of is None:
                raise BranchProtected
            self._access.require(caller, "branch_merge", scope, ProjectNotFound)
        languages = self._storage.projects.list_languages(project.id)
        return _Undo(
            self._storage,
            self._access,
            self._files,
            self._writer,
            self._key_trash,
            caller,
            BranchScope(project),
            languages,
            where,
            params.dry_run,
        )


@dataclass(eq=False, repr=False)
class _Undo:
    """One undo: keys that were created go to the trash first, which frees their names;
    then edits are put back; deleted keys are restored last."""

    _storage: HistoryStorage
    _access: Access
    _files: Files
    _writer: KeyWriter
    _key_trash: KeyTrash
    _caller: Caller
    _scope: BranchScope
    languages: Sequence[Language]
    _where: EventFilter
    _dry_run: bool

    def __post_init__(self) -> None:
        self._keys = self._storage.keys
        self.project = self._scope.project
        self.is_applied_later = False
        """Whether ``run`` only plans, and its caller applies ``plan``."""
        self.plan: WritePlan | None = None
        self._edited: dict[str, Key] = {}  # with the writes that are not planned yet
        self._writes: list[KeyWrite] = []
        where = scope_of(self._scope.project)
        self._may_update = self._access.may(self._caller, "key_update", where)
        self._may_delete = self._access.may(self._caller, "key_delete", where)
        self._trashed: set[str] = set()  # keys whose names are free
        self._renamed: dict[str, str] = {}  # in a dry run: new names by key id
        self._keeping: dict[str, str] = {}  # created keys that stay, and why
        self.result = RevertResult(dry_run=self._dry_run)

    @cached_property
    def selection(self) -> Selection:
        """What is to be undone. The first use reads the events."""
        events = self._storage.events.stream_events(self.project.id, self._where)
        return select(events, self.languages, self._where.key_id)

    @property
    def is_of_edits(self) -> bool:
        """Whether keys are neither deleted nor restored, nor given another screenshot:
        then nothing of it builds on what was written before."""
        return not any(
            key.updated or key.is_created or key.is_deleted or key.is_restored
            for key in self.selection.keys.values()
        )

    def run(self, work: Work) -> None:
        keys = self.selection.keys
        for event in self.selection.others:
            self._add_skip(
                Skipped(None, None, None, None, None, NOT_REVERTIBLE, event.type)
            )
        # a restored key goes back to the trash with the values that it had there
        restored = [id_ for id_, key in keys.items() if key.is_restored]
        created = [
            id_ for id_, key in keys.items() if key.is_created and not key.is_restored
        ]
        deleted = [id_ for id_, key in keys.items() if key.is_deleted]
        gone = {*restored, *deleted}
        self._decide_trash([*created, *restored])
        steps: list[tuple[Callable[[Sequence[str]], None], list[str]]] = [
            (self._trash, created),
            (self._put_back, restored),
            (self._trash, restored),
            (self._put_back, [id_ for id_ in keys if id_ not in gone]),
            (self._restore, deleted),
        ]
        done, total = 0, sum(len(ids) for _, ids in steps)
        for step, ids in steps:
            for at in range(0, len(ids), KEYS_AT_ONCE):
                work.check_cancelled()
                some = ids[at : at + KEYS_AT_ONCE]
                step(some)
                done += len(some)
                work.report(done, total)
                crash_point("revert.after_batch")
            self._write()

    def _decide_trash(self, ids: Sequence[str]) -> None:
        """Decide which created or restored keys go: those not changed since."""
        for at in range(0, len(ids), KEYS_AT_ONCE):
            some = ids[at : at + KEYS_AT_ONCE]
            found = self._keys.find_keys(self.project.id, some)
            touches = self._touches(list(found))
            for id_ in found:
                if not self._may_delete:
                    self._keep(id_, "permission_denied")
                elif any(
                    touch.event_id not in self.selection.event_ids
                    for touch in _since_created(touches[id_])
                ):
                    self._keep(id_, CHANGED_LATER)
            self._trashed |= set(some) - found.keys()  # already

    def _trash(self, ids: Sequence[str]) -> None:
        going = [
            id_ for id_ in ids if id_ not in self._keeping and id_ not in self._trashed
        ]
        found = self._keys.find_keys(self.project.id, going) if going else {}
        refused = self._key_trash.trash_each(
            self._caller,
            self._scope,
            list(found.values()),
            origin="revert",
            dry_run=self._dry_run,
        )
        for id_, error in refused.items():
            self._keep(id_, error.code)
        gone = found.keys() - refused.keys()
        self.result.keys_deleted += len(gone)
        self._trashed |= gone

    def _restore(self, ids: Sequence[str]) -> None:
        found = self._keys.find_keys(self.project.id, ids, in_trash=True)
        there = self._keys.find_keys(self.project.id, ids)
        touches = self._touches(list(found))
        wanted: list[StoredKey] = []
        for id_ in ids:
            if id_ in there:
                continue  # restored already
            if id_ not in found:
                self._skip(id_, NOT_REVERTIBLE)
            elif not self._may_delete:
                self._skip(id_, "permission_denied")
            elif touches[id_][-1].event_id not in self.selection.event_ids:
                self._skip(id_, CHANGED_LATER)
            elif found[id_].key in self._renamed.values():
                self._skip(id_, KeyExists.code)
            else:
                wanted.append(found[id_])
        refused = self._key_trash.restore_each(
            self._caller,
            self._scope,
            self.languages,
            wanted,
            origin="revert",
            free=self._trashed | self._renamed.keys(),
            dry_run=self._dry_run,
        )
        for id_, error in refused.items():
            self._skip(id_, error.code)
        restored = {key.id: key for key in wanted if key.id not in refused}
        self.result.keys_restored += len(restored)
        if self._dry_run:
            self._put_back_keys(restored | there, in_trash=restored.keys())
        else:
            self._put_back([*restored, *there])

    def _put_back(self, ids: Sequence[str]) -> None:
        wanted = [id_ for id_ in ids if id_ not in self._trashed]
        found = self._keys.find_keys(self.project.id, wanted) if wanted else {}
        for id_ in wanted:
            if id_ not in found:
                self._skip(id_, CHANGED_LATER)
        self._put_back_keys({id_: found[id_] for id_ in wanted if id_ in found})

    def _put_back_keys(
        self, keys: Mapping[str, Key], *, in_trash: Collection[str] = ()
    ) -> None:
        """``in_trash``: ids of keys that a dry run would have restored first."""
        edited = {
            id_: key
            for id_, key in keys.items()
            if self.selection.keys[id_].values or self.selection.keys[id_].updated
        }
        if not edited:
            return
        histories = _histories(self._keys.revisions_of(list(edited)))
        touches = self._touches(list(edited))
        writes = [
            write
            for id_, key in edited.items()
            for write in self._writes_of(key, histories.get(id_, {}), touches[id_])
        ]
        updated: set[str] = set()
        for write in self._with_screenshots(writes):
            if write.key_id not in in_trash:
                self._writes.append(write)
                continue
            self.result.reverted += len(write.stored_values)
            if _fields_in(write):
                updated.add(str(write.key_id))
        self.result.keys_updated += len(updated)
        self._edited |= edited

    def _write(self) -> None:
        """Write what a step puts back, at once: one plan is applied in less time than
        many."""
        writes, edited = self._writes, self._edited
        self._writes, self._edited = [], {}
        if not writes:
            return
        plan = self._writer.plan(
            self._caller,
            self._scope,
            self.languages,
            writes,
            origin="revert",
            free=self._trashed,
            dry_run=self._dry_run,
        )
        results = plan.results
        if self.is_applied_later:
            self.plan = plan
        elif not self._dry_run:
            self._writer.apply(plan)
        updated: set[str] = set()
        for write, done in zip(writes, results, strict=True):
            id_ = str(write.key_id)
            if isinstance(done, LocError):
                for name in _fields_in(write):
                    self._skip(id_, done.code, name)
                for slot in write.stored_values:
                    self._skip(id_, done.code, "value", slot)
                continue
            self.result.reverted += done.values_written
            if self._dry_run and "key" in write.fields:
                self._renamed[id_] = str(write.fields["key"])
            if any(
                KEY_FIELDS[n].of(done.key) != KEY_FIELDS[n].of(edited[id_])
                for n in _fields_in(write)
            ):
                updated.add(id_)
        self.result.keys_updated += len(updated)

    def _writes_of(
        self, key: Key, history: History, touches: Sequence[Touch]
    ) -> Iterator[KeyWrite]:
        """Return the writes that put back a key's name, other fields, and values: one
        may be refused and the others not."""
        changes = [
            (touch.event_id in self.selection.event_ids, read_change(touch.undo))
            for touch in touches
            if touch.undo is not None
        ]
        fields = dict(self._fields(key, changes))
        is_plural = fields.pop("isPlural", key.is_plural)
        if "key" in fields:
            name = str(fields.pop("key"))
            yield KeyWrite(name=key.key, key_id=key.id, fields={"key": name})
        if fields:
            sets = {KEY_FIELDS[name].attributes[0]: fields[name] for name in fields}
            yield KeyWrite(name=key.key, key_id=key.id, fields=sets)
        chosen = {slot: {*set_} for slot, set_ in self._selected(key).values.items()}
        for is_selected, change in changes:
            if is_selected:
                for code, form, revision in change.moved:
                    chosen.setdefault(_slot(code, form), set()).add(revision)
        write = self._values(key, history, chosen, is_plural=bool(is_plural))
        if write is not None:
            yield write

    def _fields(
        self, key: Key, changes: Sequence[tuple[bool, LoggedChange]]
    ) -> Iterator[tuple[Field, FieldValue]]:
        """Return the fields that go back, with their values; list the others."""
        now = fields_of(key)
        names = dict.fromkeys(
            name
            for is_selected, change in changes
            if is_selected
            for name in change.fields
        )
        for name in names:
            if not self._may_update:
                self._skip(key.id, "permission_denied", name)
                continue
            mine = [
                (own, change.fields[name])
                for own, change in changes
                if name in change.fields
            ]
            value = now[name]
            while mine and mine[-1][0] and mine[-1][1][1] == value:
                value = mine.pop()[1][0]
            if value != now[name]:
                yield name, value
            elif not _is_back(mine, now[name]):
                self._skip(key.id, CHANGED_LATER, name)

    def _values(
        self,
        key: Key,
        history: History,
        chosen: Mapping[Slot, set[int]],
        *,
        is_plural: bool,
    ) -> KeyWrite | None:
        """Return the write that puts values back, and plurals as they were."""
        targets = dict(self._targets(key, history, chosen))
        if key.is_plural and not is_plural:
            stays = {
                slot
                for slot, rows in history.items()
                if slot[1] != "other" and slot not in targets and _is_live(rows)
            }
            if stays:  # another member's plural form would be lost
                self._skip(key.id, CHANGED_LATER, "isPlural")
                is_plural = True
        if not is_plural:
            for slot in [slot for slot in targets if slot[1] != "other"]:
                if targets.pop(slot) is not None and not key.is_plural:
                    self._skip(key.id, CHANGED_LATER, "value", slot)
        source = self.project.source_language
        sources = {slot: rows for slot, rows in history.items() if slot[0] == source}
        gone = {slot: chosen[slot] for slot in sources if slot in targets}
        source_times = _source_times(sources, gone)
        carried: dict[Slot, StoredValue | None] = {}
        for slot, target in targets.items():
            value = None if target is None else value_of(target)
            if target is not None and value is not None and slot[0] != source:
                value = self._with_outdated(
                    key, target, value, history[slot], source_times, bool(gone)
                )
            carried[slot] = value
        fresh: set[Slot] = set()
        if gone:
            changed_at = min(
                row.updated_at
                for slot, revisions in gone.items()
                for row in sources[slot]
                if row.revision in revisions
            )
            if not any(at >= changed_at for at in source_times):
                carried |= dict(self._fresh_again(key, history, carried))
            fresh = {
                slot
                for slot, rows in history.items()
                if slot[0] != source
                and slot not in carried
                and _is_live(rows)
                and not rows[0].is_outdated
                and rows[0].updated_at < changed_at
            }
        if not carried and is_plural == key.is_plural:
            return None
        return KeyWrite(
            name=key.key,
            key_id=key.id,
            fields={} if is_plural == key.is_plural else {"is_plural": is_plural},
            stored_values={
                _spelled(slot, is_plural): value
                and replace(value, plural_form=_spelled(slot, is_plural)[1])
                for slot, value in carried.items()
            },
            up_to_date=frozenset(_spelled(slot, is_plural) for slot in fresh),
        )

    def _targets(
        self, key: Key, history: History, chosen: Mapping[Slot, set[int]]
    ) -> Iterator[tuple[Slot, Revision | None]]:
        """Return the revision that each value goes back to; None clears it."""
        for slot, revisions in chosen.items():
            rows = history.get(slot, ())
            before = next((r for r in rows if r.revision not in revisions), None)
            if not rows or rows[0].revision not in revisions:
                was = next(
                    (r for r in _below(rows, revisions) if r.revision not in revisions),
                    None,
                )
                is_edit = (
                    slot in self._selected(key).values
                )  # not only moved by plurals
                if is_edit and (not rows or _content(was) != _content(rows[0])):
                    self._skip_value(key, CHANGED_LATER, slot)
                continue
            if not self._may_write(slot[0]):
                self._skip_value(key, "language_not_assigned", slot)
            elif key.id in self._keeping and (before is None or not value_of(before)):
                self._skip_value(key, self._keeping[key.id], slot)
            else:
                yield slot, before

    def _with_outdated(
        self,
        key: Key,
        target: Revision,
        value: StoredValue,
        rows: Sequence[Revision],
        source_times: Sequence[str],
        source_goes_back: bool,
    ) -> StoredValue:
        """Return the value, outdated if the source text after the undo is newer.

        A revision knows whether it was outdated when another replaced it. ``rows`` are
        the revisions of the value; ``source_times`` are those of the changes of the
        source text that stay.
        """
        slot = _slot(target.language_code, target.plural_form)
        by_selected = self._selected(key).outdated.get(slot, ())
        is_outdated = value.is_outdated
        if source_goes_back and target.revision in by_selected:
            is_outdated = False
        replaced_at = min(r.updated_at for r in rows if r.revision > target.revision)
        if is_outdated or any(at >= replaced_at for at in source_times):
            return outdated(value)
        return replace(value, is_outdated=False)

    def _fresh_again(
        self, key: Key, history: History, carried: Collection[Slot]
    ) -> Iterator[tuple[Slot, StoredValue]]:
        """Return the values that only the undone source text made outdated."""
        for slot, revisions in self._selected(key).outdated.items():
            rows = history.get(slot, ())
            value = value_of(rows[0]) if rows and slot not in carried else None
            if value is None:
                continue
            is_marked = value.revision in revisions
            beside = value.approved_outdated and any(
                row.revision in revisions and row.value == value.approved_value
                for row in rows
            )  # an approved text became outdated, and was proposed to change later
            if not (is_marked or beside):
                continue
            if not self._may_write(slot[0]):
                self._skip_value(key, "language_not_assigned", slot)
            elif value.is_outdated or value.approved_outdated:
                yield (
                    slot,
                    replace(value, is_outdated=not is_marked, approved_outdated=False),
                )

    def _with_screenshots(self, writes: Iterable[KeyWrite]) -> Iterator[KeyWrite]:
        """Return the writes with the URLs of their files; a file may be gone."""
        writes = list(writes)
        named = [write.fields.get("screenshot_file_id") for write in writes]
        wanted = {file_id for file_id in named if isinstance(file_id, str)}
        if self._dry_run:
            found = {id_: self._files.url_of(self.project, id_) for id_ in wanted}
            urls = {id_: url for id_, url in found.items() if url is not None}
        else:
            urls = self._files.use_files(self.project, wanted)
        for write in writes:
            fields = dict(write.fields)
            file_id = fields.get("screenshot_file_id")
            if file_id is None or file_id in urls:
                if "screenshot_file_id" in fields:
                    fields["screenshot_url"] = urls.get(str(file_id))
                yield replace(write, fields=fields)
            else:
                self._skip(str(write.key_id), "file_not_found", "screenshotFileId")
                del fields["screenshot_file_id"]
                if fields:
                    yield replace(write, fields=fields)

    def _touches(self, ids: Sequence[str]) -> dict[str, list[Touch]]:
        found: dict[str, list[Touch]] = {id_: [] for id_ in ids}
        if ids:
            for touch in self._storage.events.touches(
                self.project.id, ids, branch=None, since=self.selection.since
            ):
                found[touch.key_id].append(touch)
        return found

    def _may_write(self, language_code: str) -> bool:
        scope = scope_of(self.project)
        return self._access.may_write_language(self._caller, scope, language_code)

    def _selected(self, key: Key) -> SelectedKey:
        return self.selection.keys[key.id]

    def _keep(self, key_id: str, reason: str) -> None:
        """Leave alone a key that was created, with the values it was created with."""
        self._keeping[key_id] = reason
        self._skip(key_id, reason)

    def _skip_value(self, key: Key, reason: str, slot: Slot) -> None:
        self._skip(key.id, reason, "value", _spelled(slot, key.is_plural))

    def _skip(
        self,
        key_id: str,
        reason: str,
        name: Field | None = None,
        slot: tuple[str, str | None] = ("", None),
    ) -> None:
        key = self.selection.keys[key_id].name
        code, form = slot
        self._add_skip(Skipped(key_id, key, name, code or None, form, reason))

    def _add_skip(self, skipped: Skipped) -> None:
        self.result.skipped_count += 1
        if len(self.result.skipped) < SKIPPED_LIMIT:
            self.result.skipped.append(skipped)


def _slot(code: str, form: object) -> Slot:
    return code, str(form or "other")


def _spelled(slot: Slot, is_plural: bool) -> tuple[str, str | None]:
    """Return the slot as a key has it, with plurals or without."""
    code, form = slot
    return code, (form if is_plural or form != "other" else None)


def _histories(revisions: Iterable[Revision]) -> dict[str, dict[Slot, list[Revision]]]:
    found: dict[str, dict[Slot, list[Revision]]] = {}
    for each in revisions:
        slots = found.setdefault(each.key_id, {})
        slot = _slot(each.language_code, each.plural_form)
        slots.setdefault(slot, []).append(each)
    for slots in found.values():
        for rows in slots.values():
            rows.sort(key=lambda row: row.revision, reverse=True)
    return found


def _source_times(sources: History, gone: Mapping[Slot, Collection[int]]) -> list[str]:
    """Return when source texts changed, other than by the revisions ``gone``, so that
    translations became outdated."""
    return [
        row.updated_at
        for slot, rows in sources.items()
        for row in rows[:-1]
        if row.revision not in gone.get(slot, ()) and not row.keeps_fresh
    ]


def _since_created(touches: Sequence[Touch]) -> Sequence[Touch]:
    """Return the events since the key was last created or restored."""
    for at in range(len(touches) - 1, -1, -1):
        if touches[at].type in ("key.created", "key.restored"):
            return touches[at:]
    return touches


def _is_live(rows: Sequence[Revision]) -> bool:
    return bool(rows) and rows[0].status != "untranslated"


def _below(rows: Sequence[Revision], chosen: Collection[int]) -> Sequence[Revision]:
    """Return the rows from the newest chosen one on."""
    at = next((at for at, row in enumerate(rows) if row.revision in chosen), len(rows))
    return rows[at:]


def _content(row: Revision | None) -> object:
    if row is None or row.status == "untranslated":
        return None
    return row.value, row.status, row.approved_value


def _is_back(
    changes: Sequence[tuple[bool, tuple[FieldValue, FieldValue]]], now: FieldValue
) -> bool:
    """Return whether a field that was changed later is as it was before."""
    selected = [change for is_selected, change in changes if is_selected]
    if not selected:
        return True
    before = selected[-1][0]
    if isinstance(before, list | tuple) and isinstance(now, tuple):
        return {*before} == {*now}
    return before == now


def _fields_in(write: KeyWrite) -> list[Field]:
    return [
        name for name, each in KEY_FIELDS.items() if each.attributes[0] in write.fields
    ]

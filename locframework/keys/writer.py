"""The one way in which keys and values are written, whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import Line
from locframework.clock import Clock, timestamp
from locframework.crash_points import crash_point
from locframework.errors import (
    KeyExists,
    KeyNotFound,
    LanguageNotInProject,
    LocError,
    ProjectNotFound,
    mentioned,
)
from locframework.events import EventLog
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.quality.service import Checks
from locframework.statistics.completion import Completion
from locframework.storage import Storage

from .approval import Gate, Place
from .events import KeyEvents
from .findings import Findings
from .overlays import Overlays
from .records import Key, KeyWrite, KeyWritten, Origin, StoredValue
from .rules import check_key, in_order, shown_value, texts_by_form
from .store import store_of
from .traces import Moved
from .value_changes import WriteJudge
from .value_plans import Batch, ValuePlan, ended, key_as_written, plan_values, turned
from .working_set import WorkingSet

VERDICTS = {"write": "", "approve": "approved", "reject": "rejected"}  # as events tell


class KeyWriter:
    """Writes keys and values: single ones, batches, imports, merges.

    Every call must stand in a transaction that holds the project's lock. Whether the
    caller may create, rename or write at all was judged before; the languages
    assigned to the caller, and the review that a text needs, are judged here.
    """

    def __init__(
        self,
        storage: Storage,
        events: EventLog,
        access: Access,
        clock: Clock,
        checks: Checks,
        judge: WriteJudge | None = None,
    ) -> None:
        """``judge``: the plugins that have a say in each change of a value."""
        self._storage = storage
        self._checks = checks
        self._judge_write = judge
        self.findings = Findings(storage, checks)
        self.overlays = Overlays(storage, self.findings)
        self.completion = Completion(storage, events)
        self._events = events
        self._access = access
        self._clock = clock

    def load(
        self,
        line: Line,
        names: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> WorkingSet:
        """The keys of these names as they are, to decide upon and then to write.

        ``language_codes`` leaves out values in languages that are not written; a
        write that turns plurals on or off needs them all.
        """
        keys = WorkingSet(store_of(self._storage, line), line.project.id)
        keys.load((), names, language_codes)
        return keys

    def write(
        self,
        caller: Caller,
        line: Line,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: WorkingSet | None = None,
    ) -> list[KeyWritten]:
        """Write all or raise the first refusal, with nothing written.

        ``loaded`` is what ``load`` answered in this transaction for all keys of the
        writes: nothing is read again then, and the keys are answered without values.
        Raises InvalidKey, LanguageNotInProject, PluralMismatch, InvalidPluralForm,
        PermissionDenied (plurals turned without translation_write), KeyNotFound,
        LanguageNotAssigned, KeyExists, NothingPending, WriteRefused. A number of
        statements that grows with size / 500.
        """
        results = self.write_each(
            caller,
            line,
            languages,
            writes,
            origin=origin,
            loaded=loaded,
            stops=True,
        )
        done: list[KeyWritten] = []
        for result in results:
            if isinstance(result, LocError):
                raise result
            done.append(result)
        return done

    def write_each(
        self,
        caller: Caller,
        line: Line,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: WorkingSet | None = None,
        stops: bool = False,
    ) -> list[KeyWritten | LocError]:
        """Write each item that can be written; the refusal stands in its place.

        ``stops``: answers at the first refusal, with nothing written.
        """
        project = line.project
        batch = self._batch(caller, line, languages, origin)
        keys = loaded
        if keys is None:
            keys = WorkingSet(store_of(self._storage, line), project.id)
            keys.load(
                {write.key_id for write in writes if write.key_id is not None},
                set(_names(writes)),
            )
        batch.leaving.update(_leaving(writes, keys))
        events = KeyEvents(self._events, caller.actor, line)
        results: list[KeyWritten | LocError] = []
        for write in writes:
            try:
                results.append(self._write_one(batch, keys, events, write))
            except LocError as refusal:
                results.append(refusal)
                if stops:
                    return results
        if keys.fills():
            self.completion.watch(caller.actor, line)
        outdated = keys.flush(project.source_language, batch.at)
        self.findings.follow(line, languages, keys)
        moved = self.overlays.follow(line, keys.changed(), keys.names(), batch.at)
        crash_point("keys.before_events")
        events.append(keys.keys(), outdated)
        crash_point("keys.after_events")
        if loaded is not None:
            return results
        if moved:
            keys.load(moved, ())
            results = [_as_read(result, keys, moved) for result in results]
        return [self._with_values(batch, keys, result) for result in results]

    def judge(
        self,
        caller: Caller,
        line: Line,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: WorkingSet,
    ) -> None:
        """Raise the first refusal that ``write`` would raise; write nothing.

        Needs no transaction. ``loaded`` is of no use afterwards.
        """
        batch = self._batch(caller, line, languages, origin)
        events = KeyEvents(self._events, caller.actor, line)
        for write in writes:
            self._write_one(batch, loaded, events, write)

    def _batch(
        self,
        caller: Caller,
        line: Line,
        languages: Sequence[Language],
        origin: Origin,
    ) -> Batch:
        scope = scope_of(line.project)
        return Batch(
            caller=caller,
            project=line.project,
            order={lang.language_code: at for at, lang in enumerate(languages)},
            origin=origin,
            at=timestamp(self._clock()),
            approver=self._access.may(caller, "translation_approve", scope),
            source="main" if line.branch is None else "branch",
            gate=Gate(self._checks, line.project, languages),
            branch=line.name,
            judge=self._judge_write,
        )

    def shown(
        self, key: Key, values: Iterable[StoredValue], order: Mapping[str, int]
    ) -> Key:
        """The key with its values, in project language order."""
        rows = in_order(list(values), order)
        return replace(key, values=[shown_value(row) for row in rows])

    def _with_values(
        self, batch: Batch, keys: WorkingSet, result: KeyWritten | LocError
    ) -> KeyWritten | LocError:
        """The result with all values of its key, as they are after the whole batch."""
        if isinstance(result, LocError):
            return result
        values = keys.values(result.key.id).values()
        key = self.shown(result.key, values, batch.order)
        if result.outcome != "unchanged":  # a write makes it the line's own
            key = replace(key, key_source=batch.source)
        return replace(result, key=key)

    def _write_one(
        self, batch: Batch, keys: WorkingSet, events: KeyEvents, write: KeyWrite
    ) -> KeyWritten:
        old = keys.key(write.key_id) if write.key_id is not None else None
        if write.key_id is not None and old is None:
            raise KeyNotFound
        plural = old.is_plural if old else False
        plural = plural if write.is_plural is UNSET else write.is_plural
        texts = self._judge(batch, write, is_plural=plural)
        name = write.name if write.rename is UNSET else write.rename
        if old is None or write.rename is not UNSET:
            check_key(name, batch.project.key_separator)
        self._judge_languages(batch, [*texts, *_codes_beside(write)])
        if old is not None and plural != old.is_plural:  # every text moves, or goes
            self._judge_turning(batch, {tag for tag, _ in keys.values(old.id)})
        other = keys.named(name) if old is None or write.rename is not UNSET else None
        if other is not None and other.id not in (write.key_id, *batch.leaving):
            raise KeyExists(f"key {mentioned(name)!r} is already in the project")
        key = key_as_written(batch, old, write, is_plural=plural)
        there = _there(batch, keys, old, key)
        plans = plan_values(batch, write, key, texts, there, keys.gone(key.id))
        key, changed = self._put_key(batch, keys, events, old, key, there)
        count = self._put_values(batch, keys, events, key, plans)
        if count and old is not None and not changed:
            key = replace(key, updated_at=batch.at)
        outcome: Literal["created", "updated", "unchanged"] = "updated"
        if old is None:
            outcome = "created"
        elif not changed and not count:
            outcome = "unchanged"
        return KeyWritten(key, outcome, count)

    def _judge(
        self, batch: Batch, write: KeyWrite, *, is_plural: bool
    ) -> dict[str, dict[str | None, str]]:
        texts: dict[str, dict[str | None, str]] = {}
        for tag, text in write.values.items():
            short = mentioned(tag)
            if tag not in batch.order:
                raise LanguageNotInProject(f"the project has no language {short}")
            path = f"$.values.{short}"
            texts[tag] = texts_by_form(text, is_plural=is_plural, path=path)
        return texts

    def _judge_languages(self, batch: Batch, tags: Iterable[str]) -> None:
        for tag in tags:
            if tag not in batch.assigned:
                scope = scope_of(batch.project)
                self._access.require_language(batch.caller, scope, tag)
                batch.assigned.add(tag)

    def _judge_turning(self, batch: Batch, tags: set[str]) -> None:
        """Turning plurals on or off writes every text that is there."""
        if tags:
            scope = scope_of(batch.project)
            self._access.require(
                batch.caller, "translation_write", scope, ProjectNotFound()
            )
        self._judge_languages(batch, tags)

    def _put_key(
        self,
        batch: Batch,
        keys: WorkingSet,
        events: KeyEvents,
        old: Key | None,
        key: Key,
        there: Mapping[Place, StoredValue],
    ) -> tuple[Key, bool]:
        if old is None:
            keys.add(key)
            events.created(key)
            return key, True
        if key == old:
            return old, False
        key = replace(key, updated_at=batch.at)
        moved: list[Moved] = []
        if key.is_plural != old.is_plural:
            moved = self._move_forms(batch, keys, key, there)
        keys.save(key)
        events.updated(old, key, moved)
        return key, True

    def _move_forms(
        self,
        batch: Batch,
        keys: WorkingSet,
        key: Key,
        there: Mapping[Place, StoredValue],
    ) -> list[Moved]:
        """Turn plurals on or off; answers the revisions that this makes."""
        moved: list[Moved] = []
        for value in list(keys.values(key.id).values()):
            end = ended(batch, value)
            keys.clear(end)
            moved.append((end.language_code, end.plural_form, end.revision))
        for place, value in there.items():
            keys.move(key.id, place, value)
            moved.append((*place, value.revision))
        return moved

    def _put_values(
        self,
        batch: Batch,
        keys: WorkingSet,
        events: KeyEvents,
        key: Key,
        plans: Iterable[ValuePlan],
    ) -> int:
        """Do what was planned; how many values that changed."""
        count = 0
        for plan in plans:
            if plan.is_kept:
                keys.keep_fresh(key.id, plan.place)
                continue
            if plan.new is not None:
                keys.put(key.id, plan.place, plan.new)
            elif plan.old is not None:
                keys.clear(ended(batch, plan.old, plan.note))
            events.value(key, plan.old, plan.new, plan.place, VERDICTS[plan.action])
            count += 1
            if plan.outdates:
                keys.outdate(key.id)
        return count


def _names(writes: Sequence[KeyWrite]) -> Iterable[str]:
    for write in writes:
        if write.key_id is None:
            yield write.name
        if write.rename is not UNSET:
            yield write.rename


def _codes_beside(write: KeyWrite) -> list[str]:
    """The languages that a write is about beside those of its texts."""
    codes = [code for code, _ in write.carried]
    return [*codes, write.verdict.language_code] if write.verdict else codes


def _there(
    batch: Batch, keys: WorkingSet, old: Key | None, key: Key
) -> Mapping[Place, StoredValue]:
    """The values of a key as they stand once its plurals are turned on or off."""
    if old is None:
        return {}
    values = keys.values(old.id)
    if key.is_plural == old.is_plural:
        return values
    return turned(batch, values.values(), keys.gone(old.id), is_plural=key.is_plural)


def _as_read(
    result: KeyWritten | LocError, keys: WorkingSet, moved: Collection[str]
) -> KeyWritten | LocError:
    """The result with its key as it was read anew."""
    if isinstance(result, LocError) or result.key.id not in moved:
        return result
    return replace(result, key=keys.key(result.key.id) or result.key)


def _leaving(writes: Sequence[KeyWrite], keys: WorkingSet) -> Iterable[str]:
    """Keys that the batch renames: others of it may have their names."""
    for write in writes:
        old = keys.key(write.key_id) if write.key_id is not None else None
        if old is not None and write.rename not in (UNSET, old.key):
            yield old.id

"""The one way in which keys and values are written, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.errors import (
    LocError,
)
from locframework.events import EventLog
from locframework.fields import Clock, timestamp
from locframework.projects.records import Language
from locframework.projects.service import scope_of
from locframework.statistics.completion import Completion
from locframework.storage import Storage
from locframework.transactions import crash_point

from .approval import ApprovalBlockers
from .batch_write import BatchWrite
from .branch_copies import BranchCopies
from .changes import WriteVeto
from .check_runner import CheckRunners
from .events import KeyEvents
from .findings import Findings
from .records import Key, KeyWrite, KeyWritten, Origin, StoredValue
from .renames import leaving, names_in, robbed
from .rules import in_order, shown_value
from .store import store_of
from .unit_of_work import UnitOfWork
from .value_plans import Batch


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
        judges: CheckRunners,
        judge: WriteVeto | None = None,
    ) -> None:
        """``judge``: the plugins that have a say in each change of a value."""
        self._storage = storage
        self._judges = judges
        self._judge_write = judge
        self.findings = Findings(storage, judges)
        self.copies = BranchCopies(storage)
        self.completion = Completion(storage, events)
        self._events = events
        self._access = access
        self._clock = clock

    def load(
        self,
        scope: BranchScope,
        names: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> UnitOfWork:
        """The keys of these names as they are, to decide upon and then to write.

        ``language_codes`` leaves out values in languages that are not written; a
        write that turns plurals on or off needs them all.
        """
        keys = UnitOfWork(store_of(self._storage, scope), scope.project.id)
        keys.load((), names, language_codes)
        return keys

    def write(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: UnitOfWork | None = None,
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
            scope,
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
        scope: BranchScope,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: UnitOfWork | None = None,
        free: Collection[str] = (),
        stops: bool = False,
        dry_run: bool = False,
    ) -> list[KeyWritten | LocError]:
        """Write each item that can be written; return its result or its error.

        ``free``: ids of keys whose names others may take. ``stops``: return at the
        first error, with nothing written. ``dry_run``: return what would be done; only
        reads are sent, and no transaction is needed.
        """

        def begin() -> BatchWrite:
            keys = self._named(scope, writes) if loaded is None else loaded
            batch = self._begin(caller, scope, languages, origin, keys)
            batch.batch.leaving.update(free)
            return batch

        tried, results = self._tried(begin, writes, stops=stops)
        if dry_run or (stops and results and isinstance(results[-1], LocError)):
            return results
        batch, keys = tried.batch, tried.keys
        if keys.fills():
            self.completion.watch(caller.actor, scope)
        outdated = keys.flush(scope.project.source_language, batch.at)
        self.findings.follow(scope, languages, keys)
        self.copies.count_changes(scope, keys.changed(), batch.at)
        crash_point("keys.before_events")
        tried.events.append(keys.keys(), outdated)
        crash_point("keys.after_events")
        if loaded is not None:
            return results
        return [self._with_values(batch, keys, result) for result in results]

    def _tried(
        self,
        begin: Callable[[], BatchWrite],
        writes: Sequence[KeyWrite],
        *,
        stops: bool,
    ) -> tuple[BatchWrite, list[KeyWritten | LocError]]:
        """Every write, done in memory.

        Keys may take over each other's names. Where one was to give up its name and
        could not, all is tried anew with the name held.
        """
        held: set[str] = set()
        while True:
            tried = begin()
            tried.batch.leaving.update(leaving(writes, tried.keys) - held)
            results: list[KeyWritten | LocError] = []
            for write in writes:
                try:
                    results.append(tried.write(write))
                except LocError as refusal:
                    results.append(refusal)
                    if stops:
                        return tried, results
            stuck = robbed(writes, results, tried.keys)
            if not stuck:
                return tried, results
            held |= stuck

    def _named(self, scope: BranchScope, writes: Sequence[KeyWrite]) -> UnitOfWork:
        """The keys that the writes are about, and those whose names they take."""
        keys = UnitOfWork(store_of(self._storage, scope), scope.project.id)
        ids = {write.key_id for write in writes if write.key_id is not None}
        keys.load(ids, set(names_in(writes)))
        return keys

    def judge(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: UnitOfWork,
    ) -> None:
        """Raise the first refusal that ``write`` would raise; write nothing.

        Each key is written once. Needs no transaction; ``loaded`` is of no use
        afterwards.
        """
        tried = self._begin(caller, scope, languages, origin, loaded)
        for write in writes:
            tried.judge(write)

    def _begin(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        origin: Origin,
        keys: UnitOfWork,
    ) -> BatchWrite:
        batch = self._batch(caller, scope, languages, origin)
        events = KeyEvents(self._events, caller.actor, scope, batch.at)
        return BatchWrite(self._access, batch, keys, events)

    def _batch(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        origin: Origin,
    ) -> Batch:
        where = scope_of(scope.project)
        return Batch(
            caller=caller,
            project=scope.project,
            order={lang.language_code: at for at, lang in enumerate(languages)},
            origin=origin,
            at=timestamp(self._clock()),
            approver=self._access.may(caller, "translation_approve", where),
            source="main" if scope.branch is None else "branch",
            gate=ApprovalBlockers(self._judges, scope.project, languages),
            branch=scope.name,
            judge=self._judge_write,
        )

    def shown(
        self, key: Key, values: Iterable[StoredValue], order: Mapping[str, int]
    ) -> Key:
        """The key with its values, in project language order."""
        rows = in_order(list(values), order)
        return replace(key, values=[shown_value(row) for row in rows])

    def _with_values(
        self, batch: Batch, keys: UnitOfWork, result: KeyWritten | LocError
    ) -> KeyWritten | LocError:
        """The result with all values of its key, as they are after the whole batch."""
        if isinstance(result, LocError):
            return result
        values = keys.values(result.key.id).values()
        key = self.shown(result.key, values, batch.order)
        if result.outcome != "unchanged":  # a write makes it the scope's own
            key = replace(key, key_source=batch.source)
        return replace(result, key=key)

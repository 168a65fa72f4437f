"""Writes keys and values, on every path: plan, check, apply, append events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import Branches, BranchScope
from locframework.errors import LocError, Unavailable
from locframework.events import SYSTEM, EventLog
from locframework.fields import Clock, Timestamp, timestamp, timestamp_after
from locframework.glossaries.matching import TermCache
from locframework.hook_times import HookTimes
from locframework.keys.branch_copies import count_changes
from locframework.keys.changes import OnReview, WriteVeto
from locframework.keys.records import (
    Key,
    KeyWrite,
    KeyWritten,
    Origin,
    StoredKey,
    StoredValue,
)
from locframework.keys.rules import in_order, new_value, public_key, shown_value
from locframework.keys.store import KeyStorage, store_of
from locframework.projects.records import Language
from locframework.projects.service import Languages
from locframework.quality.check import Checks, Finding
from locframework.statistics.service import Completion

from .checks import CheckedKey, CheckRunner, FindingChanges, Known, check_unit
from .plan import WritePlanner, keys_in, renamed_in
from .unit_of_work import KeyEdit, KeyEvents, StalePlan, UnitOfWork

ATTEMPTS = 3


T = TypeVar("T")

Work = tuple[Callable[[bool], bool] | None, Callable[[], T]]
"""Whether a plan still holds, to be called in the transaction with whether this is the
last attempt, and what applies it. None: there is nothing to store, and no transaction
is needed."""


class WritePlan(Struct, frozen=True):
    """A batch of writes that may be done: what ``apply`` stores."""

    caller: Caller
    scope: BranchScope
    at: Timestamp
    keys: UnitOfWork
    edits: Sequence[KeyEdit]
    """What is written, key by key."""
    events: KeyEvents
    runner: CheckRunner
    findings: FindingChanges
    store_reviews: Callable[[], None] | None
    results: list[KeyWritten | LocError]
    """One for each write, in their order."""
    language_order: Mapping[str, int]

    def is_current(self, is_last: bool) -> bool:
        """Return whether the keys and glossaries are as they were read.

        The last attempt accepts terms of a moment ago, so that a long import of terms
        does not keep others from writing.
        """
        if not self.keys.is_unchanged():
            return False
        return is_last or self.runner.is_current()


@dataclass(eq=False, repr=False)
class KeyWriter:
    """Writes keys and values: single ones, batches, imports, merges.

    A request plans on a snapshot and applies in a transaction (``run``). A job does
    both in the transaction of its step (``write_each``). The service has checked that
    the caller may create, update or write; assigned languages, protection and the
    review that a text needs are decided here.
    """

    _storage: KeyStorage
    _events: EventLog
    _access: Access
    _branches: Branches
    _languages: Languages
    _clock: Clock
    _checks: Checks
    _terminologies: TermCache
    veto: WriteVeto | None = None  # asks plugins about each change
    times: HookTimes | None = None  # None: no plugin has hooks that are called here
    on_review: OnReview | None = None

    def __post_init__(self) -> None:
        self.completion = Completion(self._storage, self._events)

    def run(self, scope: BranchScope, work: Callable[[BranchScope], Work[T]]) -> T:
        """Plan a write on a snapshot, then apply it in a transaction.

        ``work`` plans, or raises what refuses the write. It is called again if the
        project, or what it has read, has changed meanwhile, three times at most; then
        raises Unavailable.
        """
        for attempt in range(ATTEMPTS):
            with self._storage.snapshot():
                is_current, apply = work(scope)
            if is_current is None:
                return apply()
            with suppress(StalePlan), self._storage.transaction():
                now = self._branches.lock_scope(scope)
                if not (_is_same(scope, now) and is_current(attempt == ATTEMPTS - 1)):
                    raise StalePlan
                result = apply()
                break
            scope = now
        else:
            error = Unavailable("others keep changing these keys; try again")
            error.retry_after_seconds = 1
            raise error
        return result

    def write_key(
        self,
        caller: Caller,
        scope: BranchScope,
        write: KeyWrite | Callable[[BranchScope], KeyWrite],
        *,
        origin: Origin = "human",
        before: Callable[[], None] | None = None,
    ) -> Key:
        """Write one key for a request, and return it with its values.

        ``write``: the write, or what reads and returns it. ``before`` is called first
        in the transaction.
        """

        def work(scope: BranchScope) -> Work[Key]:
            languages = self._languages.of(scope.project)
            plan = self.plan(
                caller,
                scope,
                languages,
                [write if isinstance(write, KeyWrite) else write(scope)],
                origin=origin,
                stops=True,
                for_request=True,
            )
            written = written_or_raise(plan.results[0])

            def apply() -> Key:
                if before is not None:
                    before()
                self.apply(plan)
                return self.with_values(plan, written).key

            has_work = plan.edits or before is not None
            return plan.is_current if has_work else None, apply

        return self.run(scope, work)

    def load(
        self,
        scope: BranchScope,
        key_ids: Collection[str],
        names: Collection[str],
        language_codes: Collection[str] | None = None,
        *,
        file_keys: Collection[str] = (),
    ) -> UnitOfWork:
        """Return the keys with these ids, names or file keys, to decide upon and write.

        ``language_codes`` leaves out values in other languages.
        """
        store = store_of(self._storage, scope)
        keys = UnitOfWork(store, scope.project.id, language_codes)
        keys.load(key_ids, names, file_keys)
        return keys

    def plan(
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
        for_request: bool = False,
        dry_run: bool = False,
        known: Known | None = None,
    ) -> WritePlan:
        """Plan the writes; only reads are sent.

        ``loaded``: keys from ``load``. ``free``: ids of keys whose names others may
        take. ``stops``: the first error ends the plan, and ``apply`` stores nothing.
        ``for_request``: a protected main refuses, and ``run`` applies the plan.
        ``dry_run``: nobody will apply it, so that it has no findings, unless they are
        to be added to ``known``, which others have found before.
        """
        before = self.times.so_far() if self.times is not None else {}
        runner = CheckRunner(
            self._checks,
            self._terminologies,
            scope.project,
            languages,
            is_verified=for_request,
            known=known,
        )

        lost: set[str] = set()
        while True:  # again where a key was to give up its name, and is refused
            keys = loaded
            if keys is None or lost:
                keys = self.load(scope, *keys_in(writes))
            # every write changes updated_at, by which ``run`` notices it
            at = timestamp_after(self._clock(), keys.last_update())
            events = KeyEvents(self._events, caller.actor, scope, at)
            planner = WritePlanner(
                self._access,
                caller,
                scope,
                languages,
                origin,
                keys,
                events,
                runner,
                self.veto,
                at,
                is_direct=for_request,
                leaving={*free, *renamed_in(writes, keys)} - lost,
            )
            results = planner.plan_each(writes, stops=stops)
            if stops or not planner.refused or not (more := planner.names_lost()):
                break
            lost |= more
        edits = keys.changed()
        findings: FindingChanges = {}
        is_checked = not dry_run or known is not None
        if is_checked and not (stops and planner.refused):
            source = scope.project.source_language
            findings = check_unit(runner, keys, edits, source)
        store_reviews = None
        if self.on_review is not None and planner.reviewed and not dry_run:
            store_reviews = self.on_review(scope, planner.reviewed)
        if self.times is not None:
            self.times.log_slow(before, f"a write of {len(writes)} keys")
        return WritePlan(
            caller,
            scope,
            at,
            keys,
            edits,
            events,
            runner,
            findings,
            store_reviews,
            results,
            planner.order,
        )

    def apply(self, plan: WritePlan) -> list[KeyWritten | LocError]:
        """Store a plan, in a transaction that holds the project's lock.

        A number of statements that grows with the keys / 500.
        """
        keys, scope = plan.keys, plan.scope
        edits = plan.edits
        if not edits:
            return plan.results
        for edit in edits:
            if edit.adds_value:
                self.completion.watch(plan.caller.actor, scope)
                break
        for value in keys.flush(edits, scope.project.source_language, plan.at):
            plan.events.outdated(keys.edits[value.key_id].key, value)
        if plan.findings:
            keys.store.put_findings(plan.findings)
        if scope.branch is not None:
            ids = [edit.key.id for edit in edits]
            count_changes(self._storage, scope, ids, plan.at)
        if plan.store_reviews is not None:
            plan.store_reviews()
        plan.events.append()
        return plan.results

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
        known: Known | None = None,
    ) -> list[KeyWritten | LocError]:
        """Plan and apply in the open transaction, which holds the project's lock.

        Writes each item that can be written; an error takes the place of its result.
        Errors: InvalidKey, LanguageNotInProject, PluralMismatch, InvalidPluralForm,
        PermissionDenied (plurals turned without translation_write), KeyNotFound,
        LanguageNotAssigned, KeyExists, NothingPending, QualityCheckFailed,
        WriteRefused. ``dry_run``: only reads are sent.
        """
        plan = self.plan(
            caller,
            scope,
            languages,
            writes,
            origin=origin,
            loaded=loaded,
            free=free,
            stops=stops,
            dry_run=dry_run,
            known=known,
        )
        results = plan.results
        if dry_run or (stops and results and isinstance(results[-1], LocError)):
            return results
        return self.apply(plan)

    def write(
        self,
        caller: Caller,
        scope: BranchScope,
        languages: Sequence[Language],
        writes: Sequence[KeyWrite],
        *,
        origin: Origin = "human",
        loaded: UnitOfWork | None = None,
        free: Collection[str] = (),
        dry_run: bool = False,
        known: Known | None = None,
    ) -> list[KeyWritten]:
        """Write all or raise the first error, with nothing written."""
        results = self.write_each(
            caller,
            scope,
            languages,
            writes,
            origin=origin,
            loaded=loaded,
            free=free,
            stops=True,
            dry_run=dry_run,
            known=known,
        )
        return [written_or_raise(result) for result in results]

    def with_values(self, plan: WritePlan, result: KeyWritten) -> KeyWritten:
        """Return a result with all values of its key, as the whole plan leaves them."""
        values = plan.keys.values(result.key.id).values()
        key = shown_key(result.key, values, plan.language_order)
        if result.outcome != "unchanged":  # a write copies the key to the branch
            source = "main" if plan.scope.branch is None else "branch"
            key = replace(key, key_source=source)
        return replace(result, key=key)

    def prepare_checks(self, project_id: str) -> None:
        """Read large glossaries, which would take long in a transaction."""
        self._terminologies.prepare(project_id)

    def check_again(
        self,
        scope: BranchScope,
        languages: Sequence[Language],
        key_ids: Collection[str],
    ) -> None:
        """Replace the findings of keys by new ones. Four statements a chunk."""
        store = store_of(self._storage, scope)
        keys = store.find_keys(scope.project.id, key_ids)
        values = store.values_of(list(keys))
        checked = [CheckedKey(key, values.get(key.id, ())) for key in keys.values()]
        runner = CheckRunner(
            self._checks, self._terminologies, scope.project, languages
        )
        if found := runner.changed_findings(store, checked):
            store.put_findings(found)

    def preview_findings(
        self,
        scope: BranchScope,
        languages: Sequence[Language],
        key: StoredKey,
        language_code: str,
        texts: Mapping[str | None, str],
    ) -> list[Finding]:
        """Return what checks would find in the texts of a key in a language if these
        were written, by plural form. Dismissed findings are left out."""
        store, project = store_of(self._storage, scope), scope.project
        codes = {language_code, project.source_language}
        values = [
            row
            for row in store.values_of([key.id], codes).get(key.id, [])
            if row.language_code != language_code or row.plural_form not in texts
        ]
        at, by = timestamp(self._clock()), SYSTEM.id
        for form, text in texts.items():
            place = key.id, language_code, form, text
            values.append(new_value(*place, origin="human", at=at, by=by))
        runner = CheckRunner(self._checks, self._terminologies, project, languages)
        checked = CheckedKey(key, values, [language_code], is_new=True)
        changed = runner.changed_findings(store, [checked])
        found = changed.get((key.id, language_code), [])
        given = store.dismissals_of(project.id, [key.id]) if found else []
        dismissed = {each.finding for each in given}
        return [one for one in found if (one.texts_hash, one.check) not in dismissed]


def written_or_raise(result: KeyWritten | LocError) -> KeyWritten:
    """Return the result, or raise the error in its place."""
    if isinstance(result, LocError):
        raise result
    return result


def shown_key(key: Key, values: Iterable[StoredValue], order: Mapping[str, int]) -> Key:
    """Return the key with its values, in project language order."""
    rows = in_order(values, order)
    return public_key(key, list(map(shown_value, rows)))


def order_of(languages: Sequence[Language]) -> dict[str, int]:
    """Return the position of each language in its project, by code."""
    return {each.language_code: n for n, each in enumerate(languages)}


def _is_same(planned: BranchScope, now: BranchScope) -> bool:
    """Return whether what a plan depends on is as it was.

    A change of a language changes ``updated_at`` of its project.
    """
    return replace(planned.project, key_count=0) == replace(now.project, key_count=0)

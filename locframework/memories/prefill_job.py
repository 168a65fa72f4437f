"""Fills texts that are missing from memories, some keys a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.branches.records import BranchScope
from locframework.branches.service import Branches, require_writable
from locframework.errors import (
    LocError,
    PermissionDenied,
    ProjectNotFound,
    abbreviate,
)
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Work
from locframework.keys.comparing import states_of
from locframework.keys.records import KeyState
from locframework.keys.store import store_of
from locframework.keys.writing.writer import KeyWriter
from locframework.projects.service import scope_of
from locframework.transactions import crash_point

from .matching import Matching
from .prefill_records import (
    SKIPPED_TOLD,
    PrefillParams,
    PrefillResult,
    PrefillSkipped,
    PrefillStep,
)
from .prefilling import Wish, wishes_of, writes_of
from .search_records import TEXTS_LENGTH
from .showing import ByLanguage, Question
from .store import MemoryStorage

TYPE = "tm_prefill"
PERMISSION = "tm_write"
KEYS_A_STEP = 100
TEXTS_AT_ONCE = 100


class PrefillJob:
    """The handler of these jobs."""

    type = TYPE

    def __init__(
        self,
        storage: MemoryStorage,
        access: Access,
        branches: Branches,
        writer: KeyWriter,
        matching: Matching,
        renewed: Renewed,
    ) -> None:
        self._storage = storage
        self._access = access
        self._branches = branches
        self._writer = writer
        self._matching = matching
        self._renewed = renewed

    def run(self, job: StoredJob, work: Work) -> None:
        """100 keys a step: matches are looked for before, what is missing is asked
        again when it is written. Raises PermissionDenied, BranchProtected, …"""
        params = msgspec.convert(job.params, PrefillParams)
        ids = self._ids(job, params)
        step = PrefillStep("", 0, self._begun(job, params, ids))
        if job.step is not None:
            step = msgspec.convert(job.step, PrefillStep)
        ids = [id_ for id_ in ids if id_ > step.after]
        total = step.done + len(ids)
        for at in range(0, len(ids), KEYS_A_STEP):
            work.check_cancelled()
            some = ids[at : at + KEYS_A_STEP]
            matches = self._matches(job, params, some)
            self._writer.prepare_checks(job.project_id)
            read = self._matching.names_read(self._line(job, params).project)
            with work.step() as noted:
                result = msgspec.convert(
                    msgspec.to_builtins(step.result), PrefillResult
                )  # a step that is not kept must leave no trace
                result.warnings += _gone(step, read, total)
                self._fill(job, params, some, matches, result)
                step = PrefillStep(some[-1], step.done + len(some), result, read)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(step.done, total)
            crash_point("tm_prefill.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _begun(
        self, job: StoredJob, params: PrefillParams, ids: Sequence[str]
    ) -> PrefillResult:
        """Where a job begins: keys asked for that are not there, and why none helps."""
        scope = self._line(job, params)
        asked = set(params.key_ids or ()) - set(ids)
        if params.filter.prefix and asked:  # what the filter leaves out is there
            asked -= {*self._names(scope).values()}
        told = [
            PrefillSkipped(abbreviate(id_), None, "key_not_found")
            for id_ in sorted(asked)
        ]
        obstacle = self._matching.obstacle(scope.project)
        return PrefillResult(
            skipped_count=len(told),
            skipped=told[:SKIPPED_TOLD],
            warnings=[] if obstacle is None else [obstacle],
        )

    def _line(self, job: StoredJob, params: PrefillParams) -> BranchScope:
        project = self._storage.projects.find(job.project_id)
        if project is None:
            raise ProjectNotFound
        return self._branches.scope(project, params.branch)

    def _ids(self, job: StoredJob, params: PrefillParams) -> list[str]:
        names = self._names(self._line(job, params), params.filter.prefix)
        wanted = None if params.key_ids is None else set(params.key_ids)
        return sorted(id_ for id_ in names.values() if wanted is None or id_ in wanted)

    def _names(self, scope: BranchScope, prefix: str = "") -> Mapping[str, str]:
        store = store_of(self._storage, scope)
        return store.names_of(scope.project.id, prefix=prefix)

    def _wishes(
        self, scope: BranchScope, params: PrefillParams, key_ids: Sequence[str]
    ) -> tuple[dict[str, KeyState], dict[str, list[Wish]]]:
        """The keys that are asked for, and what each lacks."""
        store, tags = store_of(self._storage, scope), set(params.filter.tag)
        states = {
            id_: state
            for id_, state in states_of(store, scope.project.id, key_ids).items()
            if tags <= set(state.key.tags)
        }
        source = scope.project.source_language
        wishes = {
            id_: list(wishes_of(state, source, params)) for id_, state in states.items()
        }
        return states, {id_: some for id_, some in wishes.items() if some}

    def _matches(
        self, job: StoredJob, params: PrefillParams, key_ids: Sequence[str]
    ) -> dict[Question, ByLanguage]:
        """For every text that the keys need a translation of, each in its context."""
        scope = self._line(job, params)
        _, wishes = self._wishes(scope, params, key_ids)
        questions = {wish.source for some in wishes.values() for wish in some}
        found: dict[Question, ByLanguage] = {}
        for part in _in_parts(sorted(questions)):
            found |= self._matching.find_approved(
                scope.project,
                part,
                params.language_codes,
                params.min_match_percentage,
            )
        return found

    def _fill(
        self,
        job: StoredJob,
        params: PrefillParams,
        key_ids: Sequence[str],
        matches: dict[Question, ByLanguage],
        result: PrefillResult,
    ) -> None:
        scope = self._line(job, params)
        caller = self._caller(job, scope)
        require_writable(scope)
        states, wishes = self._wishes(scope, params, key_ids)
        found = [
            writes_of(states[id_], some, matches, params.min_match_percentage)
            for id_, some in wishes.items()
        ]
        writes = [each for each in found if each is not None]
        languages = self._storage.projects.list_languages(scope.project.id)
        written = self._writer.write_each(caller, scope, languages, writes, origin="tm")
        result.keys_looked_at += len(states)
        for write, done in zip(writes, written, strict=True):
            if isinstance(done, LocError):
                result.skipped_count += 1
                if len(result.skipped) < SKIPPED_TOLD:
                    skipped = PrefillSkipped(str(write.key_id), write.name, done.code)
                    result.skipped.append(skipped)
            else:
                result.keys_filled += done.values_written > 0
                result.values_written += done.values_written

    def _caller(self, job: StoredJob, scope: BranchScope) -> Caller:
        """Who started it, with the rights of this moment."""
        caller = self._renewed(job.caller)
        access_scope = scope_of(scope.project)
        if caller is None or not self._access.may(caller, PERMISSION, access_scope):
            raise PermissionDenied(PERMISSION)
        return caller


def _gone(step: PrefillStep, read: Mapping[str, str], total: int) -> list[str]:
    """What the keys of this step are filled without, unlike those before."""
    return [
        f"after {step.done} of {total} keys the project no longer read the "
        f"translation memory {abbreviate(name)!r}"
        for id_, name in step.read.items()
        if id_ not in read
    ]


def _in_parts(questions: Sequence[Question]) -> list[list[Question]]:
    """No more at once than one may ask matches for."""
    parts: list[list[Question]] = [[]]
    length = 0
    for asked in questions:
        if len(parts[-1]) == TEXTS_AT_ONCE or length + len(asked.text) > TEXTS_LENGTH:
            parts.append([])
            length = 0
        parts[-1].append(asked)
        length += len(asked.text)
    return [part for part in parts if part]

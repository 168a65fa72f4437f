"""Pre-translation: a job writes the best matches of missing texts as drafts."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    LanguageNotInProject,
    LocError,
    ProjectNotFound,
    ValidationFailed,
    abbreviate,
)
from locframework.formats.records import Text
from locframework.jobs.records import Job, Progress, StoredJob
from locframework.jobs.service import Jobs
from locframework.jobs.work import Work
from locframework.keys.branch_copies import states_of
from locframework.keys.records import KeyState, KeyWrite
from locframework.keys.store import store_of
from locframework.keys.writing.writer import KeyWriter
from locframework.languages import require_tag
from locframework.projects.service import Projects, scope_of
from locframework.transactions import crash_point, get_record
from locframework.validation import check_record

from .matches import Matching
from .matching.records import TEXT_LENGTH, TEXTS_LENGTH, LanguageCodes
from .matching.scoring import Question
from .matching.search import ByLanguage
from .records import Percentage
from .store import MemoryStorage
from .tm_sync import context_of

JOB_TYPE = "tm_prefill"
PERMISSIONS = "translation_write", "tm_read"
KEYS_LIMIT = 500
SKIPPED_LIMIT = 100
KEYS_PER_STEP = 100
QUESTIONS_PER_SEARCH = 100

Missing = dict[tuple[str, str | None], Question]
"""The texts that a key lacks, by language and plural form: source text and context."""


class PrefillFilter(Struct, frozen=True):
    """Which keys; every condition that is set must hold."""

    prefix: Annotated[str, Meta(max_length=500)] = ""
    tag: Annotated[list[str], Meta(max_length=20)] = []  # all of them


class PrefillRequest(Struct, frozen=True, rename="camel"):
    """The body that starts a pre-translation. ``minMatchPercentage``: what a match
    needs at least. ``onlyMissing`` false: also overwrite existing texts, except those
    that wait for review."""

    language_codes: LanguageCodes
    min_match_percentage: Percentage = 100
    only_missing: bool = True
    key_ids: Annotated[list[str], Meta(max_length=KEYS_LIMIT)] | None = None
    filter: PrefillFilter = PrefillFilter()


class PrefillParams(Struct, frozen=True, rename="camel"):
    """The parameters of a job: a request that was checked."""

    request: PrefillRequest  # the language codes are canonical
    branch: str | None  # its id; None: main


class PrefillSkipped(Struct, frozen=True, rename="camel"):
    """A key that was not written, and an error code; ``key`` is null if it does not
    exist."""

    key_id: str
    key: str | None
    reason: str


class PrefillResult(Struct, rename="camel"):
    """The ``result`` of a job."""

    keys_looked_at: int = 0
    keys_filled: int = 0
    values_written: int = 0
    skipped_count: int = 0
    skipped: list[PrefillSkipped] = []  # the first hundred
    warnings: list[str] = []  # why nothing can be found

    def skip(self, key_id: str, key: str | None, reason: str) -> None:
        """Count a key, and list it if it is one of the first hundred."""
        self.skipped_count += 1
        if len(self.skipped) < SKIPPED_LIMIT:
            self.skipped.append(PrefillSkipped(abbreviate(key_id), key, reason))


class PrefillStep(Struct, frozen=True, rename="camel"):
    """The progress of a job."""

    after: str  # id of the last key that was looked at
    result: PrefillResult


@dataclass(eq=False, repr=False)
class Prefill:
    """Starts such jobs, and runs them."""

    type = JOB_TYPE

    _storage: MemoryStorage
    _access: Access
    _projects: Projects
    _branches: Branches
    _jobs: Jobs
    _writer: KeyWriter
    _matching: Matching
    _renewed: Renewed

    def start_prefill(
        self,
        caller: Caller,
        project_id: str,
        request: PrefillRequest,
        *,
        branch: str | None = None,
    ) -> Job:
        """Queue a job; needs both permissions and the languages. Raise ProjectNotFound,
        ValidationFailed, LanguageNotInProject, LanguageNotAssigned, BranchNotFound,
        BranchNotOpen, BranchProtected."""
        write, read = PERMISSIONS
        project = self._projects.require(caller, write, project_id)
        self._projects.require_also(caller, read, project)
        check_record(request)
        languages = self._storage.projects.list_languages(project.id)
        there = {language.language_code for language in languages}
        codes: dict[str, None] = {}
        for at, code in enumerate(request.language_codes):
            path = f"$.languageCodes[{at}]"
            tag = require_tag(code, path)
            if tag not in there:
                raise LanguageNotInProject(f"the project has no language {tag}")
            if tag == project.source_language:
                message = f"{tag} is the source language"
                raise ValidationFailed.at(path, "language", message)
            codes[tag] = None
        scope = self._branches.scope(project, branch)
        for code in codes:
            self._access.require_language(caller, scope_of(project), code)
        require_writable(scope)
        request = replace(request, language_codes=list(codes))
        given = msgspec.to_builtins(PrefillParams(request, scope.branch_id))
        with self._storage.transaction():
            return self._jobs.start(caller, project, JOB_TYPE, write, given)

    def run(self, job: StoredJob, work: Work) -> None:
        """Fill 100 keys a step; what is missing is read again in its transaction. Raise
        PermissionDenied, BranchProtected, …"""
        params = msgspec.convert(job.params, PrefillParams)
        asked, scope = params.request, self._scope(job, params)
        there = store_of(self._storage, scope).names_of(scope.project.id)
        ids = sorted(
            id_
            for name, id_ in there.items()
            if name.startswith(asked.filter.prefix)
            and (asked.key_ids is None or id_ in asked.key_ids)
        )
        if job.step is not None:
            step = msgspec.convert(job.step, PrefillStep)
        else:
            unknown = sorted({*(asked.key_ids or ())}.difference(there.values()))
            result = PrefillResult()
            for id_ in unknown:
                result.skip(id_, None, "key_not_found")
            obstacle = self._matching.obstacle(scope.project)
            if obstacle is not None:
                result.warnings.append(obstacle)
            step = PrefillStep("", result)
        done = bisect_right(ids, step.after)
        while done < len(ids):
            work.check_cancelled()
            some = ids[done : done + KEYS_PER_STEP]
            matches = self._matches(self._scope(job, params), asked, some)
            self._writer.prepare_checks(job.project_id)
            with work.step() as noted:
                result = msgspec.convert(
                    msgspec.to_builtins(step.result), PrefillResult
                )  # a copy: the step may be rolled back
                self._fill(job, params, some, matches, result)
                step = PrefillStep(some[-1], result)
                done += len(some)
                noted.note = msgspec.to_builtins(step)
                noted.progress = Progress(done, len(ids))
            crash_point("tm_prefill.after_step")
        with work.finish() as outcome:
            outcome.result = msgspec.to_builtins(step.result)

    def _scope(self, job: StoredJob, params: PrefillParams) -> BranchScope:
        project = get_record(self._storage.projects, job.project_id, ProjectNotFound)
        return self._branches.scope(project, params.branch)

    def _missing(
        self, scope: BranchScope, request: PrefillRequest, key_ids: Sequence[str]
    ) -> list[tuple[KeyState, Missing]]:
        """The keys that have the tags, and what each of them lacks."""
        states = states_of(store_of(self._storage, scope), scope.project.id, key_ids)
        return [
            (state, missing_texts(state, scope.project.source_language, request))
            for state in states.values()
            if {*request.filter.tag} <= {*state.key.tags}
        ]

    def _matches(
        self, scope: BranchScope, request: PrefillRequest, key_ids: Sequence[str]
    ) -> dict[Question, ByLanguage]:
        keys = self._missing(scope, request, key_ids)
        questions = sorted({each for _, some in keys for each in some.values()})
        found: dict[Question, ByLanguage] = {}
        for part in _in_parts(questions):
            found |= self._matching.find(
                scope.project,
                part,
                request.language_codes,
                least=request.min_match_percentage,
                only_approved=True,
            )
        return found

    def _fill(
        self,
        job: StoredJob,
        params: PrefillParams,
        key_ids: Sequence[str],
        matches: Mapping[Question, ByLanguage],
        result: PrefillResult,
    ) -> None:
        scope = self._scope(job, params)
        where = scope_of(scope.project)
        caller = self._renewed(job.caller)
        caller = self._access.require_still(caller, where, *PERMISSIONS)
        require_writable(scope)
        keys = self._missing(scope, params.request, key_ids)
        least = params.request.min_match_percentage
        made = [key_write(state, missing, matches, least) for state, missing in keys]
        writes = [write for write in made if write is not None]
        languages = self._storage.projects.list_languages(scope.project.id)
        written = self._writer.write_each(caller, scope, languages, writes, origin="tm")
        result.keys_looked_at += len(keys)
        for write, outcome in zip(writes, written, strict=True):
            if isinstance(outcome, LocError):
                result.skip(str(write.key_id), write.name, outcome.code)
            else:
                result.keys_filled += outcome.values_written > 0
                result.values_written += outcome.values_written


def missing_texts(
    state: KeyState, source_language: str, request: PrefillRequest
) -> Missing:
    """Return what of a key is to be filled: plural forms that the source has."""
    rows = {(row.language_code, row.plural_form): row for row in state.values}
    missing: Missing = {}
    for (source, form), row in rows.items():
        text = row.value if row.approved_value is None else row.approved_value
        if source != source_language or not text.strip() or len(text) > TEXT_LENGTH:
            continue
        question = Question(text, context_of(state.key.key, form))
        for code in request.language_codes:
            there = rows.get((code, form))
            is_replaced = not request.only_missing
            if there is None or (is_replaced and there.status != "pending_review"):
                missing[code, form] = question
    return missing


def key_write(
    state: KeyState,
    missing: Missing,
    matches: Mapping[Question, ByLanguage],
    least: int,
) -> KeyWrite | None:
    """Return the write that fills a key; None if no match has ``least`` percent."""
    texts: dict[str, dict[str | None, str]] = {}
    there = {(row.language_code, row.plural_form): row.value for row in state.values}
    for (code, form), question in missing.items():
        found = matches.get(question, {}).get(code, [])
        if not found or found[0].match_percentage < least:
            continue
        if found[0].value != there.get((code, form)):
            texts.setdefault(code, {})[form] = found[0].value
    if not texts:
        return None
    values: Mapping[str, Text] = {
        code: {str(form): text for form, text in forms.items()}
        if state.key.is_plural
        else forms[None]
        for code, forms in texts.items()
    }
    return KeyWrite(name=state.key.key, key_id=state.key.id, values=values)


def _in_parts(questions: Sequence[Question]) -> list[list[Question]]:
    """Return as many together as one request for matches may have."""
    parts: list[list[Question]] = [[]]
    length = 0
    for each in questions:
        is_full = len(parts[-1]) == QUESTIONS_PER_SEARCH
        if is_full or length + len(each.text) > TEXTS_LENGTH:
            parts.append([])
            length = 0
        parts[-1].append(each)
        length += len(each.text)
    return [part for part in parts if part]

"""The job that translates: page by page of keys, each into all languages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller, Renewed
from locframework.access.service import Access
from locframework.access.store import AccessStore
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import (
    BudgetExceeded,
    LanguageNotAssigned,
    LanguageNotInProject,
    LocError,
    ProjectNotFound,
)
from locframework.events import EventLog
from locframework.formats.records import Text
from locframework.glossaries.matching import ProjectTerms, TermCache
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.store import Item, JobStore
from locframework.jobs.work import Cancelled, Work
from locframework.keys.branch_copies import states_of
from locframework.keys.query import filter_of
from locframework.keys.records import (
    PROVENANCE,
    FileDetail,
    KeyState,
    KeyWrite,
    Provenance,
    StoredKey,
    StoredValue,
)
from locframework.keys.store import store_of
from locframework.keys.writing.writer import KeyWriter
from locframework.languages import plural_examples
from locframework.memories.matches import Matching
from locframework.memories.matching.records import TEXT_LENGTH
from locframework.memories.matching.scoring import Question
from locframework.memories.store import MemoryStorage
from locframework.memories.tm_sync import context_of
from locframework.pagination import PageRequest, Position
from locframework.projects.records import Language, Project
from locframework.projects.rules import require_provider
from locframework.projects.service import scope_of
from locframework.quality.check import Checks, Subject
from locframework.quality.scanning import placeholders
from locframework.transactions import crash_point, get_record

from .engine import Engine, Failure, Unit
from .messages import UnreadableMessage, take_apart
from .records import (
    LISTED_LIMIT,
    REASON_LENGTH,
    SHARE,
    LanguageRun,
    OutcomeKind,
    RunOutcome,
    RunParams,
    RunResult,
    RunStep,
    TranslateRequest,
    plain,
    text_hash,
)
from .translator import MatchHint, TermHint, TranslationItem, Translator
from .usage import AiUsageStore, Budgets, Limit, Reservation

JOB_TYPE = "ai_translate"
PERMISSION = "ai_run"
KEYS_PER_PAGE = 500
MATCHES_SHOWN = 3
LEAST_MATCH = 60  # percent, of what is shown to an engine
WHOLE = ("placeholders", "markup", "plural_forms")
"""Checks that a text of a memory passes, as an engine's does."""


@dataclass(eq=False)
class Target:
    """One text that a run is to make."""

    state: KeyState
    form: str | None
    source: str
    there: StoredValue | None
    unit: Unit | None = None
    match: str | None = None  # of a memory, of 100 %
    failure: Failure | None = None

    @property
    def text(self) -> str | None:
        """The translation; None if there is none."""
        return self.match or (self.unit.text if self.unit else None)

    @property
    def origin(self) -> Literal["tm", "ai"]:
        return "tm" if self.match else "ai"

    @property
    def is_by_engine(self) -> bool:
        """Whether it was translated, and not by a memory."""
        return self.failure is None and self.match is None and self.text is not None


@dataclass(eq=False)
class _Page:
    """Keys in one language, and what a run makes of them."""

    scope: BranchScope
    entries: list[Target | RunOutcome]
    """What is to be translated, and what became of the other texts, in order."""

    @property
    def targets(self) -> list[Target]:
        """What is to be translated."""
        return [each for each in self.entries if isinstance(each, Target)]


class RunStorage(MemoryStorage, Protocol):
    """The part of the storage that runs use."""

    jobs: JobStore
    access: AccessStore
    ai_usage: AiUsageStore


@dataclass(eq=False, repr=False)
class TranslationRuns:
    """The handler of these jobs."""

    type = JOB_TYPE

    _storage: RunStorage
    _access: Access
    _branches: Branches
    _writer: KeyWriter
    _events: EventLog
    _matching: Matching
    _terms: TermCache
    _renewed: Renewed
    _translators: Mapping[str, Translator]
    _checks: Checks
    _budgets: Budgets

    def run(self, job: StoredJob, work: Work) -> None:
        """Translate a page of keys a step. Raise PermissionDenied, BranchProtected,
        UnknownProvider, …"""
        params = msgspec.convert(job.params, RunParams)
        for name in sorted({*params.providers.values()}):
            require_provider(name, self._translators)
        step = RunStep(RunResult(params.request.dry_run))
        for code, name in params.providers.items():
            step.result.languages[code] = LanguageRun(name)
        if job.step is not None:
            step = msgspec.convert(job.step, RunStep)
        while not step.is_over or step.page is not None:
            work.check_cancelled()
            if step.page is None:
                self._select(job, params, step)
            step = self._page(job, work, params, step)
            crash_point("ai_translate.after_step")
        with work.finish() as outcome:
            step.result.items = [
                msgspec.convert(item, RunOutcome)
                for item in self._first_items(job.job.id)
            ]
            if step.result.failed:
                outcome.status = "partial"
            outcome.result = msgspec.to_builtins(step.result)
            if not params.request.dry_run:
                self._events.append(
                    "ai.completed",
                    organization_id=job.organization_id,
                    project_id=job.project_id,
                    actor=job.caller.actor,
                    items=[{"jobId": job.job.id}],
                    branch=self._scope(job, params).name,
                )

    def _first_items(self, job_id: str) -> Iterator[Item]:
        for page in range(1, LISTED_LIMIT // 200 + 1):
            found = self._storage.jobs.page_of_items(job_id, PageRequest(page, 200))
            yield from found.items
            if len(found.items) < found.limit:
                return

    def _page(
        self,
        job: StoredJob,
        work: Work,
        params: RunParams,
        step: RunStep,
    ) -> RunStep:
        """Translate the next keys in the language, and store them with the step. Raises
        Cancelled, once what was paid is stored."""
        request = params.request
        code = request.language_codes[step.language]
        page = self._read(job, params, step.page or (), code)
        project = page.scope.project
        translator = self._translators[params.providers[code]]
        reserved = Reservation(
            self._budgets, self._storage, project, translator.name, code
        )
        units = [each.unit for each in page.targets if each.unit is not None]
        cancelled: Cancelled | None = None

        def reserve(cost: Decimal) -> None:
            """Note the cost as paid, in case that there will be no outcome."""
            paid = _copy(step)
            paid.result.pay(code, cost)
            paid.result.paid_again = plain(Decimal(step.result.paid_again) + cost)
            with work.step() as noted:
                reserved.raise_to(cost)
                noted.note = msgspec.to_builtins(paid)
                noted.progress = work.progress

        while True:
            engine = Engine(
                translator,
                project.source_language,
                code,
                instructions_for(project, code, request.instructions),
                self._limit(project, request, step),
            )
            if request.dry_run:
                engine.estimate(units)
                break
            try:
                if cost := engine.reserve(units):
                    reserve(cost)
            except BudgetExceeded:
                continue  # others have spent it meanwhile, so that the limit is lower
            if units:
                crash_point("ai_translate.before_call")
                try:
                    engine.translate(units, work.check_cancelled, reserve=reserve)
                except Cancelled as asked:
                    cancelled = asked
                crash_point("ai_translate.after_call")
            break
        after = _copy(step)
        if engine.cost:
            after.result.pay(code, engine.cost)
        done = work.progress.done + len(step.page or ())
        with work.step() as noted:
            if not request.dry_run:
                self._write(job, params, translator, page, code, engine.cost)
                texts = [each for each in page.targets if each.is_by_engine]
                reserved.settle(engine.cost, len(texts))
            outcomes = [
                _outcome(each, code) if isinstance(each, Target) else each
                for each in page.entries
            ]
            for outcome in outcomes:
                after.result.count(outcome)
            after.language += 1
            if after.language == len(request.language_codes):
                after.language, after.page = 0, None
            noted.items = msgspec.to_builtins(outcomes)
            noted.note = msgspec.to_builtins(after)
            total = max(done, step.total * len(request.language_codes))
            noted.progress = Progress(done, total)
        if cancelled is not None:
            raise cancelled
        return after

    def _limit(
        self, project: Project, request: TranslateRequest, step: RunStep
    ) -> Limit | None:
        """Return what the next calls may cost."""
        limits = [self._budgets.limit(project)]
        if request.max_cost is not None:
            left = Decimal(request.max_cost) - Decimal(step.result.cost)
            limits.append(Limit(left, "it may cost more than is left of maxCost"))
        return min((each for each in limits if each is not None), default=None)

    def _select(self, job: StoredJob, params: RunParams, step: RunStep) -> None:
        """Set the next page of keys."""
        engines = [self._translators[name] for name in params.providers.values()]
        size = min(KEYS_PER_PAGE, *(each.describe().most_items for each in engines))
        ids = params.request.key_ids
        if ids is not None:
            left = [id_ for id_ in ids if step.after is None or id_ > step.after[1]]
            step.page, step.total = left[:size], len(ids)
            step.is_over = len(left) <= size
            step.after = ("", step.page[-1]) if step.page else None
            return
        with self._storage.snapshot():
            scope = self._scope(job, params)
            languages = self._storage.projects.list_languages(scope.project.id)
            codes = [each.language_code for each in languages]
            checks = self._checks.shown(scope.project)
            found = store_of(self._storage, scope).list_keys(
                scope.project.id,
                filter_of(params.request.filter.query(), codes, checks),
                "key",
                limit=size,
                after=None if step.after is None else Position(*step.after),
            )
        keys = found.items
        step.page = [key.id for key in keys]
        step.total = found.total
        step.is_over = len(keys) < size
        step.after = (keys[-1].key, keys[-1].id) if keys else step.after

    def _scope(self, job: StoredJob, params: RunParams) -> BranchScope:
        project = get_record(self._storage.projects, job.project_id, ProjectNotFound)
        return self._branches.scope(project, params.branch)

    def _may_write(self, job: StoredJob, scope: BranchScope) -> Caller:
        """Return the caller, with the present permissions. Raise PermissionDenied,
        BranchProtected, BranchNotOpen."""
        caller, where = self._renewed(job.caller), scope_of(scope.project)
        caller = self._access.require_still(caller, where, PERMISSION)
        require_writable(scope)
        return caller

    def _read(
        self, job: StoredJob, params: RunParams, ids: Sequence[str], code: str
    ) -> _Page:
        """Return what is to be translated of keys. Raise what ``_may_write`` does:
        before an engine is paid."""
        request = params.request
        with self._storage.snapshot():
            scope = self._scope(job, params)
            caller, project = self._may_write(job, scope), scope.project
            languages = self._storage.projects.list_languages(project.id)
            codes = [each.language_code for each in languages]
            why = None
            if code not in codes:
                why = LanguageNotInProject.code
            elif not self._access.may_write_language(caller, scope_of(project), code):
                why = LanguageNotAssigned.code
            if why is not None:
                return _Page(
                    scope,
                    [RunOutcome(id_, None, code, None, "failed", why) for id_ in ids],
                )
            [language] = [each for each in languages if each.language_code == code]
            states = states_of(store_of(self._storage, scope), project.id, ids)
            page = _Page(scope, [])
            page.entries += [
                RunOutcome(id_, None, code, None, "skipped", "key_not_found")
                for id_ in ids
                if id_ not in states
            ]
            terms = None
            if uses_glossary(project, request.use_glossary):
                terms = self._terms.of_project(project.id)
            chosen = [states[id_] for id_ in ids if id_ in states]
            source_language = project.source_language
            sources = [_source_text(each, source_language) for each in chosen]
            for at, state in enumerate(chosen):
                neighbours = (*sources[max(0, at - 1) : at], *sources[at + 1 : at + 2])
                for entry in _entries(state, request, source_language, language):
                    page.entries.append(entry)
                    if isinstance(entry, Target):
                        _set_unit(entry, language, terms, neighbours)
        if request.use_tm:
            self._take_matches(page, code)
        return page

    def _take_matches(self, page: _Page, code: str) -> None:
        """Take texts that match wholly from memories, and show engines the others.

        One that checks object to, or of another plural form, is only shown.
        """
        source = page.scope.project.source_language
        asked = {
            id(target): Question(
                target.source, context_of(target.state.key.key, target.form)
            )
            for target in page.targets
            if len(target.source) <= TEXT_LENGTH
        }
        found = self._matching.find(
            page.scope.project,
            sorted(set(asked.values())),
            [code],
            least=LEAST_MATCH,
            only_approved=True,
        )
        for target in page.targets:
            question = asked.get(id(target))
            matches = found.get(question, {}).get(code, []) if question else []
            best = matches[0] if matches else None
            own = _sources(target.state, source).get(target.form)
            if (
                best is not None
                and best.match_percentage == 100
                and own == target.source
                and self._is_whole(target, best.value, code, source)
            ):
                target.match = best.value
                target.unit = target.failure = None
            elif target.unit is not None:
                hints = tuple(
                    MatchHint(each.source_text, each.value, each.match_percentage)
                    for each in matches[:MATCHES_SHOWN]
                )
                target.unit.context = replace(target.unit.context, matches=hints)

    def _is_whole(
        self, target: Target, text: str, code: str, source_language: str
    ) -> bool:
        """Return whether a text has the placeholders, tags and branches that its source
        has."""
        subject = Subject(
            target.state.key.key,
            code,
            {target.form: text},
            source_language,
            {target.form: target.source},
            is_plural=target.state.key.is_plural,
            format_flags=target.state.key.format_flags,
        )
        return not self._checks.findings(subject, WHOLE)

    def _write(
        self,
        job: StoredJob,
        params: RunParams,
        translator: Translator,
        page: _Page,
        code: str,
        cost: Decimal,
    ) -> None:
        """Write what was translated, unless somebody changed the key meanwhile."""
        scope = self._scope(job, params)
        caller, project = self._may_write(job, scope), scope.project
        done = [each for each in page.targets if each.text is not None]
        languages = self._storage.projects.list_languages(project.id)
        for origin in ("tm", "ai"):
            ids = {each.state.key.id for each in done if each.origin == origin}
            if not ids:
                continue
            loaded = self._writer.load(scope, ids, ())
            by_key: dict[str, list[Target]] = {}
            for target in done:
                if target.origin != origin:
                    continue
                id_ = target.state.key.id
                key = loaded.key(id_)
                if key is not None:
                    now = KeyState(key, (*loaded.values(id_).values(),))
                    if not _changed(target, now, code, project.source_language):
                        by_key.setdefault(id_, []).append(target)
                        continue
                target.failure = ("changed_meanwhile", "")
            some = list(by_key.values())
            writes = [_key_write(each, code) for each in some]
            written = self._writer.write_each(
                caller, scope, languages, writes, origin=origin, loaded=loaded
            )
            for targets, outcome in zip(some, written, strict=True):
                if isinstance(outcome, LocError):
                    for target in targets:
                        target.failure = (outcome.code, outcome.message)
        info, total = translator.describe(), sum(_length(each) for each in done)
        details = []
        for each in done:
            if each.failure is not None:
                continue
            share = cost * _length(each) / total if total else cost
            made = Provenance(
                info.id,
                info.model,
                job.job.id,
                each.unit.prompt_hash if each.unit else "",
                plain(share.quantize(SHARE)),
            )
            more = {"textHash": text_hash(each.text), "origin": each.origin}
            detail = msgspec.to_builtins(made) | more
            place = each.state.key.id, each.form or "", code
            details.append(FileDetail(project.id, PROVENANCE, *place, detail))
        store_of(self._storage, scope).put_details(details)


def instructions_for(project: Project, language_code: str, more: str) -> str:
    """Return what an engine is told: the instructions of the project, those for the
    language, and those of who asks."""
    own = project.ai.language_instructions.get(language_code, "")
    parts = (project.ai.instructions, own, more)
    return "\n".join(part.strip() for part in parts if part.strip())


def uses_glossary(project: Project, asked: bool | None) -> bool:
    """Return whether glossaries are used; None: as the project's settings say."""
    return project.ai.use_glossary if asked is None else asked


def _length(target: Target) -> int:
    return target.unit.length if target.unit else 0


def _copy(step: RunStep) -> RunStep:
    return msgspec.convert(msgspec.to_builtins(step), RunStep)


def _rows(state: KeyState, language_code: str) -> dict[str | None, StoredValue]:
    return {
        row.plural_form: row
        for row in state.values
        if row.language_code == language_code
    }


def _sources(state: KeyState, source_language: str) -> dict[str | None, str]:
    """Return the source texts by plural form: approved ones, else the newest."""
    rows = _rows(state, source_language)
    texts = {
        form: row.value if row.approved_value is None else row.approved_value
        for form, row in rows.items()
    }
    return {form: text for form, text in texts.items() if text.strip()}


def _source_text(state: KeyState, source_language: str) -> str:
    texts = _sources(state, source_language)
    return texts.get("other") or next(iter(texts.values()), "")


def sources_for(
    state: KeyState, source_language: str, language: Language
) -> dict[str | None, str]:
    """Return the source text of each form that a key has in a language; "" for none.

    That of ``one`` may lack its number ("One file"). Where the form stands for other
    numbers too, as in Russian, the text of ``other`` is taken.
    """
    sources = _sources(state, source_language)
    other = sources.get("other") or sources.get(None) or ""
    if not state.key.is_plural:
        return {None: other}
    examples = plural_examples(language.language_code)
    found: dict[str | None, str] = {}
    for form in language.plural_forms:
        text = sources.get(form) or other
        is_exact = len(examples.get(form, ())) == 1
        if not is_exact and len(placeholders(text)) < len(placeholders(other)):
            text = other
        found[form] = text
    return found


def _entries(
    state: KeyState, request: TranslateRequest, source_language: str, language: Language
) -> Iterator[Target | RunOutcome]:
    """Yield the texts of a key to translate, and those that are skipped."""
    code = language.language_code
    there = _rows(state, code)
    for form, source in sources_for(state, source_language, language).items():
        row = there.get(form)
        reason = _reason_to_skip(row, request) if source else "no_source"
        if reason is None:
            yield Target(state, form, source, row)
        else:
            id_, name = state.key.id, state.key.key
            yield RunOutcome(id_, name, code, form, "skipped", reason)


def _set_unit(
    target: Target,
    language: Language,
    terms: ProjectTerms | None,
    neighbours: tuple[str, ...],
) -> None:
    """Set what an engine is asked for, or why it is not."""
    key, source, form = target.state.key, target.source, target.form
    try:
        target.unit = unit_of(
            source, form, language, terms, key=key, neighbours=neighbours
        )
    except UnreadableMessage as unreadable:
        target.failure = "unreadable_source", str(unreadable)


def _reason_to_skip(row: StoredValue | None, request: TranslateRequest) -> str | None:
    if row is None or not row.value:
        return "not_outdated" if request.only_outdated else None
    if request.only_outdated and not row.is_outdated:
        return "not_outdated"
    if row.status == "pending_review" and not request.overwrite_pending:
        return "pending_review"
    if request.only_missing and not request.only_outdated:
        return "has_text"
    if row.status == "approved" and not row.is_outdated:
        return "approved"
    return None


def _term_hints(
    terms: ProjectTerms | None, source: str, code: str
) -> list[tuple[TermHint, bool]]:
    """Return what the glossaries say of a text, and which terms must stay."""
    found: dict[TermHint, bool] = {}
    for place in terms.find(source) if terms else ():
        term = terms.term(place.id)  # type: ignore[union-attr]
        translations = [
            each.values[term.id]
            for each in terms.in_language(code)  # type: ignore[union-attr]
            if term.id in each.values
        ]
        stays = term.do_not_translate
        hint = TermHint(
            source[place.start : place.end] if stays else term.term,
            None if stays or not translations else translations[0],
            term.usage_status == "forbidden",
        )
        found[hint] = stays
    return list(found.items())


def unit_of(
    source: str,
    form: str | None,
    language: Language,
    terms: ProjectTerms | None,
    *,
    key: StoredKey | None = None,
    neighbours: tuple[str, ...] = (),
) -> Unit:
    """Return what an engine is asked for. Raises UnreadableMessage."""
    code = language.language_code
    examples = plural_examples(code)
    numbers = examples.get(form or "")
    hints = _term_hints(terms, source, code)
    message = take_apart(
        source,
        {each: len(examples.get(each, ())) == 1 for each in language.plural_forms},
        terms=[hint.term for hint, stays in hints if stays],
        flags=() if key is None else key.format_flags,
    )
    context = TranslationItem(
        message=source,
        key="" if key is None else key.key,
        description="" if key is None else key.description,
        plural_form=form,
        example=numbers[0] if numbers else None,
        max_length=None if key is None else key.max_length,
        terms=tuple(hint for hint, _ in hints),
        neighbours=neighbours,
    )
    return Unit(message, context)


def _changed(target: Target, now: KeyState, code: str, source_language: str) -> bool:
    """Return whether somebody changed the text, or its source, since it was read."""
    before = target.state
    return _rows(now, code).get(target.form) != target.there or _sources(
        now, source_language
    ) != _sources(before, source_language)


def _key_write(targets: Sequence[Target], code: str) -> KeyWrite:
    key = targets[0].state.key
    texts = {each.form: each.text or "" for each in targets}
    value: Text = (
        {str(form): text for form, text in texts.items()}
        if key.is_plural
        else texts[None]
    )
    return KeyWrite(name=key.key, key_id=key.id, values={code: value})


def _outcome(target: Target, code: str) -> RunOutcome:
    key = target.state.key
    failure = target.failure or (target.unit.failure if target.unit else None)
    if failure is None:
        return RunOutcome(
            key.id, key.key, code, target.form, "translated", origin=target.origin
        )
    reason, message = failure
    kind: OutcomeKind = "skipped" if reason == "changed_meanwhile" else "failed"
    return RunOutcome(
        key.id,
        key.key,
        code,
        target.form,
        kind,
        reason,
        message[:REASON_LENGTH] or None,
    )

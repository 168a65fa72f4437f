"""What one can do with machine translation: run it, ask for one text, see what came."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from threading import BoundedSemaphore

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import Branches, require_writable
from locframework.errors import (
    JobNotFound,
    KeyNotFound,
    LanguageNotInProject,
    Unavailable,
    ValidationFailed,
)
from locframework.glossaries.matching import TermCache
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.keys.branch_copies import states_of
from locframework.keys.query import filter_of
from locframework.keys.records import KeyState, StoredKey
from locframework.keys.store import store_of
from locframework.languages import require_tag
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.rules import require_provider
from locframework.projects.service import Languages, Projects, scope_of
from locframework.validation import check_record

from .engine import Engine
from .messages import UnreadableMessage
from .quality import quality_of
from .records import (
    Budget,
    MonthsQuery,
    MonthUsage,
    ProviderQuality,
    RunOutcome,
    RunParams,
    Suggestion,
    SuggestRequest,
    TranslateRequest,
    UsageAnswer,
    plain,
)
from .run import (
    JOB_TYPE,
    PERMISSION,
    RunStorage,
    instructions_for,
    sources_for,
    unit_of,
    uses_glossary,
)
from .translator import Translator, TranslatorInfo
from .usage import AiUsage, Budgets, Reservation, add_up

SUGGEST = "ai_suggest"
SUGGEST_SECONDS = 20.0


@dataclass(eq=False, repr=False)
class MachineTranslation:
    """Starts runs, and asks engines for single texts. ``at_once``: how many such
    questions wait for an engine at a time."""

    _storage: RunStorage
    _access: Access
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _jobs: Jobs
    _terms: TermCache
    _translators: Mapping[str, Translator]
    _default: str
    _budgets: Budgets
    at_once: int = 1
    _free: BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        self._free = BoundedSemaphore(self.at_once)

    def list_providers(self, caller: Caller, project_id: str) -> list[TranslatorInfo]:
        """Return the engines that are there, the default one first. Raises
        ProjectNotFound."""
        project = self._projects.require(caller, SUGGEST, project_id)
        default = project.ai.provider or self._default
        found = [each.describe() for each in self._translators.values()]
        return sorted(found, key=lambda each: (each.id != default, each.id))

    def start_run(
        self,
        caller: Caller,
        project_id: str,
        request: TranslateRequest,
        *,
        branch: str | None = None,
    ) -> Job:
        """Queue a run; needs ai_run and the languages. Raise ProjectNotFound,
        ValidationFailed, UnknownProvider, LanguageNotInProject, LanguageNotAssigned,
        BranchNotFound, BranchNotOpen, BranchProtected."""
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(request)
        if request.key_ids is not None and request.filter != type(request.filter)():
            message = "must be left out when there are keyIds"
            raise ValidationFailed.at("$.filter", "choice", message)
        languages = self._languages.of(project)
        there = [language.language_code for language in languages]
        filter_of(request.filter.query(), there, (), "$.filter")
        codes: dict[str, str] = {}  # the engine of each
        for at, code in enumerate(request.language_codes):
            path = f"$.languageCodes[{at}]"
            tag = self._target(project, there, code, path)
            codes[tag] = self._translator(project, tag, request.provider, path).name
        scope = self._branches.scope(project, branch)
        for code in codes:
            self._access.require_language(caller, scope_of(project), code)
        require_writable(scope)
        keys = request.key_ids
        request = replace(
            request,
            language_codes=list(codes),
            key_ids=None if keys is None else sorted(set(keys)),
        )
        params = RunParams(request, codes, scope.branch_id)
        with self._storage.transaction():
            return self._jobs.start(
                caller, project, JOB_TYPE, PERMISSION, msgspec.to_builtins(params)
            )

    def list_outcomes(
        self,
        caller: Caller,
        project_id: str,
        job_id: str,
        page: PageRequest = PageRequest(),
    ) -> Page[RunOutcome]:
        """Return a page of what came of the texts of a run, language by language, in
        the order of keys. Raises ProjectNotFound, JobNotFound."""
        check_record(page, "query")
        job = self._jobs.get_job(caller, project_id, job_id)
        if job.type != JOB_TYPE:
            raise JobNotFound
        found = self._jobs.page_of_items(job, page)
        items = [msgspec.convert(each, RunOutcome) for each in found.items]
        return Page(items, found.total, found.page, found.limit)

    def get_usage(
        self, caller: Caller, project_id: str, query: MonthsQuery = MonthsQuery()
    ) -> UsageAnswer:
        """Return what engines cost by month, the newest first, and what is left of the
        budgets; needs ai_run. Raises ProjectNotFound, ValidationFailed."""
        project = self._projects.require(caller, PERMISSION, project_id)
        with self._storage.snapshot():
            usage = [
                MonthUsage(
                    each.month,
                    each.provider,
                    each.language_code,
                    each.translated,
                    plain(each.cost),
                )
                for each in self._usage_of(project, query)
            ]
            limit, spent = self._budgets.limit(project), self._budgets.spent(project)
        left = None if limit is None else plain(max(limit.left, Decimal(0)))
        own = project.ai.monthly_budget
        return UsageAnswer(
            usage, Budget(self._budgets.month(), plain(spent), own, left)
        )

    def get_quality(
        self, caller: Caller, project_id: str, query: MonthsQuery = MonthsQuery()
    ) -> list[ProviderQuality]:
        """Return what reviewers did with the texts of each engine and language, in
        their order; needs ai_run. Raises ProjectNotFound, ValidationFailed."""
        project = self._projects.require(caller, PERMISSION, project_id)
        sums: dict[tuple[str, str], AiUsage] = {}
        for each in self._usage_of(project, query):
            place = each.provider, each.language_code
            sums[place] = add_up(sums[place], each) if place in sums else each
        return [quality_of(sums[place]) for place in sorted(sums)]

    def _usage_of(self, project: Project, query: MonthsQuery) -> list[AiUsage]:
        check_record(query, "query")
        last = query.last or self._budgets.month()
        first = query.first or f"{int(last[:4]) - 1:04}{last[4:]}"
        return self._storage.ai_usage.usage_of_project(project.id, first, last)

    def suggest(
        self,
        caller: Caller,
        project_id: str,
        request: SuggestRequest,
        *,
        branch: str | None = None,
    ) -> Suggestion:
        """Return an engine's translation of a key or a text; nothing is stored. Needs
        ai_suggest, and translation_read for a key. Raise ProjectNotFound, KeyNotFound,
        ValidationFailed, UnknownProvider, LanguageNotInProject, and Unavailable if the
        engine fails, or others wait."""
        project = self._projects.require(caller, SUGGEST, project_id)
        if request.key_id is not None:
            self._projects.require_also(caller, "translation_read", project)
        check_record(request)
        if (request.key_id is None) == (request.text is None):
            message = "give keyId or text, and not both"
            raise ValidationFailed.at("$.text", "choice", message)
        languages = self._languages.of(project)
        there = [language.language_code for language in languages]
        path = "$.languageCode"
        code = self._target(project, there, request.language_code, path)
        translator = self._translator(project, code, request.provider, path)
        [language] = [each for each in languages if each.language_code == code]
        with self._storage.snapshot():
            terms = None
            if uses_glossary(project, request.use_glossary):
                terms = self._terms.of_project(project.id)
            key: StoredKey | None = None
            sources: dict[str | None, str] = {None: request.text or ""}
            if request.key_id is not None:
                state = self._state(project, request.key_id, branch)
                key = state.key
                sources = sources_for(state, project.source_language, language)
            if not any(source.strip() for source in sources.values()):
                path = "$.text" if request.key_id is None else "$.keyId"
                raise ValidationFailed.at(path, "length", "has no text to translate")
            try:
                units = {
                    form: unit_of(source, form, language, terms, key=key)
                    for form, source in sources.items()
                }
            except UnreadableMessage as unreadable:
                message = f"the source text cannot be read: {unreadable}"
                raise ValidationFailed.at("$", "message", message) from None
        engine = Engine(
            translator,
            project.source_language,
            code,
            instructions_for(project, code, request.instructions),
            None,
        )
        reserved = Reservation(
            self._budgets, self._storage, project, translator.name, code
        )

        def reserve(cost: Decimal) -> None:
            with self._storage.transaction():
                self._projects.lock(project)
                reserved.raise_to(cost)

        if not self._free.acquire(blocking=False):
            error = Unavailable("others wait for suggestions; try again")
            error.retry_after_seconds = 2
            raise error
        try:
            every = list(units.values())
            if cost := engine.reserve(every):
                reserve(cost)
            engine.translate(
                every,
                lambda: None,
                reserve=reserve,
                within=SUGGEST_SECONDS,
                attempts=1,
            )
        finally:
            self._free.release()
        if reserved.amount != engine.cost:
            with self._storage.transaction():
                self._projects.lock(project)
                reserved.settle(engine.cost)
        for unit in every:
            if unit.failure is not None:
                message = f"{translator.name} gave no translation: {unit.failure[1]}"
                raise Unavailable(message)
        texts = {form: unit.text or "" for form, unit in units.items()}
        value = {str(form): text for form, text in texts.items()}
        is_plural = key is not None and key.is_plural
        return Suggestion(
            value if is_plural else texts[None], translator.name, plain(engine.cost)
        )

    def _state(self, project: Project, key_id: str, branch: str | None) -> KeyState:
        scope = self._branches.scope(project, branch)
        states = states_of(store_of(self._storage, scope), project.id, [key_id])
        if key_id not in states:
            raise KeyNotFound
        return states[key_id]

    def _translator(
        self, project: Project, tag: str, name: str | None, path: str
    ) -> Translator:
        """Return the engine for a language: the one that is asked for, else the
        project's for the language, else the project's, else that of the setting."""
        own = project.ai.providers.get(tag) or project.ai.provider
        name = name or own or self._default
        require_provider(name, self._translators)
        found = self._translators[name]
        if not found.describe().translates(project.source_language, tag):
            message = f"{name} does not translate {project.source_language} into {tag}"
            raise ValidationFailed.at(path, "language", message)
        return found

    @staticmethod
    def _target(project: Project, there: list[str], code: str, path: str) -> str:
        """Return the canonical code of a language of the project, to translate into."""
        tag = require_tag(code, path)
        if tag not in there:
            raise LanguageNotInProject(f"the project has no language {tag}")
        if tag == project.source_language:
            message = f"{tag} is the source language"
            raise ValidationFailed.at(path, "language", message)
        return tag

"""Languages of projects: add, read, change and remove them."""

from collections.abc import Sequence

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import (
    BranchProtected,
    LanguageExists,
    LanguageNotFound,
    SourceLanguageRequired,
)
from locframework.events import EventLog
from locframework.fields import Clock, Timestamp, timestamp
from locframework.languages import require_tag, tag_from_path
from locframework.pagination import Page, PageRequest
from locframework.transactions import Transactions
from locframework.validation import check_record

from .records import Language, LanguageChanges, NewLanguage, Project
from .rules import (
    changed_fields,
    check_fallback,
    in_order,
    language_fields,
    new_language,
)
from .service import Projects
from .store import ProjectStore

CACHED_PROJECTS = 1000  # whose languages a process keeps

_PROTECTED = (
    "main is protected, and a language is removed with all its texts; "
    "set mainProtected to false first"
)


class Languages:
    """The languages of projects, in the order in which they were added."""

    def __init__(
        self,
        store: ProjectStore,
        transactions: Transactions,
        projects: Projects,
        events: EventLog,
        clock: Clock,
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._projects = projects
        self._events = events
        self._clock = clock
        self._cached: dict[str, tuple[Timestamp, Sequence[Language]]] = {}

    def list_languages(self, caller: Caller, project_id: str) -> list[Language]:
        """List all, in project order. Raises ProjectNotFound, PermissionDenied."""
        project = self._projects.require(caller, "project_read", project_id)
        return self.of(project)

    def page_of_languages(
        self, caller: Caller, project_id: str, page: PageRequest
    ) -> Page[Language]:
        """List a page, in project order or sorted as a LanguageQuery asks."""
        check_record(page, "query")
        found = in_order(self.list_languages(caller, project_id), page)
        part = found[page.offset : page.offset + page.limit]
        return Page(part, len(found), page.page, page.limit)

    def of(self, project: Project) -> list[Language]:
        """Return the languages of a project that the caller may see, in their order.

        Each change of them changes ``updated_at`` of the project, so those of a version
        are read once.
        """
        version, languages = self._cached.get(project.id, ("", ()))
        if version != project.updated_at:
            languages = self._store.list_languages(project.id)
            if len(self._cached) >= CACHED_PROJECTS:
                self._cached.clear()
            self._cached[project.id] = project.updated_at, languages
        return list(languages)

    def get_language(self, caller: Caller, project_id: str, lang: str) -> Language:
        """Return a language. ``lang`` may end in a file extension.

        Raises LanguageNotFound.
        """
        project = self._projects.require(caller, "project_read", project_id)
        return self._find(project, lang)

    def add_language(
        self, caller: Caller, project_id: str, new: NewLanguage
    ) -> Language:
        """Add a language; what ``new`` leaves out comes from CLDR.

        Raises LanguageExists, LanguageNotInProject (fallback), ValidationFailed.
        """
        project = self._projects.require(caller, "language_manage", project_id)
        check_record(new)
        tag = require_tag(new.language_code, "$.languageCode")
        with self._transactions.transaction():
            project = self._projects.lock(project)
            others = self._fallbacks(project)
            language = new_language(project.id, tag, new, timestamp(self._clock()))
            check_fallback(tag, language.fallback_language_code, others)
            if tag in others:
                raise LanguageExists(f"the project has the language {tag} already")
            self._store.languages.insert(language)
            self._emit("language.added", caller, project, language)
        return language

    def update_language(
        self, caller: Caller, project_id: str, lang: str, changes: LanguageChanges
    ) -> Language:
        """Change a language.

        Raises LanguageNotFound, LanguageNotInProject, ValidationFailed.
        """
        project = self._projects.require(caller, "language_manage", project_id)
        check_record(changes)
        values = language_fields(changes)
        with self._transactions.transaction():
            project = self._projects.lock(project)
            old = self._find(project, lang)
            new = replace(old, **values)
            fallback = new.fallback_language_code
            check_fallback(old.language_code, fallback, self._fallbacks(project))
            fields = changed_fields(old, new)
            if fields:
                self._store.languages.update(new)
                self._emit("language.updated", caller, project, new, fields=fields)
        return new

    def remove_language(self, caller: Caller, project_id: str, lang: str) -> Language:
        """Remove a language with its values.

        Its fallback becomes that of languages that fell back to it. Raises
        LanguageNotFound, SourceLanguageRequired, and BranchProtected, because its texts
        would be deleted from main without a review.
        """
        project = self._projects.require(caller, "language_manage", project_id)
        with self._transactions.transaction():
            project = self._projects.lock(project)
            gone = self._find(project, lang)
            if gone.is_source:
                message = f"{gone.language_code} is the source language"
                raise SourceLanguageRequired(message)
            if project.main_protected:
                raise BranchProtected(_PROTECTED)
            for other in self.of(project):
                if other.fallback_language_code == gone.language_code:
                    fallback = gone.fallback_language_code
                    new = replace(other, fallback_language_code=fallback)
                    self._store.languages.update(new)
                    fields = changed_fields(other, new)
                    self._emit("language.updated", caller, project, new, fields=fields)
            self._store.languages.delete(gone.id, timestamp(self._clock()))
            self._emit("language.removed", caller, project, gone)
        return gone

    def _find(self, project: Project, lang: str) -> Language:
        tag = tag_from_path(lang)
        for language in self.of(project):
            if language.language_code == tag:
                return language
        raise LanguageNotFound

    def _fallbacks(self, project: Project) -> dict[str, str | None]:
        return {
            language.language_code: language.fallback_language_code
            for language in self.of(project)
        }

    def _emit(
        self,
        type_: str,
        caller: Caller,
        project: Project,
        language: Language,
        **more: object,
    ) -> None:
        self._projects.touch(project)
        self._events.append(
            type_,
            organization_id=project.organization_id,
            project_id=project.id,
            actor=caller.actor,
            items=[
                {
                    "languageId": language.id,
                    "languageCode": language.language_code,
                    **more,
                }
            ],
        )

"""Projects: create, read, change and delete them, and manage their tokens."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller, NewToken, Scope, Token
from locframework.access.rules import check_name
from locframework.access.service import Access
from locframework.access.tokens import Tokens
from locframework.errors import (
    BranchProtected,
    LanguageExists,
    LanguageNotFound,
    LanguageNotInProject,
    ProjectNotFound,
    SeparatorFixed,
    SourceLanguageRequired,
)
from locframework.events import EventLog
from locframework.fields import (
    Clock,
    Timestamp,
    new_id,
    slug,
    timestamp,
    timestamp_after,
)
from locframework.languages import require_tag, tag_from_path
from locframework.pagination import Page, PageRequest, page_of
from locframework.transactions import Transactions, get_record
from locframework.validation import check_record, given_fields

from .records import (
    AiSettings,
    Language,
    LanguageChanges,
    NewLanguage,
    NewProject,
    Project,
    ProjectChanges,
)
from .rules import (
    changed_ai,
    changed_fields,
    check_fallback,
    language_fields,
    new_language,
    require_checks,
)
from .store import ProjectStore


@dataclass(eq=False, repr=False)
class Projects:
    """Projects. ``require`` is how everything below a project begins."""

    _store: ProjectStore
    _transactions: Transactions
    _access: Access
    _tokens: Tokens
    _events: EventLog
    _clock: Clock
    _checks: Collection[str]  # names that a project may use, sorted
    _translators: Collection[str]  # the engines that it may use

    def require(self, caller: Caller, permission: str, reference: str) -> Project:
        """Return the project, by id or slug. Raises PermissionDenied, and
        ProjectNotFound also for one that the caller cannot see."""
        project = get_record(self._store, reference, ProjectNotFound)
        self._access.require(caller, permission, scope_of(project), ProjectNotFound)
        return project

    def require_also(self, caller: Caller, permission: str, project: Project) -> None:
        """Raise PermissionDenied if the caller lacks one more permission there."""
        self._access.require(caller, permission, scope_of(project), ProjectNotFound)

    def visible(self, caller: Caller, reference: str) -> Project:
        """Return the project for a caller with any permission; else ProjectNotFound."""
        project = get_record(self._store, reference, ProjectNotFound)
        if not self._access.sees(caller, scope_of(project)):
            raise ProjectNotFound
        return project

    def seen_id(self, caller: Caller, reference: str | None) -> str | None:
        """Return the id of a project that a list is filtered by, or None."""
        return None if reference is None else self.visible(caller, reference).id

    def lock(self, project: Project) -> Project:
        """Lock the project in a transaction, and return it as it is now."""
        found = self._store.lock(project.id)
        if found is None:
            raise ProjectNotFound
        return found

    def touch(self, project: Project) -> None:
        """Set ``updatedAt``, in the transaction that changes a language of it."""
        now = timestamp_after(self._clock(), project.updated_at)
        self._store.update(replace(project, updated_at=now))

    def create_project(self, caller: Caller, new: NewProject) -> Project:
        """Create a project with its source language. Raises OrganizationNotFound,
        PermissionDenied, ValidationFailed, NameExists."""
        reference = self._access.default_organization(caller, new.organization_id)
        organization = self._access.require_organization(
            caller, "project_create", reference
        )
        check_record(new)
        tag = require_tag(new.source_language, "$.sourceLanguage")
        require_checks(new.blocking_checks, self._checks, "blockingChecks")
        require_checks(new.check_severities, self._checks, "checkSeverities")
        require_checks(new.disabled_checks, self._checks, "disabledChecks")
        id_, now, name = new_id(), timestamp(self._clock()), check_name(new.name)
        project = Project(
            id=id_,
            slug=slug(name, id_),
            organization_id=organization.id,
            name=name,
            description=new.description,
            source_language=tag,
            key_separator=new.key_separator,
            main_protected=new.main_protected,
            tm_enabled=new.tm_enabled,
            blocking_checks=tuple(dict.fromkeys(new.blocking_checks)),
            check_severities=new.check_severities,
            disabled_checks=tuple(dict.fromkeys(new.disabled_checks)),
            ai=AiSettings(),
            key_count=0,
            created_at=now,
            updated_at=now,
        )
        source = new_language(id_, tag, NewLanguage(tag), now, is_source=True)
        with self._transactions.transaction():
            self._store.insert(project)
            self._store.languages.insert(source)
        return project

    def list_projects(
        self, caller: Caller, page: PageRequest = PageRequest()
    ) -> Page[Project]:
        """List the projects that the caller may read, by name."""
        check_record(page, "query")
        scopes = self._access.scopes(caller, "project_read")
        return self._store.list_projects(scopes, page)

    def get_project(self, caller: Caller, reference: str) -> Project:
        """Return a project. Raises ProjectNotFound, PermissionDenied."""
        return self.require(caller, "project_read", reference)

    def update_project(
        self, caller: Caller, reference: str, changes: ProjectChanges
    ) -> Project:
        """Change a project. Raises ProjectNotFound, PermissionDenied,
        LanguageNotInProject, UnknownProvider, SeparatorFixed (decisions 2.6),
        MemoriesAssigned and NameExists."""
        found = self.require(caller, "project_update", reference)
        check_record(changes)
        with self._transactions.transaction():
            old = self.lock(found)
            new = self._changed(old, changes)
            if new is old:
                return old
            if new.source_language != old.source_language:
                self._move_source(old, new.source_language)
            moves = new.key_separator != old.key_separator
            if moves and self._store.has_keys(old.id):
                raise SeparatorFixed("the key separator is fixed once keys exist")
            self._store.update(new)
            self._events.append(
                "project.updated",
                organization_id=new.organization_id,
                project_id=new.id,
                actor=caller.actor,
                items=[{"projectId": new.id, "fields": changed_fields(old, new)}],
            )
        return new

    def delete_project(self, caller: Caller, reference: str) -> Project:
        """Delete the project with everything in it."""
        project = self.require(caller, "project_delete", reference)
        with self._transactions.transaction():
            self._store.delete(project.id, timestamp(self._clock()))
        return project

    def create_token(
        self, caller: Caller, reference: str, new: NewToken
    ) -> tuple[Token, str]:
        """Create a token of the project; return it and its text, shown only once."""
        project = self.require(caller, "token_manage", reference)
        return self._tokens.create_for_project(caller, scope_of(project), new)

    def list_tokens(
        self, caller: Caller, reference: str, page: PageRequest = PageRequest()
    ) -> Page[Token]:
        """List the project's valid tokens, newest first."""
        project = self.require(caller, "token_manage", reference)
        return self._tokens.list_of_project(project.id, page)

    def revoke_token(self, caller: Caller, reference: str, token_id: str) -> None:
        """Revoke a token of the project."""
        project = self.require(caller, "token_manage", reference)
        self._tokens.revoke_of_project(project.id, token_id)

    def _changed(self, old: Project, changes: ProjectChanges) -> Project:
        values = given_fields(changes)
        if changes.name is not UNSET:
            name = check_name(changes.name)
            values |= {"name": name, "slug": slug(name, old.id)}
        if changes.source_language is not UNSET:
            tag = require_tag(changes.source_language, "$.sourceLanguage")
            values["source_language"] = tag
        if changes.blocking_checks is not UNSET:
            names, kept = changes.blocking_checks, old.blocking_checks
            require_checks(names, self._checks, "blockingChecks", kept=kept)
            values["blocking_checks"] = tuple(dict.fromkeys(names))
        if changes.check_severities is not UNSET:
            severities, there = changes.check_severities, old.check_severities
            require_checks(severities, self._checks, "checkSeverities", kept=there)
        if changes.disabled_checks is not UNSET:
            names, kept = changes.disabled_checks, old.disabled_checks
            require_checks(names, self._checks, "disabledChecks", kept=kept)
            values["disabled_checks"] = tuple(dict.fromkeys(names))
        if changes.ai is not UNSET:
            languages = self._store.list_languages(old.id)
            codes = [language.language_code for language in languages]
            values["ai"] = changed_ai(old.ai, changes.ai, codes, self._translators)
        new = replace(old, **values)
        if new == old:
            return old
        return replace(new, updated_at=timestamp_after(self._clock(), old.updated_at))

    def _move_source(self, project: Project, tag: str) -> None:
        languages = self._store.list_languages(project.id)
        if tag not in {language.language_code for language in languages}:
            raise LanguageNotInProject(f"the project has no language {tag!r}")
        for language in languages:
            is_source = language.language_code == tag
            if is_source != language.is_source:
                self._store.languages.update(replace(language, is_source=is_source))


def scope_of(project: Project) -> Scope:
    """Return the scope of a project, for checks of permissions."""
    return Scope(project.organization_id, project.id)


CACHED_PROJECTS = 1000  # whose languages a process keeps

_PROTECTED = (
    "main is protected, and a language is removed with all its texts; "
    "set mainProtected to false first"
)


@dataclass(eq=False, repr=False)
class Languages:
    """The languages of projects, in the order in which they were added."""

    _store: ProjectStore
    _transactions: Transactions
    _projects: Projects
    _events: EventLog
    _clock: Clock

    def __post_init__(self) -> None:
        self._cached: dict[str, tuple[Timestamp, Sequence[Language]]] = {}

    def list_languages(self, caller: Caller, project_id: str) -> list[Language]:
        """List all, in project order. Raises ProjectNotFound, PermissionDenied."""
        project = self._projects.require(caller, "project_read", project_id)
        return self.of(project)

    def page_of_languages(
        self, caller: Caller, project_id: str, page: PageRequest = PageRequest()
    ) -> Page[Language]:
        """List a page, in project order or sorted as a LanguageQuery asks."""
        check_record(page, "query")
        return page_of(self.list_languages(caller, project_id), page)

    def of(self, project: Project) -> list[Language]:
        """Return the languages of a project in their order. Each change sets its
        ``updated_at``, so those of a version are read once."""
        version, languages = self._cached.get(project.id, ("", ()))
        if version != project.updated_at:
            languages = self._store.list_languages(project.id)
            if len(self._cached) >= CACHED_PROJECTS:
                self._cached.clear()
            self._cached[project.id] = project.updated_at, languages
        return list(languages)

    def get_language(self, caller: Caller, project_id: str, lang: str) -> Language:
        """Return a language. ``lang`` may end in a file extension. Raises
        LanguageNotFound."""
        project = self._projects.require(caller, "project_read", project_id)
        return self._find(project, lang)

    def add_language(
        self, caller: Caller, project_id: str, new: NewLanguage
    ) -> Language:
        """Add a language; what ``new`` leaves out comes from CLDR. Raises
        LanguageExists, LanguageNotInProject (fallback), ValidationFailed."""
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
        """Change a language. Raises LanguageNotFound, LanguageNotInProject,
        ValidationFailed."""
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
        """Remove a language with its values; its fallback becomes that of languages
        that fell back to it. Raises LanguageNotFound, SourceLanguageRequired, and
        BranchProtected, because texts leave main without a review."""
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

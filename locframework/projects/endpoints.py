"""Projects, their languages and their tokens over HTTP."""

from functools import partial
from typing import Annotated

from locframework.access.endpoints import TokenAnswer
from locframework.access.records import Caller, NewToken, Token, TokenQuery
from locframework.errors import (
    BranchProtected,
    LanguageExists,
    LanguageNotAssigned,
    LanguageNotInProject,
    MemoriesAssigned,
    NameExists,
    OrganizationNotFound,
    SeparatorFixed,
    SourceLanguageRequired,
    UnknownPermission,
    UnknownProvider,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted, Wrapped
from locframework.pagination import Page

from .records import (
    Language,
    LanguageChanges,
    LanguageQuery,
    NewLanguage,
    NewProject,
    Project,
    ProjectChanges,
    ProjectQuery,
)
from .service import Languages, Projects

ProjectAnswer = Annotated[Project, Wrapped("project")]
LanguageAnswer = Annotated[Language, Wrapped("language")]

_ONE = "/projects/{projectId}"
_LANGUAGES = f"{_ONE}/languages"
_LANGUAGE = f"{_LANGUAGES}/{{lang}}"
_TOKENS = f"{_ONE}/tokens"
_read = partial(operation, permission="project_read")
_manage_languages = partial(operation, permission="language_manage", tag="Languages")
_manage_tokens = partial(operation, permission="token_manage", tag="Tokens")


class ProjectEndpoints:
    """Declares the operations of the projects area."""

    tag = "Projects"

    def __init__(self, projects: Projects, languages: Languages) -> None:
        self._projects = projects
        self._languages = languages

    @_read("GET", "/projects")
    def list_projects(self, caller: Caller, query: ProjectQuery) -> Page[Project]:
        """List the projects that the caller may read, by name."""
        return self._projects.list_projects(caller, query)

    @operation(
        "POST",
        "/projects",
        permission="project_create",
        status=201,
        errors=(OrganizationNotFound, NameExists),
    )
    def create_project(self, caller: Caller, body: NewProject) -> ProjectAnswer:
        """Create a project with its source language.

        `organizationId` may be left out by a caller with exactly one organization.
        """
        return self._projects.create_project(caller, body)

    @_read("GET", _ONE)
    def get_project(self, caller: Caller, project_id: str) -> ProjectAnswer:
        """Get a project."""
        return self._projects.get_project(caller, project_id)

    @operation(
        "PATCH",
        _ONE,
        permission="project_update",
        errors=(
            LanguageNotInProject,
            UnknownProvider,
            SeparatorFixed,
            MemoriesAssigned,
            NameExists,
        ),
        etag=True,
    )
    def update_project(
        self, caller: Caller, project_id: str, body: ProjectChanges
    ) -> ProjectAnswer:
        """Change a project.

        `keySeparator` is fixed once keys exist; `sourceLanguage` must be that of its
        memories. Members of `ai` that are left out stay.
        """
        return self._projects.update_project(caller, project_id, body)

    @operation("DELETE", _ONE, permission="project_delete")
    def delete_project(self, caller: Caller, project_id: str) -> Deleted:
        """Delete a project; its distributions answer 404 at once."""
        return Deleted(self._projects.delete_project(caller, project_id).id)

    @_read("GET", _LANGUAGES, tag="Languages")
    def list_languages(
        self, caller: Caller, project_id: str, query: LanguageQuery
    ) -> Page[Language]:
        """List the languages of a project, in the order in which they were added."""
        return self._languages.page_of_languages(caller, project_id, query)

    @_manage_languages(
        "POST", _LANGUAGES, status=201, errors=(LanguageNotInProject, LanguageExists)
    )
    def add_language(
        self, caller: Caller, project_id: str, body: NewLanguage
    ) -> LanguageAnswer:
        """Add a language to a project; what is left out comes from CLDR."""
        return self._languages.add_language(caller, project_id, body)

    @_read("GET", _LANGUAGE, tag="Languages")
    def get_language(
        self, caller: Caller, project_id: str, lang: str
    ) -> LanguageAnswer:
        """Get a language of a project."""
        return self._languages.get_language(caller, project_id, lang)

    @_manage_languages("PATCH", _LANGUAGE, errors=(LanguageNotInProject,), etag=True)
    def update_language(
        self, caller: Caller, project_id: str, lang: str, body: LanguageChanges
    ) -> LanguageAnswer:
        """Change a language of a project."""
        return self._languages.update_language(caller, project_id, lang, body)

    @_manage_languages(
        "DELETE", _LANGUAGE, errors=(SourceLanguageRequired, BranchProtected)
    )
    def remove_language(self, caller: Caller, project_id: str, lang: str) -> Deleted:
        """Remove a language with its values.

        Not the source language, and none while main is protected.
        """
        return Deleted(self._languages.remove_language(caller, project_id, lang).id)

    @_manage_tokens("GET", _TOKENS)
    def list_project_tokens(
        self, caller: Caller, project_id: str, query: TokenQuery
    ) -> Page[Token]:
        """List the project's tokens, newest first."""
        return self._projects.list_tokens(caller, project_id, query)

    @_manage_tokens(
        "POST",
        _TOKENS,
        status=201,
        secret=True,
        errors=(UnknownPermission, LanguageNotAssigned),
    )
    def create_project_token(
        self, caller: Caller, project_id: str, body: NewToken
    ) -> TokenAnswer:
        """Make a token bound to the project; `secret` is shown only this once."""
        return TokenAnswer(*self._projects.create_token(caller, project_id, body))

    @_manage_tokens("DELETE", f"{_TOKENS}/{{tokenId}}")
    def revoke_project_token(
        self, caller: Caller, project_id: str, token_id: str
    ) -> Deleted:
        """Revoke a token of the project, from the next request on."""
        self._projects.revoke_token(caller, project_id, token_id)
        return Deleted(token_id)

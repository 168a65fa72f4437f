"""Glossaries over HTTP (decisions 2.4)."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import (
    GlossaryNotFound,
    LanguageExists,
    OrganizationNotFound,
    ProjectNotFound,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted
from locframework.pagination import Page

from .matches import GlossaryMatches
from .records import (
    Glossary,
    GlossaryChanges,
    GlossaryQuery,
    MatchRequest,
    NewGlossary,
    TermMatch,
)
from .service import Glossaries

TAG = "Glossaries"


class GlossaryAnswer(Struct, frozen=True):
    """One glossary."""

    glossary: Glossary


class MatchAnswer(Struct, frozen=True):
    """The terms in each text."""

    matches: dict[str, list[TermMatch]]


class GlossaryEndpoints:
    """``/glossaries``, and what projects make of them."""

    def __init__(self, glossaries: Glossaries, matches: GlossaryMatches) -> None:
        self._glossaries = glossaries
        self._matches = matches

    @operation(
        "GET",
        "/glossaries",
        permission="glossary_read",
        errors=(ProjectNotFound,),
        tag=TAG,
    )
    def list_glossaries(self, caller: Caller, query: GlossaryQuery) -> Page[Glossary]:
        """List the glossaries that the caller may read.

        By name. Whoever is bound to projects sees those linked to them. `search` looks
        in names, ignoring case and the width of white space; `projectId`, an id or
        slug, narrows the list to those linked to that project.
        """
        return self._glossaries.list_glossaries(caller, query)

    @operation(
        "POST",
        "/glossaries",
        permission="glossary_manage",
        status=201,
        errors=(OrganizationNotFound,),
        tag=TAG,
    )
    def create_glossary(self, caller: Caller, body: NewGlossary) -> GlossaryAnswer:
        """Create a glossary.

        `sourceLanguage` is the language of its terms. With `requiresApproval`, what is
        written by a caller without glossary_approve waits as a proposal.
        `organizationId` may be left out by a caller with exactly one organization.
        """
        return GlossaryAnswer(self._glossaries.create_glossary(caller, body))

    @operation(
        "GET",
        "/glossaries/{glossaryId}",
        permission="glossary_read",
        errors=(GlossaryNotFound,),
        tag=TAG,
    )
    def get_glossary(self, caller: Caller, glossary_id: str) -> GlossaryAnswer:
        """Get a glossary."""
        return GlossaryAnswer(self._glossaries.get_glossary(caller, glossary_id))

    @operation(
        "PATCH",
        "/glossaries/{glossaryId}",
        permission="glossary_manage",
        errors=(GlossaryNotFound, LanguageExists),
        etag=True,
        tag=TAG,
    )
    def update_glossary(
        self, caller: Caller, glossary_id: str, body: GlossaryChanges
    ) -> GlossaryAnswer:
        """Change a glossary.

        What the body leaves out stays, and so do proposals that wait.
        """
        changed = self._glossaries.update_glossary(caller, glossary_id, body)
        return GlossaryAnswer(changed)

    @operation(
        "DELETE",
        "/glossaries/{glossaryId}",
        permission="glossary_manage",
        errors=(GlossaryNotFound,),
        tag=TAG,
    )
    def delete_glossary(self, caller: Caller, glossary_id: str) -> Deleted:
        """Delete a glossary with its terms.

        Projects lose it at once.
        """
        return Deleted(self._glossaries.delete_glossary(caller, glossary_id).id)

    @operation(
        "PUT",
        "/projects/{projectId}/glossaries/{glossaryId}",
        permission="project_update",
        errors=(ProjectNotFound, GlossaryNotFound),
        tag=TAG,
    )
    def attach_glossary(
        self, caller: Caller, project_id: str, glossary_id: str
    ) -> GlossaryAnswer:
        """Link a glossary to a project.

        Both must belong to the same organization. Linking it again changes nothing.
        """
        return GlossaryAnswer(self._glossaries.attach(caller, project_id, glossary_id))

    @operation(
        "DELETE",
        "/projects/{projectId}/glossaries/{glossaryId}",
        permission="project_update",
        errors=(ProjectNotFound, GlossaryNotFound),
        tag=TAG,
    )
    def detach_glossary(
        self, caller: Caller, project_id: str, glossary_id: str
    ) -> GlossaryAnswer:
        """Unlink a glossary from a project."""
        return GlossaryAnswer(self._glossaries.detach(caller, project_id, glossary_id))

    @operation(
        "POST",
        "/projects/{projectId}/glossary/matches",
        permission="glossary_read",
        errors=(ProjectNotFound,),
        tag=TAG,
    )
    def find_terms(
        self, caller: Caller, project_id: str, body: MatchRequest
    ) -> MatchAnswer:
        """Find the terms of the project's glossaries in texts.

        By text, each from its beginning to its end: `start` and `end` count Unicode
        code points of the text as it was sent. At every place the longest term counts.
        A term with `caseSensitive` must match to the letter; others also match in
        another case, and with another ending if their language has a stemmer. Several
        terms can match at one place, such as `book` and `booking` for `bookings`: the
        nearest comes first. All texts together may have at most 100,000 characters.
        """
        return MatchAnswer(self._matches.find_matches(caller, project_id, body))

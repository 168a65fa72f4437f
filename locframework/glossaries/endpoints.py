"""Glossaries, their terms and files over HTTP (decisions 2.4)."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from locframework.access.records import Caller
from locframework.errors import (
    JobNotCancellable,
    LanguageExists,
    LanguageNotAssigned,
    NameExists,
    NothingPending,
    OrganizationNotFound,
    ProjectNotFound,
    TermExists,
    TermNotTranslatable,
    UnknownFormat,
    UnreadableFile,
)
from locframework.http.operation import RawResponse, operation
from locframework.http.records import Accepted, Deleted, Prepared, Raw, Wrapped
from locframework.jobs.endpoints import CANCELS, accepted
from locframework.jobs.records import Job, JobAnswer, JobQuery
from locframework.pagination import Page
from locframework.proposals.records import ProposalRejection

from .imports import GlossaryFiles
from .matching import GlossaryMatches
from .records import (
    Glossary,
    GlossaryChanges,
    GlossaryExportQuery,
    GlossaryImportForm,
    GlossaryQuery,
    MatchRequest,
    NewGlossary,
    NewTerm,
    NewTermTranslation,
    Term,
    TermChanges,
    TermMatch,
    TermQuery,
)
from .service import Glossaries
from .terms import Terms

_ALL = "/glossaries"
_ONE = f"{_ALL}/{{glossaryId}}"
_JOBS = f"{_ONE}/jobs"
_LINKED = "/projects/{projectId}/glossaries/{glossaryId}"
_TERMS = f"{_ONE}/terms"
_TERM = f"{_TERMS}/{{termId}}"
_TRANSLATION = f"{_TERM}/translations/{{lang}}"
_read = partial(operation, permission="glossary_read")
_write = partial(operation, permission="glossary_write")
_approve = partial(operation, permission="glossary_approve")
_manage = partial(operation, permission="glossary_manage")
_jobs = partial(operation, permission=None)
_link = partial(operation, permission="project_update")
_SET_ERRORS = (LanguageNotAssigned, TermNotTranslatable)
_TERM_ERRORS = (*_SET_ERRORS, TermExists)
_REVIEW_ERRORS = (LanguageNotAssigned, NothingPending)

GlossaryAnswer = Annotated[Glossary, Wrapped("glossary")]
TermAnswer = Annotated[Term, Wrapped("term")]
MatchAnswer = Annotated[dict[str, list[TermMatch]], Wrapped("matches")]


@dataclass(eq=False, repr=False)
class GlossaryEndpoints:
    """Operations on glossaries, their terms and files, and their use in projects."""

    tag = "Glossaries"

    _glossaries: Glossaries
    _terms: Terms
    _files: GlossaryFiles
    _matches: GlossaryMatches

    @_read("GET", _ALL, errors=(ProjectNotFound,))
    def list_glossaries(self, caller: Caller, query: GlossaryQuery) -> Page[Glossary]:
        """List the glossaries that the caller may read, by name.

        `search` looks in names, ignoring case and the width of white space;
        `projectId`, an id or slug, selects those linked to that project.
        """
        return self._glossaries.list_glossaries(caller, query)

    @_manage("POST", _ALL, status=201, errors=(OrganizationNotFound, NameExists))
    def create_glossary(self, caller: Caller, body: NewGlossary) -> GlossaryAnswer:
        """Create a glossary.

        With `requiresApproval`, what a caller without glossary_approve writes becomes a
        proposal. `organizationId` may be left out by a caller with exactly one
        organization.
        """
        return self._glossaries.create_glossary(caller, body)

    @_read("GET", _ONE)
    def get_glossary(self, caller: Caller, glossary_id: str) -> GlossaryAnswer:
        """Get a glossary."""
        return self._glossaries.get_glossary(caller, glossary_id)

    @_manage("PATCH", _ONE, errors=(LanguageExists, NameExists), etag=True)
    def update_glossary(
        self, caller: Caller, glossary_id: str, body: GlossaryChanges
    ) -> GlossaryAnswer:
        """Change a glossary; pending proposals stay."""
        return self._glossaries.update_glossary(caller, glossary_id, body)

    @_manage("DELETE", _ONE)
    def delete_glossary(self, caller: Caller, glossary_id: str) -> Deleted:
        """Delete a glossary with its terms; projects lose it at once."""
        return Deleted(self._glossaries.delete_glossary(caller, glossary_id).id)

    @_link("PUT", _LINKED)
    def attach_glossary(
        self, caller: Caller, project_id: str, glossary_id: str
    ) -> GlossaryAnswer:
        """Link a glossary to a project of its organization."""
        return self._glossaries.attach(caller, project_id, glossary_id)

    @_link("DELETE", _LINKED)
    def detach_glossary(
        self, caller: Caller, project_id: str, glossary_id: str
    ) -> GlossaryAnswer:
        """Unlink a glossary from a project."""
        return self._glossaries.detach(caller, project_id, glossary_id)

    @_read("POST", "/projects/{projectId}/glossary/matches")
    def find_terms(
        self, caller: Caller, project_id: str, body: MatchRequest
    ) -> MatchAnswer:
        """Find the terms of the project's glossaries in texts.

        By text, in its order: `start` and `end` count Unicode code points of the text
        as it was sent. At every place only the longest term is found. A term with
        `caseSensitive` must match to the letter; others also match in another case, and
        with another ending if their language has a stemmer. Of several terms at one
        place, the nearest comes first. All texts together may have at most 100,000
        characters.
        """
        return self._matches.find_matches(caller, project_id, body)

    # terms and their translations

    @_read("GET", _TERMS)
    def list_terms(
        self, caller: Caller, glossary_id: str, query: TermQuery
    ) -> Page[Term]:
        """List the terms of a glossary.

        By term. `search` looks in terms, notes and translations, ignoring letter case.
        With `languageCode` only terms with a translation in that language are listed,
        and of their translations `search`, `status` and `hasProposal` look at that one.
        `status=untranslated` lists those without, and `hasProposal=false` them too.
        """
        return self._terms.list_terms(caller, glossary_id, query)

    @_write("POST", _TERMS, status=201, errors=_TERM_ERRORS)
    def create_term(
        self, caller: Caller, glossary_id: str, body: NewTerm
    ) -> TermAnswer:
        """Create a term; its translations are applied, or proposed."""
        return self._terms.create_term(caller, glossary_id, body)

    @_read("GET", _TERM)
    def get_term(self, caller: Caller, glossary_id: str, term_id: str) -> TermAnswer:
        """Get a term."""
        return self._terms.get_term(caller, glossary_id, term_id)

    @_write("PATCH", _TERM, errors=_TERM_ERRORS, etag=True)
    def update_term(
        self, caller: Caller, glossary_id: str, term_id: str, body: TermChanges
    ) -> TermAnswer:
        """Change a term.

        Changing `term` needs the languages of its translations, and `glossary_approve`
        if approval is required and one is approved.
        """
        return self._terms.update_term(caller, glossary_id, term_id, body)

    @_write("DELETE", _TERM, errors=(LanguageNotAssigned,))
    def delete_term(self, caller: Caller, glossary_id: str, term_id: str) -> Deleted:
        """Delete a term; needs what changing `term` would need."""
        return Deleted(self._terms.delete_term(caller, glossary_id, term_id).id)

    @_write("PUT", _TRANSLATION, errors=_SET_ERRORS, etag=_TERM)
    def set_term_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        body: NewTermTranslation,
    ) -> TermAnswer:
        """Set a term translation; "" clears it.

        If the glossary requires approval and the caller cannot approve, it is proposed.
        """
        return self._terms.set_translation(caller, glossary_id, term_id, lang, body)

    @_write("DELETE", _TRANSLATION, errors=(LanguageNotAssigned,), etag=_TERM)
    def clear_term_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> TermAnswer:
        """Clear a term translation, as setting it to "" does."""
        return self._terms.clear_translation(caller, glossary_id, term_id, lang)

    @_approve("POST", f"{_TRANSLATION}/approve", errors=_REVIEW_ERRORS)
    def approve_term_translation(
        self, caller: Caller, glossary_id: str, term_id: str, lang: str
    ) -> TermAnswer:
        """Approve a term translation: the proposal, or draft, becomes the value."""
        return self._terms.approve_translation(caller, glossary_id, term_id, lang)

    @_approve("POST", f"{_TRANSLATION}/reject", errors=_REVIEW_ERRORS)
    def reject_term_translation(
        self,
        caller: Caller,
        glossary_id: str,
        term_id: str,
        lang: str,
        body: ProposalRejection,
    ) -> TermAnswer:
        """Reject a proposed term translation; what was approved stays.

        `reason` is sent with the event.
        """
        return self._terms.reject_translation(caller, glossary_id, term_id, lang, body)

    # files and jobs

    @_write(
        "POST",
        f"{_ONE}/import",
        errors=(UnknownFormat, UnreadableFile, LanguageNotAssigned),
    )
    def import_glossary(
        self, caller: Caller, glossary_id: str, form: GlossaryImportForm
    ) -> Prepared[Accepted[JobAnswer]]:
        """Import terms.

        A job imports a CSV or TBX file, of which the first 2 MiB are checked at once.
        An existing term with the same case rule is updated; what the file leaves out
        does not change. Translations are applied, or proposed where that needs
        approval; drafts replace only drafts.
        """
        start = self._files.prepare_import(
            caller, glossary_id, form.file.file, form.format
        )
        return Prepared(lambda: accepted(start(), f"/glossaries/{glossary_id}"))

    @_read(
        "GET",
        f"{_ONE}/export",
        errors=(UnknownFormat,),
        raw=(RawResponse(200, "The file.", headers=("Content-Disposition",)),),
    )
    def export_glossary(
        self, caller: Caller, glossary_id: str, query: GlossaryExportQuery
    ) -> Raw:
        """Export terms, with approved translations and drafts.

        `format` is `csv` or `tbx`.
        """
        return self._files.export(caller, glossary_id, query.format).response()

    @_jobs("GET", _JOBS)
    def list_glossary_jobs(
        self, caller: Caller, glossary_id: str, query: JobQuery
    ) -> Page[Job]:
        """List the jobs that the caller may start for the glossary, newest first."""
        return self._files.list_jobs(caller, glossary_id, query)

    @_jobs("GET", f"{_JOBS}/{{jobId}}")
    def get_glossary_job(
        self, caller: Caller, glossary_id: str, job_id: str
    ) -> JobAnswer:
        """Get a job of a glossary."""
        return JobAnswer(self._files.get_job(caller, glossary_id, job_id))

    @_jobs(
        "POST",
        f"{_JOBS}/{{jobId}}/cancel",
        errors=(JobNotCancellable,),
        dry_run=CANCELS,
    )
    def cancel_glossary_job(
        self, caller: Caller, glossary_id: str, job_id: str
    ) -> JobAnswer:
        """Cancel a job of a glossary; what it has done stays."""
        return JobAnswer(self._files.cancel_job(caller, glossary_id, job_id))

"""Translation memories over HTTP."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from locframework.access.records import Caller
from locframework.errors import (
    BranchProtected,
    EntryExists,
    JobNotCancellable,
    LanguageExists,
    LanguageNotAssigned,
    LanguageNotInProject,
    NameExists,
    NothingPending,
    OrganizationNotFound,
    ProjectNotFound,
    UnknownFormat,
    UnreadableFile,
)
from locframework.http.operation import RawResponse, operation
from locframework.http.records import (
    Accepted,
    BranchQuery,
    Deleted,
    Prepared,
    Raw,
    Wrapped,
)
from locframework.jobs.endpoints import CANCELS, accepted
from locframework.jobs.records import Job, JobAnswer, JobQuery
from locframework.pagination import Page
from locframework.projects.records import LanguageQuery
from locframework.proposals.records import ProposalRejection

from .entries import Entries
from .imports import MemoryExportQuery, MemoryFiles, MemoryImportForm
from .matches import Matching
from .matching.records import ConcordanceItem, ConcordanceQuery, Match, MatchQuery
from .prefill import Prefill, PrefillRequest
from .records import (
    Assignment,
    AssignmentQuery,
    EntryChanges,
    EntryQuery,
    MemoryChanges,
    MemoryEntry,
    MemoryLanguage,
    MemoryQuery,
    NewAssignment,
    NewEntry,
    NewEntryTranslation,
    NewMemory,
    NewMemoryLanguage,
    TranslationMemory,
)
from .service import Memories

_ALL = "/translation-memories"
_ONE = f"{_ALL}/{{tmId}}"
_LANGUAGES = f"{_ONE}/languages"
_ASSIGNED = "/projects/{projectId}/translation-memories"
_JOBS = f"{_ONE}/jobs"
_ENTRIES = f"{_ONE}/entries"
_ENTRY = f"{_ENTRIES}/{{entryId}}"
_TRANSLATION = f"{_ENTRY}/translations/{{lang}}"

_read = partial(operation, permission="tm_read")
_manage = partial(operation, permission="tm_manage")
_write = partial(operation, permission="tm_write")
_approve = partial(operation, permission="tm_approve")
_jobs = partial(operation, permission=None)
_REVIEW_ERRORS = (LanguageNotAssigned, NothingPending)


MemoryAnswer = Annotated[TranslationMemory, Wrapped("translationMemory")]
MemoryLanguageAnswer = Annotated[MemoryLanguage, Wrapped("language")]


AssignmentAnswer = Annotated[Assignment, Wrapped("assignment")]
EntryAnswer = Annotated[MemoryEntry, Wrapped("entry")]


MatchesAnswer = Annotated[dict[str, dict[str, list[Match]]], Wrapped("matches")]


@dataclass(eq=False, repr=False)
class MemoryEndpoints:
    """Operations on memories, their entries and files, and on their use in projects."""

    tag = "Translation memories"

    _memories: Memories
    _entries: Entries
    _files: MemoryFiles
    _matching: Matching
    _prefill: Prefill

    @_read("GET", _ALL, errors=(ProjectNotFound,))
    def list_memories(
        self, caller: Caller, query: MemoryQuery
    ) -> Page[TranslationMemory]:
        """List the translation memories that the caller may read, by name.

        `search` looks in names, ignoring case and the width of white space;
        `projectId`, an id or slug, selects those that the project uses.
        """
        return self._memories.list_memories(caller, query)

    @_manage(
        "POST",
        _ALL,
        status=201,
        errors=(OrganizationNotFound, LanguageExists, NameExists),
    )
    def create_memory(self, caller: Caller, body: NewMemory) -> MemoryAnswer:
        """Create a translation memory with its first target languages."""
        return self._memories.create_memory(caller, body)

    @_read("GET", _ONE)
    def get_memory(self, caller: Caller, tm_id: str) -> MemoryAnswer:
        """Get a translation memory."""
        return self._memories.get_memory(caller, tm_id)

    @_manage("PATCH", _ONE, errors=(NameExists,), etag=True)
    def update_memory(
        self, caller: Caller, tm_id: str, body: MemoryChanges
    ) -> MemoryAnswer:
        """Change a translation memory."""
        return self._memories.update_memory(caller, tm_id, body)

    @_manage("DELETE", _ONE)
    def delete_memory(self, caller: Caller, tm_id: str) -> Deleted:
        """Delete a translation memory with its entries; no project uses it any more."""
        return Deleted(self._memories.delete_memory(caller, tm_id).id)

    @_read("GET", _LANGUAGES)
    def list_memory_languages(
        self, caller: Caller, tm_id: str, query: LanguageQuery
    ) -> Page[MemoryLanguage]:
        """List the target languages of a translation memory."""
        return self._memories.list_languages(caller, tm_id, query)

    @_manage("POST", _LANGUAGES, status=201, errors=(LanguageExists,))
    def add_memory_language(
        self, caller: Caller, tm_id: str, body: NewMemoryLanguage
    ) -> MemoryLanguageAnswer:
        """Add a target language, so that entries can have translations in it."""
        return self._memories.add_language(caller, tm_id, body)

    @_manage("DELETE", f"{_LANGUAGES}/{{lang}}")
    def remove_memory_language(self, caller: Caller, tm_id: str, lang: str) -> Deleted:
        """Remove a target language with all translations in it."""
        return Deleted(self._memories.remove_language(caller, tm_id, lang).id)

    @operation("GET", _ASSIGNED, permission="project_read")
    def list_assignments(
        self, caller: Caller, project_id: str, query: AssignmentQuery
    ) -> Page[Assignment]:
        """List the translation memories of a project by priority, low numbers first."""
        return self._memories.list_assignments(caller, project_id, query)

    @operation("GET", f"{_ASSIGNED}/{{tmId}}", permission="project_read")
    def get_assignment(
        self, caller: Caller, project_id: str, tm_id: str
    ) -> AssignmentAnswer:
        """Get how a project uses a translation memory."""
        return self._memories.get_assignment(caller, project_id, tm_id)

    @operation("PUT", f"{_ASSIGNED}/{{tmId}}", permission="project_update", etag=True)
    def assign_memory(
        self, caller: Caller, project_id: str, tm_id: str, body: NewAssignment
    ) -> AssignmentAnswer:
        """Let a project use a translation memory, or change how.

        `writeMode` says which values of main the memory learns. Both must be of one
        organization and source language.
        """
        return self._memories.assign(caller, project_id, tm_id, body)

    @operation("DELETE", f"{_ASSIGNED}/{{tmId}}", permission="project_update")
    def unassign_memory(self, caller: Caller, project_id: str, tm_id: str) -> Deleted:
        """Stop a project from using a translation memory, which keeps its entries."""
        return Deleted(self._memories.unassign(caller, project_id, tm_id).tm_id)

    # entries and their translations

    @_read("GET", _ENTRIES, errors=(LanguageNotInProject,))
    def list_entries(
        self, caller: Caller, tm_id: str, query: EntryQuery
    ) -> Page[MemoryEntry]:
        """List the entries of a translation memory.

        `search` looks in source texts and translations. With `languageCode`, and a
        translation in it, `search`, `status` and `hasProposal` look at that one, else
        at any; `untranslated` means that there is none.
        """
        return self._entries.list_entries(caller, tm_id, query)

    @_write(
        "POST",
        _ENTRIES,
        status=201,
        errors=(LanguageNotInProject, LanguageNotAssigned, EntryExists),
    )
    def create_entry(self, caller: Caller, tm_id: str, body: NewEntry) -> EntryAnswer:
        """Create an entry; source text and context together are unique."""
        return self._entries.create_entry(caller, tm_id, body)

    @_read("GET", _ENTRY)
    def get_entry(self, caller: Caller, tm_id: str, entry_id: str) -> EntryAnswer:
        """Get an entry with its translations."""
        return self._entries.get_entry(caller, tm_id, entry_id)

    @_write("PATCH", _ENTRY, errors=(LanguageNotAssigned, EntryExists), etag=True)
    def update_entry(
        self, caller: Caller, tm_id: str, entry_id: str, body: EntryChanges
    ) -> EntryAnswer:
        """Change an entry's source text and context.

        Changing `sourceText` needs the languages of the translations, and `tm_approve`
        if approval is required and one is approved.
        """
        return self._entries.update_entry(caller, tm_id, entry_id, body)

    @_write("DELETE", _ENTRY, errors=(LanguageNotAssigned,))
    def delete_entry(self, caller: Caller, tm_id: str, entry_id: str) -> Deleted:
        """Delete an entry; needs what changing `sourceText` would need."""
        return Deleted(self._entries.delete_entry(caller, tm_id, entry_id).id)

    @_write(
        "PUT",
        _TRANSLATION,
        errors=(LanguageNotAssigned, LanguageNotInProject),
        etag=_ENTRY,
    )
    def set_entry_translation(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: NewEntryTranslation,
    ) -> EntryAnswer:
        """Set the translation of an entry in one language.

        If the memory requires approval and the caller cannot approve, it is proposed.
        """
        return self._entries.set_translation(caller, tm_id, entry_id, lang, body)

    @_write("DELETE", _TRANSLATION, errors=(LanguageNotAssigned,), etag=_ENTRY)
    def remove_entry_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> EntryAnswer:
        """Remove the translation of an entry in one language, or propose that."""
        return self._entries.remove_translation(caller, tm_id, entry_id, lang)

    @_approve("POST", f"{_TRANSLATION}/approve", errors=_REVIEW_ERRORS)
    def approve_entry_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> EntryAnswer:
        """Approve what is proposed, or a draft: it counts from now on."""
        return self._entries.approve(caller, tm_id, entry_id, lang)

    @_approve("POST", f"{_TRANSLATION}/reject", errors=_REVIEW_ERRORS)
    def reject_entry_translation(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: ProposalRejection,
    ) -> EntryAnswer:
        """Reject what is proposed: the approved value stays."""
        return self._entries.reject(caller, tm_id, entry_id, lang, body)

    # matches in the memories of a project

    @_read("POST", "/projects/{projectId}/tm/search")
    def search_memories(
        self, caller: Caller, project_id: str, body: ConcordanceQuery
    ) -> Page[ConcordanceItem]:
        """Find whole segments that contain a text.

        Letter case and runs of white space are ignored, accents are not. Segments that
        equal the text come first, then the shorter ones.
        """
        return self._matching.search(caller, project_id, body)

    @_read("POST", "/projects/{projectId}/tm/matches")
    def find_matches(
        self, caller: Caller, project_id: str, body: MatchQuery
    ) -> MatchesAnswer:
        """Find entries whose source text is like the given texts.

        Up to ten for each text and language, best first. The object is empty if
        translation memory is switched off for the organization or the project.
        """
        return self._matching.find_matches(caller, project_id, body)

    @operation(
        "POST",
        "/projects/{projectId}/tm/prefill",
        permission="translation_write",
        errors=(BranchProtected, LanguageNotInProject, LanguageNotAssigned),
    )
    def start_prefill(
        self, caller: Caller, project_id: str, query: BranchQuery, body: PrefillRequest
    ) -> Accepted[JobAnswer]:
        """Fill missing texts from the memories of a project.

        This also needs `tm_read`.
        A job takes the best match of at least `minMatchPercentage`, as a draft of the
        origin `tm`. `warnings` in its result say why nothing could be found.
        """
        job = self._prefill.start_prefill(caller, project_id, body, branch=query.branch)
        return accepted(job)

    # files and jobs

    @_write(
        "POST",
        f"{_ONE}/import",
        errors=(UnknownFormat, UnreadableFile, LanguageNotAssigned),
    )
    def import_memory(
        self, caller: Caller, tm_id: str, form: MemoryImportForm
    ) -> Prepared[Accepted[JobAnswer]]:
        """Import entries.

        A job imports a TMX 1.4b or CSV file, of which the first 2 MiB are checked at
        once. In an existing entry, `onExisting` `keep` fills what is missing, `replace`
        overwrites what differs. What cannot be imported is left out, and reported. A
        language that the memory lacks is taken as the one that it means there (`de-DE`:
        `de`), else added if the caller has `tm_manage`.
        """
        start = self._files.prepare_import(caller, tm_id, form.file.file, form)
        return Prepared(lambda: accepted(start(), f"/translation-memories/{tm_id}"))

    @_read(
        "GET",
        f"{_ONE}/export",
        errors=(UnknownFormat, LanguageNotInProject),
        raw=(RawResponse(200, "The file.", headers=("Content-Disposition",)),),
    )
    def export_memory(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> Raw:
        """Export entries with their translations; TMX also has drafts.

        `format` is `tmx` or `csv`.
        """
        return self._files.export(caller, tm_id, query).response()

    @_jobs("GET", _JOBS)
    def list_memory_jobs(
        self, caller: Caller, tm_id: str, query: JobQuery
    ) -> Page[Job]:
        """List the jobs that the caller may start for the memory, newest first."""
        return self._files.list_jobs(caller, tm_id, query)

    @_jobs("GET", f"{_JOBS}/{{jobId}}")
    def get_memory_job(self, caller: Caller, tm_id: str, job_id: str) -> JobAnswer:
        """Get a job of a translation memory."""
        return JobAnswer(self._files.get_job(caller, tm_id, job_id))

    @_jobs(
        "POST",
        f"{_JOBS}/{{jobId}}/cancel",
        errors=(JobNotCancellable,),
        dry_run=CANCELS,
    )
    def cancel_memory_job(self, caller: Caller, tm_id: str, job_id: str) -> JobAnswer:
        """Cancel a job of a translation memory; what it has done stays."""
        return JobAnswer(self._files.cancel_job(caller, tm_id, job_id))

"""Translation memories, their languages, and their use in projects, over HTTP."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import (
    LanguageExists,
    LanguageNotFound,
    OrganizationNotFound,
    ProjectNotFound,
    TmNotFound,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted
from locframework.pagination import Page

from .assignments import Assignments
from .languages import MemoryLanguages
from .records import (
    Assignment,
    AssignmentQuery,
    MemoryChanges,
    MemoryLanguage,
    MemoryLanguageQuery,
    MemoryQuery,
    NewAssignment,
    NewMemory,
    NewMemoryLanguage,
    TranslationMemory,
)
from .service import Memories

TAG = "Translation memories"
_ALL = "/translation-memories"
_ONE = "/translation-memories/{tmId}"
_LANGUAGES = f"{_ONE}/languages"
_ASSIGNED = "/projects/{projectId}/translation-memories"


class MemoryAnswer(Struct, frozen=True, rename="camel"):
    """One translation memory."""

    translation_memory: TranslationMemory


class MemoryLanguageAnswer(Struct, frozen=True):
    """One target language."""

    language: MemoryLanguage


class AssignmentAnswer(Struct, frozen=True):
    """How a project uses a memory."""

    assignment: Assignment


class MemoryEndpoints:
    """Declares the operations on memories as a whole."""

    def __init__(
        self, memories: Memories, languages: MemoryLanguages, assignments: Assignments
    ) -> None:
        self._memories = memories
        self._languages = languages
        self._assignments = assignments

    @operation("GET", _ALL, permission="tm_read", errors=(ProjectNotFound,), tag=TAG)
    def list_memories(
        self, caller: Caller, query: MemoryQuery
    ) -> Page[TranslationMemory]:
        """List translation memories.

        Those that the caller may read, by name. `search` looks in names, ignoring case
        and the width of white space; `projectId`, an id or slug, narrows the list to
        those that the project uses.
        """
        return self._memories.list_memories(caller, query)

    @operation(
        "POST",
        _ALL,
        permission="tm_manage",
        status=201,
        errors=(OrganizationNotFound, LanguageExists),
        tag=TAG,
    )
    def create_memory(self, caller: Caller, body: NewMemory) -> MemoryAnswer:
        """Create a translation memory.

        `languageCodes` are its first target languages; more can be added.
        """
        return MemoryAnswer(self._memories.create_memory(caller, body))

    @operation("GET", _ONE, permission="tm_read", errors=(TmNotFound,), tag=TAG)
    def get_memory(self, caller: Caller, tm_id: str) -> MemoryAnswer:
        """Get a translation memory."""
        return MemoryAnswer(self._memories.get_memory(caller, tm_id))

    @operation(
        "PATCH", _ONE, permission="tm_manage", errors=(TmNotFound,), tag=TAG, etag=True
    )
    def update_memory(
        self, caller: Caller, tm_id: str, body: MemoryChanges
    ) -> MemoryAnswer:
        """Change a translation memory."""
        return MemoryAnswer(self._memories.update_memory(caller, tm_id, body))

    @operation("DELETE", _ONE, permission="tm_manage", errors=(TmNotFound,), tag=TAG)
    def delete_memory(self, caller: Caller, tm_id: str) -> Deleted:
        """Delete a translation memory with all of its entries.

        Projects that use it stop using it.
        """
        return Deleted(self._memories.delete_memory(caller, tm_id).id)

    @operation("GET", _LANGUAGES, permission="tm_read", errors=(TmNotFound,), tag=TAG)
    def list_memory_languages(
        self, caller: Caller, tm_id: str, query: MemoryLanguageQuery
    ) -> Page[MemoryLanguage]:
        """List the target languages of a translation memory."""
        return self._languages.list_languages(caller, tm_id, query)

    @operation(
        "POST",
        _LANGUAGES,
        permission="tm_manage",
        status=201,
        errors=(TmNotFound, LanguageExists),
        tag=TAG,
    )
    def add_memory_language(
        self, caller: Caller, tm_id: str, body: NewMemoryLanguage
    ) -> MemoryLanguageAnswer:
        """Add a target language, so that entries can have translations in it."""
        return MemoryLanguageAnswer(self._languages.add_language(caller, tm_id, body))

    @operation(
        "DELETE",
        f"{_LANGUAGES}/{{lang}}",
        permission="tm_manage",
        errors=(TmNotFound, LanguageNotFound),
        tag=TAG,
    )
    def remove_memory_language(self, caller: Caller, tm_id: str, lang: str) -> Deleted:
        """Remove a target language with all translations in it."""
        return Deleted(self._languages.remove_language(caller, tm_id, lang).id)

    @operation(
        "GET",
        _ASSIGNED,
        permission="project_read",
        errors=(ProjectNotFound,),
        tag=TAG,
    )
    def list_assignments(
        self, caller: Caller, project_id: str, query: AssignmentQuery
    ) -> Page[Assignment]:
        """List the translation memories of a project.

        By priority, low numbers first.
        """
        return self._assignments.list_assignments(caller, project_id, query)

    @operation(
        "GET",
        f"{_ASSIGNED}/{{tmId}}",
        permission="project_read",
        errors=(ProjectNotFound, TmNotFound),
        tag=TAG,
    )
    def get_assignment(
        self, caller: Caller, project_id: str, tm_id: str
    ) -> AssignmentAnswer:
        """Get how a project uses a translation memory."""
        found = self._assignments.get_assignment(caller, project_id, tm_id)
        return AssignmentAnswer(found)

    @operation(
        "PUT",
        f"{_ASSIGNED}/{{tmId}}",
        permission="project_update",
        errors=(ProjectNotFound, TmNotFound),
        tag=TAG,
        etag=True,
    )
    def assign_memory(
        self, caller: Caller, project_id: str, tm_id: str, body: NewAssignment
    ) -> AssignmentAnswer:
        """Let a project use a translation memory, or change how.

        `writeMode` says which values of the project's main line the memory learns. Both
        must belong to the same organization, and have the same source language.
        """
        made = self._assignments.assign(caller, project_id, tm_id, body)
        return AssignmentAnswer(made)

    @operation(
        "DELETE",
        f"{_ASSIGNED}/{{tmId}}",
        permission="project_update",
        errors=(ProjectNotFound, TmNotFound),
        tag=TAG,
    )
    def unassign_memory(self, caller: Caller, project_id: str, tm_id: str) -> Deleted:
        """Stop a project from using a translation memory.

        What the memory has learned stays in it.
        """
        return Deleted(self._assignments.unassign(caller, project_id, tm_id).tm_id)

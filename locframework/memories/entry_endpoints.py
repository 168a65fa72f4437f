"""The entries of translation memories over HTTP."""

from msgspec import Struct

from locframework.access.records import Caller
from locframework.errors import (
    EntryExists,
    EntryNotFound,
    LanguageNotAssigned,
    LanguageNotFound,
    LanguageNotInProject,
    NothingPending,
    TmNotFound,
)
from locframework.http.operation import operation
from locframework.http.records import Deleted
from locframework.pagination import Page

from .entries import Entries
from .records import (
    EntryChanges,
    EntryQuery,
    EntryRejection,
    MemoryEntry,
    NewEntry,
    NewTranslation,
)

TAG = "Translation memories"
_ALL = "/translation-memories/{tmId}/entries"
_ONE = f"{_ALL}/{{entryId}}"
_TRANSLATION = f"{_ONE}/translations/{{lang}}"
_FOUND = (TmNotFound, EntryNotFound)
_WRITTEN = (*_FOUND, LanguageNotFound, LanguageNotAssigned)


class EntryAnswer(Struct, frozen=True):
    """One entry."""

    entry: MemoryEntry


class EntryEndpoints:
    """Declares the operations on entries and their translations."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    @operation(
        "GET",
        _ALL,
        permission="tm_read",
        errors=(TmNotFound, LanguageNotInProject),
        tag=TAG,
    )
    def list_entries(
        self, caller: Caller, tm_id: str, query: EntryQuery
    ) -> Page[MemoryEntry]:
        """List the entries of a translation memory.

        `search` looks in source texts and translations; with `languageCode` only
        entries with a translation in that language are listed. `status` and
        `hasProposal` must hold for the translation in it, or else for any;
        `untranslated` means that there is none. With `hasProposal=true` the list is
        what waits for approval.
        """
        return self._entries.list_entries(caller, tm_id, query)

    @operation(
        "POST",
        _ALL,
        permission="tm_write",
        status=201,
        errors=(TmNotFound, LanguageNotInProject, LanguageNotAssigned, EntryExists),
        tag=TAG,
    )
    def create_entry(self, caller: Caller, tm_id: str, body: NewEntry) -> EntryAnswer:
        """Create an entry, with translations if any are given.

        Source text and context together are unique in a memory.
        """
        return EntryAnswer(self._entries.create_entry(caller, tm_id, body))

    @operation("GET", _ONE, permission="tm_read", errors=_FOUND, tag=TAG)
    def get_entry(self, caller: Caller, tm_id: str, entry_id: str) -> EntryAnswer:
        """Get an entry with its translations."""
        return EntryAnswer(self._entries.get_entry(caller, tm_id, entry_id))

    @operation(
        "PATCH",
        _ONE,
        permission="tm_write",
        errors=(*_FOUND, LanguageNotAssigned, EntryExists),
        tag=TAG,
        etag=True,
    )
    def update_entry(
        self, caller: Caller, tm_id: str, entry_id: str, body: EntryChanges
    ) -> EntryAnswer:
        """Change an entry's source text and context.

        Translations stay as they are, and so does what is left out. If approval is
        required and a translation is approved, changing `sourceText` needs
        `tm_approve`; the entry's translations must be in languages assigned to the
        caller.
        """
        return EntryAnswer(self._entries.update_entry(caller, tm_id, entry_id, body))

    @operation(
        "DELETE",
        _ONE,
        permission="tm_write",
        errors=(*_FOUND, LanguageNotAssigned),
        tag=TAG,
    )
    def delete_entry(self, caller: Caller, tm_id: str, entry_id: str) -> Deleted:
        """Delete an entry with its translations.

        Needs what changing `sourceText` would need.
        """
        return Deleted(self._entries.delete_entry(caller, tm_id, entry_id).id)

    @operation(
        "PUT",
        _TRANSLATION,
        permission="tm_write",
        errors=(*_WRITTEN, LanguageNotInProject),
        etag=_ONE,
        tag=TAG,
    )
    def set_entry_translation(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: NewTranslation,
    ) -> EntryAnswer:
        """Set the translation of an entry in one language.

        If the memory requires approval and the caller cannot approve, the value becomes
        a proposal.
        """
        entry = self._entries.set_translation(caller, tm_id, entry_id, lang, body)
        return EntryAnswer(entry)

    @operation(
        "DELETE",
        _TRANSLATION,
        permission="tm_write",
        errors=_WRITTEN,
        etag=_ONE,
        tag=TAG,
    )
    def remove_entry_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> EntryAnswer:
        """Remove the translation of an entry in one language.

        If the memory requires approval and the caller cannot approve, removing an
        approved value becomes a proposal.
        """
        entry = self._entries.remove_translation(caller, tm_id, entry_id, lang)
        return EntryAnswer(entry)

    @operation(
        "POST",
        f"{_TRANSLATION}/approve",
        permission="tm_approve",
        errors=(*_WRITTEN, NothingPending),
        tag=TAG,
    )
    def approve_entry_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> EntryAnswer:
        """Approve what is proposed, or a draft: it counts from now on."""
        return EntryAnswer(self._entries.approve(caller, tm_id, entry_id, lang))

    @operation(
        "POST",
        f"{_TRANSLATION}/reject",
        permission="tm_approve",
        errors=(*_WRITTEN, NothingPending),
        tag=TAG,
    )
    def reject_entry_translation(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: EntryRejection,
    ) -> EntryAnswer:
        """Reject what is proposed: the approved value stays."""
        entry = self._entries.reject(caller, tm_id, entry_id, lang, body)
        return EntryAnswer(entry)

"""The store of translation memories, and the storage that this area uses."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from locframework.access.records import Scope
from locframework.access.store import AccessStore
from locframework.fields import Timestamp
from locframework.keys.store import KeyStores
from locframework.memories.matching.port import MemoryTextStore
from locframework.pagination import Page, PageRequest
from locframework.projects.store import ProjectStore
from locframework.transactions import Repository, Transactions

from .records import (
    AssignedMemory,
    Assignment,
    EntryQuery,
    KeyLink,
    MemoryEntry,
    MemoryLanguage,
    MemoryWriting,
    StoredMemory,
    StoredTranslation,
    Texts,
    TranslationMemory,
)


class MemoryStore(Repository[StoredMemory], Protocol):
    """Memories with their entries. ``entry_count`` is counted, not written with the
    record. Deleting a memory removes its assignments. A lock of a memory also excludes
    writers of its entries. The statements of a batch grow with its size / 500."""

    def forget_removals(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        """Delete up to ``rows`` records of removed entries; return how many. Only those
        that existed at a call before ``before``. Reading changes since then raises
        Forgotten (matching/port.py)."""

    def list_memories(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[TranslationMemory]:
        """Return memories by name, then id. ``scopes``: those of an organization, or
        those assigned to a project; None: all. ``search`` is folded, and part of the
        name. ``project_id``: only those that the project uses."""

    def add_languages(self, languages: Sequence[MemoryLanguage]) -> None:
        """Insert languages that their memory has not yet."""

    def list_languages(self, tm_ids: Collection[str]) -> list[MemoryLanguage]:
        """Return their target languages in the order in which they were added."""

    def delete_language(
        self, writing: MemoryWriting, language_code: str, after: int, rows: int
    ) -> int | None:
        """Delete the translations of up to ``rows`` entries in a language. Learned
        entries without other translations are deleted, too. Return the next ``after``,
        which is 0 at first; None if none is left and the language is gone."""

    # assignments to projects

    def assign(
        self, project_id: str, tm_id: str, assignment: Assignment | None
    ) -> None:
        """Insert or replace an assignment; None removes it."""

    def list_assigned(self, project_id: str) -> list[AssignedMemory]:
        """Return assignments by priority, then age of the memory. One statement."""

    def projects_of(self, tm_id: str) -> list[str]:
        """Return the ids of the projects that use the memory, in no order."""

    # entries

    def begin(self, tm_id: str) -> MemoryWriting | None:
        """Lock the memory in a transaction, to write entries with a revision above all
        that was read; None if deleted."""

    def add_entries(
        self,
        writing: MemoryWriting,
        entries: Sequence[MemoryEntry],
        *,
        learned: bool = False,
    ) -> None:
        """Insert entries with their translations; no other has their texts.
        ``learned``: keys made them, and they are removed with the last link."""

    def find_entries(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, MemoryEntry]:
        """Return entries by id; unknown ids are left out."""

    def list_entries(self, tm_id: str, query: EntryQuery) -> Page[MemoryEntry]:
        """Return entries by creation, or in the order of the query. ``search`` is
        folded, the language code canonical. Three statements."""

    def stream_entries(self, tm_id: str) -> Iterator[MemoryEntry]:
        """Yield all entries by creation, as of one moment. One statement."""

    def save_entries(
        self, writing: MemoryWriting, entries: Sequence[MemoryEntry]
    ) -> None:
        """Update source text, context and ``updated_at``."""

    def remove_entries(
        self,
        writing: MemoryWriting,
        entry_ids: Collection[str],
        *,
        only_learned: bool = False,
    ) -> set[str]:
        """Delete entries, or ``only_learned`` ones that are not detached; return the
        ids of those that existed."""

    def translations_of(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, list[StoredTranslation]]:
        """Return translations by entry id, in no order."""

    def write_translations(
        self,
        writing: MemoryWriting,
        translations: Sequence[StoredTranslation],
        at: Timestamp,
        removed: Collection[tuple[str, str]] = (),
    ) -> None:
        """Insert or replace translations, and delete those ``removed``, by entry id and
        language. ``updated_at`` of an entry becomes that of its translation, else
        ``at``."""

    # links of keys to the entries that they contribute to

    def entry_ids_by_text(
        self, tm_id: str, texts: Collection[Texts]
    ) -> dict[Texts, str]:
        """Return ids by source text and context; unknown texts are left out."""

    def find_links(
        self,
        *,
        tm_id: str | None = None,
        project_id: str | None = None,
        key_ids: Collection[str] | None = None,
        entry_ids: Collection[str] | None = None,
    ) -> Iterator[KeyLink]:
        """Return the links that match all filters, those of deleted keys too. In no
        order; without ids in flat memory. Only one of ``key_ids`` and ``entry_ids`` may
        be given."""

    def replace_links(
        self, writing: MemoryWriting, old: Collection[KeyLink], new: Collection[KeyLink]
    ) -> None:
        """Replace links that exist. Those in both are not written."""

    def detach_entries(
        self, writing: MemoryWriting, entry_ids: Collection[str]
    ) -> None:
        """Remove the links of entries; their translations stay as if by hand."""


class MemoryStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that memories use."""

    memories: MemoryStore
    access: AccessStore
    memory_texts: MemoryTextStore
    projects: ProjectStore

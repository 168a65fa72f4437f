"""The store of translation memories."""

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
    EntryFilter,
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
    """Memories with their entries.

    ``entry_count`` is counted with the entries and not written with the record. A
    deleted memory is used by no project. A lock of a memory also excludes writers of
    its entries. Batches take a number of statements that grows with size / 500, never
    one for each row.
    """

    def forget_removals(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        """Drop up to ``rows`` of what is noted of removed entries; how many went.

        Only what was noted at a call before ``before``, or earlier. Who asks for what
        changed since then raises Forgotten (matcher.py).
        """
        ...

    def list_memories(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[TranslationMemory]:
        """By name, equal names by id; ``search`` is folded as ``folded`` does, and in
        the name. ``project_id``: of those, what the project uses.

        A scope without project: the organization's all; with one: those assigned to
        it. None asks for every memory.
        """
        ...

    def add_languages(self, languages: Sequence[MemoryLanguage]) -> None:
        """All of one memory, which has none of them yet."""
        ...

    def list_languages(self, tm_id: str) -> list[MemoryLanguage]:
        """As they were added (``id``)."""
        ...

    def delete_language(
        self, writing: MemoryWriting, language_code: str, after: int, rows: int
    ) -> int | None:
        """Delete the translations of up to ``rows`` entries in a language.

        Learned entries without other translations are deleted, too. Return the next
        ``after``, which is 0 at first; None if none is left and the language is gone.
        """
        ...

    # which projects use it

    def assign(self, project_id: str, assignment: Assignment) -> None:
        """Insert, or replace how the project uses the memory."""
        ...

    def unassign(self, project_id: str, tm_id: str) -> None: ...

    def list_assigned(self, project_id: str) -> list[AssignedMemory]:
        """By priority, then as the memories were made. One statement."""
        ...

    def projects_of(self, tm_id: str) -> list[str]:
        """The ids of the projects that it is assigned to, in no order."""
        ...

    # entries

    def begin(self, tm_id: str) -> MemoryWriting | None:
        """In a transaction: lock the memory, to write entries of it; None without it.

        Who reads what changed since a revision, of one memory, misses nothing.
        """
        ...

    def add_entries(
        self,
        writing: MemoryWriting,
        entries: Sequence[MemoryEntry],
        *,
        learned: bool = False,
    ) -> None:
        """New entries with their translations; no other has their texts.

        ``learned``: keys made them, and they go when no key teaches them any more.
        """
        ...

    def find_entries(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, MemoryEntry]:
        """By id; those that are not there are left out."""
        ...

    def list_entries(
        self, tm_id: str, where: EntryFilter, page: PageRequest
    ) -> Page[MemoryEntry]:
        """As they were made. Three statements."""
        ...

    def stream_entries(self, tm_id: str) -> Iterator[MemoryEntry]:
        """All of them as they were made, streamed, as of one moment. One statement."""
        ...

    def save_entries(
        self, writing: MemoryWriting, entries: Sequence[MemoryEntry]
    ) -> None:
        """Source text, context and ``updated_at``; translations stay."""
        ...

    def remove_entries(
        self, writing: MemoryWriting, entry_ids: Collection[str]
    ) -> None: ...

    def translations_of(
        self, tm_id: str, entry_ids: Collection[str]
    ) -> dict[str, list[StoredTranslation]]:
        """By entry id, with what is not shown of them; in no order."""
        ...

    def put_translations(
        self, writing: MemoryWriting, translations: Sequence[StoredTranslation]
    ) -> None:
        """Insert, or replace what has the same entry and language.

        The entries' ``updated_at`` becomes that of the translation.
        """
        ...

    def remove_translations(
        self, writing: MemoryWriting, places: Collection[tuple[str, str]], at: Timestamp
    ) -> None:
        """By entry id and language code; the entries stay, ``updated_at`` is ``at``."""
        ...

    # which keys teach which entries

    def entry_ids_by_text(
        self, tm_id: str, texts: Collection[Texts]
    ) -> dict[Texts, str]:
        """By source text and context; those that are not there are left out."""
        ...

    def find_links(
        self,
        tm_id: str,
        *,
        key_ids: Collection[str] | None = None,
        entry_ids: Collection[str] | None = None,
    ) -> list[KeyLink]:
        """Return the links of some keys, or those to some entries, unordered."""
        ...

    def replace_links(
        self,
        writing: MemoryWriting,
        old: Collection[KeyLink],
        new: Collection[KeyLink],
    ) -> None:
        """Instead of ``old``, which are there. What stands in both is not written."""
        ...

    def learned_entries(self, tm_id: str, entry_ids: Collection[str]) -> set[str]:
        """Those of these entries that keys have made, and that are not detached."""
        ...

    def detach_entries(
        self, writing: MemoryWriting, entry_ids: Collection[str]
    ) -> None:
        """No key teaches these entries any more; they stay, with what they say."""
        ...

    def linked_keys(self, project_id: str) -> set[str]:
        """The keys of the project that teach any memory, be they gone or not."""
        ...


class MemoryStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    memories: MemoryStore
    access: AccessStore
    memory_texts: MemoryTextStore
    projects: ProjectStore

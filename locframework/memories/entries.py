"""What one can do with the entries of a translation memory."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.errors import (
    EntryExists,
    EntryNotFound,
    LanguageNotFound,
)
from locframework.fields import Clock, Timestamp, new_id, timestamp
from locframework.languages import folded, require_tag, tag_from_path
from locframework.pagination import Page
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import approved, rejected, written
from locframework.transactions import Transactions
from locframework.validation import check_record

from .records import (
    EntryChanges,
    EntryFilter,
    EntryQuery,
    EntryRejection,
    KeptMemory,
    MemoryEntry,
    MemoryWriting,
    NewEntry,
    NewTranslation,
    StoredTranslation,
    Texts,
)
from .rules import check_source, check_targets, check_value, values_by_tag
from .service import Memories
from .store import MemoryStore

_TAKEN = "an entry with this source text and context is in the memory already"


class Entries:
    """Entries and their translations, which follow the rules of approval."""

    def __init__(
        self,
        store: MemoryStore,
        transactions: Transactions,
        memories: Memories,
        linked: LinkedAccess,
        clock: Clock,
    ) -> None:
        self._store = store
        self._transactions = transactions
        self._memories = memories
        self._linked = linked
        self._clock = clock

    def list_entries(
        self, caller: Caller, tm_id: str, query: EntryQuery
    ) -> Page[MemoryEntry]:
        """As they were made, or as the query asks.

        Raises TmNotFound, ValidationFailed, LanguageNotInProject.
        """
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        code = query.language_code
        if code is not None:
            code = require_tag(code, "query.languageCode")
            self._require_there(kept, {code: "query.languageCode"})
        search = folded(query.search) if query.search is not None else ""
        where = EntryFilter(
            search=search or None,
            language_code=code,
            status=query.status,
            has_proposal=query.has_proposal,
        )
        return self._store.list_entries(kept.memory.id, where, query)

    def create_entry(self, caller: Caller, tm_id: str, new: NewEntry) -> MemoryEntry:
        """A new entry, with translations if any are given.

        Raises TmNotFound, ValidationFailed, LanguageNotInProject, LanguageNotAssigned,
        EntryExists. Without the right to approve, where the memory requires it, the
        values are proposals.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_source(new.source_text)
        values = values_by_tag(new.translations)
        with self._transactions.transaction():
            writing = self._memories.begin(kept.memory.id)
            self._require_there(kept, {tag: f"$.translations.{tag}" for tag in values})
            self._require_assigned(caller, kept, values)
            entry = self._new_entry(caller, kept, new, values)
            self._require_free(kept, entry)
            self._store.add_entries(writing, [entry])
        return entry

    def get_entry(self, caller: Caller, tm_id: str, entry_id: str) -> MemoryEntry:
        """Raises TmNotFound, EntryNotFound."""
        kept = self._memories.require(caller, "tm_read", tm_id)
        return self._find(kept, entry_id)

    def update_entry(
        self, caller: Caller, tm_id: str, entry_id: str, changes: EntryChanges
    ) -> MemoryEntry:
        """Change source text and context; what is left out stays, and translations do.

        An entry that keys teach is on its own from then on. That, and another source
        text, is for those who may write every translation of it. Raises TmNotFound,
        EntryNotFound, ValidationFailed, PermissionDenied, LanguageNotAssigned,
        EntryExists. Source: service.md, update a TM entry.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(changes)
        if changes.source_text is not UNSET:
            check_source(changes.source_text)
        with self._transactions.transaction():
            writing = self._memories.begin(kept.memory.id)
            old = self._find(kept, entry_id)
            new = _changed(old, changes)
            if new == old:
                return old
            is_other = new.source_text != old.source_text
            if is_other or self._store.find_links(kept.memory.id, entry_ids=[old.id]):
                self._require_source(caller, kept, old)
            self._require_free(kept, new)
            new = replace(new, updated_at=timestamp(self._clock()))
            self._store.detach_entries(writing, [new.id])
            self._store.save_entries(writing, [new])
        return new

    def delete_entry(self, caller: Caller, tm_id: str, entry_id: str) -> MemoryEntry:
        """Delete an entry with its translations, for those who may write all of them.

        Raises TmNotFound, EntryNotFound, PermissionDenied, LanguageNotAssigned.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        with self._transactions.transaction():
            writing = self._memories.begin(kept.memory.id)
            entry = self._find(kept, entry_id)
            self._require_source(caller, kept, entry)
            self._store.remove_entries(writing, [entry.id])
        return entry

    def set_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str, new: NewTranslation
    ) -> MemoryEntry:
        """Set the translation in one language, or propose it (service.md, States).
        "" clears.

        Raises TmNotFound, EntryNotFound, ValidationFailed, LanguageNotInProject,
        LanguageNotAssigned.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_value(new.value)
        tag = tag_from_path(lang)
        with self._transactions.transaction():
            writing = self._memories.begin(kept.memory.id)
            entry = self._find(kept, entry_id)
            self._require_there(kept, {tag: "path.lang"})
            self._require_assigned(caller, kept, [tag])
            old = _translation(entry, tag)
            applies, now = self._applies(caller, kept), timestamp(self._clock())
            translation = written(old, tag, new.value, applies=applies, at=now)
            return self._keep(writing, entry, tag, translation, now)

    def remove_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Take the translation in one language away, with what is proposed there.

        Where approval is required and the caller cannot approve, a proposal to clear
        an approved value. Raises as ``set_translation``, and LanguageNotFound where
        there is none.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        with self._transactions.transaction():
            writing, entry, tag = self._begin(caller, kept, entry_id, lang)
            old = _translation(entry, tag)
            if old is None:
                raise LanguageNotFound("translation")
            applies, now = self._applies(caller, kept), timestamp(self._clock())
            translation = written(old, tag, "", applies=applies, at=now)
            return self._keep(writing, entry, tag, translation, now)

    def approve(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Let what is proposed count. Raises as ``set_translation``, NothingPending."""
        kept = self._memories.require(caller, "tm_approve", tm_id)
        with self._transactions.transaction():
            writing, entry, tag = self._begin(
                caller, kept, entry_id, lang, "tm_approve"
            )
            now = timestamp(self._clock())
            translation = approved(_translation(entry, tag), at=now)
            return self._keep(writing, entry, tag, translation, now)

    def reject(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        asked: EntryRejection,
    ) -> MemoryEntry:
        """Drop what is proposed. Raises as ``approve``."""
        kept = self._memories.require(caller, "tm_approve", tm_id)
        check_record(asked)
        with self._transactions.transaction():
            writing, entry, tag = self._begin(
                caller, kept, entry_id, lang, "tm_approve"
            )
            translation = rejected(_translation(entry, tag))
            now = timestamp(self._clock())
            return self._keep(writing, entry, tag, translation, now)

    def _new_entry(
        self, caller: Caller, kept: KeptMemory, new: NewEntry, values: Mapping[str, str]
    ) -> MemoryEntry:
        applies, now = self._applies(caller, kept), timestamp(self._clock())
        translations = [
            written(None, tag, values[tag], applies=applies, at=now)
            for tag in sorted(values)
        ]
        return MemoryEntry(
            id=new_id(),
            tm_id=kept.memory.id,
            source_text=new.source_text,
            context=new.context,
            created_at=now,
            updated_at=now,
            translations=tuple(each for each in translations if each is not None),
        )

    def _begin(
        self,
        caller: Caller,
        kept: KeptMemory,
        entry_id: str,
        lang: str,
        permission: str = "tm_write",
    ) -> tuple[MemoryWriting, MemoryEntry, str]:
        """The memory locked, the entry and the language found, and judged."""
        tag = tag_from_path(lang)
        writing = self._memories.begin(kept.memory.id)
        entry = self._find(kept, entry_id)
        if tag not in self._codes(kept):
            raise LanguageNotFound
        self._require_assigned(caller, kept, [tag], permission)
        return writing, entry, tag

    def _keep(
        self,
        writing: MemoryWriting,
        entry: MemoryEntry,
        tag: str,
        new: TermTranslation | None,
        now: Timestamp,
    ) -> MemoryEntry:
        """The entry with its new translation in a language; None: without one."""
        old = _translation(entry, tag)
        if new == old:
            return entry
        if new is None:
            self._store.remove_translations(writing, [(entry.id, tag)], now)
        else:
            learned = self._is_learned(writing, entry, tag) and _is_as(old, new)
            kept = StoredTranslation(entry.id, new, now, is_learned=learned)
            self._store.put_translations(writing, [kept])
        others = [each for each in entry.translations if each.language_code != tag]
        there = [*others, new] if new is not None else others
        there.sort(key=lambda each: each.language_code)
        return replace(entry, updated_at=now, translations=tuple(there))

    def _is_learned(self, writing: MemoryWriting, entry: MemoryEntry, tag: str) -> bool:
        rows = self._store.translations_of(writing.tm_id, [entry.id])
        return any(
            row.is_learned and row.translation.language_code == tag
            for row in rows.get(entry.id, ())
        )

    def _find(self, kept: KeptMemory, entry_id: str) -> MemoryEntry:
        tm_id = kept.memory.id
        entry = self._store.find_entries(tm_id, [entry_id]).get(entry_id)
        if entry is None:
            raise EntryNotFound
        return entry

    def _require_free(self, kept: KeptMemory, entry: MemoryEntry) -> None:
        texts: Texts = (entry.source_text, entry.context)
        there = self._store.entry_ids_by_text(kept.memory.id, [texts]).get(texts)
        if there is not None and there != entry.id:
            raise EntryExists(_TAKEN)

    def _codes(self, kept: KeptMemory) -> set[str]:
        languages = self._store.list_languages(kept.memory.id)
        return {language.language_code for language in languages}

    def _require_there(self, kept: KeptMemory, paths: Mapping[str, str]) -> None:
        if paths:
            check_targets(kept.memory, self._codes(kept), paths)

    def _require_assigned(
        self,
        caller: Caller,
        kept: KeptMemory,
        tags: Iterable[str],
        permission: str = "tm_write",
    ) -> None:
        reach = self._memories.reach(caller, kept)
        for tag in tags:
            self._linked.require_language(caller, permission, reach, tag)

    def _require_source(
        self, caller: Caller, kept: KeptMemory, entry: MemoryEntry
    ) -> None:
        approve = "tm_approve" if kept.memory.requires_approval else None
        reach = self._memories.reach(caller, kept)
        self._linked.require_source(
            caller, "tm_write", approve, reach, entry.translations
        )

    def _applies(self, caller: Caller, kept: KeptMemory) -> bool:
        """Whether what the caller writes counts at once."""
        return not kept.memory.requires_approval or self._memories.may(
            caller, "tm_approve", kept
        )


def _translation(entry: MemoryEntry, tag: str) -> TermTranslation | None:
    return next((e for e in entry.translations if e.language_code == tag), None)


def _is_as(old: TermTranslation | None, new: TermTranslation) -> bool:
    """Whether a translation says the same, but for what is proposed."""
    return old is not None and replace(old, proposed_value=new.proposed_value) == new


def _changed(old: MemoryEntry, changes: EntryChanges) -> MemoryEntry:
    if changes.source_text is not UNSET:
        old = replace(old, source_text=changes.source_text)
    if changes.context is not UNSET:
        old = replace(old, context=changes.context)
    return old

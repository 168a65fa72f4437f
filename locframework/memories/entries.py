"""The entries of translation memories and their translations."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import LinkedAccess
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
from locframework.validation import check_record, given_fields

from .records import (
    EntryChanges,
    EntryFilter,
    EntryQuery,
    EntryRejection,
    MemoryEntry,
    MemoryWriting,
    NewEntry,
    NewTranslation,
    StoredMemory,
    StoredTranslation,
    Texts,
)
from .rules import check_source, check_targets, check_value, values_by_tag
from .service import Memories
from .store import MemoryStorage

Changed = TermTranslation | None
"""A translation after a change; None: it is removed."""


class Entries:
    """Reads and writes entries; translations follow the rules of approval."""

    def __init__(
        self,
        storage: MemoryStorage,
        memories: Memories,
        linked: LinkedAccess,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._store = storage.memories
        self._memories = memories
        self._linked = linked
        self._clock = clock

    def list_entries(
        self, caller: Caller, tm_id: str, query: EntryQuery
    ) -> Page[MemoryEntry]:
        """Return entries in the order of their creation, or of the query.

        Raise TmNotFound, ValidationFailed, LanguageNotInProject.
        """
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        code = query.language_code
        if code is not None:
            code = require_tag(code, "query.languageCode")
            self._require_targets(kept, {code: "query.languageCode"})
        search = folded(query.search) if query.search is not None else ""
        where = EntryFilter(
            search=search or None,
            language_code=code,
            status=query.status,
            has_proposal=query.has_proposal,
        )
        return self._store.list_entries(kept.memory.id, where, query)

    def create_entry(self, caller: Caller, tm_id: str, new: NewEntry) -> MemoryEntry:
        """Create an entry, with translations if any are given.

        Without the right to approve, where the memory requires it, these are proposals.
        Raise TmNotFound, ValidationFailed, LanguageNotInProject, LanguageNotAssigned,
        EntryExists.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_source(new.source_text)
        values = values_by_tag(new.translations)
        with self._storage.transaction():
            writing = self._memories.begin(kept.memory.id)
            self._require_targets(
                kept, {tag: f"$.translations.{tag}" for tag in values}
            )
            self._require_assigned(caller, kept, values)
            applies, now = self._applies(caller, kept), timestamp(self._clock())
            translations = [
                written(None, tag, value, applies=applies, at=now)
                for tag, value in sorted(values.items())
            ]
            entry = MemoryEntry(
                id=new_id(),
                tm_id=kept.memory.id,
                source_text=new.source_text,
                context=new.context,
                created_at=now,
                updated_at=now,
                translations=tuple(each for each in translations if each is not None),
            )
            self._require_free(kept, entry)
            self._store.add_entries(writing, [entry])
        return entry

    def get_entry(self, caller: Caller, tm_id: str, entry_id: str) -> MemoryEntry:
        """Return an entry. Raise TmNotFound, EntryNotFound."""
        kept = self._memories.require(caller, "tm_read", tm_id)
        return self._find(kept, entry_id)

    def update_entry(
        self, caller: Caller, tm_id: str, entry_id: str, changes: EntryChanges
    ) -> MemoryEntry:
        """Change source text and context; translations stay.

        Keys no longer contribute to the entry. That, and another source text, needs
        the right to write all translations. Raise TmNotFound, EntryNotFound,
        ValidationFailed, PermissionDenied, LanguageNotAssigned, EntryExists. Source:
        service.md, update a TM entry.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(changes)
        if changes.source_text is not UNSET:
            check_source(changes.source_text)
        with self._storage.transaction():
            writing = self._memories.begin(kept.memory.id)
            old = self._find(kept, entry_id)
            new = replace(old, **given_fields(changes))
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
        """Delete an entry; needs the right to write all its translations.

        Raise TmNotFound, EntryNotFound, PermissionDenied, LanguageNotAssigned.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        with self._storage.transaction():
            writing = self._memories.begin(kept.memory.id)
            entry = self._find(kept, entry_id)
            self._require_source(caller, kept, entry)
            self._store.remove_entries(writing, [entry.id])
        return entry

    def set_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str, new: NewTranslation
    ) -> MemoryEntry:
        """Set the translation in one language, or propose it (service.md, States).

        "" clears. Raise TmNotFound, EntryNotFound, ValidationFailed,
        LanguageNotInProject, LanguageNotAssigned.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_value(new.value)
        tag = tag_from_path(lang)
        with self._storage.transaction():
            writing = self._memories.begin(kept.memory.id)
            entry = self._find(kept, entry_id)
            self._require_targets(kept, {tag: "path.lang"})
            self._require_assigned(caller, kept, [tag])
            applies, now = self._applies(caller, kept), timestamp(self._clock())
            old = _translation(entry, tag)
            translation = written(old, tag, new.value, applies=applies, at=now)
            return self._save(writing, entry, tag, translation, now)

    def remove_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Remove the translation in one language, and what is proposed there.

        Without the right to approve, where approval is required, removing an approved
        value is a proposal. Raise as ``set_translation``, and LanguageNotFound.
        """
        kept = self._memories.require(caller, "tm_write", tm_id)

        def remove(old: TermTranslation | None, now: Timestamp) -> Changed:
            if old is None:
                raise LanguageNotFound("translation")
            applies = self._applies(caller, kept)
            return written(old, old.language_code, "", applies=applies, at=now)

        return self._change(caller, kept, entry_id, lang, "tm_write", remove)

    def approve(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Approve what is proposed. Raise as ``set_translation``, NothingPending."""
        kept = self._memories.require(caller, "tm_approve", tm_id)
        return self._change(
            caller,
            kept,
            entry_id,
            lang,
            "tm_approve",
            lambda old, now: approved(old, at=now),
        )

    def reject(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: EntryRejection,
    ) -> MemoryEntry:
        """Drop what is proposed. Raise as ``approve``."""
        kept = self._memories.require(caller, "tm_approve", tm_id)
        check_record(body)
        return self._change(
            caller, kept, entry_id, lang, "tm_approve", lambda old, _: rejected(old)
        )

    def _change(
        self,
        caller: Caller,
        kept: StoredMemory,
        entry_id: str,
        lang: str,
        permission: str,
        change: Callable[[TermTranslation | None, Timestamp], Changed],
    ) -> MemoryEntry:
        """Save what ``change`` makes of an existing translation."""
        tag = tag_from_path(lang)
        with self._storage.transaction():
            writing = self._memories.begin(kept.memory.id)
            entry = self._find(kept, entry_id)
            if tag not in self._codes(kept):
                raise LanguageNotFound
            self._require_assigned(caller, kept, [tag], permission)
            now = timestamp(self._clock())
            translation = change(_translation(entry, tag), now)
            return self._save(writing, entry, tag, translation, now)

    def _save(
        self,
        writing: MemoryWriting,
        entry: MemoryEntry,
        tag: str,
        new: Changed,
        now: Timestamp,
    ) -> MemoryEntry:
        """Save the translation of an entry in a language; None removes it."""
        old = _translation(entry, tag)
        if new == old:
            return entry
        if new is None:
            self._store.remove_translations(writing, [(entry.id, tag)], now)
        else:
            # one that a key contributed stays so if only the proposal differs
            is_learned = (
                old is not None
                and replace(old, proposed_value=new.proposed_value) == new
                and self._is_learned(writing, entry, tag)
            )
            stored = StoredTranslation(entry.id, new, now, is_learned=is_learned)
            self._store.put_translations(writing, [stored])
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

    def _find(self, kept: StoredMemory, entry_id: str) -> MemoryEntry:
        tm_id = kept.memory.id
        entry = self._store.find_entries(tm_id, [entry_id]).get(entry_id)
        if entry is None:
            raise EntryNotFound
        return entry

    def _require_free(self, kept: StoredMemory, entry: MemoryEntry) -> None:
        texts: Texts = (entry.source_text, entry.context)
        there = self._store.entry_ids_by_text(kept.memory.id, [texts]).get(texts)
        if there is not None and there != entry.id:
            raise EntryExists(
                "an entry with this source text and context is in the memory already"
            )

    def _codes(self, kept: StoredMemory) -> set[str]:
        languages = self._store.list_languages(kept.memory.id)
        return {language.language_code for language in languages}

    def _require_targets(self, kept: StoredMemory, paths: Mapping[str, str]) -> None:
        if paths:
            check_targets(kept.memory, self._codes(kept), paths)

    def _require_assigned(
        self,
        caller: Caller,
        kept: StoredMemory,
        tags: Iterable[str],
        permission: str = "tm_write",
    ) -> None:
        reach = self._memories.reach(caller, kept)
        for tag in tags:
            self._linked.require_language(caller, permission, reach, tag)

    def _require_source(
        self, caller: Caller, kept: StoredMemory, entry: MemoryEntry
    ) -> None:
        approve = "tm_approve" if kept.memory.requires_approval else None
        reach = self._memories.reach(caller, kept)
        self._linked.require_source(
            caller, "tm_write", approve, reach, entry.translations
        )

    def _applies(self, caller: Caller, kept: StoredMemory) -> bool:
        """Whether what the caller writes is approved at once."""
        return not kept.memory.requires_approval or self._memories.may(
            caller, "tm_approve", kept
        )


def _translation(entry: MemoryEntry, tag: str) -> TermTranslation | None:
    return next((e for e in entry.translations if e.language_code == tag), None)

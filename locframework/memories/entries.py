"""The entries of translation memories and their translations."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import LinkedAccess
from locframework.errors import (
    EntryExists,
    EntryNotFound,
    LanguageNotFound,
    LanguageNotInProject,
    Problem,
    ValidationFailed,
    abbreviate,
)
from locframework.fields import Clock, Timestamp, new_id, timestamp
from locframework.languages import canonical_tag, folded, require_tag, tag_from_path
from locframework.pagination import Page
from locframework.proposals.records import ProposalRejection, TermTranslation
from locframework.proposals.rules import approved, rejected, written
from locframework.validation import check_record, given_fields

from .records import (
    VALUE_BYTES,
    EntryChanges,
    EntryQuery,
    MemoryEntry,
    NewEntry,
    NewEntryTranslation,
    StoredMemory,
    StoredTranslation,
    Texts,
    TranslationMemory,
)
from .service import Memories
from .store import MemoryStorage

Changed = TermTranslation | None
"""A translation after a change; None: it is removed."""


@dataclass(eq=False, repr=False)
class Entries:
    """Reads and writes entries; translations follow the rules of approval."""

    _storage: MemoryStorage
    _memories: Memories
    _linked: LinkedAccess
    _clock: Clock

    def __post_init__(self) -> None:
        self._store = self._storage.memories

    def list_entries(
        self, caller: Caller, tm_id: str, query: EntryQuery = EntryQuery()
    ) -> Page[MemoryEntry]:
        """Return entries by creation, or as asked. Raise TmNotFound, ValidationFailed,
        LanguageNotInProject."""
        stored = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        code = query.language_code
        if code is not None:
            code = require_tag(code, "query.languageCode")
            self._require_targets(stored, {code: "query.languageCode"})
        search = folded(query.search or "") or None
        query = replace(query, search=search, language_code=code)
        return self._store.list_entries(stored.id, query)

    def create_entry(self, caller: Caller, tm_id: str, new: NewEntry) -> MemoryEntry:
        """Create an entry. Raise TmNotFound, ValidationFailed, LanguageNotInProject,
        LanguageNotAssigned, EntryExists."""
        stored = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_source(new.source_text)
        values = values_by_tag(new.translations)
        with self._storage.transaction():
            writing = self._memories.begin(stored.id)
            self._require_targets(
                stored, {tag: f"$.translations.{tag}" for tag in values}
            )
            self._require_assigned(caller, stored, values)
            applies, now = self._applies(caller, stored), timestamp(self._clock())
            translations = [
                written(None, tag, value, applies=applies, at=now)
                for tag, value in sorted(values.items())
            ]
            entry = MemoryEntry(
                id=new_id(),
                tm_id=stored.id,
                source_text=new.source_text,
                context=new.context,
                created_at=now,
                updated_at=now,
                translations=tuple(each for each in translations if each is not None),
            )
            self._require_free(stored, entry)
            self._store.add_entries(writing, [entry])
        return entry

    def get_entry(self, caller: Caller, tm_id: str, entry_id: str) -> MemoryEntry:
        """Return an entry. Raise TmNotFound, EntryNotFound."""
        stored = self._memories.require(caller, "tm_read", tm_id)
        return self._find(stored, entry_id)

    def update_entry(
        self, caller: Caller, tm_id: str, entry_id: str, changes: EntryChanges
    ) -> MemoryEntry:
        """Change source text and context (service.md); keys no longer contribute to the
        entry.

        That, and another source text, needs the right to write all translations. Raise
        TmNotFound, EntryNotFound, ValidationFailed, PermissionDenied,
        LanguageNotAssigned, EntryExists.
        """
        stored = self._memories.require(caller, "tm_write", tm_id)
        check_record(changes)
        if changes.source_text is not UNSET:
            check_source(changes.source_text)
        with self._storage.transaction():
            writing = self._memories.begin(stored.id)
            old = self._find(stored, entry_id)
            new = replace(old, **given_fields(changes))
            if new == old:
                return old
            is_other = new.source_text != old.source_text
            if is_other or any(
                self._store.find_links(tm_id=stored.id, entry_ids=[old.id])
            ):
                self._require_source(caller, stored, old)
            self._require_free(stored, new)
            new = replace(new, updated_at=timestamp(self._clock()))
            self._store.detach_entries(writing, [new.id])
            self._store.save_entries(writing, [new])
        return new

    def delete_entry(self, caller: Caller, tm_id: str, entry_id: str) -> MemoryEntry:
        """Delete an entry; needs the right to write all its translations. Raise
        TmNotFound, EntryNotFound, PermissionDenied, LanguageNotAssigned."""
        stored = self._memories.require(caller, "tm_write", tm_id)
        with self._storage.transaction():
            writing = self._memories.begin(stored.id)
            entry = self._find(stored, entry_id)
            self._require_source(caller, stored, entry)
            self._store.remove_entries(writing, [entry.id])
        return entry

    def set_translation(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        new: NewEntryTranslation,
    ) -> MemoryEntry:
        """Set a translation, or propose it (service.md, States); "" clears. Raise
        TmNotFound, EntryNotFound, ValidationFailed, LanguageNotInProject,
        LanguageNotAssigned."""
        stored = self._memories.require(caller, "tm_write", tm_id)
        check_record(new)
        check_value(new.value)

        def change(old: Changed, tag: str, now: Timestamp) -> Changed:
            applies = self._applies(caller, stored)
            return written(old, tag, new.value, applies=applies, at=now)

        return self._write(caller, "tm_write", stored, entry_id, lang, change)

    def remove_translation(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Remove a translation and what is proposed, or propose that. Raise as
        ``set_translation``, and LanguageNotFound."""
        stored = self._memories.require(caller, "tm_write", tm_id)

        def change(old: Changed, tag: str, now: Timestamp) -> Changed:
            if old is None:
                raise LanguageNotFound("translation")
            return written(old, tag, "", applies=self._applies(caller, stored), at=now)

        return self._write(
            caller, "tm_write", stored, entry_id, lang, change, must_exist=True
        )

    def approve(
        self, caller: Caller, tm_id: str, entry_id: str, lang: str
    ) -> MemoryEntry:
        """Approve what is proposed. Raise as ``set_translation``, NothingPending."""
        stored = self._memories.require(caller, "tm_approve", tm_id)

        def change(old: Changed, _: str, now: Timestamp) -> Changed:
            return approved(old, at=now)

        return self._write(
            caller, "tm_approve", stored, entry_id, lang, change, must_exist=True
        )

    def reject(
        self,
        caller: Caller,
        tm_id: str,
        entry_id: str,
        lang: str,
        body: ProposalRejection = ProposalRejection(),
    ) -> MemoryEntry:
        """Drop what is proposed. Raise as ``approve``."""
        stored = self._memories.require(caller, "tm_approve", tm_id)
        check_record(body)

        def change(old: Changed, _: str, __: Timestamp) -> Changed:
            return rejected(old)

        return self._write(
            caller, "tm_approve", stored, entry_id, lang, change, must_exist=True
        )

    def _write(
        self,
        caller: Caller,
        permission: str,
        stored: StoredMemory,
        entry_id: str,
        lang: str,
        change: Callable[[Changed, str, Timestamp], Changed],
        *,
        must_exist: bool = False,
    ) -> MemoryEntry:
        """Save what ``change`` makes of a translation. ``must_exist``: a language that
        the memory lacks is LanguageNotFound, else LanguageNotInProject."""
        tag = tag_from_path(lang)
        with self._storage.transaction():
            writing = self._memories.begin(stored.id)
            entry = self._find(stored, entry_id)
            if must_exist and tag not in self._codes(stored):
                raise LanguageNotFound
            self._require_targets(stored, {tag: "path.lang"})
            self._require_assigned(caller, stored, [tag], permission)
            codes = {each.language_code: each for each in entry.translations}
            old, now = codes.pop(tag, None), timestamp(self._clock())
            new = change(old, tag, now)
            if new == old:
                return entry
            if new is None:
                gone = [(entry.id, tag)]
                self._store.write_translations(writing, [], now, gone)
            else:
                codes[tag] = new
                is_learned = False
                if old and replace(old, proposed_value=new.proposed_value) == new:
                    # one that a key contributed stays so if only the proposal differs
                    rows = self._store.translations_of(stored.id, [entry.id])[entry.id]
                    is_learned = any(
                        row.is_learned and row.translation == old for row in rows
                    )
                row = StoredTranslation(entry.id, new, now, is_learned=is_learned)
                self._store.write_translations(writing, [row], now)
        translations = tuple(codes[code] for code in sorted(codes))
        return replace(entry, updated_at=now, translations=translations)

    def _find(self, stored: StoredMemory, entry_id: str) -> MemoryEntry:
        entry = self._store.find_entries(stored.id, [entry_id]).get(entry_id)
        if entry is None:
            raise EntryNotFound
        return entry

    def _require_free(self, stored: StoredMemory, entry: MemoryEntry) -> None:
        texts: Texts = (entry.source_text, entry.context)
        there = self._store.entry_ids_by_text(stored.id, [texts]).get(texts)
        if there is not None and there != entry.id:
            raise EntryExists(
                "an entry with this source text and context is in the memory already"
            )

    def _codes(self, stored: StoredMemory) -> set[str]:
        languages = self._store.list_languages([stored.id])
        return {language.language_code for language in languages}

    def _require_targets(self, stored: StoredMemory, paths: Mapping[str, str]) -> None:
        if paths:
            check_targets(stored.memory, self._codes(stored), paths)

    def _require_assigned(
        self,
        caller: Caller,
        stored: StoredMemory,
        tags: Iterable[str],
        permission: str = "tm_write",
    ) -> None:
        reach = self._memories.reach(caller, stored)
        for tag in tags:
            self._linked.require_language(caller, permission, reach, tag)

    def _require_source(
        self, caller: Caller, stored: StoredMemory, entry: MemoryEntry
    ) -> None:
        approve = "tm_approve" if stored.memory.requires_approval else None
        reach = self._memories.reach(caller, stored)
        self._linked.require_source(
            caller, "tm_write", approve, reach, entry.translations
        )

    def _applies(self, caller: Caller, stored: StoredMemory) -> bool:
        return not stored.memory.requires_approval or self._memories.may(
            caller, "tm_approve", stored
        )


def check_targets(
    memory: TranslationMemory, there: Collection[str], paths: Mapping[str, str]
) -> None:
    """Raise LanguageNotInProject for what is not in ``there``, the target languages of
    the memory. ``paths``: by code, where the request names it."""
    problems = []
    for tag in sorted(set(paths) - set(there)):
        message = f"the memory has no language {tag}"
        if tag == memory.source_language:
            message = (
                f"the source texts of the memory are in {tag}: it cannot be a target"
            )
        problems.append(Problem(paths[tag], "language", message))
    if problems:
        messages = "; ".join(each.message for each in problems)
        raise LanguageNotInProject(messages, problems)


def check_source(text: str) -> None:
    """Raise ValidationFailed if the source text is blank."""
    if not text.strip():
        raise ValidationFailed.at("$.sourceText", "length", "must not be blank")


def check_value(text: str, path: str = "$.value") -> str:
    """Return a value of at most 64 KiB; "" clears. Raise ValidationFailed."""
    if text and not text.strip():
        raise ValidationFailed.at(path, "length", "must not be blank")
    if len(text) * 4 > VALUE_BYTES and len(text.encode()) > VALUE_BYTES:
        message = f"must have at most {VALUE_BYTES} bytes in UTF-8"
        raise ValidationFailed.at(path, "length", message)
    return text


def values_by_tag(values: Mapping[str, str]) -> Mapping[str, str]:
    """Return values by canonical language code, without empty ones. Raise
    LanguageNotInProject for what is no language, ValidationFailed."""
    found: dict[str, str] = {}
    for code, value in values.items():
        tag = canonical_tag(code)
        if tag is None:
            message = f"the memory has no language {abbreviate(code)!r}"
            problem = Problem("$.translations", "language", message)
            raise LanguageNotInProject(message, [problem])
        if tag in found:
            message = f"{tag} is named twice, in two spellings"
            raise ValidationFailed.at(f"$.translations.{tag}", "unique", message)
        found[tag] = check_value(value, f"$.translations.{abbreviate(code)}")
    return {tag: value for tag, value in found.items() if value}

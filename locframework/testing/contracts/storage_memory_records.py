"""Translation memories and entries for the storage contract."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from locframework.fields import new_id, slug
from locframework.memories.records import (
    KeptMemory,
    MemoryEntry,
    MemoryLanguage,
    Penalties,
    TranslationMemory,
)
from locframework.projects.records import Project
from locframework.proposals.records import TermTranslation
from locframework.storage import Storage

from .storage_records import at


def memory(name: str = "Main", **changes: Any) -> TranslationMemory:
    id_ = new_id()
    made = TranslationMemory(
        id=id_,
        slug=slug(name, id_),
        name=name,
        source_language="en",
        min_match_percentage=70,
        penalties=Penalties(),
        requires_approval=False,
        entry_count=0,
        created_at=at(0),
        updated_at=at(0),
    )
    return replace(made, **changes)


def entry(
    of: TranslationMemory, text: str = "Pay", *translations: str, **changes: Any
) -> MemoryEntry:
    """``translations`` are languages with a colon and the value."""
    parts = [each.partition(":") for each in translations]
    made = MemoryEntry(
        id=new_id(),
        tm_id=of.id,
        source_text=text,
        context="",
        created_at=at(0),
        updated_at=at(0),
        translations=tuple(
            TermTranslation(code, value, "approved", at(0), None)
            for code, _, value in parts
        ),
    )
    return replace(made, **changes)


def add_memory(storage: Storage, of: Project, name: str = "Main") -> TranslationMemory:
    made = memory(name)
    storage.memories.insert(KeptMemory(made, of.organization_id))
    return made


def add_languages(storage: Storage, of: TranslationMemory, *codes: str) -> None:
    storage.memories.add_languages(
        [MemoryLanguage(new_id(), of.id, code, code) for code in codes]
    )


def add_entries(storage: Storage, entries: Sequence[MemoryEntry]) -> None:
    with storage.transaction():
        writing = storage.memories.begin(entries[0].tm_id)
        assert writing is not None
        storage.memories.add_entries(writing, entries)

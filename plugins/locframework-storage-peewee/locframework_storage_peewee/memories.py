"""Translation memories, their languages, and the projects that use them.

Management goes through peewee models. ``list_assigned`` runs with matches and writes of
values and is hand-written SQL: 8 µs, not 300 µs.
"""

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import astuple

from locframework.ports import (
    AssignedMemory,
    Assignment,
    MemoryLanguage,
    Page,
    PageRequest,
    Penalties,
    Scope,
    StoredMemory,
    Timestamp,
    TranslationMemory,
)

from .database import insert_one
from .memory_entries import MemoryEntryTables
from .models import MemoryProjectRow, MemoryRow
from .tables import LinkedTable, map_page

_ASSIGNED = """SELECT a.memory_id, a.is_read, a.write_mode, a.priority, a.penalty,
    m.id, m.slug, m.name, m.source_language, m.min_match_percentage, m.penalties,
    m.requires_approval, m.entry_count, m.created_at, m.updated_at
    FROM memory_assignments a
    JOIN memories m ON m.id = a.memory_id AND m.deleted_at IS NULL
    WHERE a.project_id = ? ORDER BY a.priority, m.number"""
_PENALTIES_COLUMN = 5
_ASSIGN = insert_one(
    "memory_assignments",
    "project_id, memory_id, is_read, write_mode, priority, penalty",
    key="project_id, memory_id",
)
_LANGUAGE = "id, memory_id, language_code, label"

_penalties = msgspec.json.Decoder(Penalties)


class MemoryTables(LinkedTable[StoredMemory], MemoryEntryTables):
    """The memory store (locframework/memories/store.py, MemoryStore)."""

    model = MemoryRow
    record = StoredMemory
    link = (MemoryProjectRow, MemoryProjectRow.memory_id)
    counters = ("entry_count",)
    constant = LinkedTable.constant.union(("source_language", "entry_count"))

    def list_memories(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[TranslationMemory]:
        found = self.search(scopes, page, search, project_id)
        return map_page(found, lambda kept: kept.memory)

    def add_languages(self, languages: Sequence[MemoryLanguage]) -> None:
        self._database.run_many(
            insert_one("memory_languages", _LANGUAGE), list(map(astuple, languages))
        )

    def list_languages(self, tm_ids: Collection[str]) -> list[MemoryLanguage]:
        rows = self._database.rows(
            f"""SELECT {_LANGUAGE} FROM memory_languages
                WHERE {self._database.among("memory_id")} ORDER BY id""",
            (self._database.listed(tm_ids),),
        )
        return [MemoryLanguage(*row) for row in rows]

    def assign(
        self, project_id: str, tm_id: str, assignment: Assignment | None
    ) -> None:
        if assignment is not None:
            self._database.run(_ASSIGN, (project_id, *astuple(assignment)))
            return
        self._database.run(
            "DELETE FROM memory_assignments WHERE project_id = ? AND memory_id = ?",
            (project_id, tm_id),
        )

    def list_assigned(self, project_id: str) -> list[AssignedMemory]:
        found = []
        for row in self._database.rows(_ASSIGNED, (project_id,)):
            memory = list(row[5:])
            memory[_PENALTIES_COLUMN] = _penalties.decode(memory[_PENALTIES_COLUMN])
            found.append(
                AssignedMemory(TranslationMemory(*memory), Assignment(*row[:5]))
            )
        return found

    def projects_of(self, tm_id: str) -> list[str]:
        rows = self._database.rows(
            """SELECT a.project_id FROM memory_assignments a
                JOIN projects p ON p.id = a.project_id
                WHERE a.memory_id = ? AND p.deleted_at IS NULL""",
            (tm_id,),
        )
        return [project_id for (project_id,) in rows]

    def forget_removals(self, now: Timestamp, before: Timestamp, rows: int) -> int:
        self._database.run(
            """UPDATE memories SET forgotten = marked, marked = revision, marked_at = ?
                WHERE number IN (SELECT number FROM memories
                    WHERE marked_at < ? ORDER BY marked_at LIMIT ?)""",
            (now, before, rows),
        )
        # CROSS JOIN: SQLite keeps the order, and reads what is to go, not all there are
        return self._database.run(
            """DELETE FROM memory_removals WHERE (memory, revision, entry) IN (
                SELECT r.memory, r.revision, r.entry
                FROM memories m CROSS JOIN memory_removals r
                WHERE m.forgotten > 0 AND r.memory = m.number
                    AND r.revision <= m.forgotten LIMIT ?)""",
            (rows,),
        )

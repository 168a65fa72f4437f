"""Keeps translation memories, their languages, and which projects use them."""

from collections.abc import Sequence

import msgspec

from locframework.ports import (
    AssignedMemory,
    Assignment,
    KeptMemory,
    MemoryLanguage,
    MemoryWriting,
    Page,
    PageRequest,
    Penalties,
    Scope,
    Timestamp,
    TranslationMemory,
    folded,
)

from .columns import json_text
from .database import Database
from .engine import Row
from .memory_entries import LAST_NUMBER, MemoryEntryTables
from .memory_links import MemoryLinkTable
from .pages import Order, page_of
from .sql import SqlFragment, all_of, contains

_MEMORY = """m.id, m.slug, m.name, m.source_language, m.min_match_percentage,
    m.penalties, m.requires_approval, m.entry_count, m.created_at, m.updated_at"""
_LIVE = "memories m WHERE m.deleted_at IS NULL"
_ORDER = Order(
    {"name": "m.name", "createdAt": "m.created_at", "updatedAt": "m.updated_at"},
    tie="m.id",
    default="name",
)
_ASSIGNED = """memory_assignments a JOIN projects p ON p.id = a.project_id
    WHERE a.memory_id = m.id AND p.deleted_at IS NULL"""

_penalties = msgspec.json.Decoder(Penalties)


class MemoryTables(MemoryEntryTables, MemoryLinkTable):
    """The memory store (locframework/memories/store.py, MemoryStore)."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database

    def add_memory(self, kept: KeptMemory) -> None:
        memory = kept.memory
        self._database.run(
            """INSERT INTO memories (id, organization_id, slug, name, folded,
                source_language, min_match_percentage, penalties, requires_approval,
                created_at, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)""",
            (
                memory.id,
                kept.organization_id,
                memory.slug,
                memory.name,
                folded(memory.name),
                memory.source_language,
                memory.min_match_percentage,
                json_text(memory.penalties),
                memory.requires_approval,
                memory.created_at,
                memory.updated_at,
            ),
        )

    def find_memory(self, tm_id: str) -> KeptMemory | None:
        row = self._database.row(
            f"SELECT m.organization_id, {_MEMORY} FROM {_LIVE} AND m.id = ?", (tm_id,)
        )
        return None if row is None else KeptMemory(_memory(row[1:]), row[0])

    def save_memory(self, memory: TranslationMemory) -> None:
        self._database.run(
            """UPDATE memories SET slug = ?, name = ?, folded = ?,
                min_match_percentage = ?, penalties = ?, requires_approval = ?,
                updated_at = ?
                WHERE id = ? AND deleted_at IS NULL""",
            (
                memory.slug,
                memory.name,
                folded(memory.name),
                memory.min_match_percentage,
                json_text(memory.penalties),
                memory.requires_approval,
                memory.updated_at,
                memory.id,
            ),
        )

    def lock_memory(self, tm_id: str) -> None:
        self._database.lock_row("memories", tm_id)

    def delete_memory(self, tm_id: str, at: Timestamp) -> None:
        with self._database.transaction():
            self._database.run(
                "UPDATE memories SET deleted_at = ? WHERE id = ?", (at, tm_id)
            )
            self._database.run(
                "DELETE FROM memory_assignments WHERE memory_id = ?", (tm_id,)
            )

    def list_memories(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[TranslationMemory]:
        parts = [SqlFragment("m.deleted_at IS NULL")]
        if scopes is not None:
            parts.append(self._within(scopes))
        if search:
            parts.append(contains("m.folded", search))
        if project_id is not None:
            used = f"EXISTS (SELECT 1 FROM {_ASSIGNED} AND a.project_id = ?)"
            parts.append(SqlFragment(used, (project_id,)))
        where = all_of(parts)
        return page_of(
            self._database,
            _memory,
            page,
            select=_MEMORY,
            source=f"memories m WHERE {where.sql}",
            order=_ORDER,
            params=where.params,
        )

    def _within(self, scopes: Sequence[Scope]) -> SqlFragment:
        """The condition that a memory is in one of the scopes."""
        database = self._database
        whole = [s.organization_id for s in scopes if s.project_id is None]
        pairs = [f"{s.project_id} {s.organization_id}" for s in scopes if s.project_id]
        linked = database.among("a.project_id || ' ' || m.organization_id")
        return SqlFragment(
            f"""({database.among("m.organization_id")}
                OR EXISTS (SELECT 1 FROM {_ASSIGNED} AND {linked}))""",
            (database.listed(whole), database.listed(pairs)),
        )

    def add_languages(self, languages: Sequence[MemoryLanguage]) -> None:
        self._database.run_many(
            """INSERT INTO memory_languages (id, memory_id, language_code, label)
                VALUES (?,?,?,?)""",
            [
                (each.id, each.tm_id, each.language_code, each.label)
                for each in languages
            ],
        )

    def list_languages(self, tm_id: str) -> list[MemoryLanguage]:
        rows = self._database.rows(
            """SELECT id, memory_id, language_code, label FROM memory_languages
                WHERE memory_id = ? ORDER BY id""",
            (tm_id,),
        )
        return [MemoryLanguage(*row) for row in rows]

    def remove_language(self, writing: MemoryWriting, language_code: str) -> None:
        with self._database.transaction():
            self._database.run(
                """DELETE FROM memory_languages
                    WHERE memory_id = ? AND language_code = ?""",
                (writing.tm_id, language_code),
            )
            self._drop_translations_in(writing, language_code, (0, LAST_NUMBER))

    def assign(self, project_id: str, assignment: Assignment) -> None:
        self._database.run(
            """INSERT INTO memory_assignments
                (project_id, memory_id, is_read, write_mode, priority, penalty)
                VALUES (?,?,?,?,?,?) ON CONFLICT (project_id, memory_id) DO UPDATE SET
                is_read = excluded.is_read, write_mode = excluded.write_mode,
                priority = excluded.priority, penalty = excluded.penalty""",
            (
                project_id,
                assignment.tm_id,
                assignment.read,
                assignment.write_mode,
                assignment.priority,
                assignment.penalty,
            ),
        )

    def unassign(self, project_id: str, tm_id: str) -> None:
        self._database.run(
            "DELETE FROM memory_assignments WHERE project_id = ? AND memory_id = ?",
            (project_id, tm_id),
        )

    def list_assigned(self, project_id: str) -> list[AssignedMemory]:
        rows = self._database.rows(
            f"""SELECT a.memory_id, a.is_read, a.write_mode, a.priority, a.penalty,
                {_MEMORY} FROM memory_assignments a
                JOIN memories m ON m.id = a.memory_id AND m.deleted_at IS NULL
                WHERE a.project_id = ? ORDER BY a.priority, m.number""",
            (project_id,),
        )
        return [AssignedMemory(_memory(row[5:]), Assignment(*row[:5])) for row in rows]

    def projects_of(self, tm_id: str) -> list[str]:
        rows = self._database.rows(
            """SELECT a.project_id FROM memory_assignments a
                JOIN projects p ON p.id = a.project_id
                WHERE a.memory_id = ? AND p.deleted_at IS NULL""",
            (tm_id,),
        )
        return [project_id for (project_id,) in rows]

    def purge_memories(self, before: Timestamp, rows: int) -> int:
        gone = 0
        with self._database.transaction():
            dead = self._database.rows(
                """SELECT number FROM memories WHERE deleted_at < ?
                    ORDER BY deleted_at LIMIT ?""",
                (before, rows),
            )
            for (number,) in dead:
                gone += self._purge_entries(number, rows - gone)
                if gone >= rows:
                    break
                gone += self._database.run(
                    "DELETE FROM memories WHERE number = ?", (number,)
                )
        return gone

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


def _memory(row: Row) -> TranslationMemory:
    id_, slug, name, source_language, least, penalties, *rest = row
    requires_approval, entry_count, created_at, updated_at = rest
    return TranslationMemory(
        id=id_,
        slug=slug,
        name=name,
        source_language=source_language,
        min_match_percentage=least,
        penalties=_penalties.decode(penalties),
        requires_approval=requires_approval,
        entry_count=entry_count,
        created_at=created_at,
        updated_at=updated_at,
    )

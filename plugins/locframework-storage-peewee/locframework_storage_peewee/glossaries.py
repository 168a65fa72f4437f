"""Keeps glossaries, and which projects they are linked to; terms stand in terms.py."""

from collections.abc import Sequence

from msgspec.structs import replace

from locframework.ports import (
    Glossary,
    Page,
    PageRequest,
    Scope,
    StoredGlossary,
    Timestamp,
    folded,
)

from .database import Database
from .engine import Row
from .pages import Order, page_of
from .sql import SqlFragment, all_of, contains

_GLOSSARY = """g.id, g.slug, g.name, g.source_language, g.requires_approval,
    g.term_count, g.created_at, g.updated_at, g.organization_id, g.revision"""
_LIVE = SqlFragment("g.deleted_at IS NULL")
_LINKED = """glossary_projects l JOIN projects p ON p.id = l.project_id
    WHERE l.glossary_id = g.id AND p.deleted_at IS NULL"""
_ORDER = Order(
    {"name": "g.name", "createdAt": "g.created_at", "updatedAt": "g.updated_at"},
    tie="g.id",
    default="name",
)


class GlossaryTables:
    """The glossary store (locframework/glossaries/store.py, GlossaryStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_glossary(self, glossary: Glossary, organization_id: str) -> None:
        self._database.run(
            """INSERT INTO glossaries (id, slug, organization_id, name, folded,
                source_language, requires_approval, term_count, revision, created_at,
                updated_at) VALUES (?,?,?,?,?,?,?,0,0,?,?)""",
            (
                glossary.id,
                glossary.slug,
                organization_id,
                glossary.name,
                folded(glossary.name),
                glossary.source_language,
                glossary.requires_approval,
                glossary.created_at,
                glossary.updated_at,
            ),
        )

    def find_glossary(self, glossary_id: str) -> StoredGlossary | None:
        row = self._database.row(
            f"SELECT {_GLOSSARY} FROM glossaries g WHERE {_LIVE.sql} AND g.id = ?",
            (glossary_id,),
        )
        return self._with_projects([_glossary(row)])[0] if row else None

    def save_glossary(self, glossary: Glossary) -> None:
        self._database.run(
            """UPDATE glossaries SET slug = ?, name = ?, folded = ?,
                source_language = ?, requires_approval = ?, updated_at = ?,
                revision = revision + 1
                WHERE id = ? AND deleted_at IS NULL""",
            (
                glossary.slug,
                glossary.name,
                folded(glossary.name),
                glossary.source_language,
                glossary.requires_approval,
                glossary.updated_at,
                glossary.id,
            ),
        )

    def lock_glossary(self, glossary_id: str) -> None:
        self._database.lock_row("glossaries", glossary_id)

    def delete_glossary(self, glossary_id: str, at: Timestamp) -> None:
        with self._database.transaction():
            self._database.run(
                """UPDATE glossaries SET deleted_at = ?
                    WHERE id = ? AND deleted_at IS NULL""",
                (at, glossary_id),
            )
            self._database.run(
                "DELETE FROM glossary_projects WHERE glossary_id = ?", (glossary_id,)
            )

    def purge_glossaries(self, before: Timestamp, rows: int) -> int:
        gone = 0
        with self._database.transaction():
            while gone < rows:
                row = self._database.row(
                    """SELECT id FROM glossaries WHERE deleted_at < ?
                        ORDER BY deleted_at LIMIT 1""",
                    (before,),
                )
                if row is None:
                    break
                some = self._database.run(
                    """DELETE FROM terms WHERE id IN (
                        SELECT id FROM terms WHERE glossary_id = ? LIMIT ?)""",
                    (row[0], rows - gone),
                )
                gone += some
                if gone < rows:
                    gone += self._database.run(
                        "DELETE FROM glossaries WHERE id = ?", row
                    )
        return gone

    def list_glossaries(
        self,
        scopes: Sequence[Scope] | None,
        page: PageRequest,
        *,
        search: str | None = None,
        project_id: str | None = None,
    ) -> Page[StoredGlossary]:
        parts = [_LIVE]
        if scopes is not None:
            parts.append(self._within(scopes))
        if search:
            parts.append(contains("g.folded", search))
        if project_id is not None:
            used = f"EXISTS (SELECT 1 FROM {_LINKED} AND l.project_id = ?)"
            parts.append(SqlFragment(used, (project_id,)))
        where = all_of(parts)
        found = page_of(
            self._database,
            _glossary,
            page,
            select=_GLOSSARY,
            source=f"glossaries g WHERE {where.sql}",
            order=_ORDER,
            params=where.params,
        )
        return replace(found, items=self._with_projects(found.items))

    def link(self, glossary_id: str, project_id: str) -> bool:
        added = self._database.run(
            """INSERT INTO glossary_projects (glossary_id, project_id) VALUES (?, ?)
                ON CONFLICT (glossary_id, project_id) DO NOTHING""",
            (glossary_id, project_id),
        )
        return added == 1

    def unlink(self, glossary_id: str, project_id: str) -> bool:
        gone = self._database.run(
            "DELETE FROM glossary_projects WHERE glossary_id = ? AND project_id = ?",
            (glossary_id, project_id),
        )
        return gone == 1

    def linked_to(self, project_id: str) -> list[StoredGlossary]:
        rows = self._database.rows(
            f"""SELECT {_GLOSSARY} FROM glossary_projects l
                JOIN glossaries g ON g.id = l.glossary_id
                WHERE l.project_id = ? AND {_LIVE.sql} ORDER BY g.name, g.id""",
            (project_id,),
        )
        found = [_glossary(row) for row in rows]
        return self._with_projects(found) if found else []

    def _with_projects(self, found: Sequence[StoredGlossary]) -> list[StoredGlossary]:
        database = self._database
        rows = database.rows(
            f"""SELECT l.glossary_id, l.project_id FROM glossary_projects l
                JOIN projects p ON p.id = l.project_id
                WHERE {database.among("l.glossary_id")} AND p.deleted_at IS NULL
                ORDER BY l.project_id""",
            (database.listed([each.id for each in found]),),
        )
        projects: dict[str, list[str]] = {each.id: [] for each in found}
        for glossary_id, project_id in rows:
            projects[glossary_id].append(project_id)
        return [
            replace(
                each,
                glossary=replace(each.glossary, project_ids=tuple(projects[each.id])),
            )
            for each in found
        ]

    def _within(self, scopes: Sequence[Scope]) -> SqlFragment:
        """The condition that a glossary is in one of the scopes."""
        database = self._database
        whole = [s.organization_id for s in scopes if s.project_id is None]
        pairs = [f"{s.project_id} {s.organization_id}" for s in scopes if s.project_id]
        linked = database.among("l.project_id || ' ' || g.organization_id")
        return SqlFragment(
            f"""({database.among("g.organization_id")}
                OR EXISTS (SELECT 1 FROM {_LINKED} AND {linked}))""",
            (database.listed(whole), database.listed(pairs)),
        )


def _glossary(row: Row) -> StoredGlossary:
    id_, slug, name, source_language, requires_approval, term_count, *rest = row
    created_at, updated_at, organization_id, revision = rest
    glossary = Glossary(
        id=id_,
        slug=slug,
        name=name,
        source_language=source_language,
        requires_approval=requires_approval,
        project_ids=(),
        term_count=term_count,
        created_at=created_at,
        updated_at=updated_at,
    )
    return StoredGlossary(glossary, organization_id, revision)

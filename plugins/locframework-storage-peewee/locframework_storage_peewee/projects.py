"""Keeps projects and their languages."""

from collections.abc import Sequence

import msgspec

from locframework.ports import (
    Language,
    Page,
    PageRequest,
    Project,
    Scope,
    Severity,
    Timestamp,
)

from . import key_lists
from .columns import json_text
from .counts import count_words_anew
from .database import Database
from .engine import Row
from .key_findings import drop_findings_in
from .pages import Order, page_of
from .purge import purge_project

_KEPT = """id, slug, organization_id, name, description, source_language,
    key_separator, main_protected, tm_enabled, blocking_checks,
    check_severities"""
_PROJECT = """p.id, p.slug, p.organization_id, p.name, p.description,
    p.source_language, p.key_separator, p.main_protected, p.tm_enabled,
    p.blocking_checks, p.check_severities, c.key_count, p.created_at, p.updated_at"""
_PROJECTS = """projects p JOIN lines c ON c.id = p.id
    WHERE p.deleted_at IS NULL"""
_LANGUAGE = """id, project_id, language_code, label, icon, direction, is_source,
    fallback_language_code, plural_forms, created_at"""
_ORDER = Order(
    {"name": "p.name", "createdAt": "p.created_at", "updatedAt": "p.updated_at"},
    tie="p.id",
    default="name",
)

_texts = msgspec.json.Decoder(tuple[str, ...])
_severities = msgspec.json.Decoder(dict[str, Severity])


class ProjectTables:
    """The project store (locframework/projects/store.py, ProjectStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_project(self, project: Project) -> None:
        with self._database.transaction():
            self._database.run(
                f"""INSERT INTO projects ({_KEPT}, created_at, updated_at)
                    VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)""",
                (
                    project.id,
                    project.slug,
                    project.organization_id,
                    project.name,
                    project.description,
                    project.source_language,
                    project.key_separator,
                    project.main_protected,
                    project.tm_enabled,
                    json_text(project.blocking_checks),
                    json_text(project.check_severities),
                    project.created_at,
                    project.updated_at,
                ),
            )
            # the key store counts here, in the transactions that add and remove keys
            self._database.run(
                "INSERT INTO lines (id, project_id, key_count) VALUES (?, ?, 0)",
                (project.id, project.id),
            )

    def find_project(self, project_id: str) -> Project | None:
        row = self._database.row(
            f"SELECT {_PROJECT} FROM {_PROJECTS} AND p.id = ?", (project_id,)
        )
        return _project(row) if row else None

    def save_project(self, project: Project) -> None:
        old = self.find_project(project.id)
        with self._database.transaction():
            self._save(project)
            if old is not None and old.source_language != project.source_language:
                lines = key_lists.lines_of(self._database, project.id)
                count_words_anew(self._database, project.id, lines)

    def has_keys(self, project_id: str) -> bool:
        row = self._database.row(
            """SELECT 1 FROM lines l LEFT JOIN branches b ON b.id = l.id
                WHERE l.project_id = ? AND l.key_count > 0
                AND coalesce(b.status, 'open') NOT IN ('merged', 'closed') LIMIT 1""",
            (project_id,),
        )
        return row is not None

    def lock_project(self, project_id: str) -> None:
        self._database.lock_row("projects", project_id)

    def delete_project(self, project_id: str, at: Timestamp) -> None:
        self._database.run(
            "UPDATE projects SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL",
            (at, project_id),
        )

    def purge_projects(self, before: Timestamp, rows: int) -> int:
        gone = 0
        with self._database.transaction():
            while gone < rows:
                row = self._database.row(
                    """SELECT id FROM projects WHERE deleted_at < ?
                        ORDER BY deleted_at LIMIT 1""",
                    (before,),
                )
                if row is None:
                    break
                gone += purge_project(self._database, row[0], rows - gone)
        return gone

    def list_projects(
        self, scopes: Sequence[Scope] | None, page: PageRequest
    ) -> Page[Project]:
        source: str = _PROJECTS
        params: list[object] = []
        if scopes is not None:
            condition, params = self._within(scopes)
            source += f" AND {condition}"
        return page_of(
            self._database,
            _project,
            page,
            select=_PROJECT,
            source=source,
            order=_ORDER,
            params=params,
        )

    def add_language(self, language: Language) -> None:
        with self._database.transaction():
            self._database.run(
                f"INSERT INTO languages ({_LANGUAGE}) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    language.id,
                    language.project_id,
                    language.language_code,
                    language.label,
                    language.icon,
                    language.direction,
                    language.is_source,
                    language.fallback_language_code,
                    json_text(language.plural_forms),
                    language.created_at,
                ),
            )
            key_lists.add_language(
                self._database, language.project_id, language.language_code
            )

    def save_language(self, language: Language) -> None:
        self._database.run(
            """UPDATE languages SET label = ?, icon = ?, direction = ?, is_source = ?,
                fallback_language_code = ?, plural_forms = ?
                WHERE project_id = ? AND language_code = ?""",
            (
                language.label,
                language.icon,
                language.direction,
                language.is_source,
                language.fallback_language_code,
                json_text(language.plural_forms),
                language.project_id,
                language.language_code,
            ),
        )

    def list_languages(self, project_id: str) -> list[Language]:
        rows = self._database.rows(
            f"""SELECT {_LANGUAGE} FROM languages WHERE project_id = ? AND EXISTS (
                SELECT 1 FROM projects p
                WHERE p.id = languages.project_id AND p.deleted_at IS NULL)
                ORDER BY id""",
            (project_id,),
        )
        return [_language(row) for row in rows]

    def remove_language(self, project_id: str, language_code: str) -> None:
        with self._database.transaction():
            self._database.run(
                "DELETE FROM languages WHERE project_id = ? AND language_code = ?",
                (project_id, language_code),
            )
            key_lists.remove_language(self._database, project_id, language_code)
            for line_id in key_lists.lines_of(self._database, project_id):
                drop_findings_in(self._database, line_id, language_code)

    def _save(self, project: Project) -> None:
        self._database.run(
            """UPDATE projects SET slug = ?, name = ?, description = ?,
                source_language = ?, key_separator = ?, main_protected = ?,
                tm_enabled = ?, blocking_checks = ?, check_severities = ?,
                updated_at = ?
                WHERE id = ? AND deleted_at IS NULL""",
            (
                project.slug,
                project.name,
                project.description,
                project.source_language,
                project.key_separator,
                project.main_protected,
                project.tm_enabled,
                json_text(project.blocking_checks),
                json_text(project.check_severities),
                project.updated_at,
                project.id,
            ),
        )

    def _within(self, scopes: Sequence[Scope]) -> tuple[str, list[object]]:
        """The condition that a project is in one of the scopes."""
        database = self._database
        whole = [s.organization_id for s in scopes if s.project_id is None]
        single = [s for s in scopes if s.project_id is not None]
        if len(whole) == 1 and not single:
            return "p.organization_id = ?", [*whole]  # one walk of the index
        pairs = [f"{s.project_id} {s.organization_id}" for s in single]
        condition = f"""({database.among("p.organization_id")}
            OR {database.among("p.id")}
            AND {database.among("p.id || ' ' || p.organization_id")})"""
        ids = [s.project_id for s in single if s.project_id is not None]
        return condition, [database.listed(texts) for texts in (whole, ids, pairs)]


def _project(row: Row) -> Project:
    id_, slug, organization_id, name, description, source_language, *rest = row
    separator, protected, tm_enabled, checks, severities, key_count, *times = rest
    created_at, updated_at = times
    return Project(
        id=id_,
        slug=slug,
        organization_id=organization_id,
        name=name,
        description=description,
        source_language=source_language,
        key_separator=separator,
        main_protected=protected,
        tm_enabled=tm_enabled,
        blocking_checks=_texts.decode(checks),
        check_severities=_severities.decode(severities),
        key_count=key_count,
        created_at=created_at,
        updated_at=updated_at,
    )


def _language(row: Row) -> Language:
    id_, project_id, language_code, label, icon, direction, is_source, *rest = row
    fallback, plural_forms, created_at = rest
    return Language(
        id=id_,
        project_id=project_id,
        language_code=language_code,
        label=label,
        icon=icon,
        direction=direction,
        is_source=is_source,
        fallback_language_code=fallback,
        plural_forms=_texts.decode(plural_forms),
        created_at=created_at,
    )

"""Projects and their languages.

Management goes through peewee models. ``find`` and ``lock`` of a project and
``list_languages`` run with every request or write, and are hand-written SQL: 6 µs, not
250 µs.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from locframework.ports import (
    AiSettings,
    Language,
    Page,
    PageRequest,
    Project,
    Scope,
    Severity,
    Timestamp,
)

from .database import Database
from .engine import Row
from .key_values import count_words_again, remove_language
from .models import LanguageRow, LineRow, ProjectRow
from .tables import Table, in_scopes

_PROJECT = """SELECT p.id, p.slug, p.organization_id, p.name, p.description,
    p.source_language, p.key_separator, p.main_protected, p.tm_enabled,
    p.blocking_checks, p.check_severities, p.disabled_checks, p.ai, l.key_count,
    p.created_at, p.updated_at
    FROM projects p JOIN lines l ON l.id = p.id
    WHERE p.id = ? AND p.deleted_at IS NULL"""
_LANGUAGES = """SELECT l.id, l.project_id, l.language_code, l.label, l.icon,
    l.direction, l.is_source, l.fallback_language_code, l.plural_forms, l.created_at
    FROM languages l JOIN projects p ON p.id = l.project_id
    WHERE l.project_id = ? AND p.deleted_at IS NULL ORDER BY l.id"""
_HAS_KEYS = """SELECT 1 FROM lines l LEFT JOIN branches b ON b.id = l.id
    WHERE l.project_id = ? AND l.key_count > 0
    AND coalesce(b.status, 'open') NOT IN ('merged', 'closed') LIMIT 1"""

_texts = msgspec.json.Decoder(tuple[str, ...])
_ai = msgspec.json.Decoder(AiSettings)
_severities = msgspec.json.Decoder(dict[str, Severity])


class LanguageTable(Table[Language]):
    model = LanguageRow
    record = Language
    parent = "project_id"
    constant = Table.constant | {"language_code"}

    def delete(self, record_id: str, at: Timestamp) -> None:
        language = self.find(record_id)
        if language is None:
            return
        project_id, code = language.project_id, language.language_code
        with self._database.transaction():
            super().delete(record_id, at)
            remove_language(self._database, project_id, code)


class ProjectTables(Table[Project]):
    """The project store (locframework/projects/store.py, ProjectStore)."""

    model = ProjectRow
    record = Project

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.languages = LanguageTable(database)

    def insert(self, record: Project) -> None:
        with self._database.transaction():
            super().insert(record)
            # the key store counts here, in the transactions that add and remove keys
            self.write(LineRow.insert(id=record.id, project_id=record.id, key_count=0))

    def find(self, record_id: str, parent_id: str | None = None) -> Project | None:
        row = self._database.row(_PROJECT, (record_id,))
        return _project(row) if row else None

    def lock(self, record_id: str) -> Project | None:
        self._database.require_transaction()
        locked = _PROJECT + self._database.engine.for_update
        row = self._database.row(locked, (record_id,))
        return _project(row) if row else None

    def update(self, record: Project) -> None:
        old = self.find(record.id)
        with self._database.transaction():
            super().update(record)
            if old is not None and old.source_language != record.source_language:
                count_words_again(self._database, record.id)

    def has_keys(self, project_id: str) -> bool:
        return self._database.row(_HAS_KEYS, (project_id,)) is not None

    def select(self) -> Any:
        query = super().select().select_extend(LineRow.key_count)
        return query.join(LineRow, on=LineRow.id == ProjectRow.id)

    def list_projects(
        self, scopes: Sequence[Scope] | None, page: PageRequest
    ) -> Page[Project]:
        query = self.select()
        if scopes is not None:
            query = query.where(in_scopes(ProjectRow, scopes, self._database))
        return self.page(query, page)

    def list_languages(self, project_id: str) -> list[Language]:
        return [
            _language(row) for row in self._database.rows(_LANGUAGES, (project_id,))
        ]


def _project(row: Row) -> Project:
    *own, blocking, severities, disabled, ai, key_count, created_at, updated_at = row
    values = [*own, _texts.decode(blocking), _severities.decode(severities)]
    values += [_texts.decode(disabled), _ai.decode(ai)]
    values += [key_count, created_at, updated_at]
    return Project(*values)


def _language(row: Row) -> Language:
    *own, plural_forms, created_at = row
    values = [*own, _texts.decode(plural_forms), created_at]
    return Language(*values)

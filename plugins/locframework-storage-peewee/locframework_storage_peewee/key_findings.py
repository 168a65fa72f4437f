"""Keeps what checks found in the texts of keys."""

from collections.abc import Collection, Mapping, Sequence

from locframework.ports import (
    Finding,
    FindingFilter,
    KeyFinding,
    KeyLanguage,
    Page,
    PageRequest,
    SortedRequest,
)

from .database import Database, SqlFragment, all_of, chunks, fields, one_of
from .key_columns import IN_PROJECT, PROJECT, ScopedStore, Source, plain_id
from .key_dismissals import is_open

_FINDING = """f.message, f.start_at, f.end_at, NULLIF(f.plural_form, ''),
    f.check_name, f.texts_hash"""
_KEPT = """key_number, language_code, place, project, key, plural_form, check_name,
    start_at, end_at, message, texts_hash"""
_plain = fields("check, start, end, message, texts_hash")
_NUMBER = "(SELECT number FROM keys WHERE id = ?)"


class KeyFindings(ScopedStore):
    """What checks found in the values of keys."""

    def findings_of(self, key_ids: Collection[str]) -> dict[KeyLanguage, list[Finding]]:
        found: dict[KeyLanguage, list[Finding]] = {}
        sql = f"""SELECT k.id, f.language_code, {_FINDING} FROM keys k
            JOIN findings f ON f.key_number = k.number
            WHERE {self._database.among("k.id")} ORDER BY f.place"""
        rows = self._database.rows_of(self._rows_to_read(key_ids), sql)
        for row_id, language_code, *rest in rows:
            place = plain_id(row_id), language_code
            found.setdefault(place, []).append(Finding(*rest))
        return found

    def put_findings(self, found: Mapping[KeyLanguage, Sequence[Finding]]) -> None:
        rows = [(id_ + self._mark, code, found[id_, code]) for id_, code in found]
        with self._database.transaction():
            self._database.run_many(
                f"""DELETE FROM findings
                    WHERE key_number = {_NUMBER} AND language_code = ?""",
                [(row_id, code) for row_id, code, _ in rows],
            )
            self._database.run_many(
                f"""INSERT INTO findings ({_KEPT})
                    SELECT k.number, ?, ?, k.project, k.key, ?, ?, ?, ?, ?, ?
                    FROM keys k
                    WHERE k.id = ? AND k.deleted_at IS NULL""",
                [
                    (code, place, finding.plural_form or "", *_plain(finding), row_id)
                    for row_id, code, findings in rows
                    for place, finding in enumerate(findings)
                ],
            )

    def list_findings(
        self, project_id: str, where: FindingFilter, page: PageRequest
    ) -> Page[KeyFinding]:
        if not where.checks:
            return Page([], 0, page.page, page.limit)
        parts = [_of(source, where) for source in self._sources(project_id)]
        params = [param for part in parts for param in part.params]
        counts = " + ".join(
            f"(SELECT count(*) FROM findings f WHERE {part.sql})" for part in parts
        )
        walks = " UNION ALL ".join(
            f"SELECT f.* FROM findings f WHERE {part.sql}" for part in parts
        )
        backwards = isinstance(page, SortedRequest) and page.sort == "-key"
        way = "DESC" if backwards else "ASC"
        with self._database.snapshot():
            counted = self._database.row(f"SELECT {counts}", params)
            rows = self._database.rows(
                f"""SELECT k.id, f.key, f.language_code, {_FINDING} FROM ({walks}) f
                    JOIN keys k ON k.number = f.key_number
                    JOIN languages l ON l.project_id = ?
                        AND l.language_code = f.language_code
                    ORDER BY f.key {way}, l.id {way}, f.place {way} LIMIT ? OFFSET ?""",
                (*params, project_id, page.limit, page.offset),
            )
        items = [
            KeyFinding(plain_id(row_id), name, code, Finding(*rest))
            for row_id, name, code, *rest in rows
        ]
        return Page(items, counted[0] if counted else 0, page.page, page.limit)


def copy_findings(database: Database, key_ids: Collection[str], mark: str) -> None:
    """Keys with this mark after their id get the findings of those without it."""
    for some in chunks(key_ids):
        database.run(
            f"""INSERT INTO findings ({_KEPT})
                SELECT c.number, f.language_code, f.place, c.project, c.key,
                    f.plural_form, f.check_name, f.start_at, f.end_at, f.message,
                    f.texts_hash
                FROM findings f JOIN keys k ON k.number = f.key_number
                JOIN keys c ON c.id = k.id || ? WHERE {database.among("k.id")}""",
            (mark, database.listed(some)),
        )


def rename_findings(database: Database, names: Collection[tuple[str, str]]) -> None:
    """Keys have new names: each with its id."""
    database.run_many(
        f"UPDATE findings SET key = ? WHERE key_number = {_NUMBER}", names
    )


def drop_findings(database: Database, line_id: str, key_ids: Collection[str]) -> None:
    """Keys of a line lose their findings; CHUNK of them at most."""
    database.run(
        f"""DELETE FROM findings WHERE key_number IN (
            SELECT number FROM keys WHERE {database.among("id")} AND {IN_PROJECT})""",
        (database.listed(key_ids), line_id),
    )


def _of(source: Source, where: FindingFilter) -> SqlFragment:
    # those of one key are found by it, as IN_PROJECT says
    of_line = f"project = {PROJECT}" if where.key_id is None else IN_PROJECT
    parts = [
        SqlFragment(f"f.{of_line}", (source.line_id,)),
        one_of("f.check_name", where.checks),
        is_open(source),
    ]
    if source.branch_id is not None:
        shown = source.shows("k")
        parts.append(
            SqlFragment(
                f"""EXISTS (SELECT 1 FROM keys k
                    WHERE k.number = f.key_number AND {shown.sql})""",
                shown.params,
            )
        )
    if where.language_code is not None:
        parts.append(SqlFragment("f.language_code = ?", (where.language_code,)))
    if where.key_id is not None:
        parts.append(
            SqlFragment(f"f.key_number = {_NUMBER}", (where.key_id + source.mark,))
        )
    return all_of(parts)

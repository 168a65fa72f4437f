"""Keeps the values of keys, and what they were before."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from msgspec.structs import astuple, replace

from locframework.ports import (
    Page,
    PageRequest,
    Revision,
    StoredKey,
    StoredValue,
    Timestamp,
    outdated,
)

from .counts import counts_of_keys, latest, update_counts
from .database import Database, chunks, insert_one
from .engine import Row
from .key_columns import (
    FOLDED_BREAK,
    OF_PROJECT,
    PROJECT,
    REVISION_KEPT,
    VALUE,
    VALUE_KEPT,
    ScopedStore,
    plain_id,
    value_row,
)

_number_of = itemgetter(-1)
_PLACE = "key_number = ? AND language_code = ? AND plural_form = ?"
_PUT = insert_one(
    "key_values", VALUE_KEPT, key="key_number, language_code, plural_form"
)

_OF_VALUE = " UNION ALL ".join(
    f"""SELECT {REVISION_KEPT} FROM {table}
        WHERE key_number = (SELECT number FROM keys WHERE id = ?)
        AND language_code = ?"""
    for table in ("key_values", "value_revisions")
)
_HISTORY = f"""WITH seen AS ({_OF_VALUE}), base AS ({_OF_VALUE}), first AS (
    SELECT plural_form, MIN(revision) AS revision FROM seen GROUP BY plural_form),
    ended AS (SELECT plural_form,
        MAX(CASE WHEN status = 'untranslated' THEN revision ELSE 0 END) AS revision
        FROM base GROUP BY plural_form),
    history AS (SELECT * FROM seen UNION ALL SELECT base.* FROM base
        JOIN ended ON ended.plural_form = base.plural_form
        LEFT JOIN first ON first.plural_form = base.plural_form
        WHERE base.revision < COALESCE(first.revision, ended.revision + 1))"""
"""The revisions of a value as it is seen, and those that it had where it was copied
from. Of a form that the copy never had, what was written since it was cleared came
after the copy."""
_NEWEST_FIRST = """MAX(updated_at) OVER (PARTITION BY plural_form ORDER BY revision)
    DESC, revision DESC, plural_form"""
"""A branch inherits revisions of main, and main may have written one of them after the
branch wrote a later one."""
_TEXTS = """SELECT k.number, k.folded || ? || coalesce((
        SELECT group_concat(v.folded, ?) FROM key_values v
        WHERE v.key_number = k.number), '') AS text FROM keys k"""


class KeyValues(ScopedStore):
    """Values of keys, and what they were before."""

    def values_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
    ) -> dict[str, list[StoredValue]]:
        condition = f"{self._database.among('k.id')} AND k.deleted_at IS NULL"
        listed = (
            [self._database.listed(language_codes)]
            if language_codes is not None
            else []
        )
        if listed:
            condition += f" AND {self._database.among('v.language_code')}"
        found: dict[str, list[StoredValue]] = {}
        for some in chunks(self._rows_to_read(key_ids)):
            rows = self._database.rows(
                f"""SELECT k.id, {VALUE} FROM keys k
                    JOIN key_values v ON v.key_number = k.number WHERE {condition}""",
                (self._database.listed(some), *listed),
            )
            for row in rows:
                found.setdefault(row[0], []).append(StoredValue(*row))
        if not self._mark:
            return found
        return {
            plain_id(row_id): [replace(each, key_id=plain_id(row_id)) for each in texts]
            for row_id, texts in found.items()
        }

    def write_values(
        self,
        key_ids: Collection[str],
        at: Timestamp,
        values: Sequence[StoredValue] = (),
        cleared: Sequence[StoredValue] = (),
        revisions: Sequence[Revision] = (),
        *,
        read: StoredKey | None = None,
    ) -> bool:
        database = self._database
        with database.transaction():
            lists = list(map(database.listed, chunks(self._rows_to_write(key_ids))))
            numbers = self._touch(lists, at, read)
            if read is not None and not numbers:
                return False
            rows = [_revision_row(each, numbers[each.key_id]) for each in revisions]
            rows.sort(key=_number_of)
            database.insert_many("value_revisions", REVISION_KEPT, rows)
            if not (values or cleared):
                return True
            times = latest(values)
            counts = counts_of_keys(database, lists)
            if cleared:
                times = {each.language_code: at for each in cleared} | times
                gone = [
                    (numbers[each.key_id], each.language_code, each.plural_form or "")
                    for each in cleared
                ]
                database.run_many(f"DELETE FROM key_values WHERE {_PLACE}", gone)
            database.run_many(_PUT, _rows(numbers, values))
            index_texts(database, lists)
            update_counts(database, lists, counts, times)
        return True

    def mark_outdated(
        self, key_ids: Collection[str], source_language: str
    ) -> list[StoredValue]:
        turned: list[StoredValue] = []
        with self._database.transaction():
            for some in chunks(self._rows_to_write(key_ids)):
                turned += _mark_outdated(self._database, some, source_language)
        return turned

    def revisions_of(
        self,
        key_ids: Collection[str],
        language_codes: Collection[str] | None = None,
        *,
        cleared: bool = False,
    ) -> list[Revision]:
        tables = ("value_revisions",) if cleared else ("key_values", "value_revisions")
        more = "AND v.status = 'untranslated'" if cleared else ""
        return [
            each
            for table in tables
            for each in _revisions(self._database, table, key_ids, language_codes, more)
        ]

    def list_revisions(
        self, key_id: str, language_code: str, page: PageRequest
    ) -> Page[Revision]:
        with self._database.snapshot():
            [row_id] = self._rows_to_read([key_id])
            base_id = "" if row_id == key_id else key_id
            params = [row_id, language_code] * 2 + [base_id, language_code] * 2
            rows = self._database.rows(
                f"""{_HISTORY} SELECT * FROM history
                    ORDER BY {_NEWEST_FIRST} LIMIT ? OFFSET ?""",
                (*params, page.limit, page.offset),
            )
            [(total,)] = self._database.rows(
                f"{_HISTORY} SELECT COUNT(*) FROM history", params
            )
        items = [_revision((key_id, *row[:-1])) for row in rows]
        return Page(items, total, page.page, page.limit)

    def _touch(
        self, lists: Iterable[object], at: Timestamp, read: StoredKey | None
    ) -> dict[str, int]:
        """Set ``updated_at`` of the keys with these row ids; return numbers by id."""
        which, params = f"{self._database.among('id')} AND deleted_at IS NULL", []
        if read is not None:
            which, params = f"{which} AND updated_at = ?", [read.updated_at]
        numbers: dict[str, int] = {}
        for ids in lists:
            numbers |= self._database.run_rows(
                f"UPDATE keys SET updated_at = ? WHERE {which} RETURNING id, number",
                (at, ids, *params),
            )
        if not self._mark:
            return numbers
        return {plain_id(row_id): number for row_id, number in numbers.items()}


def add_values(
    database: Database, numbers: Mapping[str, int], values: Sequence[StoredValue]
) -> None:
    """Insert values of new keys, ``numbers`` by id. The statistics stay as they are."""
    database.insert_many("key_values", VALUE_KEPT, _rows(numbers, values))


def _mark_outdated(
    database: Database, key_ids: Collection[str], source_language: str
) -> list[StoredValue]:
    mine = f"{database.among('k.id')} AND k.deleted_at IS NULL"
    fresh = "language_code <> ? AND NOT is_outdated"
    params = (database.listed(key_ids), source_language)
    rows = database.rows(
        f"""SELECT k.id, {VALUE} FROM keys k
            JOIN key_values v ON v.key_number = k.number WHERE {mine} AND {fresh}""",
        params,
    )
    values = [StoredValue(*row) for row in rows]
    if values:
        lists = [database.listed(key_ids)]
        counts = counts_of_keys(database, lists)
        database.run(
            f"""UPDATE key_values SET is_outdated = TRUE, approved_outdated =
                status <> 'approved' AND approved_value IS NOT NULL
                WHERE key_number IN (
                SELECT k.number FROM keys k WHERE {mine}) AND {fresh}""",
            params,
        )
        update_counts(database, lists, counts)
    return [replace(outdated(value), key_id=plain_id(value.key_id)) for value in values]


def _rows(numbers: Mapping[str, int], values: Sequence[StoredValue]) -> list[Row]:
    rows = [value_row(value, numbers[value.key_id]) for value in values]
    rows.sort(key=_number_of)  # next to each other in the index
    return rows


def remove_language(database: Database, project_id: str, language_code: str) -> None:
    """Delete what keys have in a language that leaves the project."""
    for line_id in lines_of(database, project_id):
        for table in ("key_values", "value_revisions"):
            database.run(
                f"""DELETE FROM {table}
                    WHERE language_code = ? AND key_number {OF_PROJECT}""",
                (language_code, line_id, line_id),
            )
        for table, line in (
            ("file_details", "project"),
            ("findings", "project"),
            ("language_counts", "line"),
        ):
            database.run(
                f"DELETE FROM {table} WHERE {line} = {PROJECT} AND language_code = ?",
                (line_id, language_code),
            )


def lines_of(database: Database, project_id: str) -> list[str]:
    """Return the ids of main and of the branches."""
    rows = database.rows(
        "SELECT id FROM lines WHERE project_id = ? ORDER BY number", (project_id,)
    )
    return [line_id for (line_id,) in rows]


def _revisions(
    database: Database,
    table: str,
    key_ids: Collection[str],
    language_codes: Collection[str] | None,
    more: str = "",
) -> list[Revision]:
    condition = f"{database.among('k.id')} {more}"
    listed = [database.listed(language_codes)] if language_codes is not None else []
    if listed:
        condition += f" AND {database.among('v.language_code')}"
    found: list[Revision] = []
    for some in chunks(key_ids):
        rows = database.rows(
            f"""SELECT k.id, {VALUE} FROM keys k
                JOIN {table} v ON v.key_number = k.number WHERE {condition}""",
            (database.listed(some), *listed),
        )
        found += [_revision(row) for row in rows]
    return found


def _revision(row: Row) -> Revision:
    told = Revision(*row)
    return replace(  # an expression over several tables answers no bool on SQLite
        told,
        plural_form=told.plural_form or None,
        is_outdated=bool(told.is_outdated),
        approved_outdated=bool(told.approved_outdated),
        keeps_fresh=bool(told.keeps_fresh),
    )


def _revision_row(revision: Revision, number: int) -> Row:
    _, language_code, plural_form, *rest = astuple(revision)
    return language_code, plural_form or "", *rest, number


def index_new_texts(database: Database, first: int, last: int) -> None:
    """Index for searches the texts of new keys, from one number to another.

    SQLite alone needs this: it has one row of trigrams a key, 5 µs a value. It may have
    trigrams of texts that were deleted with a language; searches compare the texts.
    """
    if database.engine.has_trigram_tables:
        database.run(
            f"""INSERT INTO key_search (rowid, text)
                {_TEXTS} WHERE k.number BETWEEN ? AND ?""",
            (FOLDED_BREAK, FOLDED_BREAK, first, last),
        )


def index_texts(database: Database, lists: Iterable[object]) -> None:
    """Index for searches the changed texts of keys; ``lists`` of their ids."""
    if not database.engine.has_trigram_tables:
        return
    for ids in lists:
        database.run(
            f"""INSERT OR REPLACE INTO key_search (rowid, text)
                SELECT n.number, n.text FROM (
                    {_TEXTS} WHERE {database.among("k.id")}) n
                LEFT JOIN key_search s ON s.rowid = n.number
                WHERE s.text IS NOT n.text""",
            (FOLDED_BREAK, FOLDED_BREAK, ids),
        )

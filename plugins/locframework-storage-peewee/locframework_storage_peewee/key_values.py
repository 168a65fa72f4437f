"""Keeps the texts of keys."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from locframework.ports import StoredValue, Timestamp, outdated

from .counts import counts_updated, latest
from .database import Database
from .engine import Row
from .key_columns import (
    OF_PROJECT,
    PROJECT,
    VALUE,
    VALUE_KEPT,
    value_row,
    words_of,
)
from .key_lists import index_texts
from .sql import chunks

_number_of = itemgetter(-1)
_PLACE = "key_number = ? AND language_code = ? AND plural_form = ?"
_REPLACED = """value = excluded.value, status = excluded.status,
    is_outdated = excluded.is_outdated, revision = excluded.revision,
    origin = excluded.origin, approved_value = excluded.approved_value,
    approved_at = excluded.approved_at, approved_by = excluded.approved_by,
    updated_at = excluded.updated_at, updated_by = excluded.updated_by,
    actor_type = excluded.actor_type, reason = excluded.reason, note = excluded.note,
    approved_outdated = excluded.approved_outdated,
    keeps_fresh = excluded.keeps_fresh,
    words = excluded.words, folded = excluded.folded"""


def values_of(
    database: Database,
    key_ids: Collection[str],
    language_codes: Collection[str] | None,
) -> dict[str, list[StoredValue]]:
    """See KeyStore.values_of."""
    condition = f"{database.among('k.id')} AND k.deleted_at IS NULL"
    listed = [database.listed(language_codes)] if language_codes is not None else []
    if listed:
        condition += f" AND {database.among('v.language_code')}"
    found: dict[str, list[StoredValue]] = {}
    for some in chunks(key_ids):
        rows = database.rows(
            f"""SELECT k.id, {VALUE} FROM keys k
                JOIN key_values v ON v.key_number = k.number WHERE {condition}""",
            (database.listed(some), *listed),
        )
        for row in rows:
            found.setdefault(row[0], []).append(StoredValue(*row))
    return found


def add_values(
    database: Database,
    numbers: Mapping[str, int],
    values: Sequence[StoredValue],
    words: Iterable[int],
) -> None:
    """Insert values of new keys, ``numbers`` by id, with the ``words`` of each. The
    statistics stay as they are."""
    database.insert_many("key_values", VALUE_KEPT, _rows(numbers, values, words))


def put_values(database: Database, values: Sequence[StoredValue]) -> None:
    """See KeyStore.put_values."""
    ids = dict.fromkeys(value.key_id for value in values)
    times = latest((value.language_code, value.updated_at) for value in values)
    marks = "?" + ",?" * VALUE_KEPT.count(",")
    with database.transaction(), counts_updated(database, ids, times):
        database.run_many(
            f"""INSERT INTO key_values ({VALUE_KEPT}) VALUES ({marks})
                ON CONFLICT (key_number, language_code, plural_form)
                DO UPDATE SET {_REPLACED}""",
            _rows(numbers_of(database, ids), values, map(words_of, values)),
        )
        index_texts(database, ids)


def remove_values(
    database: Database, values: Sequence[StoredValue], at: Timestamp | None
) -> None:
    """See KeyStore.remove_values."""
    ids = dict.fromkeys(value.key_id for value in values)
    times = {value.language_code: at or "" for value in values}
    with database.transaction(), counts_updated(database, ids, times):
        numbers = numbers_of(database, ids)
        database.run_many(
            f"DELETE FROM key_values WHERE {_PLACE}",
            [
                (numbers[value.key_id], value.language_code, value.plural_form or "")
                for value in values
                if value.key_id in numbers
            ],
        )
        index_texts(database, ids)


def mark_outdated(
    database: Database, key_ids: Collection[str], source_language: str
) -> list[StoredValue]:
    """See KeyStore.mark_outdated."""
    turned: list[StoredValue] = []
    with database.transaction():
        for some in chunks(key_ids):
            turned += _mark_outdated(database, some, source_language)
    return turned


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
        with counts_updated(database, key_ids):
            database.run(
                f"""UPDATE key_values SET is_outdated = TRUE, approved_outdated =
                    status <> 'approved' AND approved_value IS NOT NULL
                    WHERE key_number IN (
                    SELECT k.number FROM keys k WHERE {mine}) AND {fresh}""",
                params,
            )
    return [outdated(value) for value in values]


def _rows(
    numbers: Mapping[str, int], values: Sequence[StoredValue], words: Iterable[int]
) -> list[Row]:
    rows = [
        value_row(value, count, numbers[value.key_id])
        for value, count in zip(values, words, strict=True)
    ]
    rows.sort(key=_number_of)  # next to each other in the index
    return rows


def numbers_of(database: Database, key_ids: Collection[str]) -> dict[str, int]:
    """The numbers of keys, by id; those that are not there are left out."""
    known = database.key_numbers if database.is_in_block else {}
    missing = [id_ for id_ in key_ids if id_ not in known]
    for some in chunks(missing):
        rows = database.rows(
            f"SELECT id, number FROM keys WHERE {database.among('id')}",
            (database.listed(some),),
        )
        known.update(rows)
    return {id_: known[id_] for id_ in key_ids if id_ in known}


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

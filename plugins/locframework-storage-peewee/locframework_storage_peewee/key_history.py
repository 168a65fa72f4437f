"""Keeps what values were before."""

from collections.abc import Collection, Sequence
from operator import itemgetter

from msgspec.structs import replace

from locframework.ports import Page, PageRequest, Revision

from .database import Database
from .engine import Row
from .key_columns import REVISION_KEPT, VALUE
from .key_values import numbers_of
from .sql import chunks

_number_of = itemgetter(-1)
_TABLES = ("key_values", "value_revisions")

# The key as it is seen, and where it was copied from ("" for nothing). Of a form that
# the copy never had, what was written since it was cleared came after the copy.
_HISTORY = """WITH seen AS ({seen}), base AS ({base}), first AS (
    SELECT plural_form, MIN(revision) AS revision FROM seen GROUP BY plural_form),
    ended AS (SELECT plural_form,
        MAX(CASE WHEN status = 'untranslated' THEN revision ELSE 0 END) AS revision
        FROM base GROUP BY plural_form),
    history AS (SELECT * FROM seen UNION ALL SELECT base.* FROM base
        JOIN ended ON ended.plural_form = base.plural_form
        LEFT JOIN first ON first.plural_form = base.plural_form
        WHERE base.revision < COALESCE(first.revision, ended.revision + 1))"""
_REACHED = "MAX(v.updated_at) OVER (PARTITION BY v.plural_form ORDER BY v.revision)"
"""When a line had come so far: what a branch follows was written on main before."""

_OF_KEY = """SELECT v.language_code, v.plural_form, v.value, v.status, v.is_outdated,
    v.revision, v.origin, v.approved_value, v.approved_at, v.approved_by, v.updated_at,
    v.updated_by, v.actor_type, v.reason, v.note, v.approved_outdated, v.keeps_fresh
    FROM {table} v WHERE v.key_number = (SELECT number FROM keys WHERE id = ?)
    AND v.language_code = ?"""
_ONE = " UNION ALL ".join(_OF_KEY.format(table=table) for table in _TABLES)
_ALL = _HISTORY.format(seen=_ONE, base=_ONE)


def add_revisions(database: Database, revisions: Sequence[Revision]) -> None:
    """See KeyStore.add_revisions."""
    if not revisions:
        return
    with database.transaction():
        numbers = numbers_of(database, {each.key_id for each in revisions})
        rows = [_row(each, numbers[each.key_id]) for each in revisions]
        rows.sort(key=_number_of)
        database.insert_many("value_revisions", REVISION_KEPT, rows)


def cleared_of(
    database: Database,
    key_ids: Collection[str],
    language_codes: Collection[str] | None,
) -> list[Revision]:
    """See KeyStore.cleared_of."""
    return _found(
        database,
        "value_revisions",
        key_ids,
        language_codes,
        "AND v.status = 'untranslated'",
    )


def revisions_of(
    database: Database,
    key_ids: Collection[str],
    language_codes: Collection[str] | None,
) -> list[Revision]:
    """See KeyStore.revisions_of."""
    return [
        each
        for table in _TABLES
        for each in _found(database, table, key_ids, language_codes)
    ]


def list_revisions(
    database: Database,
    key_id: str,
    base_id: str,
    language_code: str,
    page: PageRequest,
) -> Page[Revision]:
    """See KeyStore.list_revisions; ``base_id``: the key on main, for a copy of it."""
    params = [key_id, language_code] * 2 + [base_id, language_code] * 2
    with database.snapshot():
        rows = database.rows(
            f"""{_ALL} SELECT v.*, NULL FROM history v
                ORDER BY {_REACHED} DESC, v.revision DESC, v.plural_form
                LIMIT ? OFFSET ?""",
            (*params, page.limit, page.offset),
        )
        [(total,)] = database.rows(f"{_ALL} SELECT COUNT(*) FROM history", params)
    items = [_revision((key_id, *row[:-1])) for row in rows]
    return Page(items, total, page.page, page.limit)


def _found(
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


def _row(revision: Revision, number: int) -> Row:
    return (
        revision.language_code,
        revision.plural_form or "",
        revision.value,
        revision.status,
        revision.is_outdated,
        revision.revision,
        revision.origin,
        revision.approved_value,
        revision.approved_at,
        revision.approved_by,
        revision.updated_at,
        revision.updated_by,
        revision.actor_type,
        revision.reason,
        revision.note,
        revision.approved_outdated,
        revision.keeps_fresh,
        number,
    )

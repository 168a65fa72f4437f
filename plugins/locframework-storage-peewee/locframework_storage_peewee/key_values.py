"""Keeps the values of keys, what they were before, and how many there are.

The statistics are kept up to date with every write. ``language_counts`` has a row for
each language that has, or had, a text in main or a branch. A write adds the difference
between the counts of its keys before and after.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, starmap
from operator import itemgetter, neg

from msgspec.structs import astuple, replace

from locframework.ports import (
    KeyValue,
    Page,
    PageRequest,
    Revision,
    StoredKey,
    StoredState,
    StoredValue,
    Timestamp,
    outdated,
)

from .database import Database, SqlFragment, chunks, insert_one, json_text
from .engine import Row
from .key_columns import (
    FOLDED_BREAK,
    IN_PROJECT,
    KEY,
    KEYS_A_PROJECT,
    OF_PROJECT,
    PROJECT,
    REVISION_KEPT,
    SEARCH_ROWS,
    VALUE,
    VALUE_KEPT,
    ScopedStore,
    key_of,
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


def _search_row(code: str) -> str:
    """Return which row of its key in the index for searches a language has, as SQL.

    ``code`` is an expression: the language code.
    """
    letters = f"unicode({code}) * 26 + unicode(substr({code}, -1)) + length({code})"
    return f"(1 + ({letters}) % {SEARCH_ROWS - 1})"


_OF_KEYS = f"""SELECT k.number * {SEARCH_ROWS} AS number, k.folded || ? || coalesce((
        SELECT group_concat(v.folded, ?) FROM key_values v
        WHERE v.key_number = k.number), '') AS text
    FROM keys k WHERE"""
_OF_LANGUAGES = f"""SELECT
        v.key_number * {SEARCH_ROWS} + {_search_row("v.language_code")} AS number,
        group_concat(v.folded, ?) AS text
    FROM key_values v WHERE v.key_number IN (SELECT value FROM json_each(?))
    AND {_search_row("v.language_code")} IN (
        SELECT {_search_row("value")} FROM json_each(?))
    GROUP BY 1"""
_INDEX = """INSERT OR REPLACE INTO key_search (rowid, text)
    SELECT n.number, n.text FROM ({rows}) n LEFT JOIN key_search s ON s.rowid = n.number
    WHERE s.text IS NOT n.text"""
_INDEX_TEXTS = _INDEX.format(rows=_OF_LANGUAGES)


COUNTS = ("draft", "pending_review", "approved", "outdated", "words", "approved_words")
NUMBERS = ", ".join(COUNTS)
_COUNTED = f"(CAST(? AS BIGINT), CAST(? AS TEXT){', CAST(? AS BIGINT)' * len(COUNTS)})"
_TIME = "(CAST(? AS TEXT), CAST(? AS TEXT))"
_SUMS = ", ".join(f"sum(c.{column})" for column in COUNTS)
_IS_CHANGED = " OR ".join(f"sum(c.{column}) <> 0" for column in COUNTS)
_ADD = ", ".join(f"{c} = language_counts.{c} + excluded.{c}" for c in COUNTS)
_NO_CHANGE = (0,) * len(COUNTS)
TALLY = """SELECT s.project, s.language_code,
        CAST(sum(CASE s.state WHEN 0 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(CASE s.state WHEN 1 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(CASE s.state WHEN 2 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(s.outdated) AS BIGINT),
        CAST(coalesce(sum(s.words), 0) AS BIGINT),
        CAST(coalesce(sum(CASE s.state WHEN 2 THEN s.words END), 0) AS BIGINT)
    FROM states s GROUP BY s.project, s.language_code"""
"""Line, language and COUNTS of the keys of ``states_of``."""
_STATES = """these AS ({which}),
        states AS (
            SELECT t.project, v.language_code,
                min(CASE v.status WHEN 'draft' THEN 0
                    WHEN 'pending_review' THEN 1 ELSE 2 END) AS state,
                max(CASE WHEN v.is_outdated THEN 1 ELSE 0 END) AS outdated,
                (SELECT sum(o.words) FROM key_values o
                    WHERE o.key_number = v.key_number
                    AND o.language_code = p.source_language) AS words
            FROM these t JOIN lines l ON l.number = t.project
            JOIN projects p ON p.id = l.project_id
            CROSS JOIN key_values v WHERE v.key_number = t.number {in_languages}
            GROUP BY v.key_number, t.project, v.language_code, p.source_language)"""
_LISTED = "SELECT number, project FROM keys WHERE {among} AND deleted_at IS NULL"
_ALL = SqlFragment("")
_NO_TIMES: Mapping[str, Timestamp] = {}
_KEY_COLUMNS = KEY.count(",") + 1
_KEY_WITH_VALUES = f"""SELECT {KEY}, v.language_code, v.value, v.status,
        NULLIF(v.plural_form, ''), v.is_outdated
    FROM keys k LEFT JOIN key_values v ON v.key_number = k.number
    LEFT JOIN languages l
        ON l.project_id = ? AND l.language_code = v.language_code
    WHERE {{shown}} AND k.id = ?
    ORDER BY l.id"""
_STATE = f"""SELECT {KEY}, {VALUE},
    EXISTS (SELECT 1 FROM findings f WHERE f.key_number = k.number)
    FROM keys k LEFT JOIN key_values v ON v.key_number = k.number
    WHERE {{shown}} AND k.id = ?"""
_value = itemgetter(slice(_KEY_COLUMNS, None))


class KeyValues(ScopedStore):
    """Values of keys, and what they were before."""

    def find_state(self, project_id: str, key_id: str) -> StoredState | None:
        rows = self._one_key(_STATE, (), project_id, key_id)
        if not rows:
            return None
        has_values = rows[0][_KEY_COLUMNS] is not None
        values = [
            StoredValue(key_id, *row[_KEY_COLUMNS:-1]) for row in rows if has_values
        ]
        key = key_of(project_id, rows[0][:_KEY_COLUMNS])
        return StoredState(key, tuple(values), has_findings=bool(rows[0][-1]))

    def find_key_with_values(self, project_id: str, key_id: str) -> StoredKey | None:
        rows = self._one_key(_KEY_WITH_VALUES, (project_id,), project_id, key_id)
        if not rows:
            return None
        has_values = rows[0][_KEY_COLUMNS] is not None
        values = list(starmap(KeyValue, map(_value, rows))) if has_values else []
        return key_of(project_id, rows[0][:_KEY_COLUMNS], values)

    def _one_key(
        self, select: str, params: tuple[str, ...], project_id: str, key_id: str
    ) -> list[Row]:
        for source in self._sources(project_id):
            shown = source.shows("k", IN_PROJECT)
            rows = self._database.rows(
                select.format(shown=shown.sql),
                (*params, *shown.params, key_id + source.mark),
            )
            if rows:
                break
        return rows

    def values_of(
        self, key_ids: Collection[str], language_codes: Collection[str] | None = None
    ) -> dict[str, list[StoredValue]]:
        found: dict[str, list[StoredValue]] = {}
        row_ids, of_live = self._rows_to_read(key_ids), "AND k.deleted_at IS NULL"
        for row in _rows_of_values(
            self._database, "key_values", row_ids, language_codes, of_live
        ):
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
        counted: Collection[str] | None = None,
        read: StoredKey | None = None,
    ) -> bool:
        database = self._database
        with database.transaction():
            row_ids = self._rows_to_write(key_ids)
            lists = list(map(database.listed, chunks(row_ids)))
            numbers = self._touch(lists, at, read)
            if read is not None and not numbers:
                return False
            rows = [_revision_row(each, numbers[each.key_id]) for each in revisions]
            rows.sort(key=_number_of)
            database.insert_many("value_revisions", REVISION_KEPT, rows)
            if not (values or cleared):
                return True
            times = latest(values)
            if cleared:
                times = {each.language_code: at for each in cleared} | times
            counted_lists = lists if counted is None else []
            if counted:
                some = chunks(self._marked(counted))
                counted_lists = list(map(database.listed, some))
            counts = counts_of_keys(database, counted_lists, times)
            # ``changed_at`` is set in each language, whichever keys are counted
            line = next(iter(numbers.values())) // KEYS_A_PROJECT
            counts += [(line, code, *_NO_CHANGE) for code in times]
            if cleared:
                gone = [
                    (numbers[each.key_id], each.language_code, each.plural_form or "")
                    for each in cleared
                ]
                database.run_many(f"DELETE FROM key_values WHERE {_PLACE}", gone)
            database.run_many(_PUT, _rows(numbers, values))
            index_texts(database, numbers.values(), times)
            update_counts(database, counted_lists, counts, times)
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
        f"""SELECT k.id, {VALUE}, k.project, EXISTS (SELECT 1 FROM key_values o
                WHERE o.key_number = v.key_number
                AND o.language_code = v.language_code AND o.is_outdated)
            FROM keys k
            JOIN key_values v ON v.key_number = k.number WHERE {mine} AND {fresh}""",
        params,
    )
    values = [StoredValue(*row[:-2]) for row in rows]
    if values:
        database.run(
            f"""UPDATE key_values SET is_outdated = TRUE, approved_outdated =
                status <> 'approved' AND approved_value IS NOT NULL
                WHERE key_number IN (
                SELECT k.number FROM keys k WHERE {mine}) AND {fresh}""",
            params,
        )
        # a key counts once in a language, however many of its forms are outdated
        turned = {(row[-2], row[1], row[0]) for row in rows if not row[-1]}
        counts = Counter((line, code) for line, code, _ in turned)
        _add(
            database,
            None,
            [(line, code, *_outdated_keys(n)) for (line, code), n in counts.items()],
            _NO_TIMES,
        )
    return [replace(outdated(value), key_id=plain_id(value.key_id)) for value in values]


def _outdated_keys(number: int) -> list[int]:
    """Return COUNTS of as many keys that became outdated."""
    return [number if name == "outdated" else 0 for name in COUNTS]


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
            ("dismissals", "line"),
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
    rows = _rows_of_values(database, table, key_ids, language_codes, more)
    return list(map(_revision, rows))


def _rows_of_values(
    database: Database,
    table: str,
    key_ids: Collection[str],
    language_codes: Collection[str] | None,
    more: str,
) -> list[Row]:
    condition, listed = f"{database.among('k.id')} {more}", []
    if language_codes is not None:
        condition += f" AND {database.among('v.language_code')}"
        listed = [database.listed(language_codes)]
    sql = f"""SELECT k.id, {VALUE} FROM keys k
        JOIN {table} v ON v.key_number = k.number WHERE {condition}"""
    return database.rows_of(key_ids, sql, *listed)


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


def index_new_keys(database: Database, first: int, last: int) -> None:
    """Index new keys for searches, with their texts, from one number to another.

    SQLite alone needs this. A key has one row of trigrams. A language gets another one
    when its texts change, so that the others are not indexed again: in a project of
    many languages that took most of the time of a write. So the index has trigrams of
    former texts; searches compare the texts.
    """
    if database.engine.has_trigram_tables:
        database.run(
            f"""INSERT INTO key_search (rowid, text)
                {_OF_KEYS} k.number BETWEEN ? AND ?""",
            (FOLDED_BREAK, FOLDED_BREAK, first, last),
        )


def index_keys(database: Database, listed: object) -> None:
    """Index for searches changed keys, ``listed`` by their row ids, with their texts.

    In one statement: FTS5 writes a part of its index at the end of each, and merges
    them. 40 statements took 1.5 times as long for 20,000 keys.
    """
    if database.engine.has_trigram_tables:
        rows = f"{_OF_KEYS} {database.among('k.id')}"
        sql = _INDEX.format(rows=rows)
        database.run(sql, (FOLDED_BREAK, FOLDED_BREAK, listed))


def index_texts(
    database: Database, numbers: Collection[int], languages: Collection[str]
) -> None:
    """Index for searches the changed texts of keys, by number, in these languages."""
    if database.engine.has_trigram_tables:
        listed = map(json_text, (list(numbers), list(languages)))
        database.run(_INDEX_TEXTS, (FOLDED_BREAK, *listed))


def states_of(which: SqlFragment, in_languages: SqlFragment = _ALL) -> SqlFragment:
    """Return the tables for TALLY: what keys count for in each language.

    A key counts in the worst state of its values. ``which`` selects number and project
    of keys; ``in_languages`` is a condition on ``v.language_code``.
    """
    sql = _STATES.format(which=which.sql, in_languages=in_languages.sql)
    return SqlFragment(sql, which.params + in_languages.params)


def counts_of_keys(
    database: Database,
    lists: Iterable[object],
    languages: Collection[str] = (),
) -> list[Row]:
    """Return what keys with these ids count for, before they or their values change.

    ``lists``: of ``Database.listed``. ``languages``: those in which values change, else
    all; the words of all languages change with the source text.
    """
    counts: list[Row] = []
    for ids in lists:
        states = _listed_states(database, ids, languages)
        counts += database.rows(f"WITH {states.sql} {TALLY}", states.params)
    return counts


def update_counts(
    database: Database,
    lists: Iterable[object],
    before: Iterable[Row],
    changed_at: Mapping[str, Timestamp] = _NO_TIMES,
) -> None:
    """Add to the statistics what keys count for now, less what they did ``before``.

    ``changed_at``: when texts were written or cleared, by language; other languages are
    not counted, unless it is empty. The number of keys is changed by ``add_key_count``.
    """
    minus = [(line, code, *map(neg, numbers)) for line, code, *numbers in before]
    for ids in lists:
        states = _listed_states(database, ids, changed_at)
        _add(database, states, minus, changed_at)
        minus = []
    if minus:
        _add(database, None, minus, changed_at)


def _listed_states(
    database: Database, ids: object, languages: Collection[str]
) -> SqlFragment:
    which = SqlFragment(_LISTED.format(among=database.among("id")), (ids,))
    if not languages:
        return states_of(which)
    columns = "v.language_code", "p.source_language"
    any_of = " OR ".join(map(database.among, columns))
    in_languages = SqlFragment(f"AND ({any_of})", (database.listed(languages),) * 2)
    return states_of(which, in_languages)


def count_new_keys(
    database: Database, first: int, last: int, changed_at: Mapping[str, Timestamp]
) -> None:
    """Add the values of new keys, from one number to another, to the statistics."""
    which = "SELECT number, project FROM keys WHERE number BETWEEN ? AND ?"
    _add(database, states_of(SqlFragment(which, (first, last))), [], changed_at)


def add_key_count(
    database: Database, line_id: str, keys: int, trashed_at: Timestamp = ""
) -> None:
    """Add to the number of keys of a line, or subtract keys that were trashed."""
    database.run(
        """UPDATE lines SET key_count = key_count + ?, trashed_at = CASE
            WHEN trashed_at > ? THEN trashed_at ELSE ? END WHERE id = ?""",
        (keys, trashed_at, trashed_at, line_id),
    )


def count_words_again(database: Database, project_id: str) -> None:
    """Update the statistics after the source language was moved."""
    lines = database.rows(
        "SELECT number FROM lines WHERE project_id = ?", (project_id,)
    )
    which = """SELECT number, project FROM keys
        WHERE deleted_at IS NULL AND number BETWEEN ? AND ?"""
    for (line,) in lines:
        first = line * KEYS_A_PROJECT
        numbers = first, first + KEYS_A_PROJECT - 1
        states = states_of(SqlFragment(which, numbers))
        rows = database.rows(f"WITH {states.sql} {TALLY}", states.params)
        database.run_many(
            """UPDATE language_counts SET words = ?, approved_words = ?
                WHERE line = ? AND language_code = ?""",
            [(*row[-2:], line, row[1]) for row in rows],
        )


def latest(values: Iterable[StoredValue]) -> dict[str, Timestamp]:
    """Return when the values were last written, by language."""
    found: dict[str, Timestamp] = {}
    for value in values:
        if value.updated_at > found.get(value.language_code, ""):
            found[value.language_code] = value.updated_at
    return found


def _add(
    database: Database,
    states: SqlFragment | None,
    minus: Sequence[Row],
    changed_at: Mapping[str, Timestamp],
) -> None:
    """Add the counts of some keys to the statistics.

    ``states``: what they count for, of ``states_of``. ``minus``: rows with the negative
    counts before the change.
    """
    times = list(changed_at.items()) or [("", "")]
    tables, rows = SqlFragment(""), []
    if states is not None:
        tables, rows = SqlFragment(f"{states.sql},", states.params), [TALLY]
    if minus:
        rows.append(f"VALUES {', '.join([_COUNTED] * len(minus))}")
    database.run(
        f"""WITH {tables.sql}
            changes (line, language_code, {NUMBERS}) AS ({" UNION ALL ".join(rows)}),
            times (language_code, changed_at) AS (
                VALUES {", ".join([_TIME] * len(times))})
            INSERT INTO language_counts (line, language_code, {NUMBERS}, changed_at)
            SELECT c.line, c.language_code, {_SUMS}, coalesce(max(t.changed_at), '')
            FROM changes c LEFT JOIN times t ON t.language_code = c.language_code
            GROUP BY c.line, c.language_code
            HAVING max(t.changed_at) IS NOT NULL OR {_IS_CHANGED}
            ORDER BY c.line, c.language_code
            ON CONFLICT (line, language_code) DO UPDATE SET {_ADD},
            changed_at = CASE WHEN language_counts.changed_at > excluded.changed_at
                THEN language_counts.changed_at ELSE excluded.changed_at END""",
        (*tables.params, *chain.from_iterable(minus), *chain.from_iterable(times)),
    )

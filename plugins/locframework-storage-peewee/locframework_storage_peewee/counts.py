"""Statistics: counts of keys by language and state, kept up to date with every write.

``language_counts`` has a row for each language that has, or had, a text in main or a
branch. A write adds the difference between the counts of its keys before and after.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import neg

from locframework.ports import (
    LanguageCounts,
    LineCounts,
    StoredValue,
    Timestamp,
    complete_languages,
)

from .database import Database, Store
from .engine import Row
from .key_columns import KEYS_A_PROJECT, PROJECT

_COLUMNS = (
    "draft",
    "pending_review",
    "approved",
    "outdated",
    "words",
    "approved_words",
)
_NUMBERS = ", ".join(_COLUMNS)
_KEYS = ""  # in place of a language: the number of keys
_LAST_UPDATE = """(SELECT last.updated_at FROM (
        SELECT k.project, k.updated_at FROM keys k
        WHERE k.project <= l.number AND k.deleted_at IS NULL
        ORDER BY k.project DESC, k.updated_at DESC LIMIT 1) last
    WHERE last.project = l.number)"""
"""When a key of line l last changed, from the end of its part of the index of times.
While PostgreSQL has no statistics, it takes ``k.project = l.number`` for one key, and
sorts all that there are."""

_COUNTED = (
    f"(CAST(? AS BIGINT), CAST(? AS TEXT){', CAST(? AS BIGINT)' * len(_COLUMNS)})"
)
_TIME = "(CAST(? AS TEXT), CAST(? AS TEXT))"
_SUMS = ", ".join(f"sum(c.{column})" for column in _COLUMNS)
_IS_CHANGED = " OR ".join(f"sum(c.{column}) <> 0" for column in _COLUMNS)
_ADD = ", ".join(f"{c} = language_counts.{c} + excluded.{c}" for c in _COLUMNS)
_TALLY = """SELECT s.project, s.language_code,
        CAST(sum(CASE s.state WHEN 0 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(CASE s.state WHEN 1 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(CASE s.state WHEN 2 THEN 1 ELSE 0 END) AS BIGINT),
        CAST(sum(s.outdated) AS BIGINT),
        CAST(coalesce(sum(s.words), 0) AS BIGINT),
        CAST(coalesce(sum(CASE s.state WHEN 2 THEN s.words END), 0) AS BIGINT)
    FROM states s GROUP BY s.project, s.language_code"""
"""Line, language and _COLUMNS of the keys of ``_STATES``."""
_STATES = """these AS ({which}),
        states AS (
            SELECT t.project, v.language_code,
                min(CASE v.status WHEN 'draft' THEN 0
                    WHEN 'pending_review' THEN 1 ELSE 2 END) AS state,
                max(CASE WHEN v.is_outdated THEN 1 ELSE 0 END) AS outdated,
                max(sum(CASE WHEN v.language_code = p.source_language
                    THEN v.words END)) OVER (PARTITION BY v.key_number) AS words
            FROM these t JOIN lines l ON l.number = t.project
            JOIN projects p ON p.id = l.project_id
            CROSS JOIN key_values v WHERE v.key_number = t.number
            GROUP BY v.key_number, t.project, v.language_code)"""
"""The tables for _TALLY; ``which`` selects number and project of keys.

A key counts in the worst state of its values.
"""
_LISTED = "SELECT number, project FROM keys WHERE {among} AND deleted_at IS NULL"
_NO_TIMES: Mapping[str, Timestamp] = {}


def counts_of_keys(database: Database, lists: Iterable[object]) -> list[Row]:
    """Return what keys with these ids count for, before they or their values change.

    ``lists``: of ``Database.listed``.
    """
    states = _STATES.format(which=_LISTED.format(among=database.among("id")))
    counts: list[Row] = []
    for ids in lists:
        counts += database.rows(f"WITH {states} {_TALLY}", (ids,))
    return counts


def update_counts(
    database: Database,
    lists: Iterable[object],
    before: Iterable[Row],
    changed_at: Mapping[str, Timestamp] = _NO_TIMES,
) -> None:
    """Add to the statistics what keys count for now, less what they did ``before``.

    ``changed_at``: when texts were written or cleared, by language. The number of keys
    is changed by ``add_key_count``.
    """
    which = _LISTED.format(among=database.among("id"))
    minus = [(line, code, *map(neg, numbers)) for line, code, *numbers in before]
    for ids in lists:
        _add(database, which, (ids,), minus, changed_at)
        minus = []


def count_new_keys(
    database: Database, first: int, last: int, changed_at: Mapping[str, Timestamp]
) -> None:
    """Add the values of new keys, from one number to another, to the statistics."""
    which = "SELECT number, project FROM keys WHERE number BETWEEN ? AND ?"
    _add(database, which, (first, last), [], changed_at)


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
        rows = database.rows(
            f"WITH {_STATES.format(which=which)} {_TALLY}",
            (first, first + KEYS_A_PROJECT - 1),
        )
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
    which: str,
    params: tuple[object, ...],
    minus: Sequence[Row],
    changed_at: Mapping[str, Timestamp],
) -> None:
    """Add the counts of some keys to the statistics.

    ``minus``: rows with the negative counts before the change.
    """
    times = list(changed_at.items()) or [("", "")]
    more = f"UNION ALL VALUES {', '.join([_COUNTED] * len(minus))}" if minus else ""
    database.run(
        f"""WITH {_STATES.format(which=which)},
            changes (line, language_code, {_NUMBERS}) AS ({_TALLY} {more}),
            times (language_code, changed_at) AS (
                VALUES {", ".join([_TIME] * len(times))})
            INSERT INTO language_counts (line, language_code, {_NUMBERS}, changed_at)
            SELECT c.line, c.language_code, {_SUMS}, coalesce(max(t.changed_at), '')
            FROM changes c LEFT JOIN times t ON t.language_code = c.language_code
            GROUP BY c.line, c.language_code
            HAVING max(t.changed_at) IS NOT NULL OR {_IS_CHANGED}
            ORDER BY c.line, c.language_code
            ON CONFLICT (line, language_code) DO UPDATE SET {_ADD},
            changed_at = CASE WHEN language_counts.changed_at > excluded.changed_at
                THEN language_counts.changed_at ELSE excluded.changed_at END""",
        (*params, *chain.from_iterable(minus), *chain.from_iterable(times)),
    )


def _sum(one: list[int] | None, other: list[int], sign: int) -> list[int]:
    one = one or [0] * len(_COLUMNS)
    return [a + sign * b for a, b in zip(one, other, strict=True)]


class StatisticsTables(Store):
    """The statistics store (locframework/statistics/store.py, StatisticsStore)."""

    def counts_of(self, project_id: str, branch_id: str | None = None) -> LineCounts:
        rows = self._rows(project_id, branch_id)
        hidden = self._hidden(project_id, branch_id) if branch_id is not None else {}
        keys = {row[0]: row[1] for row in rows}
        times = {at for row in rows for at in row[2:4] if at}
        return LineCounts(
            key_count=sum(keys.values()) - hidden.get(_KEYS, [0])[0],
            updated_at=max(times, default=None),
            languages=_languages(rows, hidden),
        )

    def complete_languages(
        self, project_id: str, branch_id: str | None = None
    ) -> set[str]:
        if branch_id is not None and not self._may_be_complete(project_id, branch_id):
            return set()
        return complete_languages(self.counts_of(project_id, branch_id))

    def _may_be_complete(self, project_id: str, branch_id: str) -> bool:
        """Return whether, in any language, no key of the branch's own lacks a text, and
        main lacks no more than the branch hides."""
        rows = self._database.rows(
            f"""SELECT 1 FROM lines m JOIN lines l ON l.id = ?
                JOIN languages g ON g.project_id = m.project_id
                LEFT JOIN language_counts a
                    ON a.line = m.number AND a.language_code = g.language_code
                LEFT JOIN language_counts c
                    ON c.line = l.number AND c.language_code = g.language_code
                WHERE m.id = ? AND l.key_count = {_translated("c")}
                    AND m.key_count - {_translated("a")} <= (
                        SELECT count(*) FROM branch_keys b WHERE b.branch_id = l.id)
                        + l.key_count
                LIMIT 1""",
            (branch_id, project_id),
        )
        return bool(rows)

    def _rows(self, project_id: str, branch_id: str | None) -> list[Row]:
        """Return a row by line and language: id, keys and times of the line, counts."""
        lines = [project_id] if branch_id is None else [project_id, branch_id]
        return self._database.rows(
            f"""SELECT l.id, l.key_count, l.trashed_at, {_LAST_UPDATE},
                g.language_code, {_NUMBERS}, changed_at
                FROM lines l LEFT JOIN languages g ON g.project_id = l.project_id
                LEFT JOIN language_counts c
                    ON c.line = l.number AND c.language_code = g.language_code
                WHERE {self._database.among("l.id")} ORDER BY g.id""",
            (self._database.listed(lines),),
        )

    def _hidden(self, project_id: str, branch_id: str) -> dict[str, list[int]]:
        """Return the counts of main's keys that a branch does not show, by language."""
        key = self._database.engine.join_each("keys", "k", "k.id = b.key_id")
        which = f"""SELECT k.number, k.project FROM branch_keys b {key}
            WHERE b.branch_id = ? AND k.project + 0 = {PROJECT} AND k.deleted_at IS NULL
            UNION SELECT k.number, k.project FROM keys o JOIN keys k ON k.key = o.key
            WHERE o.project = {PROJECT} AND o.deleted_at IS NULL
            AND k.project = {PROJECT} AND k.deleted_at IS NULL"""
        params = (branch_id, project_id, branch_id, project_id)
        rows = self._database.rows(
            f"""WITH {_STATES.format(which=which)} {_TALLY} UNION ALL
                SELECT project, '{_KEYS}', count(*), 0, 0, 0, 0, 0
                FROM these GROUP BY project""",
            params,
        )
        return {code: numbers for _, code, *numbers in rows}


def _translated(counts: str) -> str:
    states = (f"{counts}.draft", f"{counts}.pending_review", f"{counts}.approved")
    return f"coalesce({' + '.join(states)}, 0)"


def _languages(
    rows: Iterable[Row], hidden: Mapping[str, list[int]]
) -> tuple[LanguageCounts, ...]:
    """Return the counts by language, added up over lines, less what is hidden."""
    sums: dict[str, list[int]] = {}
    times: dict[str, list[Timestamp]] = defaultdict(list)
    for _, _, _, _, code, *numbers, changed_at in rows:
        if code is None:
            continue  # a project without languages
        if code not in sums:
            sums[code] = _sum(None, hidden.get(code, [0] * len(_COLUMNS)), -1)
        sums[code] = _sum(sums[code], [number or 0 for number in numbers], 1)
        times[code].append(changed_at or "")
    return tuple(
        LanguageCounts(
            language_code=code,
            **dict(zip(_COLUMNS, numbers, strict=True)),
            changed_at=max(times[code]) or None,
        )
        for code, numbers in sums.items()
    )

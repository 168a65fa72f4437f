"""Reads the statistics, which key_values.py keeps up to date."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from locframework.ports import LanguageCounts, LineCounts, Timestamp, complete_languages

from .database import SqlFragment, Store
from .engine import Row
from .key_columns import PROJECT
from .key_values import COUNTS, NUMBERS, TALLY, states_of

_KEYS = ""  # in place of a language: the number of keys
_LAST_UPDATE = """(SELECT last.updated_at FROM (
        SELECT k.project, k.updated_at FROM keys k
        WHERE k.project <= l.number AND k.deleted_at IS NULL
        ORDER BY k.project DESC, k.updated_at DESC LIMIT 1) last
    WHERE last.project = l.number)"""
"""When a key of line l last changed, from the end of its part of the index of times.
While PostgreSQL has no statistics, it takes ``k.project = l.number`` for one key, and
sorts all that there are."""


def _sum(one: list[int] | None, other: list[int], sign: int) -> list[int]:
    one = one or [0] * len(COUNTS)
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
                g.language_code, {NUMBERS}, changed_at
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
        states = states_of(SqlFragment(which, params))
        rows = self._database.rows(
            f"""WITH {states.sql} {TALLY} UNION ALL
                SELECT project, '{_KEYS}', count(*), 0, 0, 0, 0, 0
                FROM these GROUP BY project""",
            states.params,
        )
        return {code: numbers for _, code, *numbers in rows}


def _translated(counts: str) -> str:
    states = (f"{counts}.draft", f"{counts}.pending_review", f"{counts}.approved")
    return f"coalesce({' + '.join(states)}, 0)"


def _languages(
    rows: Iterable[Row], hidden: Mapping[str, list[int]]
) -> tuple[LanguageCounts, ...]:
    sums: dict[str, list[int]] = {}
    times: dict[str, list[Timestamp]] = defaultdict(list)
    for _, _, _, _, code, *numbers, changed_at in rows:
        if code is None:
            continue  # a project without languages
        if code not in sums:
            sums[code] = _sum(None, hidden.get(code, [0] * len(COUNTS)), -1)
        sums[code] = _sum(sums[code], [number or 0 for number in numbers], 1)
        times[code].append(changed_at or "")
    return tuple(
        LanguageCounts(
            language_code=code,
            **dict(zip(COUNTS, numbers, strict=True)),
            changed_at=max(times[code]) or None,
        )
        for code, numbers in sums.items()
    )

"""Counts the keys of each line by language and state, with every change of them.

``language_counts`` has a row for each language that has, or had, a text on a line. What
a change does to it is worked out from how the keys stand before and after.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import repeat

from locframework.ports import (
    LanguageCounts,
    LineCounts,
    Timestamp,
    complete_languages,
)

from .database import Database
from .engine import Row
from .key_columns import KEYS_A_PROJECT, PROJECT

UNTRANSLATED, OUTDATED = "untranslated", "outdated"
_WORDS = 4
_NUMBERS = "draft, pending_review, approved, outdated, words, approved_words"
_COUNTS = 6
_LAST_UPDATE = """(SELECT last.updated_at FROM (
        SELECT k.project, k.updated_at FROM keys k
        WHERE k.project <= l.number AND k.deleted_at IS NULL
        ORDER BY k.project DESC, k.updated_at DESC LIMIT 1) last
    WHERE last.project = l.number)"""
"""When a key of line l last changed, from the end of its part of the index of times.
While PostgreSQL has not counted the table, it takes ``k.project = l.number`` for one
key, and sorts all that there are."""

Sums = dict[tuple[int, str], list[int]]
"""By line and language: how many keys, and words, as _NUMBERS has them."""


class Standing:
    """How some keys stand, by name: by line, language and state of any of their texts,
    and how many words their source texts have, by line."""

    def __init__(self) -> None:
        self.states: dict[tuple[int, str, str], set[str]] = defaultdict(set)
        self._words: dict[int, dict[str, int]] = defaultdict(dict)

    def add_words(self, line: int, key: str, words: int) -> None:
        """Of a source text: those of its forms add up."""
        of_line = self._words[line]
        of_line[key] = of_line.get(key, 0) + words

    def add(self, other: "Standing") -> None:
        """What was seen of other languages of the keys."""
        self.states.update(other.states)
        self._words.update(other._words)

    def sums(self) -> Sums:
        """A key counts in the worst state that it is in."""
        found: Sums = {}
        for line, code in {(line, code) for line, code, _ in self.states}:
            draft, pending, approved, outdated = (
                self.states.get((line, code, state), set())
                for state in ("draft", "pending_review", "approved", OUTDATED)
            )
            pending = pending - draft
            approved = approved - pending - draft
            words = [
                sum(map(self._words[line].get, names, repeat(0)))
                for names in (draft, pending, approved)
            ]
            keys = [len(names) for names in (draft, pending, approved, outdated)]
            found[line, code] = [*keys, sum(words), words[-1]]
        return found


def count_change(
    database: Database,
    before: Standing,
    after: Standing,
    changed_at: Mapping[str, Timestamp],
) -> None:
    """Add what became of some keys; ``changed_at`` is when texts were, by language."""
    sums = after.sums()
    for place, row in before.sums().items():
        now = sums.get(place, [0] * _COUNTS)
        sums[place] = [new - old for new, old in zip(now, row, strict=True)]
    rows = [
        (*place, *sums[place], changed_at.get(place[1], ""))
        for place in sorted(sums)
        if any(sums[place]) or place[1] in changed_at
    ]
    add = ", ".join(
        f"{name} = language_counts.{name} + excluded.{name}"
        for name in _NUMBERS.split(", ")
    )
    database.run_many(
        f"""INSERT INTO language_counts (line, language_code, {_NUMBERS}, changed_at)
            VALUES (?,?,?,?,?,?,?,?,?)
            ON CONFLICT (line, language_code) DO UPDATE SET {add},
            changed_at = CASE WHEN language_counts.changed_at > excluded.changed_at
                THEN language_counts.changed_at ELSE excluded.changed_at END""",
        rows,
    )


def latest(times: Iterable[tuple[str, Timestamp]]) -> dict[str, Timestamp]:
    """The last time by language."""
    found: dict[str, Timestamp] = {}
    for language_code, at in times:
        if at > found.get(language_code, ""):
            found[language_code] = at
    return found


def count_words_anew(database: Database, project_id: str, line_ids: list[str]) -> None:
    """After the source language was moved: the same keys have other words."""
    for line_id in line_ids:
        [(line,)] = database.rows("SELECT number FROM lines WHERE id = ?", (line_id,))
        first = line * KEYS_A_PROJECT
        which = f"""SELECT number FROM keys WHERE deleted_at IS NULL
            AND number BETWEEN {first} AND {first + KEYS_A_PROJECT - 1}"""
        rows = _tallied(database, which, (), project_id)
        database.run_many(
            """UPDATE language_counts SET words = ?, approved_words = ?
                WHERE line = ? AND language_code = ?""",
            [(*row[_WORDS + 1 :], line, row[0]) for row in rows if row[0]],
        )


class StatisticsTables:
    """The statistics store (locframework/statistics/store.py, StatisticsStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def counts_of(self, project_id: str, branch_id: str | None = None) -> LineCounts:
        rows = self._rows(project_id, branch_id)
        away = self._away(project_id, branch_id) if branch_id is not None else {}
        keys = {row[0]: row[1] for row in rows}
        times = {at for row in rows for at in row[2:4] if at}
        return LineCounts(
            key_count=sum(keys.values()) - away.get("", [0])[0],
            updated_at=max(times, default=None),
            languages=_languages(rows, away),
        )

    def complete_languages(
        self, project_id: str, branch_id: str | None = None
    ) -> set[str]:
        if branch_id is not None and not self._may_be_complete(project_id, branch_id):
            return set()
        return complete_languages(self.counts_of(project_id, branch_id))

    def _may_be_complete(self, project_id: str, branch_id: str) -> bool:
        """Whether, in any language, no key of the branch's own lacks a text, and main
        lacks no more than the branch has keys for itself."""
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
        """Of each line and language: the line's id, keys and times, and its counts."""
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

    def _away(self, project_id: str, branch_id: str) -> dict[str, list[int]]:
        """Return the counts of main's keys that a branch does not show, by language."""
        key = self._database.engine.join_each("keys", "k", "k.id = b.key_id")
        which = f"""SELECT k.number FROM branch_keys b {key} WHERE b.branch_id = ?
            AND k.project + 0 = {PROJECT} AND k.deleted_at IS NULL
            UNION SELECT k.number FROM keys o JOIN keys k ON k.key = o.key
            WHERE o.project = {PROJECT} AND o.deleted_at IS NULL
            AND k.project = {PROJECT} AND k.deleted_at IS NULL"""
        params = (branch_id, project_id, branch_id, project_id)
        rows = _tallied(self._database, which, params, project_id)
        return {language_code: numbers for language_code, *numbers in rows}


def _translated(counts: str) -> str:
    states = (f"{counts}.draft", f"{counts}.pending_review", f"{counts}.approved")
    return f"coalesce({' + '.join(states)}, 0)"


def _languages(
    rows: Iterable[Row], away: Mapping[str, list[int]]
) -> tuple[LanguageCounts, ...]:
    """Of one line or several added up, but for what is away."""
    sums: dict[str, list[int]] = {}
    times: list[tuple[str, Timestamp]] = []
    for _, _, _, _, language_code, *numbers, changed_at in rows:
        if language_code is None:
            continue  # a project without languages
        row = sums.get(language_code)
        if row is None:
            less = away.get(language_code, [0] * _COUNTS)
            row = sums[language_code] = [-number for number in less]
        for at, number in enumerate(numbers):
            row[at] += number or 0
        times.append((language_code, changed_at or ""))
    last = latest(times)
    return tuple(
        LanguageCounts(
            language_code=code,
            draft=draft,
            pending_review=pending,
            approved=approved,
            outdated=outdated,
            words=words,
            approved_words=approved_words,
            changed_at=last.get(code),
        )
        for code, (draft, pending, approved, outdated, words, approved_words) in (
            sums.items()
        )
    )


def _tallied(
    database: Database, which: str, params: tuple[object, ...], project_id: str
) -> list[Row]:
    """Language and _NUMBERS of some keys by their numbers; of "", how many they are."""
    return database.rows(
        f"""WITH those AS ({which}),
            standing AS (
                SELECT v.key_number, v.language_code, sum(v.words) AS words,
                    min(CASE v.status WHEN 'draft' THEN 0
                        WHEN 'pending_review' THEN 1 ELSE 2 END) AS state,
                    max(CASE WHEN v.is_outdated THEN 1 ELSE 0 END) AS outdated
                FROM those CROSS JOIN key_values v WHERE v.key_number = those.number
                GROUP BY v.key_number, v.language_code)
            SELECT s.language_code,
                CAST(sum(CASE s.state WHEN 0 THEN 1 ELSE 0 END) AS BIGINT),
                CAST(sum(CASE s.state WHEN 1 THEN 1 ELSE 0 END) AS BIGINT),
                CAST(sum(CASE s.state WHEN 2 THEN 1 ELSE 0 END) AS BIGINT),
                CAST(sum(s.outdated) AS BIGINT),
                CAST(coalesce(sum(w.words), 0) AS BIGINT),
                CAST(coalesce(sum(CASE s.state WHEN 2 THEN w.words END), 0) AS BIGINT)
            FROM standing s LEFT JOIN standing w ON w.key_number = s.key_number
                AND w.language_code = (
                    SELECT source_language FROM projects WHERE id = ?)
            GROUP BY s.language_code
            UNION ALL SELECT '', count(*), 0, 0, 0, 0, 0 FROM those""",
        (*params, project_id),
    )

"""Texts of translation memories, for matching and concordance.

Hand-written SQL: matchers read whole memories, 3 µs an entry and not 120 µs as through
a model.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec

from locframework.ports import (
    Concordance,
    ConcordanceItem,
    Forgotten,
    FoundTranslation,
    MatchSource,
    MatchValue,
    Page,
    PageRequest,
    SegmentChange,
    cut_punctuation,
)

from .database import SqlFragment, Store, all_of
from .filters import holds

MANY = 20  # languages: to read all of an entry is quicker than to look each of them up

_RANKED = "e.number, e.id, length(e.source_text) AS length, e.updated_at"
_RANK = "whole DESC, length, updated_at DESC, id"
_VALUES = msgspec.json.Decoder(list[MatchValue])
_WHOLE = "CASE WHEN {column} = ? THEN 1 ELSE 0 END"


class MemoryTexts(Store):
    """The store of texts (locframework/memories/matching/port.py, MemoryTextStore)."""

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        rows = self._database.rows(
            f"""SELECT id, revision FROM memories
                WHERE {self._database.among("id")} AND deleted_at IS NULL""",
            (self._database.listed(memory_ids),),
        )
        return dict(rows)

    def is_in_block(self) -> bool:
        return self._database.is_in_block

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        with self._database.snapshot():
            self._check_known(memory_id, after)
            gone = self._database.stream(
                """SELECT r.revision, r.entry_id FROM memory_removals r
                    JOIN memories m ON m.number = r.memory
                    WHERE m.id = ? AND r.revision > ? ORDER BY r.revision""",
                (memory_id, after),
            )
            there = self._database.stream(
                """SELECT e.revision, e.id, e.source_folded FROM memory_entries e
                    JOIN memories m ON m.number = e.memory
                    WHERE m.id = ? AND e.revision > ?""",
                (memory_id, after),
            )
            if after:
                for revision, entry_id in gone:
                    yield SegmentChange(revision, entry_id, None)
            for revision, entry_id, text in there:
                yield SegmentChange(revision, entry_id, cut_punctuation(text)[0])

    def _check_known(self, memory_id: str, after: int) -> None:
        """Raise Forgotten where what was removed since is not noted any more."""
        known = "SELECT 1 FROM memories WHERE id = ? AND forgotten > ?"
        if after and self._database.row(known, (memory_id, after)):
            raise Forgotten

    def match_sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        rows = self._database.rows(
            f"""SELECT id, source_text, context, updated_at, values_digest
                FROM memory_entries
                WHERE {self._database.among("id")}""",
            (self._database.listed(entry_ids),),
        )
        return {id_: MatchSource(*compared) for id_, *compared in rows}

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> dict[str, list[MatchValue]]:
        among, listed = self._database.among, self._database.listed
        engine = self._database.engine
        # without statistics PostgreSQL would read all translations of the languages
        code, of_many = "t.language_code", len(language_codes) >= MANY
        asked = among(engine.without_index(code) if of_many else code)
        theirs = f"t.entry = e.number AND {asked}"
        values = engine.json_rows(code, "t.value", "t.status")
        # a row for each entry: a row for each value takes the driver longer
        rows = self._database.rows(
            f"""SELECT e.id, {values} FROM memory_entries e
                {engine.join_each("memory_translations", "t", theirs)}
                WHERE {among("e.id")} AND t.value <> '' GROUP BY e.id""",
            (listed(language_codes), listed(entry_ids)),
        )
        return {id_: _VALUES.decode(text) for id_, text in rows}

    def languages_with_values(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> set[str]:
        among, listed = self._database.among, self._database.listed
        rows = self._database.rows(
            f"""SELECT DISTINCT l.language_code
                FROM memories m JOIN memory_languages l ON l.memory_id = m.id
                WHERE {among("m.id")} AND m.deleted_at IS NULL
                AND {among("l.language_code")} AND EXISTS (
                    SELECT 1 FROM memory_translations t
                    WHERE t.memory = m.number AND t.value <> ''
                    AND t.language_code = l.language_code)""",
            (listed(memory_ids), listed(language_codes)),
        )
        return {code for (code,) in rows}

    def search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        hits = self._hits(asked)
        with self._database.snapshot():
            # the hits are looked for once: what they are ranked by is kept of each
            rows = self._database.rows(
                f"""WITH h AS MATERIALIZED ({hits.sql})
                    SELECT h.id, (SELECT count(*) FROM h) FROM h
                    ORDER BY {_RANK} LIMIT ? OFFSET ?""",
                (*hits.params, page.limit, page.offset),
            )
            total = rows[0][1] if rows else 0
            if not rows and page.offset:
                counted = self._database.row(
                    f"SELECT count(*) FROM ({hits.sql}) h", hits.params
                )
                total = counted[0] if counted else 0
            ids = [id_ for id_, _ in rows]
            items = self._items(ids, asked.language_codes)
        return Page(items, total, page.page, page.limit)

    def _hits(self, asked: Concordance) -> SqlFragment:
        """Entries, each once, with what they are ranked by."""
        if asked.search_in == "source":
            return self._in_sources(asked)
        if asked.search_in == "target":
            return self._in_values(asked)
        source, values = self._in_sources(asked), self._in_values(asked)
        return SqlFragment(
            f"""SELECT number, id, length, updated_at, max(whole) AS whole FROM (
                {source.sql} UNION ALL {values.sql}) b
                GROUP BY number, id, length, updated_at""",
            source.params + values.params,
        )

    def _in_sources(self, asked: Concordance) -> SqlFragment:
        place = ("memory_sources", "e.number", "e.source_folded")
        where = all_of([holds(self._database, *place, asked.text), self._of(asked)])
        whole = _WHOLE.format(column="e.source_folded")
        return SqlFragment(
            f"""SELECT {_RANKED}, {whole} AS whole
                FROM memory_entries e WHERE {where.sql}""",
            (asked.text, *where.params),
        )

    def _in_values(self, asked: Concordance) -> SqlFragment:
        place = ("memory_values", "t.number", "t.value_folded")
        parts = [holds(self._database, *place, asked.text), self._of(asked)]
        if asked.language_codes is not None:
            listed = self._database.listed(asked.language_codes)
            parts.append(
                SqlFragment(self._database.among("t.language_code"), (listed,))
            )
        where = all_of(parts)
        whole = _WHOLE.format(column="t.value_folded")
        return SqlFragment(
            f"""SELECT {_RANKED}, max({whole}) AS whole
                FROM memory_translations t JOIN memory_entries e ON e.number = t.entry
                WHERE {where.sql} GROUP BY e.number""",
            (asked.text, *where.params),
        )

    def _of(self, asked: Concordance) -> SqlFragment:
        return SqlFragment(
            f"""e.memory IN (SELECT number FROM memories
                WHERE {self._database.among("id")} AND deleted_at IS NULL)""",
            (self._database.listed(asked.memory_ids),),
        )

    def _items(
        self, entry_ids: Sequence[str], language_codes: Collection[str] | None
    ) -> list[ConcordanceItem]:
        """Return the entries, in this order, with translations in these languages."""
        if not entry_ids:
            return []
        among, listed = self._database.among, self._database.listed
        where = SqlFragment(among("e.id"), (listed(entry_ids),))
        entries = self._database.rows(
            f"""SELECT e.id, e.source_text, e.context, m.id, m.name
                FROM memory_entries e JOIN memories m ON m.number = e.memory
                WHERE {where.sql}""",
            where.params,
        )
        if language_codes is not None:
            of = SqlFragment(among("t.language_code"), (listed(language_codes),))
            where = all_of([where, of])
        values = self._database.rows(
            f"""SELECT e.id, t.language_code, t.value, t.status
                FROM memory_entries e
                JOIN memory_translations t ON t.entry = e.number
                WHERE {where.sql} AND t.value <> ''
                ORDER BY t.language_code""",
            where.params,
        )
        found = {row[0]: ConcordanceItem(*(*row, [])) for row in entries}
        for entry_id, *rest in values:
            found[entry_id].translations.append(FoundTranslation(*rest))
        return [found[id_] for id_ in entry_ids]

"""Conditions for lists of entries of translation memories."""

from collections.abc import Iterable, Sequence
from functools import partial

from locframework.ports import EntryQuery

from .database import Database
from .sql import LIKE_MAX_LENGTH, SqlFragment, all_of, contains

TRIGRAM = 3  # characters: the least that the indexes know
LARGE = 5000
"""Entries of a memory, from which on the indexes are asked what a text stands in: they
tell of all memories, so that a small one is read sooner."""

OF_MEMORY = """e.memory = (SELECT number FROM memories
    WHERE id = ? AND deleted_at IS NULL)"""
"""Of an entry e. With a join instead PostgreSQL would sort all entries of a memory for
one page of them."""

_IN_LANGUAGE = "memory = ? AND language_code = ? AND value"
IN_LANGUAGE = (f"{_IN_LANGUAGE} <> ''", f"{_IN_LANGUAGE} = ''")
"""Of translations: those that say something, and proposals alone. Each has an index."""


def conditions(
    database: Database, where: EntryQuery, entries: int
) -> Iterable[SqlFragment]:
    """What of ``where`` is asked of an entry e of a memory that has so many."""
    language: list[SqlFragment] = []
    if where.language_code is not None:
        language.append(SqlFragment("t.language_code = ?", (where.language_code,)))
    if where.search is not None:
        is_found = entries >= LARGE and _is_indexed(database, where.search)
        says = partial(_found_to_say, database) if is_found else _says
        yield says(where.search, language)
    if where.status == "untranslated":
        yield _has(language, "NOT EXISTS")
    elif where.status is not None:
        yield _has([SqlFragment("t.status = ?", (where.status,)), *language])
    if where.has_proposal is not None:
        waits = [SqlFragment("t.proposed_value IS NOT NULL"), *language]
        yield _has(waits, "EXISTS" if where.has_proposal else "NOT EXISTS")
    if language and where.status is None and where.has_proposal is None:
        yield _has(language)


def holds(
    database: Database, index: str, number: str, column: str, text: str
) -> SqlFragment:
    """That ``text`` stands in a column which SQLite's ``index`` of trigrams is of."""
    if len(text) < TRIGRAM or not database.engine.has_trigram_tables:
        return contains(column, text)
    phrase = '"' + text.replace('"', '""') + '"'
    found = f"SELECT rowid FROM {index} WHERE {index} MATCH ?"
    return SqlFragment(f"{number} IN ({found})", (phrase,))


def _is_indexed(database: Database, text: str) -> bool:
    is_known = database.engine.has_trigram_tables or len(text) <= LIKE_MAX_LENGTH
    return is_known and len(text) >= TRIGRAM


def _says(text: str, language: Sequence[SqlFragment]) -> SqlFragment:
    """That the text stands in the source or in a translation: each entry is read."""
    source = contains("e.source_folded", text)
    target = _has([contains("t.value_folded", text), *language])
    return SqlFragment(f"({source.sql} OR {target.sql})", source.params + target.params)


def _found_to_say(
    database: Database, text: str, language: Sequence[SqlFragment]
) -> SqlFragment:
    """The same by what the indexes tell, of the entries of all memories."""
    source = holds(database, "memory_sources", "s.number", "s.source_folded", text)
    target = holds(database, "memory_values", "t.number", "t.value_folded", text)
    target = all_of([target, *language])
    return SqlFragment(
        f"""e.number IN (SELECT s.number FROM memory_entries s WHERE {source.sql}
            UNION ALL SELECT t.entry FROM memory_translations t WHERE {target.sql})""",
        source.params + target.params,
    )


def _has(parts: Sequence[SqlFragment], how: str = "EXISTS") -> SqlFragment:
    """That the entry has a translation of which all the parts hold."""
    condition = all_of([SqlFragment("t.entry = e.number"), *parts])
    return SqlFragment(
        f"{how} (SELECT 1 FROM memory_translations t WHERE {condition.sql})",
        condition.params,
    )

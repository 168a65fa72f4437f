"""Conditions for lists of entries of translation memories, and of terms."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from locframework.ports import EntryQuery, TermQuery

from .database import LIKE_MAX_LENGTH, Database, SqlFragment, all_of, contains, exists

TRIGRAM = 3  # characters: the least that the indexes know
LARGE = 5000
"""Entries of a memory, from which on the indexes are asked what a text stands in: they
tell of all memories, so that a small one is read sooner."""

OF_MEMORY = """e.memory = (SELECT number FROM memories
    WHERE id = ? AND deleted_at IS NULL)"""
"""Of an entry e. With a join instead PostgreSQL would sort all entries of a memory for
one page of them."""

_TRANSLATIONS = "memory_translations t WHERE t.entry = e.number"
_IN_LANGUAGE = "memory = ? AND language_code = ? AND value"
IN_LANGUAGE = (f"{_IN_LANGUAGE} <> ''", f"{_IN_LANGUAGE} = ''")
"""Of translations: those that say something, and proposals alone. Each has an index."""


def conditions(
    database: Database, where: EntryQuery, entries: int
) -> Iterable[SqlFragment]:
    """What of ``where`` is asked of an entry e of a memory that has so many."""
    if where.search is not None:
        is_found = entries >= LARGE and _is_indexed(database, where.search)
        says = partial(_found_to_say, database) if is_found else _says
        yield says(where.search, in_language(where))
    yield from on_translations(where, _TRANSLATIONS)


def in_language(where: EntryQuery | TermQuery) -> list[SqlFragment]:
    """Return what ``where`` asks of the language of a translation."""
    code = where.language_code
    return [] if code is None else [SqlFragment("language_code = ?", (code,))]


def on_translations(
    where: EntryQuery | TermQuery, translations: str
) -> Iterator[SqlFragment]:
    """Yield what ``where`` asks of translations, apart from the search.

    ``translations``: those of one entry or term, as in ``exists``.
    """
    language = in_language(where)
    if where.status == "untranslated":
        yield _negated(exists(translations, language))
    elif where.status is not None:
        status = SqlFragment("status = ?", (where.status,))
        yield exists(translations, [status, *language])
    if where.has_proposal is not None:
        proposal = SqlFragment("proposed_value IS NOT NULL")
        found = exists(translations, [proposal, *language])
        yield found if where.has_proposal else _negated(found)
    if language and where.status is None and where.has_proposal is None:
        yield exists(translations, language)


def _negated(condition: SqlFragment) -> SqlFragment:
    return SqlFragment(f"NOT {condition.sql}", condition.params)


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
    target = exists(_TRANSLATIONS, [contains("t.value_folded", text), *language])
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

"""Which entries of a translation memory a list holds."""

from collections.abc import Iterable, Sequence

from locframework.ports import EntryFilter

from .parts import Part, contains, every

OF_MEMORY = """e.memory = (SELECT number FROM memories
    WHERE id = ? AND deleted_at IS NULL)"""
"""Of an entry e. With a join instead PostgreSQL would sort all entries of a memory for
one page of them."""

_IN_LANGUAGE = "memory = ? AND language_code = ? AND value"
IN_LANGUAGE = (f"{_IN_LANGUAGE} <> ''", f"{_IN_LANGUAGE} = ''")
"""Of translations: those that say something, and proposals alone. Each has an index."""


def conditions(where: EntryFilter) -> Iterable[Part]:
    """What of ``where`` is asked of an entry e."""
    language: list[Part] = []
    if where.language_code is not None:
        language.append(Part("t.language_code = ?", (where.language_code,)))
    if where.search is not None:
        source = contains("e.source_folded", where.search)
        target = _has([contains("t.value_folded", where.search), *language])
        sql = f"({source.sql} OR {target.sql})"
        yield Part(sql, source.params + target.params)
    if where.status == "untranslated":
        yield _has(language, "NOT EXISTS")
    elif where.status is not None:
        yield _has([Part("t.status = ?", (where.status,)), *language])
    if where.has_proposal is not None:
        waits = [Part("t.proposed_value IS NOT NULL"), *language]
        yield _has(waits, "EXISTS" if where.has_proposal else "NOT EXISTS")
    if language and where.status is None and where.has_proposal is None:
        yield _has(language)


def _has(parts: Sequence[Part], how: str = "EXISTS") -> Part:
    """That the entry has a translation of which all the parts hold."""
    condition = every([Part("t.entry = e.number"), *parts])
    return Part(
        f"{how} (SELECT 1 FROM memory_translations t WHERE {condition.sql})",
        condition.params,
    )

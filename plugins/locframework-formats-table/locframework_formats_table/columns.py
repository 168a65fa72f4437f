"""Says what the columns of a table hold, by the cells of its head."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from locframework.ports import common_plural_forms, locale_tag, match_language

KEYS = frozenset({"key", "keys", "id", "identifier", "name"})
KEY, FORM, DESCRIPTION, STATUS, LENGTH, TEXT, OTHER = (
    *("key", "form", "description", "status", "max length", "text", ""),
)
_KINDS = {
    FORM: ("form", "plural", "plural form"),
    DESCRIPTION: ("description", "comment", "comments", "context", "note", "notes"),
    LENGTH: ("max length", "max_length", "maxlength"),
    STATUS: ("status", "state"),
    TEXT: ("text", "value", "translation"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_LANGUAGE = re.compile(r"(?:.*\()?([A-Za-z]{2,3}(?:[-_@][A-Za-z0-9]+)*)\)?")
_STATUS = re.compile(rf"(.+?)[ _:.-](?:{'|'.join(_KINDS[STATUS])})")


class Column(NamedTuple):
    """What a column holds. ``language`` is that of texts and of their status; None: the
    file does not say."""

    kind: str
    language: str | None = None


def language_in(cell: str) -> str | None:
    """Return the language that a cell names: ``pt_BR`` or ``German (de)``. Codes of
    three letters have to be in CLDR: ``url`` is one, and ``tag``."""
    found = _LANGUAGE.fullmatch(cell.strip())
    tag = locale_tag(found[1]) if found else None
    if tag is None:
        return None
    is_short = len(re.split("[-_@]", found[1])[0]) == 2 if found else False
    return tag if is_short or common_plural_forms(tag) else None


def columns_of(head: Sequence[str]) -> list[Column]:
    """Return what each column holds. The first is the key. Of two columns for the same,
    the second is another; so is one for texts if others name languages."""
    columns = [Column(KEY)]
    for cell in head[1:]:
        name = cell.strip().lower()
        status = _STATUS.fullmatch(name)
        if name in _KIND_OF:
            column = Column(_KIND_OF[name])
        elif status and (language := language_in(status[1])):
            column = Column(STATUS, language)
        elif language := language_in(cell):
            column = Column(TEXT, language)
        else:
            column = Column(OTHER)
        columns.append(column)
    languages = [c.language for c in columns if c.kind == TEXT and c.language]
    if languages:
        columns = [Column(OTHER) if c == Column(TEXT) else c for c in columns]
    if Column(STATUS) in columns and languages:  # of the one that is translated
        columns = [
            Column(STATUS, languages[-1]) if c == (STATUS, None) else c for c in columns
        ]
    first = {column: at for at, column in reversed([*enumerate(columns)])}
    return [c if first[c] == at else Column(OTHER) for at, c in enumerate(columns)]


def column_in(columns: Sequence[Column], kind: str, language: str | None) -> int | None:
    """Return the place of the column for a language, however its code is spelled."""
    same = [column.language for column in columns if column.kind == kind]
    if language in same:
        return columns.index(Column(kind, language))
    wanted = frozenset({language or ""})
    for other in same:
        if other is None or match_language(other, wanted):
            return columns.index(Column(kind, other))
    return None

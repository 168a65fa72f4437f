"""Entries to write as files, and files to read as units."""

from __future__ import annotations

import io
from typing import BinaryIO

from hypothesis import strategies as st

from locframework.memories.files import Unit, UnitFault, read_tmx
from locframework.memories.records import MemoryEntry, Penalties, TranslationMemory
from locframework.proposals.records import TermTranslation

AT = "2026-11-21T12:00:00.000Z"

MEMORY = TranslationMemory("m", "m", "Main", "en", 70, Penalties(), False, 0, AT, AT)

SIGNS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"
)

PLAIN = st.text(st.one_of(SIGNS, st.sampled_from("\t\n\r<>&\"'/")), min_size=1)

TAGS = st.sampled_from(
    [
        '<ph x="1"/>',
        '<bpt i="1">&lt;b&gt;</bpt>',
        '<ept i="1">&lt;/b&gt;</ept>',
        '<hi type="a&amp;b">x<ph/></hi>',
        '<it pos="begin">{<sub>deep <ut/></sub>}</it>',
        "<ph x='1'/>",
        "<hi>",
        "<b>bold</b>",
        "&lt;",
        "]]>",
    ]
)

TEXTS = st.lists(st.one_of(PLAIN, TAGS), min_size=1).map("".join).filter(str.strip)


def entry(source: str, context: str = "", **values: str) -> MemoryEntry:
    rows = tuple(
        TermTranslation(code, value, "approved", AT, None)
        for code, value in sorted(values.items())
    )
    return MemoryEntry("e", "m", source, context, AT, AT, rows)


def tmx(*units: str, head: str = "") -> BinaryIO:
    body = "\n".join(units)
    text = f'{head}<tmx version="1.4"><header/><body>\n{body}\n</body></tmx>'
    return io.BytesIO(text.encode())


def tuv(code: str, segment: str) -> str:
    return f'<tuv xml:lang="{code}"><seg>{segment}</seg></tuv>'


def read(file: BinaryIO, language: str = "en") -> list[Unit]:
    found = list(read_tmx(file, language))
    assert not [each for each in found if isinstance(each, UnitFault)]
    return [each for each in found if isinstance(each, Unit)]


def texts(unit: Unit) -> dict[str, str]:
    return {code: each.value for code, each in unit.values.items()}

"""Entries as TMX 1.4b, which translation tools exchange; reads older versions too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

from locframework.errors import abbreviate, truncate
from locframework.file_import.problems import unreadable
from locframework.file_import.xml_file import (
    Element,
    OwnDoctype,
    element_text,
    is_blank_in_xml,
    read_elements,
)
from locframework.languages import canonical_tag, same_language

from .file_records import Unit, UnitFault, UnitValue
from .inline import NAMES, InlineText, content_of
from .records import MemoryEntry, TranslationMemory

CONTENT_TYPE = "application/x-tmx+xml"
CONTEXT = "x-context"  # the type of the prop that has an entry's context
STATUS = "x-locframework-status"  # of a variant; other tools ignore it
CONFIRMATION = "x-confirmationlevel"  # of Trados Studio
UNCONFIRMED = ("draft", "rejectedtranslation", "rejectedsignoff")
VARIANTS_LIMIT = 1000  # of a unit
EMPTY_LIMIT = 100_000  # units without any text
LEFT_OUT_LIMIT = 20  # warnings of a unit
DOCTYPE = OwnDoctype(
    root="tmx",
    public="-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN",
    system=re.compile(r"(https?://[\w./-]*/)?tmx1[0-4][ab]?\.dtd"),
    label="tmx14.dtd",
)


def write_tmx(
    memory: TranslationMemory, entries: Iterable[MemoryEntry]
) -> Iterator[bytes]:
    """Write the entries with approved translations and drafts; no proposals.

    The same entries give the same bytes. Entries without a translation are units of
    the source text alone. Texts of nothing but characters that XML cannot hold are
    left out, and so are entries with such a source text.
    """
    language = quoteattr(memory.source_language)
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="locframework" creationtoolversion="1" '
        'segtype="block" o-tmf="locframework" adminlang="en" '
        f'srclang={language} datatype="plaintext"/>\n<body>\n'
    ).encode()
    for entry in entries:
        yield "".join(_written_unit(memory, entry)).encode()
    yield b"</body>\n</tmx>\n"


def _written_unit(memory: TranslationMemory, entry: MemoryEntry) -> Iterable[str]:
    if is_blank_in_xml(entry.source_text):
        return
    yield f'<tu tuid="{entry.id}">\n'
    if entry.context:
        yield f'<prop type="{CONTEXT}">{element_text(entry.context)}</prop>\n'
    yield _written_variant(memory.source_language, entry.source_text)
    for each in entry.translations:
        if not is_blank_in_xml(each.value):
            is_draft = each.status == "draft"
            yield _written_variant(each.language_code, each.value, is_draft=is_draft)
    yield "</tu>\n"


def _written_variant(language_code: str, text: str, *, is_draft: bool = False) -> str:
    prop = f'<prop type="{STATUS}">draft</prop>' if is_draft else ""
    content = content_of(text)
    return f'<tuv xml:lang="{language_code}">{prop}<seg>{content}</seg></tuv>\n'


def read_tmx(file: BinaryIO, source_language: str) -> Iterator[Unit | UnitFault]:
    """Yield the units of a file, in its order, and why others are left out.

    Of several texts in one language the first is read. The source text is the one in
    the memory's source language, else one that differs in region only: ``en-US`` for
    ``en``. Raises UnreadableFile.
    """
    empty = 0
    for element in read_elements(file, "TMX", DOCTYPE, ("tmx",), "tu"):
        empty += not any(element.descendants("seg"))
        if empty > EMPTY_LIMIT:
            message = f"more than {EMPTY_LIMIT:,} units are without any text"
            raise unreadable(element.line, "units", message)
        yield from _units(element, source_language)


def source_of(values: dict[str, UnitValue], language: str) -> str | None:
    """Return the language whose text is the source text."""
    if language in values:
        return language
    return next((code for code in values if same_language(code, language)), None)


def _units(element: Element, source_language: str) -> Iterator[Unit | UnitFault]:
    inner = list(element.elements("tu"))
    if inner:
        message = f"another unit begins within it, in line {inner[0].line}"
        yield UnitFault(element.line, message)
        for each in inner:
            yield from _units(each, source_language)
        return
    variants = list(element.elements("tuv"))
    if len(variants) > VARIANTS_LIMIT:
        message = f"the unit has more than {VARIANTS_LIMIT:,} texts"
        yield UnitFault(element.line, message)
        return
    left_out: dict[str, None] = {}  # each once
    context = _context(element, left_out)
    values = _values(element, variants, left_out)
    code = source_of(values, source_language)
    if code is None:
        yield UnitFault(element.line, f"there is no text in {source_language}")
        return
    source, warnings = values.pop(code), tuple(left_out)[:LEFT_OUT_LIMIT]
    yield Unit(element.line, source.value, context, values, warnings)


def _context(element: Element, left_out: dict[str, None]) -> str:
    context = ""
    for prop in element.elements("prop"):
        if prop.attributes.get("type", "").lower() == CONTEXT:
            text = prop.text()
            if context and context != text:
                left_out["a further x-context is left out: the first counts"] = None
            else:
                context = text
    return context


def _values(
    element: Element, variants: Iterable[Element], left_out: dict[str, None]
) -> dict[str, UnitValue]:
    """Return the texts of a unit by language code; add what is left out, and why."""
    is_unconfirmed = _is_draft(element)
    values: dict[str, UnitValue] = {}
    for variant in variants:
        if any(variant.elements("tuv")):
            left_out["a <tuv> inside another one is left out"] = None
        given = variant.attributes.get("xml:lang", variant.attributes.get("lang", ""))
        code = canonical_tag(given)
        if code is None:
            what = f"in {abbreviate(given)!r}, which is not a BCP-47 language,"
            left_out[f"a text {what if given else 'without xml:lang'} is left out"] = (
                None
            )
            continue
        for segment in variant.elements("seg"):
            inline = InlineText()
            _add_content(inline, segment, left_out)
            value = UnitValue(inline.whole(), is_unconfirmed or _is_draft(variant))
            first = values.setdefault(code, value)
            if first is value and inline.becomes_tags():
                warning = f"the text in {code} is escaped, and taken as inline tags"
                left_out[warning] = None
            elif first.value != value.value:
                warning = f"a further text in {code} is left out: the first counts"
                left_out[warning] = None
    return values


def _is_draft(element: Element) -> bool:
    """Return whether a unit or variant says that it is not confirmed."""
    for prop in element.elements("prop"):
        type_ = prop.attributes.get("type", "").lower()
        text = prop.text().strip()
        if type_ == STATUS and text == "draft":
            return True
        if type_ == CONFIRMATION and text.lower() in UNCONFIRMED:
            return True
    return False


def _add_content(
    inline: InlineText, element: Element, left_out: dict[str, None]
) -> None:
    for child in element.children:
        if isinstance(child, str):
            inline.text(child)
        elif child.name in NAMES:
            inline.begin(child.name, child.attributes)
            _add_content(inline, child, left_out)
            inline.end(child.name)
        else:
            name = truncate(child.name)
            warning = f"the tags of <{name}> are left out, their text is kept"
            left_out[warning] = None
            _add_content(inline, child, left_out)

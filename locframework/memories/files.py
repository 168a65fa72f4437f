"""Files of entries: TMX 1.4b, which translation tools exchange, and CSV.

Older versions of TMX are read, too. A segment without inline tags is its text, as it
is. One with tags is the XML inside of ``<seg>`` (``Press <ph x="1"/> twice``), written
in one way only: names and attributes in their order, double quotes, ``&``, ``<`` and
``>`` escaped. So a text shows by itself which of the two it is.

CSV has a row for each entry and a column for each language: ``context,en,de,fr``. The
column of the source language is the source text. For formulas see
file_import/csv_table.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from msgspec import Struct

from locframework.errors import abbreviate, truncate
from locframework.file_import.csv_table import read_table, write_rows
from locframework.file_import.xml_file import (
    Element,
    OwnDoctype,
    element_text,
    escaped,
    is_blank_in_xml,
    read_elements,
    without_control_characters,
)
from locframework.languages import canonical_tag, same_language

from .records import CONTEXT_LENGTH, MemoryEntry, TranslationMemory

TMX_TYPE = "application/x-tmx+xml"
CONTEXT = "x-context"  # the type of the prop that has an entry's context
# by whom the props are written that tell units of one text apart
CONTEXTS = (
    (CONTEXT,),  # ourselves, Trados and others
    ("file", "path", "id", "prev", "next"),  # OmegaT
    ("x-context-pre", "x-context-post"),  # memoQ
)
STATUS = "x-locframework-status"  # of a variant; other tools ignore it
# by the type of a prop: what it holds where a text is not confirmed
UNCONFIRMED = {
    STATUS: ("draft",),
    "x-confirmationlevel": (
        "draft",
        "rejectedtranslation",
        "rejectedsignoff",
    ),  # Trados
}
DOCTYPE = OwnDoctype(
    root="tmx",
    public="-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN",
    system=re.compile(r"(https?://[\w./-]*/)?tmx1[0-4][ab]?\.dtd"),
    label="tmx14.dtd",
)


class UnitValue(Struct, frozen=True, gc=False):
    """The text of a unit in one language."""

    value: str
    is_draft: bool = False


class Unit(Struct, frozen=True, gc=False):
    """A source text with its translations, in a file."""

    line: int  # the first, counted from 1
    source_text: str
    context: str
    values: Mapping[str, UnitValue]  # by canonical language code
    left_out: Sequence[str] = ()  # warnings of what was not read
    no_place: Sequence[str] = ()  # the kind of each note, prop, … that is not read


class UnitFault(Struct, frozen=True):
    """Why a unit is left out, as a whole."""

    line: int
    message: str


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
    ``en``. The context is that of the first kind of CONTEXTS that the unit has. Raises
    UnreadableFile.
    """
    for element in read_elements(file, "TMX", DOCTYPE, ("tmx",), "tu"):
        if any(element.elements("tu")):
            yield UnitFault(element.line, "a <tu> is inside another <tu>")
            continue
        left_out = dict.fromkeys(filter(None, [element.mended]))  # each once
        context, no_place = _context(element)
        values = _values(element, left_out)
        code = source_of(values, source_language)
        if code is None:
            yield UnitFault(element.line, f"there is no text in {source_language}")
        else:
            source = values.pop(code).value
            told = tuple(left_out)
            yield Unit(element.line, source, context, values, told, no_place)


def source_of(values: dict[str, UnitValue], language: str) -> str | None:
    """Return the language whose text is the source text."""
    if language in values:
        return language
    return next((code for code in values if same_language(code, language)), None)


def _context(element: Element) -> tuple[str, Sequence[str]]:
    """Return the context of a unit, and the kind of each thing that is left out."""
    props: dict[str, str] = {}  # that may be the context, by type
    no_place: list[str] = []
    for part in (element, *element.elements("tuv")):
        for each in part.children:
            if isinstance(each, str):
                no_place += ["text outside of <seg>"] if each.strip() else []
                continue
            if each.name in ("tuv", "seg"):
                continue
            given, text = each.attributes.get("type", ""), each.text()
            type_ = given.lower() if each.name == "prop" else ""
            kind = f' type="{abbreviate(given)}"' if given else ""
            if any(type_ in types for types in CONTEXTS):
                if text and props.setdefault(type_, text) != text:
                    no_place.append(f"<prop{kind}> after the first")
            elif type_ not in UNCONFIRMED and text.strip():
                no_place.append(f"<{abbreviate(each.name)}{kind}>")
    chosen = next((types for types in CONTEXTS if props.keys() & types), ())
    no_place += [f'<prop type="{each}">' for each in props if each not in chosen]
    if CONTEXT in chosen:
        return props[CONTEXT], no_place
    parts = [_SEGMENT.sub("", props[each]).strip() for each in chosen if each in props]
    return " | ".join(parts)[:CONTEXT_LENGTH], no_place


_SEGMENT = re.compile("</?seg>")  # memoQ writes them inside of props


def _values(element: Element, left_out: dict[str, None]) -> dict[str, UnitValue]:
    """Return the texts of a unit by language code; add what is left out, and why."""
    is_unconfirmed = _is_draft(element)
    values: dict[str, UnitValue] = {}
    for variant in element.elements("tuv"):
        given = variant.attributes.get("xml:lang", variant.attributes.get("lang", ""))
        code = canonical_tag(given)
        if code is None:
            what = f"in {abbreviate(given)!r}, which is not a BCP-47 language,"
            what = what if given else "without xml:lang"
            left_out[f"a text {what} is left out"] = None
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
    for prop in element.elements("prop"):
        type_ = prop.attributes.get("type", "").lower()
        if prop.text().strip().lower() in UNCONFIRMED.get(type_, ()):
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


CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})  # what alone may hold a ``sub``
NAMES = CODES | {"hi", "sub"}

_MAYBE = re.compile(rf"<({'|'.join(NAMES)})[ />]")


class InlineText:
    """Gathers the content of one segment, tag by tag."""

    def __init__(self) -> None:
        self._plain: list[str] = []
        self._marked: list[str] = []
        self._has_tags = False
        self._is_open = False  # a tag has begun that may turn out to be empty

    def text(self, text: str) -> None:
        self._close()
        self._plain.append(text)
        self._marked.append(escaped(text))

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        self._close()
        given = "".join(f" {key}={_quoted(text)}" for key, text in attributes.items())
        self._marked.append(f"<{name}{given}")
        self._has_tags = self._is_open = True

    def end(self, name: str) -> None:
        self._marked.append("/>" if self._is_open else f"</{name}>")
        self._is_open = False

    def whole(self) -> str:
        """The text of the segment."""
        return "".join(self._marked if self._has_tags else self._plain)

    def becomes_tags(self) -> bool:
        """Whether it is text that the file has escaped, and that reads as tags now."""
        return not self._has_tags and _has_tags("".join(self._plain))

    def _close(self) -> None:
        if self._is_open:
            self._marked.append(">")
            self._is_open = False


def content_of(text: str) -> str:
    """Return what stands inside of ``<seg>`` for a text, without control characters."""
    text = without_control_characters(text)
    return text if _has_tags(text) else escaped(text)


def _has_tags(text: str) -> bool:
    """Whether a text is a segment with inline tags, written in the one way. ``sub`` is
    one inside of a code alone, as TMX has it: ``H<sub>2</sub>O`` is HTML."""
    if not _MAYBE.search(text):
        return False
    parser, gathered = expat.ParserCreate(), InlineText()
    parser.buffer_text = True
    around: list[str] = []

    def begin(name: str, attributes: dict[str, str]) -> None:
        if around:
            if name not in NAMES or (name == "sub" and around[-1] not in CODES):
                raise ValueError
            gathered.begin(name, attributes)
        around.append(name)

    def end(name: str) -> None:
        around.pop()
        if around:
            gathered.end(name)

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = gathered.text
    try:
        parser.Parse(f"<seg>{text}</seg>".encode(), True)
    except (expat.ExpatError, ValueError):
        return False
    return gathered.whole() == text


def _quoted(text: str) -> str:
    plain = quoteattr(text, {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
    return f'"{plain[1:-1]}"'


CSV_TYPE = "text/csv; charset=utf-8"
_SOURCES = ("source", "sourcetext")


def write_csv(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[bytes]:
    """Write the entries with approved texts in these languages, always in the same
    bytes."""
    return write_rows(_rows(memory, language_codes, entries))


def read_csv(file: BinaryIO, source_language: str) -> Iterator[Unit | UnitFault]:
    """Yield the units of a file, and why others are left out. The source text is the
    column of the source language, or ``source``. Raises UnreadableFile."""

    def problem_of(columns: list[str]) -> str | None:
        if "source" not in columns:
            by_code = dict.fromkeys(columns, UnitValue(""))
            source = source_of(by_code, source_language)
            if source is None:
                return f"there is no column {source_language!r}"
            columns[columns.index(source)] = "source"
        return None

    for line, cells, has_surplus in read_table(file, _column_of, problem_of):
        if has_surplus:
            yield UnitFault(line, "there are more cells than columns")
        else:
            source, context = cells.pop("source", ""), cells.pop("context", "")
            values = {code: UnitValue(cell) for code, cell in cells.items() if cell}
            yield Unit(line, source, context, values)


def _column_of(name: str) -> str | None:
    """Return ``context``, ``source``, or a canonical language code."""
    if name.lower() in ("context", *_SOURCES):
        return "context" if name.lower() == "context" else "source"
    return canonical_tag(name)


def _rows(
    memory: TranslationMemory,
    language_codes: Sequence[str],
    entries: Iterable[MemoryEntry],
) -> Iterator[Sequence[str]]:
    yield "context", memory.source_language, *language_codes
    for entry in entries:
        values = {
            each.language_code: each.value
            for each in entry.translations
            if each.status == "approved"
        }
        cells = (values.get(code, "") for code in language_codes)
        yield entry.context, entry.source_text, *cells

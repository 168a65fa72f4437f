"""Reads TMX 1.4b (and older), unit by unit; memory does not grow with the file.

What is refused of XML: xml_reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from locframework.errors import Problem, UnreadableFile, abbreviate, truncate
from locframework.file_import.xml_reading import OwnDoctype, XmlFault, feed, parser_for
from locframework.languages import canonical_tag, same_language

from .file_records import Unit, UnitFault, UnitValue
from .inline import NAMES, InlineText
from .records import CONTEXT_LENGTH, VALUE_BYTES
from .tmx_writing import CONTEXT, STATUS

CONFIRMATION = "x-confirmationlevel"  # Trados Studio's, of a unit
UNCONFIRMED = ("draft", "rejectedtranslation", "rejectedsignoff")
SEGMENT_MOST = VALUE_BYTES  # characters of a segment that are looked at
VARIANTS_MOST = 1000  # of a unit
UNIT_MOST = 4 * 1024 * 1024  # characters of a unit
DEPTH_MOST = 64
EMPTY_MOST = 100_000  # units without any text
LEFT_OUT_MOST = 20  # things of a unit that are told
DOCTYPE = OwnDoctype(
    root="tmx",
    public="-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN",
    system=re.compile(r"(https?://[\w./-]*/)?tmx1[0-4][ab]?\.dtd"),
    told="tmx14.dtd",
)

Found = Unit | UnitFault


def read_tmx(file: BinaryIO, source_language: str) -> Iterator[Found]:
    """The units of a file, in its order; of what is left out, why.

    Of several texts in one language the first counts. The source text is the one in
    the memory's source language, else one of that language at large: ``en-US`` for
    ``en``. Raises UnreadableFile, with the line, for what is not TMX.
    """
    reader = _Reader(source_language)
    try:
        for _ in feed(reader.parser, file):
            yield from reader.taken()
    except XmlFault as fault:
        where = f"line {fault.line}"
        problem = Problem(where, fault.rule, fault.message)
        raise UnreadableFile(f"{where}: {fault.message}", [problem]) from None


class _Reader:
    """Walks the file, and hands out each unit when it has ended."""

    def __init__(self, source_language: str) -> None:
        self._source_language = source_language
        self._found: list[Found] = []
        self._empty = 0
        self._path: list[str] = []
        self._unit: _Unit | None = None
        self._segment: InlineText | None = None
        self._depth = 0  # of the segment that is open
        self._prop: tuple[str, str] | None = None  # its type, and its text so far
        self.parser = parser = parser_for(DOCTYPE)
        parser.ordered_attributes = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def taken(self) -> Sequence[Found]:
        """What was found since the last call."""
        found, self._found = self._found, []
        return found

    @property
    def _line(self) -> int:
        return self.parser.CurrentLineNumber

    def _begin(self, name: str, attributes: Sequence[str]) -> None:
        if not self._path and name != "tmx":
            raise XmlFault(self._line, "syntax", "the file is not TMX")
        self._path.append(name)
        if len(self._path) > DEPTH_MOST:
            message = "elements are nested too deeply"
            raise XmlFault(self._line, "depth", message)
        if self._segment is not None:
            if name in NAMES and self._segment.size <= SEGMENT_MOST:
                self._segment.begin(name, attributes)
            elif name not in NAMES and self._unit is not None:
                told = (
                    f"the tags of <{truncate(name)}> are left out, their text is kept"
                )
                self._unit.leave_out(told)
            return
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if name == "tu":
            if self._unit is not None:
                self._found.append(self._unit.broken_off(self._line))
            self._unit = _Unit(self._line)
        elif self._unit is None:
            return
        elif name == "tuv":
            self._unit.open(given.get("xml:lang", given.get("lang", "")))
        elif name == "seg":
            self._segment, self._depth = InlineText(), len(self._path)
        elif name == "prop":
            self._prop = (given.get("type", "").lower(), "")

    def _text(self, text: str) -> None:
        if self._segment is not None:
            if self._segment.size <= SEGMENT_MOST:
                self._segment.text(text)
        elif self._prop is not None:
            type_, before = self._prop  # longer ones than that are refused as they are
            self._prop = type_, (before + text)[: CONTEXT_LENGTH + 1]

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._unit is None:
            return
        if self._segment is not None and len(self._path) >= self._depth:
            if name in NAMES and self._segment.size <= SEGMENT_MOST:
                self._segment.end(name)
        elif self._segment is not None:
            self._unit.set(self._segment)
            self._segment = None
        elif self._prop is not None and name == "prop":
            self._unit.note(*self._prop)
            self._prop = None
        elif name == "tuv":
            self._unit.close()
        elif name == "tu":
            self._found.append(self._unit.found(self._source_language))
            self._count(self._unit)
            self._unit = None

    def _count(self, unit: _Unit) -> None:
        self._empty += unit.is_empty
        if self._empty > EMPTY_MOST:
            message = f"more than {EMPTY_MOST:,} units are without any text"
            raise XmlFault(self._line, "units", message)


class _Unit:
    """A unit while it is read."""

    def __init__(self, line: int) -> None:
        self._line = line
        self.is_empty = True
        self._context = ""
        self._code: str | None = None  # of the variant that is open
        self._is_draft = self._is_unconfirmed = False
        self._variants = self._size = 0
        self._values: dict[str, UnitValue] = {}
        self._fault: UnitFault | None = None
        self._left_out: dict[str, None] = {}  # told once each

    def open(self, given: str) -> None:
        if self._code is not None:
            self.leave_out("a <tuv> is inside another one: what follows is left out")
        self._code, self._is_draft = "", self._is_unconfirmed
        self._variants += 1
        if self._is_too_large():
            return
        self._code = canonical_tag(given) or ""
        if not self._code:
            told = "a text without xml:lang is left out"
            if given:
                code = repr(abbreviate(given))
                told = f"a text in {code}, which is not a BCP-47 language, is left out"
            self.leave_out(told)

    def leave_out(self, told: str) -> None:
        """Note what of the unit is not read."""
        if len(self._left_out) < LEFT_OUT_MOST:
            self._left_out[told] = None

    def note(self, type_: str, text: str) -> None:
        if type_ == STATUS:
            self._is_draft = text.strip() == "draft"
        elif type_ == CONFIRMATION and text.strip().lower() in UNCONFIRMED:
            self._is_draft = True
            self._is_unconfirmed |= self._code is None
        elif type_ == CONTEXT and self._code is None:
            if self._context and self._context != text:
                self.leave_out("a further x-context is left out: the first counts")
            else:
                self._context = text

    def set(self, segment: InlineText) -> None:
        self.is_empty = False
        if not self._code:
            return
        text, first = segment.whole(), self._values.get(self._code)
        if first is not None:
            if first.value != text:
                told = f"a further text in {self._code} is left out: the first counts"
                self.leave_out(told)
        else:
            if segment.becomes_tags():
                told = f"the text in {self._code} is escaped, and taken as inline tags"
                self.leave_out(told)
            self._size += len(text)
            self._values[self._code] = UnitValue(text, self._is_draft)
            self._is_too_large()

    def close(self) -> None:
        self._code = None

    def _is_too_large(self) -> bool:
        """Whether it is; nothing of it is kept then."""
        if self._variants > VARIANTS_MOST:
            message = f"the unit has more than {VARIANTS_MOST:,} texts"
        elif self._size > UNIT_MOST:
            message = f"the unit has more than {UNIT_MOST:,} characters"
        else:
            return False
        self._values.clear()
        self._fault = UnitFault(self._line, message)
        return True

    def broken_off(self, line: int) -> UnitFault:
        return UnitFault(self._line, f"another unit begins within it, in line {line}")

    def found(self, source_language: str) -> Found:
        if self._fault is not None:
            return self._fault
        code = source_of(self._values, source_language)
        if code is None:
            return UnitFault(self._line, f"there is no text in {source_language}")
        source, told = self._values.pop(code), tuple(self._left_out)
        return Unit(self._line, source.value, self._context, self._values, told)


def source_of(values: dict[str, UnitValue], language: str) -> str | None:
    """Which of the texts is the source text."""
    if language in values:
        return language
    return next((code for code in values if same_language(code, language)), None)


Reader = Callable[[BinaryIO, str], Iterator[Found]]
"""Reads one format: a file, and the memory's source language."""

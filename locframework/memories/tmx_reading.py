"""Reads TMX 1.4b (and older), unit by unit; memory does not grow with the file.

A DOCTYPE is refused (decisions 2.11), but for the bare one that names TMX's own DTD,
which most tools write: it is passed over. So there are no entities, and nothing outside
the file is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO
from xml.parsers import expat

from locframework.errors import Problem, UnreadableFile, mentioned
from locframework.languages import canonical_tag, same_language

from .file_records import Unit, UnitFault, UnitValue
from .inline import NAMES, InlineText
from .tmx_writing import CONTEXT, STATUS

CHUNK = 64 * 1024
SEGMENT_MOST = 256 * 1024  # characters of a segment that are looked at
DEPTH_MOST = 64
_OWN_DTD = re.compile(r"(https?://[\w./-]*/)?tmx1[0-4][ab]?\.dtd")

Found = Unit | UnitFault


def read_tmx(file: BinaryIO, source_language: str) -> Iterator[Found]:
    """The units of a file, in its order; of what is left out, why.

    Of several texts in one language the first counts. The source text is the one in
    the memory's source language, else one of that language at large: ``en-US`` for
    ``en``. Raises UnreadableFile, with the line, for what is not TMX.
    """
    reader = _Reader(source_language)
    while chunk := file.read(CHUNK):
        reader.feed(chunk)
        yield from reader.taken()
    reader.feed(b"", is_last=True)
    yield from reader.taken()


class _Reader:
    """Walks the file, and hands out each unit when it has ended."""

    def __init__(self, source_language: str) -> None:
        self._source_language = source_language
        self._found: list[Found] = []
        self._path: list[str] = []
        self._unit: _Unit | None = None
        self._segment: InlineText | None = None
        self._prop: tuple[str, list[str]] | None = None
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = parser.ordered_attributes = True
        parser.StartDoctypeDeclHandler = self._judge_doctype
        parser.SkippedEntityHandler = self._refuse_entity
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def feed(self, chunk: bytes, *, is_last: bool = False) -> None:
        try:
            self._parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code) or "is not XML"
            raise _unreadable(error.lineno, "syntax", reason) from None
        except (ValueError, LookupError):
            raise _unreadable(1, "encoding", "the encoding is not known") from None

    def taken(self) -> Sequence[Found]:
        """What was found since the last call."""
        found, self._found = self._found, []
        return found

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _judge_doctype(
        self, name: str, system: str | None, public: str | None, has_subset: int
    ) -> None:
        is_bare = name == "tmx" and not has_subset and public is None
        if not is_bare or _OWN_DTD.fullmatch(system or "") is None:
            message = "a DOCTYPE is not read, unless it only names tmx14.dtd"
            raise _unreadable(self._line, "doctype", message)

    def _refuse_entity(self, name: str, _: bool) -> None:
        message = f"the entity {mentioned(name)} is not known"
        raise _unreadable(self._line, "entity", message)

    def _begin(self, name: str, attributes: Sequence[str]) -> None:
        if not self._path and name != "tmx":
            raise _unreadable(self._line, "syntax", "the file is not TMX")
        self._path.append(name)
        if len(self._path) > DEPTH_MOST:
            message = "elements are nested too deeply"
            raise _unreadable(self._line, "depth", message)
        if self._segment is not None:
            if name in NAMES:
                self._segment.begin(name, attributes)
            return
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if name == "tu":
            self._unit = _Unit(self._line)
        elif self._unit is None:
            return
        elif name == "tuv":
            self._unit.open(given.get("xml:lang", given.get("lang", "")))
        elif name == "seg":
            self._segment = InlineText()
        elif name == "prop":
            self._prop = (given.get("type", "").lower(), [])

    def _text(self, text: str) -> None:
        if self._segment is not None:
            if self._segment.size <= SEGMENT_MOST:
                self._segment.text(text)
        elif self._prop is not None:
            self._prop[1].append(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._unit is None:
            return
        if self._segment is not None and name in NAMES:
            self._segment.end(name)
        elif self._segment is not None and name == "seg":
            self._unit.set(self._segment)
            self._segment = None
        elif self._prop is not None and name == "prop":
            self._unit.note(self._prop[0], "".join(self._prop[1]))
            self._prop = None
        elif name == "tuv":
            self._unit.close()
        elif name == "tu":
            self._found += self._unit.found(self._source_language)
            self._unit = None


class _Unit:
    """A unit while it is read."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._context = ""
        self._code: str | None = None  # of the variant that is open
        self._is_draft = False
        self._values: dict[str, UnitValue] = {}
        self._faults: list[UnitFault] = []

    def open(self, given: str) -> None:
        self._code, self._is_draft = canonical_tag(given) or "", False
        if not self._code:
            message = "a text is of no BCP-47 language, and was left out"
            self._faults.append(UnitFault(self._line, message))

    def note(self, type_: str, text: str) -> None:
        if type_ == STATUS:
            self._is_draft = text == "draft"
        elif type_ == CONTEXT and self._code is None:
            self._context = text

    def set(self, segment: InlineText) -> None:
        if self._code:
            value = UnitValue(segment.whole(), self._is_draft)
            self._values.setdefault(self._code, value)

    def close(self) -> None:
        self._code = None

    def found(self, source_language: str) -> Iterator[Found]:
        yield from self._faults
        code = source_of(self._values, source_language)
        if code is None:
            yield UnitFault(self._line, f"there is no text in {source_language}")
            return
        source = self._values.pop(code)
        yield Unit(self._line, source.value, self._context, self._values)


def source_of(values: dict[str, UnitValue], language: str) -> str | None:
    """Which of the texts is the source text."""
    if language in values:
        return language
    return next((code for code in values if same_language(code, language)), None)


def _unreadable(line: int, rule: str, message: str) -> UnreadableFile:
    where = f"line {max(line, 1)}"
    return UnreadableFile(f"{where}: {message}", [Problem(where, rule, message)])


Reader = Callable[[BinaryIO, str], Iterator[Found]]
"""Reads one format: a file, and the memory's source language."""

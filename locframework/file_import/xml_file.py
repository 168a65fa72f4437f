"""Reads XML of unknown origin element by element (decisions 2.11), and writes text.

A DOCTYPE is refused unless it just names the format's own DTD, which is never read. So
there are no entities, and nothing outside the file is requested. Single characters and
references that are no XML are mended (xml_text.py) and named with the element.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape

from msgspec import Struct, field

from locframework.errors import UnreadableFile, truncate

from .problems import unreadable
from .xml_text import MARK, NOT_XML, XmlText

TOKEN_LIMIT = 1024 * 1024  # bytes of a tag or comment: expat keeps it until it ends
NAMES_LIMIT = 10_000  # of elements and attributes: expat keeps each until the end
DEPTH_LIMIT = 64
ITEM_LIMIT = 4 * 1024 * 1024  # characters of an element that is returned
NODE_SIZE = 100  # characters that a tag counts for


class OwnDoctype(Struct, frozen=True):
    """How files of a format name its DTD, with ``PUBLIC`` or without."""

    root: str
    public: str
    system: re.Pattern[str]
    label: str  # the name of the DTD in messages


class Element(Struct, gc=False):
    """An element with all that is in it; names are without prefixes."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[Element | str] = field(default_factory=list)
    mended: str = ""  # what was no XML, in it and in all elements within

    def elements(self, *names: str) -> Iterator[Element]:
        """Yield the children with one of these names."""
        for child in self.children:
            if isinstance(child, Element) and child.name in names:
                yield child

    def descendants(self, *names: str) -> Iterator[Element]:
        """Yield the outermost elements with one of these names, at any depth."""
        for child in self.children:
            if isinstance(child, Element):
                if child.name in names:
                    yield child
                else:
                    yield from child.descendants(*names)

    def text(self) -> str:
        """Return the text of the element and of all in it."""
        return "".join(
            child if isinstance(child, str) else child.text() for child in self.children
        )


def begins_like_xml(file: BinaryIO) -> bool:
    """Return whether a file's first character is ``<``; rewinds it."""
    begin = file.read(100)
    file.seek(0)
    return begin.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")[:1] == b"<"


def read_elements(
    file: BinaryIO,
    format_: str,
    doctype: OwnDoctype,
    roots: Collection[str],
    *names: str,
) -> Iterator[Element]:
    """Yield the outermost elements with one of these names; skip all else. ``format_``
    is the name of the format in messages, ``roots`` are the elements that its files may
    begin with. Memory does not grow with the file. Raises UnreadableFile."""
    text = XmlText(file)
    tree = _TreeBuilder(format_, doctype, roots, names, text)
    parser, size = tree.parser, 0
    for part in text:
        chunk = part.encode()
        _parse(parser, chunk)
        size += len(chunk)
        if size - parser.CurrentByteIndex > TOKEN_LIMIT:
            message = f"a tag or a comment has more than {TOKEN_LIMIT:,} bytes"
            raise unreadable(parser.CurrentLineNumber, "length", message)
        if len(parser.intern) > NAMES_LIMIT:
            message = f"more than {NAMES_LIMIT:,} names of elements and attributes"
            raise unreadable(parser.CurrentLineNumber, "length", message)
        yield from tree.take()
    _parse(parser, b"", is_last=True)
    yield from tree.take()


def _parse(parser: expat.XMLParserType, chunk: bytes, *, is_last: bool = False) -> None:
    try:
        parser.Parse(chunk, is_last)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "is not XML"
        raise unreadable(error.lineno, "syntax", reason) from None


class _TreeBuilder:
    def __init__(
        self,
        format_: str,
        doctype: OwnDoctype,
        roots: Collection[str],
        names: Collection[str],
        text: XmlText,
    ) -> None:
        self._format = format_
        self._doctype = doctype
        self._roots = roots
        self._names = names
        self._depth = 0
        self._open: list[Element] = []  # the element being built, and those inside
        self._size = 0
        self._done: list[Element] = []
        self._marked = text.mended
        self._mended: dict[str, dict[str, None]] = {}  # what, by how
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._check_doctype
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text

    def take(self) -> list[Element]:
        """Return the elements that have ended since the last call."""
        done, self._done = self._done, []
        return done

    def _refusal(self, rule: str, message: str) -> UnreadableFile:
        return unreadable(self.parser.CurrentLineNumber, rule, message)

    def _check_doctype(
        self, name: str, system: str | None, public: str | None, has_subset: int
    ) -> None:
        own = self._doctype
        is_own = name == own.root and not has_subset and public in (None, own.public)
        if not is_own or own.system.fullmatch(system or "") is None:
            message = f"a DOCTYPE is accepted only if it just names {own.label}"
            raise self._refusal("doctype", message)

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if self._depth == 0 and name not in self._roots:
            raise self._refusal("syntax", f"the file is not {self._format}")
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise self._refusal("depth", "elements are nested too deeply")
        is_read = bool(self._open) or name in self._names
        if self._marked:
            attributes = {
                key: self._filled(value, is_read=is_read)
                for key, value in attributes.items()
            }
        if not is_read:
            return
        element = Element(name, attributes, self.parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        self._open.append(element)
        self._count(NODE_SIZE + sum(map(len, attributes.values())))

    def _add_text(self, text: str) -> None:
        if self._marked:
            text = self._filled(text, is_read=bool(self._open))
        if self._open:
            self._count(len(text))
            self._open[-1].children.append(text)

    def _filled(self, text: str, *, is_read: bool) -> str:
        """Return what a text means; note what was mended in an element that is read."""
        first, *parts = text.split(MARK)
        for part in parts:
            mended = self._marked.popleft()
            first += mended.text + part
            if mended.how and is_read:
                self._mended.setdefault(mended.how, {})[mended.what] = None
        return first

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > ITEM_LIMIT:
            name = self._open[0].name
            message = f"<{name}> has more than {ITEM_LIMIT:,} characters"
            raise self._refusal("length", message)

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                element.mended = "; ".join(
                    f"{truncate(', '.join(what))}: {how}"
                    for how, what in self._mended.items()
                )
                self._mended.clear()
                self._done.append(element)
                self._size = 0


def without_control_characters(text: str) -> str:
    """Return what XML can hold of a text."""
    return NOT_XML.sub("", text)


def is_blank_in_xml(text: str) -> bool:
    """Return whether XML can hold nothing of a text but white space."""
    return not without_control_characters(text).strip()


def escaped(text: str) -> str:
    """Return text as it stands inside an element; it keeps its carriage returns."""
    return escape(text, {"\r": "&#13;"})


def element_text(text: str) -> str:
    """Return the content of an element that holds nothing but this text."""
    return escaped(without_control_characters(text))

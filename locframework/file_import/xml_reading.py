"""Reads XML that somebody sent (decisions 2.11).

A DOCTYPE is refused, but for those by which a format's own DTD is named: they are
passed over unread. So nothing is declared, there are no entities, and nothing outside
the file is asked for. Memory does not grow with the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.parsers import expat

from msgspec import Struct

from locframework.errors import abbreviate

CHUNK = 64 * 1024
# Of a tag with its attributes, of a comment: expat reads what is not yet whole again
# with every chunk, and keeps it.
TOKEN_MOST = 1024 * 1024
NAMES_MOST = 10_000  # of elements and attributes: expat keeps each until the end


class XmlFault(Exception):
    """What makes a file unreadable, and in which line."""

    def __init__(self, line: int, rule: str, message: str) -> None:
        super().__init__(message)
        self.line = max(line, 1)
        self.rule = rule
        self.message = message


class OwnDoctype(Struct, frozen=True):
    """How files of a format name its DTD, with ``PUBLIC`` or without."""

    root: str
    public: str
    system: re.Pattern[str]
    told: str  # the name of the DTD, for who wrote another


# White space before it, which is not XML, may as well stand in it: lines stay the same.
_LATE_DECLARATION = re.compile(rb"\A(\xef\xbb\xbf)?([ \t\r\n]+)<\?xml(?=[ \t\r\n])")


def begins_like_xml(file: BinaryIO) -> bool:
    """Whether a file's first character is ``<``; it is read from the start again."""
    begin = file.read(100)
    file.seek(0)
    return begin.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")[:1] == b"<"


def parser_for(own: OwnDoctype, separator: str | None = None) -> expat.XMLParserType:
    """A parser that refuses what decisions 2.11 refuses, with an XmlFault.

    ``separator``: between namespace and name, where namespaces are looked at.
    """
    parser = expat.ParserCreate(namespace_separator=separator)
    parser.buffer_text = True

    def judge_doctype(
        name: str, system: str | None, public: str | None, has_subset: int
    ) -> None:
        is_own = name == own.root and not has_subset and public in (None, own.public)
        if not is_own or own.system.fullmatch(system or "") is None:
            message = f"a DOCTYPE is accepted only if it just names {own.told}"
            raise XmlFault(parser.CurrentLineNumber, "doctype", message)

    def refuse_entity(name: str, _: bool) -> None:
        message = f"the entity {abbreviate(name)} is not known"
        raise XmlFault(parser.CurrentLineNumber, "entity", message)

    parser.StartDoctypeDeclHandler = judge_doctype
    parser.SkippedEntityHandler = refuse_entity
    return parser


def feed(parser: expat.XMLParserType, file: BinaryIO) -> Iterator[None]:
    """Have the parser read the file; yields when a piece of it is done.

    White space may stand before ``<?xml``. Raises XmlFault.
    """
    fed = 0
    while chunk := file.read(CHUNK):
        if not fed:
            chunk = _LATE_DECLARATION.sub(rb"\1<?xml\2", chunk)
        _parse(parser, chunk)
        fed += len(chunk)
        if fed - parser.CurrentByteIndex > TOKEN_MOST:
            message = f"a tag or a comment has more than {TOKEN_MOST:,} bytes"
            raise XmlFault(parser.CurrentLineNumber, "length", message)
        if len(parser.intern) > NAMES_MOST:
            message = f"more than {NAMES_MOST:,} names of elements and attributes"
            raise XmlFault(parser.CurrentLineNumber, "length", message)
        yield
    _parse(parser, b"", is_last=True)
    yield


def _parse(parser: expat.XMLParserType, chunk: bytes, *, is_last: bool = False) -> None:
    try:
        parser.Parse(chunk, is_last)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "is not XML"
        raise XmlFault(error.lineno, "syntax", reason) from None
    except (ValueError, LookupError):
        raise XmlFault(1, "encoding", "the encoding is not known") from None

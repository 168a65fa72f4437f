"""XML files whose texts are replaced in place, so that every other byte stays."""

import codecs
import re
from collections.abc import Iterable, Iterator
from xml.parsers import expat

from msgspec import Struct, field

from .text_files import TextFile, quoted, unreadable

DEPTH_LIMIT = 100
_DECLARED = re.compile(rb"\s*<\?xml[^>]{1,99}encoding\s*=\s*[\"']([\w.-]{1,40})")
_SINGLE_BYTES = ("iso8859", "cp125", "koi8", "ascii")
_START_TAG = re.compile(rb"<(?:[^\"'>]|\"[^\"]*\"|'[^']*')*+>")
_LINE_END = re.compile(rb"[ \t]*\r?\n")
NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold."""

Edit = tuple[int, int, str]
"""From where to where bytes are replaced, and by what."""


class XmlElement(Struct, gc=False):
    """An element, and its place in the file: bytes of its text in UTF-8."""

    name: str
    """Without the prefix. In another namespace than the root's, that comes first, and a
    space."""
    attributes: dict[str, str]
    """With a prefix, their names are ``namespace name prefix``."""
    line: int
    start: int
    inner: int  # after the start tag
    close: int  # before the end tag
    end: int
    children: list["XmlElement | str"] = field(default_factory=list)

    def elements(self, *names: str) -> Iterator["XmlElement"]:
        """Yield the children with one of these names, or all."""
        for child in self.children:
            if isinstance(child, XmlElement) and (not names or child.name in names):
                yield child

    def find(self, name: str) -> "XmlElement | None":
        """Return the first child with the name."""
        return next(self.elements(name), None)

    def text(self) -> str:
        """Return the text in it and in all its descendants."""
        parts = (c if isinstance(c, str) else c.text() for c in self.children)
        return "".join(parts)


class XmlFile(Struct, frozen=True):
    """A file, its text in UTF-8, and its root element."""

    encoding: TextFile
    data: bytes
    root: XmlElement
    newline: str

    @classmethod
    def of(cls, content: bytes, doctype: str = "") -> "XmlFile":
        """Return the file. UTF-8, UTF-16, or a declared charset of single bytes.

        Raises UnreadableFile for broken XML, and for a DOCTYPE, unless it just names
        ``doctype``: so there are no entities, and nothing outside the file is read.
        """
        declared, charset = _DECLARED.match(content), "utf-8"
        if declared:
            name = declared[1].decode()
            try:
                charset = codecs.lookup(name).name
            except LookupError:
                told = f"the charset {quoted(name)} is unknown"
                raise unreadable(1, "encoding", told) from None
        is_single = charset.startswith(_SINGLE_BYTES)
        encoding = TextFile.of(content, charset if is_single else "utf-8", "utf-16")
        data = encoding.text.encode()
        return cls(encoding, data, _parsed(data, doctype), encoding.newline)

    def encoded(self, text: str) -> bytes:
        """Return a text as the bytes of such a file."""
        content = text.encode(self.encoding.charset, "xmlcharrefreplace")
        return self.encoding.mark + content

    def raw(self, start: int, end: int) -> str:
        """Return a part of the file."""
        return self.data[start:end].decode()

    def tag(self, element: XmlElement) -> str:
        """Return the start tag of an element; of ``<a/>``, ``<a>``."""
        tag = self.raw(element.start, element.inner)
        return tag if element.inner < element.end else f"{tag[:-2].rstrip()}>"

    def lead(self, at: int) -> str:
        """Return the line break and the indentation before a place, if nothing else is
        before it on its line."""
        start = at
        while self.data[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        if self.data[start - 1 : start] != b"\n":
            return ""
        start -= 2 if self.data[start - 2 : start] == b"\r\n" else 1
        return self.raw(start, at)

    def lines(self, element: XmlElement) -> tuple[int, int]:
        """Return the bounds of the lines of an element, or its own on a shared line."""
        indent = self.lead(element.start).lstrip("\r\n")
        rest = _LINE_END.match(self.data, element.end)
        if not rest or not self.lead(element.start):
            return element.start, element.end
        return element.start - len(indent), rest.end()

    def edited(self, start: int, end: int, edits: Iterable[Edit]) -> str:
        """Return a part of the file with edits, none of which overlap."""
        parts = []
        for first, last, text in sorted(edits):
            parts += [self.raw(start, first), text]
            start = last
        return "".join((*parts, self.raw(start, end)))


def _parsed(data: bytes, doctype: str) -> XmlElement:
    top = XmlElement("", {}, 1, 0, 0, 0, 0)
    opened = [top]
    parser = expat.ParserCreate("utf-8", " ")
    parser.namespace_prefixes = True
    parser.buffer_text = True
    own = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal own
        at, line = parser.CurrentByteIndex, parser.CurrentLineNumber
        if len(opened) > DEPTH_LIMIT:
            told = f"elements are more than {DEPTH_LIMIT} levels deep"
            raise unreadable(line, "depth", told)
        space, local = name.split(" ")[:2] if " " in name else ("", name)
        own = space if len(opened) == 1 else own
        tag = _START_TAG.match(data, at)
        inner = tag.end() if tag else at
        called = local if space == own else f"{space} {local}"
        element = XmlElement(called, attributes, line, at, inner, inner, inner)
        opened[-1].children.append(element)
        opened.append(element)

    def end(_: str) -> None:
        element = opened.pop()
        if data[element.inner - 2 : element.inner] != b"/>":
            element.close = parser.CurrentByteIndex
            element.end = data.index(b">", element.close) + 1

    def check_doctype(name: str, *declared: object) -> None:
        if name != doctype or declared[-1]:
            told = "it has a DOCTYPE"
            told += f" that does not just name {doctype}" if doctype else ""
            raise unreadable(parser.CurrentLineNumber, "doctype", told)

    def refuse(name: str, _: bool) -> None:
        told = f"the entity {quoted(name)} is not declared"
        raise unreadable(parser.CurrentLineNumber, "syntax", told)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: opened[-1].children.append(text)
    parser.StartDoctypeDeclHandler = check_doctype
    parser.SkippedEntityHandler = refuse  # which a DTD outside the file would declare
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        told = f"the XML is broken: {expat.ErrorString(error.code)}"
        raise unreadable(error.lineno, "syntax", told) from None
    return next(top.elements())


def xml_text(text: str) -> str:
    """Return a text as the content of an element."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")


def xml_attribute(name: str, value: str) -> str:
    """Return an attribute, with a space before it."""
    value = xml_text(value).replace("&gt;", ">").replace('"', "&quot;")
    return f' {name}="{value}"'.replace("\n", "&#10;").replace("\t", "&#9;")


def with_xml_attribute(tag: str, name: str, value: str) -> str:
    """Return a start tag with an attribute, instead of another of that name."""
    new = xml_attribute(name, value)
    old = re.search(rf"\s{re.escape(name)}\s*=\s*(?:\"[^\"]*\"|'[^']*')", tag)
    if old:
        return tag[: old.start()] + new + tag[old.end() :]
    return tag.removesuffix(">").rstrip() + new + ">"

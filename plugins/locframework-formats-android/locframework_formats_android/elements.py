"""Finds the elements of an XML file, with the lines that belong to each."""

import re
from xml.parsers import expat

from msgspec import Struct, field

from locframework.ports import unreadable

TOKEN = re.compile(
    r"<!--(?P<comment>.*?)-->|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<\?.*?\?>"
    r"|<(?P<end>/?)(?P<tag>[^\s/>]+)"
    r"(?P<attributes>(?:[^>\"'/]|\"[^\"]*\"|'[^']*'|/(?!>))*)(?P<closed>/?)>",
    re.DOTALL,
)
"""Of a text that is XML: what is not its text."""
NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = re.compile("&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
DEPTH = 3  # the file, a resource, its items


class Element(Struct):
    """An element, and those in it. Places are those in the file."""

    tag: str
    attributes: dict[str, str]
    line: int
    start: int  # of its lines, and those of its comment
    content: int
    content_end: int = 0
    end: int = 0  # of its lines
    is_closed: bool = False  # <item/>; content is ``/>``
    comment: str = ""
    children: list["Element"] = field(default_factory=list)


def decoded(text: str, kept: str = "") -> str:
    """Return a text of the file without references, but for those to characters that
    are kept."""

    def character(found: re.Match[str]) -> str:
        number, decimal, name = found.groups()
        meant = (
            _NAMED[name] if name else chr(int(number or decimal, 16 if number else 10))
        )
        return found[0] if meant in kept else meant

    return _REFERENCE.sub(character, text)


def parse(text: str) -> Element:
    """Return the root of a file. Raises UnreadableFile if it is no XML, or has
    a DOCTYPE: no entity is ever expanded."""
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: object) -> None:
        told = "a DOCTYPE is not accepted, because it can declare entities"
        raise unreadable(parser.CurrentLineNumber, "doctype", told)

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "is not XML"
        raise unreadable(error.lineno, "syntax", reason) from None
    return _root(text)


def _root(text: str) -> Element:
    file = Element("", {}, 1, 0, 0)
    open_, depth, line, counted = [file], 0, 1, 0
    comment: re.Match[str] | None = None
    for token in TOKEN.finditer(text):
        if not token["tag"]:
            comment = token if token["comment"] is not None else comment
            continue
        if not token["end"] and depth < DEPTH:
            line += text.count("\n", counted, token.start())
            counted = token.start()
            attributes = _ATTRIBUTE.finditer(token["attributes"])
            element = Element(
                token["tag"],
                {found[1]: decoded(found[2] or found[3] or "") for found in attributes},
                line,
                _start_of_line(text, (comment or token).start()),
                token.end() - 2 * bool(token["closed"]),
                comment=_lines(comment["comment"]) if comment else "",
                is_closed=bool(token["closed"]),
            )
            open_[-1].children.append(element)
            open_.append(element)
        depth += not token["end"]
        if token["end"] or token["closed"]:
            depth -= 1
            if depth < DEPTH:
                element = open_.pop()
                element.content_end = token.end() if token["closed"] else token.start()
                element.end = end_of_line(text, token.end())
        comment = None
    return file.children[0]


def _lines(comment: str) -> str:
    """The text of a comment without its indentation."""
    return "\n".join(line.strip() for line in comment.strip().splitlines())


def _start_of_line(text: str, at: int) -> int:
    """The place where the line begins, if only white space stands before."""
    start = text.rfind("\n", 0, at) + 1
    return at if text[start:at].strip(" \t") else start


def end_of_line(text: str, at: int) -> int:
    """The place behind the line, if only white space follows in it."""
    found = _LINE_END.match(text, at)
    return found.end() if found else at

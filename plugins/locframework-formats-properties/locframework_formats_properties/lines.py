"""The lines of properties files, and their escapes."""

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

BLANKS = " \t\f"
HEAD = re.compile(r"((?:[^\\=: \t\f]|\\.)*+)([ \t\f]*+[=:]?[ \t\f]*+)", re.DOTALL)
_ESCAPE = re.compile(r"((?:\\u[0-9A-Fa-f]{4})++)|\\(.)", re.DOTALL)
_UNITS = re.compile(r"(?:\\u[0-9A-Fa-f]{4})++")
FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_ESCAPES = {sign: f"\\{letter}" for letter, sign in _LETTERS.items()}
IN_TEXTS = re.compile(r"\A |[\\\x00-\x1f\x7f-\x9f\ufeff]")
IN_KEYS = re.compile(r"[ =:\\\x00-\x1f\x7f-\x9f\ufeff]|\A[#!]")
IN_COMMENTS = re.compile(r"\\(?=u)|[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")


class Line(NamedTuple):
    """A logical line: one of blanks, a comment, or a key with its text."""

    number: int
    source: str  # as it stands, with its continuations
    content: str  # without line ends and the blanks at the beginning of each
    is_comment: bool = False


def logical_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a file; those that end with a backslash go on in the next."""
    start = 1
    sources: list[str] = []
    parts: list[str] = []
    for number, source in enumerate(io.StringIO(text, newline=""), 1):
        content = source.rstrip("\r\n").lstrip(BLANKS)
        slashes = len(content) - len(content.rstrip("\\"))
        is_comment = not sources and content.startswith(("#", "!"))
        sources.append(source)
        if slashes % 2 and not is_comment:
            parts.append(content[:-1])
            continue
        yield Line(start, "".join(sources), "".join([*parts, content]), is_comment)
        start, sources, parts = number + 1, [], []
    if sources:
        yield Line(start, "".join(sources), "".join(parts))


def _units(found: re.Match[str]) -> str:
    units = bytes.fromhex(found[0].replace("\\u", ""))
    return units.decode("utf-16-be", "surrogatepass")


def plain_text(raw: str) -> str:
    """The text without escapes. Raises ValueError for one that Java refuses."""

    def plain(found: re.Match[str]) -> str:
        if found[1]:
            return _units(found)
        if found[2] == "u":
            raise ValueError("\\u has to be followed by four hexadecimal digits")
        return _LETTERS.get(found[2], found[2])

    return _ESCAPE.sub(plain, raw) if "\\" in raw else raw


def comment_text(line: Line) -> str:
    """The text of a comment, which programs escape as they do others."""
    text = line.content[1:].removeprefix(" ").replace("\0", "")
    read = _UNITS.sub(_units, text)
    return text if FORBIDDEN.search(read) else read


def escaped(text: str, special: re.Pattern[str], charset: str) -> str:
    """Return the text with escapes for what is special, or not in the charset."""

    def escape(found: re.Match[str]) -> str:
        sign = found[0]
        if " " <= sign <= "~" and special is not IN_COMMENTS:
            return f"\\{sign}"
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        units = sign.encode("utf-16-be").hex()
        return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

    text = special.sub(escape, text)
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        limit = "\xff" if charset == "iso8859-1" else "\x7f"
        text = re.sub(f"[^\0-{limit}]", escape, text)
    return text

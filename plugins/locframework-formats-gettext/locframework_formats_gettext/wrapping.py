"""Wraps texts as GNU gettext does: by columns, where UAX #14 allows a line break.

Of UAX #14 there is what decides in the texts of programs; the classes of rare signs
are those of their general category.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

ONE_LINE = -1
"""The width that puts a text on one line, its line breaks included."""

ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "\\": "\\", '"': '"',
}  # fmt: skip
_ESCAPED = str.maketrans({char: f"\\{name}" for name, char in ESCAPES.items()})
_is_special = re.compile(r'["\\\x07-\x0d]').search
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def quoted(keyword: str, text: str, width: int) -> str:
    """``keyword "text"`` on as many lines as gettext would use.

    A text that is wider than ``width`` columns or has several lines starts on the next
    line; 0 wraps at line breaks only, ``ONE_LINE`` never.
    """
    several_lines = False
    escaped = text
    if _is_special(text):
        several_lines = "\n" in text[:-1]
        escaped = text.translate(_ESCAPED)
    if not several_lines or width == ONE_LINE:
        line = f'{keyword} "{escaped}"'
        if width <= 0 or columns(line) <= width or not can_break(escaped):
            return line
    pieces = [f'{keyword} ""']
    for line in _LINES.findall(text):
        for piece in wrapped(line.translate(_ESCAPED), width - 2):
            pieces.append(f'"{piece}"')
    return "\n".join(pieces)


def wrapped(escaped: str, width: int) -> list[str]:
    """Return the pieces of an escaped line, none wider than ``width`` columns but for
    those that cannot be broken. A ``width`` below 1 does not break."""
    if width <= 0 or columns(escaped) <= width:
        return [escaped]
    pieces: list[str] = []
    start = at = used = 0
    for end in [*_breaks(escaped), len(escaped)]:
        more = columns(escaped[at:end])
        if used + more > width and at > start:
            pieces.append(escaped[start:at])
            start, used = at, 0
        used += more
        at = end
    return [*pieces, escaped[start:]]


def can_break(escaped: str) -> bool:
    """Whether an escaped line has a place where it can be broken."""
    return next(_breaks(escaped), None) is not None


def columns(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


@lru_cache(maxsize=8192)
def _columns(char: str) -> int:
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    is_mark = unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc")
    return 0 if is_mark and char != "\u00ad" else 1


# UAX #14. Each class is one letter: A AL, h HL, I ID, N NU, O OP, o a wide OP, C CL,
# P CP, Q QU, G GL, S NS, E EX, Y SY, F IS, R PR, T PO, L IN, H HY, B BA, b BB, D B2,
# Z ZW, W WJ, M CM; x is the backslash of an escape: a PR that nothing is parted from.
_SIGNS = {
    " ": " ", "-": "H", "/": "Y", "\u200b": "Z", "\u2060\ufeff\u200d": "W",
    "\u00a0\u202f\u2007\u2011\u034f\u180e": "G", "\"'": "Q", ")]": "P",
    "!?\u061b\u061e\u061f\u06d4\u05c6\u2757\uff01\uff1f": "E",
    ",.:;\u037e\u0589\u060c\u060d\u2044\ufe10": "F",
    "%\u00a2\u00b0\u060b\u066a\u2030\u2031\u2032\u2033\u2034\u2035\u2036\u2037"
    "\u20a7\u2103\u2109\ufe6a\uff05\uffe0": "T",
    "+\\\u00b1\u2116\u2212\u2213\uff04\uffe1\uffe5": "R",
    "\u00a1\u00bf": "O", "\u00b4\u02c8\u02cc\u02df": "b", "\u2014": "D",
    "|\u00ad\u2010\u2012\u2013\u2027\u058a\u0964\u0965\u2056\u2058\u2059\u205a\u205b"
    "\u205d\u205e\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u205f\u3000": "B",
    "\u2024\u2025\u2026\u22ef": "L",
    "\u3001\u3002\uff0c\uff0e\uff61\uff64\ufe50\ufe52": "C",
    "\u203c\u203d\u2047\u2048\u2049\u3005\u301c\u303b\u303c\u309b\u309c\u309d\u309e"
    "\u30a0\u30fb\u30fc\u30fd\u30fe\ufe54\ufe55\uff1a\uff1b\uff65\uff70\uff9e\uff9f"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ"
    "\uff67\uff68\uff69\uff6a\uff6b\uff6c\uff6d\uff6e\uff6f": "S",
}  # fmt: skip
_CATEGORIES = {
    "Nd": "N", "Ps": "O", "Pe": "C", "Pi": "Q", "Pf": "Q", "Sc": "R",
    "Mn": "M", "Mc": "M", "Me": "M", "Cf": "M", "Cc": "M",
}  # fmt: skip


class _Classes(dict[int, str]):
    """The class of each code point, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        found = _CATEGORIES.get(unicodedata.category(char), "A")
        width = unicodedata.east_asian_width(char)
        if "\u05d0" <= char <= "\u05f2":
            found = "h"
        elif found in "AN" and (width in "WF" or "\uff66" <= char <= "\uffdc"):
            found = "I"
        elif found == "O" and width in "WFH":
            found = "o"
        self[code] = found
        return found


_classes = _Classes({ord(c): name for signs, name in _SIGNS.items() for c in signs})

# what may stand on the next line after each class, where no blank is between
_AFTER_ALL = "xRTOoAhINbD"
_AFTER = {
    "A": "oIbD", "h": "oIbD", "N": "oIbD", "I": "xROoAhINbD",
    "C": "OoAhINbD", "P": "OobDI",
    "S": _AFTER_ALL, "E": _AFTER_ALL, "L": _AFTER_ALL, "(?<!h)B": _AFTER_ALL + "G",
    "(?<!h)H": "xRTOoAhIbDG", "D": "xRTOoAhINb", "Y": "xRTOoAIbD", "F": "xRTOoAhIbD",
    "R": "xRTbD", "T": "xRTIbD",
}  # fmt: skip
_BREAK = re.compile(  # each run of blanks or marks is looked at once
    r"(?<![ Oox])(?!(?<=Q) ++[Oo]|(?<=C) ++S|(?<=D) ++D) ++(?=[^ CPEYFW])|Z(?=[^ ])|"
    + "|".join(f"{name}M*+(?=[{next_}])" for name, next_ in _AFTER.items())
)
_ESCAPE = re.compile(r"\\.")


def _breaks(escaped: str) -> Iterator[int]:
    """The places where an escaped line can be broken."""
    classes = escaped.translate(_classes)
    if "\\" in escaped:
        end = len(escaped)
        letters = list(classes)
        for match in _ESCAPE.finditer(escaped):
            at = match.start()
            letters[at] = "x"
            if match.end() == end and match[0] == r"\n":
                letters[at] = "W"
        classes = "".join(letters)
    return (match.end() for match in _BREAK.finditer(classes))

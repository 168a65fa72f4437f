"""The quoted texts of a PO file: escapes undone when reading, made when writing."""

import re
from io import StringIO

# "*+" and not "*", which notes a place to go back to at every escape
_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\f\v]*')
_BYTES = r"(?:\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}))++"
_ESCAPE = re.compile(rf"({_BYTES})|\\(.)")
_ONE_BYTE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3}))")
_CHARACTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "\\": "\\", '"': '"',
}  # fmt: skip
_ESCAPED = str.maketrans({char: f"\\{name}" for name, char in _CHARACTERS.items()})
_is_special = re.compile(r'["\\\x07-\x0d]').search
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


def unquote(text: str, charset: str) -> str:
    """The text of one or more quoted strings side by side: ``"a" "b"`` is ``ab``.

    Octal and hexadecimal escapes are bytes in the file's ``charset``. Raises
    ValueError, with a sentence, for anything that msgfmt would refuse too.
    """
    body = text[1:-1]
    if len(text) > 1 and text[-1] == '"' and "\\" not in body and '"' not in body:
        return body
    parts = []
    at = 0
    while at < len(text):
        match = _STRING.match(text, at)
        if match is None:
            raise ValueError("the quotes of the text do not match")
        parts.append(_unescaped(match[1], charset))
        at = match.end()
    return "".join(parts)


def _unescaped(text: str, charset: str) -> str:
    """The text without escapes, in room for the text alone: ``re.sub`` keeps a list of
    all that it has found, a hundred times a text of nothing but escapes."""
    if "\\" not in text:
        return text
    said, at = StringIO(), 0
    for match in _ESCAPE.finditer(text):
        said.write(text[at : match.start()])
        said.write(_character(match, charset))
        at = match.end()
    said.write(text[at:])
    return said.getvalue()


def _character(match: re.Match[str], charset: str) -> str:
    if match[1] is not None:
        return _decoded_bytes(match[1], charset)
    if match[2] not in _CHARACTERS:
        raise ValueError(f"the escape \\{match[2]} does not exist")
    return _CHARACTERS[match[2]]


def _decoded_bytes(escapes: str, charset: str) -> str:
    numbers = (
        int(byte[1], 16) if byte[1] else int(byte[2], 8)
        for byte in _ONE_BYTE.finditer(escapes)
    )
    try:
        return _without_nul(bytes(numbers)).decode(charset)
    except UnicodeDecodeError:
        raise ValueError(f"the escape {escapes[:40]} is not {charset}") from None
    except ValueError:
        raise ValueError(f"the escape {escapes[:40]} is not a character") from None


def _without_nul(found: bytes) -> bytes:
    """The bytes. Raises ValueError, as ``bytes`` does for a number over 255."""
    if 0 in found:
        raise ValueError
    return found


def quoted(keyword: str, text: str, width: int, margin: str = "") -> str:
    """``keyword "text"`` on as many lines as gettext would use, each after ``margin``.

    A text that is longer than ``width`` or has several lines starts on the next
    line; 0 wraps at line breaks only.
    """
    several_lines = False
    escaped = text
    if _is_special(text):
        several_lines = "\n" in text[:-1]
        escaped = text.translate(_ESCAPED)
    if not several_lines:
        line = f'{margin}{keyword} "{escaped}"'
        if len(line) <= width or not width:
            return line
    pieces = [f'{keyword} ""']
    for line in _LINES.findall(text):
        for piece in _wrapped(line.translate(_ESCAPED), width - 2 - len(margin)):
            pieces.append(f'"{piece}"')
    return "\n".join(margin + piece for piece in pieces)


def _wrapped(escaped: str, width: int) -> list[str]:
    """``escaped`` cut after blanks, so that no piece is wider than ``width``."""
    pieces: list[str] = []
    at, end = 0, len(escaped)
    while width > 0 and end - at > width:
        cut = escaped.rfind(" ", at, at + width) + 1
        if not cut:  # a word that is wider than the line stands alone
            cut = escaped.find(" ", at + width) + 1 or end
        pieces.append(escaped[at:cut])
        at = cut
    return [*pieces, escaped[at:]] if at < end else pieces

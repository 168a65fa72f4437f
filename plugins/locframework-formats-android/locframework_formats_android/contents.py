"""Reads and writes what an element holds: a text, its markup and its escapes."""

import re
from contextlib import suppress
from xml.sax.saxutils import escape

from locframework.ports import NOT_XML, UnreadableFile, XmlFile

MARKUP, CDATA, TEXT = "markup", "cdata", "text"
XLIFF = 'xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"'
_TOKEN = re.compile(  # what is not text in the content of an element
    r"(<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?:[^>\"']|\"[^\"]*\"|'[^']*')*>)",
    re.DOTALL,
)
_CHARACTER = re.compile("&(?:#(x?)([0-9A-Fa-f]+)|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ESCAPED = {"\n": r"\n", "\t": r"\t"}
_MEANT = {"n": "\n", "t": "\t"}
_SPACE = "\0"  # white space that counts as one space
_REFERENCE = re.compile(r"\s*(@([+*]?[\w.]+:)?(\w+/[\w.]+|null|empty)|\?[\w.:/]+)\s*")


class ComposeContents:
    """As Compose reads it: with few escapes, all white space, and no markup."""

    is_android = False
    _escape = re.compile(r"\\(\\|n|t|u[0-9A-Fa-f]{4})")
    _special = re.compile(rf"[\\\n\t\r]|{NOT_XML.pattern}")

    def is_reference(self, content: str) -> bool:
        """Whether a content is another resource of Android: ``@string/app_name``."""
        return self.is_android and bool(_REFERENCE.fullmatch(content))

    def style(self, content: str) -> str:
        """Return how a content writes markup; "" if it has none."""
        signs = {token[1:3] for token in _TOKEN.findall(content)}
        if any(sign[0] not in "!?" for sign in signs):
            return MARKUP
        if "![" in signs:
            return CDATA
        texts = _TOKEN.split(content)[::2] if "&" in content else []
        return TEXT if any("<" in _decoded(text) for text in texts) else ""

    def text(self, content: str) -> str:
        """Return the text of a content; one with markup is written as in XML. Raises
        ValueError for escapes that are no characters."""
        pieces = _TOKEN.split(content.replace("\r\n", "\n"))
        if self.style(content) == MARKUP:
            pieces[::2] = [_decoded(piece, "&<>") for piece in pieces[::2]]
        else:
            pieces[::2] = map(_decoded, pieces[::2])
            pieces[1::2] = [t[9:-3] if t[:3] == "<![" else "" for t in pieces[1::2]]
            pieces = ["".join(pieces)]
        text = "".join(self._unescaped(pieces))
        return text.encode("utf-16", "surrogatepass").decode("utf-16")

    def content(self, text: str, style: str) -> str:
        """Return the content of a text in a style; markup that is broken is a text."""
        style = style or (MARKUP if self.is_android else TEXT)
        if style == MARKUP and is_markup(text):
            pieces = _TOKEN.split(text)
            pieces[::2] = [_decoded(piece, "&<>") for piece in pieces[::2]]
            return "".join(self._escaped(pieces))
        [plain] = self._escaped([text])
        if style == CDATA:
            return "<![CDATA[{}]]>".format(plain.replace("]]>", "]]]]><![CDATA[>"))
        return escape(plain)

    def _unescaped(self, pieces: list[str]) -> list[str]:
        """The pieces, of which each second one is markup, without escapes."""
        pieces[::2] = [self._escape.sub(_meant, piece) for piece in pieces[::2]]
        return pieces

    def _escaped(self, pieces: list[str]) -> list[str]:
        pieces[::2] = [self._special.sub(_escaped, piece) for piece in pieces[::2]]
        return pieces


class AndroidContents(ComposeContents):
    """As aapt reads it: white space is one space unless it is in quotes, quotes and
    apostrophes are escaped, and elements are markup."""

    is_android = True
    _escape = re.compile(r"\\(u[0-9A-Fa-f]{4}|.|\Z)|(\")|([ \t\n\r]+)", re.DOTALL)
    _special = re.compile(rf"[\\'\"\n\t\r]|(?<= ) |{NOT_XML.pattern}")

    def _unescaped(self, pieces: list[str]) -> list[str]:
        is_quoted = False

        def meant(found: re.Match[str]) -> str:
            nonlocal is_quoted
            if found[2]:
                is_quoted = not is_quoted
                return ""
            if found[3]:
                return found[3] if is_quoted else _SPACE
            return _meant(found)

        for at, piece in enumerate(pieces):
            if at % 2 == 0:
                pieces[at] = self._escape.sub(meant, piece)
            elif ":" not in piece.split(">")[0].split(" ")[0]:
                is_quoted = False  # other than in <xliff:g>
        first, last = _ends(pieces)
        pieces[first] = pieces[first].lstrip(_SPACE)
        pieces[last] = pieces[last].rstrip(_SPACE)
        return [piece.replace(_SPACE, " ") for piece in pieces]

    def _escaped(self, pieces: list[str]) -> list[str]:
        pieces = super()._escaped(pieces)
        first, last = _ends(pieces)
        pieces[first] = re.sub(r"\A(?=[@?])", r"\\", pieces[first])
        pieces[first] = re.sub(r"\A ", r"\\u0020", pieces[first])
        pieces[last] = re.sub(r" \Z", r"\\u0020", pieces[last])
        return pieces


def is_markup(text: str) -> bool:
    """Return whether a text has elements, and they are well-formed."""
    with suppress(UnreadableFile):
        root = XmlFile.of(f"<text {XLIFF}>{text}</text>".encode()).root
        return any(root.elements())
    return False


def _decoded(text: str, kept: str = "") -> str:
    """A text without references, but for those to characters that are kept."""

    def character(found: re.Match[str]) -> str:
        mark, number, name = found.groups()
        meant = _NAMED[name] if name else chr(int(number, 16 if mark else 10))
        return found[0] if meant in kept else meant

    return _CHARACTER.sub(character, text)


def _ends(pieces: list[str]) -> tuple[int, int]:
    """The places of the first and last text."""
    places = [at for at, piece in enumerate(pieces) if at % 2 == 0 and piece] or [0]
    return places[0], places[-1]


def _meant(found: re.Match[str]) -> str:
    escaped = found[1]
    if not escaped.startswith("u"):
        return _MEANT.get(escaped, escaped)
    if len(escaped) < 5 or escaped == "u0000":
        raise ValueError(escaped)
    return chr(int(escaped[1:], 16))


def _escaped(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in "\\'\"":
        return f"\\{sign}"
    return _ESCAPED.get(sign) or f"\\u{ord(sign):04X}"

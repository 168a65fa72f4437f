"""Reads and writes what an element holds: a text, its markup and its escapes."""

import re
from xml.parsers import expat
from xml.sax.saxutils import escape

from .elements import NOT_XML, TOKEN, decoded

MARKUP, CDATA, TEXT = "markup", "cdata", "text"
XLIFF = 'xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"'
_ESCAPED = {"\n": r"\n", "\t": r"\t"}
_MEANT = {"n": "\n", "t": "\t"}
_CDATA = re.compile(r"<!\[CDATA\[(.*)\]\]>|.*", re.DOTALL)
_SPACE = "\0"  # white space that counts as one space
_REFERENCE = re.compile(r"\s*(@([+*]?[\w.]+:)?(\w+/[\w.]+|null|empty)|\?[\w.:/]+)\s*")


class ComposeContents:
    """As Compose reads it: with few escapes, all white space, and no markup."""

    default_style = TEXT
    is_android = False
    _escape = re.compile(r"\\(\\|n|t|u[0-9A-Fa-f]{4})")
    _special = re.compile(rf"[\\\n\t\r]|{NOT_XML.pattern}")

    def is_reference(self, content: str) -> bool:
        """Whether a content is no text, but another resource."""
        return False

    def style(self, content: str) -> str:
        """Return how a content writes markup; "" if it has none."""
        tokens = [*TOKEN.finditer(content)] if "<" in content else []
        if any(token["tag"] for token in tokens):
            return MARKUP
        if any(token["cdata"] is not None for token in tokens):
            return CDATA
        return TEXT if "&" in content and "<" in decoded(content) else ""

    def text(self, content: str) -> str:
        """Return the text of a content; one with markup is written as in XML. Raises
        ValueError for escapes that are no characters."""
        content = content.replace("\r\n", "\n")
        pieces = _pieces(content)
        if self.style(content) != MARKUP:
            pieces[::2] = map(decoded, pieces[::2])
            pieces[1::2] = [_CDATA.sub(r"\1", token) for token in pieces[1::2]]
            pieces = ["".join(pieces)]
        else:
            pieces[::2] = [decoded(piece, "&<>") for piece in pieces[::2]]
        text = "".join(self._unescaped(pieces))
        return text.encode("utf-16", "surrogatepass").decode("utf-16")

    def content(self, text: str, style: str) -> str:
        """Return the content of a text in a style; markup that is broken is a text."""
        style = style or self.default_style
        if style == MARKUP and is_markup(text):
            pieces = _pieces(text)
            pieces[::2] = [decoded(piece, "&<>") for piece in pieces[::2]]
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

    default_style = MARKUP
    is_android = True
    _escape = re.compile(r"\\(u[0-9A-Fa-f]{4}|.|\Z)|(\")|([ \t\n\r]+)", re.DOTALL)
    _special = re.compile(rf"[\\'\"\n\t\r]|(?<= ) |{NOT_XML.pattern}")

    def is_reference(self, content: str) -> bool:
        """Whether a content is another resource: ``@string/app_name``."""
        return bool(_REFERENCE.fullmatch(content))

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
        if pieces[first][:1] in ("@", "?"):
            pieces[first] = f"\\{pieces[first]}"
        pieces[first] = re.sub(r"\A ", r"\\u0020", pieces[first])
        pieces[last] = re.sub(r" \Z", r"\\u0020", pieces[last])
        return pieces


def is_markup(text: str) -> bool:
    """Return whether a text has elements, and they are well-formed."""
    names: list[str] = []
    parser = expat.ParserCreate("utf-8", " ")
    parser.StartElementHandler = lambda name, _: names.append(name)
    try:
        parser.Parse(f"<text {XLIFF}>{text}</text>".encode(), True)
    except expat.ExpatError:
        return False
    return len(names) > 1


def _pieces(content: str) -> list[str]:
    """The texts of a content; between them its tags, comments and CDATA."""
    pieces, end = [], 0
    for token in TOKEN.finditer(content):
        pieces += [content[end : token.start()], token[0]]
        end = token.end()
    return [*pieces, content[end:]]


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

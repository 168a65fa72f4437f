"""Reads the text of an XML file, and mends what would make all of it unreadable.

XML refuses a whole file for one control character or one ``&nbsp;``. Instead, what
XML cannot hold is left out, names of HTML are read as in HTML, and other ampersands
are text. A MARK stands in each place, so that no reference to an entity gets to the
parser; ``Mended`` has what was meant.
"""

import codecs
import re
from collections import deque
from collections.abc import Iterator
from html.entities import html5
from typing import BinaryIO, NamedTuple

from .problems import unreadable

CHUNK = 64 * 1024
MARK = "\ufdd0"  # a noncharacter; one that the file has is marked like the rest

LEFT_OUT = "left out, as XML cannot hold it"
AS_HTML = "read as in HTML, as XML has no such entity"
AS_TEXT = "kept as text, as it is no reference that XML has"

_NOT_XML = "\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
NOT_XML = re.compile(f"[{_NOT_XML}]")
_IN_CDATA = re.compile(f"[{_NOT_XML}{MARK}]")
_IN_CONTENT = re.compile(  # group 1: the name of a reference
    rf"[&{_NOT_XML}{MARK}](?!(?<=&)(?:amp|lt|gt|quot|apos);)"
    r"(?:(?<=&)([\w#.:-]{1,40});)?"
)
_NUMBER = re.compile("#(?:x([0-9A-Fa-f]+)|([0-9]+))")
_OPENING = re.compile(r"<!--|<!\[CDATA\[|<\?")
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_LONGEST = 48  # characters that are needed to tell what begins with ``<`` or ``&``

_LATE_DECLARATION = re.compile(r"\A([ \t\r\n]+)<\?xml(?=[ \t\r\n])")
_DECLARED = re.compile(
    rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.-]+)""", re.ASCII
)
_BEGINNINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_CODECS = re.compile(
    r"ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|tis-620|euc_\w+|shift_jis\w*|gb\w+|big5"
)  # of those that begin like ASCII


class Mended(NamedTuple):
    """What is meant where the text has a MARK."""

    text: str
    what: str  # that was written there
    how: str  # LEFT_OUT, AS_HTML or AS_TEXT; "" where nothing was wrong


class XmlText:
    """The text of a file, piece by piece, in UTF-8, or as a byte order mark or the
    declaration says; ``mended`` has one item for each MARK."""

    def __init__(self, file: BinaryIO) -> None:
        self.mended: deque[Mended] = deque()
        self._file = file
        self._held = ""  # the end of a piece, which the next one completes
        self._end = ""  # of the comment, instruction or CDATA section that is open

    def __iter__(self) -> Iterator[str]:
        """Raises UnreadableFile."""
        chunk, line = self._file.read(CHUNK), 1
        decoder = _decoder(chunk)
        is_first = True
        while True:
            try:
                text = decoder.decode(chunk, not chunk)
            except UnicodeDecodeError as error:
                line += error.object[: error.start].count(b"\n")
                message = f"the text is not {error.encoding.upper()}"
                raise unreadable(line, "encoding", message) from None
            if is_first:
                text = _LATE_DECLARATION.sub(r"<?xml\1", text)
                is_first = False
            yield self._mend(text, is_last=not chunk)
            if not chunk:
                return
            line += text.count("\n")
            chunk = self._file.read(CHUNK)

    def _mend(self, text: str, *, is_last: bool) -> str:
        text, done = self._held + text, list[str]()
        at, whole = 0, len(text)
        if not is_last:
            whole = max(text.rfind(sign, -_LONGEST) for sign in "<&")
            whole = whole if whole >= 0 else len(text)
        while True:
            if self._end:
                end = text.find(self._end, at)
                is_open = end < 0
                if is_open:  # keep what may be the beginning of its end
                    end = max(at, len(text) - (0 if is_last else 2))
                if self._end == _ENDS["<![CDATA["]:
                    done.append(_IN_CDATA.sub(self._mark, text[at:end]))
                else:  # nobody reads it
                    done.append(NOT_XML.sub("", text[at:end]))
                at = end
                if is_open:
                    break
                done.append(self._end)
                at += len(self._end)
                self._end = ""
            opening = _OPENING.search(text, at)
            end = max(at, opening.start() if opening else whole)
            done.append(_IN_CONTENT.sub(self._mark, text[at:end]))
            at = end
            if opening is None:
                break
            done.append(opening[0])
            at += len(opening[0])
            self._end = _ENDS[opening[0]]
        self._held = text[at:]
        return "".join(done)

    def _mark(self, found: re.Match[str]) -> str:
        written = found[0]
        name = found[1] if found.re is _IN_CONTENT else None
        number = _NUMBER.fullmatch(name or "")
        if number:
            code = int(number[1], 16) if number[1] else int(number[2])
            sign = chr(code) if code <= 0x10FFFF else "\0"
            if sign != MARK and not NOT_XML.match(sign):
                return written
        else:
            sign = written
        if sign == MARK:
            mended = Mended(MARK, "", "")
        elif NOT_XML.match(sign):
            what = written if number else f"U+{ord(sign):04X}"
            mended = Mended("", what, LEFT_OUT)
        elif (meant := html5.get(f"{name};")) is not None:
            mended = Mended(meant, written, AS_HTML)
        else:
            mended = Mended(written, written, AS_TEXT)
        self.mended.append(mended)
        return MARK


def _decoder(head: bytes) -> codecs.IncrementalDecoder:
    encoding = next((e for b, e in _BEGINNINGS.items() if head.startswith(b)), "utf-8")
    declared = _DECLARED.match(head) if encoding == "utf-8" else None
    if declared:
        given = declared[1].decode()
        try:
            name = codecs.lookup(given).name
        except LookupError:
            name = ""
        if _CODECS.fullmatch(name):
            return codecs.getincrementaldecoder(name)()
        # a declaration of UTF-16 that can be read like this is wrong
        if not name.startswith(("utf-8", "utf-16", "utf-32")):
            message = f"the encoding {given[:40]!r} is not known"
            raise unreadable(1, "encoding", message)
    # a half of a surrogate pair costs no more than itself
    return codecs.getincrementaldecoder(encoding)("surrogatepass")

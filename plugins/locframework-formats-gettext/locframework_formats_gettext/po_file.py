"""The syntax of PO files: messages, their charset and quoting, parser and renderer."""

import codecs
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from io import StringIO

from msgspec import Struct

from locframework.ports import Faults, TextFile, unreadable

from .wrapping import ESCAPES, columns, quoted


class Message(Struct, gc=False):  # a file has many, and none refers to another
    """One message. Texts are unescaped; a note is None where the file has none.

    U+0000 in a text stands for what is no character, too: an escape of other bytes.
    """

    msgid: str
    msgctxt: str | None = None
    msgid_plural: str | None = None
    texts: Sequence[str] = ()  # msgstr, or msgstr[0], [1], …
    comment: str | None = None  # "# ", the translators'
    extracted: str | None = None  # "#.", the developers'
    references: str | None = None  # "#:", the lines as they are
    fuzzy: bool = False
    flags: str = ""  # "#,", without fuzzy: "python-format, no-wrap"
    previous: str | None = None  # "#|", the lines as they are
    line: int = 0  # 1-based, of the first keyword
    obsolete: bool = False
    start: int = 0  # where its lines begin in the text of the file,
    end: int = 0  # and where those of the next begin

    @property
    def is_header(self) -> bool:
        """Whether this is the message that holds the header."""
        return self.msgid == "" and self.msgctxt is None and not self.obsolete


# "*+" and not "*", which notes a place to go back to at every escape
_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\f\v]*')
_BYTES = r"(?:\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}))++"
_ESCAPE = re.compile(rf"({_BYTES})|\\(.)")
_ONE_BYTE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3}))")


def unquote(text: str, charset: str) -> str:
    """The text of one or more quoted strings side by side: ``"a" "b"`` is ``ab``.

    Octal and hexadecimal escapes are bytes in the file's ``charset``; what is none of
    its characters is U+0000. Raises ValueError, with a sentence, for anything that
    msgfmt would refuse too.
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
        at = match.end()
        if match[1] is not None:
            said.write(_decoded_bytes(match[1], charset))
        elif match[2] in ESCAPES:
            said.write(ESCAPES[match[2]])
        else:
            raise ValueError(f"the escape \\{ascii(match[2])[1:-1]} does not exist")
    said.write(text[at:])
    return said.getvalue()


def _decoded_bytes(escapes: str, charset: str) -> str:
    numbers = (
        int(byte[1], 16) if byte[1] else int(byte[2], 8)
        for byte in _ONE_BYTE.finditer(escapes)
    )
    try:
        return bytes(numbers).decode(charset)
    except ValueError:  # also for a number over 255
        return "\0"


MOST_PROBLEMS = 50
MOST_REMARKS = 10_000  # lines of one kind before a message
_FIELD = re.compile(
    r"(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]{1,4}\])?)[ \t]*(\".*)"
)
_BLANKS = " \t\r\f\v"
_STARTS = ("msgctxt", "msgid")
_NEXT: dict[str, tuple[str, ...]] = {
    "msgctxt": ("msgid",),
    "msgid": ("msgid_plural", "msgstr"),
    "msgid_plural": ("msgstr[0]",),
    "msgstr": _STARTS,
}
_NOTES = {
    ".": "extracted", ":": "references", ",": "flags", "=": "flags", "|": "previous",
}  # fmt: skip


def parse(text: str, charset: str) -> list[Message]:
    """The messages of a PO file in file order, the header and obsolete ones too.

    Raises UnreadableFile with a Problem for each fault, up to fifty.
    """
    parser = _Parser(text, charset)
    parser.run()
    parser.faults.raise_any()
    return parser.messages


class _Parser:
    def __init__(self, text: str, charset: str) -> None:
        self.messages: list[Message] = []
        self.faults = Faults(MOST_PROBLEMS)
        self._text = text
        self._here = 0  # where the present line begins
        self._charset = charset
        self._skipping = False  # after a fault, until the next message
        self._reset()

    def _reset(self) -> None:
        self._fields: dict[str, str] = {}
        self._notes: dict[str, list[str]] = {}
        self._open = ""  # the keyword that a "…" line continues
        self._more: list[str] = []  # the "…" lines after it
        self._expected: tuple[str, ...] = _STARTS
        self._complete = False
        self._obsolete = False
        self._line = 0
        self._start = -1  # where the message begins

    def run(self) -> None:
        # StringIO: a list of all lines may take ten times the room of the text
        for number, line in enumerate(StringIO(self._text, newline="\n"), start=1):
            try:
                self._take(number, line.rstrip("\r\n"))
            except ValueError as error:
                self._note_problem(number, str(error))
            self._here += len(line)
        if self._complete:
            self._finish()
        elif self._fields:
            self._note_problem(self._line, "the message has no msgstr")

    def _note_problem(self, number: int, message: str) -> None:
        self.faults.add(number, "syntax", message)
        self._reset()
        self._skipping = True

    def _take(self, number: int, line: str) -> None:
        first = line[:1]
        if first == "m":
            self._field(number, line, is_obsolete=False)
        elif first == '"':
            self._continue(line, is_obsolete=False)
        elif first == "#":
            self._remark(number, line)
        elif first in _BLANKS and (stripped := line.strip(_BLANKS)):
            self._take(number, stripped)
        elif first not in _BLANKS and not self._skipping:
            raise ValueError("cannot read the line")

    def _field(self, number: int, line: str, *, is_obsolete: bool) -> None:
        match = _FIELD.fullmatch(line)
        keyword = match[1] if match else ""
        if keyword in _STARTS and (self._complete or self._skipping):
            self._finish()
        if self._skipping:
            return
        if match is None:
            raise ValueError("cannot read the line")
        if keyword not in self._expected:
            raise ValueError(f"{keyword} where {' or '.join(self._expected)} belongs")
        if not self._fields:
            self._obsolete = is_obsolete
            self._line = number
            if self._start < 0:
                self._start = self._here
        elif self._obsolete != is_obsolete:
            raise ValueError("the message is only partly marked as obsolete")
        self._close()
        self._fields[keyword] = unquote(match[2], self._charset)
        self._open = keyword
        self._complete = keyword[:6] == "msgstr"
        self._expected = _NEXT.get(keyword) or (f"msgstr[{int(keyword[7:-1]) + 1}]",)

    def _close(self) -> None:
        """Join the text that was open; one join, however many lines it has."""
        if self._more:
            self._fields[self._open] += "".join(self._more)
            self._more = []

    def _continue(self, text: str, *, is_obsolete: bool) -> None:
        if self._skipping:
            return
        if not self._open or self._obsolete != is_obsolete:
            raise ValueError("a text without a keyword")
        self._more.append(unquote(text, self._charset))

    def _remark(self, number: int, line: str) -> None:
        if line.startswith("#~") and line[2:3] != "|":
            line = line[2:].strip(_BLANKS)
            if line[:1] == '"':
                self._continue(line, is_obsolete=True)
            elif line:
                self._field(number, line, is_obsolete=True)
            return
        if self._complete or self._skipping:
            self._finish()
        if self._start < 0:
            self._start = self._here
        self._close()
        self._open = ""
        note = _NOTES.get(line[1:2])
        notes = self._notes.setdefault(note or "comment", [])
        notes.append((line[1:] if note is None else line[2:]).removeprefix(" "))
        if len(notes) > MOST_REMARKS:
            raise ValueError(f"more than {MOST_REMARKS:,} lines of remarks")

    def _finish(self) -> None:
        """Keep the message that ends before the present line, if it is whole."""
        if self._complete:
            self.messages.append(self._message())
        self._reset()
        self._skipping = False

    def _message(self) -> Message:
        self._close()
        texts = self._fields
        message = Message(
            texts.pop("msgid"),
            texts.pop("msgctxt", None),
            texts.pop("msgid_plural", None),
            tuple(texts.values()),
            line=self._line,
            obsolete=self._obsolete,
            start=self._start,
            end=self._here,
        )
        for name, lines in self._notes.items():
            setattr(message, name, "\n".join(lines))
        if message.flags:
            message.fuzzy, message.flags = _flags(message.flags)
        return message


def parts_of(block: str) -> dict[str, str]:
    """The lines of a message as they are, by note and keyword: ``msgstr[0]``."""
    parts: dict[str, list[str]] = {}
    name = "comment"
    for line in block.split("\n"):
        plain = line.strip(_BLANKS)
        if plain.startswith("#"):
            name = _NOTES.get(plain[1:2], "comment")
        elif match := _FIELD.match(plain):
            name = match[1]
        parts.setdefault(name, []).append(line)
    return {name: "\n".join(lines) for name, lines in parts.items()}


def values_of(message: Message) -> dict[str, object]:
    """What each of ``parts_of`` says."""
    values: dict[str, object] = {
        "comment": message.comment,
        "extracted": message.extracted,
        "references": message.references,
        "flags": (message.fuzzy, message.flags),
        "previous": message.previous,
        "msgctxt": message.msgctxt,
        "msgid": message.msgid,
        "msgid_plural": message.msgid_plural,
    }
    for index, text in enumerate(message.texts):
        is_plural = message.msgid_plural is not None
        values[f"msgstr[{index}]" if is_plural else "msgstr"] = text
    return values


@lru_cache(maxsize=1024)
def _flags(text: str) -> tuple[bool, str]:
    flags = [name for flag in re.split("[,\n]", text) if (name := flag.strip())]
    return "fuzzy" in flags, ", ".join(flag for flag in flags if flag != "fuzzy")


def render(message: Message, width: int) -> str:
    """The lines of a message, without a line feed at the end.

    ``width`` is where texts and references are wrapped, see ``quoted``. Texts of a
    message with the flag ``no-wrap`` are wrapped at their own line breaks only.
    """
    lines: list[str] = []
    _remark(lines, "#", message.comment)
    _remark(lines, "#.", message.extracted)
    _remark(lines, "#:", _references(message.references, width))
    if width > 0 and "no-wrap" in message.flags.split(", "):
        width = 0
    if message.fuzzy:
        lines.append(f"#, fuzzy, {message.flags}" if message.flags else "#, fuzzy")
    elif message.flags:
        lines.append(f"#, {message.flags}")
    _remark(lines, "#|", message.previous)
    if message.msgctxt is not None:
        lines.append(quoted("msgctxt", message.msgctxt, width))
    lines.append(quoted("msgid", message.msgid, width))
    if message.msgid_plural is None:
        lines.append(quoted("msgstr", message.texts[0], width))
        return "\n".join(lines)
    lines.append(quoted("msgid_plural", message.msgid_plural, width))
    for index, text in enumerate(message.texts):
        lines.append(quoted(f"msgstr[{index}]", text, width))
    return "\n".join(lines)


def _remark(lines: list[str], mark: str, text: str | None) -> None:
    if text is not None:
        lines += [f"{mark} {line}" if line else mark for line in text.split("\n")]


def _references(text: str | None, width: int) -> str | None:
    """The lines as they are, but for those that are wider than ``width``."""
    if text is None or width <= 0:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        used = width + 1
        for place in _PLACE.findall(line) if columns(line) + 3 > width else [line]:
            if used + 1 + columns(place) > width:
                lines.append(place)
                used = 2
            else:
                lines[-1] += f" {place}"
            used += 1 + columns(place)
    return "\n".join(lines)


_PLACE = re.compile("(?:\u2068[^\u2069]{0,500}\u2069|[^ ])+")  # isolates hold blanks
_HEADER = re.compile(rb"^msgid\b.*?(?=^msgid\b|\Z)", re.MULTILINE | re.DOTALL)
_LINE_END = re.compile(rb'"[ \t]*\r?\n[ \t]*"')
_CONTENT_TYPE = re.compile(
    rb'(?:"|\\n)Content-Type:[^"\\\n]*?charset=([A-Za-z0-9_.:-]{1,40})', re.IGNORECASE
)
_HEADER_BYTES = 64 * 1024
_AS_UTF_8 = ("charset", "ascii", "us-ascii", "utf8", "utf-8")
_CODEC = re.compile(  # what gettext reads, as far as Python can, by Python's names
    r"utf-8|iso8859-\d+|cp\d+|koi8-[rut]|tis-620|gb\w+|big5\w*|shift_jis|euc_\w+|johab"
)


def decoded(content: bytes) -> TextFile:
    """The text of a PO file, in the charset of its header.

    UTF-8 where the header names none. Raises UnreadableFile for a charset that
    gettext does not know, and bytes that are not in it.
    """
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    content = content.removeprefix(mark)
    return TextFile.of(content, _charset(content))._replace(mark=mark)


def _charset(content: bytes) -> str:
    header = _HEADER.search(content, 0, _HEADER_BYTES)
    match = header and _CONTENT_TYPE.search(_LINE_END.sub(b"", header[0]))
    if not header or not match:
        return "utf-8"
    name = match[1].decode("ascii").lower()
    if name in _AS_UTF_8:
        return "utf-8"
    with suppress(LookupError):
        codec = codecs.lookup(name).name
        if _CODEC.fullmatch(codec):
            return codec
    line = content.count(b"\n", 0, content.find(match[1], header.start())) + 1
    raise unreadable(line, "encoding", f"the charset {name!r} is not known")

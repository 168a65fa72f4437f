"""Reads the text of a PO file into messages, line by line, in linear time.

The library polib reads PO too. It is the oracle of this parser's tests and not its
engine: it stops at the first fault, loses the last letter of a text whose closing
quote is missing, drops ``#~|`` lines, breaks lines at U+2028, and takes content for
a path when a file of that name exists.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from locframework.ports import Problem, UnreadableFile

from .messages import Message
from .quoting import unquote

MOST_PROBLEMS = 50
_AT_ONCE = 4096  # characters that are taken apart into lines, and the rest of the last
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
_NEXT_PREVIOUS = {"": _STARTS, "msgctxt": ("msgid",), "msgid": ("msgid_plural",)}
_PLAIN, _OBSOLETE, _PREVIOUS = "", "#~", "#|"
_NOTES = {".": "extracted", ":": "references", ",": "flags", "=": "flags"}


def parse(text: str, charset: str) -> list[Message]:
    """The messages of a PO file in file order, the header and obsolete ones too.

    ``text`` has line feeds only. Raises UnreadableFile with a Problem for each
    fault, up to fifty.
    """
    parser = _Parser(text, charset)
    parser.run()
    if parser.problems:
        raise unreadable(parser.problems)
    return parser.messages


def unreadable(problems: list[Problem]) -> UnreadableFile:
    """The error for a file with these problems; its message tells the first."""
    first = problems[0]
    return UnreadableFile(f"{first.path}: {first.message}", problems)


class _Parser:
    """The message being read, and what was read so far."""

    def __init__(self, text: str, charset: str) -> None:
        self.messages: list[Message] = []
        self.problems: list[Problem] = []
        self._text = text
        self._here = 0  # where the present line begins
        self._charset = charset
        self._skipping = False  # after a fault, until the next message
        self._reset()

    def _reset(self) -> None:
        self._fields: dict[str, str] = {}
        self._notes: dict[str, list[str]] = {}
        self._before: dict[str, str] = {}  # the "#|" fields
        self._before_line = 0
        self._open = ""  # the keyword that a "…" line continues
        self._open_kind = _PLAIN
        self._more: list[str] = []  # the "…" lines after it
        self._expected: tuple[str, ...] = _STARTS
        self._complete = False
        self._obsolete = False
        self._line = 0
        self._start = -1  # where the message begins

    def run(self) -> None:
        for number, line in self._numbered():
            if not line:
                continue
            try:
                self._take(number, line)
            except ValueError as error:
                self._note_problem(number, str(error))
                if len(self.problems) >= MOST_PROBLEMS:
                    return
        if self._fields:
            self._finish_at_end()

    def _numbered(self) -> Iterator[tuple[int, str]]:
        """Line by line: all at once they may take ten times the room of the text."""
        number, text = 0, self._text
        while self._here <= len(text):
            end = text.find("\n", self._here + _AT_ONCE)
            for line in text[self._here : None if end < 0 else end].split("\n"):
                number += 1
                yield number, line
                self._here += len(line) + 1

    def _finish_at_end(self) -> None:
        if self._complete:
            self._finish()
        elif not self._skipping:
            self._note_problem(self._line, "the message has no msgstr")

    def _note_problem(self, number: int, message: str) -> None:
        self.problems.append(Problem(f"line {number}", "syntax", message))
        self._reset()
        self._skipping = True

    def _take(self, number: int, line: str) -> None:
        first = line[:1]
        if first == "m":
            self._field(number, line, _PLAIN)
        elif first == '"':
            self._continue(line, _PLAIN)
        elif first == "#":
            self._remark(number, line)
        elif first in _BLANKS and (stripped := line.strip(_BLANKS)):
            self._take(number, stripped)
        elif first not in _BLANKS and not self._skipping:
            raise ValueError("cannot read the line")

    def _field(self, number: int, line: str, kind: str) -> None:
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
            if self._before and "msgid" not in self._before:
                told = "a previous msgctxt without a previous msgid"
                self._note_problem(self._before_line, told)
                return
            self._obsolete = kind == _OBSOLETE
            self._line = number
            if self._start < 0:
                self._start = self._here
        elif self._obsolete != (kind == _OBSOLETE):
            raise ValueError("the message is only partly marked as obsolete")
        self._close()
        self._fields[keyword] = unquote(match[2], self._charset)
        self._open = keyword
        self._open_kind = kind
        self._complete = keyword[:6] == "msgstr"
        self._expected = _NEXT.get(keyword) or (f"msgstr[{int(keyword[7:-1]) + 1}]",)

    def _close(self) -> None:
        """Join the text that was open; one join, however many lines it has."""
        if self._more:
            fields = self._before if self._open_kind == _PREVIOUS else self._fields
            fields[self._open] = "".join([fields[self._open], *self._more])
            self._more = []

    def _continue(self, text: str, kind: str) -> None:
        if self._skipping:
            return
        if not self._open or self._open_kind != kind:
            raise ValueError("a text without a keyword")
        self._more.append(unquote(text, self._charset))

    def _remark(self, number: int, line: str) -> None:
        if line.startswith(_OBSOLETE) and line[2:3] != "|":
            self._obsolete_line(number, line[2:].strip(_BLANKS))
            return
        if self._complete or self._skipping:
            self._finish()
        if self._start < 0:
            self._start = self._here
        if line.startswith((_PREVIOUS, "#~|")):
            self._previous_line(number, line[2:].removeprefix("|").strip(_BLANKS))
        else:
            self._note(line)

    def _note(self, line: str) -> None:
        note = _NOTES.get(line[1:2])
        text = line[1:] if note is None else line[2:]
        self._close()
        self._open = ""
        notes = self._notes.setdefault(note or "comment", [])
        notes.append(text.removeprefix(" "))
        if len(notes) > MOST_REMARKS:
            raise ValueError(f"more than {MOST_REMARKS:,} lines of remarks")

    def _obsolete_line(self, number: int, line: str) -> None:
        if line[:1] == '"':
            self._continue(line, _OBSOLETE)
        elif line:
            self._field(number, line, _OBSOLETE)

    def _previous_line(self, number: int, line: str) -> None:
        if line[:1] == '"':
            self._continue(line, _PREVIOUS)
            return
        match = _FIELD.fullmatch(line)
        if match is None or match[1].startswith("msgstr"):
            raise ValueError("cannot read the line as a previous text")
        last = next(reversed(self._before), "")
        if match[1] not in _NEXT_PREVIOUS.get(last, ()):
            raise ValueError(f"a previous {match[1]} in the wrong place")
        self._before_line = number
        self._close()
        self._before[match[1]] = unquote(match[2], self._charset)
        self._open = match[1]
        self._open_kind = _PREVIOUS

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
        )
        if self._notes:
            self._add_notes(message)
        if self._before:
            message.previous = self._before
        if self._obsolete:
            message.obsolete = True
            message.block = self._text[self._start : self._here].strip("\n")
        return message

    def _add_notes(self, message: Message) -> None:
        notes = {name: "\n".join(lines) for name, lines in self._notes.items()}
        message.comment = notes.get("comment")
        message.extracted = notes.get("extracted")
        message.references = notes.get("references")
        if "flags" in notes:
            message.fuzzy, message.flags = _flags(notes["flags"])


@lru_cache(maxsize=1024)
def _flags(text: str) -> tuple[bool, str]:
    """Whether fuzzy is among the flags, and the others."""
    flags = [name for flag in re.split("[,\n]", text) if (name := flag.strip())]
    return "fuzzy" in flags, ", ".join(flag for flag in flags if flag != "fuzzy")

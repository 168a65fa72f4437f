"""The format apple-strings: ``"key" = "text";``, comments above it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from locframework.ports import (
    Block,
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    WrittenFile,
    fill_texts,
    quoted,
    unreadable,
)

_TOKEN = re.compile(
    r"(?P<blank>\s++)|(?P<comment>/\*(?s:.*?)\*/|//[^\r\n]*+)"
    r'|(?P<string>"(?s:[^"\\]|\\.)*+"|(?!/[/*])[A-Za-z0-9_$:./-]++)|(?P<sign>[=;])'
)
_REST = re.compile(r"[ \t]*+(?:/\*[^\r\n]*?\*/[ \t]*+)*+(?://[^\r\n]*+)?(?:\r?\n|\Z)")
"""What belongs to an entry in its last line."""
_ESCAPE = re.compile(r"((?:\\U[0-9A-Fa-f]{1,4})++)|\\([0-7]{1,3})|\\(?s:(.))")
_LETTERS = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f-\x9f]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FORBIDDEN = re.compile("[\0\ud800-\udfff]")
_NO_COMMENT = "No comment provided by engineer."  # what genstrings writes
_COMPILED = re.compile(rb"bplist|\s*<")


class _Token(NamedTuple):
    kind: str
    start: int
    end: int
    text: str


class _Pair(NamedTuple):
    """Where a key and its text are; without a text it is the key."""

    key: _Token
    value: _Token | None
    end: int  # behind the semicolon


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            line, rest = text.count("\n", 0, at) + 1, quoted(text[at : at + 20])
            told = f'{rest} is not expected; texts stand as "key" = "text";'
            if text.startswith(("/*", '"'), at):
                told = f"{rest} has no end"
            raise unreadable(line, "syntax", told)
        yield _Token(str(found.lastgroup), at, found.end(), found[0])
        at = found.end()


def _pairs(text: str) -> Iterator[tuple[list[_Token], _Pair]]:
    """Yield each pair with the comments before it, from the last blank line on. A
    comment behind a pair in its line is not the next one's."""
    notes: list[_Token] = []
    pair: list[_Token] = []
    is_behind = False
    for token in _tokens(text):
        is_apart = token.kind == "blank" and token.text.count("\n") > 1
        is_behind = is_behind and "\n" not in token.text
        if not pair and token.kind == "comment":
            notes += [] if is_behind else [token]
        elif not pair and is_apart:
            notes = []
        elif token.kind in ("string", "sign"):
            pair.append(token)
            shape = "".join("s" if t.kind == "string" else t.text for t in pair)
            if shape in ("s;", "s=s;"):
                value = pair[2] if shape == "s=s;" else None
                yield notes, _Pair(pair[0], value, token.end)
                notes, pair, is_behind = [], [], True
            elif not "s=s;".startswith(shape):
                raise _misplaced(text, token.start, token.text)
    if pair:
        raise _misplaced(text, len(text.rstrip()), "the end of the file")


def _misplaced(text: str, at: int, what: str) -> Exception:
    told = f'{quoted(what)} is not expected; texts stand as "key" = "text";'
    return unreadable(text.count("\n", 0, at) + 1, "syntax", told)


def _blocks(text: str, faults: Faults) -> list[Block]:
    """The parts of a file: of each key with the comments right above it, and others."""
    blocks: list[Block] = []
    places: dict[str, int] = {}
    done, line, counted = 0, 1, 0
    for notes, pair in _pairs(text):
        first = notes[0].start if notes else pair.key.start
        line += text.count("\n", counted, pair.key.start)
        counted = pair.key.start
        entry = _entry(notes, pair, line, faults)
        first = max(done, text.rfind("\n", done, first) + 1)  # with what indents it
        rest = _REST.match(text, pair.end)
        end = rest.end() if rest else pair.end
        blocks.append(Block(text[done:first]))
        if entry is not None and entry.key in places:  # the last one is taken
            told = f"the key {quoted(entry.key)} is there before; the last text counts"
            faults.warn(line, told)
            place = places[entry.key]
            blocks[place] = Block(blocks[place].text)
        if entry is not None:
            places[entry.key] = len(blocks)
        blocks.append(Block(text[first:end], entry.key if entry else None, entry))
        done = end
    return [*blocks, Block(text[done:])]


def _entry(
    notes: Sequence[_Token], pair: _Pair, line: int, faults: Faults
) -> Entry | None:
    try:
        key = _plain(pair.key.text)
        value = _plain(pair.value.text) if pair.value else key
    except ValueError as error:
        faults.add(line, "escape", str(error))
        return None
    if _FORBIDDEN.search(key + value):
        told = "is left out: it contains U+0000 or a lone surrogate"
        faults.warn(line, f"{quoted(key)} {told}")
        return None
    if not key:
        faults.warn(line, "a text without a key is left out")
        return None
    return Entry(key, value, description=_description(notes), line=line)


def _description(notes: Sequence[_Token]) -> str:
    lines: list[str] = []
    for note in notes:
        text = (
            note.text[2:].removesuffix("*/") if note.text[1] == "*" else note.text[2:]
        )
        lines += [each.strip() for each in text.splitlines()]
    text = _FORBIDDEN.sub("", "\n".join(lines)).strip()
    return "" if text == _NO_COMMENT else text


def _plain(raw: str) -> str:
    """The text of a string. Raises ValueError for an escape that cannot be read."""

    def plain(found: re.Match[str]) -> str:
        if found[1]:
            digits = (each.rjust(4, "0") for each in found[1].split("\\U")[1:])
            units = bytes.fromhex("".join(digits))
            return units.decode("utf-16-be", "surrogatepass")
        if found[2]:
            if int(found[2], 8) > 0x7F:
                raise ValueError(
                    f"{found[0]} is beyond ASCII; write \\U and four digits"
                )
            return chr(int(found[2], 8))
        return _LETTERS.get(found[3], found[3])

    if not raw.startswith('"'):
        return raw
    return _ESCAPE.sub(plain, raw[1:-1]) if "\\" in raw else raw[1:-1]


def _quoted(text: str) -> str:
    def escape(found: re.Match[str]) -> str:
        return _ESCAPES.get(found[0]) or f"\\U{ord(found[0]):04x}"

    return f'"{_SPECIAL.sub(escape, text)}"'


def _comment(description: str, newline: str) -> str:
    lines = description.replace("*/", "* /").splitlines()
    return f"/* {newline.join(lines)} */{newline}" if lines else ""


def _changed(block: Block, text: str, description: str | None, newline: str) -> str:
    """The lines of a key with another text, and with other comments, if given."""
    [(notes, pair)] = _pairs(block.text)
    before, rest = "", block.text
    if description is not None:
        first = notes[0].start if notes else pair.key.start
        indent = block.text[:first]
        before = indent + _comment(description, newline + indent)
        rest = block.text[pair.key.start :]
    cut = len(block.text) - len(rest)
    if block.entry is not None and block.entry.value != text:
        old, new = pair.value, _quoted(text)
        at = (pair.end - 1, pair.end - 1) if old is None else (old.start, old.end)
        sign = " = " if old is None else ""
        rest = f"{rest[: at[0] - cut]}{sign}{new}{rest[at[1] - cut :]}"
    return before + rest


class Strings:
    """A pair ``"key" = "text";`` for each key; comments right above are descriptions.

    Files are in UTF-8, or in UTF-16 with a byte order mark. In a template comments,
    order, blanks and the texts that do not differ stay.
    """

    info = FormatInfo(
        id="apple-strings",
        name="Apple strings",
        extension=".strings",
        content_type="text/plain; charset=utf-8",
        comments=True,
        plurals=False,
        placeholders="objc",
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends with ``.strings``, and the file is not compiled."""
        is_named = file.name.lower().endswith(self.info.extension)
        return is_named and not _COMPILED.match(file.content)

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        if _COMPILED.match(file.content):
            told = (
                "it is a property list in XML or compiled; import the file of the text"
            )
            raise unreadable(1, "syntax", f'{told} editor, with texts as "key" = …;')
        faults = Faults()
        blocks = _blocks(TextFile.of(file.content, "utf-16", "utf-8").text, faults)
        faults.raise_any()
        entries = [block.entry for block in blocks if block.entry is not None]
        return [Catalogue(None, entries, warnings=faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        file = TextFile.of(catalogue.template or b"", "utf-16", "utf-8")
        blocks, newline = _blocks(file.text, Faults()), file.newline

        def new(key: str, text: str, description: str) -> str:
            pair = f"{_quoted(key)} = {_quoted(text)};{newline}"
            return _comment(description, newline) + pair

        def changed(block: Block, text: str, description: str | None) -> str:
            return _changed(block, text, description, newline)

        text, warnings = fill_texts(
            catalogue, options, blocks, new, changed, "strings files", newline
        )
        declared = "utf-16" if file.charset.startswith("utf-16") else None
        return WrittenFile(file.encoded(text), warnings, declared)

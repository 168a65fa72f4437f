"""The format java-properties: ``key=text``, comments above it as its description."""

import io
import re
from collections.abc import Sequence

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
)

from .lines import (
    BLANKS,
    FORBIDDEN,
    HEAD,
    IN_COMMENTS,
    IN_KEYS,
    IN_TEXTS,
    Line,
    comment_text,
    escaped,
    logical_lines,
    plain_text,
)


def _blocks(text: str, faults: Faults) -> list[Block]:
    """The lines of a file: those of each key with the comments right above them."""
    blocks: list[Block] = []
    notes: list[Line] = []
    places: dict[str, int] = {}
    for line in logical_lines(text):
        if line.is_comment:
            notes.append(line)
            continue
        entry = _entry(line, notes, faults) if line.content else None
        if entry is not None and entry.key in places:  # Java takes the last one
            told = f"the key {quoted(entry.key)} is there before; the last text counts"
            faults.warn(line.number, told)
            place = places[entry.key]
            blocks[place] = Block(blocks[place].text)
        if entry is not None:
            places[entry.key] = len(blocks)
        source = "".join([*(note.source for note in notes), line.source])
        blocks.append(Block(source, entry.key if entry else None, entry))
        notes = []
    return [*blocks, Block("".join(note.source for note in notes))]


def _entry(line: Line, notes: Sequence[Line], faults: Faults) -> Entry | None:
    head = HEAD.match(line.content)
    assert head is not None  # it may be empty
    try:
        key, value = plain_text(head[1]), plain_text(line.content[head.end() :])
    except ValueError as error:
        faults.add(line.number, "escape", str(error))
        return None
    if FORBIDDEN.search(key + value):
        told = "is left out: it contains U+0000 or a lone surrogate"
        faults.warn(line.number, f"{quoted(key)} {told}")
        return None
    description = "\n".join(map(comment_text, notes))
    return Entry(key, value, description=description, line=line.number) if key else None


class _Writer:
    """Writes lines as the file has them, or new ones."""

    def __init__(self, file: TextFile, *, escapes: bool) -> None:
        self._charset = "ascii" if escapes else file.charset
        self._newline = file.newline
        self.separator = "="

    def _escaped(self, text: str, special: re.Pattern[str]) -> str:
        return escaped(text, special, self._charset)

    def lines(self, key: str, text: str, description: str) -> str:
        """The lines of a new key."""
        head = f"{self._escaped(key, IN_KEYS)}{self.separator}"
        line = f"{head}{self._escaped(text, IN_TEXTS)}{self._newline}"
        return self.comments(description) + line

    def comments(self, description: str) -> str:
        """The lines of a description."""
        lines = (self._escaped(each, IN_COMMENTS) for each in description.splitlines())
        return "".join(f"# {each}".rstrip(" ") + self._newline for each in lines)

    def changed(self, block: Block, text: str, description: str | None) -> str:
        """The lines of a key with another text; with other comments, if there is a
        description."""
        *notes, line = logical_lines(block.text)
        comments = "".join(note.source for note in notes)
        if description is not None:
            comments = self.comments(description)
        if block.entry is not None and block.entry.value == text:
            return comments + line.source
        blanks = line.source[: len(line.source) - len(line.source.lstrip(BLANKS))]
        first = next(io.StringIO(line.source, newline="")).rstrip("\r\n")
        head = HEAD.match(first.lstrip(BLANKS).removesuffix("\\"))
        assert head is not None
        separator = head[2] if "=" in head[2] or ":" in head[2] else self.separator
        key = self._escaped(block.key or "", IN_KEYS)
        if plain_text(head[1]) == block.key:
            key = head[1]
        end = line.source[len(line.source.rstrip("\r\n")) :]
        raw = self._escaped(text, IN_TEXTS)
        return f"{comments}{blanks}{key}{separator}{raw}{end}"


class Properties:
    """A line ``key=text`` for each key.

    Files are in UTF-8, or else in Latin-1. New ones are in ASCII with ``\\uXXXX``,
    which every Java reads, or with ``utf8`` in UTF-8. In a template comments, order,
    separators and the lines of texts that do not differ stay.
    """

    def __init__(self, *, utf8: bool = False) -> None:
        charset = "utf-8" if utf8 else "ISO-8859-1"
        self.info = FormatInfo(
            id="java-properties",
            name="Java properties",
            extension=".properties",
            content_type=f"text/x-java-properties; charset={charset}",
            comments=True,
            plurals=False,
            placeholders="java",
        )
        self._utf8 = utf8

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends with ``.properties``: any text is such a file."""
        return file.name.lower().endswith(".properties")

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile for escapes that Java refuses."""
        faults = Faults()
        text = TextFile.of(file.content, "utf-8", "iso8859-1").text
        blocks = _blocks(text, faults)
        faults.raise_any()
        entries = [block.entry for block in blocks if block.entry is not None]
        return [Catalogue(None, entries, warnings=faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        file = TextFile.of(catalogue.template or b"", "utf-8", "iso8859-1")
        blocks = _blocks(file.text, Faults())
        is_ascii = file.text.isascii()
        writer = _Writer(
            file, escapes=is_ascii and not (self._utf8 and "\\u" not in file.text)
        )
        known = [line for b in blocks if b.entry for line in logical_lines(b.text)]
        if known and (head := HEAD.match(known[-1].content)) and head[2].strip(BLANKS):
            writer.separator = head[2]
        text, warnings = fill_texts(
            catalogue,
            options,
            blocks,
            writer.lines,
            writer.changed,
            "properties files",
            file.newline,
        )
        charset = None if text.isascii() else file.declared
        return WrittenFile(file.encoded(text), warnings, charset)

"""The format fluent: ``key = text``, and ``.key = text`` for attributes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fluent.syntax import FluentParser, ast

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
    fill_template,
    plural_argument,
    quoted,
    unreadable,
)

from .patterns import (
    ID,
    INDENT,
    PLACEABLE,
    Plural,
    assigned,
    is_pattern,
    pattern_of,
    text_of,
)

_NOTES = r"(?:#(?: [^\n]*+|\r)?+(?:\n|\Z))"
_PIECE = re.compile(  # an attribute; or comments, a message, or both
    rf"^(?: *+\.({ID}) *+=|(?=#|-?+{ID} *+=)({_NOTES}*+)(?:(-?+{ID}) *+=)?)|\A", re.M
)
_PLAIN = re.compile(  # a pattern that need not be parsed
    rf" *+(?:[^\n\r{{}}]++|\r(?!\n)|{PLACEABLE})++(?: *+\r?\n)*+ *+"
)
_LOOKS = re.compile(rb"(\xef\xbb\xbf)?\s*(#{1,3}(\s|\Z)|-?[A-Za-z][\w-]* *=|\Z)")
_LONG = "key--"  # begins the names of messages whose keys cannot be names
_NOTHING = ' { "" }'  # the text of a term that has attributes alone


class _Part(NamedTuple):
    """The value of a message, which may be empty, or an attribute."""

    head: str  # up to the "="
    source: str  # what is behind that
    tail: str  # the end of the line
    line: int = 0


def _description(notes: str) -> str:
    lines = notes.replace("\r\n", "\n").split("\n")
    return "\n".join(line[2:] for line in lines[:-1])


class _File:
    """A file that was read, cut into blocks."""

    def __init__(self, content: bytes, separator: str) -> None:
        self.faults, self.file = Faults(), TextFile.of(content)
        self.messages: dict[str, tuple[str, dict[str, _Part]]] = {}
        """By name: the comment above it, and by attribute its parts; "" is the value"""
        self.blocks: list[Block] = []
        self._separator = separator
        self._names = re.compile(rf"(-?{ID})(?:{re.escape(separator)}({ID}))?")
        text, line, name = self.file.text, 1, ""
        if "\0" in text:
            line += text.count("\n", 0, text.index("\0"))
            raise unreadable(line, "syntax", "the file contains U+0000")
        pieces = [*_PIECE.finditer(text)]
        for found, after in zip(pieces, [*pieces[1:], None], strict=True):
            start, at, end = *found.span(), after.start() if after else len(text)
            part, notes, new = found.groups("")
            name = new or (part and name)
            rest, has_more = text[at:end], bool(after and after[1])
            source = rest.rstrip(" \r\n")
            is_open = bool(new) and new[0] != "-" and not source and has_more
            if not is_open and not (_PLAIN.fullmatch(rest) if name else not source):
                self._check(text[start:end], line, is_attribute=bool(part and name))
            if name:
                cut = 0 if has_more else rest.find("\n", len(source)) + 1
                tail, rest = rest[len(source) : cut or None], rest[cut or len(rest) :]
                _, parts = self.messages.setdefault(name, (notes, {}))
                number = line + notes.count("\n")
                if part in parts:
                    told = f"{quoted(name)} has this text before"
                    self.faults.add(number, "duplicate", told)
                head = text[start + len(notes) : at]
                parts[part] = _Part(head, source, tail, number)
                self.blocks += [Block("", new, Entry(new))] if new else []
            self.blocks.append(Block(rest if name else text[start:end]))
            line += text.count("\n", start, end)

    def _check(self, piece: str, line: int, *, is_attribute: bool) -> None:
        """Note what is no Fluent in a part of the file."""
        source, at = ("k =\n" * is_attribute + piece).rstrip() + "\n", 0
        line -= is_attribute
        try:
            body = FluentParser(with_spans=False).parse(source).body
        except RecursionError:
            self.faults.add(line, "syntax", "placeables are nested too deeply")
            return
        for each in body:
            if isinstance(each, ast.Junk) and (span := each.annotations[0].span):
                line += source.count("\n", at, min(span.start, len(source) - 1))
                at = span.start
                self.faults.add(line, "syntax", str(each.annotations[0].message))

    def place_of(self, entry: Entry) -> tuple[str, str]:
        """Return the message and the attribute for a key."""
        key = (entry.is_file_key and entry.name) or entry.key
        found = self._names.fullmatch(entry.key) or self._names.fullmatch(key)
        if found:
            return found[1], found[2] or ""
        return _LONG + key.replace("_", "_u").replace(self._separator, "__"), ""

    def entries(self, options: FileOptions) -> Iterator[Entry]:
        """Yield the texts of the file."""
        is_source = options.language_code == options.source_language
        for name, (notes, parts) in self.messages.items():
            long = name.removeprefix(_LONG).replace("__", self._separator)
            long = long.replace("_u", "_")
            whole = long if self.place_of(Entry(long)) == (name, "") else name
            for part, (_, source, _, line) in parts.items():
                key = f"{name}{self._separator}{part}" if part else whole
                known = options.plurals.get(key)
                plural = Plural.of(source) if is_source or known is not False else None
                if source and (source != _NOTHING or name[0] != "-"):
                    kept = {"variable": plural.variable} if plural else None
                    yield Entry(
                        key,
                        plural.forms if plural else text_of(source),
                        is_plural=plural is not None or known is True,
                        description=_description(notes),
                        line=line,
                        key_detail=kept,
                        detail=kept,
                        format_flags=(f"{plural.variable}:plural",) if plural else (),
                    )


class _Writer:
    """Writes messages as the file has them, or new ones."""

    def __init__(self, catalogue: Catalogue, options: FileOptions) -> None:
        self.warnings: list[str] = []
        self._file = _File(catalogue.template or b"", options.key_separator)
        self._is_source = catalogue.language_code in (None, options.source_language)
        self._newline = self._file.file.newline
        indent = re.search(r"^( +)\.", self._file.file.text, re.M)
        self._indent = indent[1] if indent else INDENT
        self._groups: dict[str, dict[str, Entry]] = {}  # by message and attribute
        for entry in catalogue.entries:
            name, part = self._file.place_of(entry)
            self._groups.setdefault(name, {})[part] = entry

    def content(self) -> bytes:
        """Return the file."""
        blocks, entries = self._file.blocks, map(Entry, self._groups)
        text = fill_template(blocks, entries, self._lines, self._newline)
        return self._file.file.encoded(text)

    def _lines(self, message: Entry, block: Block | None) -> str:
        """Return the lines of a message; "" if it has no texts."""
        name, entries = message.key, self._groups[message.key]
        value = _Part(f"{name} =", "", self._newline)
        notes, old = self._file.messages.get(name, ("", {"": value}))
        lines, texts = "", []
        for part in sorted({**old, **entries}, key=bool):  # the value is the first
            new = _Part(f"{self._indent}.{part} =", "", self._newline)
            head, source, tail, _ = old.get(part, new)
            source = self._source(source, entries.get(part), is_value=not part)
            texts += [entries[part]] if source else []
            if not part and not source and name[0] == "-":
                source = _NOTHING
            if source or not part:
                lines += self._newline if lines and lines[-1] != "\n" else ""
                lines += head + source + tail
        if texts and self._is_source:
            notes = self._notes(name, notes, texts)
        return notes + lines if texts else ""

    def _notes(self, name: str, notes: str, texts: Sequence[Entry]) -> str:
        """Return the comment above a message, in the source language."""
        described = next((each.description for each in texts if each.description), "")
        told = f"has another description than {name}: they have one comment"
        others = [each.key for each in texts if each.description != described]
        self.warnings += [f"{key} {told}" for key in others]
        lines = [f"# {line}".rstrip(" ") for line in described.splitlines()]
        is_same = _description(notes).startswith(described)
        return notes if is_same else "".join(line + self._newline for line in lines)

    def _source(self, old: str, entry: Entry | None, *, is_value: bool) -> str:
        """Return what is behind the "=" of a text."""
        value, plural = entry.value if entry else None, Plural.of(old)
        if not entry or not value:
            return ""
        if isinstance(value, Mapping) and value.keys() == {"other"} and old:
            value = value if plural else value["other"]
        if value in (text_of(old), plural and plural.forms):
            return old
        texts = [value] if isinstance(value, str) else value.values()
        if not all(map(is_pattern, texts)):
            told = "is no pattern of Fluent: its braces are written as text"
            self.warnings.append(f"{entry.key} {told}")
        if isinstance(value, str):
            pattern = pattern_of(value)
        else:
            kept = entry.detail or entry.key_detail or {}
            known = plural_argument(entry.format_flags) or "count"
            variable = plural.variable if plural else kept.get("variable", known)
            new = Plural(str(variable), value)
            pattern = new.pattern()
            if Plural.of(pattern) != new:
                told = "does not read as a plural: its texts are too complex"
                self.warnings.append(f"{entry.key} {told}")
        indent = self._indent if is_value else self._indent * 2
        return assigned(pattern, old, indent, self._newline)


class Fluent:
    """A message, a term or an attribute for each key; comments are descriptions."""

    info = FormatInfo(
        id="fluent",
        name="Fluent (FTL)",
        extension=".ftl",
        content_type="text/plain; charset=utf-8",
        comments=True,
        placeholders="fluent",
        limits=("different descriptions of a message and its attributes",),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends with ``.ftl``, and the file begins with a comment or a
        message: FreeMarker has the same extension."""
        is_named = file.name.lower().endswith(self.info.extension)
        return is_named and bool(_LOOKS.match(file.content))

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's one catalogue, without a language. Raises UnreadableFile."""
        found = _File(file.content, options.key_separator)
        found.faults.raise_any()
        return [Catalogue(None, [*found.entries(options)])]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        writer = _Writer(catalogue, options)
        return WrittenFile(writer.content(), writer.warnings)

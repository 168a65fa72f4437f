"""Files of sections: a head such as ``[cart]``, and lines of keys and texts below."""

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from locframework.ports import (
    Block,
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    fill_texts,
    quoted,
)

Path = tuple[str, ...]
_LINE = re.compile(r"[^\n]*+\n?")
_INDENT = re.compile(r"[ \t]*+")
_NOTES = re.compile(r"(?:[ \t]*+[#;][^\n]*+\n)*+")


class Line(NamedTuple):
    """A key and its text. ``text`` is None for what is no text."""

    path: Path
    text: str | None
    start: int  # of the text, with its quotes
    end: int
    style: tuple[str, str] = ("", "")  # separator and quote


class Section(Struct, eq=False):
    """The lines from one head to the next; ``()`` are those before any."""

    path: Path
    blocks: list[Block] = field(default_factory=list)
    after: list["Section"] = field(default_factory=list)  # new ones
    is_new: bool = False
    is_kept: bool = False  # what is in it is no key


class Dialect:
    """How keys and texts are spelled."""

    marks: tuple[str, ...] = ("#", ";")  # of comments
    style = (" = ", "")  # of a new file

    @abstractmethod
    def head(self, line: str) -> Section | None:
        """The section that a line begins, if it does."""

    @abstractmethod
    def new_head(self, path: Path) -> str:
        """The line that begins a section."""

    @abstractmethod
    def line(self, text: str, at: int) -> Line:
        """The key at a place. Raises ValueError where there is none."""

    @abstractmethod
    def tries(self, path: Path, separator: str, text: str, quote: str) -> Iterable[str]:
        """Lines that may say this, the best first."""

    def spelled(self, path: Path, style: tuple[str, str], text: str) -> str | None:
        """Return a line that says this; None if none can."""
        for line in self.tries(path, style[0], text, style[1]):
            try:
                found = self.line(f"{line}\n", 0)
            except ValueError:
                continue
            is_it = (found.path, found.text, found.end) == (path, text, len(line))
            if is_it and not self.head(line) and not line.startswith(self.marks):
                return line
        return None


class SectionFile:
    """A file, cut into sections and lines. Keys are paths: section and name."""

    def __init__(self, text: str, dialect: Dialect, faults: Faults) -> None:
        self.dialect = dialect
        self.sections = [Section(())]
        self.texts: dict[Path, Entry] = {}
        self.others: set[Path] = set()  # of what is no text
        self.owners: dict[Path, Path] = {(): ()}  # where new members of a table go
        self._places: dict[Path, tuple[list[Block], int]] = {}
        self._styles: Counter[tuple[str, str]] = Counter()
        self._faults = faults
        at, number = 0, 1
        while at < len(text):
            start, at = at, _end(_NOTES, text, at)
            number += text.count("\n", start, at)
            end = _end(_LINE, text, at)
            content = text[at:end].strip()
            entry = None
            if section := dialect.head(content):
                self.sections.append(section)
                if section.is_kept:
                    self._keep(section.path, number)
                else:
                    self.owners.setdefault(section.path, section.path)
            elif content and not content.startswith(dialect.marks):
                entry, end = self._entry(text, start, at, number)
            key = entry.key if entry else None
            self.sections[-1].blocks.append(Block(text[start:end], key, entry))
            number += text.count("\n", at, end)
            at = end

    def _keep(self, path: Path, number: int) -> None:
        told = "is left as it is: it is no text, or contains U+0000"
        self._faults.warn(number, f"{quoted('.'.join(path))} {told}")
        self.others.add(path)

    def _entry(
        self, text: str, start: int, at: int, number: int
    ) -> tuple[Entry | None, int]:
        """The key at a place, with the comments above it, and where its lines end."""
        section, line = self.sections[-1], None
        try:
            line = self.dialect.line(text, at)
        except ValueError as error:
            self._faults.add(number, "syntax", str(error))
        end = _end(_LINE, text, line.end if line else at)
        if line is None or section.is_kept:
            return None, end
        path = section.path + line.path
        for place in range(len(section.path) + 1, len(path)):
            self.owners.setdefault(path[:place], section.path)
        if line.text is None or "\0" in "".join((*path, line.text)):
            self._keep(path, number)
            return None, end
        self._styles[line.style] += 1
        notes = [note.strip()[1:].strip() for note in text[start:at].splitlines()]
        key, description = "\0".join(path), "\n".join(notes).replace("\0", "")
        entry = Entry(key, line.text, description=description, line=number)
        if path in self.texts:
            name = quoted(".".join(path))
            told = f"the key {name} is there before; the last text counts"
            self._faults.warn(number, told)
            blocks, place = self._places[path]
            blocks[place] = Block(blocks[place].text)
        self.texts[path] = entry
        self._places[path] = section.blocks, len(section.blocks)
        return entry, end

    def filled(
        self,
        catalogue: Catalogue,
        options: FileOptions,
        section_of: Callable[[Path], Path],
        newline: str,
        files: str,
    ) -> tuple[str, list[str]]:
        """Return the file with other texts, and warnings, as ``fill_texts`` does.

        Keys are paths, joined by U+0000. ``section_of`` returns the section of one that
        the file lacks. New sections stand behind that of the entry before. Those
        without any key left go.
        """
        dialect, warnings = self.dialect, list[str]()
        style = max(self._styles, key=self._styles.__getitem__, default=dialect.style)

        def comments(description: str, mark: str) -> str:
            lines = description.splitlines()
            return "".join(f"{mark} {each}".rstrip() + newline for each in lines)

        def new(section: Section, key: str, text: str, description: str) -> str:
            own = tuple(key.split("\0"))[len(section.path) :]
            lines = (b.text for b in section.blocks if b.key)
            first = next(lines, "")
            indent = first[: _end(_INDENT, first, 0)]
            line = dialect.spelled(own, style, text)
            if line is None:
                warnings.append(f"{key} is left out: the file cannot have it")
                return ""
            line = line if text else line.rstrip(" ")
            return comments(description, f"{indent}#") + indent + line + newline

        def changed(block: Block, text: str, description: str | None) -> str:
            start = _end(_NOTES, block.text, 0)
            notes, rest = block.text[:start], block.text[start:]
            if description is not None:
                indent = _end(_INDENT, block.text, 0)
                mark = notes.strip()[:1] or "#"
                notes = comments(description, block.text[:indent] + mark)
            line = dialect.line(rest, 0)
            if line.text == text:
                return notes + rest
            made = dialect.spelled(line.path, ("=", line.style[1]), text)
            if made is not None:
                raw = made[dialect.line(made, 0).start :]
                lines = rest[: line.start] + raw + rest[line.end :]
                if dialect.line(lines, 0).text == text:
                    return notes + lines
            warnings.append(f"{block.key} is as it was: the file cannot have it")
            return notes + rest

        at = {b.key: one for one in self.sections for b in one.blocks if b.key}
        by_path = {one.path: one for one in reversed(self.sections) if not one.is_kept}
        entries: dict[int, list[Entry]] = {}
        behind = self.sections[0]
        for entry in catalogue.entries:
            section = at.get(entry.key)
            if section is None and entry.value is not None:
                path = section_of(tuple(entry.key.split("\0")))
                section = by_path.get(path)
                if section is None:
                    head = Block(dialect.new_head(path) + newline)
                    section = by_path[path] = Section(path, [head], is_new=True)
                    behind.after.append(section)
            if section is not None:
                behind = behind if section.is_new else section
                entries.setdefault(id(section), []).append(entry)
        ends = [one.blocks[-1].text for one in self.sections[:-1] if one.blocks]
        is_apart = not ends or not all(map(str.strip, ends))  # by a blank line
        parts, was_new = [""], False
        for one in (each for old in self.sections for each in (old, *old.after)):
            filled, told = fill_texts(
                replace(catalogue, entries=entries.get(id(one), [])),
                options,
                one.blocks,
                partial(new, one),
                changed,
                files,
                newline,
            )
            warnings += told
            rest = [block.text for block in one.blocks if not block.key]
            lines = "".join(rest[1:]).splitlines()
            is_empty = not any(e.strip()[:1] not in ("", *dialect.marks) for e in lines)
            had_keys = one.is_new or len(rest) < len(one.blocks)
            if one.path and had_keys and is_empty and filled == "".join(rest):
                continue
            if filled and parts[-1] and (one.is_new or was_new):
                parts.append("" if parts[-1].endswith("\n") else newline)
                is_blank = "".join(parts[-2:]).endswith(("\n\n", "\n\r\n"))
                parts.append(newline if is_apart and not is_blank else "")
            was_new = one.is_new
            parts.append(filled)
        return "".join(parts), [
            told.replace("\0", options.key_separator) for told in warnings
        ]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match that is always there ends."""
    found = pattern.match(text, at)
    assert found
    return found.end()

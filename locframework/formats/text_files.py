"""What formats of text files have in common: charsets, faults with lines, templates."""

import codecs
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from locframework.errors import Problem, UnreadableFile, abbreviate

from .records import Catalogue, Entry, FileOptions

FAULTS_LIMIT = 1000  # of a file, and as many warnings
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def quoted(name: str) -> str:
    """Return a name or text of a file as a message may repeat it: printable, short."""
    return abbreviate(repr(name))


def unreadable(line: int, rule: str, message: str) -> UnreadableFile:
    """Return the refusal of a file for one fault."""
    return UnreadableFile.of([Problem(f"line {line}", rule, message)])


class Faults:
    """Faults and warnings of a file, in the course of reading it."""

    def __init__(self, limit: int = FAULTS_LIMIT) -> None:
        self.warnings: list[str] = []
        self._limit = limit
        self._problems: list[tuple[int, str, str]] = []

    def add(self, line: int, rule: str, message: str) -> None:
        """Note a fault. Raises UnreadableFile when there are too many to help."""
        self._problems.append((line, rule, message))
        if len(self._problems) >= self._limit:
            self.raise_any()

    def warn(self, line: int, message: str) -> None:
        """Note what is left out of the file, or may be misread."""
        if len(self.warnings) < FAULTS_LIMIT:
            self.warnings.append(f"line {line}: {message}")
        elif len(self.warnings) == FAULTS_LIMIT:
            self.warnings.append(f"there are more than {FAULTS_LIMIT} warnings")

    def raise_any(self) -> None:
        """Raise UnreadableFile with a Problem for each fault, in order of lines."""
        if self._problems:
            raise UnreadableFile.of(
                [Problem(f"line {n}", *told) for n, *told in sorted(self._problems)]
            )


class TextFile(NamedTuple):
    """The text of a file, and how it is encoded."""

    text: str
    charset: str
    mark: bytes = b""  # byte order mark

    @classmethod
    def of(cls, content: bytes, *charsets: str) -> "TextFile":
        """Return the text of a file in the first of the charsets that fits; UTF-8 if
        none is given.

        A byte order mark of UTF-8 is left out. One of UTF-16 decides, if ``utf-16`` is
        among the charsets. Raises UnreadableFile with the line of the first wrong byte.
        """
        names = list(charsets or ("utf-8",))
        for mark, charset in _MARKS:
            if content.startswith(mark) and charset[:6] in ("utf-8", *names):
                names, content = [charset], content.removeprefix(mark)
                return cls(_decoded(content, names), names[0], mark)
        names = [name for name in names if name != "utf-16"]
        return cls(_decoded(content, names), names[0])

    def encoded(self, text: str) -> bytes:
        """Return a text as the bytes of such a file. Raises UnicodeEncodeError."""
        return self.mark + text.encode(self.charset)

    @property
    def declared(self) -> str:
        """The charset as content types call it."""
        if self.charset.startswith("utf-16"):
            return "utf-16"
        return self.charset.replace("iso8859-", "iso-8859-")

    @property
    def newline(self) -> str:
        """What ends most lines."""
        has_more = self.text.count("\r\n") * 2 > self.text.count("\n")
        return "\r\n" if has_more else "\n"


def _decoded(content: bytes, charsets: list[str]) -> str:
    """Return the text; leave in ``charsets`` the one that it is in."""
    first: UnicodeDecodeError | None = None
    while charsets:
        try:
            return content.decode(charsets[0])
        except UnicodeDecodeError as error:
            first = first or error
            charsets.pop(0)
    assert first is not None
    before = content[: first.start].decode(first.encoding, "replace")
    message = f"the file is not {first.encoding.upper()}"
    raise unreadable(before.count("\n") + 1, "encoding", message)


class Block(Struct, frozen=True):
    """Some lines of a file: those of a key, or others."""

    text: str
    """The lines as they stand in the file, with their line breaks. The texts of all
    blocks of a file, joined, are the file."""
    key: str | None = None
    """What the file calls the key, as ``Entry.key``; None: lines that are no key's."""
    entry: Entry | None = None
    """What was read of the lines; None where they have no key, or no text that could be
    read."""


def fill_template(
    blocks: Sequence[Block],
    entries: Iterable[Entry],
    lines_of: Callable[[Entry, Block | None], str],
    newline: str = "\n",
) -> str:
    """Return the file that was cut into ``blocks`` with other entries.

    ``lines_of`` returns the lines of an entry: of one that the file has, those of its
    block with what differs; "" leaves it out. Keys that are no entry's go. New ones
    stand behind the entry before them, the first ones before the entry that follows,
    and begin and end lines.
    """
    at = {block.key: index for index, block in enumerate(blocks) if block.key}
    kept: list[list[tuple[str, bool]]] = [
        [] if block.key else [(block.text, False)] for block in blocks
    ]
    first: list[tuple[str, bool]] = []
    behind = first
    place = len(blocks)
    for entry in entries:
        index = at.get(entry.key)
        if index is None:
            behind.append((lines_of(entry, None), True))
            continue
        if behind is first:
            place = index
        kept[index].append((lines_of(entry, blocks[index]), False))
        behind = kept[index]
    kept.insert(place, first)
    text: list[str] = []
    was_new = False
    for lines, is_new in (one for some in kept for one in some if one[0]):
        if text and (is_new or was_new) and not text[-1].endswith("\n"):
            text.append(newline)
        text.append(lines)
        was_new = is_new
    return "".join(text)


def fill_texts(
    catalogue: Catalogue,
    options: FileOptions,
    blocks: Sequence[Block],
    new: Callable[[str, str, str], str],
    changed: Callable[[Block, str, str | None], str],
    files: str,
    newline: str = "\n",
) -> tuple[str, list[str]]:
    """Return a file of texts without plural forms, as ``fill_template`` does, and
    warnings about plurals: the whole ``write`` of most formats of keys and texts.

    ``blocks`` are those of ``catalogue.template``, cut as for reading; without any, the
    file is new. Lines of no key stay. A block goes if its key is not among the entries,
    or has lost its text. It stays as it is if the file has the key without a text or
    with an empty one, and the entry has none. New keys without a text are not written.

    ``new(key, text, description)`` returns the lines of a key that the file does not
    have, or whose block has no ``entry``. They end with ``newline``.

    ``changed(block, text, description)`` returns the lines of a block whose text or
    description differs; others stay as they are. The text may be the old one. The
    description is None if that of the file stays: if it is the same or continues the
    one of the key, as when that is empty. The lines keep the line break at the end of
    ``block.text``, or that there is none, and line breaks are those of the file
    (``TextFile.newline``): the contract tests both (F26).

    A ``newline`` is added only where lines that are new follow, or are followed by, a
    line without one. In other languages than the source language, descriptions of the
    file stay, and new keys get none. ``files`` is what such files are called in
    warnings.
    """
    is_source = catalogue.language_code in (None, options.source_language)
    warnings: list[str] = []

    def lines_of(entry: Entry, block: Block | None) -> str:
        text = one_text(entry, warnings, files, is_known=block is not None)
        description = entry.description if is_source else ""
        old = block.entry if block else None
        if text is None:
            return block.text if block and old and not old.value else ""
        if block is None or old is None:
            return new(entry.key, text, description)
        is_same = old.description.startswith(description)
        if is_same and text == old.value:
            return block.text
        return changed(block, text, None if is_same else description)

    return fill_template(blocks, catalogue.entries, lines_of, newline), warnings


def one_text(
    entry: Entry, warnings: list[str], files: str, *, is_known: bool
) -> str | None:
    """Return the text of a key; of a plural one the form ``other``, or else the last,
    with a warning, unless ``is_known`` (the file has the key) and it has just that."""
    value = entry.value
    if not isinstance(value, Mapping):
        return value
    text = value.get("other") or next(reversed([*value.values()]), None)
    if text and (not is_known or value.keys() != {"other"}):
        told = f"has only one text: {files} have no plural forms"
        warnings.append(f"{entry.key} {told}")
    return text

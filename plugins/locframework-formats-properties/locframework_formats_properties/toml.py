"""The format toml: tables of texts, and messages of go-i18n."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import (
    PLAIN_PART,
    PLURAL_FORMS,
    TREE_DEPTH,
    TREE_PATH,
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    WrittenFile,
    common_plural_forms,
    has_to_keep_path,
    in_order,
    kept_in,
    locale_tag,
    quoted,
    tree_place,
    unreadable,
    with_other,
)

from .sections import Dialect, Line, Path, Section, SectionFile

FAMILY, MESSAGE, DESCRIPTION, OTHER = "toml", "message", "description", "other"
_RESERVED = {*PLURAL_FORMS, "id", DESCRIPTION, "hash", "leftdelim", "rightdelim"}
_LONG = r"""\"{3}(?:[^"\\]|\\.|"(?!""))*+"{3,5}|'{3}(?:[^']|'(?!''))*+'{3,5}"""
_SHORT = r""""(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+'"""
_PART = re.compile(rf"[A-Za-z0-9_-]++|{_SHORT}")
_KEY = rf"(?:{_PART.pattern})(?:[ \t]*+\.[ \t]*+(?:{_PART.pattern}))*+"
_HEAD = re.compile(rf"\[(\[)?[ \t]*+({_KEY})[ \t]*+\]")
_START = re.compile(rf"[ \t]*+({_KEY})([ \t]*+=[ \t]*+)")
_TEXT = re.compile(f"{_LONG}|{_SHORT}", re.DOTALL)
_TOKEN = re.compile(rf"{_LONG}|#[^\n]*+|({_KEY})|[\[\]{{}}\n]", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u(.{4})|U(.{8})|([ \t]*\n\s*)|(.))", re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # not in comments
_LETTERS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_NAMES = {sign: f"\\{name}" for name, sign in _LETTERS.items()}
_SPECIAL = {
    '"': re.compile(r'["\\\x00-\x1f\x7f]'),
    '"""': re.compile(r'"(?="|\Z)|[\\\x00-\x08\x0b-\x1f\x7f]'),
}


def _parts(key: str) -> Path:
    parts = _PART.findall(key)
    if len(parts) > TREE_DEPTH:
        raise ValueError(f"it is nested deeper than {TREE_DEPTH}")
    return tuple(_plain(p, p[0]) if p[0] in "\"'" else p for p in parts)


def _plain(raw: str, quote: str) -> str:
    """The text in quotes."""
    text = raw[len(quote) : -len(quote)].replace("\r\n", "\n")
    text = text.removeprefix("\n") if len(quote) == 3 else text
    if "'" in quote or "\\" not in text:
        return text

    def plain(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        if code:
            return chr(int(code, 16))
        return _LETTERS.get(found[4], found[4]) if found[4] else ""

    return _ESCAPE.sub(plain, text)


def _raw(text: str, quote: str, newline: str) -> str:
    """The text as it may stand in these quotes."""
    if special := _SPECIAL.get(quote):
        text = special.sub(
            lambda found: (
                _NAMES.get(found[0])
                or (f"\\{found[0]}" if found[0] in '"\\' else f"\\u{ord(found[0]):04X}")
            ),
            text,
        )
    if len(quote) == 3 and "\n" in text:
        text = f"\n{text}".replace("\n", newline)
    return f"{quote}{text}{quote}"


class TomlLines(Dialect):
    """``key = "text"`` in ``[tables]``. Arrays of tables are left as they are."""

    marks = ("#",)
    style = (" = ", '"')

    def __init__(self, newline: str = "\n") -> None:
        self._arrays: set[Path] = set()
        self._newline = newline

    def head(self, line: str) -> Section | None:
        """``[table]`` or ``[[array]]``."""
        found = _HEAD.match(line)
        if found is None or found[2].count(".") >= TREE_DEPTH:
            return None
        path = _parts(found[2])
        if found[1]:
            self._arrays.add(path)
        is_kept = any(path[:at] in self._arrays for at in range(1, len(path) + 1))
        return Section(path, is_kept=is_kept)

    def new_head(self, path: Path) -> str:
        """``[table]``."""
        return f"[{'.'.join(map(self._name, path))}]"

    def line(self, text: str, at: int) -> Line:
        """The key and its text, on one or more lines."""
        found = _START.match(text, at)
        if found is None:
            raise ValueError("a key and = are expected here")
        path, start, separator = _parts(found[1]), found.end(), found[2]
        value = _TEXT.match(text, start)
        if value is None:
            return Line(path, None, start, self._end(text, start))
        raw = value[0]
        quote = raw[:3] if len(raw) > 5 and raw[:3] == raw[0] * 3 else raw[0]
        text = _plain(raw, quote)
        return Line(path, text, start, value.end(), (separator, quote))

    def tries(self, path: Path, separator: str, text: str, quote: str) -> Iterable[str]:
        """In these quotes, or else in plain ones."""
        name = ".".join(map(self._name, path))
        has_controls = "\r" in text or _CONTROLS.search(text)
        for each in ('"',) if has_controls and "'" in quote else (quote, '"'):
            yield f"{name}{separator}{_raw(text, each, self._newline)}"

    def _name(self, part: str) -> str:
        return part if PLAIN_PART.fullmatch(part) else _raw(part, '"', "")

    def _end(self, text: str, at: int) -> int:
        """Where a value ends that is no text."""
        depth = 0
        for token in _TOKEN.finditer(text, at):
            sign = token[0]
            depth += (sign in "[{") - (sign in "]}")
            if depth > TREE_DEPTH or (token[1] and _parts(token[1]) == ()):
                raise ValueError(f"it is nested deeper than {TREE_DEPTH}")
            if sign == "\n" and depth <= 0:
                return token.start()
        return len(text)


Members = Mapping[str, Entry | None]  # None: no text


def _tables(file: SectionFile) -> dict[Path, dict[str, Entry | None]]:
    """The members of each table."""
    tables: dict[Path, dict[str, Entry | None]] = {}
    heads = {one.path: None for one in file.sections if one.path}
    for path, entry in {**file.texts, **dict.fromkeys(file.others), **heads}.items():
        for at in range(len(path)):
            members = tables.setdefault(path[:at], {})
            members.setdefault(path[at], entry if at == len(path) - 1 else None)
    return tables


def _is_message(members: Members) -> bool:
    """Whether a table may be that of one key, as go-i18n has them."""
    is_one = all(members.values()) and _RESERVED.issuperset(map(str.lower, members))
    return is_one and any(form in members for form in PLURAL_FORMS)


class Toml:
    """A table in a table for each part of a key; one of plural forms is a plural.

    A table may have one text, ``other``, and a ``description``, as go-i18n has them;
    else comments above a key are its description. Lines of texts that do not differ
    stay, and so do quotes where they can. What has no place in the tables keeps its
    whole name at the top, with a warning.
    """

    info = FormatInfo(
        id="toml",
        name="TOML",
        extension=".toml",
        content_type="application/toml",
        comments=True,
        limits=(
            "a plural without the form other",
            "a key whose name begins another key",
        ),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether its name has a language: ``i18n/de.toml``, ``active.de.toml``."""
        names = re.split("[./]", file.name)[-3:-1]
        tags = [tag for each in names if (tag := locale_tag(each))]
        return self.info.is_name(file.name) and any(map(common_plural_forms, tags))

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        faults, text = Faults(), TextFile.of(file.content).text
        found = SectionFile(text, TomlLines(), faults)
        faults.raise_any()
        try:
            tomllib.loads(text)
        except ValueError as error:
            said, _, place = str(error).partition(" (at line ")
            line = int(place.partition(",")[0]) if place else text.count("\n") + 1
            raise unreadable(line, "syntax", said) from None
        separator, tables = options.key_separator, _tables(found)
        entries: dict[str, Entry] = {}
        messages: dict[Path, bool] = {}
        for path, leaf in found.texts.items():
            table, members = path[:-1], tables[path[:-1]]
            is_first = table not in messages
            if is_first:
                messages[table] = table != () and self._is_key(table, members, options)
            if messages[table] and not is_first:
                continue
            here = table if messages[table] else path
            entry = replace(leaf, key=separator.join(here))
            entry = self._entry(entry, members if messages[table] else {}, options)
            kept = dict(kept_in(entry.key_detail, FAMILY))
            if kept or has_to_keep_path(here, separator):
                kept[TREE_PATH] = list(here)
                entry = replace(entry, key_detail={FAMILY: kept})
            if entry.key in entries:
                told = f"{quoted(entry.key)} is there before"
                faults.add(leaf.line or 1, "duplicate", told)
            entries[entry.key] = entry
        faults.raise_any()
        return [Catalogue(None, [*entries.values()], warnings=faults.warnings)]

    def _is_key(self, table: Path, members: Members, options: FileOptions) -> bool:
        """Whether a table is one key, and its members are none."""
        separator = options.key_separator
        names = [separator.join((*table, name)) for name in members]
        is_known = options.plurals.get(separator.join(table))
        is_split = any(options.plurals.get(name) is False for name in names)
        has_other = OTHER in members or bool(is_known)
        return _is_message(members) and has_other and not is_split

    def _entry(self, entry: Entry, members: Members, options: FileOptions) -> Entry:
        """The key of a text, or of the members of a table."""
        known, code = options.plurals.get(entry.key), options.language_code
        found = {name: str(each.value) for name, each in members.items() if each}
        forms = in_order(found)
        if not members:
            return replace(entry, is_plural=bool(known))
        is_alone = known is None and code and common_plural_forms(code) == {OTHER}
        is_plural = bool(known or len(forms) > 1 or (is_alone and len(found) == 1))
        is_message = DESCRIPTION in found or not is_plural
        return replace(
            entry,
            value=forms if is_plural else forms.get(OTHER),
            is_plural=is_plural,
            description=found.get(DESCRIPTION, entry.description),
            key_detail={FAMILY: {MESSAGE: True}} if is_message else None,
        )

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        separator, file = options.key_separator, TextFile.of(catalogue.template or b"")
        old = SectionFile(file.text, TomlLines(file.newline), Faults())
        is_source = catalogue.language_code in (None, options.source_language)
        plurals = {e.key for e in catalogue.entries if isinstance(e.value, Mapping)}
        writing = _Leaves(old, separator, plurals, is_source=is_source)
        leaves = [leaf for entry in catalogue.entries for leaf in writing.of(entry)]
        entries = writing.placed(leaves)
        text, told = old.filled(
            replace(catalogue, entries=entries),
            options,
            lambda path: old.owners.get(path[:-1], path[:-1]),
            file.newline,
            "TOML files",
        )
        return WrittenFile(file.encoded(text), [*writing.warnings, *told])


class _Leaf(NamedTuple):
    key: str
    table: Path  # where the key stands
    names: Path  # below: a plural form, or none
    text: str | None
    description: str = ""


class _Leaves:
    """The texts of keys, and where they stand in a file."""

    def __init__(
        self, file: SectionFile, separator: str, plurals: set[str], *, is_source: bool
    ) -> None:
        self.warnings: list[str] = []
        self._plurals = plurals
        self._file, self._separator, self._is_source = file, separator, is_source
        self._paths = {separator.join(path): path for path in file.texts}
        self._messages = {
            separator.join(path): (path, members)
            for path, members in _tables(file).items()
            if path and _is_message(members)
        }
        self._are_messages = any(
            len(members) == 1 or DESCRIPTION in members
            for _, members in self._messages.values()
        )

    def of(self, entry: Entry) -> Iterator[_Leaf]:
        """The texts of a key."""
        key, value, description = entry.key, entry.value, entry.description
        plural, _, form = key.rpartition(self._separator)
        if form in PLURAL_FORMS and plural in self._plurals:
            told = f"is left out: it is a form of the plural {quoted(plural)}"
            self.warnings.append(f"{quoted(key)} {told}")
            return
        path = self._paths.get(key)
        place = tuple(map(str, tree_place(FAMILY, entry, self._separator)[0]))
        table, members = self._messages.get(key, (path or place, {}))
        is_message = self._are_messages or MESSAGE in kept_in(entry.key_detail, FAMILY)
        if isinstance(value, Mapping) and path and value.keys() == {OTHER}:
            value = value[OTHER]
        if not isinstance(value, Mapping) and not members and (path or not is_message):
            yield _Leaf(key, path or place, (), value, self._comment(entry))
            return
        if not value:
            yield from (_Leaf(key, table, (name,), None) for name in members)
            return
        forms = {OTHER: value} if isinstance(value, str) else in_order(value)
        if OTHER not in forms and not members:
            forms = with_other(key, forms, self.warnings)
        others = members.keys() - set(PLURAL_FORMS)
        notes = {
            name: str(e.value) for name, e in members.items() if e and name in others
        }
        has_comment = any(each.description for each in members.values() if each)
        if DESCRIPTION in notes or (is_message and description and not has_comment):
            notes |= {DESCRIPTION: description} if self._is_source else {}
        texts = notes | forms
        comment = "" if DESCRIPTION in notes else self._comment(entry)
        first = next(iter(members), next(iter(texts)))
        for name, text in texts.items():
            told = comment if name == first else ""
            yield _Leaf(key, table, (name,), text, told)

    def _comment(self, entry: Entry) -> str:
        """The description as comments may be."""
        comment = _CONTROLS.sub(" ", entry.description)
        if comment != entry.description:
            told = "loses control characters of its description"
            self.warnings.append(f"{entry.key} {told}")
        return comment

    def placed(self, leaves: Sequence[_Leaf]) -> list[Entry]:
        """Entries by their paths. What has no place has its whole name at the top."""
        texts, entries = self._file.texts, list[Entry]()
        known = [leaf for leaf in leaves if (*leaf.table, *leaf.names) in texts]
        known = [leaf for leaf in known if leaf.text is not None]
        taken = dict.fromkeys(self._file.others, "") | {e.table: e.key for e in known}
        empty = [
            s.path for s in self._file.sections if not any(b.key for b in s.blocks)
        ]
        above = {path[:at] for path in taken for at in range(1, len(path))}
        above |= {path[:at] for path in empty for at in range(1, len(path) + 1)}

        def fits(leaf: _Leaf, table: Path) -> bool:
            starts = {table[:at] for at in range(1, len(table))}
            is_free = table not in above and taken.keys().isdisjoint(starts)
            is_flat = len(table) + len(leaf.names) <= TREE_DEPTH
            return is_free and is_flat and taken.get(table, leaf.key) == leaf.key

        for leaf in leaves:
            table: Path | None = leaf.table
            if (*leaf.table, *leaf.names) not in texts and leaf.text:
                tables = (leaf.table, (leaf.key,))
                table = next((each for each in tables if fits(leaf, each)), None)
            if table != leaf.table:
                told = "keeps its whole name" if table else "is left out"
                why = "another key is in its place, or it is nested too deep"
                self.warnings.append(f"{quoted(leaf.key)} {told}: {why}")
            if table is None:
                continue
            if leaf.text:
                taken[table] = leaf.key
                above |= {table[:at] for at in range(1, len(table))}
            path = (*table, *leaf.names)
            key = "\0".join(path)
            entries.append(Entry(key, leaf.text, description=leaf.description))
        return entries

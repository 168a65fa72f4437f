"""The format ini: ``key = text`` in sections, as go-ini and OBS Studio read it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    Faults,
    FileOptions,
    FormatInfo,
    SourceFile,
    TextFile,
    WrittenFile,
    quoted,
)

from .sections import Dialect, Line, Path, Section, SectionFile

_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)  # what Go takes for white space
_QUOTES = ("", '"', "`", '"""')
_HEAD = re.compile(
    r"""[^\S\n]*+(?:("{3}|"|`)((?:(?!\1).)++)\1[^=:\n]*+|()([^"`=:\n][^=:\n]*+))"""
    r"[=:][ \t]*+"
)
_QUOTED = re.compile(r'("{3}|`)((?:(?:(?!\1)[^\n])*+\n)*+[^\n]*)\1')
_OBS_LINE = re.compile(
    r'[ \t]*+([^\s=#]++)="(?:((?:[^"\\\n]|\\[^\n])*+)"|([^\n]*?)"?(?=\r?(?:\n|\Z)))'
)
_NO_OBS = re.compile(r'^(?![ \t]*+(?:[#;]|[^\s="`#]++="|[^=\n\[]*+$))', re.MULTILINE)
_PLAIN = re.compile("[A-Za-z0-9_-]+")


class GoIni(Dialect):
    """As go-ini reads texts of Gitea: no comments behind them, ``\\;`` and ``\\#``."""

    def head(self, line: str) -> Section | None:
        """``[section]``."""
        has_head = line.startswith("[") and "]" in line
        return Section((line[1 : line.rindex("]")],)) if has_head else None

    def new_head(self, path: Path) -> str:
        """The same."""
        return f"[{path[0]}]"

    def line(self, text: str, at: int) -> Line:
        """``key = text`` or ``key: text``; either may be in quotes."""
        head = _HEAD.match(text, at)
        if head is None or not (name := (head[2] or head[4]).strip(_SPACES)):
            raise ValueError("a key and = are expected here")
        start, before = head.end(), head[0].rstrip(" \t")[:-1].rstrip(" \t")
        separator = head[0][len(before) :]
        if found := _QUOTED.match(text, start):
            style = separator, found[1]
            return Line((name,), found[2], start, found.end(), style)
        end = text.find("\n", start)
        raw = text[start : end if end >= 0 else None].rstrip(_SPACES)
        if raw.startswith(('"""', "`")):
            raise ValueError("the quote before the text is not closed")
        value, quote = raw.strip(_SPACES), raw.strip(_SPACES)[:1]
        if quote in ('"', "'") and value.find(quote, 1) == len(value) - 1 > 0:
            value = value[1:-1]
        else:
            value, quote = re.sub(r"\\([;#])", r"\1", value), ""
        return Line((name,), value, start, start + len(raw), (separator, quote))

    def tries(self, path: Path, separator: str, text: str, quote: str) -> Iterable[str]:
        """Keys and texts in each of the quotes."""
        for outer in _QUOTES:
            for inner in (quote, *_QUOTES):
                name = f"{outer}{path[0]}{outer}"
                yield f"{name}{separator}{inner}{text}{inner}"


class ObsIni(GoIni):
    """As OBS Studio reads texts: all in quotes, with escapes."""

    style = ("=", '"')
    _escapes = (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"), ('\\"', '"'))

    def head(self, line: str) -> Section | None:
        """None: there are no sections."""
        return None

    def line(self, text: str, at: int) -> Line:
        """``Key="text"``."""
        found = _OBS_LINE.match(text, at)
        if found is None:
            raise ValueError('Key="text" is expected here')
        value = found[2] or found[3] or ""
        for escape, sign in self._escapes:
            value = value.replace(escape, sign)
        start = found.end(1) + 1
        return Line((found[1],), value, start, found.end(), ("=", '"'))

    def tries(self, path: Path, separator: str, text: str, quote: str) -> Iterable[str]:
        """The one that may be."""
        for escape, sign in self._escapes:
            text = text.replace(sign, escape)
        yield f'{path[0]}="{text}"'


class Ini:
    """``key = text``, in ``[section]``s that begin the keys.

    Comments above a key are its description. Lines of texts that do not differ stay,
    and so do quotes where they can. Of OBS Studio's files, whose texts are all in
    quotes, a new language's have them too.
    """

    info = FormatInfo(
        id="ini",
        name="INI",
        extension=".ini",
        content_type="text/plain; charset=utf-8",
        comments=True,
        plurals=False,
        limits=("a text of several lines with a backquote and three quote marks",),
    )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the name ends with ``.ini``."""
        return self.info.is_name(file.name)

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile for lines that are no keys."""
        faults, separator = Faults(), options.key_separator
        found = _cut(TextFile.of(file.content).text, faults)
        entries: dict[str, Entry] = {}
        is_obs = isinstance(found.dialect, ObsIni)
        for path, entry in found.texts.items():
            key = separator.join(path)
            kept = {"path": list(path), "obs": is_obs}
            detail = {"ini": kept} if is_obs or path != _path(key, separator) else None
            if key in entries:
                told = f"{quoted(key)} is there in another section"
                faults.add(entry.line or 1, "duplicate", told)
            entries[key] = replace(entry, key=key, key_detail=detail)
        faults.raise_any()
        return [Catalogue(None, [*entries.values()], warnings=faults.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file. Descriptions are written in the source language."""
        [catalogue] = catalogues
        separator, file = options.key_separator, TextFile.of(catalogue.template or b"")
        old = _cut(file.text, Faults())
        known = {separator.join(path): path for path in old.texts}
        heads = {one.path[0] for one in old.sections if one.path} if known else None
        entries = []
        if not known and any(_kept(each).get("obs") for each in catalogue.entries):
            old.dialect, heads = ObsIni(), set()
        for entry in catalogue.entries:
            detail = _kept(entry)
            said = detail.get("path")
            path = known.get(entry.key) or tuple(said if isinstance(said, list) else ())
            if separator.join(path) != entry.key:
                path = _path(entry.key, separator, heads)
            entries.append(replace(entry, key="\0".join(path)))
        text, warnings = old.filled(
            replace(catalogue, entries=entries),
            options,
            lambda path: path[:-1],
            file.newline,
            "INI files",
        )
        return WrittenFile(file.encoded(text), warnings)


def _kept(entry: Entry) -> Mapping[str, object]:
    kept = (entry.key_detail or {}).get("ini")
    return kept if isinstance(kept, Mapping) else {}


def _cut(text: str, faults: Faults) -> SectionFile:
    is_obs = '="' in text and not _NO_OBS.search(text)
    return SectionFile(text, ObsIni() if is_obs else GoIni(), faults)


def _path(key: str, separator: str, heads: Collection[str] | None = None) -> Path:
    """The section of a key, if it has one, and its name there: the first part is the
    section in a new file, and the longest ``heads`` in another."""
    parts = key.split(separator)
    for at in range(len(parts) - 1, 0, -1):
        start = separator.join(parts[:at])
        if heads and start in heads:
            return start, separator.join(parts[at:])
    are_plain = len(parts) > 1 and all(map(_PLAIN.fullmatch, parts))
    is_flat = heads is not None and not heads
    return (key,) if is_flat or not are_plain else (parts[0], separator.join(parts[1:]))

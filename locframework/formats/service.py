"""Finds the format of a file, and calls formats so that none can break us."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import convert
from msgspec.structs import replace

from locframework.errors import (
    PLUGIN_EXCEPTIONS,
    PROBLEMS_LIMIT,
    FormatFailed,
    Problem,
    UnknownFormat,
    UnreadableFile,
    abbreviate,
    truncate,
)
from locframework.validation import nearest

from .archive import is_archive
from .format import Format
from .records import (
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    WrittenFile,
    family_of,
)

log = logging.getLogger("locframework.formats")


class Formats:
    """The file formats of this application, by id."""

    def __init__(
        self, formats: Mapping[str, Format], plugin_of: Callable[[str], str]
    ) -> None:
        self._formats = dict(sorted(formats.items()))
        self._infos = {
            id_: replace(
                format_.info,
                plugin=plugin_of(id_),
                family=family_of(format_.info),
                limits=format_.info.all_limits,
            )
            for id_, format_ in self._formats.items()
        }

    def list_formats(self) -> list[FormatInfo]:
        """Every format, by id, with the plugin that provides it."""
        return list(self._infos.values())

    def find(self, format_id: str) -> FormatInfo | None:
        """The format, or None if it is not installed any more or cannot be imported."""
        info = self._infos.get(format_id)
        return info if info is not None and info.can_import else None

    def to_read(self, format_id: str) -> FormatInfo:
        """The format, for import. Raises UnknownFormat."""
        info = self._find(format_id)
        if not info.can_import:
            raise UnknownFormat(f"the format {info.id} cannot be imported")
        return info

    def to_write(self, format_id: str) -> FormatInfo:
        """The format, for export and delivery. Raises UnknownFormat."""
        info = self._find(format_id)
        if not info.can_export:
            raise UnknownFormat(f"the format {info.id} cannot be exported")
        return info

    @property
    def readable(self) -> str:
        """The ids of all formats that can be imported, for a message."""
        return _listed(info for info in self._infos.values() if info.can_import)

    def is_archive(self, file: SourceFile) -> bool:
        """Whether the file is a ZIP archive of files; XLSX is one of no files."""
        extensions = tuple(info.extension for info in self._infos.values())
        return is_archive(file.content) and not file.name.lower().endswith(extensions)

    def recognize(self, file: SourceFile) -> list[FormatInfo]:
        """Every format that can be imported and takes the file for its own."""
        found: list[FormatInfo] = []
        for info in self._infos.values():
            try:
                if info.can_import and self._formats[info.id].recognizes(file):
                    found.append(info)
            except PLUGIN_EXCEPTIONS:
                log.exception(
                    "format %s of plugin %s failed to recognize a file",
                    info.id,
                    info.plugin,
                )
        return found

    def detect(self, file: SourceFile) -> FormatInfo:
        """The one format that takes the file for its own.

        Raises UnknownFormat when there is none, or several: then nothing is guessed.
        """
        found = self.recognize(file)
        name = truncate(file.name) or "the file"
        if not found:
            remedy = f"choose one with format: {self.readable}"
            if self.readable == "none":
                remedy = "no installed plugin reads files"
            raise UnknownFormat(f"no format recognizes {name}; {remedy}")
        if len(found) > 1:
            ids = ", ".join(info.id for info in found)
            raise UnknownFormat(f"{name} could be any of {ids}; choose one with format")
        return found[0]

    def read(
        self, format_id: str, file: SourceFile, options: FileOptions
    ) -> list[Catalogue]:
        """The file's catalogues. Raises UnknownFormat, UnreadableFile for all that is
        wrong with the file, 100 Problems at most, and FormatFailed for all that is
        wrong with the format's plugin."""
        info = self.to_read(format_id)
        try:
            return _checked(self._formats[info.id].read(file, options))
        except UnreadableFile as refusal:
            details = refusal.details
            if isinstance(details, list):
                problems = [each for each in details if isinstance(each, Problem)]
                details = problems[:PROBLEMS_LIMIT]
            raise UnreadableFile(str(refusal.message), details) from None
        except PLUGIN_EXCEPTIONS:
            log.exception("format %s of plugin %s failed", info.id, info.plugin)
            what = f"read {abbreviate(file.name) or 'the file'}"
            raise FormatFailed(info.id, info.plugin, what) from None

    def write(
        self, format_id: str, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with these catalogues.

        Raises UnknownFormat, and FormatFailed for all that is wrong with the format's
        plugin.
        """
        info = self.to_write(format_id)
        try:
            written = self._formats[info.id].write(catalogues, options)
            if not isinstance(written.content, bytes):  # convert reads text as base64
                raise TypeError(f"got {type(written.content).__name__} for bytes")
            "".join(convert(written.warnings, list[str])).encode()
            convert(written.charset, str | None)
            return written
        except PLUGIN_EXCEPTIONS:
            log.exception("format %s of plugin %s failed", info.id, info.plugin)
            raise FormatFailed(info.id, info.plugin, "write a file") from None

    def _find(self, format_id: str) -> FormatInfo:
        if format_id not in self._infos:
            there = _listed(self._infos.values())
            near = nearest(format_id, self._infos)
            hint = f"did you mean {near!r}? " if near else ""
            message = f"there is no format {truncate(format_id)!r}; {hint}available:"
            raise UnknownFormat(f"{message} {there}")
        return self._infos[format_id]


def _listed(infos: Iterable[FormatInfo]) -> str:
    return ", ".join(info.id for info in infos) or "none"


def _checked(found: list[Catalogue]) -> list[Catalogue]:
    """What a format has read. Raises TypeError or ValueError if it is something else.

    0.6 µs for an entry.
    """
    catalogues = convert(found, list[Catalogue])
    for catalogue in catalogues:
        said = (catalogue.language_code, catalogue.detail, catalogue.warnings)
        convert(said, tuple[str | None, Detail | None, list[str]])
        "".join(catalogue.warnings).encode()  # no lone surrogates
        if not isinstance(catalogue.entries, Sequence):
            raise TypeError(f"{truncate(repr(catalogue.entries))} is not a list")
        for entry in catalogue.entries:
            if not (
                type(entry) is Entry
                and type(entry.key) is type(entry.description) is str
                and type(entry.is_plural) is type(entry.needs_review) is bool
                and (entry.line is None or type(entry.line) is int)
                and (entry.max_length is None or type(entry.max_length) is int)
                and (entry.key_detail is None or isinstance(entry.key_detail, Mapping))
                and set(map(type, entry.format_flags)) <= {str}
                and (entry.detail is None or isinstance(entry.detail, Mapping))
                and (type(entry.value) is str or _is_text(entry.value))
                and (entry.source is None or _is_text(entry.source))
            ):
                raise TypeError(f"{truncate(repr(entry))} is not an entry")
    return catalogues


def _is_text(text: Text | None) -> bool:
    if isinstance(text, Mapping):
        return all(type(part) is str for item in text.items() for part in item)
    return text is None or type(text) is str

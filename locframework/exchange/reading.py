"""Reads an upload: the file or the archive, the format and language of each file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field

from locframework.errors import (
    LanguageNotInProject,
    Problem,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
    truncate,
)
from locframework.formats.archive import is_archive, read_archive
from locframework.formats.records import Catalogue, FormatInfo, SourceFile
from locframework.formats.rules import language_in_path
from locframework.formats.service import Formats
from locframework.keys.catalogues import options_of
from locframework.languages import canonical_tag
from locframework.projects.records import Project

from .records import ReadFile

Found = tuple[SourceFile, FormatInfo]


class Reading(Struct):
    """What is asked of an upload, and what was said while it was read."""

    project: Project
    languages: Collection[str]  # of the project
    format: str | None  # left out: every file's is detected
    language_code: str | None  # canonical and in the project, if named
    warnings: list[str]
    left_out: list[str] = field(default_factory=list)  # keys in other languages


class UploadReader:
    """Reads files that came in, with the formats there are."""

    def __init__(self, formats: Formats) -> None:
        self._formats = formats

    def read(self, file: SourceFile, reading: Reading) -> list[ReadFile]:
        """Every language of every file, archives taken apart.

        A language that is named wins over what a single file or its name says; of an
        archive or a multilingual file it chooses what is read. Raises UnknownFormat,
        UnreadableFile, LanguageNotInProject, and ValidationFailed for a file whose
        language nobody tells.
        """
        if not self._is_archive(file):
            info = self._format_of(file, reading)
            return list(self._read(file, info, reading, alone=True))
        found = list(self._in_archive(file, reading))
        if not found:
            there = self._formats.readable
            raise UnknownFormat(f"the archive holds no file of a known format: {there}")
        return [
            read
            for one, info in found
            for read in self._read(one, info, reading, alone=False)
        ]

    def _is_archive(self, file: SourceFile) -> bool:
        """Whether it is a ZIP, and not a format's own way of being one (XLSX)."""
        name = file.name.lower()
        own = (info.extension for info in self._formats.list_formats())
        return is_archive(file.content) and not name.endswith(tuple(own))

    def _format_of(self, file: SourceFile, reading: Reading) -> FormatInfo:
        if reading.format is not None:
            return self._formats.to_read(reading.format)
        return self._formats.detect(file)

    def _in_archive(self, archive: SourceFile, reading: Reading) -> Iterator[Found]:
        """The files that can be read; what is left out is told as a warning."""
        named = (
            None if reading.format is None else self._formats.to_read(reading.format)
        )
        for file in read_archive(archive.content):
            if named is None:
                known = bool(self._formats.recognize(file))
                if known:
                    yield file, self._formats.detect(file)
            else:
                known = file.name.lower().endswith(named.extension)
                if known:
                    yield file, named
            if not known:
                reading.warnings.append(
                    f"{truncate(file.name)} is not in a known format"
                )

    def _read(
        self, file: SourceFile, info: FormatInfo, reading: Reading, *, alone: bool
    ) -> Iterator[ReadFile]:
        in_path = language_in_path(file.name, reading.languages)
        hint = reading.language_code or in_path
        options = options_of(reading.project, hint)
        path = "" if alone else file.name
        try:
            catalogues = self._formats.read(info.id, file, options)
        except UnreadableFile as refusal:
            raise _named(refusal, path) from None
        for catalogue in catalogues:
            stated = _stated(catalogue)
            wanted = reading.language_code
            if wanted is not None and (info.multilingual or not alone):
                theirs = _first_known((stated, in_path), reading.languages) or wanted
                if theirs != wanted:
                    name = truncate(path) or "the file"
                    told = f"{name}: the texts in {theirs!r} were left out"
                    reading.warnings.append(told)
                    reading.left_out += [entry.key for entry in catalogue.entries]
                    continue
            elif wanted is not None and stated not in (None, wanted):
                reading.warnings.append(f"the file says that it is in {stated}")
            tag = wanted or _first_known((stated, in_path), reading.languages)
            yield ReadFile(path, info, _require(tag, path, reading), catalogue)


def require_language(tag: str, languages: Collection[str]) -> str:
    """The tag, if the project has it. Raises LanguageNotInProject."""
    if tag not in languages:
        raise LanguageNotInProject(f"the project has no language {tag!r}")
    return tag


def _require(tag: str | None, path: str, reading: Reading) -> str:
    if tag is None:
        file = truncate(path) or "the file"
        message = f"is required: {file} does not say its language"
        raise ValidationFailed.at("form.languageCode", "required", message)
    if tag not in reading.languages and path:
        message = f"{truncate(path)}: the project has no language {tag!r}"
        raise LanguageNotInProject(message)
    return require_language(tag, reading.languages)


def _named(refusal: UnreadableFile, path: str) -> UnreadableFile:
    """The refusal of one file among several: it says which, everywhere."""
    if not path:
        return refusal
    details = refusal.details
    if isinstance(details, list):
        details = [
            Problem(_at(path, each.path), each.rule, each.message) for each in details
        ]
    return UnreadableFile(_at(path, refusal.message), details)


def _at(path: str, told: str) -> str:
    name = truncate(path)
    if told.startswith(name):
        return told
    return f"{name} {told}" if told.startswith("line ") else f"{name}: {told}"


def _stated(catalogue: Catalogue) -> str | None:
    code = catalogue.language_code
    return None if code is None else canonical_tag(code)


def _first_known(tags: Sequence[str | None], languages: Collection[str]) -> str | None:
    """The first of the project's; with none of them, the first that is named."""
    named = [tag for tag in tags if tag is not None]
    return next((tag for tag in named if tag in languages), next(iter(named), None))

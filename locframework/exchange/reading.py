"""Reads an upload: files or archives, their formats and languages, into keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeGuard

from msgspec import Struct, field

from locframework.errors import (
    InvalidKey,
    LanguageNotInProject,
    LocError,
    Problem,
    Repeats,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
    abbreviate,
    code_meaning,
    truncate,
)
from locframework.formats.archive import is_archive, read_archive
from locframework.formats.records import (
    Entry,
    FormatInfo,
    SourceFile,
    Text,
)
from locframework.formats.rules import language_in_path
from locframework.formats.service import Formats
from locframework.keys.catalogues import family_of, options_of
from locframework.keys.records import DESCRIPTION_LENGTH
from locframework.keys.rules import check_key, check_text, texts_by_form
from locframework.languages import canonical_tag
from locframework.projects.records import Project

from .records import ImportBatch, ImportedDetail, ImportedKey, ReadFile

PROBLEMS_LIMIT = 100  # of a response

_SURROGATE = re.compile("[\ud800-\udfff]")


class Reading(Struct):
    """What to read of an upload, and what was left out."""

    project: Project
    languages: Collection[str]  # of the project
    format: str | None  # None: that of every file is detected
    language_code: str | None  # canonical and in the project, if named
    warnings: list[str]
    left_out: list[str] = field(default_factory=list)  # keys in other languages


class UploadReader:
    """Reads files with the installed formats."""

    def __init__(self, formats: Formats) -> None:
        self._formats = formats

    def read(self, file: SourceFile, reading: Reading) -> list[ReadFile]:
        """Return every language of every file, archives unpacked.

        A language that is named wins over what a single file or its name says; of an
        archive or a multilingual file it selects what is read. Raises UnknownFormat,
        UnreadableFile, LanguageNotInProject, and ValidationFailed for a file without
        a language.
        """
        name = file.name.lower()
        extensions = tuple(info.extension for info in self._formats.list_formats())
        chosen = None
        if reading.format is not None:
            chosen = self._formats.to_read(reading.format)
        if not is_archive(file.content) or name.endswith(extensions):  # as XLSX does
            info = chosen or self._formats.detect(file)
            return list(self._read(file, info, reading, alone=True))
        found: list[ReadFile] = []
        is_known = False
        for one in read_archive(file.content):
            detected = self._format_in_archive(one, chosen)
            if detected is None:
                warning = f"{truncate(one.name)} is not in a known format"
                reading.warnings.append(warning)
            else:
                is_known = True
                found += self._read(one, detected, reading, alone=False)
        if not is_known:
            formats = self._formats.readable
            message = f"the archive holds no file of a known format: {formats}"
            raise UnknownFormat(message)
        return found

    def _format_in_archive(
        self, file: SourceFile, chosen: FormatInfo | None
    ) -> FormatInfo | None:
        if chosen is not None:
            return chosen if file.name.lower().endswith(chosen.extension) else None
        return self._formats.detect(file) if self._formats.recognize(file) else None

    def _read(
        self, file: SourceFile, info: FormatInfo, reading: Reading, *, alone: bool
    ) -> Iterator[ReadFile]:
        in_path = language_in_path(file.name, reading.languages)
        wanted = reading.language_code
        options = options_of(reading.project, wanted or in_path)
        path = "" if alone else file.name
        try:
            catalogues = self._formats.read(info.id, file, options)
        except UnreadableFile as refusal:
            raise _named(refusal, path) from None
        for catalogue in catalogues:
            stated = canonical_tag(catalogue.language_code or "")
            if wanted is not None and (info.multilingual or not alone):
                code = _first_known((stated, in_path), reading.languages) or wanted
                if code != wanted:
                    name = truncate(path) or "the file"
                    warning = f"{name}: the texts in {code!r} were left out"
                    reading.warnings.append(warning)
                    reading.left_out += [entry.key for entry in catalogue.entries]
                    continue
            elif wanted is not None and stated not in (None, wanted):
                reading.warnings.append(f"the file says that it is in {stated}")
            tag = wanted or _first_known((stated, in_path), reading.languages)
            yield ReadFile(path, info, _require(tag, path, reading), catalogue)


def require_language(tag: str, languages: Collection[str]) -> str:
    """Return the tag if the project has it. Raises LanguageNotInProject."""
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
    """Return the refusal with the path of its file, if there are several."""
    if not path:
        return refusal
    details = refusal.details
    if isinstance(details, list):
        details = [
            Problem(_at(path, each.path), each.rule, each.message) for each in details
        ]
    return UnreadableFile(_at(path, refusal.message), details)


def _at(path: str, message: str) -> str:
    name = truncate(path)
    if message.startswith(name):
        return message
    separator = " " if message.startswith("line ") else ": "
    return f"{name}{separator}{message}"


def _first_known(tags: Sequence[str | None], languages: Collection[str]) -> str | None:
    """Return the first that the project has, else the first."""
    named = [tag for tag in tags if tag is not None]
    return next((tag for tag in named if tag in languages), next(iter(named), None))


def collect_keys(
    files: Sequence[ReadFile],
    project: Project,
    *,
    module: str | None,
    warnings: Sequence[str] = (),
    left_out: Sequence[str] = (),
) -> ImportBatch:
    """Return every key of the files once, sorted by name: steps of a large import then
    change fewer pages of the indexes.

    ``module`` is put before the keys that do not begin with it; ``left_out`` are keys
    that the upload has in languages which are not imported. A text without plural
    forms is the form ``other`` of a key that is plural elsewhere in the files. Raises
    InvalidKey, or UnreadableFile, with a Problem for each fault, 100 at most.
    """
    collector = _Collector(project.key_separator, module)
    for file in sorted(files, key=lambda f: f.language_code != project.source_language):
        collector.add_file(file)
    collector.raise_any()
    named = {under_module(key, module, project.key_separator) for key in left_out}
    return ImportBatch(
        keys=[collector.keys[name] for name in sorted(collector.keys)],
        files=collector.files,
        warnings=[*warnings, *collector.warnings],
        left_out=sorted(named - collector.keys.keys()),
    )


def under_module(key: str, module: str | None, separator: str) -> str:
    """Return the key below ``module``, where it may be already."""
    if module is None or key.startswith(f"{module}{separator}"):
        return key
    return f"{module}{separator}{key}"


class _Collector:
    """The keys so far, and the problems."""

    def __init__(self, separator: str, module: str | None) -> None:
        self.keys: dict[str, ImportedKey] = {}
        self.files: list[ImportedDetail] = []
        self.warnings: list[str] = []
        self._separator = separator
        self._module = module
        self._problems: list[Problem] = []
        self._repeats = Repeats()

    def add_file(self, file: ReadFile) -> None:
        family, catalogue = family_of(file.format.id), file.catalogue
        self.warnings += [_at_path(file.path, each) for each in catalogue.warnings]
        if catalogue.detail is not None:
            detail = ImportedDetail(family, file.language_code, catalogue.detail)
            self.files.append(detail)
        for entry in catalogue.entries:
            name = under_module(entry.key, self._module, self._separator)
            try:
                self._add(file, family, name, entry)
            except LocError as fault:
                self._note(file, entry, fault)
                if len(self._problems) >= PROBLEMS_LIMIT:
                    return

    def raise_any(self) -> None:
        """Raise InvalidKey or UnreadableFile if there are problems."""
        if not self._problems:
            return
        first, count = self._problems[0], len(self._problems)
        more = "" if count == 1 else f" (and {count - 1} more)"
        message = truncate(f"{first.path}: {first.message}{more}")
        if any(problem.rule == "key" for problem in self._problems):
            raise InvalidKey(message, self._problems)
        raise UnreadableFile(message, self._problems)

    def _add(self, file: ReadFile, family: str, name: str, entry: Entry) -> None:
        key = self.keys.get(name)
        if key is None:
            check_key(name, self._separator)
            key = self.keys[name] = ImportedKey(name)
        for text in (entry.value, entry.source):
            if text:
                _check_text(text)
        _check_characters(entry.description)
        _add(key, file.language_code, family, entry)

    def _note(self, file: ReadFile, entry: Entry, fault: LocError) -> None:
        place = f"line {entry.line}" if entry.line else f"key {abbreviate(entry.key)}"
        rule = "key" if isinstance(fault, InvalidKey) else "text"
        if isinstance(fault, _Duplicate):
            rule = "duplicate"
        message = fault.message
        times = 1 if self._problems else 2  # the message repeats the first
        if not self._repeats.allow(message * times, [entry.key]):
            message = code_meaning(fault)
        problem = Problem(_at_path(file.path, place, ""), rule, message)
        if len(self._problems) < PROBLEMS_LIMIT:
            self._problems.append(problem)


def _add(key: ImportedKey, language_code: str, family: str, entry: Entry) -> None:
    """Add what one file has of the key."""
    value = _not_empty(entry.value)
    if value is not None:
        if key.values.setdefault(language_code, value) != value:
            raise _Duplicate(
                f"key {abbreviate(key.name)!r} has another text before; import files"
                " that share keys one by one, each with its own module"
            )
        if entry.needs_review:
            key.review = tuple(dict.fromkeys((*key.review, language_code)))
    key.is_plural |= entry.is_plural or _has_forms(value)
    key.description = key.description or entry.description[:DESCRIPTION_LENGTH]
    key.source = key.source or _not_empty(entry.source)
    if entry.key_detail is not None:
        _add_detail(key, ImportedDetail(family, "", entry.key_detail))
    if entry.detail is not None:
        _add_detail(key, ImportedDetail(family, language_code, entry.detail))


def _add_detail(key: ImportedKey, new: ImportedDetail) -> None:
    """The first one of a place stays."""
    for old in key.details:
        if (old.family, old.language_code) == (new.family, new.language_code):
            return
    key.details += (new,)


class _Duplicate(LocError):
    """A key has two texts in one language."""


def _not_empty(text: Text | None) -> Text | None:
    """The text, or its forms that are not empty; None when nothing is left."""
    if _has_forms(text):
        return {form: one for form, one in text.items() if one} or None
    return text or None


def _has_forms(text: Text | None) -> TypeGuard[Mapping[str, str]]:
    # not isinstance() of Mapping: that takes ten times as long for a plain text
    return text is not None and not isinstance(text, str)


def _check_text(text: Text) -> None:
    if isinstance(text, str):
        check_text(text, "the text")
        _check_characters(text)
        return
    forms = texts_by_form(text, is_plural=True, path="the text")
    for one in forms.values():
        _check_characters(one)


def _check_characters(text: str) -> None:
    if "\0" in text or (not text.isascii() and _SURROGATE.search(text)):
        raise UnreadableFile("a text holds U+0000 or half a surrogate pair")


def _at_path(path: str, what: str, colon: str = ":") -> str:
    return f"{path}{colon} {what}" if path else what

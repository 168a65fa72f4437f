"""Reads an upload: files or archives, their formats and languages, into keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeGuard

from locframework.errors import (
    PROBLEMS_LIMIT,
    InvalidKey,
    LanguageNotInProject,
    LocError,
    Problem,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
    abbreviate,
    truncate,
)
from locframework.formats.archive import is_archive, read_archive
from locframework.formats.records import Entry, FormatInfo, SourceFile, Text
from locframework.formats.rules import language_in_path
from locframework.formats.service import Formats
from locframework.keys.catalogues import family_of, options_of
from locframework.keys.records import DESCRIPTION_LENGTH
from locframework.keys.rules import check_key, check_texts
from locframework.languages import canonical_tag, match_language, same_language
from locframework.projects.records import Project

from .records import ImportBatch, ImportedDetail, ImportedFile, ImportedKey, ReadFile

_SURROGATE = re.compile("[\ud800-\udfff]")


class UploadReader:
    """Reads one upload with the installed formats.

    ``languages`` are those of the project. ``format_`` None: detected for each file.
    ``language_code`` is canonical and in the project, or None.
    """

    def __init__(
        self,
        formats: Formats,
        project: Project,
        languages: Collection[str],
        format_: str | None,
        language_code: str | None,
    ) -> None:
        self._formats = formats
        self._project = project
        self._languages = frozenset(languages)
        self._format = None if format_ is None else formats.to_read(format_)
        self._language_code = language_code
        self.warnings: list[str] = []
        self.left_out: list[str] = []
        """Keys in languages that are not imported."""
        self.files: list[ImportedFile] = []

    def read(self, file: SourceFile) -> list[ReadFile]:
        """Return every language of every file, archives unpacked.

        A language that is named wins over what a single file or its name says; of an
        archive or a multilingual file it selects what is read. Raises UnknownFormat,
        UnreadableFile, LanguageNotInProject, and ValidationFailed for a file without
        a language; of an archive with a Problem for each, the first hundred of all.
        """
        name = file.name.lower()
        extensions = tuple(info.extension for info in self._formats.list_formats())
        if not is_archive(file.content) or name.endswith(extensions):  # as XLSX does
            info = self._format or self._formats.detect(file)
            return list(self._read(file, info, ""))
        found: list[ReadFile] = []
        refusals: list[LocError] = []
        is_known = False
        for one in read_archive(file.content):
            detected = self._format_in_archive(one)
            if detected is None:
                self.warnings.append(f"{truncate(one.name)} is not in a known format")
                continue
            is_known = True
            try:
                found += self._read(one, detected, one.name)
            except (UnreadableFile, LanguageNotInProject, ValidationFailed) as refusal:
                refusals.append(refusal)
        if refusals:
            raise _all_of(refusals)
        if not is_known:
            formats = self._formats.readable
            message = f"the archive holds no file of a known format: {formats}"
            raise UnknownFormat(message)
        return found

    def _format_in_archive(self, file: SourceFile) -> FormatInfo | None:
        if self._format is not None:
            is_named = file.name.lower().endswith(self._format.extension)
            return self._format if is_named else None
        return self._formats.detect(file) if self._formats.recognize(file) else None

    def _read(
        self, file: SourceFile, info: FormatInfo, path: str
    ) -> Iterator[ReadFile]:
        in_path = language_in_path(file.name, self._languages)
        wanted = self._language_code
        options = options_of(self._project, wanted or in_path)
        try:
            catalogues = self._formats.read(info.id, file, options)
        except UnreadableFile as refusal:
            raise _with_path(refusal, path) from None
        name = truncate(path) or "the file"
        for catalogue in catalogues:
            stated = canonical_tag(catalogue.language_code or "")
            tag = self._language_of(stated, in_path)
            if wanted is not None and (info.multilingual or path):
                if tag not in (None, wanted):
                    self.warnings.append(f"{name}: the texts in {tag!r} were left out")
                    self.left_out += [entry.key for entry in catalogue.entries]
                    continue
            elif wanted is not None and stated not in (None, wanted):
                self.warnings.append(f"the file says that it is in {stated}")
            tag = wanted or tag
            if tag is None:
                message = f"is required: {name} does not say its language"
                raise ValidationFailed.at("form.languageCode", "required", message)
            require_language(tag, self._languages, path)
            if wanted is None and stated and not same_language(stated, tag):
                message = f"{name} says that it is in {stated}; by its path it is {tag}"
                self.warnings.append(message)
            self.files.append(
                ImportedFile(
                    path=truncate(path or file.name),
                    format=info.id,
                    language_code=tag,
                    keys=len({entry.key for entry in catalogue.entries}),
                    texts=sum(_text_count(entry.value) for entry in catalogue.entries),
                )
            )
            yield ReadFile(path, info, tag, catalogue)

    def _language_of(self, stated: str | None, in_path: str | None) -> str | None:
        """Return the language of texts by what their file says and by its path.

        The file comes first, unless its path says the same more exactly (``sr`` in
        ``sr@latin.po``) or is a language of the project where the file's is spelled in
        another way (``Language: en_US``, left over from a template, in ``de/``).
        """
        known = self._languages
        by_path = in_path if in_path in known else None
        if stated is None:
            return in_path
        if by_path is not None and by_path.startswith(f"{stated}-"):
            return by_path
        if stated in known:
            return stated
        return by_path or match_language(stated, known) or stated


def _text_count(value: Text | None) -> int:
    """Return the number of texts of an entry that are not empty: of plural ones, one a
    form."""
    texts = value.values() if isinstance(value, dict) else (value,)
    return sum(1 for text in texts if text)


def _all_of(refusals: Sequence[LocError]) -> LocError:
    """Return the refusal of an archive, with the problems of all its files."""
    order = (UnreadableFile, LanguageNotInProject, ValidationFailed)
    ordered = sorted(refusals, key=lambda one: order.index(type(one)))
    return type(ordered[0]).of([each for one in ordered for each in _problems_of(one)])


def _problems_of(refusal: LocError) -> list[Problem]:
    details = refusal.details
    told = Problem("", "content", refusal.message)
    return details if isinstance(details, list) else [told]


def require_language(tag: str, languages: Collection[str], path: str = "") -> None:
    """Raise LanguageNotInProject, with the path of a file, if it is not there."""
    if tag not in languages:
        message = f"the project has no language {tag!r}"
        problem = Problem(truncate(path) or "form.file", "language", message)
        raise LanguageNotInProject(_at(truncate(path), message), [problem])


def _with_path(refusal: UnreadableFile, path: str) -> UnreadableFile:
    """Return the refusal of a file in an archive with its path."""
    if not path:
        return refusal
    name = truncate(path)
    problems = []
    for each in _problems_of(refusal):
        is_named = each.path.startswith(name)
        place = each.path if is_named else f"{name} {each.path}".rstrip()
        problems.append(Problem(place, each.rule, each.message))
    return UnreadableFile.of(problems)


def collect_keys(
    files: Sequence[ReadFile],
    project: Project,
    *,
    module: str | None,
    warnings: Sequence[str] = (),
    left_out: Sequence[str] = (),
    sources: Sequence[ImportedFile] = (),
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
        sources=list(sources),
    )


def under_module(key: str, module: str | None, separator: str) -> str:
    """Return the key below ``module``, where it may be already."""
    if module is None or key.startswith(f"{module}{separator}"):
        return key
    return f"{module}{separator}{key}"


class _Collector:
    def __init__(self, separator: str, module: str | None) -> None:
        self.keys: dict[str, ImportedKey] = {}
        self.files: list[ImportedDetail] = []
        self.warnings: list[str] = []
        self._separator = separator
        self._module = module
        self._problems: list[Problem] = []

    def add_file(self, file: ReadFile) -> None:
        family, catalogue = family_of(file.format.id), file.catalogue
        self.warnings += [_at(file.path, each) for each in catalogue.warnings]
        if catalogue.detail is not None:
            detail = ImportedDetail(family, file.language_code, catalogue.detail)
            self.files.append(detail)
        for entry in catalogue.entries:
            try:
                self._add(entry, file.language_code, family)
            except LocError as fault:
                self._note(file, entry, fault)
                if len(self._problems) >= PROBLEMS_LIMIT:
                    return

    def raise_any(self) -> None:
        """Raise InvalidKey or UnreadableFile if there are problems."""
        if any(problem.rule == "key" for problem in self._problems):
            raise InvalidKey.of(self._problems)
        if self._problems:
            raise UnreadableFile.of(self._problems)

    def _add(self, entry: Entry, language_code: str, family: str) -> None:
        name = under_module(entry.key, self._module, self._separator)
        key = self.keys.get(name)
        if key is None:
            check_key(name, self._separator)
            key = self.keys[name] = ImportedKey(name)
        for text in (entry.value, entry.source):
            if text:
                _check_text(text)
        _check_characters(entry.description)
        value = _not_empty(entry.value)
        if value is not None:
            if key.values.setdefault(language_code, value) != value:
                raise _Duplicate(
                    f"key {abbreviate(name)!r} has another text before; import files"
                    " that share keys one by one, each with its own module"
                )
            if entry.needs_review and language_code not in key.review:
                key.review += (language_code,)
        key.is_plural |= entry.is_plural or _has_forms(value)
        key.description = key.description or entry.description[:DESCRIPTION_LENGTH]
        key.source = key.source or _not_empty(entry.source)
        for code, detail in (("", entry.key_detail), (language_code, entry.detail)):
            if detail is None:
                continue
            places = [(each.family, each.language_code) for each in key.details]
            if (family, code) not in places:  # the first one stays
                key.details += (ImportedDetail(family, code, detail),)

    def _note(self, file: ReadFile, entry: Entry, fault: LocError) -> None:
        if len(self._problems) >= PROBLEMS_LIMIT:
            return
        place = f"line {entry.line}" if entry.line else f"key {abbreviate(entry.key)}"
        rule = "key" if isinstance(fault, InvalidKey) else "text"
        if isinstance(fault, _Duplicate):
            rule = "duplicate"
        path = f"{file.path} {place}" if file.path else place
        self._problems.append(Problem(path, rule, fault.message))


class _Duplicate(LocError):
    """A key has two texts in one language."""


def _not_empty(text: Text | None) -> Text | None:
    """Return the text, or its forms that are not empty; None if nothing is left."""
    if _has_forms(text):
        return {form: one for form, one in text.items() if one} or None
    return text or None


def _has_forms(text: Text | None) -> TypeGuard[Mapping[str, str]]:
    # not isinstance() of Mapping: that takes ten times as long for a plain text
    return text is not None and not isinstance(text, str)


def _check_text(text: Text) -> None:
    check_texts(text, "the text")
    for one in (text,) if isinstance(text, str) else text.values():
        _check_characters(one)


def _check_characters(text: str) -> None:
    if "\0" in text or (not text.isascii() and _SURROGATE.search(text)):
        raise UnreadableFile("a text holds U+0000 or half a surrogate pair")


def _at(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message

"""Reads an upload: files or archives, their formats and languages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from locframework.errors import (
    FormatFailed,
    LanguageNotInProject,
    LocError,
    Problem,
    UnknownFormat,
    UnreadableFile,
    ValidationFailed,
    truncate,
)
from locframework.formats.archive import read_archive
from locframework.formats.records import Entry, FormatInfo, SourceFile
from locframework.formats.rules import (
    is_neutral,
    language_in_path,
    languages_at_end,
)
from locframework.formats.service import Formats
from locframework.keys.catalogues import family_of, options_of
from locframework.languages import canonical_tag, match_language, same_language
from locframework.projects.records import Project

from .modules import module_parts, name_in_project
from .records import (
    ImportOptions,
    ReadFile,
    SkippedFile,
)

NO_FORMATS: Mapping[str, str] = {}
_REFUSALS = (
    FormatFailed,
    UnreadableFile,
    LanguageNotInProject,
    ValidationFailed,
    UnknownFormat,
)


class UploadReader:
    """Reads one upload with the installed formats.

    ``languages`` are those of the project. ``language_code`` is canonical and in the
    project, or None. ``plurals`` returns whether keys of the project are plural, as
    files call them. ``known_formats``: those of files that were imported, by family.
    """

    def __init__(
        self,
        formats: Formats,
        project: Project,
        languages: Collection[str],
        options: ImportOptions,
        language_code: str | None,
        plurals: Callable[[], Mapping[str, bool]] = dict,
        known_formats: Mapping[str, str] = NO_FORMATS,
    ) -> None:
        self._formats = formats
        self._project = project
        self._languages = frozenset(languages)
        self._options = options
        self._format = (
            None if options.format is None else formats.to_read(options.format)
        )
        self._language_code = language_code
        self._known_plurals = plurals
        self._known_formats = known_formats
        self.plurals: dict[str, bool] | None = None
        """Whether keys are plural; None: no format asked."""
        self.warnings: list[str] = []
        self.left_out: list[str] = []
        """Keys in languages that are not imported."""
        self.skipped: list[SkippedFile] = []
        self.added: list[str] = []
        """Languages that the project lacks and that are to be added."""
        self._beginnings: set[str] = set()
        self.paths: set[str] = set()
        """Of all files, also those that are left out."""

    def read(self, file: SourceFile) -> list[ReadFile]:
        """Return every language of every file, archives unpacked.

        Files of the source language are read first: they decide what is plural. A
        language that is named wins over what a single file or its name says; of an
        archive or a multilingual file it selects what is read. Raises UnknownFormat,
        UnreadableFile, LanguageNotInProject, and ValidationFailed for a file without
        a language; of an archive with a Problem for each, the first hundred of all,
        unless they are to be skipped.
        """
        if not self._formats.is_archive(file):
            info = self._format or self._as_before(self._formats.detect(file))
            self.paths = {file.name}
            return list(self._read(file, info, ""))
        archive = list(read_archive(file.content))
        self.paths = {each.name for each in archive}
        self._beginnings = {
            beginning
            for each in archive
            for beginning, tag in languages_at_end(each.name)
            if match_language(tag, self._languages) is not None
        }
        files = self._files_of(archive)
        found: list[ReadFile] = []
        refusals: list[LocError] = []
        source = self._project.source_language
        for one, info in sorted(
            files, key=lambda pair: self._in_path(pair[0]) != source
        ):
            try:
                found += self._read(one, info, one.name)
            except _REFUSALS as refusal:
                self._refuse(one, refusal, refusals)
        found = self._without_templates(self._without_doubles(found, refusals))
        if refusals and (not found or self._options.on_unreadable == "fail"):
            raise _all_of(refusals)
        if not found:
            formats = self._formats.readable
            message = f"the archive holds no file of a known format: {formats}"
            raise UnknownFormat(message)
        return found

    def _files_of(
        self, files: Sequence[SourceFile]
    ) -> list[tuple[SourceFile, FormatInfo]]:
        """Return the files of an archive with their formats, of each family one for
        files that are named alike: a ``.pot`` is no ``.po``."""
        found: list[tuple[SourceFile, FormatInfo]] = []
        for file in files:
            if self._format is not None:
                is_named = self._format.is_name(file.name)
                infos = [self._format] if is_named else []
            else:
                infos = self._formats.recognize(file)
            if len(infos) == 1:
                found.append((file, infos[0]))
            elif infos:
                self._formats.detect(file)  # says that several recognize it
            else:
                self._skip(file, "is not in a known format")
                name = truncate(file.name)
                self.warnings.append(f"{name} is not in a known format")
        best: dict[tuple[str, str], FormatInfo] = {}
        for _, info in found:
            known = best.setdefault(_kind(info), self._as_before(info))
            if known.precedence < info.precedence:
                best[_kind(info)] = info
        return [(file, best[_kind(info)]) for file, info in found]

    def _as_before(self, info: FormatInfo) -> FormatInfo:
        """Return the format, or the one of its family that files of the project had: a
        file without plurals does not tell how others write them."""
        known = self._known_formats.get(family_of(info))
        before = None if known is None else self._formats.find(known)
        if before is None or _kind(before) != _kind(info):
            return info
        return before if before.precedence > info.precedence else info

    def _without_doubles(
        self, files: Sequence[ReadFile], refusals: list[LocError]
    ) -> list[ReadFile]:
        """Return the files without those that are another one's by path and language:
        ``pt-BR/app.json`` and ``pt_BR/app.json``. The first one stays."""
        first: dict[tuple[str, str, tuple[str, ...]], ReadFile] = {}
        found = []
        for file in files:
            place = file.format.id, file.language_code, module_parts(file)
            other = first.setdefault(place, file)
            if other.path == file.path:
                found.append(file)
            else:
                self._refuse(file.file, _same_place(file, other), refusals)
        return found

    def _without_templates(self, files: Sequence[ReadFile]) -> list[ReadFile]:
        """Return the files without those whose keys stand in one that names the same
        language in its path, and is called otherwise: ``app.pot`` beside ``en.po``."""
        paths = {
            (file.language_code, entry.key, family_of(file.format)): file
            for file in files
            if self._in_path(file.file)
            for entry in file.catalogue.entries
        }
        found = []
        for file in files:
            place = family_of(file.format)
            keys = [] if self._in_path(file.file) else file.catalogue.entries
            others = (paths.get((file.language_code, e.key, place)) for e in keys)
            other = next(filter(None, others), file)
            if _kind(other.format) == _kind(file.format):
                found.append(file)
            else:
                message = f"is left out beside {truncate(other.path)}"
                self._skip(file.file, message)
                self.warnings.append(f"{truncate(file.path)} {message}")
        return found

    def _refuse(
        self, file: SourceFile, refusal: LocError, refusals: list[LocError]
    ) -> None:
        if self._options.on_unreadable == "skip":
            self._skip(file, str(refusal.message))
        refusals.append(refusal)

    def _skip(self, file: SourceFile, message: str) -> None:
        self.skipped.append(SkippedFile(truncate(file.name), truncate(message)))

    def _in_path(self, file: SourceFile) -> str | None:
        """Return the language of a path. One to be added may also be at the end of a
        name that begins as that of a file in a language of the project."""
        found = language_in_path(file.name, self._languages)
        if found is None and is_neutral(file.name):
            found = self._project.source_language
        if found is None and self._options.add_languages:
            ends = languages_at_end(file.name)
            known = (tag for begin, tag in ends if begin in self._beginnings)
            found = next(known, None)
        return found

    def _read(
        self, file: SourceFile, info: FormatInfo, path: str
    ) -> Iterator[ReadFile]:
        in_path = self._in_path(file)
        wanted = self._language_code
        has_plurals = info.plurals and not info.source_texts
        if has_plurals and self.plurals is None:
            self.plurals = dict(self._known_plurals())
        options = options_of(self._project, wanted or in_path, plurals=self.plurals)
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
                    left_out = ReadFile(
                        path, info, tag, catalogue, file, self._options.module, True
                    )
                    self.left_out += [
                        name_in_project(entry.key, left_out, options.key_separator)
                        for entry in catalogue.entries
                    ]
                    continue
            elif wanted is not None and stated not in (None, wanted):
                self.warnings.append(f"the file says that it is in {stated}")
            tag = wanted or tag
            if tag is None:
                message = f"is required: {name} does not say its language"
                raise ValidationFailed.at("form.languageCode", "required", message)
            self._require(tag, path)
            if wanted is None and stated and not same_language(stated, tag):
                message = f"{name} says that it is in {stated}; by its path it is {tag}"
                self.warnings.append(message)
            if self.plurals is not None and has_plurals:
                self._note_plurals(tag, self.plurals, catalogue.entries)
            yield ReadFile(path, info, tag, catalogue, file)

    def _require(self, tag: str, path: str) -> None:
        if self._options.add_languages and tag not in self._languages:
            if tag not in self.added:
                self.added.append(tag)
            return
        require_language(tag, self._languages, path)

    def _note_plurals(
        self, tag: str, plurals: dict[str, bool], entries: Sequence[Entry]
    ) -> None:
        """Remember which keys are plural, for the files that are read later."""
        for entry in entries:
            if tag == self._project.source_language:
                plurals[entry.key] = entry.is_plural
            elif entry.is_plural:
                plurals.setdefault(entry.key, True)

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
        if self._options.add_languages and not _same(stated, known):
            return by_path or stated
        return by_path or match_language(stated, known) or stated


def _kind(info: FormatInfo) -> tuple[str, str]:
    return family_of(info), info.extension


def _same(tag: str, known: frozenset[str]) -> bool:
    """Whether the code is equal to a known one by its likely script and region."""
    return any(same_language(tag, one) for one in known)


def _all_of(refusals: Sequence[LocError]) -> LocError:
    """Return the refusal of an archive, with the problems of all its files; that of a
    format that failed is alone."""
    order = _REFUSALS
    ordered = sorted(refusals, key=lambda one: order.index(type(one)))
    if isinstance(ordered[0], FormatFailed):
        return ordered[0]
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
        raise LanguageNotInProject(
            f"{truncate(path)}: {message}" if path else message, [problem]
        )


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


def _same_place(file: ReadFile, other: ReadFile) -> UnreadableFile:
    message = f"is in {file.language_code}, as {truncate(other.path)}; send one of them"
    return UnreadableFile.of([Problem(truncate(file.path), "language", message)])

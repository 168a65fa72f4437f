"""Reads an upload: files or archives, their formats and languages, into keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Literal, TypeGuard

from msgspec.structs import replace

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
from locframework.formats.archive import read_archive
from locframework.formats.records import Entry, FormatInfo, SourceFile, Text
from locframework.formats.rules import (
    language_in_path,
    languages_at_end,
    module_path,
)
from locframework.formats.service import Formats
from locframework.keys.catalogues import family_of, options_of
from locframework.keys.records import DESCRIPTION_LENGTH, VALUE_BYTES
from locframework.keys.rules import (
    check_key,
    check_texts,
    is_legal_key,
    is_too_long,
    legal_key,
)
from locframework.languages import canonical_tag, match_language, same_language
from locframework.projects.records import Project

from .records import (
    ImportBatch,
    ImportedDetail,
    ImportedFile,
    ImportedKey,
    ImportOptions,
    ReadFile,
    SkippedFile,
)

NO_FORMATS: Mapping[str, str] = {}
FILE_KEY_LENGTH = 10_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_REFUSALS = (UnreadableFile, LanguageNotInProject, ValidationFailed, UnknownFormat)


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
                is_named = file.name.lower().endswith(self._format.extension)
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
        known = self._known_formats.get(family_of(info.id))
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
            (file.language_code, entry.key, family_of(file.format.id)): file
            for file in files
            if self._in_path(file.file)
            for entry in file.catalogue.entries
        }
        found = []
        for file in files:
            place = family_of(file.format.id)
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
    return family_of(info.id), info.extension


def _same(tag: str, known: frozenset[str]) -> bool:
    """Whether the code is equal to a known one by its likely script and region."""
    return any(same_language(tag, one) for one in known)


def _text_count(value: Text | None) -> int:
    """Return the number of texts of an entry that are not empty: of plural ones, one a
    form."""
    texts = value.values() if _has_forms(value) else (value,)
    return sum(1 for text in texts if text)


def _all_of(refusals: Sequence[LocError]) -> LocError:
    """Return the refusal of an archive, with the problems of all its files."""
    order = _REFUSALS
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
) -> ImportBatch:
    """Return every key of the files once.

    The keys are sorted by name: steps of a large import then change fewer pages of the
    indexes. A text without plural forms is the form ``other`` of a key that is plural
    elsewhere in the files. A key without a text in the source file is left out, unless
    another file has one. Raises InvalidKey, or UnreadableFile, with a Problem for each
    fault, 100 at most.
    """
    collector = _Collector(project)
    for file in sorted(files, key=lambda f: f.language_code != project.source_language):
        collector.add_file(file)
    collector.raise_any()
    texts = {name for name, key in collector.keys.items() if key.values or key.source}
    empty = collector.empty - texts
    return ImportBatch(
        keys=[collector.keys[name] for name in sorted(collector.keys.keys() - empty)],
        files=collector.files,
        warnings=collector.warnings,
        left_out=sorted(empty),
        sources=[_summary(file) for file in files],
    )


def _summary(file: ReadFile) -> ImportedFile:
    entries = file.catalogue.entries
    return ImportedFile(
        path=truncate(file.path or file.file.name),
        format=file.format.id,
        language_code=file.language_code,
        keys=len({entry.key for entry in entries}),
        texts=sum(_text_count(entry.value) for entry in entries),
        module=file.module,
    )


def with_modules(
    files: Sequence[ReadFile],
    separator: str,
    modules: Literal["auto", "always"],
    known: Collection[str],
    plain: Collection[str],
    had: Mapping[str, str],
    renamed: Mapping[tuple[str, str], Sequence[str]],
) -> list[ReadFile]:
    """Return the files with their modules: those that files of their places have, by
    ``had``, or else the names of their files, unless a file that was ``renamed`` has
    it: folders and name, by language and module.

    ``auto`` gives them where two files of a language share a key, or the project has
    such a module, which ``known`` says, but not to the paths ``plain``: these were
    imported without one. Where files of one name share keys (``django.po`` of each
    app), the folders that differ stand before it.
    """
    unnamed = plain if modules == "auto" else ()
    parts = [module_parts(file) for file in files]
    plain = [module_name(file, separator) for file in files]
    names = [
        had.get(place_of(file)) or _known_module(each, separator, known) or name
        for file, each, name in zip(files, parts, plain, strict=True)
    ]
    names = [
        "" if path_of(file) in unnamed else name
        for file, name in zip(files, names, strict=True)
    ]
    places = [place_of(file) for file in files]
    takers = {**renamed}
    takers |= {
        (file.language_code, had[place]): each
        for file, place, each in zip(files, places, parts, strict=True)
        if place in had
    }
    taken = {*known, *had.values()}
    beside: dict[str, str] = {}
    for file, its, name in zip(files, places, names, strict=True):
        other = takers.get((file.language_code, name))
        if other and its not in had and its not in beside:
            module = module_beside(file, other, separator)
            if module == name:
                numbered = (f"{name}-{at}" for at in count(2))
                module = next(each for each in numbered if each not in taken)
                taken.add(module)
            beside[its] = module
    names = [
        beside.get(place) or name for place, name in zip(places, names, strict=True)
    ]
    wanted = {name for name in names if name in known or name in beside.values()}
    holders: dict[tuple[str, str, str], int] = {}
    in_folders: set[str] = set()
    for at, file in enumerate(files):
        for entry in file.catalogue.entries:
            family = family_of(file.format.id)
            place = family, file.language_code, entry.key
            before = holders.setdefault(place, at)
            if parts[before] != parts[at]:
                wanted |= {names[before], names[at]}
                if plain[before] == plain[at]:
                    in_folders.add(plain[at])
    for name in in_folders:
        same = [at for at, other in enumerate(plain) if other == name]
        start = _common([parts[at] for at in same])
        end = _common([parts[at][start:][::-1] for at in same])
        for at in same:
            if names[at] == name and places[at] not in had:
                folders = parts[at][start : len(parts[at]) - end]
                names[at] = _module_of((*folders, parts[at][-1]), separator)
                wanted.add(names[at])
    return [
        replace(file, module=name)
        if name and (name in wanted or modules == "always")
        else file
        for file, name in zip(files, names, strict=True)
    ]


def _common(rows: Sequence[Sequence[str]]) -> int:
    """Return how many parts all of them begin with."""
    columns = [len(set(column)) for column in zip(*rows, strict=False)]
    return next((at for at, found in enumerate(columns) if found > 1), len(columns))


def path_of(file: ReadFile) -> str:
    """Return the path of a file, or its name if it has none."""
    return file.path or file.kept_as or file.file.name


def module_parts(file: ReadFile) -> tuple[str, ...]:
    """Return the folders and name of a file that may be its module."""
    return module_path(path_of(file), file.language_code)


def module_name(file: ReadFile, separator: str) -> str:
    """Return the module that the name of a file says, or ""."""
    return _module_of(module_parts(file)[-1:], separator)


def _module_of(parts: Sequence[str], separator: str) -> str:
    name = "-".join(parts).replace(separator, "-")
    return legal_key(name, separator) if name else ""


def module_beside(file: ReadFile, other: Sequence[str], separator: str) -> str:
    """Return the module that tells a file from another, of which ``other`` is the
    folders and name, or ""."""
    parts = module_parts(file)
    if parts[-1:] != (*other[-1:],):
        return module_name(file, separator)
    start = _common([parts, other])
    end = _common([parts[start:][::-1], other[start:][::-1]])
    folders = parts[start : len(parts) - end]
    return _module_of((*folders, parts[-1]), separator) if folders else ""


def says_module(parts: Sequence[str], separator: str, module: str) -> bool:
    """Return whether the folders and name of a file say the module."""
    name = _module_of(parts[-1:], separator)
    return name == module or _known_module(parts, separator, (module,)) is not None


def _known_module(
    parts: Sequence[str], separator: str, known: Collection[str]
) -> str | None:
    """Return the module of the project that the folders and name of a file say."""
    for start in range(len(parts) - 1 if known else 0):
        for end in range(start + 1, len(parts)):
            name = _module_of((*parts[start:end], parts[-1]), separator)
            if name in known:
                return name
    return None


def _same_place(file: ReadFile, other: ReadFile) -> UnreadableFile:
    message = f"is in {file.language_code}, as {truncate(other.path)}; send one of them"
    return UnreadableFile.of([Problem(truncate(file.path), "language", message)])


def place_of(file: ReadFile) -> str:
    """Return what the files of one name have in all languages, and no others."""
    return "/".join((family_of(file.format.id), *module_parts(file)))


def name_in_project(file_key: str, file: ReadFile, separator: str) -> str:
    """Return the key that stands for what a file calls ``file_key``."""
    if file_key in file.own_names:
        return file.own_names[file_key]
    name = legal_key(file_key, separator)
    if file.module is None:
        return name
    prefix = f"{file.module}{separator}"
    if file.module_is_given and name.startswith(prefix):
        return name
    return prefix + name


class _Collector:
    def __init__(self, project: Project) -> None:
        self.keys: dict[str, ImportedKey] = {}
        self.empty: set[str] = set()
        """Keys whose text is empty in a file of the source language."""
        self.files: list[ImportedDetail] = []
        self.warnings: list[str] = []
        self._separator = project.key_separator
        self._source_language = project.source_language
        self._problems: list[Problem] = []

    def add_file(self, file: ReadFile) -> None:
        family, catalogue = family_of(file.format.id), file.catalogue
        self.warnings += [_at(file.path, each) for each in catalogue.warnings]
        if catalogue.detail is not None:
            code, module = file.language_code, file.module or ""
            detail = ImportedDetail(family, code, catalogue.detail, module)
            self.files.append(detail)
        for entry in catalogue.entries:
            try:
                self._add(self._without_long(entry, file), file, family)
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

    def _without_long(self, entry: Entry, file: ReadFile) -> Entry:
        """Return the entry without texts that are too long, which costs these alone."""
        value, source = _not_long(entry.value), _not_long(entry.source)
        if value is entry.value and source is entry.source:
            return entry
        message = f"a text is left out: it has more than {VALUE_BYTES} bytes in UTF-8"
        self.warnings.append(f"{_place(file, entry)}: {message}")
        return replace(entry, value=value, source=source)

    def _add(self, entry: Entry, file: ReadFile, family: str) -> None:
        language_code, module = file.language_code, file.module
        name = name_in_project(entry.key, file, self._separator)
        key = self.keys.get(name)
        if key is None:
            check_key(name, self._separator)
            key = self.keys[name] = ImportedKey(name)
            if not is_legal_key(entry.key, self._separator):
                if len(entry.key) > FILE_KEY_LENGTH:
                    limit = f"at most {FILE_KEY_LENGTH} characters"
                    raise UnreadableFile(f"the name of a text must have {limit}")
                _check_characters(entry.key)
                key.file_key = entry.key
            key.prefix = f"{module}{self._separator}" if module is not None else ""
            if entry.key in file.own_names:
                key.prefix = name.removesuffix(legal_key(entry.key, self._separator))
        elif key.file_key not in (None, entry.key):
            raise InvalidKey(f"{key.file_key!r} and {entry.key!r} have one key")
        key.is_in_source |= language_code == self._source_language
        for text in (entry.value, entry.source):
            if text:
                _check_text(text)
        _check_characters(entry.description)
        if entry.value == "" and language_code == self._source_language:
            self.empty.add(name)
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
        key.format_flags = key.format_flags or entry.format_flags
        for code, detail in (("", entry.key_detail), (language_code, entry.detail)):
            if detail is None:
                continue
            places = [(each.family, each.language_code) for each in key.details]
            if (family, code) not in places:  # the first one stays
                key.details += (ImportedDetail(family, code, detail),)

    def _note(self, file: ReadFile, entry: Entry, fault: LocError) -> None:
        if len(self._problems) >= PROBLEMS_LIMIT:
            return
        rule = "key" if isinstance(fault, InvalidKey) else "text"
        if isinstance(fault, _Duplicate):
            rule = "duplicate"
        self._problems.append(Problem(_place(file, entry), rule, fault.message))


class _Duplicate(LocError):
    """A key has two texts in one language."""


def _place(file: ReadFile, entry: Entry) -> str:
    place = f"line {entry.line}" if entry.line else f"key {abbreviate(entry.key)}"
    return f"{file.path} {place}" if file.path else place


def _not_long(text: Text | None) -> Text | None:
    """Return the text, or its forms that are not too long; None if nothing is left."""
    if not _has_forms(text):
        return None if isinstance(text, str) and is_too_long(text) else text
    if not any(map(is_too_long, text.values())):
        return text
    return {form: one for form, one in text.items() if not is_too_long(one)} or None


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

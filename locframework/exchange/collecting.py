"""Collects the keys of files that came, as the project and its files are now."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from locframework.errors import (
    PROBLEMS_LIMIT,
    InvalidKey,
    LocError,
    Problem,
    UnreadableFile,
    abbreviate,
    truncate,
)
from locframework.formats.converting import with_dialect
from locframework.formats.records import Entry, Text
from locframework.keys.catalogues import ImportedModules, family_of
from locframework.keys.records import (
    DESCRIPTION_LENGTH,
    LONGEST_MAX_LENGTH,
    VALUE_BYTES,
)
from locframework.keys.rules import (
    check_key,
    check_texts,
    is_legal_key,
    is_too_long,
    legal_key,
)
from locframework.keys.store import KeyStore
from locframework.projects.records import Project

from .decisions import set_seen
from .earlier_files import EarlierFiles
from .layouts import LayoutReader, new_layouts
from .modules import name_in_project, path_of, resource_of, with_modules, with_own_names
from .records import (
    ImportBatch,
    ImportedDetail,
    ImportedFile,
    ImportedKey,
    Modules,
    ReadFile,
    Seen,
)

FILE_KEY_LENGTH = 10_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def collect(
    files: Sequence[ReadFile],
    store: KeyStore,
    reader: LayoutReader,
    project: Project,
    imported: ImportedModules,
    *,
    module: str | None,
    modules: Modules,
    seen: Seen,
) -> ImportBatch:
    """Return every key of the files, as the project and its files are now.

    Call it in a snapshot. Raises as ``collect_keys``.
    """
    earlier = EarlierFiles(store, reader, project, imported)
    files = [earlier.with_path(file) for file in files]
    known = set(imported.modules)
    kept: dict[str, str] = {}
    if module is None and modules == "auto":
        earlier = earlier.moved_with(files)
        imported, kept = earlier.imported, earlier.modules(files)
        known |= earlier.new_modules([f for f in files if resource_of(f) not in kept])
    if module is not None:
        files = [replace(f, module=module, module_is_given=True) for f in files]
    elif modules != "never":
        separator = project.key_separator
        renamed = earlier.renamed(files) if kept else {}
        files = with_modules(
            files, separator, modules, known, imported.plain, kept, renamed
        )
    own = earlier.own_names(files)
    files = with_own_names(files, own)
    batch = collect_keys(files, project)
    warnings = earlier.carry(files, batch.keys, own)
    warnings += set_seen(files, batch.keys, seen, store, project)
    source = project.source_language
    return replace(
        batch,
        warnings=[*batch.warnings, *warnings],
        layouts=new_layouts(files),
        replaced=[f.module or "" for f in files if f.language_code == source],
        known_modules=[name for name in known if not imported.modules.get(name)],
        last_import=imported.job_id,
        seen={
            path_of(file): seen[name]
            for file in files
            if (name := file.path or file.file.name) in seen
        },
        own_names=own,
    )


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


def _text_count(value: Text | None) -> int:
    """Return the number of texts of an entry that are not empty: of plural ones, one a
    form."""
    texts = value.values() if _has_forms(value) else (value,)
    return sum(1 for text in texts if text)


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
        family, catalogue = family_of(file.format), file.catalogue
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
        is_shared = file.format.source_texts or file.format.multilingual
        if is_shared or language_code == self._source_language:
            # else it is a translator's comment
            key.description = key.description or entry.description[:DESCRIPTION_LENGTH]
        key.source = key.source or _not_empty(entry.source)
        key.format_flags = key.format_flags or with_dialect(entry, file.format)
        if entry.max_length is not None and 1 <= entry.max_length <= LONGEST_MAX_LENGTH:
            key.max_length = key.max_length or entry.max_length
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

"""Brings what files say together by key, and judges it: pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeGuard

from locframework.errors import (
    InvalidKey,
    LocError,
    Problem,
    Repeats,
    UnreadableFile,
    abbreviate,
    code_meaning,
    truncate,
)
from locframework.formats.records import Entry, Text
from locframework.keys.catalogues import family_of
from locframework.keys.records import DESCRIPTION_LENGTH
from locframework.keys.rules import check_key, check_text, texts_by_form
from locframework.projects.records import Project

from .records import ImportBatch, ImportedDetail, ImportedKey, ReadFile

PROBLEMS_MOST = 100  # that one answer lists

_SURROGATE = re.compile("[\ud800-\udfff]")


def gather(
    files: Sequence[ReadFile],
    project: Project,
    *,
    module: str | None,
    warnings: Sequence[str] = (),
    left_out: Iterable[str] = (),
) -> ImportBatch:
    """Every key of the files once, by name: what is written together then lies
    together in the indexes, and each step of a large import changes fewer pages.

    ``module`` is put before the keys that do not begin with it; ``left_out`` are names
    that the upload has in languages which are not imported. A text without plural
    forms is the form ``other`` of a key that is plural elsewhere in the files. Raises
    InvalidKey, or UnreadableFile, with a Problem for each fault, 100 at most.
    """
    gathered = _Gathered(project.key_separator, module)
    for file in sorted(files, key=lambda f: f.language_code != project.source_language):
        gathered.add_file(file)
    gathered.refuse_faults()
    named = {under_module(key, module, project.key_separator) for key in left_out}
    return ImportBatch(
        keys=[gathered.keys[name] for name in sorted(gathered.keys)],
        files=gathered.files,
        warnings=[*warnings, *gathered.warnings],
        left_out=sorted(named - gathered.keys.keys()),
    )


def under_module(key: str, module: str | None, separator: str) -> str:
    """The key as it stands below ``module``, where it may stand already."""
    if module is None or key.startswith(f"{module}{separator}"):
        return key
    return f"{module}{separator}{key}"


class _Gathered:
    """The keys so far, and the faults met."""

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
        self.warnings += [_told(file.path, each) for each in catalogue.warnings]
        if catalogue.detail is not None:
            detail = ImportedDetail(family, file.language_code, catalogue.detail)
            self.files.append(detail)
        for entry in catalogue.entries:
            name = under_module(entry.key, self._module, self._separator)
            try:
                self._add(file, family, name, entry)
            except LocError as fault:
                self._note(file, entry, fault)
                if len(self._problems) >= PROBLEMS_MOST:
                    return

    def refuse_faults(self) -> None:
        """Raise what the first fault asks for, with all of them."""
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
        if isinstance(fault, _Twice):
            rule = "duplicate"
        message = fault.message
        times = 1 if self._problems else 2  # the first is told twice
        if not self._repeats.allow(message * times, [entry.key]):
            message = code_meaning(fault)
        problem = Problem(_told(file.path, place, ""), rule, message)
        if len(self._problems) < PROBLEMS_MOST:
            self._problems.append(problem)


def _add(key: ImportedKey, language_code: str, family: str, entry: Entry) -> None:
    """Note what one file says of the key."""
    value = _not_empty(entry.value)
    if value is not None:
        if key.values.setdefault(language_code, value) != value:
            raise _Twice(
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


class _Twice(LocError):
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


def _told(path: str, what: str, colon: str = ":") -> str:
    return f"{path}{colon} {what}" if path else what

"""Makes the catalogues that files are written from: one language, all its texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, convert
from msgspec.structs import replace

from locframework.branches.service import BranchScope
from locframework.formats.converting import convert_entry, may_convert
from locframework.formats.records import (
    PLURAL_FORMS,
    Catalogue,
    Detail,
    Entry,
    FileOptions,
    FormatInfo,
    Text,
)
from locframework.formats.records import family_of as family_of
from locframework.formats.records import may_name as may_name
from locframework.projects.records import Language, Project
from locframework.projects.rules import fallback_chain

from .records import Selection, TextRow
from .rules import ROOT_MODULE, module_of
from .store import KeyStorage, KeyStore, store_of

Missing = Literal["omit", "source", "fallback"]
"""What stands for a text that is not there: nothing, the source text, or the first
text along ``fallbackLanguageCode``, with the source language last."""

MODULES = "modules"
"""The family of details that ImportedModules is kept as."""

_NEWEST = "any"  # a file's source texts are there for the reader, not delivered


class Catalogues:
    """Reads catalogues for writing. Call it in a ``snapshot`` or a transaction.

    Every catalogue costs a constant number of statements: the texts, one more for
    each language that may stand in, three for what files said beyond our model, and one
    for source texts to convert placeholders by.
    """

    def __init__(self, storage: KeyStorage) -> None:
        self._storage = storage

    def of_language(
        self,
        scope: BranchScope,
        languages: Sequence[Language],
        language_code: str,
        format_: FormatInfo,
        which: Selection,
        *,
        missing: Missing = "omit",
        is_whole: bool = True,
    ) -> Catalogue:
        """One language's texts, by key in code point order, for ``Format.write``.

        ``languages`` are all of the project's, and ``language_code`` is among them.
        A key without a text is there with the value None. ``is_whole``: all of them
        stand in one file, so that of keys with one file key only the first has it.
        """
        family, project = family_of(format_), scope.project
        store = store_of(self._storage, scope)
        by_key, by_value = (
            {each.key_id: each.detail for each in store.details_of(*of)}
            for of in ((project.id, family, ""), (project.id, family, language_code))
        )
        sources = _sources(store, project, format_, which)
        rows = _rows(store, project, languages, language_code, which, missing)
        taken: set[str] = set()
        warnings: list[str] = []

        def file_key(row: TextRow) -> str | None:
            name = row.file_key
            if name is not None and not may_name(format_, name):
                return None
            if name in taken:
                warnings.append(f"{row.key}: another key is {name!r} in files too")
                return None
            if name is not None and is_whole:
                taken.add(name)
            return name

        entries = [
            Entry(
                key=row.key if (called := file_key(row)) is None else called,
                name=None if called is None else row.key,
                is_file_key=called is not None,
                value=_text(row),
                is_plural=row.is_plural,
                description=row.description,
                source=next(sources, None),
                needs_review=row.needs_review,
                key_detail=by_key.get(row.key_id),
                detail=by_value.get(row.key_id),
                max_length=row.max_length,
                format_flags=row.format_flags,
            )
            for row in rows
        ]
        if any(may_convert(each, format_) for each in entries):
            newest = replace(which, min_status=_NEWEST)
            of_source = store.text_rows(project.id, project.source_language, newest)
            entries = [
                convert_entry(entry, _text(row), format_, warnings)
                if may_convert(entry, format_)
                else entry
                for entry, row in zip(entries, of_source, strict=True)
            ]
        [language] = [lang for lang in languages if lang.language_code == language_code]
        return Catalogue(
            language_code=language_code,
            entries=entries,
            plural_forms=language.plural_forms,
            detail=_file_detail(store, project, family, which, language_code),
            warnings=warnings,
        )

    def modules(self, scope: BranchScope) -> Mapping[str, bool]:
        """Return the modules that files were imported into: see ImportedModules."""
        store = store_of(self._storage, scope)
        return imported_modules(store, scope.project.id).modules


def options_of(
    project: Project,
    language_code: str | None = None,
    *,
    module: str | None = None,
    plurals: Mapping[str, bool] | None = None,
) -> FileOptions:
    """What a format is told about the project."""
    return FileOptions(
        project.key_separator,
        project.source_language,
        language_code,
        module=None if module == ROOT_MODULE else module,
        plurals=plurals or {},
    )


def by_module(catalogue: Catalogue, separator: str) -> Mapping[str, Catalogue]:
    """The catalogue taken apart by module, in code point order of the modules."""
    entries: dict[str, list[Entry]] = {}
    for entry in catalogue.entries:
        module = module_of(entry.name or entry.key, separator)
        entries.setdefault(module, []).append(entry)
    return {
        module: replace(catalogue, entries=entries[module])
        for module in sorted(entries)
    }


class ImportedModules(Struct, frozen=True):
    """What is kept with a project of its imports."""

    modules: dict[str, bool] = {}
    """Whether requests gave the modules; the others are the names of files, which do
    not have them in their keys."""
    formats: dict[str, str] = {}  # of the last files, by family
    plain: list[str] = []  # paths of files without a module
    job_id: str = ""  # of the last import
    own_names: dict[str, dict[str, str]] = {}
    """Keys of names that files without modules share for different texts: by the
    resource of the file, and by the name."""


def imported_modules(store: KeyStore, project_id: str) -> ImportedModules:
    """Return the modules that files were imported into. One statement."""
    found = store.details_of(project_id, MODULES, "", [""])
    return convert(found[0].detail, ImportedModules) if found else ImportedModules()


def without_module(entry: Entry, module: str, separator: str) -> Entry:
    """Return the entry as a file of the module calls it."""
    name, prefix = entry.name or entry.key, f"{module}{separator}"
    if entry.is_file_key or not name.startswith(prefix):
        return entry
    return replace(entry, key=name.removeprefix(prefix), name=name)


def _text(row: TextRow) -> Text | None:
    if not row.texts:
        return None
    if not row.is_plural:
        return row.texts.get(None)
    return {form: row.texts[form] for form in PLURAL_FORMS if form in row.texts}


def _rows(
    store: KeyStore,
    project: Project,
    languages: Sequence[Language],
    language_code: str,
    which: Selection,
    missing: Missing,
) -> Iterator[TextRow]:
    """The language's rows; those without texts with another language's."""
    codes = [language_code]
    fallbacks = {
        language.language_code: language.fallback_language_code
        for language in languages
    }
    if missing == "source" and language_code != project.source_language:
        codes.append(project.source_language)
    if missing == "fallback":
        codes += fallback_chain(language_code, fallbacks, project.source_language)
    rows, *others = [store.text_rows(project.id, code, which) for code in codes]
    if not others:
        return rows
    of_keys = zip(rows, *others, strict=True)
    return (next((row for row in some if row.texts), some[0]) for some in of_keys)


def _sources(
    store: KeyStore, project: Project, format_: FormatInfo, which: Selection
) -> Iterator[Text | None]:
    if not format_.source_texts:
        return
    newest = replace(which, min_status=_NEWEST)
    for row in store.text_rows(project.id, project.source_language, newest):
        yield _text(row)


def _file_detail(
    store: KeyStore, project: Project, family: str, which: Selection, language_code: str
) -> Detail | None:
    found = store.details_of(project.id, family, language_code, [""])
    of_module = {each.module: each.detail for each in found}
    return of_module.get(which.module or "", of_module.get(""))

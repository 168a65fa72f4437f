"""Exports the texts of a project as files."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from posixpath import splitext
from typing import Protocol

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.branches.service import Branches, BranchScope
from locframework.errors import LanguageNotInProject
from locframework.fields import UUID_LENGTH
from locframework.formats.archive import write_archive
from locframework.formats.records import (
    Catalogue,
    FormatInfo,
    SourceFile,
    WrittenFile,
)
from locframework.formats.service import Formats
from locframework.keys.catalogues import (
    Catalogues,
    family_of,
    imported_modules,
    options_of,
)
from locframework.keys.imported_files import Layout, layouts_of
from locframework.keys.records import Selection
from locframework.keys.rules import ROOT_MODULE
from locframework.keys.store import KeyStorage, store_of
from locframework.languages import require_tag
from locframework.projects.records import Language, Project
from locframework.projects.service import Languages, Projects
from locframework.statistics.store import StatisticsStore
from locframework.transactions import Transactions
from locframework.validation import check_record

from .layouts import KnownLayout, LayoutReader, Part, take_apart
from .records import ExportedFile, ExportQuery
from .rules import check_module

_VERSION = version("locframework")  # another may write other bytes


class ExportStorage(KeyStorage, Transactions, Protocol):
    """The part of the storage that this area uses."""

    statistics: StatisticsStore


@dataclass(eq=False, repr=False)
class Exports:
    """Exports; every file shows one moment of the project."""

    _storage: ExportStorage
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _formats: Formats
    _catalogues: Catalogues

    def state(self, caller: Caller, project_id: str, query: ExportQuery) -> str:
        """Return a digest of what an export is made of, for its ETag.

        Raises as ``export``.
        """
        project, _ = self._checked(caller, project_id, query)
        with self._storage.snapshot():
            _wanted(query.language_codes, self._languages.of(project))
            scope = self._branches.scope(project, query.branch)
            store = store_of(self._storage, scope)
            counts = [self._storage.statistics.counts_of(project.id)]
            if scope.branch is not None:
                branch_id = scope.branch.id
                counts.append(self._storage.statistics.counts_of(project.id, branch_id))
            last = imported_modules(store, project.id).job_id
        of_project = (project.updated_at, _VERSION)
        parts = msgspec.json.encode([query, scope.branch, of_project, counts, last])
        return hashlib.sha256(parts).hexdigest()[:32]

    def export(
        self, caller: Caller, project_id: str, query: ExportQuery
    ) -> ExportedFile:
        """Export one file, or a ZIP archive of one for each language.

        The same content gives the same bytes. Languages may be named one by one or
        separated by commas; a template is that of the source language unless others
        are named. Raises UnknownFormat, InvalidKey, LanguageNotInProject,
        ValidationFailed.
        """
        project, info = self._checked(caller, project_id, query)
        with self._storage.snapshot():
            languages = self._languages.of(project)
            codes = _wanted(query.language_codes, languages)
            if info.is_template and not query.language_codes:
                codes = [project.source_language]
            scope = self._branches.scope(project, query.branch)
            is_marked = info.marks_unreviewed and query.min_status == "approved"
            min_status = "best" if is_marked else query.min_status
            selection = Selection(min_status, query.module, query.tag)
            if info.multilingual:  # the source language first
                codes.sort(key=lambda code: code != project.source_language)
            is_canonical = query.layout == "canonical"
            catalogues = [
                self._catalogues.of_language(
                    scope, languages, code, info, selection, is_whole=is_canonical
                )
                for code in codes
            ]
            if is_canonical:
                return self._written(project, info, catalogues, query)
            return self._in_layouts(scope, info, catalogues, query)

    def _checked(
        self, caller: Caller, project_id: str, query: ExportQuery
    ) -> tuple[Project, FormatInfo]:
        project = self._projects.require(caller, "export_run", project_id)
        check_record(query, "query")
        info = self._formats.to_write(query.format)
        if query.module not in (None, ROOT_MODULE):
            check_module(query.module, project.key_separator)
        return project, info

    def _in_layouts(
        self,
        scope: BranchScope,
        info: FormatInfo,
        catalogues: Sequence[Catalogue],
        query: ExportQuery,
    ) -> ExportedFile:
        """Return the files as they were last imported, with the texts of today.

        Where files were imported and no languages are named, one without a file and
        texts gets none; nor does a source language whose texts stand in all files. A
        template of the source language then stays one.
        """
        project, family = scope.project, family_of(info)
        source = project.source_language
        store = store_of(self._storage, scope)
        plurals = {
            entry.key: entry.is_plural
            for each in catalogues[:1]
            for entry in each.entries
        }
        own_names = imported_modules(store, project.id).own_names
        reader = LayoutReader(self._formats, store, project, plurals, own_names)

        def known_in(code: str) -> list[KnownLayout]:
            return [
                reader.known(layout, code, info)
                for layout in layouts_of(store, project.id, family, code)
            ]

        of_source = known_in(source)
        if info.multilingual and not of_source:  # a file without the source language
            codes = (each.language_code or source for each in catalogues)
            of_source = next(filter(None, map(known_in, codes)), [])
        others: set[str] = set()  # keys that stand in files which are not written
        if info.is_template:
            templates = [
                each for each in of_source if self._kept(each.layout, info) is info
            ]
            if templates:
                others = {name for each in of_source for name in each.entries}
                others -= {name for each in templates for name in each.entries}
                of_source = templates
        elsewhere: dict[str, set[str]] = {}  # keys of other families, by language
        files: dict[object, list[tuple[str, Part]]] = {}
        paths: Counter[tuple[str, str | None]] = Counter()
        for catalogue in catalogues:
            code = catalogue.language_code or source
            of_language = of_source
            if code == source and not (query.language_codes or info.is_template):
                of_language = [
                    each._replace(format=self._kept(each.layout, info))
                    for each in of_source
                ]
            if code != source or info.multilingual:
                of_language = known_in(code)
            foreign = {*others}
            if of_language or of_source:
                for each in {source, code} - elsewhere.keys():
                    elsewhere[each] = reader.names_elsewhere(family, each)
                foreign |= elsewhere[source] | elsewhere[code]
            parts = take_apart(
                catalogue, project, info, of_language, of_source, foreign
            )
            paths.update((code, part.path) for part in parts)
            if query.module is not None or query.tag is not None:
                parts = [part for part in parts if part.catalogue.entries]
                if not parts and len(catalogues) == 1:
                    parts = [Part(None, info, None, replace(catalogue, entries=[]))]
            for part in parts:
                place = (part.path, part.module) if info.multilingual else len(files)
                files.setdefault(place, []).append((code, part))
        written: list[SourceFile] = []
        types: dict[str, str] = {}  # content types, by path
        empty: set[str] = set()  # paths of files that nobody imported
        warnings = [f"{c.language_code}: {w}" for c in catalogues for w in c.warnings]
        is_imported = False
        for of_file in files.values():
            code, part = of_file[0]
            options = options_of(project, module=part.module or query.module)
            parts_of_file = [each.catalogue for _, each in of_file]
            file = self._formats.write(part.format.id, parts_of_file, options)
            name = _stem(project) if info.multilingual else code
            path = part.path or f"{name}{part.format.extension}"
            if info.is_template:
                path = splitext(path)[0] + info.extension
            if paths[code, part.path] > 1 and part.module:  # modules that were given
                path = f"{part.module}/{path}"
            written.append(SourceFile(path, file.content))
            types[path] = file.content_type(info)
            is_said_elsewhere = info.source_texts and code == source
            has_texts = any(e.value for each in parts_of_file for e in each.entries)
            is_imported |= part.path is not None
            if part.path is None and (is_said_elsewhere or not has_texts):
                empty.add(path)
            warnings += _warnings_of(parts_of_file, file)
        if is_imported and not query.language_codes:
            written = [file for file in written if file.name not in empty]
        return _one_or_archive(project, info, written, warnings, types)

    def _kept(self, layout: Layout, info: FormatInfo) -> FormatInfo:
        """Return the format of the file if its extension is not the one asked for, as
        of a template beside PO files."""
        kept = self._formats.find(layout.format)
        if kept is None or not kept.can_export or kept.extension == info.extension:
            return info
        return kept

    def _written(
        self,
        project: Project,
        info: FormatInfo,
        catalogues: Sequence[Catalogue],
        query: ExportQuery,
    ) -> ExportedFile:
        options = options_of(project, module=query.module)
        groups = [catalogues] if info.multilingual else [[one] for one in catalogues]
        files: list[SourceFile] = []
        warnings: list[str] = []
        for group in groups:
            file = self._formats.write(info.id, group, options)
            name = _stem(project) if info.multilingual else group[0].language_code
            files.append(SourceFile(f"{name}{info.extension}", file.content))
            warnings += _warnings_of(group, file)
        return _one_or_archive(project, info, files, warnings)


def _warnings_of(catalogues: Sequence[Catalogue], file: WrittenFile) -> list[str]:
    """Return the warnings of a file, each with its language where that is known."""
    told = [f"{c.language_code}: {each}" for c in catalogues for each in c.warnings]
    start = f"{catalogues[0].language_code}: " if len(catalogues) == 1 else ""
    return told + [f"{start}{each}" for each in file.warnings]


def _one_or_archive(
    project: Project,
    info: FormatInfo,
    files: Sequence[SourceFile],
    warnings: list[str],
    types: Mapping[str, str] = {},
) -> ExportedFile:
    if len(files) == 1:
        name, content = files[0].name.rpartition("/")[2], files[0].content
        type_ = types.get(files[0].name, info.content_type)
        return ExportedFile(name, content, type_, warnings)
    name = f"{_stem(project)}.zip"
    return ExportedFile(name, write_archive(files), "application/zip", warnings)


def _stem(project: Project) -> str:
    return project.slug[: -UUID_LENGTH - 1] or "export"


def _wanted(named: list[str], languages: list[Language]) -> list[str]:
    """Return the requested languages in project order; all if none is named."""
    there = [language.language_code for language in languages]
    codes = [code for one in named for code in one.split(",")]
    wanted = {require_tag(code.strip(), "query.languageCodes") for code in codes}
    for code in sorted(wanted.difference(there)):
        raise LanguageNotInProject(f"the project has no language {code!r}")
    return [code for code in there if code in wanted or not wanted]

"""Exports the texts of a project as files."""

from dataclasses import dataclass

from locframework.access.records import Caller
from locframework.branches.service import Branches
from locframework.errors import LanguageNotInProject
from locframework.fields import UUID_LENGTH
from locframework.formats.archive import write_archive
from locframework.formats.records import Catalogue, FileOptions, FormatInfo, SourceFile
from locframework.formats.service import Formats
from locframework.keys.catalogues import Catalogues, options_of
from locframework.keys.records import Selection
from locframework.keys.rules import ROOT_MODULE
from locframework.languages import require_tag
from locframework.projects.records import Language, Project
from locframework.projects.service import Languages, Projects
from locframework.transactions import Transactions
from locframework.validation import check_record

from .records import ExportedFile, ExportQuery
from .rules import check_module


@dataclass(eq=False, repr=False)
class Exports:
    """Exports; every file shows one moment of the project."""

    _transactions: Transactions
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _formats: Formats
    _catalogues: Catalogues

    def export(
        self, caller: Caller, project_id: str, query: ExportQuery
    ) -> ExportedFile:
        """Export one file, or a ZIP archive of one for each language.

        The same content gives the same bytes. Languages may be named one by one or
        separated by commas. Raises UnknownFormat, InvalidKey, LanguageNotInProject,
        ValidationFailed.
        """
        project = self._projects.require(caller, "export_run", project_id)
        check_record(query, "query")
        info = self._formats.to_write(query.format)
        if query.module not in (None, ROOT_MODULE):
            check_module(query.module, project.key_separator)
        with self._transactions.snapshot():
            languages = self._languages.of(project)
            codes = _wanted(query.language_codes, languages)
            scope = self._branches.scope(project, query.branch)
            selection = Selection(query.min_status, query.module, query.tag)
            catalogues = [
                self._catalogues.of_language(scope, languages, code, info, selection)
                for code in codes
            ]
            options = options_of(project, module=query.module)
            return self._written(project, info, options, catalogues)

    def _written(
        self,
        project: Project,
        info: FormatInfo,
        options: FileOptions,
        catalogues: list[Catalogue],
    ) -> ExportedFile:
        stem = project.slug[: -UUID_LENGTH - 1] or "export"
        if info.multilingual:
            file = self._formats.write(info.id, catalogues, options)
            name = f"{stem}{info.extension}"
            return ExportedFile(name, file.content, info.content_type, file.warnings)
        files, warnings = [], []
        for catalogue in catalogues:
            code = catalogue.language_code
            file = self._formats.write(info.id, [catalogue], options)
            files.append(SourceFile(f"{code}{info.extension}", file.content))
            warnings += [f"{code}: {warning}" for warning in file.warnings]
        if len(files) == 1:
            [only] = files
            return ExportedFile(only.name, only.content, info.content_type, warnings)
        archive = write_archive(files)
        return ExportedFile(f"{stem}.zip", archive, "application/zip", warnings)


def _wanted(named: list[str], languages: list[Language]) -> list[str]:
    """Return the requested languages in project order; all if none is named."""
    there = [language.language_code for language in languages]
    codes = [code for one in named for code in one.split(",")]
    wanted = {require_tag(code.strip(), "query.languageCodes") for code in codes}
    for code in sorted(wanted.difference(there)):
        raise LanguageNotInProject(f"the project has no language {code!r}")
    return [code for code in there if code in wanted or not wanted]

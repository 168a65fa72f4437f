"""Checks a file of texts: in the request that uploads it, or by the job."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.branches.service import BranchScope
from locframework.errors import UnreadableFile, ValidationFailed
from locframework.file_import.files import CHECKED_IN_REQUEST
from locframework.formats.archive import unpacked_bytes
from locframework.formats.records import SourceFile
from locframework.formats.service import Formats
from locframework.keys.catalogues import imported_modules
from locframework.keys.records import Selection
from locframework.keys.store import KeyStore, KeyStores, store_of
from locframework.languages import require_tag
from locframework.projects.records import Project
from locframework.projects.service import Languages, Projects, scope_of
from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions

from .collecting import collect
from .decisions import check_paths, set_decided
from .layouts import LayoutReader
from .reading import UploadReader, require_language
from .records import ImportBatch, ImportDecisions, ImportOptions
from .rules import check_module

log = logging.getLogger("locframework.exchange")


class ImportStorage(KeyStores, Transactions, Protocol):
    """The part of the storage that this area uses."""

    projects: ProjectStore


class ImportUpload(Struct, frozen=True):
    """What an import is given, before it is read."""

    file: SourceFile
    options: ImportOptions
    given: ImportDecisions


@dataclass(eq=False, repr=False)
class UploadChecker:
    """Reads uploads, and checks them against the project and its caller."""

    _storage: ImportStorage
    _access: Access
    _projects: Projects
    _languages: Languages
    _formats: Formats

    def is_large(self, file: SourceFile) -> bool:
        """Return whether a file, or what an archive holds, may take long to read.

        Raises UnreadableFile for an archive that is refused before it is read.
        """
        is_archive = self._formats.is_archive(file)
        size = unpacked_bytes(file.content) if is_archive else 0
        return max(len(file.content), size) > CHECKED_IN_REQUEST

    def check_options(self, project: Project, options: ImportOptions) -> str | None:
        """Return the language that is named. Raises ValidationFailed,
        LanguageNotInProject, UnknownFormat."""
        if options.format is not None:
            self._formats.to_read(options.format)
        if options.module is not None:
            check_module(options.module, project.key_separator)
        if options.language_code is None:
            return None
        tag = require_tag(options.language_code, "form.languageCode")
        require_language(tag, self._codes(project))
        return tag

    def check(self, caller: Caller, scope: BranchScope, upload: ImportUpload) -> bytes:
        """Return what the file holds, an ImportBatch in msgpack. Raises as
        ``Imports.start_import``."""
        project, options = scope.project, upload.options
        batch = self._read(project, scope, upload.file, options, upload.given)
        if options.mode == "replace" and not batch.keys:
            message = "a file without keys would remove every key"
            raise ValidationFailed.at("form.mode", "replace", message)
        codes = self._codes(project) if options.mode == "replace" else []
        codes += dict.fromkeys(code for key in batch.keys for code in key.values)
        codes += batch.languages
        for code in codes:
            self._access.require_language(caller, scope_of(project), code)
        self._require_permissions(caller, scope, batch)
        try:
            return msgspec.msgpack.encode(batch)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            log.warning("a format's details cannot be kept: %s", error)
            message = "the file has details that cannot be kept"
            raise UnreadableFile(message) from None

    def _read(
        self,
        project: Project,
        scope: BranchScope,
        file: SourceFile,
        options: ImportOptions,
        given: ImportDecisions,
    ) -> ImportBatch:
        codes = self._codes(project)
        tag = self.check_options(project, options)
        store = store_of(self._storage, scope)
        with self._storage.snapshot():
            imported = imported_modules(store, project.id)
        modules = imported.modules
        upload = UploadReader(
            self._formats,
            project,
            codes,
            options,
            tag,
            lambda: _plurals(store, project, modules),
            imported.formats,
        )
        came = upload.read(file)
        check_paths(given.seen, upload.paths)
        reader = LayoutReader(
            self._formats, store, project, upload.plurals or {}, imported.own_names
        )
        with self._storage.snapshot():
            batch = collect(
                came,
                store,
                reader,
                project,
                imported,
                module=options.module,
                modules=options.modules,
                seen=given.seen,
            )
        if problems := set_decided(batch.keys, given.resolutions):
            raise ValidationFailed.of(problems)
        names = {key.name for key in batch.keys}
        return replace(
            batch,
            warnings=[*upload.warnings, *batch.warnings],
            left_out=sorted({*upload.left_out, *batch.left_out} - names),
            skipped=upload.skipped,
            languages=upload.added,
            resolutions=given.resolutions,
        )

    def _codes(self, project: Project) -> list[str]:
        return [lang.language_code for lang in self._languages.of(project)]

    def _require_permissions(
        self, caller: Caller, scope: BranchScope, batch: ImportBatch
    ) -> None:
        """Require translation_write for texts and key_create for new keys."""
        project, keys = scope.project, batch.keys
        if any(key.values or key.source for key in keys):
            self._projects.require_also(caller, "translation_write", project)
        if not self._access.may(caller, "key_create", scope_of(project)):
            store = store_of(self._storage, scope)
            existing = store.find_keys(
                project.id,
                names=[key.name for key in keys],
                file_keys={key.file_key for key in keys if key.file_key is not None},
            ).values()
            names, file_keys = {k.key for k in existing}, {k.file_key for k in existing}
            is_there = [
                key.name in names
                or (key.file_key is not None and key.file_key in file_keys)
                for key in keys
            ]
            if not all(is_there):
                self._projects.require_also(caller, "key_create", project)


def _plurals(
    store: KeyStore, project: Project, modules: Collection[str]
) -> dict[str, bool]:
    """Return whether the keys of a project are plural, as files call them."""
    separator, found = project.key_separator, {}
    for row in store.text_rows(project.id, project.source_language, Selection()):
        name = row.key if row.file_key is None else row.file_key
        found[name] = row.is_plural
        module, _, rest = row.key.partition(separator)
        if module in modules:
            found[rest if row.file_key is None else row.file_key] = row.is_plural
    return found

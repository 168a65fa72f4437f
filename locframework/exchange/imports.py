"""Checks a file of texts, and queues its import."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.access.service import Access
from locframework.blobs.service import Blobs
from locframework.branches.service import Branches, BranchScope, require_writable
from locframework.errors import UnreadableFile, ValidationFailed
from locframework.file_import.imports import KEPT_FOR
from locframework.formats.records import SourceFile
from locframework.formats.service import Formats
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.keys.catalogues import imported_modules
from locframework.keys.records import TAG_LENGTH, TAGS_MOST, Selection
from locframework.keys.rules import clean_tags
from locframework.keys.store import KeyStore, store_of
from locframework.languages import require_tag
from locframework.pagination import Page, PageRequest
from locframework.projects.records import Project
from locframework.projects.service import Languages, Projects, scope_of
from locframework.transactions import crash_point
from locframework.validation import check_record

from .collecting import collect
from .decisions import check_paths, check_seen, set_decided
from .import_job import PERMISSION, TYPE, ImportStorage
from .layouts import LayoutReader
from .reading import UploadReader, require_language
from .records import (
    NO_DECISIONS,
    Conflict,
    ImportBatch,
    ImportDecisions,
    ImportOptions,
    ImportParams,
)
from .rules import check_module

_encoder = msgspec.msgpack.Encoder()

log = logging.getLogger("locframework.exchange")


@dataclass(eq=False, repr=False)
class Imports:
    """Imports: a file is checked at once, and imported by a job."""

    _storage: ImportStorage
    _access: Access
    _projects: Projects
    _branches: Branches
    _languages: Languages
    _formats: Formats
    _blobs: Blobs
    _jobs: Jobs

    def start_import(
        self,
        caller: Caller,
        project_id: str,
        file: SourceFile,
        options: ImportOptions = ImportOptions(),
        given: ImportDecisions = NO_DECISIONS,
    ) -> Job:
        """Check a file, or a ZIP archive of files, and queue its import.

        Needs import_run; translation_write for texts, key_create if it names keys
        that are not there, key_delete and every language of the project for the mode
        ``replace``, as keys go with all their texts. Raises UnknownFormat,
        UnreadableFile and InvalidKey (with a Problem a fault), LanguageNotInProject,
        ValidationFailed, LanguageNotAssigned, PermissionDenied, BranchProtected.
        """
        return self.prepare_import(caller, project_id, file, options, given)()

    def prepare_import(
        self,
        caller: Caller,
        project_id: str,
        file: SourceFile,
        options: ImportOptions = ImportOptions(),
        given: ImportDecisions = NO_DECISIONS,
    ) -> Callable[[], Job]:
        """Like ``start_import``; the function that is returned queues the job."""
        project = self._projects.require(caller, PERMISSION, project_id)
        check_record(options, "form")
        check_record(replace(file, content=b""), "form.file")  # without a copy of it
        check_seen(given.seen)
        file = replace(file, content=bytes(file.content))
        if options.mode == "replace":
            self._projects.require_also(caller, "key_delete", project)
        if options.mode == "replace" and options.renames == "carry":
            self._projects.require_also(caller, "key_update", project)
        if options.add_languages:
            self._projects.require_also(caller, "language_manage", project)
        tags = _tags(options.tags)
        scope = self._branches.scope(project, options.branch)
        batch = self._read(project, scope, file, options, given)
        if options.mode == "replace" and not batch.keys:
            message = "a file without keys would remove every key"
            raise ValidationFailed.at("form.mode", "replace", message)
        codes = self._codes(project) if options.mode == "replace" else []
        codes += dict.fromkeys(code for key in batch.keys for code in key.values)
        codes += batch.languages
        for code in codes:
            self._access.require_language(caller, scope_of(project), code)
        self._require_permissions(caller, scope, batch)
        require_writable(scope)
        try:
            content = _encoder.encode(batch)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            log.warning("a format's details cannot be kept: %s", error)
            message = "the file has details that cannot be kept"
            raise UnreadableFile(message) from None
        note = self._blobs.put(content, keep_for=KEPT_FOR)
        crash_point("import.before_job")
        params = ImportParams(
            blob=note.name,
            store=note.store,
            mode=options.mode,
            on_conflict=options.on_conflict,
            dry_run=options.dry_run,
            tags=tags,
            module=options.module,
            modules=options.modules,
            branch=scope.branch.id if scope.branch else None,
            keep_fresh=options.keep_fresh,
            renames=options.renames,
        )

        def queue() -> Job:
            given = msgspec.to_builtins(params)
            with self._storage.transaction():
                job = self._jobs.start(caller, project, TYPE, PERMISSION, given)
            crash_point("import.after_job")
            return job

        return queue

    def _read(
        self,
        project: Project,
        scope: BranchScope,
        file: SourceFile,
        options: ImportOptions,
        given: ImportDecisions,
    ) -> ImportBatch:
        codes = self._codes(project)
        tag = None
        if options.language_code is not None:
            tag = require_tag(options.language_code, "form.languageCode")
            require_language(tag, codes)
        if options.module is not None:
            check_module(options.module, project.key_separator)
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
            self._formats, project, upload.plurals or {}, imported.own_names
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

    def list_conflicts(
        self,
        caller: Caller,
        project_id: str,
        job_id: str,
        page: PageRequest = PageRequest(),
    ) -> Page[Conflict]:
        """Return a page of the conflicts of an import, in the order of keys.

        Raises ProjectNotFound, JobNotFound.
        """
        check_record(page, "query")
        job = self._jobs.get_job(caller, project_id, job_id)
        found = self._jobs.page_of_items(job, page)
        items = [msgspec.convert(each, Conflict) for each in found.items]
        return Page(items, found.total, found.page, found.limit)


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


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of all fields, split at commas. Raises ValidationFailed."""
    tags = clean_tags([tag for one in given for tag in one.split(",")], "form.tags")
    if len(tags) > TAGS_MOST:
        message = f"must have at most {TAGS_MOST} tags"
        raise ValidationFailed.at("form.tags", "length", message)
    if any(len(tag) > TAG_LENGTH for tag in tags):
        message = f"a tag must have at most {TAG_LENGTH} characters"
        raise ValidationFailed.at("form.tags", "length", message)
    return tags

"""Checks a file of texts, and queues its import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.branches.service import Branches, require_writable
from locframework.errors import JobNotFound, ValidationFailed
from locframework.file_import.imports import KEPT_FOR
from locframework.formats.records import SourceFile
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.keys.records import TAG_LENGTH, TAGS_MOST
from locframework.keys.rules import clean_tags
from locframework.pagination import Page, PageRequest
from locframework.projects.service import Projects
from locframework.transactions import crash_point
from locframework.validation import check_record

from .decisions import check_seen
from .import_job import PERMISSION, TYPE
from .records import (
    NO_DECISIONS,
    Conflict,
    ImportDecisions,
    ImportOptions,
    ImportParams,
)
from .uploads import ImportStorage, ImportUpload, UploadChecker


@dataclass(eq=False, repr=False)
class Imports:
    """Imports: a small file is checked at once, and imported by a job."""

    _storage: ImportStorage
    _projects: Projects
    _branches: Branches
    _blobs: Blobs
    _jobs: Jobs
    _checker: UploadChecker

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
        ValidationFailed, LanguageNotAssigned, PermissionDenied, BranchProtected. A file
        over 2 MiB, or an archive with more, is read by the job, which fails with the
        same.
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
        upload = ImportUpload(file, options, given)
        is_checked = not self._checker.is_large(file)
        if is_checked:
            content = self._checker.check(caller, scope, upload)
        else:
            self._checker.check_options(project, options)
            content = msgspec.msgpack.encode(upload)
        require_writable(scope)
        note = self._blobs.put(content, keep_for=KEPT_FOR)
        crash_point("import.before_job")
        params = ImportParams(
            blob=note.name,
            store=note.store,
            is_checked=is_checked,
            options=replace(options, tags=tags, branch=scope.branch_id),
        )

        def queue() -> Job:
            given = msgspec.to_builtins(params)
            with self._storage.transaction():
                job = self._jobs.start(caller, project, TYPE, PERMISSION, given)
            crash_point("import.after_job")
            return job

        return queue

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
        if job.type != TYPE:
            raise JobNotFound
        found = self._jobs.page_of_items(job, page)
        items = [msgspec.convert(each, Conflict) for each in found.items]
        return Page(items, found.total, found.page, found.limit)


def _tags(given: Sequence[str]) -> list[str]:
    """Return the tags of all fields, split at commas. Raises ValidationFailed."""
    tags = clean_tags([tag for one in given for tag in one.split(",")], "form.tags")
    if len(tags) > TAGS_MOST:
        message = f"must have at most {TAGS_MOST} tags"
        raise ValidationFailed.at("form.tags", "length", message)
    if any(len(tag) > TAG_LENGTH for tag in tags):
        message = f"a tag must have at most {TAG_LENGTH} characters"
        raise ValidationFailed.at("form.tags", "length", message)
    return [*tags]

"""Import and export over HTTP (decisions 2.6)."""

from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.errors import (
    BranchNotOpen,
    BranchProtected,
    FormatFailed,
    InvalidKey,
    LanguageNotAssigned,
    LanguageNotInProject,
    UnknownFormat,
    UnreadableFile,
)
from locframework.formats.records import SourceFile
from locframework.http.operation import RawResponse, operation
from locframework.http.records import (
    Accepted,
    BranchQuery,
    Prepared,
    Raw,
    RequestInfo,
)
from locframework.http.responses import if_none_match_matches
from locframework.jobs.endpoints import accepted
from locframework.jobs.records import JobAnswer
from locframework.pagination import Page, PageRequest

from .decisions import decisions_in
from .exports import Exports
from .imports import Imports
from .records import Conflict, ExportQuery, ImportForm, ImportOptions
from .rules import (
    WARNING_COUNT_HEADER,
    WARNINGS_HEADER,
    branch_of,
    warning_headers,
)


class ExchangeEndpoints:
    """``/projects/{projectId}/import`` and ``/export``."""

    tag = "Import and export"

    def __init__(self, imports: Imports, exports: Exports) -> None:
        self._imports = imports
        self._exports = exports

    @operation(
        "POST",
        "/projects/{projectId}/import",
        permission="import_run",
        errors=(
            UnknownFormat,
            UnreadableFile,
            FormatFailed,
            InvalidKey,
            LanguageNotInProject,
            LanguageNotAssigned,
            BranchProtected,
        ),
    )
    def start_import(
        self, caller: Caller, project_id: str, query: BranchQuery, form: ImportForm
    ) -> Prepared[Accepted[JobAnswer]]:
        """Import a file.

        The file, or a ZIP archive of files, is read and checked at once, or by the job
        if it has more than 2 MiB, unpacked; the job then fails with the same code and
        details. It imports the file 2,000 keys at a time, or fewer in a project with
        more than five languages, so that others can write meanwhile. An import that is
        refused changes nothing, unless somebody changed the project between two steps;
        then ``progress.done`` keys stay. With ``onConflict`` ``fail``, all of it is one
        step. The job's ``result`` counts what was done. Needs translation_write for
        texts, key_create for new keys; for the mode ``replace`` also key_delete, and
        every language of the project, because keys are removed with all their texts. An
        existing text that differs is merged three ways (``onConflict`` ``auto``):
        against what the file brought last, or ``seen``, the side that changed wins;
        where both did, the file wins in the source language, the project in the others,
        and `GET …/jobs/{jobId}/conflicts` lists it. ``resolutions`` decide single
        texts. ``keep`` and ``overwrite`` always take one side of the others; with
        ``fail``, the job fails with ``import_conflict`` if any other is there.
        """
        file = SourceFile(form.file.name, form.file.content)
        names = ImportOptions.__struct_fields__  # all but the file
        options = ImportOptions(**{name: getattr(form, name) for name in names})
        options = replace(options, branch=branch_of(options, query.branch))
        given = decisions_in(
            form.resolutions.content if form.resolutions else None,
            form.seen.content if form.seen else None,
        )
        start = self._imports.prepare_import(caller, project_id, file, options, given)
        return Prepared(lambda: accepted(start()))

    @operation("GET", "/projects/{projectId}/jobs/{jobId}/conflicts", permission=None)
    def list_conflicts(
        self, caller: Caller, project_id: str, job_id: str, query: PageRequest
    ) -> Page[Conflict]:
        """List the conflicts of an import.

        In the order of keys. `kept` says which text stands; `resolutions` of another
        import, or `onConflict`, choose otherwise.
        """
        return self._imports.list_conflicts(caller, project_id, job_id, query)

    @operation(
        "GET",
        "/projects/{projectId}/export",
        permission="export_run",
        errors=(
            BranchNotOpen,
            UnknownFormat,
            InvalidKey,
            LanguageNotInProject,
            FormatFailed,
        ),
        raw=(
            RawResponse(
                200,
                "The file, or a ZIP archive of several.",
                headers=(
                    "Content-Disposition",
                    "ETag",
                    WARNING_COUNT_HEADER,
                    WARNINGS_HEADER,
                ),
            ),
            RawResponse(304, "Unchanged since the ETag given", headers=("ETag",)),
        ),
    )
    def export(
        self, caller: Caller, project_id: str, query: ExportQuery, request: RequestInfo
    ) -> Raw:
        """Export a file.

        One file of the format; a ZIP archive if there are several: a file of most
        formats holds one language. `layout=original` keeps the order and layout of the
        files that were last imported, and their paths; `canonical` is one file for each
        language, in the order of keys. What the format cannot express is left out:
        `X-Service-Warning-Count` says how often, `X-Service-Warnings` lists the first
        as JSON. The `ETag` of an earlier answer gives 304.
        """
        etag = f'"{self._exports.state(caller, project_id, query)}"'
        if if_none_match_matches(request.if_none_match, etag):
            return Raw(b"", None, status=304, headers={"ETag": etag})
        file = self._exports.export(caller, project_id, query)
        disposition = f'attachment; filename="{file.name}"'
        headers = {"Content-Disposition": disposition, "ETag": etag}
        headers |= warning_headers(file.warnings)
        return Raw(file.content, file.content_type, headers=headers)

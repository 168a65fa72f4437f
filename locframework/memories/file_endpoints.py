"""Import and export of entries over HTTP, and the jobs that import (decisions 2.5)."""

from locframework.access.records import Caller
from locframework.errors import (
    JobNotCancellable,
    JobNotFound,
    LanguageNotAssigned,
    LanguageNotInProject,
    TmNotFound,
    UnknownFormat,
    UnreadableFile,
)
from locframework.http.operation import RawResponse, operation
from locframework.http.records import Accepted, Prepared, Raw
from locframework.jobs.records import Job, JobAnswer, JobQuery
from locframework.pagination import Page

from .file_records import MemoryExportQuery, MemoryImportForm
from .imports import MemoryFiles

TAG = "Translation memories"


class MemoryFileEndpoints:
    """``/translation-memories/{tmId}/import``, ``/export`` and ``/jobs``."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files

    @operation(
        "POST",
        "/translation-memories/{tmId}/import",
        permission="tm_write",
        errors=(TmNotFound, UnknownFormat, UnreadableFile, LanguageNotAssigned),
        tag=TAG,
    )
    def import_memory(
        self, caller: Caller, tm_id: str, form: MemoryImportForm
    ) -> Prepared[Accepted[JobAnswer]]:
        """Import entries.

        A TMX 1.4b or CSV file is checked, the first 2 MiB at once and the rest by the
        job, which then imports it, some 2,000 texts at a time. A unit whose source text
        and context already exist goes to that entry: `onExisting` `keep` fills what is
        missing, `replace` overwrites what differs. What cannot be imported of a unit is
        left out, and reported by the job. A language that the memory lacks is taken as
        the one that it means there (`de-DE`: `de`), else added if the caller has
        `tm_manage`.
        """
        start = self._files.prepare_import(caller, tm_id, form.file.file, form)
        return Prepared(lambda: _accepted(tm_id, start()))

    @operation(
        "GET",
        "/translation-memories/{tmId}/export",
        permission="tm_read",
        errors=(TmNotFound, UnknownFormat, LanguageNotInProject),
        raw=(RawResponse(200, "The file.", headers=("Content-Disposition",)),),
        tag=TAG,
    )
    def export_memory(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> Raw:
        """Export entries.

        `format` is `tmx` or `csv`. Exports every entry, with the translations that
        count; TMX also has drafts. Proposals are left out.
        """
        file = self._files.export(caller, tm_id, query)
        headers = {
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Content-Length": str(file.byte_size),
        }
        return Raw(b"", file.content_type, headers=headers, file=file.file)

    @operation(
        "GET",
        "/translation-memories/{tmId}/jobs",
        permission=None,
        errors=(TmNotFound,),
        tag=TAG,
    )
    def list_memory_jobs(
        self, caller: Caller, tm_id: str, query: JobQuery
    ) -> Page[Job]:
        """List the jobs of a translation memory.

        Newest first; those of a kind that the caller may start.
        """
        return self._files.list_jobs(caller, tm_id, query)

    @operation(
        "GET",
        "/translation-memories/{tmId}/jobs/{jobId}",
        permission=None,
        errors=(TmNotFound, JobNotFound),
        tag=TAG,
    )
    def get_memory_job(self, caller: Caller, tm_id: str, job_id: str) -> JobAnswer:
        """Get a job of a translation memory."""
        return JobAnswer(self._files.get_job(caller, tm_id, job_id))

    @operation(
        "POST",
        "/translation-memories/{tmId}/jobs/{jobId}/cancel",
        permission=None,
        errors=(TmNotFound, JobNotFound, JobNotCancellable),
        tag=TAG,
    )
    def cancel_memory_job(self, caller: Caller, tm_id: str, job_id: str) -> JobAnswer:
        """Cancel a job of a translation memory.

        A queued job ends at once, a running one soon. What it has done stays.
        """
        return JobAnswer(self._files.cancel_job(caller, tm_id, job_id))


def _accepted(tm_id: str, job: Job) -> Accepted[JobAnswer]:
    return Accepted(JobAnswer(job), f"/translation-memories/{tm_id}/jobs/{job.id}")

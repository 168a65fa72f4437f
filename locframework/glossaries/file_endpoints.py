"""Import and export of terms over HTTP, and the jobs that import (decisions 2.4)."""

from locframework.access.records import Caller
from locframework.errors import (
    GlossaryNotFound,
    JobNotCancellable,
    JobNotFound,
    LanguageNotAssigned,
    UnknownFormat,
    UnreadableFile,
)
from locframework.http.operation import RawResponse, operation
from locframework.http.records import Accepted, Prepared, Raw
from locframework.jobs.records import Job, JobAnswer, JobQuery
from locframework.pagination import Page

from .file_records import GlossaryExportQuery, GlossaryImportForm
from .files import GlossaryFiles

TAG = "Glossaries"


class GlossaryFileEndpoints:
    """``/glossaries/{glossaryId}/import``, ``/export`` and ``/jobs``."""

    def __init__(self, files: GlossaryFiles) -> None:
        self._files = files

    @operation(
        "POST",
        "/glossaries/{glossaryId}/import",
        permission="glossary_write",
        errors=(GlossaryNotFound, UnknownFormat, UnreadableFile, LanguageNotAssigned),
        tag=TAG,
    )
    def import_glossary(
        self, caller: Caller, glossary_id: str, form: GlossaryImportForm
    ) -> Prepared[Accepted[JobAnswer]]:
        """Import terms.

        A CSV or TBX file is checked, the first 2 MiB at once and the rest by the job,
        which then imports it, some 2,000 texts at a time. An existing term with the
        same case rule becomes what the file says; what the file does not say stays as
        it is, and so do terms it does not name. Translations are applied, or proposed
        if the glossary requires approval and the caller cannot approve; drafts replace
        only drafts.
        """
        start = self._files.prepare_import(
            caller, glossary_id, form.file.file, form.format
        )
        return Prepared(lambda: _accepted(glossary_id, start()))

    @operation(
        "GET",
        "/glossaries/{glossaryId}/export",
        permission="glossary_read",
        errors=(GlossaryNotFound, UnknownFormat),
        raw=(RawResponse(200, "The file.", headers=("Content-Disposition",)),),
        tag=TAG,
    )
    def export_glossary(
        self, caller: Caller, glossary_id: str, query: GlossaryExportQuery
    ) -> Raw:
        """Export terms.

        `format` is `csv` or `tbx`. Exports every term, with the translations that count
        and drafts; proposals are left out.
        """
        file = self._files.export(caller, glossary_id, query.format)
        headers = {
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Content-Length": str(file.byte_size),
        }
        return Raw(b"", file.content_type, headers=headers, file=file.file)

    @operation(
        "GET",
        "/glossaries/{glossaryId}/jobs",
        permission=None,
        errors=(GlossaryNotFound,),
        tag=TAG,
    )
    def list_glossary_jobs(
        self, caller: Caller, glossary_id: str, query: JobQuery
    ) -> Page[Job]:
        """List the jobs of a glossary.

        Newest first; those of a kind that the caller may start.
        """
        return self._files.list_jobs(caller, glossary_id, query)

    @operation(
        "GET",
        "/glossaries/{glossaryId}/jobs/{jobId}",
        permission=None,
        errors=(GlossaryNotFound, JobNotFound),
        tag=TAG,
    )
    def get_glossary_job(
        self, caller: Caller, glossary_id: str, job_id: str
    ) -> JobAnswer:
        """Get a job of a glossary."""
        return JobAnswer(self._files.get_job(caller, glossary_id, job_id))

    @operation(
        "POST",
        "/glossaries/{glossaryId}/jobs/{jobId}/cancel",
        permission=None,
        errors=(GlossaryNotFound, JobNotFound, JobNotCancellable),
        tag=TAG,
    )
    def cancel_glossary_job(
        self, caller: Caller, glossary_id: str, job_id: str
    ) -> JobAnswer:
        """Cancel a job of a glossary.

        A queued job ends at once, a running one soon. What it has done stays.
        """
        return JobAnswer(self._files.cancel_job(caller, glossary_id, job_id))


def _accepted(glossary_id: str, job: Job) -> Accepted[JobAnswer]:
    return Accepted(JobAnswer(job), f"/glossaries/{glossary_id}/jobs/{job.id}")

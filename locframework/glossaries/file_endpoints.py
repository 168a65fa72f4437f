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
from locframework.http.operation import RawAnswer, operation
from locframework.http.records import Accepted, Prepared, Raw
from locframework.jobs.records import Job, JobAnswer

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

        A CSV or TBX file is read and judged at once; a job then imports it, 2,000
        terms at a time. A term that is there, with the same case rule, becomes what
        the file says; what the file does not say stays, and so do terms it does not
        name. Translations are applied, or proposed where the glossary requires
        approval and the caller cannot approve; drafts replace nothing but drafts.
        """
        start = self._files.prepare_import(
            caller, glossary_id, form.file.content, form.format
        )
        return Prepared(lambda: _accepted(glossary_id, start()))

    @operation(
        "GET",
        "/glossaries/{glossaryId}/export",
        permission="glossary_read",
        errors=(GlossaryNotFound, UnknownFormat),
        raw=(RawAnswer(200, "The file.", headers=("Content-Disposition",)),),
        tag=TAG,
    )
    def export_glossary(
        self, caller: Caller, glossary_id: str, query: GlossaryExportQuery
    ) -> Raw:
        """Export terms.

        `format` is `csv` or `tbx`. Every term, with the translations that count and
        drafts; proposals stay at home.
        """
        file = self._files.export(caller, glossary_id, query.format)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return Raw(file.content, file.content_type, headers=headers)

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

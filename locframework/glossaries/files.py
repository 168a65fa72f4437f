"""What one can do with files of terms: have them judged and imported, and export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO, get_args

import msgspec

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.errors import UnknownFormat, abbreviate
from locframework.file_import.large_files import ExportedFile, exported
from locframework.file_import.xml_reading import begins_like_xml
from locframework.jobs.records import Job, JobQuery
from locframework.jobs.service import Jobs
from locframework.pagination import Page
from locframework.transactions import crash_point
from locframework.validation import file_of

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import write_csv
from .file_records import FileFormat
from .import_judging import KEPT_FOR, PERMISSION, ImportJudge, Sent
from .records import StoredGlossary
from .service import Glossaries
from .store import GlossaryStorage
from .tbx_file import CONTENT_TYPE as TBX_TYPE
from .tbx_file import write_tbx
from .term_import import TYPE, ImportParams


class GlossaryFiles:
    """Files of terms. The beginning of one that comes in is judged at once; a job then
    imports it."""

    def __init__(
        self,
        storage: GlossaryStorage,
        linked: LinkedAccess,
        glossaries: Glossaries,
        judge: ImportJudge,
        blobs: Blobs,
        jobs: Jobs,
    ) -> None:
        self._storage = storage
        self._linked = linked
        self._glossaries = glossaries
        self._judge = judge
        self._blobs = blobs
        self._jobs = jobs

    def start_import(
        self,
        caller: Caller,
        glossary_id: str,
        content: bytes | BinaryIO,
        format_: str | None,
    ) -> Job:
        """Read and judge a file, and queue its import.

        ``content`` is the file, or its bytes; memory does not grow with it. ``format_``
        None: told by the content. A term that the glossary has, with the same case
        rule, becomes what the file says; what the file does not name stays.
        Translations are applied, or proposed where that needs approval and the caller
        cannot give it; drafts replace nothing but drafts. With a warning, a term that
        the file has twice is merged into one, and a language is read as the one that is
        meant among those of the terms and of the glossary's projects (``de-DE`` as
        ``de``). Raises GlossaryNotFound, PermissionDenied, UnknownFormat,
        UnreadableFile (with a Problem a line), LanguageNotAssigned.
        """
        return self.prepare_import(caller, glossary_id, content, format_)()

    def prepare_import(
        self,
        caller: Caller,
        glossary_id: str,
        content: bytes | BinaryIO,
        format_: str | None,
    ) -> Callable[[], Job]:
        """``start_import`` but for the queueing, which a call of the answer does."""
        stored = self._glossaries.require(caller, PERMISSION, glossary_id)
        file = file_of(content, "form.file")
        chosen = _format(format_) if format_ is not None else _detected(file)
        judged = self._judge.begin(Sent(caller, stored, chosen), file)
        if judged is not None:
            params = ImportParams(judged.parts, chosen, judged.terms, judged.result)
        else:
            parts = self._blobs.put_parts(file, keep_for=KEPT_FOR)
            params = ImportParams(parts, chosen)
        crash_point("glossary_import.before_job")
        given = msgspec.to_builtins(params)
        return lambda: self._queue(caller, stored, given)

    def _queue(
        self, caller: Caller, stored: StoredGlossary, params: Mapping[str, object]
    ) -> Job:
        with self._storage.transaction():
            started = self._jobs.start_for_subject(
                caller, stored.organization_id, stored.id, TYPE, PERMISSION, params
            )
        return started.job

    def export(self, caller: Caller, glossary_id: str, format_: str) -> ExportedFile:
        """All terms, with what counts in other languages and drafts; no proposals.

        Raises GlossaryNotFound, PermissionDenied, UnknownFormat. Memory does not grow
        with the terms; all are as of one moment.
        """
        stored = self._glossaries.require(caller, "glossary_read", glossary_id)
        chosen = _format(format_)
        name = stored.glossary.slug.removesuffix(stored.id).strip("-") or "glossary"
        store = self._storage.terms
        with self._storage.snapshot():
            terms = store.stream_terms(stored.id)
            if chosen == "tbx":
                parts = write_tbx(stored.glossary, terms)
                return exported(f"{name}.tbx", TBX_TYPE, parts)
            codes, drafts = (
                store.languages(stored.id, status) for status in (None, "draft")
            )
            return exported(f"{name}.csv", CSV_TYPE, write_csv(terms, codes, drafts))

    def list_jobs(self, caller: Caller, glossary_id: str, query: JobQuery) -> Page[Job]:
        """Those of the glossary that the caller might have started, newest first.

        Raises GlossaryNotFound.
        """
        stored = self._glossaries.visible(caller, glossary_id)
        return self._jobs.list_subject_jobs(stored.id, query, self._may(caller, stored))

    def get_job(self, caller: Caller, glossary_id: str, job_id: str) -> Job:
        """A job of the glossary. Raises GlossaryNotFound, JobNotFound."""
        stored = self._glossaries.visible(caller, glossary_id)
        may = self._may(caller, stored)
        return self._jobs.get_subject_job(stored.id, job_id, may)

    def cancel_job(self, caller: Caller, glossary_id: str, job_id: str) -> Job:
        """As Jobs.cancel_job. Raises GlossaryNotFound, JobNotFound,
        JobNotCancellable."""
        stored = self._glossaries.visible(caller, glossary_id)
        may = self._may(caller, stored)
        return self._jobs.cancel_subject_job(stored.id, job_id, may)

    def _may(self, caller: Caller, stored: StoredGlossary) -> Callable[[str], bool]:
        return lambda permission: self._linked.may(caller, permission, stored.reach)


def _format(name: str) -> FileFormat:
    if name == "csv":
        return "csv"
    if name == "tbx":
        return "tbx"
    there = ", ".join(get_args(FileFormat))
    raise UnknownFormat(f"glossaries have no format {abbreviate(name)!r}: only {there}")


def _detected(file: BinaryIO) -> FileFormat:
    return "tbx" if begins_like_xml(file) else "csv"

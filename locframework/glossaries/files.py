"""What one can do with files of terms: have them judged and imported, and export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import get_args

import msgspec

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.crash_points import crash_point
from locframework.errors import UnknownFormat, mentioned
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.storage import Storage

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import read_csv, write_csv
from .file_records import FileFormat, GlossaryFile, ReadTerms
from .file_rules import Faults, judged
from .records import StoredGlossary
from .service import Glossaries
from .tbx_file import CONTENT_TYPE as TBX_TYPE
from .tbx_file import write_tbx
from .tbx_reading import read_tbx
from .term_import import PERMISSION, TYPE, ImportParams

KEPT_FOR = timedelta(days=7)  # what was read, for the job that works from it

_encoder = msgspec.msgpack.Encoder()


class GlossaryFiles:
    """Files of terms. One that comes in is judged at once; a job then imports it."""

    def __init__(
        self,
        storage: Storage,
        linked: LinkedAccess,
        glossaries: Glossaries,
        blobs: Blobs,
        jobs: Jobs,
    ) -> None:
        self._storage = storage
        self._linked = linked
        self._glossaries = glossaries
        self._blobs = blobs
        self._jobs = jobs

    def start_import(
        self, caller: Caller, glossary_id: str, content: bytes, format_: str | None
    ) -> Job:
        """Read and judge a file, and queue its import.

        A term that is there, with the same case rule, is changed to what the file
        says; what the file does not name stays. Its translations are applied, or
        proposed where that needs approval and the caller cannot give it; drafts take
        the place of nothing but drafts. A term that the file has twice is taken
        together, and told. ``format_`` None: told by the content. Raises
        GlossaryNotFound, PermissionDenied, UnknownFormat, UnreadableFile (with a
        Problem a line), LanguageNotAssigned.
        """
        return self.prepare_import(caller, glossary_id, content, format_)()

    def prepare_import(
        self, caller: Caller, glossary_id: str, content: bytes, format_: str | None
    ) -> Callable[[], Job]:
        """``start_import`` but for the queueing, which a call of the answer does."""
        stored = self._glossaries.require(caller, PERMISSION, glossary_id)
        chosen = _format(format_) if format_ is not None else _detected(content)
        faults = Faults()
        source_language = stored.glossary.source_language
        read = _read(chosen, content, source_language, faults)
        read = judged(read, source_language, faults)
        codes = {text.language_code for each in read.terms for text in each.texts}
        for code in sorted(codes):
            self._linked.require_language(caller, PERMISSION, stored.reach, code)
        note = self._blobs.put(_encoder.encode(read), keep_for=KEPT_FOR)
        crash_point("glossary_import.before_job")
        given = msgspec.to_builtins(ImportParams(note.name, note.store))
        return lambda: self._queue(caller, stored, given)

    def _queue(
        self, caller: Caller, stored: StoredGlossary, params: Mapping[str, object]
    ) -> Job:
        with self._storage.transaction():
            started = self._jobs.start_about(
                caller, stored.organization_id, stored.id, TYPE, PERMISSION, params
            )
        return started.job

    def export(self, caller: Caller, glossary_id: str, format_: str) -> GlossaryFile:
        """All terms, with what counts in other languages and drafts; no proposals.

        Raises GlossaryNotFound, PermissionDenied, UnknownFormat.
        """
        stored = self._glossaries.require(caller, "glossary_read", glossary_id)
        chosen = _format(format_)
        terms = list(self._storage.terms.walk_terms(stored.id))
        name = stored.glossary.slug.removesuffix(stored.id).strip("-") or "glossary"
        if chosen == "csv":
            return GlossaryFile(f"{name}.csv", write_csv(terms), CSV_TYPE)
        return GlossaryFile(f"{name}.tbx", write_tbx(stored.glossary, terms), TBX_TYPE)

    def get_job(self, caller: Caller, glossary_id: str, job_id: str) -> Job:
        """A job of the glossary. Raises GlossaryNotFound, JobNotFound."""
        stored = self._glossaries.visible(caller, glossary_id)
        may = self._may(caller, stored)
        return self._jobs.job_about(stored.id, job_id, may)

    def cancel_job(self, caller: Caller, glossary_id: str, job_id: str) -> Job:
        """As Jobs.cancel_job. Raises GlossaryNotFound, JobNotFound,
        JobNotCancellable."""
        stored = self._glossaries.visible(caller, glossary_id)
        may = self._may(caller, stored)
        return self._jobs.cancel_about(stored.id, job_id, may)

    def _may(self, caller: Caller, stored: StoredGlossary) -> Callable[[str], bool]:
        return lambda permission: self._linked.may(caller, permission, stored.reach)


def _format(name: str) -> FileFormat:
    if name == "csv":
        return "csv"
    if name == "tbx":
        return "tbx"
    there = ", ".join(get_args(FileFormat))
    raise UnknownFormat(f"glossaries have no format {mentioned(name)!r}: only {there}")


def _detected(content: bytes) -> FileFormat:
    begin = content[:100].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    return "tbx" if begin.startswith(b"<") else "csv"


def _read(
    format_: FileFormat, content: bytes, source_language: str, faults: Faults
) -> ReadTerms:
    if format_ == "csv":
        return read_csv(content, faults)
    return read_tbx(content, source_language, faults)

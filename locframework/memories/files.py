"""What one can do with files of entries: have them judged and imported, and export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import BinaryIO, get_args

import msgspec
from msgspec.structs import replace

from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.errors import UnknownFormat, abbreviate
from locframework.file_import.large_files import ExportedFile, exported
from locframework.file_import.xml_reading import begins_like_xml
from locframework.jobs.records import Job, JobQuery
from locframework.jobs.service import Jobs
from locframework.languages import require_tag
from locframework.pagination import Page
from locframework.transactions import crash_point
from locframework.validation import check_record, file_of

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import write_csv
from .file_records import (
    FileFormat,
    ImportOptions,
    ImportParams,
    MemoryExportQuery,
    MemoryImportForm,
)
from .import_job import TYPE
from .import_judging import PERMISSION, ImportJudge, Sent
from .records import KeptMemory, MemoryEntry
from .rules import check_targets
from .service import Memories
from .store import MemoryStorage
from .tmx_writing import CONTENT_TYPE as TMX_TYPE
from .tmx_writing import write_tmx

KEPT_FOR = timedelta(days=7)  # the file, for the job that works from it


class MemoryFiles:
    """TMX and CSV. A file that comes in is judged at once; a job then imports it."""

    def __init__(
        self,
        storage: MemoryStorage,
        memories: Memories,
        judge: ImportJudge,
        blobs: Blobs,
        jobs: Jobs,
    ) -> None:
        self._storage = storage
        self._store = storage.memories
        self._memories = memories
        self._judge = judge
        self._blobs = blobs
        self._jobs = jobs

    def start_import(
        self,
        caller: Caller,
        tm_id: str,
        content: bytes | BinaryIO,
        options: ImportOptions,
    ) -> Job:
        """Read and judge a file, and queue its import.

        ``content`` is the file, or what is in it; memory does not grow with it.
        What is beyond 2 MiB is judged by the job, before it writes anything.
        Languages that the memory lacks are taken as those they mean there (``de-DE``:
        ``de``), else added where the caller may tm_manage, else left out. Raises
        TmNotFound, PermissionDenied, UnknownFormat, UnreadableFile (with the line),
        ValidationFailed, LanguageNotAssigned.
        """
        return self.prepare_import(caller, tm_id, content, options)()

    def prepare_import(
        self,
        caller: Caller,
        tm_id: str,
        content: bytes | BinaryIO,
        options: ImportOptions,
    ) -> Callable[[], Job]:
        """``start_import`` but for the queueing, which a call of the answer does."""
        kept = self._memories.require(caller, PERMISSION, tm_id)
        if not isinstance(options, MemoryImportForm):  # HTTP has decoded that
            check_record(options, "form")
        wanted = _tags(options.language_codes, "form.languageCodes")
        file = file_of(content, "form.file")
        given = options.format
        chosen = _format(given) if given is not None else _detected(file)
        judged = self._judge.begin(Sent(caller, kept, chosen, wanted), file)
        parts = self._blobs.put_parts(file, keep_for=KEPT_FOR)
        crash_point("tm_import.before_job")
        params = ImportParams(
            parts=parts,
            format=chosen,
            on_existing=options.on_existing,
            wanted=wanted,
            judged=judged,
        )
        return lambda: self._queue(caller, kept, msgspec.to_builtins(params))

    def export(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> ExportedFile:
        """All entries, as they were made, in some or all languages.

        Raises TmNotFound, PermissionDenied, UnknownFormat, LanguageNotInProject.
        Memory does not grow with the entries; all are as of one moment.
        """
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        chosen, memory = _format(query.format), kept.memory
        there = [each.language_code for each in self._store.list_languages(memory.id)]
        asked = _tags(query.language_codes, "query.languageCodes")
        check_targets(memory, there, dict.fromkeys(asked, "query.languageCodes"))
        codes = asked or there
        entries = _within(self._store.stream_entries(memory.id), codes)
        parts = (
            write_csv(memory, codes, entries)
            if chosen == "csv"
            else write_tmx(memory, entries)
        )
        name = memory.slug.removesuffix(memory.id).strip("-") or "memory"
        content_type = CSV_TYPE if chosen == "csv" else TMX_TYPE
        return exported(f"{name}.{chosen}", content_type, parts)

    def list_jobs(self, caller: Caller, tm_id: str, query: JobQuery) -> Page[Job]:
        """Those of the memory that the caller might have started, newest first.

        Raises TmNotFound.
        """
        kept = self._memories.visible(caller, tm_id)
        may = self._memories.judge(caller, kept)
        return self._jobs.list_subject_jobs(kept.memory.id, query, may)

    def get_job(self, caller: Caller, tm_id: str, job_id: str) -> Job:
        """A job of the memory. Raises TmNotFound, JobNotFound."""
        kept = self._memories.visible(caller, tm_id)
        may = self._memories.judge(caller, kept)
        return self._jobs.get_subject_job(kept.memory.id, job_id, may)

    def cancel_job(self, caller: Caller, tm_id: str, job_id: str) -> Job:
        """As Jobs.cancel_job. Raises TmNotFound, JobNotFound, JobNotCancellable."""
        kept = self._memories.visible(caller, tm_id)
        may = self._memories.judge(caller, kept)
        return self._jobs.cancel_subject_job(kept.memory.id, job_id, may)

    def _queue(
        self, caller: Caller, kept: KeptMemory, params: Mapping[str, object]
    ) -> Job:
        with self._storage.transaction():
            started = self._jobs.start_for_subject(
                caller, kept.organization_id, kept.memory.id, TYPE, PERMISSION, params
            )
        return started.job


def _tags(codes: Sequence[str], path: str) -> list[str]:
    """Canonical tags; each may hold several, with commas."""
    parts = [part for code in codes for part in code.split(",")]
    return list(dict.fromkeys(require_tag(part.strip(), path) for part in parts))


def _within(
    entries: Iterable[MemoryEntry], codes: Sequence[str]
) -> Iterator[MemoryEntry]:
    wanted = set(codes)
    for entry in entries:
        rows = [each for each in entry.translations if each.language_code in wanted]
        yield replace(entry, translations=tuple(rows))


def _format(name: str) -> FileFormat:
    if name == "csv":
        return "csv"
    if name == "tmx":
        return "tmx"
    there = ", ".join(get_args(FileFormat))
    message = f"memories have no format {abbreviate(name)!r}: only {there}"
    raise UnknownFormat(message)


def _detected(file: BinaryIO) -> FileFormat:
    return "tmx" if begins_like_xml(file) else "csv"

"""What one can do with files of entries: have them judged and imported, and export."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import BinaryIO, cast, get_args

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.linked import LinkedAccess
from locframework.access.records import Caller
from locframework.blobs.service import Blobs
from locframework.crash_points import crash_point
from locframework.errors import LanguageNotInProject, UnknownFormat, mentioned
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.languages import require_tag
from locframework.storage import Storage
from locframework.validation import check_record

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import write_csv
from .file_records import (
    ExportedMemory,
    FileFormat,
    ImportOptions,
    ImportParams,
    MemoryExportQuery,
    MemoryImportForm,
    Unit,
)
from .import_job import PERMISSION, READERS, TYPE
from .records import KeptMemory, MemoryEntry
from .service import Memories
from .tmx_writing import CONTENT_TYPE as TMX_TYPE
from .tmx_writing import write_tmx

KEPT_FOR = timedelta(days=7)  # the file, for the job that works from it
IN_MEMORY = 4 * 1024 * 1024  # bytes of an export that are not put on the disk


class MemoryFiles:
    """TMX and CSV. A file that comes in is judged at once; a job then imports it."""

    def __init__(
        self,
        storage: Storage,
        linked: LinkedAccess,
        memories: Memories,
        blobs: Blobs,
        jobs: Jobs,
    ) -> None:
        self._storage = storage
        self._store = storage.memories
        self._linked = linked
        self._memories = memories
        self._blobs = blobs
        self._jobs = jobs

    def start_import(
        self, caller: Caller, tm_id: str, content: bytes, options: ImportOptions
    ) -> Job:
        """Read and judge a file, and queue its import.

        Languages that the memory lacks are added where the caller may tm_manage, else
        left out. Raises TmNotFound, PermissionDenied, UnknownFormat, UnreadableFile
        (with the line), ValidationFailed, LanguageNotAssigned.
        """
        return self.prepare_import(caller, tm_id, content, options)()

    def prepare_import(
        self, caller: Caller, tm_id: str, content: bytes, options: ImportOptions
    ) -> Callable[[], Job]:
        """``start_import`` but for the queueing, which a call of the answer does."""
        kept = self._memories.require(caller, PERMISSION, tm_id)
        if not isinstance(options, MemoryImportForm):  # HTTP has decoded that
            check_record(options, "form")
        wanted = _tags(options.language_codes, "form.languageCodes")
        given = options.format
        chosen = _format(given) if given is not None else _detected(content)
        looked = _look(chosen, content, kept)
        named = [code for code in sorted(looked.codes) if not wanted or code in wanted]
        codes = self._allowed(caller, kept, named)
        reach = self._memories.reach(caller, kept)
        for code in codes:
            self._linked.require_language(caller, PERMISSION, reach, code)
        note = self._blobs.put(content, keep_for=KEPT_FOR)
        crash_point("tm_import.before_job")
        params = ImportParams(
            blob=note.name,
            store=note.store,
            format=chosen,
            on_existing=options.on_existing,
            language_codes=codes,
            languages_left_out=[code for code in named if code not in codes],
            units=looked.units,
        )
        return lambda: self._queue(caller, kept, msgspec.to_builtins(params))

    def export(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> ExportedMemory:
        """All entries, as they were made, in some or all languages.

        Raises TmNotFound, PermissionDenied, UnknownFormat, LanguageNotInProject.
        Memory does not grow with the entries; all are as of one moment.
        """
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        chosen, memory = _format(query.format), kept.memory
        there = [each.language_code for each in self._store.list_languages(memory.id)]
        asked = _tags(query.language_codes, "query.languageCodes")
        if missing := [code for code in asked if code not in there]:
            raise LanguageNotInProject(f"the memory has no language {missing[0]}")
        codes = asked or there
        file = _spool()
        entries = _within(self._store.walk_entries(memory.id), codes)
        parts = (
            write_csv(memory, codes, entries)
            if chosen == "csv"
            else write_tmx(memory, entries)
        )
        for part in parts:
            file.write(part)
        size = file.tell()
        file.seek(0)
        name = memory.slug.removesuffix(memory.id).strip("-") or "memory"
        content_type = CSV_TYPE if chosen == "csv" else TMX_TYPE
        return ExportedMemory(f"{name}.{chosen}", content_type, file, size)

    def get_job(self, caller: Caller, tm_id: str, job_id: str) -> Job:
        """A job of the memory. Raises TmNotFound, JobNotFound."""
        kept = self._memories.visible(caller, tm_id)
        may = self._memories.judge(caller, kept)
        return self._jobs.job_about(kept.memory.id, job_id, may)

    def cancel_job(self, caller: Caller, tm_id: str, job_id: str) -> Job:
        """As Jobs.cancel_job. Raises TmNotFound, JobNotFound, JobNotCancellable."""
        kept = self._memories.visible(caller, tm_id)
        may = self._memories.judge(caller, kept)
        return self._jobs.cancel_about(kept.memory.id, job_id, may)

    def _allowed(
        self, caller: Caller, kept: KeptMemory, codes: Sequence[str]
    ) -> list[str]:
        """Those that the memory has, or may be given."""
        if self._memories.may(caller, "tm_manage", kept):
            return list(codes)
        languages = self._store.list_languages(kept.memory.id)
        there = {language.language_code for language in languages}
        return [code for code in codes if code in there]

    def _queue(
        self, caller: Caller, kept: KeptMemory, params: Mapping[str, object]
    ) -> Job:
        with self._storage.transaction():
            started = self._jobs.start_about(
                caller, kept.organization_id, kept.memory.id, TYPE, PERMISSION, params
            )
        return started.job


def _spool() -> BinaryIO:
    """A file of our own, which is gone when it is closed."""
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(IN_MEMORY))


class _Looked(Struct):
    """What a first look at a file has found."""

    units: int = 0  # those with a fault too
    codes: set[str] = field(default_factory=set)  # of translations


def _look(format_: FileFormat, content: bytes, kept: KeptMemory) -> _Looked:
    """Raises UnreadableFile, so that the job will not."""
    looked = _Looked()
    for each in READERS[format_](io.BytesIO(content), kept.memory.source_language):
        looked.units += 1
        if isinstance(each, Unit):
            looked.codes.update(each.values)
    return looked


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
    message = f"memories have no format {mentioned(name)!r}: only {there}"
    raise UnknownFormat(message)


def _detected(content: bytes) -> FileFormat:
    begin = content[:100].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t")
    return "tmx" if begin.startswith(b"<") else "csv"

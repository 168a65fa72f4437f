"""Imports of files: checked at once or by a job, and written in steps.

Each step and its checkpoint are one transaction, so an import that is killed continues
where it was. Texts of projects use ``write_in_steps`` alone (exchange/import_job.py);
glossaries and memories subclass ``FileImport``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import BinaryIO, ClassVar, Generic, Literal, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Reach, Renewed
from locframework.access.service import LinkedAccess
from locframework.blobs.service import Blobs
from locframework.blobs.store import KeptParts
from locframework.errors import NotFound, PermissionDenied, UnknownFormat, abbreviate
from locframework.fields import Clock
from locframework.jobs.records import Job, JobQuery, Progress, StoredJob
from locframework.jobs.service import Jobs, Subject
from locframework.jobs.work import Work
from locframework.pagination import Page
from locframework.transactions import Repository, Transactions, crash_point, get_record
from locframework.validation import file_of

from .files import MoreToCheck, beginning_of, observed
from .problems import unreadable
from .xml_file import begins_like_xml

KEPT_FOR = timedelta(days=7)  # an upload, for the job that works from it
LANGUAGES_LIMIT = 500  # of a file
WARNINGS_LIMIT = 100  # that a result lists
TEXTS_A_STEP = 2000  # source texts and translations; other writers wait meanwhile
CHARACTERS_A_STEP = 2 * 1024 * 1024  # of them


class ImportSummary(Struct, rename="camel"):
    """What the results of all imports into glossaries and memories have."""

    languages_taken_as: Mapping[str, str] = {}  # code in the file to code here
    languages_added: Sequence[str] = ()  # sorted
    warning_count: int = 0
    warnings: list[str] = []  # the first hundred

    def warn(self, warning: str) -> None:
        self.warning_count += 1
        if len(self.warnings) < WARNINGS_LIMIT:
            self.warnings.append(warning)


class ImportState(Struct, rename="camel"):
    """How far an import is: the checkpoint of its job."""

    total: int  # rows of the file
    result: Mapping[str, object]  # of the rows written so far
    language_codes: Sequence[str] = ()  # target languages that are imported
    done: int = 0  # rows
    renamed: Mapping[str, str] = {}  # names of keys that the import renamed, by the new
    batch: tuple[str, str] | None = None  # blob and store of what the job has read


class ImportParams(Struct, frozen=True, rename="camel"):
    """What the job of an import is given."""

    format: str
    source_language: str  # when the file was checked
    on_existing: Literal["keep", "replace"] = "replace"
    wanted: Sequence[str] = ()  # target languages; none: all
    parts: KeptParts = field(default_factory=lambda: KeptParts("", ()))  # the file
    state: ImportState | None = None  # None: the job checks the file first


class Target(Subject, Protocol):
    """What files are imported into: a glossary or a memory."""

    @property
    def source_language(self) -> str: ...


class FileRow(Protocol):
    """A row of a CSV file, or an element of an XML file."""

    @property
    def line(self) -> int: ...


S = TypeVar("S", bound=Target)
Row = TypeVar("Row", bound=FileRow)
Item = TypeVar("Item")
R = TypeVar("R", bound=ImportSummary)
ResultType = type[ImportSummary]
MissingType = type[NotFound]


class Upload(Struct, Generic[S], frozen=True):
    """A file, and who imports it into what; all as of the moment."""

    caller: Caller
    subject: S
    params: ImportParams


@dataclass(eq=False, repr=False)
class FileImport(ABC, Generic[S, Row, R]):
    """Accepts files for one kind of subject, and handles the jobs that import them."""

    type: ClassVar[str]  # of the jobs
    permission: ClassVar[str]
    subjects: ClassVar[str]  # "glossaries", in messages
    missing: ClassVar[MissingType]  # raised where there is no such subject
    xml_format: ClassVar[str]  # the format beside CSV

    result_type: ClassVar[ResultType]  # R

    _storage: Transactions
    _subjects: Repository[S]
    _linked: LinkedAccess
    _blobs: Blobs
    _jobs: Jobs
    _clock: Clock
    _renewed: Renewed

    @abstractmethod
    def reach(self, caller: Caller, subject: S) -> Reach:
        """Return where the subject is, as far as it matters to the caller."""

    @abstractmethod
    def check_rows(
        self, params: ImportParams, file: BinaryIO, result: R, codes: set[str]
    ) -> Iterator[Row]:
        """Read and check the file; yield its rows. Raises UnreadableFile. Warnings go
        to ``result``, the languages of translations to ``codes``."""

    @abstractmethod
    def choose_languages(
        self, upload: Upload[S], codes: set[str], result: R
    ) -> Sequence[str]:
        """Return the languages to import, and say in ``result`` what each is taken as.
        Raises LanguageNotAssigned."""

    @abstractmethod
    def read_rows(self, params: ImportParams, file: BinaryIO) -> Iterator[Row]:
        """Read a checked file again: as many rows as ``check_rows`` has yielded."""

    @abstractmethod
    def size_of(self, row: Row) -> tuple[int, int]:
        """Return how many texts, and characters of them, a row has."""

    @abstractmethod
    def write(
        self,
        upload: Upload[S],
        rows: Sequence[Row],
        language_codes: Sequence[str],
        result: R,
    ) -> None:
        """Write rows in the open transaction, and add to ``result`` what came of it."""

    def may(self, caller: Caller, permission: str, subject: S) -> bool:
        """Return whether the caller has the permission on the subject."""
        return self._linked.may(caller, permission, self.reach(caller, subject))

    def prepare(
        self,
        caller: Caller,
        subject: S,
        content: bytes | BinaryIO,
        format_: str | None,
        on_existing: Literal["keep", "replace"] = "replace",
        wanted: Sequence[str] = (),
    ) -> Callable[[], Job]:
        """Check a file and keep it; the function that is returned queues the job. The
        first 2 MiB are checked at once, the rest by the job. ``format_`` None:
        detected. Raises UnknownFormat, UnreadableFile, LanguageNotAssigned."""
        file = file_of(content)
        if format_ is None:
            chosen = self.xml_format if begins_like_xml(file) else "csv"
        else:
            chosen = self.require_format(format_)
        params = ImportParams(chosen, subject.source_language, on_existing, wanted)
        upload = Upload(caller, subject, params)
        state, is_whole = self._check(upload, beginning_of(file))
        file.seek(0)
        parts = self._blobs.put_parts(file, keep_for=KEPT_FOR)
        crash_point(f"{self.type}.before_job")
        params = replace(params, parts=parts, state=state if is_whole else None)
        given = msgspec.to_builtins(params)

        def queue() -> Job:
            with self._storage.transaction():
                return self._jobs.start(
                    caller, subject, self.type, self.permission, given
                )

        return queue

    def list_jobs(
        self, caller: Caller, reference: str, query: JobQuery = JobQuery()
    ) -> Page[Job]:
        """List the jobs of a glossary or memory that the caller may have started,
        newest first."""
        id_, may = self._visible(caller, reference)
        return self._jobs.list_subject_jobs(id_, query, may)

    def get_job(self, caller: Caller, reference: str, job_id: str) -> Job:
        """Return a job of a glossary or memory. Raises JobNotFound."""
        id_, may = self._visible(caller, reference)
        return self._jobs.get_subject_job(id_, job_id, may)

    def cancel_job(self, caller: Caller, reference: str, job_id: str) -> Job:
        """Cancel a job; see Jobs.cancel_job. Raises JobNotFound, JobNotCancellable."""
        id_, may = self._visible(caller, reference)
        return self._jobs.cancel_subject_job(id_, job_id, may)

    def require_format(self, name: str) -> str:
        """Return the format of that name. Raises UnknownFormat."""
        if name not in (self.xml_format, "csv"):
            formats = f"{abbreviate(name)!r}: only csv, {self.xml_format}"
            raise UnknownFormat(f"{self.subjects} have no format {formats}")
        return name

    def run(self, job: StoredJob, work: Work) -> None:
        """Import the file, some 2,000 texts a step; the last ends the job too. What was
        written stays when a step is refused."""
        params = msgspec.convert(job.params, ImportParams)
        state = params.state
        if job.step is not None:
            state = msgspec.convert(job.step, ImportState)
        if state is None:
            upload = self._upload(job, params, lock=False)
            with self._blobs.open_parts(params.parts) as file:
                watched = observed(file, lambda _: work.check_cancelled())
                state, _ = self._check(upload, watched)

        def write(rows: Sequence[Row]) -> None:
            upload = self._upload(job, params, lock=True)
            result = cast("R", msgspec.convert(state.result, self.result_type))
            self.write(upload, rows, state.language_codes, result)
            state.result = msgspec.to_builtins(result)

        with self._blobs.open_parts(params.parts) as file:
            rows = islice(self.read_rows(params, file), state.done, None)
            last = write_in_steps(
                work, state, self._in_batches(rows), write, f"{self.type}.after_step"
            )
        work.check_cancelled()
        with work.finish() as outcome:
            write(last)
            work.report(state.total, state.total)
            outcome.result = state.result
            crash_point(f"{self.type}.before_commit")

    def _check(self, upload: Upload[S], file: BinaryIO) -> tuple[ImportState, bool]:
        result, codes = cast("R", self.result_type()), set[str]()
        rows, is_whole = 0, True
        try:
            for row in self.check_rows(upload.params, file, result, codes):
                rows += 1
                if len(codes) > LANGUAGES_LIMIT:
                    message = f"there are more than {LANGUAGES_LIMIT} languages"
                    raise unreadable(row.line, "language", message)
        except MoreToCheck:
            is_whole = False
        imported = self.choose_languages(upload, codes, result)
        return ImportState(rows, msgspec.to_builtins(result), imported), is_whole

    def _visible(
        self, caller: Caller, reference: str
    ) -> tuple[str, Callable[[str], bool]]:
        """Return the id of a subject, and what tells the caller's permissions there."""
        subject = get_record(self._subjects, reference, self.missing)
        if not self._linked.sees(caller, self.reach(caller, subject)):
            raise self.missing
        return subject.id, lambda permission: self.may(caller, permission, subject)

    def _upload(self, job: StoredJob, params: ImportParams, *, lock: bool) -> Upload[S]:
        """Raises PermissionDenied if the caller of the job may not import any more."""
        id_ = job.subject_id or ""
        if lock:
            self._subjects.lock(id_)
        subject = get_record(self._subjects, id_, self.missing)
        caller = self._renewed(job.caller)
        if caller is None or not self.may(caller, self.permission, subject):
            raise PermissionDenied(self.permission)
        return Upload(caller, subject, params)

    def _in_batches(self, rows: Iterator[Row]) -> Iterator[list[Row]]:
        batch: list[Row] = []
        texts = characters = 0
        for row in rows:
            batch.append(row)
            more = self.size_of(row)
            texts, characters = texts + more[0], characters + more[1]
            if texts >= TEXTS_A_STEP or characters >= CHARACTERS_A_STEP:
                yield batch
                batch, texts, characters = [], 0, 0
        if batch:
            yield batch


def write_in_steps(
    work: Work,
    state: ImportState,
    batches: Iterator[Sequence[Item]],
    write: Callable[[Sequence[Item]], Sequence[Mapping[str, object]] | None],
    crash_name: str,
) -> Sequence[Item]:
    """Write all batches but the last, each with its checkpoint in one transaction.
    ``write`` adds to ``state.result``, and may return what the job lists besides.
    Return the last batch, to be written with the end of the job."""
    batch: Sequence[Item] = next(batches, ())
    for following in batches:
        work.check_cancelled()
        with work.step() as step:
            step.items = write(batch) or ()
            state.done += len(batch)
            step.note = msgspec.to_builtins(state)
            step.progress = Progress(state.done, state.total)
        crash_point(crash_name)
        batch = following
    return batch

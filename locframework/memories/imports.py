"""Files of entries: imports them by a job, and exports them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, Literal

from msgspec.structs import replace

from locframework.access.records import Caller, Reach, Renewed
from locframework.access.service import LinkedAccess
from locframework.blobs.service import Blobs
from locframework.errors import TmNotFound, truncate
from locframework.fields import Clock, new_id, timestamp
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.files import ExportedFile, exported
from locframework.file_import.imports import FileImport, ImportParams, Upload
from locframework.jobs.records import Job
from locframework.jobs.service import Jobs
from locframework.languages import match_languages, require_tag
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, text_of, written
from locframework.validation import check_record

from .csv_file import CONTENT_TYPE as CSV_TYPE
from .csv_file import read_csv, write_csv
from .file_records import (
    ImportOptions,
    ImportResult,
    MemoryExportQuery,
    MemoryImportForm,
    Unit,
    UnitFault,
    UnitValue,
)
from .records import (
    CONTEXT_LENGTH,
    SOURCE_LENGTH,
    VALUE_BYTES,
    MemoryEntry,
    StoredMemory,
    StoredTranslation,
    Texts,
)
from .rules import check_targets
from .service import Memories
from .store import MemoryStorage
from .tm_sync import TmSync
from .tmx_file import CONTENT_TYPE as TMX_TYPE
from .tmx_file import read_tmx, write_tmx


class MemoryFiles(FileImport[StoredMemory, Unit | UnitFault, ImportResult]):
    """TMX and CSV files: the service, and the handler of import jobs."""

    type = "tm_import"
    permission = "tm_write"
    subjects = "memories"
    xml_format = "tmx"

    def __init__(
        self,
        storage: MemoryStorage,
        linked: LinkedAccess,
        memories: Memories,
        blobs: Blobs,
        jobs: Jobs,
        sync: TmSync,
        clock: Clock,
        renewed: Renewed,
    ) -> None:
        super().__init__(storage, linked, blobs, jobs, renewed, ImportResult)
        self._store = storage.memories
        self._memories = memories
        self._sync = sync
        self._clock = clock

    def start_import(
        self,
        caller: Caller,
        tm_id: str,
        content: bytes | BinaryIO,
        options: ImportOptions,
    ) -> Job:
        """Check a file and queue its import.

        Units that no entry can hold are left out and listed. Languages that the memory
        lacks are read as those that they mean there (``de-DE`` as ``de``), else added
        where the caller has tm_manage, else left out. Raises TmNotFound,
        PermissionDenied, UnknownFormat, UnreadableFile (with the line),
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
        """Like ``start_import``; the function that is returned queues the job."""
        kept = self._memories.require(caller, self.permission, tm_id)
        if not isinstance(options, MemoryImportForm):  # HTTP has decoded that
            check_record(options, "form")
        wanted = _tags(options.language_codes, "form.languageCodes")
        return self.prepare(
            caller, kept, content, options.format, options.on_existing, wanted
        )

    def export(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> ExportedFile:
        """Export all entries, oldest first, in some or all languages.

        Raises TmNotFound, PermissionDenied, UnknownFormat, LanguageNotInProject.
        Memory does not grow with the entries; all are as of one moment.
        """
        kept = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        chosen, memory = self.require_format(query.format), kept.memory
        there = [each.language_code for each in self._store.list_languages(memory.id)]
        requested = _tags(query.language_codes, "query.languageCodes")
        check_targets(memory, there, dict.fromkeys(requested, "query.languageCodes"))
        codes = requested or there
        entries = _in_languages(self._store.stream_entries(memory.id), codes)
        name = memory.slug.removesuffix(memory.id).strip("-") or "memory"
        if chosen == "csv":
            parts = write_csv(memory, codes, entries)
            return exported(f"{name}.csv", CSV_TYPE, parts)
        return exported(f"{name}.tmx", TMX_TYPE, write_tmx(memory, entries))

    def visible(self, caller: Caller, reference: str) -> StoredMemory:
        return self._memories.visible(caller, reference)

    def find(self, id_: str, *, lock: bool) -> StoredMemory:
        if lock:
            self._store.lock(id_)
        kept = self._store.find(id_)
        if kept is None:
            raise TmNotFound
        return kept

    def reach(self, caller: Caller, subject: StoredMemory) -> Reach:
        return self._memories.reach(caller, subject)

    def check_rows(
        self,
        params: ImportParams,
        file: BinaryIO,
        result: ImportResult,
        codes: set[str],
    ) -> Iterator[Unit | UnitFault]:
        for row in self.read_rows(params, file):
            if isinstance(row, Unit):
                codes.update(row.values)
            yield row

    def choose_languages(
        self, upload: Upload[StoredMemory], codes: set[str], result: ImportResult
    ) -> list[str]:
        caller, subject, params = upload.caller, upload.subject, upload.params
        there = {each.language_code for each in self._store.list_languages(subject.id)}
        own, wanted = subject.source_language, params.wanted
        reach = self.reach(caller, subject)
        may_add = self._linked.may(caller, "tm_manage", reach)
        apart = codes.intersection(wanted) if may_add else set()
        matched = match_languages(codes - {own}, (there | apart) - {own})
        taken_as, left_out = dict[str, str](), dict[str, str]()
        for code in sorted(codes):
            target = matched.get(code, code)
            if code == own:
                left_out[code] = "it is the memory's source language"
            elif wanted and code not in wanted and target not in wanted:
                left_out[code] = "it is not one of the requested languages"
            elif code not in matched and not may_add:
                left_out[code] = "the memory lacks it, and adding it takes tm_manage"
            else:
                self._linked.require_language(caller, self.permission, reach, target)
                taken_as[code] = target
        if params.format == "csv":
            refuse_words(taken_as.keys() - matched.keys(), "name it in languageCodes")
        result.languages_left_out = list(left_out)
        result.languages_taken_as = {c: as_ for c, as_ in taken_as.items() if c != as_}
        for code, reason in left_out.items():
            result.warn(f"{code} is left out: {reason}")
        return sorted({*taken_as.values()})

    def read_rows(
        self, params: ImportParams, file: BinaryIO
    ) -> Iterator[Unit | UnitFault]:
        read = read_csv if params.format == "csv" else read_tmx
        return read(file, params.source_language)

    def size_of(self, row: Unit | UnitFault) -> tuple[int, int]:
        if isinstance(row, UnitFault):
            return 1, 0
        characters = sum(len(each.value) for each in row.values.values())
        return 1 + len(row.values), len(row.source_text) + characters

    def write(
        self,
        upload: Upload[StoredMemory],
        rows: Sequence[Unit | UnitFault],
        language_codes: Sequence[str],
        result: ImportResult,
    ) -> None:
        caller, subject = upload.caller, upload.subject
        self._add_languages(caller, subject, language_codes, result)
        writing = self._memories.begin(subject.id)
        units = [unit for row in rows if (unit := _checked(row, result)) is not None]
        ids = self._store.entry_ids_by_text(
            subject.id, {(each.source_text, each.context) for each in units}
        )
        entries = self._store.find_entries(subject.id, ids.values())
        requires = subject.memory.requires_approval
        plan = _Plan(
            {texts: entries[id_] for texts, id_ in ids.items()},
            timestamp(self._clock()),
            result,
            subject.id,
            language_codes,
            upload.params.on_existing,
            applies=not requires or self.may(caller, "tm_approve", subject),
        )
        for unit in units:
            plan.add(unit)
        if plan.new:
            self._store.add_entries(writing, list(plan.new.values()))
        if plan.changed:
            self._store.put_translations(writing, list(plan.changed.values()))
        changed = {row.entry_id for row in plan.changed.values()}
        result.entries_created += len(plan.new)
        result.entries_updated += len(changed)
        result.entries_unchanged += len(plan.existing - changed)
        result.translations_written += len(plan.changed)
        result.translations_written += sum(
            len(each.translations) for each in plan.new.values()
        )

    def _add_languages(
        self,
        caller: Caller,
        subject: StoredMemory,
        codes: Sequence[str],
        result: ImportResult,
    ) -> None:
        """Add the languages that the memory lacks, in each step: one may have been
        removed since. Raises LanguageNotAssigned, LanguageNotInProject."""
        reach = self.reach(caller, subject)
        for code in codes:
            self._linked.require_language(caller, self.permission, reach, code)
        there = {each.language_code for each in self._store.list_languages(subject.id)}
        missing = [code for code in codes if code not in there]
        if missing and not self._linked.may(caller, "tm_manage", reach):
            check_targets(subject.memory, there, dict.fromkeys(missing, "form.file"))
        self._sync.add_languages(subject.id, missing)
        result.languages_added = sorted({*result.languages_added, *missing})


class _Plan:
    """What units change of entries; later units of a text build on earlier ones."""

    def __init__(
        self,
        entries: dict[Texts, MemoryEntry],
        at: str,
        result: ImportResult,
        tm_id: str,
        language_codes: Sequence[str],
        on_existing: Literal["keep", "replace"],
        *,
        applies: bool,
    ) -> None:
        self._at = at
        self._result = result
        self._tm_id = tm_id
        self._language_codes = language_codes
        self._on_existing = on_existing
        self._applies = applies
        self._ids = {texts: entry.id for texts, entry in entries.items()}
        self._rows = {
            entry.id: {each.language_code: each for each in entry.translations}
            for entry in entries.values()
        }
        self.existing: set[str] = set()  # entries of the units
        self.new: dict[Texts, MemoryEntry] = {}
        self.changed: dict[tuple[str, str], StoredTranslation] = {}

    def add(self, unit: Unit) -> None:
        texts = unit.source_text, unit.context
        if texts in self._ids:
            id_ = self._ids[texts]
            self.existing.add(id_)
            for code, row in self._changes(id_, unit).items():
                self.changed[id_, code] = StoredTranslation(id_, row, self._at)
            return
        id_ = self.new[texts].id if texts in self.new else new_id()
        self._changes(id_, unit)
        rows = self._rows[id_].values()
        self.new[texts] = MemoryEntry(
            id=id_,
            tm_id=self._tm_id,
            source_text=unit.source_text,
            context=unit.context,
            created_at=self._at,
            updated_at=self._at,
            translations=tuple(sorted(rows, key=lambda each: each.language_code)),
        )

    def _changes(self, id_: str, unit: Unit) -> dict[str, TermTranslation]:
        """Apply a unit to the translations of an entry; return those that change."""
        rows = self._rows.setdefault(id_, {})
        changes: dict[str, TermTranslation] = {}
        for given, value in unit.values.items():
            code = self._result.languages_taken_as.get(given, given)
            if code not in self._language_codes:
                continue
            old = rows.get(code)
            keeps = old is not None and self._on_existing == "keep"
            new = old if keeps else self._written(old, code, value)
            if new is not None and new != old:
                rows[code] = changes[code] = new
            elif old is not None and (keeps or value.is_draft):
                existing = text_of(old)
                if existing != value.value:
                    stays = (
                        f"{truncate(unit.source_text)!r} stays {truncate(existing)!r}"
                    )
                    self._result.translations_kept += 1
                    self._result.warn(f"line {unit.line}: {stays} in {code}")
        return changes

    def _written(
        self, old: TermTranslation | None, code: str, value: UnitValue
    ) -> TermTranslation | None:
        if value.is_draft:
            return drafted(old, code, value.value)
        return written(old, code, value.value, applies=self._applies, at=self._at)


def _checked(row: Unit | UnitFault, result: ImportResult) -> Unit | None:
    """Return the unit without the texts that no entry can hold; list what is left
    out."""
    message = row.message if isinstance(row, UnitFault) else _problem_of(row)
    if message is not None or isinstance(row, UnitFault):
        result.add_fault(row.line, message or "")
        return None
    values: dict[str, UnitValue] = {}
    for code, value in row.values.items():
        problem = None
        if "\0" in value.value:
            problem = "holds U+0000"
        elif len(value.value.encode()) > VALUE_BYTES:
            problem = f"has more than {VALUE_BYTES:,} bytes in UTF-8"
        if problem:
            what = f"the text in {code} is left out: it {problem}"
            result.warn(f"line {row.line}: {what}")
        elif value.value.strip():
            values[code] = value
    for warning in row.left_out:
        result.warn(f"line {row.line}: {warning}")
    return replace(row, values=values)


def _problem_of(unit: Unit) -> str | None:
    if not unit.source_text.strip():
        return "the source text is blank"
    if len(unit.source_text) > SOURCE_LENGTH:
        return f"the source text has more than {SOURCE_LENGTH:,} characters"
    if len(unit.context) > CONTEXT_LENGTH:
        return f"the context has more than {CONTEXT_LENGTH:,} characters"
    return "a text holds U+0000" if "\0" in unit.source_text + unit.context else None


def _tags(codes: Sequence[str], path: str) -> list[str]:
    """Return canonical tags; each code may be several, separated by commas."""
    parts = [part for code in codes for part in code.split(",")]
    return list(dict.fromkeys(require_tag(part.strip(), path) for part in parts))


def _in_languages(
    entries: Iterable[MemoryEntry], codes: Sequence[str]
) -> Iterator[MemoryEntry]:
    wanted = set(codes)
    for entry in entries:
        rows = [each for each in entry.translations if each.language_code in wanted]
        yield replace(entry, translations=tuple(rows))

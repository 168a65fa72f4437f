"""Files of entries: imports them by a job, and exports them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from locframework.access.records import Caller, Reach
from locframework.errors import TmNotFound, truncate
from locframework.fields import new_id, timestamp
from locframework.file_import.csv_table import refuse_words
from locframework.file_import.files import ExportedFile, exported
from locframework.file_import.imports import (
    WARNINGS_LIMIT,
    FileImport,
    ImportParams,
    ImportSummary,
    Upload,
)
from locframework.file_import.problems import LeftOut
from locframework.http.records import UploadedFile
from locframework.jobs.records import Job
from locframework.languages import match_languages, require_tag
from locframework.projects.records import LanguageTag
from locframework.proposals.records import TermTranslation
from locframework.proposals.rules import drafted, text_of, written
from locframework.validation import check_record, forbidden

from .entries import check_targets
from .files import (
    CSV_TYPE,
    TMX_TYPE,
    Unit,
    UnitFault,
    UnitValue,
    read_csv,
    read_tmx,
    write_csv,
    write_tmx,
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
from .service import Memories
from .store import MemoryStorage
from .tm_sync import TmSync, languages_of

OnExisting = Literal["keep", "replace"]
FormatName = Annotated[
    str,
    Meta(
        max_length=100,
        description="tmx or csv",
        examples=["tmx"],
        extra_json_schema={"enum": ["tmx", "csv"]},
    ),
]  # another is 400 unknown_format, as of projects


class MemoryImportOptions(Struct, frozen=True, rename="camel"):
    """How a file is imported."""

    format: FormatName | None = None  # left out: detected
    on_existing: OnExisting = "keep"  # of a translation that is there and differs
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []
    """Only these of the target languages; none named: all."""


class MemoryImportForm(MemoryImportOptions, frozen=True, rename="camel", kw_only=True):
    """The form that imports a file into a memory."""

    file: UploadedFile


class MemoryExportQuery(Struct, frozen=True, rename="camel"):
    """What is exported."""

    format: FormatName
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []


class ImportResult(ImportSummary, rename="camel"):
    """The ``result`` of a job that imports entries."""

    entries_created: int = 0
    entries_updated: int = 0
    entries_unchanged: int = 0
    translations_written: int = 0
    translations_kept: int = 0  # that differ from the file's, and stay
    units_failed: int = 0  # of which nothing was imported
    errors: list[UnitFault] = field(default_factory=list)  # the first hundred
    languages_left_out: Sequence[str] = ()

    def add_fault(self, line: int, message: str) -> None:
        """Count a unit that is left out."""
        self.units_failed += 1
        if len(self.errors) < WARNINGS_LIMIT:
            self.errors.append(UnitFault(line, message))


@dataclass(eq=False, repr=False)
class MemoryFiles(FileImport[StoredMemory, Unit | UnitFault, ImportResult]):
    """TMX and CSV files: the service, and the handler of import jobs."""

    type = "tm_import"
    permission = "tm_write"
    subjects = "memories"
    missing = TmNotFound
    xml_format = "tmx"

    result_type = ImportResult

    _storage: MemoryStorage
    _memories: Memories
    _sync: TmSync

    def __post_init__(self) -> None:
        self._store = self._storage.memories

    def prepare_import(
        self,
        caller: Caller,
        tm_id: str,
        content: bytes | BinaryIO,
        options: MemoryImportOptions = MemoryImportOptions(),
    ) -> Callable[[], Job]:
        """Check a file; return what queues its import. Raises TmNotFound,
        PermissionDenied, UnknownFormat, UnreadableFile (with the line),
        ValidationFailed, LanguageNotAssigned."""
        stored = self._memories.require(caller, self.permission, tm_id)
        if not isinstance(options, MemoryImportForm):  # HTTP has decoded that
            check_record(options, "form")
        wanted = _tags(options.language_codes, "form.languageCodes")
        return self.prepare(
            caller, stored, content, options.format, options.on_existing, wanted
        )

    def export(
        self, caller: Caller, tm_id: str, query: MemoryExportQuery
    ) -> ExportedFile:
        """Export all entries, oldest first, in some or all languages. Memory does not
        grow with them. Raises TmNotFound, PermissionDenied, UnknownFormat,
        LanguageNotInProject."""
        stored = self._memories.require(caller, "tm_read", tm_id)
        check_record(query, "query")
        chosen, memory = self.require_format(query.format), stored.memory
        there = [each.language_code for each in self._store.list_languages([memory.id])]
        requested = _tags(query.language_codes, "query.languageCodes")
        check_targets(memory, there, dict.fromkeys(requested, "query.languageCodes"))
        codes = requested or there
        entries = _in_languages(self._store.stream_entries(memory.id), codes)
        name = memory.slug.removesuffix(memory.id).strip("-") or "memory"
        if chosen == "csv":
            parts = write_csv(memory, codes, entries)
            return exported(f"{name}.csv", CSV_TYPE, parts)
        return exported(f"{name}.tmx", TMX_TYPE, write_tmx(memory, entries))

    def reach(self, caller: Caller, subject: StoredMemory) -> Reach:
        return self._memories.reach(caller, subject)

    def check_rows(
        self,
        params: ImportParams,
        file: BinaryIO,
        result: ImportResult,
        codes: set[str],
    ) -> Iterator[Unit | UnitFault]:
        no_place = LeftOut()
        for row in self.read_rows(params, file):
            if isinstance(row, Unit):
                codes.update(row.values)
                no_place.add(row.no_place)
            yield row
        for warning in no_place.warnings():
            result.warn(warning)

    def choose_languages(
        self, upload: Upload[StoredMemory], codes: set[str], result: ImportResult
    ) -> list[str]:
        caller, subject, params = upload.caller, upload.subject, upload.params
        there = {
            each.language_code for each in self._store.list_languages([subject.id])
        }
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
        existing = {
            (entry.source_text, entry.context): {
                each.language_code: each for each in entry.translations
            }
            for entry in entries.values()
        }
        requires, now = subject.memory.requires_approval, timestamp(self._clock())
        applies = not requires or self.may(caller, "tm_approve", subject)
        keeps = upload.params.on_existing == "keep"
        changed: dict[Texts, dict[str, TermTranslation]] = {}
        for unit in units:  # later units of a text build on earlier ones
            texts = unit.source_text, unit.context
            there = existing.setdefault(texts, {})
            changes = changed.setdefault(texts, {})
            for given, value in unit.values.items():
                code = result.languages_taken_as.get(given, given)
                if code not in language_codes:
                    continue
                old = there.get(code)
                is_kept = keeps and old is not None
                if is_kept:
                    new = old
                elif value.is_draft:
                    new = drafted(old, code, value.value)
                else:
                    new = written(old, code, value.value, applies=applies, at=now)
                if new is not None and new != old:
                    there[code] = changes[code] = new
                elif old is not None and (is_kept or value.is_draft):
                    text = text_of(old)
                    if text != value.value:
                        name = truncate(unit.source_text)
                        stays = f"{name!r} stays {truncate(text)!r} in {code}"
                        result.translations_kept += 1
                        result.warn(f"line {unit.line}: {stays}")
        new_entries = [
            MemoryEntry(
                id=new_id(),
                tm_id=subject.id,
                source_text=texts[0],
                context=texts[1],
                created_at=now,
                updated_at=now,
                translations=tuple(some[code] for code in sorted(some)),
            )
            for texts, some in changed.items()
            if texts not in ids
        ]
        translations = [
            StoredTranslation(ids[texts], each, now)
            for texts, some in changed.items()
            if texts in ids
            for each in some.values()
        ]
        if new_entries:
            self._store.add_entries(writing, new_entries)
        if translations:
            self._store.write_translations(writing, translations, now)
        updated = len({each.entry_id for each in translations})
        result.entries_created += len(new_entries)
        result.entries_updated += updated
        result.entries_unchanged += len(changed) - len(new_entries) - updated
        result.translations_written += sum(map(len, changed.values()))

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
        there = {
            each.language_code for each in self._store.list_languages([subject.id])
        }
        missing = [code for code in codes if code not in there]
        if missing and not self._linked.may(caller, "tm_manage", reach):
            check_targets(subject.memory, there, dict.fromkeys(missing, "form.file"))
        self._sync.add_languages(subject.id, languages_of(subject.id, missing))
        result.languages_added = sorted({*result.languages_added, *missing})


def _checked(row: Unit | UnitFault, result: ImportResult) -> Unit | None:
    """Return the unit without the texts that no entry can hold; list what is left
    out."""
    if isinstance(row, UnitFault):
        problem: str | None = row.message
    elif not row.source_text.strip():
        problem = "the source text is blank"
    elif len(row.source_text) > SOURCE_LENGTH:
        problem = f"the source text has more than {SOURCE_LENGTH:,} characters"
    elif len(row.context) > CONTEXT_LENGTH:
        problem = f"the context has more than {CONTEXT_LENGTH:,} characters"
    elif forbidden(row.source_text + row.context):
        problem = "a text holds U+0000 or a lone surrogate"
    else:
        problem = None
    for warning in () if isinstance(row, UnitFault) else row.left_out:
        result.warn(f"line {row.line}: {warning}")
    if problem is not None or isinstance(row, UnitFault):
        result.add_fault(row.line, problem or "")
        return None
    values: dict[str, UnitValue] = {}
    for code, value in row.values.items():
        problem = None
        if forbidden(value.value):
            problem = "holds U+0000 or a lone surrogate"
        elif len(value.value.encode()) > VALUE_BYTES:
            problem = f"has more than {VALUE_BYTES:,} bytes in UTF-8"
        if problem:
            what = f"the text in {code} is left out: it {problem}"
            result.warn(f"line {row.line}: {what}")
        elif value.value.strip():
            values[code] = value
    return replace(row, values=values)


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

"""What files say of entries, whatever their format, and what comes of an import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.blobs.records import KeptParts
from locframework.errors import truncate
from locframework.http.records import UploadedFile
from locframework.projects.records import LanguageTag

FileFormat = Literal["tmx", "csv"]
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

ERRORS_TOLD = 100


class UnitValue(Struct, frozen=True, gc=False):
    """What a unit says in a language."""

    value: str
    is_draft: bool = False


class Unit(Struct, frozen=True, gc=False):
    """A source text with its translations, as a file has it."""

    line: int  # 1-based; where it begins
    source_text: str
    context: str
    values: Mapping[str, UnitValue]  # by canonical language code
    left_out: Sequence[str] = ()  # what of it was not read, and why


class UnitFault(Struct, frozen=True):
    """Why a unit is left out, as a whole."""

    line: int
    message: str


class ImportOptions(Struct, frozen=True, rename="camel"):
    """How a file is imported."""

    format: FormatName | None = None  # left out: what its content says
    on_existing: OnExisting = "keep"  # of a translation that is there and differs
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []
    """Only these of the target languages; none named: all."""


class MemoryImportForm(ImportOptions, frozen=True, rename="camel", kw_only=True):
    """The form that imports a file into a memory."""

    file: UploadedFile


class MemoryExportQuery(Struct, frozen=True, rename="camel"):
    """What is exported."""

    format: FormatName
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []


class Judged(Struct, frozen=True, rename="camel"):
    """What a file has, and what of it is imported."""

    language_codes: Sequence[str]  # target languages that are imported
    languages_left_out: Sequence[str]  # those that are not
    units: int
    languages_taken_as: Mapping[str, str] = {}  # of the file: what is imported as
    warnings: Sequence[str] = ()  # why languages are left out


class ImportParams(Struct, frozen=True, rename="camel"):
    """What an import job works from."""

    parts: KeptParts
    format: FileFormat
    on_existing: OnExisting
    wanted: Sequence[str] = ()  # target languages; none: all
    judged: Judged | None = None  # None: the job does it


class ImportResult(Struct, rename="camel"):
    """What came of an import, in its job's ``result``."""

    entries_created: int = 0
    entries_updated: int = 0
    entries_unchanged: int = 0
    translations_written: int = 0
    translations_kept: int = 0  # that differ from what the file says, and stay
    units_failed: int = 0  # of which nothing was taken
    errors: list[UnitFault] = []  # the first hundred
    languages_left_out: Sequence[str] = ()
    languages_taken_as: Mapping[str, str] = {}  # of the file: of the memory
    languages_added: Sequence[str] = ()  # those that the memory had not, sorted
    warning_count: int = 0
    warnings: list[str] = []  # what was left out, which were kept: the first hundred

    def keep(self, line: int, source_text: str, code: str, value: str) -> None:
        """Count a translation that stays as it is, and tell of it."""
        self.translations_kept += 1
        self.warn(
            line, f"{truncate(source_text)!r} stays {truncate(value)!r} in {code}"
        )

    def warn(self, line: int, told: str) -> None:
        """Tell of a part of a unit; the first hundred are."""
        self.warning_count += 1
        if len(self.warnings) < ERRORS_TOLD:
            self.warnings.append(f"line {line}: {told}")


class ImportStep(Struct, frozen=True, rename="camel"):
    """How far an import is."""

    done: int  # units
    result: ImportResult
    judged: Judged | None = None  # None: as the job was given it

"""What files of entries contain, in any format, and the result of an import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from locframework.file_import.imports import WARNINGS_LIMIT, ImportSummary
from locframework.http.records import UploadedFile
from locframework.projects.records import LanguageTag

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


class UnitValue(Struct, frozen=True, gc=False):
    """The text of a unit in one language."""

    value: str
    is_draft: bool = False


class Unit(Struct, frozen=True, gc=False):
    """A source text with its translations, in a file."""

    line: int  # the first, counted from 1
    source_text: str
    context: str
    values: Mapping[str, UnitValue]  # by canonical language code
    left_out: Sequence[str] = ()  # warnings of what was not read


class UnitFault(Struct, frozen=True):
    """Why a unit is left out, as a whole."""

    line: int
    message: str


class ImportOptions(Struct, frozen=True, rename="camel"):
    """How a file is imported."""

    format: FormatName | None = None  # left out: detected
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

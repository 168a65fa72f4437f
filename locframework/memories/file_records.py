"""What files say of entries, whatever their format, and what comes of an import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, BinaryIO, Literal

from msgspec import Meta, Struct

from locframework.http.records import Upload
from locframework.projects.records import LanguageTag

FileFormat = Literal["tmx", "csv"]
OnExisting = Literal["keep", "replace"]
FormatName = Annotated[str, Meta(max_length=100, examples=["tmx"])]  # tmx or csv

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


class UnitFault(Struct, frozen=True):
    """Why a unit, or a part of it, is left out."""

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

    file: Upload


class MemoryExportQuery(Struct, frozen=True, rename="camel"):
    """What is exported."""

    format: FormatName
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []


class ImportParams(Struct, frozen=True, rename="camel"):
    """What an import job works from."""

    blob: str
    store: str
    format: FileFormat
    on_existing: OnExisting
    language_codes: Sequence[str]  # target languages that are imported
    languages_left_out: Sequence[str]  # that the memory lacks, and was not given
    units: int


class ImportResult(Struct, rename="camel"):
    """What came of an import, in its job's ``result``."""

    entries_created: int = 0
    entries_updated: int = 0
    entries_unchanged: int = 0
    translations_written: int = 0
    units_failed: int = 0
    errors: list[UnitFault] = []  # the first hundred
    languages_left_out: Sequence[str] = ()


class ImportStep(Struct, frozen=True, rename="camel"):
    """How far an import is."""

    done: int  # units
    result: ImportResult


class ExportedMemory(Struct, frozen=True):
    """A file that was exported; whoever takes it closes it."""

    name: str
    content_type: str
    file: BinaryIO
    byte_size: int

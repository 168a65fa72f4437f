"""What a file says of terms, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.blobs.records import KeptParts
from locframework.http.records import UploadedFile

from .records import UsageStatus

WARNINGS_MOST = 100

FileFormat = Literal["csv", "tbx"]
FormatName = Annotated[
    str,
    Meta(
        max_length=100,
        description="csv or tbx",
        examples=["csv"],
        extra_json_schema={"enum": ["csv", "tbx"]},
    ),
]  # another is 400 unknown_format, as of projects


class FileText(Struct, frozen=True, gc=False):
    """What a term is in a language."""

    language_code: str  # canonical BCP-47
    value: str  # not empty
    is_draft: bool = False


class FileTerm(Struct, frozen=True, gc=False):
    """A term; None is what the file does not say."""

    line: int  # 1-based
    term: str
    do_not_translate: bool | None = None
    case_sensitive: bool = False
    usage_status: UsageStatus | None = None
    notes: str | None = None
    texts: tuple[FileText, ...] = ()


class GlossaryImportForm(Struct, frozen=True):
    """The form that imports a file into a glossary."""

    file: UploadedFile
    format: FormatName | None = None  # left out: what name and content say


class GlossaryExportQuery(Struct, frozen=True):
    """What is exported."""

    format: FormatName


class ImportResult(Struct, rename="camel"):
    """What came of an import, in its job's ``result``."""

    terms_created: int = 0
    terms_updated: int = 0
    terms_unchanged: int = 0
    translations_applied: int = 0
    translations_proposed: int = 0
    translations_drafted: int = 0
    translations_kept: int = 0  # that differ from what the file says, and stay
    languages_taken_as: Mapping[str, str] = {}  # of the file: of the glossary
    languages_added: Sequence[str] = ()  # those that no term was in, sorted
    warning_count: int = 0
    warnings: list[str] = []  # the first hundred

    def leave(self, told: str) -> None:
        """Count a term that stays as it is; ``told`` is why, and in which line."""
        self.terms_unchanged += 1
        self.warn(told)

    def keep(self, told: str) -> None:
        """Count a translation that stays as it is; ``told`` says which, and why."""
        self.translations_kept += 1
        self.warn(told)

    def warn(self, told: str) -> None:
        self.warning_count += 1
        if len(self.warnings) < WARNINGS_MOST:
            self.warnings.append(told)


class JudgedFile(Struct, frozen=True):
    """A file that was judged as a whole: its terms, each once, as they are kept."""

    parts: KeptParts
    terms: int
    result: ImportResult  # with what is told of the file

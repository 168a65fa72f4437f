"""The steps that the clauses about formats are made of: write, read, compare."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest
from msgspec.structs import replace

from locframework.errors import UnreadableFile
from locframework.formats.format import Format
from locframework.formats.records import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    Text,
    WrittenFile,
)

from .format_checks import Texts, check_catalogues, check_refusal, is_told, texts_of

PLURALS: dict[str, tuple[str, ...]] = {
    "ja": ("other",),
    "en": ("one", "other"),
    "ar": PLURAL_FORMS,
}


class FormatSteps:
    """What a subclass of FormatContract declares, and what the clauses do with it."""

    cannot: ClassVar[Mapping[str, str]] = {}
    samples: ClassVar[Mapping[str, bytes]] = {}
    unreadable: ClassVar[Mapping[str, bytes]] = {}
    options: ClassVar[FileOptions] = FileOptions(
        key_separator=".", source_language="en"
    )

    @pytest.fixture
    def format(self) -> Format:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture format")

    def entry(self, key: str, value: Text | None) -> Entry:
        """An entry as the format needs it; override it when it needs more."""
        return Entry(key, value, is_plural=isinstance(value, Mapping))

    def write(
        self,
        format: Format,
        entries: Sequence[Entry],
        language: str = "en",
        separator: str = ".",
    ) -> WrittenFile:
        """The file of one catalogue. Skips when the format cannot be exported."""
        if not format.info.can_export:
            pytest.skip(f"{format.info.id} is for import only (info.can_export)")
        options = replace(self.options, key_separator=separator)
        return format.write([catalogue(entries, language)], options)

    def read(
        self,
        format: Format,
        content: bytes,
        language: str = "en",
        separator: str = ".",
    ) -> list[Catalogue]:
        """The file's catalogues. Skips when the format cannot be imported."""
        if not format.info.can_import:
            pytest.skip(f"{format.info.id} is for export only (info.can_import)")
        options = replace(self.options, key_separator=separator, language_code=language)
        return format.read(SourceFile(f"x{format.info.extension}", content), options)

    def texts_in(
        self, format: Format, content: bytes, language: str = "en", separator: str = "."
    ) -> Texts:
        """The texts of the file's one catalogue, by key."""
        (read,) = self.read(format, content, language, separator)
        return texts_of(read.entries)

    def round_trip(
        self, format: Format, entries: Sequence[Entry], separator: str = "."
    ) -> Texts:
        """What is read of what was written."""
        written = self.write(format, entries, separator=separator)
        return self.texts_in(format, written.content, separator=separator)

    def comes_back_or_is_told(self, format: Format, entries: Sequence[Entry]) -> None:
        """Nothing is lost or changed of which no warning speaks."""
        written = self.write(format, entries)
        found = self.texts_in(format, written.content)
        for key, text in texts_of(entries).items():
            assert found.get(key) == text or is_told(written, key), key

    def read_or_refuse(self, format: Format, content: bytes) -> list[Catalogue] | None:
        """What is read, when it can be stored; None when it is refused as it should."""
        try:
            catalogues = self.read(format, content)
        except UnreadableFile as refusal:
            check_refusal(refusal)
            return None
        check_catalogues(catalogues)
        return catalogues


def catalogue(entries: Sequence[Entry], language: str) -> Catalogue:
    """A catalogue as the framework gives it to be written."""
    return Catalogue(language, entries, PLURALS.get(language, ("one", "other")))

"""XLIFF files: units with a source text and its translation."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from msgspec.structs import replace

from locframework import hookimpl
from locframework.ports import (
    Catalogue,
    FileOptions,
    Format,
    FormatInfo,
    SourceFile,
    UnreadableFile,
    WrittenFile,
)

from .units import Document, catalogue_of
from .writing import new_document, write_document

__all__ = ["XliffPlugin"]

_ROOT = re.compile(r"<(?:[\w.-]+:)?xliff\s[^<>]*?\bversion\s*=\s*[\"']([0-9.]{1,9})")
_HEAD = 4096  # bytes in which the root element begins


class Xliff:
    """One version. It reads the others too; a template of another is not used."""

    def __init__(self, version: str) -> None:
        self._version = version
        self.info = FormatInfo(
            id=f"xliff-{version}",
            name=f"XLIFF {version}",
            extension=".xlf",
            other_extensions=(".xliff",),
            content_type="application/xliff+xml; charset=utf-8",
            comments=True,
            max_lengths=True,
            source_texts=True,
            marks_unreviewed=True,
            limits=("control characters",) if version == "1.2" else (),
        )

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the root element says that it is XLIFF of this version."""
        head = file.content[:_HEAD].replace(b"\0", b"")  # of UTF-16
        found = _ROOT.search(head.decode("latin-1"))
        return found is not None and self._is_own(found[1])

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue. Raises UnreadableFile."""
        return [catalogue_of(Document.of(file.content, options), options)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file of the one catalogue, with the source texts beside its own."""
        [catalogue] = catalogues
        if catalogue.template is not None:
            its = replace(options, language_code=catalogue.language_code)
            with suppress(UnreadableFile):  # it is no XLIFF any more
                document = Document.of(catalogue.template, its)
                is_own = self._is_own(document.version)
                if is_own and (written := write_document(document, catalogue, its)):
                    return written
        document = new_document(self._version, catalogue, options)
        written = write_document(document, catalogue, options)
        assert written is not None
        return written

    def _is_own(self, version: str) -> bool:
        return version == self._version or (version[:2] == self._version[:2] == "1.")


class XliffPlugin:
    """Provides the formats xliff-1.2, xliff-2.0, xliff-2.1 and xliff-2.2."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """One format for each version."""
        return [Xliff(version) for version in ("1.2", "2.0", "2.1", "2.2")]

"""The port for file formats: bytes to catalogues and back."""

from collections.abc import Sequence
from typing import Protocol

from .records import Catalogue, FileOptions, FormatInfo, SourceFile, WrittenFile


class Format(Protocol):
    """One file format. Pure: no I/O, no clock, no state between calls.

    Archives, sizes, and who may import are settled before a format is called.
    """

    @property
    def info(self) -> FormatInfo:
        """What the format is; ``info.id`` is the name it is chosen by."""
        ...

    def recognizes(self, file: SourceFile) -> bool:
        """Whether the file is surely of this format; looks at name and bytes.

        Called for detection when no format was named. When several formats say
        yes, the framework refuses to guess, so a format answers True only for what
        no other format of its family would claim. Never raises.
        """
        ...

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """The file's catalogues: one, or one a language for multilingual formats.

        Raises UnreadableFile, with a Problem (path "line N", rule, message) for each
        fault where the format can go on, and for the first one where it cannot.
        Keys come as the file has them, joined by ``options.key_separator``; the
        framework judges them.
        """
        ...

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file with these catalogues: exactly one, unless multilingual.

        Of several, that of the source language comes first, if it is among them, and
        each has all keys, those without a text too. Deterministic to the byte. An entry
        without a value is left out where the format can say nothing about it. A clash
        that it cannot express (``a`` beside ``a.b`` in a tree) becomes a warning
        and never an error.
        """
        ...

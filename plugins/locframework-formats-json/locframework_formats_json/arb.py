"""The format arb: Flutter's Application Resource Bundle, ICU messages by name."""

from collections.abc import Sequence

from locframework.ports import (
    Catalogue,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)

from .arb_reading import read_arb
from .arb_writing import arb_document
from .family import family_member
from .output import encoded


class Arb:
    """``{"@@locale": "de", "save": "Sichern", "@save": {"description": "…"}}``.

    Plurals are ICU messages, ``{count, plural, one{…} other{…}}``. A key that is no
    Dart method name is written under one, ``cart.pay-now`` as ``cartPayNow``, and
    stands itself in the member ``x-key`` of its attributes. Attributes other than the
    description, among them placeholders, type and context, come back as they were.
    """

    info = FormatInfo(
        id="arb",
        name="ARB (Flutter)",
        extension=".arb",
        content_type="application/json",
        comments=True,
    )

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """True for a name in .arb, and for JSON with ``@@locale``."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; its language is ``@@locale``, None without."""
        return [read_arb(file.content)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """The messages, each followed by its attributes, where it has any.

        A plural without ``other`` says its last form there, and warns.
        """
        (catalogue,) = catalogues
        warnings: list[str] = []
        document = arb_document(catalogue, warnings)
        return WrittenFile(encoded(document, self._indent), warnings)

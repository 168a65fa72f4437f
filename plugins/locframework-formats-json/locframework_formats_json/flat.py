"""The format json-flat: one object of whole keys, plurals as objects by CLDR form."""

from collections.abc import Sequence

from locframework.ports import (
    Catalogue,
    FileOptions,
    FormatInfo,
    SourceFile,
    Text,
    WrittenFile,
)

from .family import family_member
from .plurals import in_order, is_plural
from .strict_json import Document, Repeating, encoded, numbered, parse, quoted
from .tree import Leaves, as_texts


class FlatJson:
    """``{"cart.title": "Cart", "cart.items": {"one": "…", "other": "…"}}``.

    Keys stand as they are, so none can clash, and an object can only be a plural,
    also where it lacks ``other``.
    """

    info = FormatInfo(
        id="json-flat",
        name="JSON, flat",
        extension=".json",
        content_type="application/json",
    )

    def __init__(self, indent: int = 2) -> None:
        self._indent = indent

    def recognizes(self, file: SourceFile) -> bool:
        """True when all is on one level and a name is made of segments."""
        return family_member(file) == self.info.id

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        """One catalogue; the file does not tell its language."""
        document = parse(file.content)
        entries = _leaves(document).checked()
        return [Catalogue(None, entries, warnings=document.warnings)]

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One object, in the order of the catalogue."""
        (catalogue,) = catalogues
        document: dict[str, Text] = {}
        for entry in catalogue.entries:
            if isinstance(entry.value, str):
                document[entry.key] = entry.value
            elif entry.value:
                document[entry.key] = in_order(entry.value)
        return WrittenFile(encoded(document, self._indent))


def _leaves(document: Document) -> Leaves:
    leaves = Leaves(document)
    texts = as_texts(document.members, is_plural)
    if texts is not None:
        leaves.add("", texts, 0)
        return leaves
    for member, name, value in numbered(document.members):
        if isinstance(value, str) or is_plural(value):
            leaves.add("", {name: value}, member)
        elif value is None:
            leaves.add_null("", name, member)
        elif isinstance(value, dict) and value:
            message = f"{quoted(name)} holds more than plural forms"
            document.fault(member, "type", message)
        elif not isinstance(value, (dict, Repeating)):
            document.fault_type(member, name, value)
    return leaves

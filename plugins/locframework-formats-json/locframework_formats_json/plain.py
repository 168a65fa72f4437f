"""What JSON formats have in common whose files have plain texts alone."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from locframework.ports import (
    TREE_PATH,
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    JsonDocument,
    TreePath,
    UnreadableFile,
    WrittenFile,
    parse_json,
    quoted,
    tree_key,
)

from .objects import Leaf, ObjectJson, leaves
from .trees import PLAIN, Place, Tree, kept_in

RARE_FORMS = "plural forms that the language needs for fractions alone"
PARTS = "\x1f"  # which keys do not have


class Writing(NamedTuple):
    """What is written."""

    catalogue: Catalogue
    options: FileOptions
    template: JsonDocument  # empty if there is none
    warnings: list[str]


class PlainJson(ObjectJson):
    """Plurals are spelled in texts, names or arrays: each is written as plain texts.

    ``by_path`` tells that these are entries of ``plain_entry``.
    """

    by_path = True

    def leaves_of(self, document: JsonDocument, options: FileOptions) -> list[Leaf]:
        """The texts of the tree."""
        return leaves(document, options.key_separator, lambda *_: False)

    @abstractmethod
    def plain(self, to: Writing) -> Iterator[Entry]:
        """The entries of the plain texts; adds warnings."""

    def write(
        self, catalogues: Sequence[Catalogue], options: FileOptions
    ) -> WrittenFile:
        """One file of the plain texts of the one catalogue."""
        (catalogue,), warnings = catalogues, list[str]()
        template = parse_json(b"{}")
        with suppress(UnreadableFile):
            template = parse_json(catalogue.template or b"{}", self.id_)
        given = replace(catalogue, entries=[_single(e) for e in catalogue.entries])
        plain: dict[str, Entry] = {}
        for entry in self.plain(Writing(given, options, template, warnings)):
            if plain.setdefault(entry.key, entry) is not entry:
                warnings.append(f"{quoted(entry.key)} is left out: a form has its name")
        if self.by_path:
            options = replace(options, key_separator=PARTS)
        given = replace(catalogue, entries=list(plain.values()))
        written = super().write([given], options)
        return replace(written, warnings=[*warnings, *written.warnings])

    def document_of(
        self, catalogue: Catalogue, options: FileOptions, warnings: list[str]
    ) -> Mapping[str, object] | list[object]:
        """The tree of the plain texts."""
        places = [
            Place(*self.place_of(each, options.key_separator)[:1], each.key, each.value)
            for each in catalogue.entries
            if each.value is not None
        ]
        return Tree(options.key_separator, places, warnings).document()


def plain_entry(path: TreePath, text: str | None) -> Entry:
    """An entry of a text at a path."""
    return Entry(tree_key(path, PARTS), text, key_detail={"json": {TREE_PATH: path}})


def info_of(
    id_: str, name: str, *limits: str, comments: bool = False, placeholders: str = ""
) -> FormatInfo:
    """What a format is; one file of an archive is enough to tell."""
    return FormatInfo(
        id_,
        f"JSON, {name}",
        ".json",
        "application/json",
        precedence=2,
        comments=comments,
        placeholders=placeholders,
        limits=limits,
    )


def _single(entry: Entry) -> Entry:
    """The entry; a plural that was one text in the file is one again."""
    value, is_plain = entry.value, kept_in(entry.detail, "json").get(PLAIN)
    if not is_plain or not isinstance(value, Mapping) or value.keys() != {"other"}:
        return entry
    return replace(entry, value=value["other"])

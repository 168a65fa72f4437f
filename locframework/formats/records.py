"""The neutral catalogue: what every file format is read into and written from."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct, field

from locframework.languages import PLURAL_FORMS as PLURAL_FORMS

Text = str | Mapping[str, str]
"""A text; of a plural message an object, CLDR plural form to text."""

Detail = Mapping[str, object]
"""JSON-shaped: what a file says beyond what we model, kept for the way back."""


class FormatInfo(Struct, frozen=True, rename="camel"):
    """What a format is and can do (decisions 2.6, ``GET /formats``)."""

    id: Annotated[str, Meta(examples=["json-nested"])]  # the same for ever
    name: Annotated[str, Meta(examples=["JSON, nested"])]
    extension: str  # with the dot: ".json"
    content_type: str  # that the written file is served with
    can_import: bool = True
    can_export: bool = True
    precedence: int = 0  # the highest that recognizes a file of an archive reads all
    plurals: bool = True  # keeps plural forms apart
    comments: bool = False  # carries descriptions
    max_lengths: bool = False  # carries the length that texts may have at most
    multilingual: bool = False
    """One file holds several languages; published, the source language and another."""
    source_texts: bool = False  # carries the source text beside each value
    marks_unreviewed: bool = False  # has a mark for texts not approved: PO's fuzzy
    composed_names: bool = False  # names of context and source text, with U+0004: Qt
    is_template: bool = False  # has source texts alone, and so no language: POT
    other_extensions: tuple[str, ...] = ()  # that files may have too: ".xliff"
    placeholders: str = ""
    """How its runtime fills in texts: the name of a dialect of ``placeholders.py``; ""
    if that is not known, as of JSON and tables."""
    limits: tuple[str, ...] = ()
    """What the format cannot express, in short phrases. The framework puts those that
    follow from the fields above before them."""
    family: str = ""
    """Formats of one share details of keys, and the files that were imported. "": the
    beginning of the id, ``json`` of ``json-nested``."""
    plugin: str = ""  # filled in by the framework

    def is_name(self, path: str) -> bool:
        """Return whether a file of the format may have this path."""
        return path.lower().endswith((self.extension, *self.other_extensions))

    @property
    def all_limits(self) -> tuple[str, ...]:
        """What the format cannot express: what its fields say, then ``limits``."""
        said = {
            "translations: it has source texts alone": not self.is_template,
            "plural forms": self.plurals or self.placeholders == "icu",
            "descriptions": self.comments,
            "the length that a text may have": self.max_lengths,
            "whether a text is approved": self.marks_unreviewed or self.is_template,
        }
        return (*(each for each, can in said.items() if not can), *self.limits)


def family_of(info: FormatInfo) -> str:
    """Return what formats share their details: ``gettext`` of ``gettext-po``."""
    return info.family or info.id.partition("-")[0]


def may_name(info: FormatInfo, file_key: str) -> bool:
    """Return whether files of the format may call a message so. Names composed by one
    format say nothing to others, and XML cannot hold U+0004."""
    return info.composed_names or "\4" not in file_key


class FileOptions(Struct, frozen=True):
    """What a format is told about the project when it reads or writes."""

    key_separator: str  # one of . : / |
    source_language: str  # BCP-47
    language_code: str | None = None  # reading: the language asked for, when one was
    module: str | None = None  # writing: the one whose keys were asked for, if one was
    plurals: Mapping[str, bool] = {}
    """Reading: whether keys that the project or the source file has are plural."""


class Entry(Struct, frozen=True, gc=False):
    """One message of a catalogue."""

    key: str
    """What the file calls the message, parts joined by the key separator. Writing: the
    key, unless ``is_file_key``."""
    value: Text | None = None  # None: the file names the key without a text
    is_plural: bool = False
    description: str = ""
    source: Text | None = None  # the source text, in formats that carry it (PO)
    needs_review: bool = False
    """Whether the file marks the text as not approved: gettext's "fuzzy". Such a text
    is stored as pending_review."""
    line: int | None = None  # 1-based; for messages about the file
    key_detail: Detail | None = None  # beyond our model, the same in all languages
    detail: Detail | None = None  # beyond our model, of this language only
    name: str | None = None
    """Reading: what the file calls the message, where ``key`` is made of that (PO: the
    msgid; with a msgctxt, that and U+0004 before it). Writing: the key in the project,
    where the file calls it otherwise."""
    format_flags: tuple[str, ...] = ()
    """Reading: what gettext says of the placeholders, as ``qt-format``."""
    is_file_key: bool = False
    """Writing: ``key`` is no legal key, and stands in the file as it is."""
    max_length: int | None = None  # characters, in all languages


class Catalogue(Struct, frozen=True):
    """The messages of one language, in file order (writing: in key order)."""

    language_code: str | None  # reading: None when the file does not say
    entries: Sequence[Entry]
    plural_forms: tuple[str, ...] = ("other",)  # writing: the language's CLDR forms
    detail: Detail | None = None  # of the file as a whole: a PO header
    template: bytes | None = None
    """Writing: the file that was last imported. Its order and layout are kept; only
    texts that differ change, keys that are no longer there go, and new ones stand after
    the entry before them, the first ones before the entry that follows. Languages of a
    multilingual file that are not among the catalogues stay as they are; all have one
    template."""
    warnings: list[str] = field(default_factory=list)


class SourceFile(Struct, frozen=True):
    """A file as it came in: its bytes and the name it was sent under."""

    name: str  # base name or path inside an archive, "de/app.json"; may be ""
    content: bytes


class WrittenFile(Struct, frozen=True):
    """A file ready to be given out. The same catalogue gives the same bytes."""

    content: bytes
    warnings: list[str] = field(default_factory=list)
    charset: str | None = None
    """That of a template, where it is not the one that the format declares."""

    def content_type(self, info: FormatInfo) -> str:
        """Return the content type of the file."""
        if self.charset is None:
            return info.content_type
        return f"{info.content_type.partition(';')[0]}; charset={self.charset}"

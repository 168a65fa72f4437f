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
    """What a format is and can do, as ``GET /formats`` shows it."""

    id: Annotated[str, Meta(examples=["json-nested"])]
    """In kebab case, the same for ever: distributions and stored files refer to it."""
    name: Annotated[str, Meta(examples=["JSON, nested"])]
    """For people."""
    extension: str
    """Of written files, with the dot: ``.json``."""
    content_type: str
    """That written files are served with, with their charset: ``text/csv;
    charset=utf-8``."""
    can_import: bool = True
    """Whether files are read."""
    can_export: bool = True
    """Whether files are written."""
    precedence: int = 0
    """The highest of those that recognize a file of an archive reads all its files."""
    plurals: bool = True
    """Whether plural forms are kept apart. Without, a plural is one text, or left out,
    with a warning."""
    comments: bool = False
    """Whether files carry descriptions."""
    max_lengths: bool = False
    """Whether files carry the length that texts may have at most."""
    multilingual: bool = False
    """Whether one file holds several languages; published, the source language and
    another."""
    source_texts: bool = False
    """Whether files carry the source text beside each value."""
    marks_unreviewed: bool = False
    """Whether files have a mark for texts that are not approved, as PO's fuzzy."""
    composed_names: bool = False
    """Whether files name messages by context and source text, with U+0004 between, as
    Qt."""
    is_template: bool = False
    """Whether files have source texts alone, and so no language, as POT."""
    other_extensions: tuple[str, ...] = ()
    """That files may have too: ``.xliff``."""
    placeholders: str = ""
    """How its runtime fills in texts: the name of a dialect of ``placeholders.py``; ""
    if that is not known, as of JSON and tables."""
    limits: tuple[str, ...] = ()
    """What the format cannot express, in short phrases. The framework puts those that
    follow from the fields above before them."""
    family: str = ""
    """Formats of one share details of keys, and the files that were imported. "": the
    beginning of the id, ``json`` of ``json-nested``."""
    plugin: str = ""
    """Filled in by the framework: the name of the plugin that provides the format."""

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

    key_separator: str
    """What joins the segments of keys: one of ``. : / |``."""
    source_language: str
    """Of the project, as BCP 47."""
    language_code: str | None = None
    """Reading: the language that the caller named, or else the path of the file; None
    if neither does. Writing: look at ``Catalogue.language_code`` instead."""
    module: str | None = None
    """Writing: the module, if the file is to have the keys of one only: their first
    segment. Reading: None."""
    plurals: Mapping[str, bool] = {}
    """Reading: whether keys that the project or the source file has are plural.
    Writing: empty."""


class Entry(Struct, frozen=True, gc=False):
    """One message of a catalogue."""

    key: str
    """What the file calls the message, parts joined by the key separator. Writing: the
    key, unless ``is_file_key``."""
    value: Text | None = None
    """The text; of a plural, its forms. Reading: None if the file names the key without
    a text. Writing: None if the key has no text in the language."""
    is_plural: bool = False
    """Whether the key is plural. Where there is a value, whether that has forms."""
    description: str = ""
    """For translators; of the key, not of one language. Reading: the comment of the
    file, if ``info.comments``. Writing: that of the key, in every language."""
    source: Text | None = None
    """The source text, read and written if ``info.source_texts``; None: there is none,
    or the file does not say."""
    needs_review: bool = False
    """Whether the file marks the text as not approved: gettext's "fuzzy". Such a text
    is stored as pending_review."""
    line: int | None = None
    """Reading: where the message stands in the file, from 1, for messages. Writing:
    None."""
    key_detail: Detail | None = None
    """What the file says of the key beyond these fields, in all languages. Writing:
    what was read last by a format of the family."""
    detail: Detail | None = None
    """What the file says of the text beyond these fields, in this language only.
    Writing: what was read last by a format of the family."""
    name: str | None = None
    """Reading: what the file calls the message, where ``key`` is made of that (PO: the
    msgid; with a msgctxt, that and U+0004 before it). Writing: the key in the project,
    where the file calls it otherwise."""
    format_flags: tuple[str, ...] = ()
    """What gettext says of the placeholders, as ``qt-format``; read and written."""
    is_file_key: bool = False
    """Writing: ``key`` is no legal key, and stands in the file as it is."""
    max_length: int | None = None
    """How many characters the text may have, in all languages; None: any number. Read
    and written if ``info.max_lengths``."""


class Catalogue(Struct, frozen=True):
    """The messages of one language."""

    language_code: str | None
    """Reading: None when the file does not say. Writing: that of the texts."""
    entries: Sequence[Entry]
    """Reading: in the order of the file. Writing: with a template, in the order of the
    source language's file; else in the order of keys."""
    plural_forms: tuple[str, ...] = ("other",)
    """Writing: the CLDR forms of the language, in their order."""
    detail: Detail | None = None
    """What the file as a whole says beyond its entries, as a PO header. Writing: what
    was read last by a format of the family."""
    template: bytes | None = None
    """Writing: the file that was last imported. Its order and layout are kept; only
    texts that differ change, keys that are no longer there go, and new ones stand after
    the entry before them, the first ones before the entry that follows. Languages of a
    multilingual file that are not among the catalogues stay as they are; all have one
    template."""
    warnings: list[str] = field(default_factory=list)
    """Reading: what is left out of the file, or may be misread; each with its line, as
    ``Faults.warn`` notes it. Writing: the framework's; a format ignores them."""


class SourceFile(Struct, frozen=True):
    """A file as it came in: its bytes and the name it was sent under."""

    name: str
    """Base name, or path inside an archive: ``de/app.json``; empty if unknown."""
    content: bytes
    """As it was sent, with its byte order mark."""


class WrittenFile(Struct, frozen=True):
    """A file ready to be given out. The same catalogue gives the same bytes."""

    content: bytes
    """All of the file."""
    warnings: list[str] = field(default_factory=list)
    """What is left out or changed. Each names its key."""
    charset: str | None = None
    """That of a template, where it is not the one that the format declares."""

    def content_type(self, info: FormatInfo) -> str:
        """Return the content type of the file."""
        if self.charset is None:
            return info.content_type
        return f"{info.content_type.partition(';')[0]}; charset={self.charset}"

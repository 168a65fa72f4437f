"""What PO says beyond the framework's model, as it is kept for the way back."""

from typing import TypeVar

from msgspec import Struct, ValidationError, convert, field

from locframework.ports import Detail

_Known = TypeVar("_Known", bound=Struct)


class KeyNotes(Struct, rename="camel", omit_defaults=True, gc=False):
    """``Entry.key_detail``: which message a key stands for, in all languages."""

    msgid: str
    msgctxt: str | None = None
    msgid_plural: str | None = None
    flags: str = ""  # python-format and such, for languages that were in no file


class Notes(Struct, omit_defaults=True, gc=False):
    """``Entry.detail``: what one language's file says around a message."""

    comment: str | None = None
    extracted: str | None = None  # with this file's line breaks, unless it is short
    references: str | None = None
    flags: str = ""  # without fuzzy
    previous: dict[str, str] | None = None  # by keyword
    forms: list[str] | None = None  # msgstr[6] and further


class FileNotes(Struct, rename="camel", omit_defaults=True):
    """``Catalogue.detail``: the file around the messages."""

    header: str | None = None  # the text, "Language: de\nMIME-Version: 1.0\n…"
    header_fuzzy: bool = False
    header_notes: Notes = field(default_factory=Notes)
    obsolete: str = ""  # the "#~" messages, as they are


def notes_in(detail: Detail | None, kind: type[_Known]) -> _Known | None:
    """A stored detail as what it is; None when there is none, or another's."""
    if not detail:
        return None
    try:
        return convert(detail, kind)
    except ValidationError:
        return None

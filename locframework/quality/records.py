"""What a check is given, and what it finds."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import force_setattr

from locframework.projects.records import Severity


class WantedTerm(Struct, frozen=True, gc=False):
    """A term that is in a source text, and what it has to be in the translation."""

    term: str
    values: tuple[str, ...]  # any of them will do
    exactly: bool = False  # letter case counts, and the ending


class AvoidedTerm(Struct, frozen=True, gc=False):
    """What stands in a text and is forbidden."""

    text: str
    start: int  # in code points of the text
    end: int


class TextTerms(Struct, frozen=True, gc=False):
    """What the glossaries of a project say of the texts of one key."""

    wanted: Mapping[str, Sequence[WantedTerm]] = {}  # by source text
    avoided: Mapping[str | None, Sequence[AvoidedTerm]] = {}  # by plural form

    def __post_init__(self) -> None:
        force_setattr(self, "wanted", MappingProxyType(self.wanted))
        force_setattr(self, "avoided", MappingProxyType(self.avoided))


class Subject(Struct, frozen=True, gc=False):
    """The texts of one key in one language, and what they are checked against.

    All checks are given the same one, so its mappings are read-only.
    """

    key: str
    language_code: str  # canonical BCP-47
    texts: Mapping[str | None, str]  # by plural form, None without; none is empty
    source_language: str
    source_texts: Mapping[str | None, str] = {}  # empty: nothing to compare with,
    # as in the source language itself
    is_plural: bool = False
    plural_forms: tuple[str, ...] = ("other",)  # of the language in this project
    description: str = ""
    tags: tuple[str, ...] = ()
    max_length: int | None = None  # of each text, in code points
    terms: TextTerms | None = None  # None: nothing is known

    compared: tuple[tuple[str | None, str, str], ...] = ()
    """Each text with its plural form before, and the source text beside it; set by the
    framework. That is the source text of the same form, else of ``other``, else any."""

    def __post_init__(self) -> None:
        texts, sources = self.texts, self.source_texts
        force_setattr(self, "texts", MappingProxyType(texts))
        force_setattr(self, "source_texts", MappingProxyType(sources))
        if sources:
            other = sources.get("other") or next(iter(sources.values()))
            pairs = [(form, texts[form], sources.get(form) or other) for form in texts]
            force_setattr(self, "compared", tuple(pairs))


class Finding(Struct, frozen=True, gc=False):
    """What a check found in one text."""

    message: str  # a sentence without a full stop, 1 to 300 characters
    start: int  # in code points of the text; start 0 and end its length: all of it
    end: int
    plural_form: str | None = None  # one of the subject's texts
    check: str = ""  # filled in by the framework


class Issue(Struct, frozen=True, gc=False):
    """A finding in a text, as it is shown beside the text."""

    check: str
    severity: Severity
    message: str
    start: int  # in code points of the text
    end: int

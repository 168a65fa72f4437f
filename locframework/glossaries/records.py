"""Glossaries, their terms and translations, and files of them (decisions 2.4)."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.access.records import Name, Reach
from locframework.fields import Timestamp
from locframework.file_import.imports import ImportSummary
from locframework.http.records import UploadedFile
from locframework.pagination import ByNameOrUpdate, SortedRequest
from locframework.projects.records import LanguageTag, Reference
from locframework.proposals.records import TermTranslation, TranslationStatus

UsageStatus = Literal["preferred", "deprecated", "forbidden"]

TERM_LIMIT, VALUE_LIMIT, NOTES_LIMIT, LANGUAGES_LIMIT = 500, 2000, 2000, 500

TermText = Annotated[
    str, Meta(min_length=1, max_length=TERM_LIMIT, examples=["boarding pass"])
]
TermValue = Annotated[
    str, Meta(max_length=VALUE_LIMIT, description='"" clears', examples=["Bordkarte"])
]
Notes = Annotated[str, Meta(max_length=NOTES_LIMIT)]
Search = Annotated[str, Meta(max_length=1000)]
ByTerm = Annotated[
    Literal["term", "-term", "createdAt", "-createdAt", "updatedAt", "-updatedAt"],
    Meta(description="The field to sort by; with `-`: descending"),
]


class Glossary(Struct, frozen=True, rename="camel"):
    """A glossary, of an organization; projects may use it."""

    id: str
    slug: str
    name: str
    source_language: str  # canonical BCP-47; the language of its terms
    requires_approval: bool
    project_ids: tuple[str, ...]  # those it is linked to, as far as the reader sees
    term_count: int
    created_at: Timestamp
    updated_at: Timestamp  # moves with its terms too


class StoredGlossary(Struct, frozen=True):
    """A glossary as it is stored."""

    glossary: Glossary  # with all its projects
    organization_id: str
    revision: int  # increases with every change of its terms

    @property
    def id(self) -> str:
        return self.glossary.id

    @property
    def source_language(self) -> str:
        return self.glossary.source_language

    @property
    def reach(self) -> Reach:
        return Reach(self.organization_id, self.glossary.project_ids)


class NewGlossary(Struct, frozen=True, rename="camel"):
    """The body that creates a glossary."""

    name: Name
    source_language: LanguageTag
    requires_approval: bool = False
    organization_id: str | None = None  # may be left out by a caller with just one


class GlossaryChanges(Struct, frozen=True, rename="camel"):
    """The body of a PATCH of a glossary."""

    name: Name | UnsetType = UNSET
    source_language: LanguageTag | UnsetType = UNSET
    requires_approval: bool | UnsetType = UNSET


class GlossaryQuery(SortedRequest, frozen=True, rename="camel"):
    """The filters of a list of glossaries."""

    search: Search | None = None  # in the name
    project_id: Reference | None = None  # only those linked to it
    sort: ByNameOrUpdate = "name"


class Term(Struct, frozen=True, rename="camel"):
    """A term of a glossary with its translations (service.md)."""

    id: str
    glossary_id: str
    term: str  # in the glossary's source language
    do_not_translate: bool
    case_sensitive: bool
    usage_status: UsageStatus
    notes: str | None
    created_at: Timestamp
    updated_at: Timestamp  # moves with its translations too
    translations: tuple[TermTranslation, ...]  # by language code


class NewTerm(Struct, frozen=True, rename="camel"):
    """The body that creates a term."""

    term: TermText
    do_not_translate: bool = False
    case_sensitive: bool = False
    usage_status: UsageStatus = "preferred"
    notes: Notes | None = None
    translations: Annotated[
        dict[str, TermValue],
        Meta(max_length=LANGUAGES_LIMIT, description="Language code to value"),
    ] = {}


class TermChanges(Struct, frozen=True, rename="camel"):
    """The body of a PATCH of a term."""

    term: TermText | UnsetType = UNSET
    do_not_translate: bool | UnsetType = UNSET
    case_sensitive: bool | UnsetType = UNSET
    usage_status: UsageStatus | UnsetType = UNSET
    notes: Notes | UnsetType | None = UNSET


class TermQuery(SortedRequest, frozen=True, rename="camel"):
    """Selects terms of a list; every condition that is set must hold.
    ``language_code``: conditions on translations apply to the one in this language. The
    term must have one, except with the status ``untranslated`` or without proposal."""

    search: Search | None = None  # in the term, its notes and translations
    language_code: LanguageTag | None = None
    usage_status: UsageStatus | None = None
    status: TranslationStatus | Literal["untranslated"] | None = None
    has_proposal: bool | None = None  # whether a proposal is pending
    sort: ByTerm = "term"


class NewTermTranslation(Struct, frozen=True, rename="camel"):
    """The body that sets a term's translation."""

    value: TermValue


class TermWrite(Struct, frozen=True):
    """A term to store, with those of its translations that change."""

    term: Term  # the new one, with all translations
    is_new: bool = False
    changed: Sequence[TermTranslation] = ()
    dropped: Sequence[str] = ()  # language codes


class MatchRequest(Struct, frozen=True, rename="camel"):
    """The body that finds terms in texts."""

    texts: Annotated[
        list[Annotated[str, Meta(max_length=10_000)]],
        Meta(min_length=1, max_length=100, examples=[["Show your boarding pass."]]),
    ]
    language_codes: (
        Annotated[
            list[LanguageTag],
            Meta(
                min_length=1,
                max_length=50,
                description="Of the translations to return; default: all",
            ),
        ]
        | UnsetType
    ) = UNSET


class TermMatch(Struct, frozen=True, rename="camel"):
    """A term in a text (decisions 2.4)."""

    term_id: str
    term: str
    start: int  # in code points of the text as it was sent
    end: int  # not included
    do_not_translate: bool
    usage_status: UsageStatus
    translations: tuple[TermTranslation, ...]  # by language code


FormatName = Annotated[
    str,
    Meta(
        max_length=100,
        description="csv or tbx",
        examples=["csv"],
        extra_json_schema={"enum": ["csv", "tbx"]},
    ),
]  # another is 400 unknown_format, as of projects


class GlossaryImportForm(Struct, frozen=True):
    """The form that imports a file into a glossary."""

    file: UploadedFile
    format: FormatName | None = None  # left out: detected


class GlossaryExportQuery(Struct, frozen=True):
    """What is exported."""

    format: FormatName


class FileText(Struct, frozen=True, gc=False):
    """A translation in a file."""

    language_code: str  # canonical BCP-47
    value: str  # not empty
    is_draft: bool = False


class FileTerm(Struct, frozen=True, gc=False):
    """A term in a file; None is a field that the file leaves unset."""

    line: int  # counted from 1
    term: str
    do_not_translate: bool | None = None
    case_sensitive: bool = False
    usage_status: UsageStatus | None = None
    notes: str | None = None
    texts: tuple[FileText, ...] = ()


class ImportResult(ImportSummary, rename="camel"):
    """The ``result`` of a job that imports terms."""

    terms_created: int = 0
    terms_updated: int = 0
    terms_unchanged: int = 0
    translations_applied: int = 0
    translations_proposed: int = 0
    translations_drafted: int = 0
    translations_kept: int = 0  # that differ from the file's, and stay

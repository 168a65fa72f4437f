"""Projects and their languages (decisions 2.6)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.access.records import Name
from locframework.fields import Money, Timestamp
from locframework.pagination import ByCode, ByNameOrUpdate, SortedRequest

KeySeparator = Literal[".", ":", "/", "|"]
Direction = Literal["ltr", "rtl"]
Description = Annotated[str, Meta(max_length=1000)]
LanguageTag = Annotated[
    str, Meta(min_length=1, max_length=100, description="BCP-47", examples=["pt-BR"])
]
Reference = Annotated[
    str, Meta(min_length=1, max_length=500, description="A project's id or slug")
]
Instructions = Annotated[str, Meta(max_length=4000)]
CheckName = Annotated[str, Meta(max_length=100, examples=["placeholders"])]
Checks = Annotated[list[CheckName], Meta(max_length=100)]
Severity = Literal["error", "warning", "off"]
Severities = Annotated[
    dict[CheckName, Severity],
    Meta(max_length=100, description="Severity by check; default: the check's own"),
]


class AiSettings(Struct, frozen=True, rename="camel"):
    """How a project translates by machine."""

    provider: str | None = None  # null: the setting translator
    providers: Annotated[dict[str, str], Meta(max_length=500)] = {}
    """By language, instead of ``provider``."""
    instructions: Instructions = ""  # for every text
    language_instructions: Annotated[dict[str, Instructions], Meta(max_length=500)] = {}
    use_glossary: bool = True
    monthly_budget: Money | None = None  # for a calendar month (UTC)


class AiChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a project may name of them; what is left out stays."""

    provider: str | UnsetType | None = UNSET
    providers: Annotated[dict[str, str], Meta(max_length=500)] | UnsetType = UNSET
    instructions: Instructions | UnsetType = UNSET
    language_instructions: (
        Annotated[dict[str, Instructions], Meta(max_length=500)] | UnsetType
    ) = UNSET
    use_glossary: bool | UnsetType = UNSET
    monthly_budget: Money | UnsetType | None = UNSET


class Project(Struct, frozen=True, rename="camel"):
    """A project."""

    id: str
    slug: str
    organization_id: str
    name: str
    description: str
    source_language: str
    key_separator: KeySeparator
    main_protected: bool
    tm_enabled: bool
    blocking_checks: tuple[str, ...]
    check_severities: dict[str, Severity]
    disabled_checks: tuple[str, ...]
    ai: AiSettings
    key_count: int
    created_at: Timestamp
    updated_at: Timestamp


class NewProject(Struct, frozen=True, rename="camel"):
    """The body that makes a project; the source language is added with it."""

    name: Annotated[str, Meta(min_length=1, max_length=200, examples=["Web shop"])]
    source_language: LanguageTag
    organization_id: str | None = None  # may be left out by a caller with just one
    description: Description = ""
    key_separator: KeySeparator = "."
    main_protected: bool = False
    tm_enabled: bool = True
    blocking_checks: Checks = []
    check_severities: Severities = {}
    disabled_checks: Checks = []


class ProjectChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a project may name; what is left out stays."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    source_language: LanguageTag | UnsetType = UNSET
    key_separator: KeySeparator | UnsetType = UNSET
    main_protected: bool | UnsetType = UNSET
    tm_enabled: bool | UnsetType = UNSET
    blocking_checks: Checks | UnsetType = UNSET
    check_severities: Severities | UnsetType = UNSET
    disabled_checks: Checks | UnsetType = UNSET
    ai: AiChanges | UnsetType = UNSET


class Language(Struct, frozen=True, rename="camel"):
    """A language of a project."""

    id: str
    project_id: str
    language_code: str  # canonical BCP-47
    label: str
    icon: str | None  # a flag or another short symbol
    direction: Direction
    is_source: bool
    fallback_language_code: str | None
    plural_forms: tuple[str, ...]  # CLDR categories, in the order of PLURAL_FORMS
    created_at: Timestamp


class NewLanguage(Struct, frozen=True, rename="camel"):
    """The body that adds a language; what is left out comes from CLDR."""

    language_code: LanguageTag
    label: Annotated[str, Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    icon: Annotated[str, Meta(max_length=20)] | UnsetType | None = UNSET
    direction: Direction | UnsetType = UNSET
    fallback_language_code: LanguageTag | None = None
    plural_forms: list[str] | UnsetType = UNSET


class LanguageChanges(Struct, frozen=True, rename="camel"):
    """What PATCH of a language may name; what is left out stays."""

    label: Annotated[str, Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    icon: Annotated[str, Meta(max_length=20)] | UnsetType | None = UNSET
    direction: Direction | UnsetType = UNSET
    fallback_language_code: LanguageTag | UnsetType | None = UNSET
    plural_forms: list[str] | UnsetType = UNSET


class ProjectQuery(SortedRequest, frozen=True):
    """What a list of projects is asked by."""

    sort: ByNameOrUpdate = "name"


class LanguageQuery(SortedRequest, frozen=True):
    """What a list of languages is asked by."""

    sort: ByCode = "createdAt"

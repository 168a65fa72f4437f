"""Translation memories, their entries, and where they are used (decisions 2.5)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.access.records import Name
from locframework.fields import Timestamp
from locframework.pagination import ByNameOrUpdate, SortedRequest
from locframework.projects.records import LanguageTag, Reference
from locframework.proposals.records import TermTranslation, TranslationStatus

SOURCE_LENGTH = 5000
CONTEXT_LENGTH = 1000
VALUE_BYTES = 64 * 1024  # of a value in UTF-8 (decisions 2.10)
SEARCH_LENGTH = 1000

WriteMode = Literal["approved", "all", "none"]
Percentage = Annotated[int, Meta(ge=0, le=100)]
SourceText = Annotated[
    str, Meta(min_length=1, max_length=SOURCE_LENGTH, examples=["Pay now"])
]
Context = Annotated[str, Meta(max_length=CONTEXT_LENGTH, examples=["checkout.pay"])]
Value = Annotated[
    str,
    Meta(max_length=VALUE_BYTES, description='"" clears', examples=["Jetzt zahlen"]),
]
Values = Annotated[
    dict[str, Value], Meta(max_length=500, examples=[{"de": "Jetzt zahlen"}])
]


class Penalties(Struct, frozen=True, rename="camel"):
    """What a match loses if it differs in one of these, in percentage points."""

    case: Percentage = 2
    whitespace: Percentage = 1
    trailing_punctuation: Percentage = 1


class TranslationMemory(Struct, frozen=True, rename="camel"):
    """A translation memory."""

    id: str
    slug: str
    name: str
    source_language: str  # canonical BCP-47
    min_match_percentage: int
    penalties: Penalties
    requires_approval: bool
    entry_count: int
    created_at: Timestamp
    updated_at: Timestamp  # of these fields, not of the entries


class StoredMemory(Struct, frozen=True):
    """A memory as it is stored: with its organization."""

    memory: TranslationMemory
    organization_id: str

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def source_language(self) -> str:
        return self.memory.source_language


class NewMemory(Struct, frozen=True, rename="camel"):
    """The body that creates a memory. ``languageCodes``: its first target languages."""

    name: Name
    source_language: LanguageTag
    organization_id: str | None = None  # may be left out by a caller with just one
    min_match_percentage: Percentage = 70
    penalties: Penalties = Penalties()
    requires_approval: bool = False
    language_codes: Annotated[list[LanguageTag], Meta(max_length=500)] = []


class PenaltyChanges(Struct, frozen=True, rename="camel"):
    """The penalties in a PATCH; those left out stay."""

    case: Percentage | UnsetType = UNSET
    whitespace: Percentage | UnsetType = UNSET
    trailing_punctuation: Percentage | UnsetType = UNSET


class MemoryChanges(Struct, frozen=True, rename="camel"):
    """The body of PATCH; fields left out stay."""

    name: Name | UnsetType = UNSET
    min_match_percentage: Percentage | UnsetType = UNSET
    penalties: PenaltyChanges | UnsetType = UNSET
    requires_approval: bool | UnsetType = UNSET


class MemoryLanguage(Struct, frozen=True, rename="camel"):
    """A target language of a memory (service.md, TM language)."""

    id: str
    tm_id: str
    language_code: str  # canonical BCP-47
    label: str


class NewMemoryLanguage(Struct, frozen=True, rename="camel"):
    """The body that adds a target language; ``label`` defaults to its English name."""

    language_code: LanguageTag
    label: Annotated[str, Meta(min_length=1, max_length=100)] | UnsetType = UNSET


class MemoryEntry(Struct, frozen=True, rename="camel", gc=False):
    """A source segment with its translations (service.md, TM entry)."""

    id: str
    tm_id: str
    source_text: str  # with ``context`` unique in its memory
    context: str
    created_at: Timestamp
    updated_at: Timestamp  # that of its translations too
    translations: tuple[TermTranslation, ...]  # by language code


class StoredTranslation(Struct, frozen=True, gc=False):
    """A stored translation; ``is_learned``: it comes from values of keys, and is
    removed with them."""

    entry_id: str
    translation: TermTranslation
    updated_at: Timestamp
    is_learned: bool = False


class KeyLink(Struct, frozen=True, gc=False):
    """A plural form of a key that contributes to an entry."""

    project_id: str
    key_id: str
    plural_form: str | None
    entry_id: str


class NewEntry(Struct, frozen=True, rename="camel"):
    """The body that creates an entry; ``translations`` are values by language."""

    source_text: SourceText
    context: Context = ""
    translations: Values = {}


class EntryChanges(Struct, frozen=True, rename="camel"):
    """The body of PATCH of an entry (service.md); fields left out stay."""

    source_text: SourceText | UnsetType = UNSET
    context: Context | UnsetType = UNSET


class NewEntryTranslation(Struct, frozen=True):
    """The body that sets the translation of an entry in one language."""

    value: Value


class Assignment(Struct, frozen=True, rename="camel"):
    """How a project uses a memory."""

    tm_id: str
    read: bool  # its entries are searched and matched
    write_mode: WriteMode  # which values of the project it learns
    priority: int  # low numbers first
    penalty: int  # of all of its matches, in percentage points


class AssignedMemory(Struct, frozen=True):
    """A memory with how a project uses it."""

    memory: TranslationMemory
    assignment: Assignment


class NewAssignment(Struct, frozen=True, rename="camel"):
    """The body that assigns a memory; fields left out get their defaults."""

    read: bool = True
    write_mode: WriteMode = "approved"
    priority: Annotated[int, Meta(ge=0, le=1000)] = 0
    penalty: Percentage = 0


class AssignmentQuery(SortedRequest, frozen=True):
    """The query of a list of assignments."""

    sort: Annotated[
        Literal["priority", "-priority"],
        Meta(description="The field that sorts the list; `-`: descending"),
    ] = "priority"


class MemoryQuery(SortedRequest, frozen=True, rename="camel"):
    """The query of a list of memories."""

    search: Annotated[str, Meta(max_length=SEARCH_LENGTH)] | None = None  # in the name
    project_id: Reference | None = None  # only those that it uses
    sort: ByNameOrUpdate = "name"


EntrySort = Annotated[
    Literal["createdAt", "-createdAt", "updatedAt", "-updatedAt"],
    Meta(description="The field that sorts the list; `-`: descending"),
]


class EntryQuery(SortedRequest, frozen=True, rename="camel"):
    """The query of a list of entries.

    ``search``: part of the source text, or of a translation; case and runs of white
    space do not count. ``languageCode``: those with a translation in it, and then
    ``search``, ``status`` and ``hasProposal`` look at no other translation.
    """

    search: Annotated[str, Meta(max_length=SEARCH_LENGTH)] | None = None
    language_code: str | None = None
    status: TranslationStatus | Literal["untranslated"] | None = None
    has_proposal: bool | None = None  # one pending approval
    sort: EntrySort = "createdAt"


class MemoryWriting(Struct, frozen=True):
    """A memory that a transaction has locked, to write entries."""

    tm_id: str
    number: int  # the store's own, of the memory
    revision: int  # of all that is written


Texts = tuple[str, str]
"""Source text and context: what an entry is found by."""

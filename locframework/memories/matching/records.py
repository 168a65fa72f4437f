"""What is asked of the memories of a project, and answered (service.md)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.fields import Timestamp
from locframework.memories.records import SEARCH_LENGTH
from locframework.pagination import LIMIT_MOST, PAGE_MOST

TEXT_LENGTH = 10_000  # of a text for matching, and of all together (decisions 2.10)
TEXTS_LENGTH = 100_000

ValueStatus = Literal["approved", "draft"]  # what only waits is never shown
SearchIn = Literal["source", "target", "both"]
LanguageCode = Annotated[str, Meta(min_length=1, max_length=100, examples=["de"])]
LanguageCodes = Annotated[list[LanguageCode], Meta(min_length=1, max_length=50)]


class ConcordanceQuery(Struct, frozen=True, rename="camel"):
    """The body of a concordance search. ``languageCodes`` restricts the translations
    that are returned, and those that are searched; without it, all are."""

    query: Annotated[
        str, Meta(min_length=1, max_length=SEARCH_LENGTH, examples=["pay"])
    ]
    language_codes: LanguageCodes | UnsetType = UNSET
    search_in: SearchIn = "source"
    page: Annotated[int, Meta(ge=1, le=PAGE_MOST)] = 1
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MOST)] = 50


class FoundTranslation(Struct, frozen=True, rename="camel"):
    """A translation of a segment that was found."""

    language_code: str
    value: str
    status: ValueStatus


class ConcordanceItem(Struct, frozen=True, rename="camel"):
    """A segment that was found (service.md, TM search item)."""

    entry_id: str
    source_text: str
    context: str
    tm_id: str
    tm_name: str
    translations: list[FoundTranslation]


class Concordance(Struct, frozen=True):
    """What a search asks of the store: all folded, all canonical."""

    memory_ids: list[str]
    text: str
    language_codes: list[str] | None  # None: every language
    search_in: SearchIn


class MatchQuery(Struct, frozen=True, rename="camel"):
    """The body that asks for fuzzy matches."""

    source_texts: Annotated[
        list[Annotated[str, Meta(max_length=TEXT_LENGTH, examples=["Pay now"])]],
        Meta(min_length=1, max_length=100),
    ]
    language_codes: LanguageCodes


class MatchPenalty(Struct, frozen=True, gc=False):
    """Points that were taken off the raw percentage."""

    kind: Literal["case", "whitespace", "trailingPunctuation", "tm"]
    points: int


class Match(Struct, frozen=True, gc=False, rename="camel"):
    """An entry that is similar to a text, with its translation (decisions 2.5.2)."""

    entry_id: str
    tm_id: str
    tm_name: str
    source_text: str
    value: str
    status: ValueStatus
    context: str
    match_percentage: Annotated[
        int, Meta(ge=0, le=100, description="The raw percentage minus the penalties")
    ]
    raw_percentage: Annotated[
        int, Meta(ge=0, le=100, description="How similar the folded texts are")
    ]
    penalties: list[MatchPenalty]
    updated_at: Annotated[
        Timestamp, Meta(description="When the entry was last changed")
    ]


Matches = dict[str, dict[str, list[Match]]]
"""Text, then language code, both as they were sent, to matches, best first."""


class MatchSource(Struct, frozen=True, gc=False, array_like=True):
    """What the score and the order of an entry depend on. ``values_digest``: equal for
    entries with equal applied values in all languages."""

    source_text: str
    context: str
    updated_at: Timestamp
    values_digest: str


class MatchValue(Struct, frozen=True, gc=False, array_like=True):
    """The applied value of an entry in one language; read from JSON arrays."""

    language_code: str
    value: str
    status: ValueStatus

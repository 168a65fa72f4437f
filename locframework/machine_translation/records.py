"""Runs of machine translation: what starts one, and what comes of each text."""

from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from locframework.fields import Money
from locframework.keys.records import KeyConditions
from locframework.memories.matching.records import LanguageCode, LanguageCodes
from locframework.projects.records import Instructions

from .translator import TranslatorInfo

KEYS_LIMIT = 500
LISTED_LIMIT = 1000
REASON_LENGTH = 300
SHARE = Decimal("1e-8")  # to which the cost of one text or word is rounded
VALUE_CHARACTERS = 5000  # of a text to suggest a translation for


class TranslateRequest(Struct, frozen=True, rename="camel"):
    """The body that starts a run.

    A text that exists stays: ``onlyMissing`` false also replaces drafts, and puts a
    draft beside an approved text that is outdated; ``onlyOutdated`` does so with
    outdated texts alone. ``overwritePending``: also texts that wait for review.
    """

    language_codes: LanguageCodes
    key_ids: Annotated[list[str], Meta(max_length=KEYS_LIMIT)] | None = None
    filter: KeyConditions = KeyConditions()
    only_missing: bool = True
    only_outdated: bool = False
    overwrite_pending: bool = False
    provider: str | None = None
    """One of ``GET …/ai/providers``; null: the project's for the language, else the
    default."""
    use_tm: bool = True  # matches of 100 % are taken, others are shown to the engine
    use_glossary: bool | None = None  # null: as the project's settings say
    instructions: Instructions = ""  # after those of the project
    max_cost: Money | None = None
    dry_run: bool = False


class RunParams(Struct, frozen=True, rename="camel"):
    """The parameters of a job: a request that was checked."""

    request: TranslateRequest  # the language codes are canonical
    providers: dict[str, str]  # by language
    branch: str | None  # its id; None: main


OutcomeKind = Literal["translated", "skipped", "failed"]


class RunOutcome(Struct, frozen=True, rename="camel"):
    """What came of one text.

    ``reason`` of one that was skipped: ``has_text``, ``pending_review``, ``approved``,
    ``not_outdated``, ``no_source``, ``changed_meanwhile`` or ``key_not_found``; of one
    that failed: ``over_budget``, ``no_answer``, ``engine_failed``, ``refused``,
    ``broken_answer``, ``unreadable_source``, ``cancelled``, or an error code.
    """

    key_id: str
    key: str | None
    language_code: str
    plural_form: str | None
    outcome: OutcomeKind
    reason: str | None = None
    message: str | None = None  # more of the reason, for people
    origin: Literal["tm", "ai"] | None = None  # of a translated one


class LanguageRun(Struct, rename="camel"):
    """What came of the texts of one language."""

    provider: str
    translated: int = 0
    skipped: int = 0
    failed: int = 0
    cost: str = "0"


class RunResult(Struct, rename="camel"):
    """The ``result`` of a run. The sums equal the selection. In a dry run,
    ``translated`` and ``cost`` are what a run would bring and may cost at most."""

    dry_run: bool
    translated: int = 0
    skipped: int = 0
    failed: int = 0
    cost: str = "0"
    paid_again: str = "0"
    """Of the cost: what calls may have cost that have no outcome."""
    languages: dict[str, LanguageRun] = field(default_factory=dict)  # all of the run
    items: list[RunOutcome] = field(default_factory=list)  # the first thousand

    def count(self, outcome: RunOutcome) -> None:
        """Count an outcome in all and in its language."""
        for counts in (self, self.languages[outcome.language_code]):
            setattr(counts, outcome.outcome, getattr(counts, outcome.outcome) + 1)

    def pay(self, language_code: str, cost: Decimal) -> None:
        """Add a cost to the sum and to that of the language."""
        for sums in (self, self.languages[language_code]):
            sums.cost = plain(Decimal(sums.cost) + cost)


class RunStep(Struct, rename="camel"):
    """The progress of a run. A page of keys is translated into all languages before the
    next is selected, so that what a run writes changes no selection of its own."""

    result: RunResult
    page: list[str] | None = None  # ids of keys; None: to be selected
    total: int = 0  # of keys
    language: int = 0  # the place in the request of the next language of the page
    after: tuple[str, str] | None = None
    """Name and id of the last key of the page; without the name if keyIds select."""
    is_over: bool = False  # it is the last page


class SuggestRequest(Struct, frozen=True, rename="camel"):
    """The body that asks for a suggestion: for a key, or for a text."""

    language_code: LanguageCode
    key_id: str | None = None
    text: Annotated[str, Meta(min_length=1, max_length=VALUE_CHARACTERS)] | None = None
    provider: str | None = None
    use_glossary: bool | None = None
    instructions: Instructions = ""


class Suggestion(Struct, frozen=True):
    """An engine's translation of one text: a text, or texts by plural form."""

    value: str | dict[str, str]
    provider: str
    cost: str


class SuggestionAnswer(Struct, frozen=True):
    """The body of a response with a suggestion."""

    suggestion: Suggestion


Month = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$",
        description="A calendar month (UTC)",
        examples=["2026-11"],
    ),
]


class MonthsQuery(Struct, frozen=True):
    """Calendar months (UTC), the first and the last one among them."""

    first: Month | None = field(default=None, name="from")  # null: a year before to
    last: Month | None = field(default=None, name="to")  # null: the present month


class MonthUsage(Struct, frozen=True, rename="camel"):
    """What an engine did in a language in a month."""

    month: Month
    provider: str
    language_code: str
    translated: int  # texts that runs stored
    cost: str


class Budget(Struct, frozen=True, rename="camel"):
    """The budget of the present month."""

    month: Month
    spent: str  # by the project
    monthly_budget: str | None  # of the project
    left: str | None
    """What this and the organization's budget allow still; null: anything."""


class UsageAnswer(Struct, frozen=True):
    """The body of a response with what machine translation costs."""

    usage: list[MonthUsage]
    budget: Budget


class ProviderQuality(Struct, frozen=True, rename="camel"):
    """What reviewers did with the texts of an engine in a language."""

    provider: str
    language_code: str
    approved: int  # as they were
    edited: int  # approved after a person changed them
    rejected: int
    mean_edit_distance: float | None
    """Of the edited texts, 0 to 1: the characters that were inserted, deleted or
    replaced, of those of the longer text (Levenshtein). Null: there are none."""
    cost: str  # of all texts of the engine in these months
    kept_words: int  # of the approved texts
    cost_per_kept_word: str | None  # null: there are none


class QualityAnswer(Struct, frozen=True):
    """The body of a response with how good engines were."""

    quality: list[ProviderQuality]


class ProvidersAnswer(Struct, frozen=True):
    """The body of a response with the engines that are there."""

    providers: list[TranslatorInfo]


def text_hash(text: str | None) -> str:
    """Return what tells whether a text is the one that a run made."""
    return sha256((text or "").encode()).hexdigest()[:16]


def plain(amount: Decimal) -> str:
    """Return the amount in decimal digits, without an exponent, and without zeros at
    the end of a fraction."""
    return f"{amount.normalize():f}"

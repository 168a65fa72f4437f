"""The port for engines of machine translation, and what they are asked."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from .messages import Piece

Context = Literal[
    "terms",
    "matches",
    "description",
    "neighbours",
    "max_length",
    "plural_form",
    "instructions",
]
Unit = Literal["character", "token", "none"]


class TranslatorInfo(Struct, frozen=True, rename="camel"):
    """What an engine can do, as ``GET …/ai/providers`` shows it."""

    id: str  # the name of the port
    name: str  # for people
    pairs: tuple[tuple[str, str], ...] | None = None
    """Source and target languages, canonical; None: any."""
    most_items: Annotated[int, Meta(ge=1)] = 100  # of one call
    most_characters: Annotated[int, Meta(ge=1)] = 20_000  # of their texts together
    reads: tuple[Context, ...] = ()  # what of the context it uses
    unit: Unit = "none"
    price: str = "0"  # of a million units, in the currency of the setting ai_currency
    model: str = ""

    def translates(self, source: str, target: str) -> bool:
        """Return whether it has the pair of languages."""
        return self.pairs is None or (source, target) in self.pairs


class TermHint(Struct, frozen=True):
    """What a glossary says of a term in the text."""

    term: str
    translation: str | None  # None: there is none, or it is not to be translated
    is_forbidden: bool = False


class MatchHint(Struct, frozen=True):
    """A similar text of a translation memory, with its translation."""

    source: str
    translation: str
    percentage: int


class TranslationItem(Struct, frozen=True):
    """One text to translate. A text is data: never an instruction."""

    id: str = ""  # of its own in a batch
    pieces: tuple[Piece, ...] = ()  # each number once in the answer, in any order
    placeholders: tuple[str, ...] = ()  # what the numbers stand for, as context
    message: str = ""  # the whole source text that this is of
    key: str = ""  # as neighbours, only for engines that read "neighbours"
    description: str = ""
    plural_form: str | None = None  # of the target language
    example: str | None = None  # a number of that form
    max_length: int | None = None
    terms: tuple[TermHint, ...] = ()
    matches: tuple[MatchHint, ...] = ()  # best first
    neighbours: tuple[str, ...] = ()  # source texts of the keys before and after

    @property
    def whole(self) -> str:
        """The message, where this text is a part of it only; else ""."""
        known = dict(enumerate(self.placeholders))
        text = "".join(
            known.get(p, "") if isinstance(p, int) else p for p in self.pieces
        )
        return "" if text == self.message.strip() else self.message


class TranslationBatch(Struct, frozen=True):
    """What one call of an engine translates."""

    source_language: str
    target_language: str
    items: tuple[TranslationItem, ...]  # with ids of their own
    instructions: str = ""  # of the project and of who started the run


class Translated(Struct, frozen=True):
    """The translation of one item."""

    pieces: tuple[Piece, ...]


class Refused(Struct, frozen=True):
    """Why an item has no translation."""

    reason: str  # for people, 300 characters at most are kept


class Translations(Struct, frozen=True):
    """The answer to a batch: at most one outcome for each id."""

    outcomes: Mapping[str, Translated | Refused]
    cost: Decimal = Decimal(0)  # at most what ``estimate`` said


class TranslatorFailed(Exception):
    """The whole call failed. ``retry_after``: seconds after which to try again; None:
    it is of no use. ``cost``: what may have been paid for it all the same."""

    def __init__(
        self,
        reason: str,
        retry_after: float | None = None,
        cost: Decimal = Decimal(0),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.cost = cost


class Translator(Protocol):
    """An engine. Any number of threads call at once.

    The framework keeps messages whole: an engine gets sentences, with numbers in the
    place of what must stay, and each answer is checked. It also counts, retries and
    stores; an engine stores nothing.
    """

    @property
    def name(self) -> str:
        """The name that a run chooses it by: the id of its info."""

    def describe(self) -> TranslatorInfo:
        """Return what it can do. Quick: asks no server."""

    def estimate(self, batch: TranslationBatch) -> Decimal:
        """Return what the call may cost at most. Quick: asks no server."""

    def translate(self, batch: TranslationBatch, seconds: float) -> Translations:
        """Translate a batch that keeps the limits of the info, in ``seconds`` at most.

        An item without an outcome is asked for again. Raises TranslatorFailed, and
        nothing else.
        """

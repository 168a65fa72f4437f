"""Gives locframework the translators ``pseudo`` and ``pseudo-bidi``: offline."""

from decimal import Decimal
from math import ceil
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import (
    Piece,
    Translated,
    TranslationBatch,
    TranslationItem,
    Translations,
    Translator,
    TranslatorInfo,
)

__all__ = ["PseudoPlugin", "PseudoSettings", "PseudoTranslator"]

_ACCENTS = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž",
)
_RIGHT_TO_LEFT, _END = "\u202e", "\u202c"


class PseudoSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How much longer texts become: 0.3 is 30 %."""

    expansion: Annotated[float, Meta(ge=0, le=3)] = 0.3


class PseudoTranslator:
    """The port Translator: accents, brackets, and more characters."""

    def __init__(
        self, name: str = "pseudo", *, is_bidi: bool = False, expansion: float = 0.3
    ) -> None:
        self.name = name
        self._expansion = expansion
        self._is_bidi = is_bidi

    def describe(self) -> TranslatorInfo:
        """Any pair of languages, for nothing."""
        shown = "Pseudo translation"
        if self._is_bidi:
            shown += ", right to left"
        return TranslatorInfo(self.name, shown, most_items=500, most_characters=500_000)

    def estimate(self, batch: TranslationBatch) -> Decimal:
        """It costs nothing."""
        return Decimal(0)

    def translate(self, batch: TranslationBatch, seconds: float) -> Translations:
        """Return every item, in accents."""
        return Translations(
            {item.id: Translated(self._translated(item)) for item in batch.items}
        )

    def _translated(self, item: TranslationItem) -> tuple[Piece, ...]:
        texts = [piece for piece in item.pieces if isinstance(piece, str)]
        more = ceil(self._expansion * sum(map(len, texts)))
        begin, end = ("[", f" {'·' * more}]")
        if self._is_bidi:
            begin, end = f"{_RIGHT_TO_LEFT}{begin}", f"{end}{_END}"
        pieces = [
            piece.translate(_ACCENTS) if isinstance(piece, str) else piece
            for piece in item.pieces
        ]
        return (begin, *pieces, end)


class PseudoPlugin:
    """The plugin ``pseudo``."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = PseudoSettings

    def __init__(self, settings: PseudoSettings = PseudoSettings()) -> None:
        self._expansion = settings.expansion

    @hookimpl
    def loc_provide_translators(self) -> list[Translator]:
        """Two translators."""
        more = self._expansion
        return [
            PseudoTranslator(expansion=more),
            PseudoTranslator("pseudo-bidi", is_bidi=True, expansion=more),
        ]

"""Gives locframework the translator ``deepl``: version 2 of DeepL's API."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from time import monotonic
from typing import Annotated, ClassVar, Literal
from xml.sax.saxutils import escape, unescape

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import (
    EngineServer,
    EngineSettings,
    Price,
    Refused,
    ServerRefused,
    Translated,
    TranslationBatch,
    TranslationItem,
    Translations,
    Translator,
    TranslatorFailed,
    TranslatorInfo,
    pieces_of,
    refusal,
)

__all__ = ["DeeplPlugin", "DeeplSettings", "DeeplTranslator"]

TEXTS_LIMIT = 50  # of one request
CONTEXT_LENGTH = 1000  # characters of one description or message
_MARK = re.compile(r'<x id="([0-9]{1,4})" ?/>')
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#39;": "'"}
_TRADITIONAL = {"HANT", "TW", "HK", "MO"}


class DeeplSettings(EngineSettings, frozen=True, kw_only=True):
    """Whose account pays, and how it translates."""

    api_key: Annotated[str, Meta(pattern=r"^[!-~]+\Z")]
    url: Annotated[str, Meta(pattern=r"^https?://[!-~]+\Z")] = (
        "https://api.deepl.com/v2"
    )
    price: Price = "0"  # of a million characters
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = (
        "default"
    )
    glossaries: Mapping[str, str] = {}  # "en:de": id of the glossary
    languages: Mapping[str, str] = {}  # "en": "EN-GB", for targets
    most_items: Annotated[int, Meta(ge=1, le=TEXTS_LIMIT)] = TEXTS_LIMIT
    most_characters: Annotated[int, Meta(ge=100, le=20_000)] = 10_000


class _Text(Struct):
    text: str
    billed_characters: int | None = None


class _Answer(Struct):
    translations: list[_Text]


class DeeplTranslator:
    """The port Translator over ``/translate``."""

    name = "deepl"

    def __init__(self, settings: DeeplSettings) -> None:
        self._settings = settings
        self._server = EngineServer(settings)
        self._price = Decimal(settings.price) / 1_000_000

    def describe(self) -> TranslatorInfo:
        """Any pair: what DeepL lacks it refuses itself."""
        settings = self._settings
        return TranslatorInfo(
            self.name,
            "DeepL",
            most_items=settings.most_items,
            most_characters=settings.most_characters,
            reads=("description",),
            unit="character",
            price=settings.price,
        )

    def estimate(self, batch: TranslationBatch) -> Decimal:
        """Return the price of all that is sent as text, marks and entities included."""
        return sum(map(len, map(_xml_of, batch.items))) * self._price

    def translate(self, batch: TranslationBatch, seconds: float) -> Translations:
        """Send a request for each context that the items have. Once one was answered,
        a later one that fails leaves its texts without an outcome."""
        ends = monotonic() + seconds
        outcomes: dict[str, Translated | Refused] = {}
        cost = Decimal(0)
        groups: dict[str, list[TranslationItem]] = {}
        for item in batch.items:
            groups.setdefault(_context_of(item), []).append(item)
        for context, items in groups.items():
            part = TranslationBatch(
                batch.source_language, batch.target_language, tuple(items)
            )
            try:
                found = self._translate(part, context, ends - monotonic())
            except TranslatorFailed as failed:
                if not outcomes:
                    failed.cost += cost
                    raise
                return Translations(outcomes, cost + failed.cost)
            outcomes |= found.outcomes
            cost += found.cost
        return Translations(outcomes, cost)

    def _translate(
        self, batch: TranslationBatch, context: str, seconds: float
    ) -> Translations:
        most = self.estimate(batch)
        try:
            answer = self._server.post(
                "/translate",
                self._request(batch, context),
                _Answer,
                seconds,
                most,
                [("Authorization", f"DeepL-Auth-Key {self._settings.api_key}")],
            )
        except ServerRefused as refused:
            if refused.status_code == 456:
                reason = "the quota of the DeepL account is used up"
                raise TranslatorFailed(reason) from None
            if refused.status_code == 413:
                return refusal(batch, refused.reason, Decimal(0))
            raise
        texts = answer.translations
        billed = [each.billed_characters for each in texts]
        cost = most
        if texts and None not in billed:
            cost = min(most, max(0, sum(n for n in billed if n)) * self._price)
        if len(texts) != len(batch.items):  # nobody knows which is which
            return Translations({}, cost)
        return Translations(_outcomes(batch.items, [each.text for each in texts]), cost)

    def _request(self, batch: TranslationBatch, context: str) -> dict[str, object]:
        settings = self._settings
        source = batch.source_language.partition("-")[0]
        target = batch.target_language
        request: dict[str, object] = {
            "text": list(map(_xml_of, batch.items)),
            "source_lang": "NB" if source == "no" else source.upper(),
            "target_lang": settings.languages.get(target) or code_of(target),
            "tag_handling": "xml",
            "ignore_tags": ["x"],
            "outline_detection": False,  # a mark ends no sentence
            "preserve_formatting": True,
            "show_billed_characters": True,
        }
        if context:
            request["context"] = context
        if settings.formality != "default":
            request["formality"] = settings.formality
        glossary = settings.glossaries.get(f"{source}:{target.partition('-')[0]}")
        if glossary:
            request["glossary_id"] = glossary
        return request


def code_of(language: str) -> str:
    """Return DeepL's code of a target language."""
    base, *rest = language.upper().split("-")
    if base == "EN":
        return "EN-US" if not rest or "US" in rest else "EN-GB"
    if base == "PT":
        return "PT-BR" if not rest or "BR" in rest else "PT-PT"
    if base == "ZH":
        return "ZH-HANT" if _TRADITIONAL & set(rest) else "ZH-HANS"
    if base == "ES" and "419" in rest:
        return "ES-419"
    return "NB" if base == "NO" else base


def _xml_of(item: TranslationItem) -> str:
    return "".join(
        escape(piece) if isinstance(piece, str) else f'<x id="{piece}"/>'
        for piece in item.pieces
    )


def _context_of(item: TranslationItem) -> str:
    """Return what DeepL reads of an item beside its text: what it is for, and the whole
    text that it is of."""
    texts = item.description, item.whole
    return "\n".join(text[:CONTEXT_LENGTH] for text in texts if text)


def _outcomes(
    items: Sequence[TranslationItem], texts: Sequence[str]
) -> dict[str, Translated]:
    return {
        item.id: Translated(pieces_of(text, _MARK, lambda t: unescape(t, _ENTITIES)))
        for item, text in zip(items, texts, strict=True)
        if text.strip()
    }


class DeeplPlugin:
    """The plugin ``deepl``; connects to nothing until something is translated."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = DeeplSettings

    def __init__(self, settings: DeeplSettings) -> None:
        self._translator = DeeplTranslator(settings)

    @hookimpl
    def loc_provide_translators(self) -> list[Translator]:
        """One translator, for the account of the settings."""
        return [self._translator]

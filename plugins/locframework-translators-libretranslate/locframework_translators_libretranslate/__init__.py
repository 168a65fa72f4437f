"""Gives locframework the translator ``libretranslate``: a LibreTranslate server."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar
from xml.sax.saxutils import escape, unescape

from msgspec import Meta, Struct, field

from locframework import hookimpl
from locframework.ports import (
    EngineServer,
    EngineSettings,
    Translated,
    TranslationBatch,
    TranslationItem,
    Translations,
    Translator,
    TranslatorFailed,
    TranslatorInfo,
    pieces_of,
)

__all__ = [
    "LibretranslatePlugin",
    "LibretranslateSettings",
    "LibretranslateTranslator",
]

_MARK = re.compile(r'<span id="m([0-9]{1,4})"[^<>]*>[^<>]*</span>')
_ENTITIES = {"&quot;": '"', "&#39;": "'", "&#x27;": "'"}


class LibretranslateSettings(EngineSettings, frozen=True, kw_only=True):
    """Which languages the server has, and what it calls them."""

    pairs: tuple[tuple[str, str], ...] = ()  # none: any, and the server may refuse
    languages: Mapping[str, str] = {}  # "zh-Hant": "zt"
    most_items: Annotated[int, Meta(ge=1, le=500)] = 25
    most_characters: Annotated[int, Meta(ge=100, le=100_000)] = 2000


class _Answer(Struct):
    translated_text: list[str] = field(name="translatedText")


class LibretranslateTranslator:
    """The port Translator over ``/translate``. It costs nothing."""

    name = "libretranslate"

    def __init__(self, settings: LibretranslateSettings) -> None:
        self._settings = settings
        self._server = EngineServer(settings)

    def describe(self) -> TranslatorInfo:
        """The pairs of the settings, else any."""
        return TranslatorInfo(
            self.name,
            "LibreTranslate",
            self._settings.pairs or None,
            self._settings.most_items,
            self._settings.most_characters,
        )

    def estimate(self, batch: TranslationBatch) -> Decimal:
        """It costs nothing."""
        return Decimal(0)

    def translate(self, batch: TranslationBatch, seconds: float) -> Translations:
        """Ask the server once."""
        pair = batch.source_language, batch.target_language
        if not self.describe().translates(*pair):
            raise TranslatorFailed(f"pairs: has no {pair[0]} to {pair[1]}")
        source, target = map(self._code_of, pair)
        request = {
            "q": list(map(_html_of, batch.items)),
            "source": source,
            "target": target,
            "format": "html",
        }
        if self._settings.api_key:
            request["api_key"] = self._settings.api_key
        answer = self._server.post("/translate", request, _Answer, seconds)
        texts = answer.translated_text
        if len(texts) != len(batch.items):  # nobody knows which is which
            return Translations({})
        found = {
            item.id: Translated(pieces_of(text, _MARK, _plain))
            for item, text in zip(batch.items, texts, strict=True)
            if text.strip()
        }
        return Translations(found)

    def _code_of(self, language: str) -> str:
        base = "nb" if language == "no" else language.partition("-")[0]
        return self._settings.languages.get(language, base)


def _html_of(item: TranslationItem) -> str:
    """Return a text with marks as elements that no engine translates. They are not
    empty, else the server would not look for their place in the sentence."""
    return "".join(
        escape(piece)
        if isinstance(piece, str)
        else f'<span id="m{piece}" translate="no">X{piece}</span>'
        for piece in item.pieces
    )


def _plain(text: str) -> str:
    return unescape(text, _ENTITIES)


class LibretranslatePlugin:
    """The plugin ``libretranslate``; connects to nothing until it translates."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = LibretranslateSettings

    def __init__(self, settings: LibretranslateSettings) -> None:
        self._translator = LibretranslateTranslator(settings)

    @hookimpl
    def loc_provide_translators(self) -> list[Translator]:
        """One translator: the server of the settings."""
        return [self._translator]

"""Two honest engines, one with a server. Their mutants: mutants/translator.py."""

import re
from decimal import Decimal
from functools import partial
from html import escape, unescape

import msgspec
import pytest

from locframework.ports import (
    EngineServer,
    EngineSettings,
    Price,
    Translated,
    Translations,
    TranslatorFailed,
    TranslatorInfo,
    pieces_of,
)
from locframework.testing.contracts.translators import (
    EngineServerContract,
    TranslatorContract,
    open_engine,
)
from locframework.testing.receiver import replying

WORDS = {"de": str.upper, "fr": str.swapcase}


class Shouting:
    """Translates in this process."""

    name = "shouting"

    def describe(self):
        pairs = (("en", "de"), ("en", "fr"))
        return TranslatorInfo("shouting", "Shouting", pairs, 50, 5000, price="20")

    def estimate(self, batch):
        return sum((self.cost(item) for item in batch.items), Decimal(0))

    def cost(self, item):
        length = sum(len(piece) for piece in item.pieces if isinstance(piece, str))
        return Decimal(20) * length / 1_000_000

    def translate(self, batch, seconds):
        if not self.describe().translates(batch.source_language, batch.target_language):
            raise TranslatorFailed("no such pair")
        outcomes = {
            item.id: Translated(self.text(item, batch.target_language))
            for item in batch.items
        }
        return Translations(outcomes, self.estimate(batch))

    def text(self, item, language):
        say = WORDS[language]
        return tuple(say(p) if isinstance(p, str) else p for p in item.pieces)


class TestShouting(TranslatorContract):
    @pytest.fixture
    def translator(self):
        return Shouting()


MARK = re.compile('<x id="([0-9]+)"/>')


class RemoteSettings(EngineSettings, frozen=True, kw_only=True):
    price: Price = "20"


class RemotePlugin:
    settings_type = RemoteSettings

    def __init__(self, settings):
        self._settings = settings

    def loc_provide_translators(self):
        return [Remote(self._settings)]


class Remote:
    """Asks a server, as most engines do."""

    name = "remote"

    def __init__(self, settings):
        self.settings = settings
        self.server = EngineServer(settings)

    def describe(self):
        limits = self.settings.most_items, self.settings.most_characters
        price = self.settings.price
        return TranslatorInfo("remote", "Remote", None, *limits, price=price)

    def estimate(self, batch):
        characters = sum(len(text) for text in self.texts_of(batch))
        return characters * Decimal(self.settings.price) / 1_000_000

    def texts_of(self, batch):
        return ["".join(map(self.marked, item.pieces)) for item in batch.items]

    def marked(self, piece):
        return f'<x id="{piece}"/>' if isinstance(piece, int) else escape(piece)

    def translate(self, batch, seconds):
        body = {"to": batch.target_language, "texts": self.texts_of(batch)}
        key = [("Authorization", f"Bearer {self.settings.api_key}")]
        cost = self.estimate(batch)
        found = self.server.post("/translate", body, list[str], seconds, cost, key)
        if len(found) != len(batch.items):
            return Translations({}, cost)
        outcomes = {
            item.id: Translated(pieces_of(text, MARK, unescape))
            for item, text in zip(batch.items, found, strict=True)
        }
        return Translations(outcomes, cost)


def shout(request):
    """Answers as a server: what is no tag and no entity, in capitals."""
    sent = msgspec.json.decode(request.body)
    assert request.header("authorization") == "Bearer very-secret"
    texts = [
        re.sub(r"(<x [^>]*>|&[#a-z0-9]+;)|(.)", lambda m: m[1] or m[2].upper(), text)
        for text in sent["texts"]
    ]
    return 200, msgspec.json.encode(texts)


remote = partial(open_engine, RemotePlugin)


class TestRemote(EngineServerContract):
    @pytest.fixture
    def translator(self, tmp_path):
        (tmp_path / "obedient").mkdir()
        with remote(tmp_path / "obedient", replying(shout)) as (engine, _):
            yield engine

    @pytest.fixture
    def open_engine(self):
        return remote

"""The contract of translators passes an honest engine, and catches plausible faults."""

import inspect
import time
from decimal import Decimal

import pytest
from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.ports import (
    Translated,
    Translations,
    TranslatorFailed,
    TranslatorInfo,
)
from locframework.testing.contracts.translators import TEXTS, TranslatorContract


class Honest:
    name = "honest"
    info = TranslatorInfo("honest", "Honest", (("en", "de"),), 50, 5000, price="20")

    def describe(self):
        return self.info

    def estimate(self, batch):
        return sum((self.cost(item) for item in batch.items), Decimal(0))

    def cost(self, item):
        length = sum(len(piece) for piece in item.pieces if isinstance(piece, str))
        return Decimal(20) * length / 1_000_000

    def translate(self, batch, seconds):
        if (batch.source_language, batch.target_language) != ("en", "de"):
            raise TranslatorFailed("no such pair")
        outcomes = {item.id: Translated(self.text(item)) for item in batch.items}
        return Translations(outcomes, self.estimate(batch))

    def text(self, item):
        return tuple(p.upper() if isinstance(p, str) else p for p in item.pieces)


class TestHonest(TranslatorContract):
    @pytest.fixture
    def translator(self):
        return Honest()


class OtherId(Honest):
    name = "other"


class TakesOnlyTen(Honest):
    def translate(self, batch, seconds):
        if len(batch.items) > 10:
            raise TranslatorFailed("too many")
        return super().translate(batch, seconds)


class DropsTheLast(Honest):
    def translate(self, batch, seconds):
        found = super().translate(batch, seconds)
        kept = dict([*found.outcomes.items()][:-1] or found.outcomes)
        return replace(found, outcomes=kept)


class MixesUpTheOrder(Honest):
    def translate(self, batch, seconds):
        found = super().translate(batch, seconds)
        values = [found.outcomes[id_] for id_ in sorted(found.outcomes)]
        return replace(found, outcomes=dict(zip(found.outcomes, values, strict=True)))


class CallsIdsByPlace(Honest):
    def translate(self, batch, seconds):
        found = super().translate(batch, seconds)
        outcomes = {str(n): one for n, one in enumerate(found.outcomes.values())}
        return replace(found, outcomes=outcomes)


class LosesMarks(Honest):
    def text(self, item):
        return tuple(p for p in super().text(item) if isinstance(p, str))


class DoublesMarks(Honest):
    def text(self, item):
        found = super().text(item)
        return found + tuple(p for p in found if isinstance(p, int))[-1:]


class WritesMarksAsText(Honest):
    def text(self, item):
        return ("".join(map(str, super().text(item))),)


class CostsMoreThanItSaid(Honest):
    def translate(self, batch, seconds):
        found = super().translate(batch, seconds)
        return replace(found, cost=found.cost * 2)


class EstimatesAnew(Honest):
    def estimate(self, batch):
        return super().estimate(batch) + Decimal(time.monotonic_ns()) / 10**12


class StumblesOverQuotes(Honest):
    def text(self, item):
        found = super().text(item)
        if '"' in str(found[0]):
            raise ValueError("bad JSON")
        return found


class AnswersNothing(Honest):
    def text(self, item):
        return ("",) if "\n" in str(item.pieces[0]) else super().text(item)


class TakesAnyPair(Honest):
    def translate(self, batch, seconds):
        return super().translate(
            replace(batch, source_language="en", target_language="de"), seconds
        )


class RetriesAWrongPair(Honest):
    def translate(self, batch, seconds):
        try:
            return super().translate(batch, seconds)
        except TranslatorFailed as failed:
            raise TranslatorFailed(failed.reason, 1.0) from None


class KeepsTheLastBatch(Honest):
    batch = None

    def translate(self, batch, seconds):
        self.batch = batch
        time.sleep(0.01)
        return super().translate(self.batch, seconds)


class IgnoresTheDeadline(Honest):
    def translate(self, batch, seconds):
        if seconds < 1:
            time.sleep(1.6)
        return super().translate(batch, seconds)


class PriceInWords(Honest):
    info = replace(Honest.info, price="-1")


MISTAKES = [
    OtherId, TakesOnlyTen, DropsTheLast, MixesUpTheOrder, CallsIdsByPlace, LosesMarks,
    DoublesMarks, WritesMarksAsText, CostsMoreThanItSaid, EstimatesAnew,
    StumblesOverQuotes, AnswersNothing, TakesAnyPair, RetriesAWrongPair,
    KeepsTheLastBatch, IgnoresTheDeadline, PriceInWords,
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_caught(mistake):
    suite = TestHonest()
    clauses = [
        (name, clause)
        for name, clause in inspect.getmembers(suite, inspect.ismethod)
        if name.startswith("test_")
    ]

    caught = [name for name, clause in clauses if fails(clause, mistake())]

    assert caught


def fails(clause, translator):
    texts = [{"text": text} for text in TEXTS]
    for more in texts if "text" in inspect.signature(clause).parameters else [{}]:
        try:
            clause(translator, **more)
        except (*PLUGIN_EXCEPTIONS, AssertionError, pytest.fail.Exception):
            return True
    return False

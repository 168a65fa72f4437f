"""Whatever an engine answers, each text has a whole translation, or a reason."""

import random
from decimal import Decimal

from locframework.machine_translation.engine import Engine, Unit
from locframework.machine_translation.messages import take_apart
from locframework.ports import (
    Refused,
    Translated,
    TranslationItem,
    Translations,
    TranslatorFailed,
    TranslatorInfo,
)
from locframework.quality.check import Checks, Subject
from locframework.quality.checks import BUILT_IN

from .test_messages import MESSAGES

ANSWERS = 10_000
FORMS = {"one": True, "other": False}
WHOLE = ("placeholders", "markup", "plural_forms")
NOISE = [
    "OWNED", "<p>", "</b>", "{", "}", "{0}", "{n, plural, other {x}}", "%s", "%", "'",
    "#", "|", "\n", " ", "", "x" * 5000, "\0", "\ud800", "plural, weitere", 0,
    1, -1, 99, None, "$t(x)", "{{x}}", ":name", "https://evil.example", "<script>",
]  # fmt: skip


class Adversary:
    """Answers anything, by chance."""

    name = "adversary"

    def __init__(self, seed):
        self._chance = random.Random(seed)

    def describe(self):
        return TranslatorInfo("adversary", "Adversary", most_items=7)

    def estimate(self, batch):
        return Decimal(len(batch.items))

    def translate(self, batch, seconds):
        chance = self._chance.random()
        if chance < 0.02:
            raise TranslatorFailed("429", 0.0)
        if chance < 0.03:
            raise TranslatorFailed("401")
        if chance < 0.04:
            raise ValueError("bad JSON")
        outcomes = {}
        for item in batch.items:
            if self._chance.random() < 0.03:
                continue
            id_ = item.id if self._chance.random() < 0.97 else "nobody's"
            outcomes[id_] = self._outcome(item)
        return Translations(outcomes, self.estimate(batch))

    def _outcome(self, item):
        chance, pieces = self._chance, list(item.pieces)
        if chance.random() < 0.02:
            return Refused("no")
        for _ in range(chance.choice((0, 0, 1, 2, 5))):
            change, at = chance.randrange(4), chance.randrange(len(pieces) + 1)
            if change == 0:
                pieces.insert(at, chance.choice(NOISE))
            elif change == 1:
                chance.shuffle(pieces)
            elif change == 2:
                del pieces[at : at + 1]
            else:
                pieces += pieces[at : at + 1]
        return Translated(tuple(pieces))


def test_ten_thousand_hostile_answers_break_no_message_and_lose_none(caplog):
    caplog.set_level("CRITICAL")
    checks, chance = Checks({each.name: each for each in BUILT_IN}), random.Random(6)
    stored = done = failed = 0
    while done < ANSWERS:
        sources = chance.sample(MESSAGES, len(MESSAGES))
        units = [
            Unit(take_apart(source, FORMS), TranslationItem(message=source))
            for source in sources
        ]
        engine = Engine(Adversary(done), "en", "de", "", None)
        engine.reserve(units)
        engine.translate(units, lambda: None)

        done += sum(len(unit.message.leaves) for unit in units)
        for unit in units:
            assert (unit.text is None) != (unit.failure is None)
            if unit.text is None:
                failed += 1
                continue
            stored += 1
            subject = Subject(
                "k", "de", {None: unit.text}, "en", {None: unit.context.message},
                plural_forms=("one", "other"),
            )  # fmt: skip
            assert checks.findings(subject, WHOLE) == [], (
                unit.context.message,
                unit.text,
            )
            unit.text.encode()
    assert stored > 1000
    assert failed > 1000

"""Calls of an engine: in batches, within a budget, one outcome for each text."""

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from locframework.errors import PLUGIN_EXCEPTIONS, BudgetExceeded, abbreviate

from .messages import BrokenAnswer, Leaf, Message, Piece
from .translator import (
    Refused,
    Translated,
    TranslationBatch,
    TranslationItem,
    Translations,
    Translator,
    TranslatorFailed,
)
from .usage import Limit

log = logging.getLogger("locframework.machine_translation")

CALL_SECONDS = 60.0
ATTEMPTS = 3
WAIT_SECONDS_MOST = 60.0

Failure = tuple[str, str]
"""A reason of RunOutcome, and more of it for people."""
CANCELLED: Failure = "cancelled", "the run was cancelled"
CheckCancelled = Callable[[], None]


@dataclass(eq=False)
class Unit:
    """A text to translate, and then its translation or why there is none."""

    message: Message
    context: TranslationItem  # of each of its sentences
    text: str | None = None
    failure: Failure | None = None
    prompt_hash: str = ""
    items: tuple[TranslationItem, ...] = ()  # without ids; set when it is asked for

    @property
    def length(self) -> int:
        """The characters that an engine is sent of it."""
        return sum(
            len(piece)
            for leaf in self.message.leaves
            for piece in leaf.pieces
            if isinstance(piece, str)
        )


@dataclass(eq=False)
class Engine:
    """The calls for texts of one page and language. ``limit``: what they may cost
    together; None: anything."""

    _translator: Translator
    _source_language: str
    _target_language: str
    _instructions: str
    _limit: Limit | None
    cost: Decimal = Decimal(0)
    _reserved: Decimal = Decimal(0)
    _items: dict[TranslationItem, str] = field(default_factory=dict)
    """The id of each item that is asked for; equal ones are paid once."""
    _reserve: Callable[[Decimal], None] = lambda cost: None
    _ends: float = math.inf  # by time.monotonic()
    _attempts: int = ATTEMPTS
    _allowed: list[TranslationItem] = field(default_factory=list)
    _failed: dict[str, Failure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._info = self._translator.describe()

    def reserve(self, units: Sequence[Unit]) -> Decimal:
        """Return what the calls may cost at most; texts that the budget does not allow
        fail."""
        allowed: list[TranslationItem] = []
        spent = Decimal(0)
        for batch in self._batches(self._all_items(units)):
            cost = self._translator.estimate(batch)
            if cost and self._limit is not None and spent + cost > self._limit.left:
                for item in batch.items:
                    self._failed[item.id] = "over_budget", self._limit.reason
                continue
            spent += cost
            allowed += batch.items
        self._allowed = allowed
        self._reserved = spent
        return spent

    def estimate(self, units: Sequence[Unit]) -> None:
        """Set the cost to that of a call for each batch, and the texts to the sources,
        as if they were translated."""
        self.reserve(units)
        self.cost = self._reserved
        for unit in units:
            self._take(unit, {id_: item.pieces for item, id_ in self._items.items()})

    def translate(
        self,
        units: Sequence[Unit],
        check_cancelled: CheckCancelled,
        *,
        reserve: Callable[[Decimal], None] = lambda cost: None,
        within: float = math.inf,
        attempts: int = ATTEMPTS,
    ) -> None:
        """Translate the units that ``reserve`` allowed. Each gets a text or a failure.
        Raises what ``check_cancelled`` does, before a call: units of earlier calls have
        their texts. ``reserve`` is told what all calls may cost, before one that is
        repeated makes it more; BudgetExceeded of it fails the texts of that call.
        ``within``: seconds, of all calls together."""
        self._reserve = reserve
        self._ends, self._attempts = time.monotonic() + within, attempts
        answers: dict[str, Sequence[Piece]] = {}
        try:
            for batch in self._batches(self._allowed):
                self._call(list(batch.items), answers, check_cancelled)
        finally:
            for unit in units:
                self._take(unit, answers)

    def _asked(self, unit: Unit, leaf: Leaf) -> TranslationItem:
        """Return an item without its id, and without the key and its neighbours if the
        engine does not read them: then equal texts of keys are equal."""
        context = unit.context
        is_near = "neighbours" in self._info.reads
        return replace(
            context,
            pieces=leaf.pieces,
            placeholders=tuple(leaf.placeholders),
            plural_form=leaf.plural_form or context.plural_form,
            key=context.key if is_near else "",
            neighbours=context.neighbours if is_near else (),
        )

    def _all_items(self, units: Sequence[Unit]) -> list[TranslationItem]:
        items = []
        for unit in units:
            unit.items = tuple(self._asked(unit, leaf) for leaf in unit.message.leaves)
            for item in unit.items:
                if item not in self._items:
                    id_ = self._items[item] = str(len(self._items))
                    items.append(replace(item, id=id_))
        return items

    def _batches(self, items: Sequence[TranslationItem]) -> Iterator[TranslationBatch]:
        info = self._info
        batch: list[TranslationItem] = []
        length = 0
        for item in items:
            more = sum(len(piece) for piece in item.pieces if isinstance(piece, str))
            if batch and (
                len(batch) == info.most_items or length + more > info.most_characters
            ):
                yield self._batch(batch)
                batch, length = [], 0
            batch.append(item)
            length += more
        if batch:
            yield self._batch(batch)

    def _batch(self, items: Sequence[TranslationItem]) -> TranslationBatch:
        return TranslationBatch(
            self._source_language,
            self._target_language,
            tuple(items),
            self._instructions,
        )

    def _call(
        self,
        items: list[TranslationItem],
        answers: dict[str, Sequence[Piece]],
        check_cancelled: CheckCancelled,
    ) -> None:
        """Ask for items; those without an answer again, in halves."""
        batch = self._batch(items)
        found = self._answer(batch, check_cancelled)
        if isinstance(found, tuple):
            self._failed.update(dict.fromkeys((item.id for item in items), found))
            return
        missing = []
        for item in items:
            outcome = found.outcomes.get(item.id)
            if isinstance(outcome, Translated) and isinstance(outcome.pieces, tuple):
                answers[item.id] = outcome.pieces
            elif isinstance(outcome, Refused):
                self._failed[item.id] = "refused", str(outcome.reason)
            elif len(items) == 1:
                self._failed[item.id] = "no_answer", "the engine left it out"
            else:
                missing.append(item)
        half = (len(missing) + 1) // 2
        for some in (missing[:half], missing[half:]):
            if some:
                self._call(some, answers, check_cancelled)

    def _answer(
        self, batch: TranslationBatch, check_cancelled: CheckCancelled
    ) -> Translations | Failure:
        """Call the engine; again where that may help."""
        translator = self._translator
        most = translator.estimate(batch)
        failure: Failure = "engine_failed", "it was not asked"
        for attempt in range(self._attempts):
            if most and self._limit is not None and self.cost + most > self._limit.left:
                return "over_budget", self._limit.reason
            check_cancelled()
            seconds = min(CALL_SECONDS, self._ends - time.monotonic())
            if seconds <= 0:
                return "engine_failed", "it took too long"
            if self.cost + most > self._reserved:
                try:
                    self._reserve(self.cost + most)
                except BudgetExceeded as exceeded:
                    return "over_budget", exceeded.message
                self._reserved = self.cost + most
            try:
                found = translator.translate(batch, seconds)
                if not (isinstance(found, Translations) and 0 <= found.cost < math.inf):
                    raise ValueError(f"{abbreviate(repr(found))} is no answer")
                self.cost += found.cost
                return found
            except TranslatorFailed as failed:
                self.cost += min(failed.cost, most)
                failure = "engine_failed", failed.reason
                if failed.retry_after is None or attempt + 1 == self._attempts:
                    return failure
                _wait(failed.retry_after, check_cancelled)
            except PLUGIN_EXCEPTIONS:
                log.exception("translator %s failed", translator.name)
                self.cost += most
                return "engine_failed", "the engine failed; the log says why"
        return failure

    def _take(self, unit: Unit, answers: Mapping[str, Sequence[Piece]]) -> None:
        """Set the text of a unit, or its failure."""
        prompt = self._batch(unit.items)
        unit.prompt_hash = sha256(msgspec.json.encode(prompt)).hexdigest()[:16]
        ids = [self._items[item] for item in unit.items]
        for id_ in ids:
            if id_ in self._failed or id_ not in answers:
                unit.failure = self._failed.get(id_, CANCELLED)
                return
        try:
            unit.text = unit.message.build([answers[id_] for id_ in ids])
        except BrokenAnswer as broken:
            unit.failure = "broken_answer", str(broken)


def _wait(seconds: float, check_cancelled: CheckCancelled) -> None:
    ends = time.monotonic() + min(seconds, WAIT_SECONDS_MOST)
    while (left := ends - time.monotonic()) > 0:
        check_cancelled()
        time.sleep(min(left, 0.2))

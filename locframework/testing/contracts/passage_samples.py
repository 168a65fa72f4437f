"""What the contract of the port Concordancer is tried with, and brute force."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from locframework.fields import new_id, timestamp
from locframework.languages import folded
from locframework.memories.matching.port import (
    SOURCE_CODE,
    FoundEntries,
    Passage,
)
from locframework.memories.matching.records import Concordance
from locframework.pagination import PageRequest

from .matcher_samples import WORDS, EntriesInMemory, sentences

SPECIAL = (
    "İstanbul ISTANBUL ıstanbul STRASSE straße Straſſe 273 K \u212a ﬁnd ϐίος Σίσυφος"
)
CODES = ("de", "ja", "pt-BR")


class SaidEntry(msgspec.Struct, frozen=True):
    """An entry as somebody wrote it."""

    source: str
    values: dict[str, str]
    day: int = 0  # of its last change


class PassagesInMemory(EntriesInMemory[SaidEntry]):
    """The port Passages."""

    def passages(self, memory_id: str, after: int) -> Iterator[Passage]:
        """As the port says."""
        entries = self.entries[memory_id]
        for revision, entry_id in self._changed(memory_id, after):
            entry = entries.get(entry_id)
            if entry is not None:
                length, at = len(entry.source), _day(entry.day)
                yield Passage(revision, entry_id, length, at, _texts(entry))
            elif after:
                yield Passage(revision, entry_id, 0, "", None)


def brute_force(
    passages: PassagesInMemory, asked: Concordance, page: PageRequest
) -> FoundEntries:
    """What reading every entry finds."""
    found = []
    for memory_id in asked.memory_ids:
        for entry_id, entry in passages.entries.get(memory_id, {}).items():
            texts = [text for code, text in _texts(entry) if _is_asked(asked, code)]
            if any(asked.text in text for text in texts):
                is_whole = asked.text in texts
                found.append((not is_whole, len(entry.source), -entry.day, entry_id))
    ids = [entry_id for *_, entry_id in sorted(found)]
    return FoundEntries(ids[page.offset :][: page.limit], len(ids))


def said(script: str, many: int, seed: int) -> dict[str, SaidEntry | None]:
    """New entries in a script of ``WORDS``, or of what is special when folded."""
    chosen = random.Random(seed)
    if script in WORDS:
        texts = sentences(script, many * 2, seed)
    else:
        words = SPECIAL.split(" ")
        texts = [
            " ".join(chosen.choices(words, k=chosen.randint(1, 9)))
            for _ in range(many * 2)
        ]
    return {
        new_id(): SaidEntry(
            chosen.choice((text, text.upper(), f"  {text}\n{text} ")),
            {code: chosen.choice(texts) for code in CODES if chosen.random() < 0.6},
            chosen.randint(0, 3),
        )
        for text in texts[:many]
    }


def part_of(entry: SaidEntry, chosen: random.Random) -> str:
    """A folded part of a text of the entry, never empty."""
    _, text = chosen.choice(_texts(entry))
    begin = chosen.randrange(len(text))
    length = chosen.choice((1, 1, 2, 3, 4, 9, 33, 70, len(text)))
    return text[begin : begin + length].strip() or text


def _texts(entry: SaidEntry) -> list[tuple[str, str]]:
    every = [(SOURCE_CODE, entry.source), *entry.values.items()]
    return [(code, folded(text)) for code, text in every]


def _is_asked(asked: Concordance, code: str) -> bool:
    if code == SOURCE_CODE:
        return asked.search_in != "target"
    if asked.search_in == "source":
        return False
    return asked.language_codes is None or code in asked.language_codes


def _day(day: int) -> str:
    return timestamp(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day))

"""Samples for the contracts of matchers and concordancers, and brute force."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

import pytest
from hypothesis import HealthCheck

from locframework.fields import new_id
from locframework.memories.matching.port import (
    Forgotten,
    Found,
    Hit,
    SegmentChange,
    Wanted,
)

T = TypeVar("T")
Damage = Callable[[str], None]

MEMORY = "01890000-0000-7000-8000-000000000001"
OTHER = "01890000-0000-7000-8000-000000000002"
# one instance for all examples, and one suite for several plugins, is what is meant
SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
WORDS = {
    "Latin": "the file could not be saved because disk is full open close größe café",
    "Cyrillic": "не удалось сохранить файл потому что диск заполнен открыть закрыть",
    "CJK": "无法保存文件因为磁盘已满 打开 关闭 ファイルを 保存できません 設定",
    "Arabic": "تعذر حفظ الملف لأن القرص ممتلئ فتح إغلاق الإعدادات هل أنت متأكد",
    "Thai": "ไม่สามารถบันทึกไฟล์ได้ เพราะดิสก์เต็ม เปิด ปิด การตั้งค่า",
}


def distance_of(first: str, second: str) -> int:
    """The Levenshtein distance, as the textbook has it."""
    row = list(range(len(second) + 1))
    for at, character in enumerate(first, 1):
        before, row[0] = row[0], at
        for place, other in enumerate(second, 1):
            change = before + (character != other)
            before = row[place]
            row[place] = min(change, row[place] + 1, row[place - 1] + 1)
    return row[-1]


def percent_of(
    first: str, second: str, by: Callable[[str, str], int] = distance_of
) -> int:
    """``floor(100 × similarity)`` of two texts."""
    longest = max(len(first), len(second))
    return (longest - by(first, second)) * 100 // longest if longest else 100


class EntriesInMemory(Generic[T]):
    """The port Revisions over dicts: what a storage does in tables."""

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, T]] = {}
        self._changes: dict[str, dict[str, int]] = {}
        self._revisions: dict[str, int] = {}
        self._forgotten: dict[str, int] = {}
        self.in_block = False

    def change(self, memory_id: str, changes: Mapping[str, T | None]) -> None:
        """Commit entries by id; None removes one. Creates the memory."""
        revision = self._revisions[memory_id] = self._revisions.get(memory_id, 0) + 1
        entries = self.entries.setdefault(memory_id, {})
        for entry_id, entry in changes.items():
            if entry is None:
                entries.pop(entry_id, None)
            else:
                entries[entry_id] = entry
            changed = self._changes.setdefault(memory_id, {})
            changed.pop(entry_id, None)
            changed[entry_id] = revision  # now the last

    def forget_removals(self, memory_id: str) -> None:
        """Forget which entries were removed until now."""
        entries = self.entries[memory_id]
        self._changes[memory_id] = {
            entry_id: revision
            for entry_id, revision in self._changes.get(memory_id, {}).items()
            if entry_id in entries
        }
        self._forgotten[memory_id] = self._revisions[memory_id]

    def drop(self, memory_id: str) -> None:
        """Delete the memory."""
        self._revisions.pop(memory_id)
        for of_memory in (self._changes, self._forgotten, self.entries):
            of_memory.pop(memory_id, None)

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """As the port says."""
        there = self._revisions
        return {id_: there[id_] for id_ in memory_ids if id_ in there}

    def is_in_block(self) -> bool:
        """As the port says; a test sets it."""
        return self.in_block

    def _changed(self, memory_id: str, after: int) -> Iterator[tuple[int, str]]:
        """Revisions and entry ids since then, the last first."""
        if 0 < after < self._forgotten.get(memory_id, 0):
            raise Forgotten
        for entry_id, revision in reversed(self._changes.get(memory_id, {}).items()):
            if revision <= after:
                return
            yield revision, entry_id


class SegmentsInMemory(EntriesInMemory[str]):
    """The port Segments."""

    has_notes = False

    @property
    def texts(self) -> dict[str, dict[str, str]]:
        """Texts by memory id and entry id."""
        return self.entries

    def note(self, memory_id: str, entry_id: str) -> bytes:
        """Return the note of an entry, which is another after each change."""
        if not self.has_notes:
            return b""
        return f"{entry_id} \0 {self._changes[memory_id][entry_id]}".encode()

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """As the port says."""
        texts = self.texts[memory_id]
        for revision, entry_id in self._changed(memory_id, after):
            note = self.note(memory_id, entry_id)
            yield SegmentChange(revision, entry_id, texts.get(entry_id), note)


class IndexContract:
    """What the contracts of matchers and concordancers have in common."""

    undamageable: ClassVar[str | None] = None
    unbreakable: ClassVar[str | None] = None

    @pytest.fixture
    def damage(self) -> Damage:
        """Give this one, or set ``undamageable``."""
        if self.undamageable:
            pytest.skip(self.undamageable)
        raise NotImplementedError("give the fixture damage, or set undamageable")


def brute_force(
    segments: SegmentsInMemory,
    wanted: Sequence[Wanted],
    text: str,
    most: int,
    by: Callable[[str, str], int] = distance_of,
) -> Found:
    """Return what comparing with every entry finds."""
    hits = [
        Hit(each.memory_id, entry_id, percent)
        for each in wanted
        for entry_id, other in segments.texts.get(each.memory_id, {}).items()
        if text and other
        if (percent := percent_of(text, other, by)) >= each.least_percent
    ]
    hits.sort(key=lambda hit: (-hit.percent, hit.entry_id))
    return Found(hits[:most], len(hits) <= most)


def sentences(script: str, many: int, seed: int) -> list[str]:
    """Return texts of which some are alike; the same for the same seed."""
    chosen = random.Random(seed)
    words = WORDS[script].split(" ")
    found: list[str] = []
    for _ in range(many):
        if found and chosen.random() < 0.5:
            text = list(chosen.choice(found))
            for _ in range(chosen.randint(1, 1 + len(text) // 3)):
                at = chosen.randrange(len(text))
                text[at : at + chosen.randint(0, 1)] = chosen.choice(WORDS[script])
            found.append("".join(text).strip() or words[0])
        else:
            found.append(" ".join(chosen.choices(words, k=chosen.randint(1, 14))))
    return found


def entries(texts: Sequence[str]) -> dict[str, str | None]:
    """Return texts as new entries."""
    return {new_id(): text for text in texts}

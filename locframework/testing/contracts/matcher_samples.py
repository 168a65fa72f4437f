"""What the contract of the port Matcher is tried with, and brute force to compare."""

import random
from collections.abc import Callable, Iterator, Sequence

from locframework.fields import new_id
from locframework.memories.matching.port import (
    Forgotten,
    Found,
    Hit,
    SegmentChange,
    Wanted,
)

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


class SegmentsInMemory:
    """The port Segments over dicts: what a storage does in tables."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, str]] = {}
        self._changes: dict[str, dict[str, int]] = {}
        self._revisions: dict[str, int] = {}
        self._forgotten: dict[str, int] = {}
        self.in_block = False
        self.has_notes = False

    def note(self, memory_id: str, entry_id: str) -> bytes:
        """What goes with an entry: another at each change of it."""
        if not self.has_notes:
            return b""
        return f"{entry_id} \0 {self._changes[memory_id][entry_id]}".encode()

    def change(self, memory_id: str, changes: dict[str, str | None]) -> None:
        """Commit texts by entry id; None removes one. Makes the memory."""
        revision = self._revisions[memory_id] = self._revisions.get(memory_id, 0) + 1
        texts = self.texts.setdefault(memory_id, {})
        for entry_id, text in changes.items():
            if text is None:
                texts.pop(entry_id, None)
            else:
                texts[entry_id] = text
            changed = self._changes.setdefault(memory_id, {})
            changed.pop(entry_id, None)
            changed[entry_id] = revision  # now the last

    def forget_removals(self, memory_id: str) -> None:
        """What was removed until now is not told any more."""
        changed, texts = self._changes.get(memory_id, {}), self.texts[memory_id]
        self._changes[memory_id] = {
            entry_id: revision
            for entry_id, revision in changed.items()
            if entry_id in texts
        }
        self._forgotten[memory_id] = self._revisions[memory_id]

    def drop(self, memory_id: str) -> None:
        """The memory is no more."""
        self._revisions.pop(memory_id)
        self._changes.pop(memory_id, None)
        self._forgotten.pop(memory_id, None)
        self.texts.pop(memory_id, None)

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """As the port says."""
        there = self._revisions
        return {id_: there[id_] for id_ in memory_ids if id_ in there}

    def is_in_block(self) -> bool:
        """As the port says; a test sets it."""
        return self.in_block

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """As the port says."""
        if 0 < after < self._forgotten.get(memory_id, 0):
            raise Forgotten
        texts = self.texts[memory_id]
        for entry_id, revision in reversed(self._changes.get(memory_id, {}).items()):
            if revision <= after:
                return
            note = self.note(memory_id, entry_id)
            yield SegmentChange(revision, entry_id, texts.get(entry_id), note)


def brute_force(
    segments: SegmentsInMemory,
    wanted: Sequence[Wanted],
    text: str,
    most: int,
    by: Callable[[str, str], int] = distance_of,
) -> Found:
    """What comparing with every entry finds."""
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
    """Texts that are like each other here and there; the same for the same seed."""
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
    """Texts as new entries."""
    return {new_id(): text for text in texts}

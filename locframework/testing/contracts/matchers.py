"""The contract of the port Matcher; clauses as in docs/internals/contracts.md."""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from locframework.errors import Unavailable
from locframework.fields import new_id
from locframework.memories.matching.port import (
    Forgotten,
    Found,
    Hit,
    Matcher,
    SegmentChange,
    Wanted,
)

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


class SegmentsInMemory:
    """The port Segments over dicts: what a storage does in tables."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, str]] = {}
        """By memory id and entry id."""
        self._changes: dict[str, dict[str, int]] = {}
        self._revisions: dict[str, int] = {}
        self._forgotten: dict[str, int] = {}
        self.in_block = False

    def change(self, memory_id: str, changes: Mapping[str, str | None]) -> None:
        """Commit entries by id; None removes one. Creates the memory."""
        revision = self._revisions[memory_id] = self._revisions.get(memory_id, 0) + 1
        entries = self.texts.setdefault(memory_id, {})
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
        entries = self.texts[memory_id]
        self._changes[memory_id] = {
            entry_id: revision
            for entry_id, revision in self._changes.get(memory_id, {}).items()
            if entry_id in entries
        }
        self._forgotten[memory_id] = self._revisions[memory_id]

    def drop(self, memory_id: str) -> None:
        """Delete the memory."""
        self._revisions.pop(memory_id)
        for of_memory in (self._changes, self._forgotten, self.texts):
            of_memory.pop(memory_id, None)

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """As the port says."""
        there = self._revisions
        return {id_: there[id_] for id_ in memory_ids if id_ in there}

    def is_in_block(self) -> bool:
        """As the port says; a test sets it."""
        return self.in_block

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """As the port says, the last first."""
        if 0 < after < self._forgotten.get(memory_id, 0):
            raise Forgotten
        texts = self.texts[memory_id]
        for entry_id, revision in reversed(self._changes.get(memory_id, {}).items()):
            if revision <= after:
                return
            yield SegmentChange(revision, entry_id, texts.get(entry_id))


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


def _new_entries(many: int, seed: int) -> dict[str, str | None]:
    """Return so many entries; the same for the same seed but for their ids."""
    return entries(sentences("Latin", many, seed))


OpenMatcher = Callable[[], Matcher]

PLACE = re.compile(r"(?<!\w)/\w|://")
EVERY = 1_000_000


class MatcherContract:
    """Subclass it as ``Test…`` and give the fixtures; see docs/internals/contracts.md.

    ``open_index`` gives, at each call, another instance over one and the same place,
    which is empty when a test begins: as another process has it, or a restart.
    ``damage`` alters what is kept of a memory behind its back. ``broken_index`` is one
    whose place cannot be reached. Where the last two cannot be done, ``undamageable``
    or ``unbreakable`` says why.
    """

    undamageable: ClassVar[str | None] = None
    unbreakable: ClassVar[str | None] = None
    size: ClassVar[int] = 1500  # entries of a test with many
    longest: ClassVar[int] = 10_000  # of a text; less for one that takes ages

    @pytest.fixture
    def open_index(self) -> OpenMatcher:
        """Give this one in every subclass."""
        raise NotImplementedError("give the fixture open_index")

    @pytest.fixture
    def damage(self) -> Damage:
        """Give this one, or set ``undamageable``."""
        if self.undamageable:
            pytest.skip(self.undamageable)
        raise NotImplementedError("give the fixture damage, or set undamageable")

    @pytest.fixture
    def broken_index(self) -> Matcher:
        """Give this one, or set ``unbreakable``."""
        if self.unbreakable:
            pytest.skip(self.unbreakable)
        raise NotImplementedError("give the fixture broken_index, or set unbreakable")

    @pytest.fixture
    def index(self, open_index: OpenMatcher) -> Matcher:
        """One instance, for the tests that need no second."""
        return open_index()

    @pytest.fixture
    def memories(self) -> SegmentsInMemory:
        """Two memories without entries."""
        empty = SegmentsInMemory()
        empty.change(MEMORY, {})
        empty.change(OTHER, {})
        return empty

    def check_some(
        self,
        index: Matcher,
        memories: SegmentsInMemory,
        seed: int,
        of: SegmentsInMemory | None = None,
    ) -> None:
        """It finds what brute force does, for texts of the seed and texts of ``of``.
        ``of`` are memories; None: these."""
        chosen = random.Random(seed)
        there = list((of or memories).texts[MEMORY].values())
        asked = [*sentences("Latin", 6, seed), *there[:2], *chosen.sample(there, 1)]
        self.check(index, memories, asked, chosen.randint(50, 90))

    def check(
        self,
        index: Matcher,
        memories: SegmentsInMemory,
        texts: Sequence[str],
        least: int,
        most: int = EVERY,
        memory_id: str = MEMORY,
    ) -> None:
        """The index answers as brute force does."""
        wanted = [Wanted(memory_id, least)]
        found = index.find(memories, wanted, texts, most)
        assert len(found) == len(texts)
        for text, answer in zip(texts, found, strict=True):
            expected = brute_force(memories, wanted, text, most, index.distance)
            assert answer == expected, text

    def test_i1_the_name_is_plain(self, open_index: OpenMatcher) -> None:
        name = open_index().name

        assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
        assert open_index().name == name

    def test_i2_changes_are_known_to_the_next_call_of_everyone(
        self, open_index: OpenMatcher, memories: SegmentsInMemory
    ) -> None:
        chosen = random.Random(3)
        instances = [open_index(), open_index()]
        counts = 1, 2 + self.size // 40, self.size // 5
        removed = deepcopy(memories)
        memories.change(MEMORY, _new_entries(self.size // 2, seed=98))
        for turn in range(16):
            there = memories.texts[MEMORY]
            fewer = 1 if turn < 12 else 6  # an index may only add to its files then
            changes = _new_entries(chosen.choice(counts) // fewer + 1, turn)
            some = chosen.sample([*there], k=len(there) // (8 * fewer))
            edited = _new_entries(len(some), seed=50 + turn).values()
            changes |= dict(zip(some, edited, strict=True))
            gone = chosen.sample([*there], k=1 + len(there) // (10 * fewer))
            if fewer > 1:
                removed.texts[MEMORY] |= {id_: there[id_] for id_ in gone}
            memories.change(MEMORY, changes | dict.fromkeys(gone))

            self.check_some(chosen.choice(instances), memories, turn)
            if fewer > 1:
                self.check_some(open_index(), memories, turn, of=removed)
        for instance in [*instances, open_index()]:
            self.check_some(instance, memories, 99, of=removed)

    def test_i3_a_memory_that_was_dropped_is_not_found(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        memories.change(MEMORY, _new_entries(20, seed=4))
        before = deepcopy(memories)
        self.check_some(index, memories, 5)

        memories.drop(MEMORY)

        self.check_some(index, memories, 6, of=before)
        index.forget(MEMORY)
        index.forget(MEMORY)
        self.check_some(index, memories, 7, of=before)

    def test_i4_a_memory_that_went_back_is_read_again(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        for seed in range(3):
            memories.change(MEMORY, _new_entries(5, seed))
            self.check_some(index, memories, seed)
        before = deepcopy(memories)
        memories.drop(MEMORY)
        memories.change(MEMORY, _new_entries(3, 9))  # as a backup had it

        self.check_some(index, memories, 10)
        self.check_some(index, memories, 11, of=before)

    def test_i5_what_is_read_inside_a_transaction_is_not_kept(
        self, open_index: OpenMatcher, memories: SegmentsInMemory
    ) -> None:
        memories.change(MEMORY, _new_entries(30, seed=5))
        instances = [open_index(), open_index()]
        self.check_some(instances[0], memories, 6)
        rolled_back = deepcopy(memories)
        rolled_back.in_block = True
        edited = _new_entries(30, seed=60).values()
        changed = zip(memories.texts[MEMORY], edited, strict=True)
        rolled_back.change(MEMORY, dict(changed))

        for instance in instances:
            self.check_some(instance, rolled_back, 7)

        memories.change(MEMORY, _new_entries(1, 8))  # now of the same revision
        for instance in instances:
            self.check_some(instance, memories, 8, of=rolled_back)
            self.check_some(instance, memories, 9)

    def test_i6_what_was_damaged_is_made_again(
        self, open_index: OpenMatcher, memories: SegmentsInMemory, damage: Damage
    ) -> None:
        memories.change(MEMORY, _new_entries(self.size, seed=8))
        self.check_some(open_index(), memories, 8)

        damage(MEMORY)

        self.check_some(open_index(), memories, 9)
        memories.change(MEMORY, _new_entries(6, seed=9))
        self.check_some(open_index(), memories, 10)

    def test_i7_what_was_removed_and_forgotten_is_not_found(
        self, open_index: OpenMatcher, memories: SegmentsInMemory
    ) -> None:
        ahead, behind = open_index(), open_index()
        memories.change(MEMORY, _new_entries(9, seed=1))
        before = deepcopy(memories)
        self.check_some(behind, memories, 1)
        first, second, *_ = memories.texts[MEMORY]
        memories.change(MEMORY, {first: None})
        self.check_some(ahead, memories, 2)
        memories.change(MEMORY, {second: None, **_new_entries(1, seed=2)})

        memories.forget_removals(MEMORY)

        for instance in (behind, ahead, open_index()):
            self.check_some(instance, memories, 3, of=before)

    @example("ab", "ba")
    @example("Save", "save")
    @settings(max_examples=100, deadline=None, suppress_health_check=SHARED)
    @given(*[st.text("aAbBü文🎈 ", max_size=12) | st.text(max_size=20)] * 2)
    def test_m1_the_distance_is_levenshteins_in_code_points(
        self, index: Matcher, first: str, second: str
    ) -> None:
        assert index.distance(first, second) == distance_of(first, second)

    def test_m2_nothing_is_found_where_there_is_nothing(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        wanted = [Wanted(MEMORY, 50), Wanted(new_id(), 50)]

        assert index.find(memories, wanted, ["save", ""], 10) == [Found([], True)] * 2
        assert index.find(memories, wanted, [], 10) == []
        assert index.find(memories, [], ["save"], 10) == [Found([], True)]

    @pytest.mark.parametrize("script", WORDS)
    def test_m3_every_hit_is_found_in_any_script(
        self, index: Matcher, memories: SegmentsInMemory, script: str
    ) -> None:
        memories.change(MEMORY, entries(sentences(script, self.size, seed=1)))
        asked = sentences(script, 12, seed=2)
        asked += list(memories.texts[MEMORY].values())[:4]

        for least in (50, 63, 70, 85, 99, 100):
            self.check(index, memories, asked, least)

    @settings(max_examples=40, deadline=None, suppress_health_check=SHARED)
    @given(
        st.lists(st.text("ab ü文🎈", max_size=90), min_size=1, max_size=30),
        st.lists(st.text("ab ü文🎈x", max_size=90), min_size=1, max_size=4),
        st.integers(1, 100),
    )
    def test_m4_every_hit_is_found_in_random_texts(
        self, index: Matcher, texts: list[str], asked: list[str], least: int
    ) -> None:
        memories = SegmentsInMemory()
        index.forget(MEMORY)
        memories.change(MEMORY, entries(texts))

        self.check(index, memories, asked, least)

    def test_m5_the_best_come_first_and_equal_ones_by_entry_id(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        memories.change(
            MEMORY, entries(["save the file"] * 30 + ["save the files"] * 9)
        )
        every = brute_force(memories, [Wanted(MEMORY, 50)], "save the file", 100)

        for most in (1, 7, 30, 33, 38):
            [found] = index.find(
                memories, [Wanted(MEMORY, 50)], ["save the file"], most
            )
            assert found == Found(every.hits[:most], is_complete=False)
        [whole] = index.find(memories, [Wanted(MEMORY, 50)], ["save the file"], 39)
        assert whole == Found(every.hits, is_complete=True)

    def test_m6_each_memory_has_a_threshold_of_its_own(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        memories.change(MEMORY, entries(["open file", "open tile", "close file"]))
        memories.change(OTHER, entries(["open file", "open tile", "closed"]))
        wanted = [Wanted(MEMORY, 60), Wanted(OTHER, 100)]

        [found] = index.find(memories, wanted, ["open file"], 10)

        assert found == brute_force(memories, wanted, "open file", 10)
        assert sorted(hit.memory_id for hit in found.hits) == [MEMORY] * 3 + [OTHER]

    def test_m7_texts_of_every_length_are_compared(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        chosen = random.Random(5)
        lengths = (1, 2, 3, 15, 16, 31, 63, 64, 65, 127, 128, 129, 300, 900, 3000)
        texts = [
            "".join(chosen.choices("abcdef ", k=length))
            for length in lengths
            if length <= self.longest
        ]
        texts.append("".join(map(chr, range(0x4E00, 0x4E00 + min(2000, self.longest)))))
        near = [text[: len(text) // 2] + "x" + text[len(text) // 2 :] for text in texts]
        memories.change(MEMORY, entries([*texts, *near, ""]))

        for least in (1, 50, 70, 95):
            self.check(index, memories, [*texts[::-1], "", "x" * self.longest], least)

    @pytest.mark.parametrize(
        "text", ["__proto__", "%", "_", "'; drop", "\0", "🎈", "\\"]
    )
    def test_m8_no_text_is_special(
        self, index: Matcher, memories: SegmentsInMemory, text: str
    ) -> None:
        memories.change(
            MEMORY, entries(["__proto__", "%", "_", "'; drop", "🎈", "a", "\\"])
        )

        self.check(index, memories, [text], 50)

    def test_m9_many_threads_ask_at_once(
        self, open_index: OpenMatcher, memories: SegmentsInMemory
    ) -> None:
        index = open_index()
        memories.change(MEMORY, entries(sentences("Latin", self.size, seed=6)))
        memories.change(OTHER, entries(sentences("Latin", self.size // 2, seed=7)))
        asked = sentences("Latin", 6, seed=7)

        with ThreadPoolExecutor(6) as pool:
            tries = [
                pool.submit(self.check, index, memories, asked, 70, EVERY, memory_id)
                for memory_id in (MEMORY, OTHER) * 3
            ]

        assert [tried.result() for tried in tries] == [None] * 6

    def test_m10_a_matcher_out_of_reach_is_unavailable_and_does_not_tell_where_it_is(
        self, broken_index: Matcher, memories: SegmentsInMemory
    ) -> None:
        memories.change(MEMORY, entries(sentences("Latin", self.size, seed=10)))

        with pytest.raises(Unavailable) as refusal:
            broken_index.find(memories, [Wanted(MEMORY, 70)], ["open"], 10)
        assert not PLACE.search(refusal.value.message)

    def test_m11_the_limit_is_for_all_memories_together(
        self, index: Matcher, memories: SegmentsInMemory
    ) -> None:
        near = ["open the file"] * 6 + ["open the files"] * 6 + ["open a file"] * 3
        for turn, text in enumerate(near):  # ids alternate between the memories
            memories.change((MEMORY, OTHER)[turn % 2], entries([text]))
        wanted = [Wanted(OTHER, 50), Wanted(MEMORY, 50)]

        for most in (1, 5, 10, 14, 15):
            [found] = index.find(memories, wanted, ["open the file"], most)
            expected = brute_force(memories, wanted, "open the file", most)
            assert len(found.hits) == most, f"expected {most} hits of both memories"
            assert found == expected

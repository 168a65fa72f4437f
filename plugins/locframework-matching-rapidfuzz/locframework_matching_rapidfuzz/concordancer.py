"""The concordancer ``rapidfuzz``: parts of texts, from indexes in a folder."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from locframework.ports import Concordance, FoundEntries, PageRequest, Passages

from .index import Change, Indexes, MatchingSettings, Source, View
from .kernel import Kernel
from .segments import (
    Bits,
    Damaged,
    Entries,
    Ids,
    Numbers,
    id_bytes,
    order_of,
    packed,
    spelled,
)

FORMAT = 3
SUBFOLDER = "passages"
PATIENCE = 0.1  # seconds: while an index is built, the database searches
SOURCE = b""  # stands for the code of the source language
STEP = 1 << 13  # bytes of bits that are read at once: the first page needs few
WHOLE = 1 << 62  # taken off the rank of what is the text as a whole
_TIME_BITS = 42  # of milliseconds since 1970: until 2109


class Passage(NamedTuple):
    """What one entry says, in little room."""

    rank: int  # what is less comes first
    texts: bytes  # a line each: language code, tab, folded text


def rank_of(length: int, updated_at: str) -> int:
    """Return a rank: shorter source texts first; of one length, newer ones."""
    return length << _TIME_BITS | (1 << _TIME_BITS) - 1 - _milliseconds(updated_at)


@lru_cache(maxsize=1000)
def _milliseconds(at: str) -> int:
    """Since 1970; thousands of entries have the time of one import."""
    return round(datetime.fromisoformat(at).timestamp() * 1000)


class Arrays(NamedTuple):
    """What a segment is made of; the entries are sorted by rank, then id."""

    ids: Ids
    by_id: NDArray[np.uint32]
    removed: Ids
    ranks: NDArray[np.int64]
    text: NDArray[np.uint8]  # UTF-8: lines, language by language, in order of entries
    starts: NDArray[np.uint64]  # where each line begins, and where the last one ends
    docs: NDArray[np.uint32]  # for each line the number of its entry
    languages: NDArray[np.uint8]  # the codes, a line each; the source's first
    firsts: NDArray[np.uint64]  # for each language its first line; and how many lines


class _Lines:
    """The texts of one language."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.docs = array("I")


class PassageSegment(Entries[Passage]):
    """Passages of a memory, immutable."""

    arrays_type = Arrays
    format = FORMAT

    def __init__(self, arrays: Arrays, revision: int, name: str = "") -> None:
        super().__init__(arrays, revision, name)
        self.ranks, self.text = arrays.ranks, arrays.text
        self.starts, self.docs = arrays.starts, arrays.docs
        codes = arrays.languages.tobytes().split(b"\n")
        firsts = arrays.firsts.astype(np.int64).tolist()
        if len(firsts) != len(codes) + 1:
            raise Damaged("its languages do not fit")
        self.lines = dict(zip(codes, pairwise(firsts), strict=True))
        self._check(firsts)

    def _check(self, firsts: list[int]) -> None:
        """Raise Damaged unless every offset stays inside: the kernel trusts them."""
        is_whole = (
            len(self.ranks) == self.count
            and len(self.starts) == len(self.docs) + 1
            and bool((self.docs < max(self.count, 1)).all())
            and self.starts[0] == 0
            and self.starts[-1] == len(self.text)
            and bool((self.starts[:-1] <= self.starts[1:]).all())
            and firsts[0] == 0
            and firsts[-1] == len(self.docs)
            and firsts == sorted(firsts)
        )
        if not is_whole:
            raise Damaged("its offsets do not fit")

    def holding(
        self, kernel: Kernel, needle: bytes, languages: Iterable[bytes]
    ) -> tuple[Bits, Bits]:
        """A bit for each entry: it holds the text, and it is the text."""
        bits, whole = self.none_gone(), self.none_gone()
        for code in languages:
            first, last = self.lines.get(code, (0, 0))
            if first < last:
                kernel.mark(
                    self.text,
                    self.starts[first : last + 1],
                    self.docs[first:last],
                    needle,
                    bits,
                    whole,
                )
        return bits, whole

    def contents(self, docs: Sequence[int]) -> list[Passage]:
        """The passages with these numbers."""
        lines: dict[int, list[bytes]] = {doc: [] for doc in docs}
        text = self.text.data
        for code, (first, last) in self.lines.items():
            starts = self.starts[first : last + 1].tolist()
            for at, doc in enumerate(self.docs[first:last].tolist()):
                if doc in lines:
                    line = bytes(text[starts[at] : starts[at + 1] - 1])
                    lines[doc].append(code + b"\t" + line)
        ranks = self.ranks[np.asarray(docs, np.int64)].tolist()
        return [
            Passage(rank, b"\n".join(lines[doc]))
            for rank, doc in zip(ranks, docs, strict=True)
        ]


def arrays_of(
    ids: Sequence[bytes], contents: Sequence[Passage], removed: Iterable[bytes] = ()
) -> Arrays:
    """The arrays for passages; ids are of 16 bytes.

    ``removed`` are entries of earlier segments that are gone.
    """
    all_ids = packed(ids)
    ranks = np.fromiter((each.rank for each in contents), np.int64, len(contents))
    order = order_of(all_ids, ranks)
    by_code = _by_code(contents, order.tolist())
    starts = np.zeros(sum(len(of.docs) for of in by_code.values()) + 1, np.uint64)
    lengths = (len(text) + 1 for of in by_code.values() for text in of.texts)
    np.cumsum(np.fromiter(lengths, np.uint64, len(starts) - 1), out=starts[1:])
    joined = b"".join(b"\n".join([*of.texts, b""]) for of in by_code.values())
    sorted_ids = all_ids[order]
    counts = [0, *(len(of.docs) for of in by_code.values())]
    docs = [np.frombuffer(of.docs, np.uint32) for of in by_code.values()]
    return Arrays(
        ids=sorted_ids,
        by_id=order_of(sorted_ids).astype(np.uint32),
        removed=packed(removed),
        ranks=ranks[order],
        text=np.frombuffer(joined, np.uint8),
        starts=starts,
        docs=np.concatenate(docs),
        languages=np.frombuffer(b"\n".join(by_code), np.uint8),
        firsts=np.cumsum(np.array(counts, np.uint64)),
    )


def _by_code(contents: Sequence[Passage], order: Iterable[int]) -> dict[bytes, _Lines]:
    """The texts in order, by language code; the source's first."""
    found = {SOURCE: _Lines()}
    for doc, at in enumerate(order):
        for line in contents[at].texts.split(b"\n"):
            code, _, text = line.partition(b"\t")
            lines = found.get(code)
            if lines is None:
                lines = found[code] = _Lines()
            lines.texts.append(text)
            lines.docs.append(doc)
    return found


class Held(NamedTuple):
    """The entries of one segment that hold a text, as bits."""

    segment: PassageSegment
    bits: Bits
    whole: Bits  # of them, those that are the text

    @property
    def total(self) -> int:
        """How many."""
        return int(np.bitwise_count(self.bits).sum())

    def first(self, most: int) -> tuple[Numbers, Numbers]:
        """The first of them: their numbers, and their ranks."""
        whole = _set_bits(self.whole, most)
        others = _set_bits(self.bits & ~self.whole, most - len(whole))
        docs = np.concatenate([whole, others])
        ranks = self.segment.ranks[docs]
        ranks[: len(whole)] -= WHOLE
        return docs, ranks


class PassageView(View[PassageSegment, Passage]):
    """Passages that can be asked which hold a text."""

    def segment_of(
        self,
        ids: Sequence[bytes],
        contents: Sequence[Passage],
        removed: Iterable[bytes] = (),
    ) -> PassageSegment:
        return PassageSegment(arrays_of(ids, contents, removed), self.revision)

    def holding(self, kernel: Kernel, asked: Concordance) -> list[Held]:
        """The entries that hold the text, segment by segment."""
        needle = asked.text.encode("utf-8", "surrogatepass")
        found = []
        for segment, gone in self.all_parts:
            languages = _languages(segment, asked)
            bits, whole = segment.holding(kernel, needle, languages)
            found.append(Held(segment, bits & ~gone, whole & ~gone))
        return found


def page_of(found: Sequence[Held], offset: int, limit: int) -> list[str]:
    """The entry ids of a page of all of them together."""
    first = [held.first(offset + limit) for held in found]
    ids = [held.segment.ids[docs] for held, (docs, _) in zip(found, first, strict=True)]
    all_ids = np.concatenate([np.empty((0, 16), np.uint8), *ids])
    ranks = np.concatenate([np.empty(0, np.int64), *(each for _, each in first)])
    if len(found) > 1:  # one segment is in order
        all_ids = all_ids[order_of(all_ids, ranks)]
    return spelled(all_ids[offset : offset + limit])


def _languages(segment: PassageSegment, asked: Concordance) -> Iterable[bytes]:
    if asked.search_in != "target":
        yield SOURCE
    if asked.search_in != "source":
        codes = asked.language_codes
        wanted = None if codes is None else {code.encode() for code in codes}
        for code in segment.lines:
            if code != SOURCE and (wanted is None or code in wanted):
                yield code


def _set_bits(bits: Bits, most: int) -> Numbers:
    """The places of the first that are set."""
    found, many = [np.empty(0, np.int64)], 0
    for begin in range(0, len(bits), STEP):
        if many >= most:
            break
        some = np.unpackbits(bits[begin : begin + STEP], bitorder="little")
        found.append(np.flatnonzero(some.view(bool)) + begin * 8)
        many += len(found[-1])
    return np.concatenate(found)[:most]


class FileConcordancer:
    """The port Concordancer. Opens nothing until the first text is looked for."""

    name = "rapidfuzz"

    def __init__(self, settings: MatchingSettings, kernel: Kernel) -> None:
        folder = Path(settings.folder, SUBFOLDER)
        self._kernel = kernel
        self._indexes = Indexes(folder, PassageSegment.open, PassageView, settings.tail)

    def find(
        self, passages: Passages, asked: Concordance, page: PageRequest
    ) -> FoundEntries | None:
        """As the port says.

        None while another request makes an index, and where no file can be kept.
        """
        found = []
        for memory_id, revision in passages.revisions(asked.memory_ids).items():
            source = Source(passages, memory_id, partial(_changes, passages, memory_id))
            try:
                view = self._indexes.view(source, revision, PATIENCE)
            except OSError:
                return None
            if view is None:
                return None
            found += view.holding(self._kernel, asked)
        total = sum(held.total for held in found)
        if page.offset >= total:
            return FoundEntries([], total)
        return FoundEntries(page_of(found, page.offset, page.limit), total)

    def forget(self, memory_id: str) -> None:
        """Remove the index of the memory."""
        self._indexes.forget(memory_id)


def _changes(
    passages: Passages, memory_id: str, after: int
) -> Iterator[tuple[bytes, Change[Passage]]]:
    for each in passages.passages(memory_id, after):
        content = None
        if each.texts is not None:
            lines = (f"{code}\t{text}" for code, text in each.texts)
            texts = "\n".join(lines).encode("utf-8", "surrogatepass")
            content = Passage(rank_of(each.length, each.updated_at), texts)
        yield id_bytes(each.entry_id), (each.revision, content)

"""The port of matching: what matchers do, and what they read."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

import msgspec

from locframework.pagination import Page, PageRequest

from .records import Concordance, ConcordanceItem, MatchSource, MatchValue


class SegmentChange(msgspec.Struct, frozen=True, gc=False):
    """One entry of a translation memory as it is since ``revision``."""

    revision: int
    entry_id: str
    text: str | None  # folded (scoring.match_fold); None: the entry was removed


class Forgotten(Exception):
    """Removals since that revision are no longer known: start again at 0."""


class Segments(Protocol):
    """The folded source texts of translation memories, for matchers. A memory's
    revision rises with every committed change of its entries, and a later commit has a
    higher one. A copy that is complete up to a revision needs only what follows it."""

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """Return the present revisions of known memories. One statement."""

    def is_in_block(self) -> bool:
        """Return whether this thread is inside a transaction or a snapshot. What it
        reads then must not be kept: it may be rolled back, or be old."""

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """Yield each entry that changed after a revision, once and in no order; after
        0, all. Raises Forgotten, before the first, for a revision that is too old."""


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A memory to search, and the least similarity: 1 to 100 percent."""

    memory_id: str
    least_percent: int


class Hit(msgspec.Struct, frozen=True, gc=False):
    """An entry like a text: ``floor(100 × similarity)``, so 100 only when equal."""

    memory_id: str
    entry_id: str
    percent: int


class Found(msgspec.Struct, frozen=True, gc=False):
    """The hits for one text, best first: by percent, then by entry id."""

    hits: list[Hit]
    is_complete: bool  # False: there are more than the limit, none of them better


class Matcher(Protocol):
    """Finds similar texts: exactly those that comparing with every entry would find.

    The similarity of two texts is ``1 - d / n``: d their Levenshtein distance in code
    points, n the length of the longer one. Texts are folded already; penalties and
    languages are not the matcher's business. Its copies can be made again from
    ``segments``. Shared by threads; several processes may use one place at once.
    """

    @property
    def name(self) -> str:
        """The name for the setting ``matcher``."""

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """Return for each text, in order, the ``most`` best hits in all memories.

        Knows every change that was committed before the call. An unknown memory has no
        hits, nor has an empty text. Raises Unavailable when the index is out of reach
        or not ready in reasonable time.
        """

    def distance(self, first: str, second: str) -> int:
        """Return the Levenshtein distance of two texts, in code points."""

    def forget(self, memory_id: str) -> None:
        """Drop what is kept of a memory that was deleted."""


class MemoryTextStore(Segments, Protocol):
    """Reads texts of many entries; those of deleted memories are left out."""

    def match_sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        """Return what is scored of these entries, by id. One statement. In one
        snapshot, entries of equal ``values_digest`` have equal applied values."""

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> dict[str, list[MatchValue]]:
        """Return values in these languages by entry id, in no order, without empty ones
        and entries without any. One statement."""

    def languages_with_values(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> set[str]:
        """Return the languages in which any entry has a value. One statement."""

    def search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        """Return the entries that hold the text, in their sources, values or both.
        First those of which a searched text is the whole text, then shorter source
        texts, newer entries, entry id. Three statements at most."""

"""The ports of matching: what matchers and concordancers do, and what they read."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol

import msgspec

from locframework.fields import Timestamp
from locframework.pagination import Page, PageRequest

from .records import Concordance, ConcordanceItem, MatchSource, MatchValue

SOURCE_CODE = ""  # the source language, among the language codes of a passage


class SegmentChange(msgspec.Struct, frozen=True, gc=False):
    """One entry of a translation memory as it is since ``revision``."""

    revision: int
    entry_id: str
    text: str | None  # folded (scoring.match_fold); None: the entry was removed
    note: bytes = b""  # what else its score depends on; may be kept, see Hit.note


class Passage(msgspec.Struct, frozen=True, gc=False):
    """All texts of one entry as they are since ``revision``."""

    revision: int
    entry_id: str
    length: int  # of the source text before folding, in code points
    updated_at: Timestamp
    texts: list[tuple[str, str]] | None
    """Language code and folded text (languages.folded), the source text's with
    ``SOURCE_CODE``; no text is empty. None: the entry was removed."""


class Forgotten(Exception):
    """Removals since that revision are no longer known: start again at 0."""


class Revisions(Protocol):
    """The revisions of translation memories, for copies of their texts.

    A memory's revision rises with every committed change of its entries, and a later
    commit has a higher one. A copy that is complete up to a revision needs only what
    follows it.
    """

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """Return the present revisions of known memories. One statement."""
        ...

    def is_in_block(self) -> bool:
        """Return whether this thread is inside a transaction or a snapshot.

        What it reads then may be rolled back, or be older than what others read: it
        must not be kept.
        """
        ...


class Segments(Revisions, Protocol):
    """The folded source texts of translation memories, for matchers."""

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """Yield each entry that changed after a revision, once and in no order.

        After 0: all entries. Raises Forgotten, before the first, for a revision that
        is too old.
        """
        ...


class Passages(Revisions, Protocol):
    """The folded texts of translation memories, for concordancers."""

    def passages(self, memory_id: str, after: int) -> Iterator[Passage]:
        """Yield each entry that changed after a revision, as ``Segments.changes``."""
        ...


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A memory to search, and the least similarity: 1 to 100 percent."""

    memory_id: str
    least_percent: int


class Hit(msgspec.Struct, frozen=True, gc=False):
    """An entry like a text: ``floor(100 × similarity)``, so 100 only when equal.

    ``note`` is that of the entry's last SegmentChange; empty from a matcher that keeps
    none: the entry is then read from the database.
    """

    memory_id: str
    entry_id: str
    percent: int
    note: bytes = b""


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
        ...

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
        ...

    def distance(self, first: str, second: str) -> int:
        """Return the Levenshtein distance of two texts, in code points."""
        ...

    def forget(self, memory_id: str) -> None:
        """Drop what is kept of a memory that was deleted."""
        ...


class FoundEntries(msgspec.Struct, frozen=True):
    """A page of entries that hold a text, and how many there are."""

    entry_ids: list[str]
    total: int


class Concordancer(Protocol):
    """Finds parts of texts: exactly what reading every entry would find.

    Its copies can be made again from ``passages``. Shared by threads; several
    processes may use one place at once.
    """

    @property
    def name(self) -> str:
        """The name for the setting ``concordancer``."""
        ...

    def find(
        self, passages: Passages, asked: Concordance, page: PageRequest
    ) -> FoundEntries | None:
        """Return the entries that hold the text, in their sources, values or both.

        In the order of MemoryTextStore.search. Knows every change that was committed
        before the call. An unknown memory has no entries. None: it cannot search now,
        and the database does.
        """
        ...

    def forget(self, memory_id: str) -> None:
        """Drop what is kept of a memory that was deleted."""
        ...


class MemoryTextStore(Segments, Passages, Protocol):
    """Reads texts of many entries; those of deleted memories are left out.

    The ``changes`` have the note of ``match_sources`` (``encode_note``).
    """

    def match_sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        """Return what is scored of these entries, by id. One statement.

        In one snapshot, entries of equal ``values_digest`` have equal applied values.
        """
        ...

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> dict[str, list[MatchValue]]:
        """Return values in these languages by entry id, in no order. One statement.

        Empty values, and entries without any, are left out.
        """
        ...

    def languages_with_values(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> set[str]:
        """Return the languages in which any entry has a value. One statement."""
        ...

    def search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        """Return the entries that hold the text, in their sources, values or both.

        First those of which a searched text is the whole text, then shorter source
        texts, newer entries, entry id. Three statements at most.
        """
        ...

    def concordance_items(
        self, entry_ids: Sequence[str], language_codes: Collection[str] | None
    ) -> list[ConcordanceItem]:
        """Return the entries, in this order, with translations in these languages.

        None: in every language. Those that were removed are left out. Two statements.
        """
        ...


# the note of an entry for matchers (``SegmentChange.note``), and what it was made of
encode_note: Callable[[MatchSource], bytes] = msgspec.msgpack.Encoder().encode
decode_note: Callable[[bytes], MatchSource] = msgspec.msgpack.Decoder(
    MatchSource
).decode

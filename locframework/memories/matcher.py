"""The port for fuzzy matching: which source texts are like these, and how much."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec


class SegmentChange(msgspec.Struct, frozen=True, gc=False):
    """One entry of a translation memory as it is since ``revision``."""

    revision: int
    entry_id: str
    text: str | None  # folded (folding.py); None: the entry is gone
    note: bytes = b""  # what else its score depends on; may be kept, see Hit.note


class Forgotten(Exception):
    """It is no longer known what was removed since that revision: begin again at 0."""


class Revisions(Protocol):
    """The revisions of translation memories, for whoever keeps a copy of their texts.

    A memory's revision rises with every committed change of its entries, and a change
    that is committed later has a higher one: whoever knows all up to a revision needs
    only what comes after it.
    """

    def revisions(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """The revision of each now; what does not exist is left out. One statement."""
        ...

    def is_in_block(self) -> bool:
        """Whether this thread is inside a transaction or a snapshot.

        What it reads then may never be committed, or is older than what others read:
        it is for this one answer, and not to be kept.
        """
        ...


class Segments(Revisions, Protocol):
    """The folded source texts of translation memories, as a matcher may read them."""

    def changes(self, memory_id: str, after: int) -> Iterator[SegmentChange]:
        """What changed after that revision: each entry once, as it is now.

        In no order. After 0: all that is there. Raises Forgotten, before the first of
        them, when somebody has not asked for too long to be told what was removed.
        """
        ...


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A memory to look into, and from which similarity on: 1 to 100 percent."""

    memory_id: str
    least_percent: int


class Hit(msgspec.Struct, frozen=True, gc=False):
    """An entry like the text: ``floor(100 × similarity)``, so 100 only when equal.

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
    is_complete: bool  # False: there are more than were asked for, none of them better


class Matcher(Protocol):
    """Finds similar texts: exactly those that comparing with every entry would find.

    The similarity of two texts is ``1 - d / n``: d their Levenshtein distance in code
    points (insert, delete, replace: one each), n the length of the longer one. Texts
    come folded; penalties, languages and the order that people see are not its
    business. What it keeps can be made again from ``segments`` at any time. Shared by
    threads; several processes may use one place at once.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``matcher`` chooses by."""
        ...

    def find(
        self,
        segments: Segments,
        wanted: Sequence[Wanted],
        texts: Sequence[str],
        most: int,
    ) -> list[Found]:
        """For each text, in order, the ``most`` best hits in all wanted memories.

        Knows every change that was committed before the call. A memory that does not
        exist has no hits, nor has an empty text. Raises Unavailable when what it
        keeps is out of reach, or is not ready in reasonable time.
        """
        ...

    def distance(self, first: str, second: str) -> int:
        """The Levenshtein distance of two texts, in code points."""
        ...

    def forget(self, memory_id: str) -> None:
        """The memory is gone for good: nothing of it needs to be kept."""
        ...

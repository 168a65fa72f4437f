"""The port for concordance search: which entries hold a text."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from locframework.fields import Timestamp
from locframework.pagination import PageRequest

from .matcher import Revisions
from .search_records import Concordance

SOURCE_CODE = ""  # stands for the source language among the codes of a passage


class Passage(msgspec.Struct, frozen=True, gc=False):
    """One entry of a translation memory as it is since ``revision``."""

    revision: int
    entry_id: str
    length: int  # of the source text as it is shown, in code points
    updated_at: Timestamp
    texts: list[tuple[str, str]] | None
    """Language code and folded text (folding.folded), the source text's with
    ``SOURCE_CODE``; no text is empty. None: the entry is gone."""


class Passages(Revisions, Protocol):
    """The folded texts of translation memories, as a concordancer may read them."""

    def passages(self, memory_id: str, after: int) -> Iterator[Passage]:
        """What changed after that revision: each entry once, as it is now.

        In no order. After 0: all that is there. Raises matcher.Forgotten, before the
        first of them, when somebody has not asked for too long.
        """
        ...


class FoundEntries(msgspec.Struct, frozen=True):
    """A page of entries that hold a text, and how many there are."""

    entry_ids: list[str]
    total: int


class Concordancer(Protocol):
    """Finds texts that hold a text: exactly those that reading every entry would find.

    What it keeps can be made again from ``passages`` at any time. Shared by threads;
    several processes may use one place at once.
    """

    @property
    def name(self) -> str:
        """The name that the setting ``concordancer`` chooses by."""
        ...

    def find(
        self, passages: Passages, asked: Concordance, page: PageRequest
    ) -> FoundEntries | None:
        """The entries that hold the text, in their sources, values or both.

        The order is that of MemoryTextStore.search: entries in which a searched text
        equals it as a whole, then shorter source texts, newer entries, entry id. Knows
        every change that was committed before the call. A memory that does not exist
        has none. None: it cannot answer just now, and the database is asked.
        """
        ...

    def forget(self, memory_id: str) -> None:
        """The memory is gone for good: nothing of it needs to be kept."""
        ...

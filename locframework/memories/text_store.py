"""How the texts of memories are read, for matching and concordance."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from locframework.pagination import Page, PageRequest

from .concordancer import Passages
from .matcher import Segments
from .search_records import Concordance, ConcordanceItem, MatchSource, MatchValue


class MemoryTextStore(Segments, Passages, Protocol):
    """Questions about texts of many entries; deleted memories have none.

    Its ``changes`` come folded as matching compares them (folding.match_fold), and
    note what ``match_sources`` tells (sources.noted). Its ``passages`` come folded as
    concordance compares them (folding.folded).
    """

    def snapshot(self) -> AbstractContextManager[None]:
        """One moment (locframework/storage.py, Transactions)."""
        ...

    def match_sources(self, entry_ids: Collection[str]) -> dict[str, MatchSource]:
        """What is compared of these entries, by id. One statement.

        In one snapshot, entries of equal ``said`` have equal applied values.
        """
        ...

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> dict[str, list[MatchValue]]:
        """By entry id the values, in these languages, that are not empty.

        Of entries that have any, in no order. One statement.
        """
        ...

    def languages(self, memory_ids: Collection[str]) -> set[str]:
        """The target languages of these memories: there are no values in others."""
        ...

    def count_values(
        self, memory_ids: Collection[str], language_codes: Collection[str], most: int
    ) -> dict[str, int]:
        """In how many entries of these memories each of the languages has a value.

        ``most`` stands for so many and for more: no more than that are looked at, of
        each memory and language. Those without any are left out. One statement.
        """
        ...

    def entries_in(
        self, memory_ids: Collection[str], language_codes: Collection[str]
    ) -> list[tuple[str, str]]:
        """Memory id and entry id of all that say something in any of the languages.

        Each once, in no order. One statement, which looks at no other entry.
        """
        ...

    def search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        """The entries that hold the text, in their sources, values or both.

        Those in which a searched text equals it as a whole come first, then shorter
        source texts, newer entries, entry id. Three statements at most.
        """
        ...

    def concordance_items(
        self, entry_ids: Sequence[str], language_codes: Collection[str] | None
    ) -> list[ConcordanceItem]:
        """The entries, in this order, with their translations in these languages.

        None: in every language. Those that are gone are left out. Two statements.
        """
        ...

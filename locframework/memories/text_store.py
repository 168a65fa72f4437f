"""How the texts of memories are read, for matching and concordance."""

from collections.abc import Collection
from typing import Protocol

from locframework.paging import Page, PageRequest

from .matcher import Segments
from .search_records import Concordance, ConcordanceItem, MatchRow


class MemoryTextStore(Segments, Protocol):
    """Questions about texts of many entries; deleted memories have none.

    Its ``changes`` come folded as matching compares them (folding.match_fold).
    """

    def applied_values(
        self, entry_ids: Collection[str], language_codes: Collection[str]
    ) -> list[MatchRow]:
        """Of each entry the values, in these languages, that are not empty.

        In no order; a statement for 500 entries.
        """
        ...

    def search(self, asked: Concordance, page: PageRequest) -> Page[ConcordanceItem]:
        """The entries that hold the text, in their sources, values or both.

        Those of which a searched text is all of it first, then by length of the
        source text, the newest, entry id. Three statements at most.
        """
        ...

"""The concordancer ``rapidfuzz``: parts of texts, from indexes in a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from locframework.ports import Concordance, FoundEntries, PageRequest, Passages

from .entries import id_bytes
from .indexes import Indexes
from .kernel import Kernel
from .passage_view import PassageView, page_of
from .passages import Passage, PassageSegment, rank_of
from .settings import MatchingSettings
from .view import Change

SUBFOLDER = "passages"
PATIENCE = 0.1  # seconds: where an index is being made the database answers


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
            source = _Source(passages, memory_id)
            try:
                view = self._indexes.view(source, memory_id, revision, PATIENCE)
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


class _Source(NamedTuple):
    passages: Passages
    memory_id: str

    def revision(self) -> int:
        return self.passages.revisions([self.memory_id]).get(self.memory_id, 0)

    def is_in_block(self) -> bool:
        return self.passages.is_in_block()

    def changes(self, after: int) -> Iterator[tuple[bytes, Change[Passage]]]:
        for each in self.passages.passages(self.memory_id, after):
            told = None
            if each.texts is not None:
                lines = (f"{code}\t{text}" for code, text in each.texts)
                texts = "\n".join(lines).encode("utf-8", "surrogatepass")
                told = Passage(rank_of(each.length, each.updated_at), texts)
            yield id_bytes(each.entry_id), (each.revision, told)

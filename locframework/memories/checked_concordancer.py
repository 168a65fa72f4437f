"""Keeps what a concordancer of a plugin does wrong from doing harm to others."""

import logging

from locframework.errors import PLUGIN_EXCEPTIONS, Unavailable
from locframework.pagination import PageRequest

from .concordancer import Concordancer, FoundEntries, Passages
from .search_records import Concordance

log = logging.getLogger("locframework.plugins")


class CheckedConcordancer:
    """A concordancer whose faults, and answers that cannot be, are logged; it has
    answered None then, so that the database is asked.

    What is wrong about an answer that can be, nobody can tell from it.
    """

    def __init__(self, concordancer: Concordancer) -> None:
        self._concordancer = concordancer
        self.name = concordancer.name

    def find(
        self, passages: Passages, asked: Concordance, page: PageRequest
    ) -> FoundEntries | None:
        """As the port says."""
        try:
            found = self._concordancer.find(passages, asked, page)
            if found is not None:
                _check(found, page)
        except Unavailable:
            raise
        except PLUGIN_EXCEPTIONS:
            log.exception(
                "the concordancer %s failed; the database searches instead", self.name
            )
            return None
        return found

    def forget(self, memory_id: str) -> None:
        """As the port says; a copy that cannot be dropped does no harm."""
        try:
            self._concordancer.forget(memory_id)
        except PLUGIN_EXCEPTIONS:
            log.exception("the concordancer %s failed to forget", self.name)


def _check(found: FoundEntries, page: PageRequest) -> None:
    """Raise for an answer that is none, whatever the texts are."""
    if not isinstance(found, FoundEntries):
        raise TypeError(f"{type(found).__name__} is not a FoundEntries")
    ids, total = found.entry_ids, found.total
    if not isinstance(ids, list) or not all(isinstance(id_, str) for id_ in ids):
        raise TypeError("entry_ids is not a list of texts")
    if len(set(ids)) < len(ids):
        raise ValueError("entry_ids has one twice")
    if type(total) is not int or total < 0:
        raise ValueError(f"a total of {total!r}")
    if len(ids) != max(0, min(page.limit, total - page.offset)):
        raise ValueError(f"{len(ids)} entries on {page} of {total}")

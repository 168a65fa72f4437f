"""How statistics are kept: by whoever keeps the keys, in the same transactions."""

from typing import Protocol

from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions

from .records import LineCounts


class StatisticsStore(Protocol):
    """Questions that statistics ask. Nothing is written by it: what the key store and
    the project store write is counted there."""

    def counts_of(self, project_id: str, branch_id: str | None = None) -> LineCounts:
        """Of main, or as seen from a branch: exact at any moment.

        One statement, whatever is there; on a branch one more, which looks at the
        keys that the branch has for itself.
        """
        ...

    def complete_languages(
        self, project_id: str, branch_id: str | None = None
    ) -> set[str]:
        """Those in which no key lacks a text; without keys, all of them.

        The same as what ``counts_of`` tells, and cheaper on most branches.
        """
        ...


class StatisticsStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    statistics: StatisticsStore
    projects: ProjectStore

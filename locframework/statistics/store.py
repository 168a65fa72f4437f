"""The store of statistics, which the key store updates in its transactions."""

from typing import Protocol

from locframework.projects.store import ProjectStore
from locframework.transactions import Transactions

from .records import LineCounts


class StatisticsStore(Protocol):
    """Reads counts. What the key store and the project store write is counted there."""

    def counts_of(self, project_id: str, branch_id: str | None = None) -> LineCounts:
        """Return the exact counts of main or a branch. One statement; on a branch one
        more, which reads the copied keys."""

    def complete_languages(
        self, project_id: str, branch_id: str | None = None
    ) -> set[str]:
        """Return the languages in which no key lacks a text, as of ``counts_of``;
        without keys, all."""


class StatisticsStorage(Transactions, Protocol):
    """The part of the storage that this area uses."""

    statistics: StatisticsStore
    projects: ProjectStore

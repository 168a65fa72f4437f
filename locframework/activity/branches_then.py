"""Tells which branch something was done on: names are given again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from locframework.branches.records import Branch
from locframework.branches.store import BranchStore
from locframework.events import Event
from locframework.paging import LIMIT_MOST, PageRequest


class Stood(NamedTuple):
    """Where a change stood; ``branch_id`` "" is main."""

    branch_id: str
    merged: bool = False  # a merge has brought it to main since


class BranchesThen:
    """The branches of a project, read when the first event of one comes.

    A statement or two for 200 branches that there ever were.
    """

    def __init__(self, store: BranchStore, project_id: str) -> None:
        self._store = store
        self._project_id = project_id
        self._by_name: dict[str, list[Branch]] | None = None
        self.by_id: dict[str, Branch] = {}

    def of(self, event: Event) -> Stood:
        """A branch begins before what is done on it, unless the clock was set back."""
        if event.branch is None:
            return Stood("")
        named, at = self._named(event.branch), event.created_at
        branch = next((each for each in named if each.created_at <= at), named[-1])
        merged_at = branch.merged_at
        return Stood(branch.id, merged_at is not None and at <= merged_at)

    def _named(self, name: str) -> list[Branch]:
        """Newest first."""
        if self._by_name is None:
            self._by_name = {}
            for branch in self._all():
                self._by_name.setdefault(branch.name, []).append(branch)
                self.by_id[branch.id] = branch
        return self._by_name.get(name, [])

    def _all(self) -> Iterator[Branch]:
        number, total = 1, 1
        while (number - 1) * LIMIT_MOST < total:
            asked = PageRequest(number, LIMIT_MOST)
            page = self._store.list_branches(self._project_id, asked)
            yield from page.items
            number, total = number + 1, page.total

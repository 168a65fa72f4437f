"""How branches are kept."""

from collections.abc import Collection
from typing import Protocol

from locframework.pagination import Page, PageRequest

from .records import Branch, BranchStatus


class BranchStore(Protocol):
    """Questions that branches ask. ``change_count`` is the sum of
    BranchKey.changes."""

    def add_branch(self, branch: Branch) -> None:
        """A new, empty overlay; costs the same however many keys the project has.

        Main's details of families ``…/layout`` are copied to ``…/layout/base`` of the
        branch. Raises Unavailable when an open branch of the project has its name.
        """

    def find_branch(self, project_id: str, reference: str) -> Branch | None:
        """By id, or by name: the open one of that name, else the latest."""

    def count_behind(self, branch_ids: Collection[str]) -> dict[str, int]:
        """Return how many of their copied keys main has changed since, where any."""

    def save_branch(self, branch: Branch) -> None: ...

    def list_branches(
        self, project_id: str, page: PageRequest, *, status: BranchStatus | None = None
    ) -> Page[Branch]:
        """Of one status, or all. Newest first; equal times by id, the later first."""

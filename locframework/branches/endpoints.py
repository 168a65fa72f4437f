"""Branches over HTTP."""

from functools import partial
from typing import Annotated

from locframework.access.records import Caller
from locframework.errors import BranchExists, BranchNotOpen
from locframework.http.operation import operation
from locframework.http.records import Deleted, Wrapped
from locframework.pagination import Page

from .records import Branch, BranchesQuery, BranchRef, NewBranch
from .service import Branches

_ALL = "/projects/{projectId}/branches"
_ONE = f"{_ALL}/{{branch}}"
_read = partial(operation, permission="translation_read")
_manage = partial(operation, permission="branch_manage")

BranchAnswer = Annotated[Branch, Wrapped("branch")]


class BranchEndpoints:
    """Declares the operations of the branches area."""

    tag = "Branches"

    def __init__(self, branches: Branches) -> None:
        self._branches = branches

    @_manage("POST", _ALL, status=201, errors=(BranchExists,))
    def create_branch(
        self, caller: Caller, project_id: str, body: NewBranch
    ) -> BranchAnswer:
        """Make a branch, which reads like main.

        The first change of a key copies it; from then on `update` brings in main's
        changes of it. A name may have slashes, but no part may be empty, `.` or `..`,
        and the last one may not be `diff`, `merge` or `update`.
        """
        return self._branches.create_branch(caller, project_id, body)

    @_read("GET", _ALL)
    def list_branches(
        self, caller: Caller, project_id: str, query: BranchesQuery
    ) -> Page[Branch]:
        """List branches, newest first, also those merged or closed.

        `status` selects those that are `open`, `merging`, `merged` or `closed`.
        """
        return self._branches.list_branches(caller, project_id, query)

    @_read("GET", _ONE)
    def get_branch(
        self, caller: Caller, project_id: str, branch: BranchRef
    ) -> BranchAnswer:
        """Get a branch by its name or id."""
        return self._branches.get_branch(caller, project_id, branch)

    @_manage("DELETE", _ONE, errors=(BranchNotOpen,))
    def close_branch(
        self, caller: Caller, project_id: str, branch: BranchRef
    ) -> Deleted:
        """Close a branch without merging it."""
        return Deleted(self._branches.close_branch(caller, project_id, branch).id)

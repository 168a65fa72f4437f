"""Branches over HTTP."""

from typing import Annotated

from locframework.access.records import Caller
from locframework.errors import BranchExists, BranchNotOpen
from locframework.http.operation import operation
from locframework.http.records import Deleted, Wrapped
from locframework.pagination import Page

from .records import Branch, BranchesQuery, BranchRef, NewBranch
from .service import Branches

BranchAnswer = Annotated[Branch, Wrapped("branch")]


class BranchEndpoints:
    """Declares the operations of the branches area."""

    tag = "Branches"

    def __init__(self, branches: Branches) -> None:
        self._branches = branches

    @operation(
        "POST",
        "/projects/{projectId}/branches",
        permission="branch_manage",
        status=201,
        errors=(BranchExists,),
    )
    def create_branch(
        self, caller: Caller, project_id: str, body: NewBranch
    ) -> BranchAnswer:
        """Make a branch.

        It reads like main. The first change of a key on the branch copies the key;
        from then on `update` brings main's changes of that key in. A name may have
        slashes, but no part may be empty, `.` or `..`, and the last one may not be
        `diff`, `merge` or `update`, because paths end with these.
        """
        return self._branches.create_branch(caller, project_id, body)

    @operation("GET", "/projects/{projectId}/branches", permission="translation_read")
    def list_branches(
        self, caller: Caller, project_id: str, query: BranchesQuery
    ) -> Page[Branch]:
        """List branches, newest first, also those merged or closed.

        `status` selects those that are `open`, `merging`, `merged` or `closed`.
        """
        return self._branches.list_branches(caller, project_id, query)

    @operation(
        "GET", "/projects/{projectId}/branches/{branch}", permission="translation_read"
    )
    def get_branch(
        self, caller: Caller, project_id: str, branch: BranchRef
    ) -> BranchAnswer:
        """Get a branch by its name or id."""
        return self._branches.get_branch(caller, project_id, branch)

    @operation(
        "DELETE",
        "/projects/{projectId}/branches/{branch}",
        permission="branch_manage",
        errors=(BranchNotOpen,),
    )
    def close_branch(
        self, caller: Caller, project_id: str, branch: BranchRef
    ) -> Deleted:
        """Close a branch without merging it.

        Nothing of it reaches main. Its content is kept for 30 days.
        """
        return Deleted(self._branches.close_branch(caller, project_id, branch).id)

"""Diff and merge over HTTP."""

from locframework.access.records import Caller
from locframework.branches.records import BranchRef
from locframework.errors import (
    BranchNotOpen,
    KeyExists,
    LanguageNotAssigned,
    MergeConflict,
    WriteRefused,
)
from locframework.http.operation import operation

from .records import Diff, MergeRequest, MergeResult, UpdateResult
from .service import Merging


class MergingEndpoints:
    """Declares the operations of the merging area."""

    tag = "Branches"

    def __init__(self, merging: Merging) -> None:
        self._merging = merging

    @operation(
        "GET",
        "/projects/{projectId}/branches/{branch}/diff",
        permission="translation_read",
        errors=(BranchNotOpen,),
    )
    def diff_branch(self, caller: Caller, project_id: str, branch: BranchRef) -> Diff:
        """Show what merging a branch would do.

        Each item is one field (a value: in one language and plural form), with its text
        at the base, on main and on the branch.
        """
        return self._merging.diff(caller, project_id, branch)

    @operation(
        "POST",
        "/projects/{projectId}/branches/{branch}/merge",
        permission="branch_merge",
        errors=(
            BranchNotOpen,
            LanguageNotAssigned,
            KeyExists,
            MergeConflict,
            WriteRefused,
        ),
    )
    def merge_branch(
        self, caller: Caller, project_id: str, branch: BranchRef, body: MergeRequest
    ) -> MergeResult:
        """Merge a branch into main.

        Merges everything in one transaction. Where main changed the same field,
        `resolutions` and then `strategy` decide; if anything stays open, the answer is
        409 `merge_conflict`, and nothing is written. Merging what is already merged
        does nothing.
        """
        return self._merging.merge(caller, project_id, branch, body)

    @operation(
        "POST",
        "/projects/{projectId}/branches/{branch}/update",
        permission="branch_manage",
        errors=(BranchNotOpen, LanguageNotAssigned, WriteRefused),
    )
    def update_branch(
        self, caller: Caller, project_id: str, branch: BranchRef
    ) -> UpdateResult:
        """Update a branch from main.

        A branch keeps its copies of keys as they were when they were first changed
        there. This brings main's later changes of these keys into the branch, except
        fields and values that the branch changed as well: these are `conflicts`, which
        a merge decides.
        """
        return self._merging.update(caller, project_id, branch)

"""Branches of a project (decisions 2.6)."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from locframework.fields import Timestamp
from locframework.http.operation import SLASHES
from locframework.pagination import ByNameOrUpdate, SortedRequest

BranchStatus = Literal["open", "merging", "merged", "closed"]

# $ alone would also stand before a last line break
BRANCH_NAME = r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$(?!\n)"
MAIN = "main"

BranchName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=BRANCH_NAME,
        description=(
            "Letters, digits, `.`, `_`, `/` and `-`, beginning with a letter or"
            " digit; no part between slashes is empty, `.` or `..`"
        ),
        examples=["spring-campaign"],
    ),
]

BranchRef = Annotated[
    str,
    Meta(
        description="The branch's name (URL-encoded), or its id",
        examples=["spring-campaign"],
    ),
    SLASHES,
]


class Branch(Struct, frozen=True, rename="camel"):
    """A branch: an overlay of main that holds only what was changed on it."""

    id: str
    project_id: str
    name: str  # unique among the open branches of its project
    status: BranchStatus
    change_count: int  # fields and values that it changed, since it copied the keys
    created_by: str  # actor id
    created_at: Timestamp
    updated_at: Timestamp
    merged_at: Timestamp | None
    behind: int = 0  # copied keys that main has changed since; `update` brings it in


class NewBranch(Struct, frozen=True, rename="camel"):
    """The body that makes a branch."""

    name: BranchName


class BranchesQuery(SortedRequest, frozen=True):
    """What a list of branches is asked by."""

    status: BranchStatus | None = None
    sort: ByNameOrUpdate = "-createdAt"

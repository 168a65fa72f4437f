"""What a branch changes, and what a merge is asked and answers (decisions 2.6)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from locframework.branches.records import Branch
from locframework.keys.records import Field

ChangeType = Literal["added", "updated", "deleted"]
Content = str | bool | int | list[str] | None
Side = Literal["branch", "main"]
Strategy = Literal["fail", "use_branch", "use_main"]

RESOLUTIONS_MOST = 10_000


class MainChange(Struct, frozen=True, rename="camel"):
    """What main changed in a key that the branch deleted; null: it does not exist."""

    field: Field
    language_code: str | None
    plural_form: str | None
    base: Content
    main: Content


class Change(Struct, frozen=True, rename="camel"):
    """One field of one key; of a value, in one language and plural form.

    ``base`` is what it was when the branch first touched the key, ``main`` and
    ``branch`` what it is there now; null: it does not exist there.
    """

    id: str  # of this very change: another text has another id
    type: ChangeType
    key_id: str
    key: str  # as the branch names it; of a deleted key as main does
    field: Field
    language_code: str | None
    plural_form: str | None
    base: Content
    main: Content
    branch: Content
    conflict: bool  # main changed the same, to something else
    main_changes: list[MainChange] | UnsetType = UNSET
    """With a deletion that conflicts: what would be lost, beside the key's name."""


class ChangeCounts(Struct, frozen=True):
    """How many changes there are of each type, and how many of them conflict."""

    added: int
    updated: int
    deleted: int
    conflicts: int


class Diff(Struct, frozen=True):
    """What merging a branch would do, by key, then field, language and form."""

    items: list[Change]
    counts: ChangeCounts


class Resolution(Struct, frozen=True, rename="camel"):
    """Which side a conflict is decided for."""

    change_id: Annotated[str, Meta(max_length=100)]
    use: Side


class MergeRequest(Struct, frozen=True, rename="camel"):
    """The body of a merge."""

    strategy: Strategy = "fail"  # for conflicts that no resolution names
    resolutions: Annotated[list[Resolution], Meta(max_length=RESOLUTIONS_MOST)] = []
    dry_run: bool = False
    close_after: bool = True


class Applied(Struct, frozen=True):
    """How many changes reached main, by type."""

    added: int = 0
    updated: int = 0
    deleted: int = 0


class MergeResult(Struct, frozen=True):
    """What a merge did, or would do."""

    branch: Branch
    applied: Applied
    conflicts: list[Change]  # open ones, in a dry run; none after a merge


class UpdateResult(Struct, frozen=True):
    """What an update brought into a branch."""

    branch: Branch
    updated: int  # fields and values that the branch took over from main
    conflicts: list[Change]  # what both changed; a merge decides

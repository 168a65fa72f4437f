"""What happened in a project, and what undoing it is asked and answers."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from locframework.events import Actor, Event
from locframework.fields import TimeInput, Timestamp
from locframework.keys.records import Field
from locframework.paging import ByTime, SortedRequest

ShortText = Annotated[str, Meta(min_length=1, max_length=100)]


class ActivityItem(Struct, frozen=True, rename="camel"):
    """One event: who did what to which records, up to 100 of one type.

    ``items`` describe the records as webhooks do: a text by its key, language, plural
    form, status and revision, which its history shows.
    """

    id: str
    type: str
    actor: Actor
    branch: str | None  # its name; null is main
    created_at: Timestamp
    job_id: str | None  # of the job that did it
    merged_branch_id: str | None  # of the branch whose merge brought it to main
    items: Sequence[Mapping[str, object]]


def activity_item(event: Event) -> ActivityItem:
    """The event as it is shown."""
    return ActivityItem(
        id=event.id,
        type=event.type,
        actor=event.actor,
        branch=event.branch,
        created_at=event.created_at,
        job_id=event.job_id,
        merged_branch_id=event.merge_of,
        items=event.items,
    )


class ActivityQuery(SortedRequest, frozen=True, rename="camel"):
    """What activity is asked by; all conditions must hold.

    ``branch``: on the branch, by name or id, and what its merges brought to main;
    ``main``: on main only; left out: everywhere. ``job_id`` and ``key_id`` are those of
    a job and a key there is, or of one that is no longer kept but of which the
    activity tells; ``actor`` is the id of a user or token, likewise.
    """

    actor: ShortText | None = None  # its id
    since: TimeInput | None = None
    until: TimeInput | None = None
    key_id: ShortText | None = None
    branch: ShortText | None = None
    job_id: ShortText | None = None
    sort: ByTime = "-createdAt"


class RevertRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What to undo; at least one condition, and all of them must hold.

    Unknown members are refused: ignoring a misspelt condition would undo more.
    """

    actor: ShortText | None = None  # its id
    since: TimeInput | None = None
    until: TimeInput | None = None  # left out: now
    key_id: ShortText | None = None
    branch: ShortText | None = None
    job_id: ShortText | None = None
    dry_run: bool = False


class Skipped(Struct, frozen=True, rename="camel"):
    """What stayed as it is; ``field`` is null where it is a whole key.

    ``reason``: ``changed_later``; the code of the error that writing it met;
    ``branch_merged``: it was done on a branch that was merged since, by a merge that
    was not asked for; or ``fields_stay``: what the change made of the key was not kept
    yet.
    """

    key_id: str
    key: str
    branch: str | None  # the name of the one it stays on; null is main
    field: Field | None
    language_code: str | None  # of a value
    plural_form: str | None
    reason: str


class RevertResult(Struct, rename="camel"):
    """What a revert did, or would do."""

    dry_run: bool = False
    reverted: int = 0  # values
    keys_updated: int = 0  # name, description, tags, plurals or screenshot
    keys_deleted: int = 0  # that had been created
    keys_restored: int = 0  # that had been deleted
    skipped_count: int = 0
    skipped: list[Skipped] = []  # the first 1000

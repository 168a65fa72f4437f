"""What happened in a project, and what an undo takes and returns."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from locframework.events import Actor, Event
from locframework.fields import TimeInput, Timestamp
from locframework.keys.records import Field
from locframework.pagination import ByTime, SortedRequest

ShortText = Annotated[str, Meta(min_length=1, max_length=100)]


class ActivityItem(Struct, frozen=True, rename="camel"):
    """One event: who did what to which records, up to 100 of one type. ``items``
    describe the records as webhooks do: a value by its key, language, plural form,
    status and revision, which its history shows."""

    id: str
    type: str
    actor: Actor
    branch: str | None  # its name; null is main
    created_at: Timestamp
    job_id: str | None  # of the job that did it
    merged_branch_id: str | None  # of the branch whose merge brought it to main
    items: Sequence[Mapping[str, object]]


def activity_item(event: Event) -> ActivityItem:
    """Return the event as the API shows it."""
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
    """The filters of the activity list; all of them must match. ``branch``: events on
    the branch, by name or id, and those that its merges caused on main; ``main``: main
    only; omitted: everywhere. ``actor`` is the id of a user or token."""

    actor: ShortText | None = None
    since: TimeInput | None = None
    until: TimeInput | None = None
    key_id: ShortText | None = None
    branch: ShortText | None = None
    job_id: ShortText | None = None
    sort: ByTime = "-createdAt"


class RevertRequest(Struct, frozen=True, rename="camel"):
    """What to undo on main: at least one filter; all of them must match."""

    actor: ShortText | None = None  # the id of a user or token
    since: TimeInput | None = None
    until: TimeInput | None = None  # omitted: now
    key_id: ShortText | None = None
    branch: ShortText | None = None  # only "main": branches have no undo
    job_id: ShortText | None = None
    merge_of: ShortText | None = None  # the branch whose merge is undone
    dry_run: bool = False


class Skipped(Struct, frozen=True, rename="camel"):
    """What an undo left alone.

    ``field`` is null for a whole key. ``key_id``, ``key`` and ``field`` are null for an
    event that changed no key or value; ``event_type`` names it. ``reason``:
    ``changed_later``, ``key_exists``, ``permission_denied``, ``language_not_assigned``,
    ``not_revertible``, or the code of the error that writing it raised.
    """

    key_id: str | None
    key: str | None
    field: Field | None
    language_code: str | None  # of a value
    plural_form: str | None
    reason: str
    event_type: str | None = None


class RevertResult(Struct, rename="camel"):
    """What an undo did, or would do."""

    dry_run: bool = False
    reverted: int = 0  # values
    keys_updated: int = 0  # name, description, tags, plurals or screenshot
    keys_deleted: int = 0  # keys that had been created
    keys_restored: int = 0  # keys that had been deleted
    skipped_count: int = 0
    skipped: list[Skipped] = []  # the first 1000

"""What a value was, and is: one revision for each change of it."""

from collections.abc import Iterable, Mapping
from operator import attrgetter, itemgetter
from typing import Literal

from msgspec import Struct
from msgspec.structs import astuple

from locframework.events import Actor, ActorType
from locframework.fields import Timestamp
from locframework.pagination import PageRequest

from .records import Origin, RevisionNumber, StoredValue, ValueSlot, ValueStatus

RevisionStatus = Literal[ValueStatus, "untranslated"]


class Revision(Struct, frozen=True, gc=False):
    """A value as it stood at one revision; ``untranslated``: it was cleared.

    The newest revision of a value that is there is the value itself; older ones, and
    those that cleared it, are kept apart. The fields are those of StoredValue.
    """

    key_id: str
    language_code: str
    plural_form: str | None
    value: str
    status: RevisionStatus
    is_outdated: bool  # when the next revision came
    revision: int
    origin: Origin
    approved_value: str | None
    approved_at: Timestamp | None
    approved_by: str | None
    updated_at: Timestamp
    updated_by: str
    actor_type: ActorType = "user"
    reason: str | None = None
    note: str | None = None
    approved_outdated: bool = False
    keeps_fresh: bool = False


def revision_of(value: StoredValue) -> Revision:
    """The value as it stands, to be kept when another takes its place."""
    return Revision(*astuple(value))


def value_of(revision: Revision) -> StoredValue | None:
    """The value as it stood; None: there was none."""
    if revision.status == "untranslated":
        return None
    return StoredValue(*astuple(revision))


def last_number(place: ValueSlot, gone: Mapping[ValueSlot, int]) -> int:
    """The number that a value which begins at this place comes after.

    ``gone``: the last numbers of values that were cleared. The text without plurals
    and the plural forms share none: each goes on where the others ended.
    """
    code, form = place
    return max(
        (
            number
            for (other, its_form), number in gone.items()
            if other == code and (its_form == form or None in (its_form, form))
        ),
        default=0,
    )


class HistoryItem(Struct, frozen=True, rename="camel"):
    """One revision of a value, as its history shows it (decisions 2.3).

    ``actor`` is who caused it: the writer of a text, the reviewer who approved or
    rejected it (``reason``). ``note`` is what plugins noted about the write.
    """

    revision: int
    value: str
    status: RevisionStatus
    origin: Origin
    actor: Actor
    created_at: Timestamp
    plural_form: str | None
    reason: str | None
    note: str | None


def history_item(revision: Revision) -> HistoryItem:
    """The revision as it is shown."""
    return HistoryItem(
        revision=revision.revision,
        value=revision.value,
        status=revision.status,
        origin=revision.origin,
        actor=Actor(revision.actor_type, revision.updated_by),
        created_at=revision.updated_at,
        plural_form=revision.plural_form,
        reason=revision.reason,
        note=revision.note,
    )


class HistoryQuery(PageRequest, frozen=True):
    """What a history is asked by."""

    branch: str | None = None  # a branch's name or id; left out: main


class Reversion(Struct, frozen=True, rename="camel"):
    """The body that brings a revision's text back."""

    revision: RevisionNumber
    plural_form: str | None = None  # of a plural key, where several have that number
    keep_fresh: bool = False  # true: other languages do not become outdated


def newest_first(history: Iterable[Revision]) -> list[Revision]:
    """Return the revisions of one value by time, equal times by revision and form.

    A branch inherits revisions of main, and main may have written one of them after
    the branch wrote a later one: a revision counts as written no earlier than those
    of its form before it.
    """
    reached: dict[str, Timestamp] = {}
    keyed = []
    for each in sorted(history, key=attrgetter("revision")):
        form = each.plural_form or ""
        reached[form] = max(reached.get(form, ""), each.updated_at)
        keyed.append((reached[form], each.revision, each))
    keyed.sort(key=lambda item: item[2].plural_form or "")
    keyed.sort(key=itemgetter(0, 1), reverse=True)
    return [each for _, _, each in keyed]

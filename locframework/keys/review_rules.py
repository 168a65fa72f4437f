"""Decides what a review makes of the texts in a language: approved, or rejected."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from locframework.errors import NothingPending, PluralMismatch
from locframework.events import Actor
from locframework.fields import Timestamp

from .records import ExpectedRevision, ReviewDecision, StoredValue
from .rules import check_form, is_approved_outdated, marked


def check_forms(asked: ExpectedRevision) -> None:
    """Refuse what no plural key can have read: InvalidPluralForm."""
    if isinstance(asked, Mapping):
        for form in asked:
            check_form(form, "$.revision")


def check_plurals(asked: ExpectedRevision, *, is_plural: bool) -> None:
    """Refuse plural forms of a key that has none: PluralMismatch."""
    if isinstance(asked, Mapping) and not is_plural:
        raise PluralMismatch("$.revision: a key without plurals takes one number")


def judged(rows: Iterable[StoredValue], verdict: ReviewDecision) -> list[StoredValue]:
    """The texts of one language that the verdict is about: all that wait for one.

    A text that is not approved can be approved, a draft too, and so can an approved
    one that is outdated: it is told to be right still. What has nothing before it and
    is a draft already cannot be rejected. Raises NothingPending, also where another
    revision waits than was asked for.
    """
    may = _approvable if verdict.approves else _rejectable
    waiting = [row for row in rows if may(row)]
    if not waiting:
        raise NothingPending("no text waits for review in this language")
    if not _is_meant(waiting, verdict.revision):
        raise NothingPending("another revision waits for review; read the value again")
    return waiting


def approved(row: StoredValue, *, at: Timestamp, by: Actor) -> StoredValue | None:
    """The text as it counts from now on; None: the proposal to clear it is accepted."""
    if row.value == "":
        return None
    return marked(
        row,
        at,
        by,
        status="approved",
        is_outdated=False,
        revision=row.revision + 1,
        approved_value=row.value,
        approved_at=at,
        approved_by=by.id,
        approved_outdated=False,
    )


def rejected(
    row: StoredValue, verdict: ReviewDecision, *, at: Timestamp, by: Actor
) -> StoredValue:
    """The last approved text again, outdated if it is; else the text, as a draft."""
    new = replace(marked(row, at, by, revision=row.revision + 1), reason=verdict.reason)
    if row.approved_value is None:
        return replace(new, status="draft")
    return replace(
        new,
        value=row.approved_value,
        status="approved",
        is_outdated=row.approved_outdated,
        approved_outdated=False,
        keeps_fresh=False,
    )


def waiting(
    old: StoredValue | None, new: StoredValue, *, keeps_fresh: bool
) -> StoredValue:
    """An approved text as one that waits for review, beside what was approved."""
    if new.status != "approved":
        return new
    return replace(
        new,
        status="pending_review",
        approved_value=old.approved_value if old else None,
        approved_at=old.approved_at if old else None,
        approved_by=old.approved_by if old else None,
        approved_outdated=is_approved_outdated(old),
        keeps_fresh=keeps_fresh,
    )


def beside(old: StoredValue | None, new: StoredValue) -> StoredValue | None:
    """A text from elsewhere that waits, beside what is approved where it comes to.

    The same text stands as it is where it is approved already. None: it was to be
    cleared, and nothing is approved there.
    """
    if new.status == "approved":
        return new
    if old is not None and old.status == "approved" and old.value == new.value:
        return old
    approved_value = old.approved_value if old else None
    if new.value == "" and approved_value is None:
        return None
    is_outdated = new.approved_outdated
    if approved_value != new.approved_value:
        is_outdated = is_approved_outdated(old) or (is_outdated and old is not None)
    return replace(
        new,
        approved_value=approved_value,
        approved_at=old.approved_at if old else None,
        approved_by=old.approved_by if old else None,
        approved_outdated=is_outdated and approved_value is not None,
    )


def _approvable(row: StoredValue) -> bool:
    return row.status != "approved" or row.is_outdated


def _rejectable(row: StoredValue) -> bool:
    if row.status == "approved":
        return False
    return row.status == "pending_review" or row.approved_value is not None


def _is_meant(waiting: Iterable[StoredValue], asked: ExpectedRevision) -> bool:
    """Whether the revisions that wait are those that the reviewer has read."""
    revisions = {row.plural_form: row.revision for row in waiting}
    if asked is None:
        return True
    if not isinstance(asked, Mapping):
        return set(revisions.values()) == {asked}
    return revisions == asked

"""Says what is outdated: a text, and the approved one that it waits beside."""

from msgspec.structs import replace

from .records import StoredValue


def outdated(row: StoredValue) -> StoredValue:
    """The value after its source text changed; so is an approved text beside it."""
    return replace(beside_outdated(row), is_outdated=True)


def beside_outdated(row: StoredValue) -> StoredValue:
    """A value that was written for a new source text: what it waits beside was not."""
    waits = row.status != "approved" and row.approved_value is not None
    return replace(row, approved_outdated=waits)


def marked_as(row: StoredValue, other: StoredValue) -> StoredValue:
    """The value, outdated as the other is."""
    return replace(
        row,
        is_outdated=other.is_outdated,
        approved_outdated=other.approved_outdated,
    )


def is_approved_outdated(row: StoredValue | None) -> bool:
    """Whether the approved text, be it the newest or not, is outdated."""
    if row is None or row.approved_value is None:
        return False
    return row.is_outdated if row.status == "approved" else row.approved_outdated

"""Decides what undoing chosen changes of a value goes back to."""

from collections.abc import Collection, Iterable

from locframework.keys.revisions import Revision


class ChangedLater(Exception):
    """The value was changed after what is to be undone."""


def before(history: Iterable[Revision], chosen: Collection[int]) -> Revision | None:
    """How the value stood before the chosen changes; None: it was not there yet.

    Only chosen changes at the end of the history count: what lies below a change that
    was not chosen is gone already. Raises ChangedLater when the last one was not.
    """
    rows = sorted(history, key=lambda each: each.revision, reverse=True)
    if not rows or rows[0].revision not in chosen:
        raise ChangedLater
    return next((each for each in rows if each.revision not in chosen), None)

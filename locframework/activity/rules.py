"""Decides what undoing chosen changes goes back to."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import dropwhile, takewhile
from typing import NamedTuple

from locframework.events import Touch
from locframework.keys.revisions import Revision
from locframework.keys.traces import FieldValue

Place = tuple[str, str | None]
"""Language code and plural form."""

History = Mapping[Place, Sequence[Revision]]
"""Every revision of the values of one key."""


_MADE = ("key.created", "key.restored")


class ChangedLater(Exception):
    """It was changed after what is to be undone."""


class FieldChange(NamedTuple):
    """What an event made of one field of a key."""

    event_id: str
    before: FieldValue
    after: FieldValue
    followed: bool | None = None  # on a branch: main's until then; None: not known


def before(history: Iterable[Revision], chosen: Collection[int]) -> Revision | None:
    """How the value stood before the chosen changes; None: it was not there yet.

    Only chosen changes at the end of the history count: what lies below a change that
    was not chosen is gone already. Raises ChangedLater when the last one was not.
    """
    rows = sorted(history, key=lambda each: each.revision, reverse=True)
    if not rows or rows[0].revision not in chosen:
        raise ChangedLater
    return next((each for each in rows if each.revision not in chosen), None)


def said(row: Revision | None) -> object:
    """What a value says; None: nothing."""
    if row is None or row.status == "untranslated":
        return None
    return row.value, row.status, row.approved_value


def stands(
    history: Iterable[Revision],
    chosen: Collection[int],
    now: Revision | None,
    told: Callable[[Revision | None], object] = said,
) -> bool:
    """Whether a value that was changed later says by now what it said before the
    chosen changes: there is nothing left to undo. ``told``: what it said then."""
    rows = sorted(history, key=lambda each: each.revision, reverse=True)
    since = dropwhile(lambda each: each.revision not in chosen, rows)
    was = next((each for each in since if each.revision not in chosen), None)
    return any(row.revision in chosen for row in rows) and told(was) == said(now)


def field_before(
    changes: Sequence[FieldChange], chosen: Collection[str], now: FieldValue
) -> FieldValue:
    """What a field said before the chosen events; ``changes``: all since the first.

    Raises ChangedLater when the last change was not chosen, or the field says something
    else by now.
    """
    value = now
    if not changes or not _is_last(changes[-1], chosen, value):
        raise ChangedLater
    for change in reversed(changes):
        if not _is_last(change, chosen, value):
            break
        value = change.before
    return value


def first_of_last(
    changes: Sequence[FieldChange], chosen: Collection[str]
) -> FieldChange:
    """The first of the last chosen changes; one at least is chosen."""
    since = dropwhile(lambda each: each.event_id not in chosen, reversed(changes))
    return [*takewhile(lambda each: each.event_id in chosen, since)][-1]


def _is_last(change: FieldChange, chosen: Collection[str], now: FieldValue) -> bool:
    return change.event_id in chosen and change.after == now


def stands_alone(touches: Sequence[Touch], chosen: Collection[str]) -> bool:
    """Whether nobody else has touched a key since a chosen event made it, or brought
    it back; ``touches`` in the order of their events."""
    made = (
        at
        for at, touch in enumerate(touches)
        if touch.type in _MADE and touch.event_id in chosen
    )
    return all(touch.event_id in chosen for touch in touches[next(made, 0) :])


def went_by(touches: Sequence[Touch], chosen: Collection[str]) -> bool:
    """Whether a chosen event was the last that brought a key or took it away."""
    lives = [touch for touch in touches if touch.type in (*_MADE, "key.deleted")]
    return bool(lives) and lives[-1].event_id in chosen

"""What a change of a key was, field by field: kept beside its event, to undo it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from locframework.events import Trace

from .records import Field, Key, KeyState, ValueSlot

FieldValue = str | bool | tuple[str, ...] | None
Moved = tuple[str, str | None, int]
"""Language code, plural form, and a revision of that value."""
Part = tuple[Field, ValueSlot]
"""Something that a key says; a field has no place, and the text of a key without
plurals is that of the form ``other``."""


def text_of(place: ValueSlot) -> ValueSlot:
    """The place of a text on any side, with plurals or without."""
    code, form = place
    return code, (form or "other") if code else None


class KeyTrace(Struct, frozen=True, omit_defaults=True):
    """What one write changed in a key that was there, beside the texts of its values.

    On a branch, ``followed`` are the fields that followed main until then, and
    ``left`` the revisions with which values did so no more, or did and still do.
    """

    fields: dict[Field, tuple[FieldValue, FieldValue]] = {}  # before and after
    moved: Sequence[Moved] = ()
    """The revisions that turning plurals on or off made: it ends texts, and puts them
    at another form."""
    followed: Sequence[Field] | None = None  # None: it was not kept yet, or is main's
    left: Sequence[Moved] = ()


class Followed(NamedTuple):
    """What became of keys of main that were written on a branch, by their ids."""

    bases: Mapping[str, KeyState] = {}  # what they were compared with then
    moved: Mapping[str, Key] = {}  # those that read otherwise than they were written
    gone: Sequence[str] = ()  # main had deleted them, and they said nothing more


def fields_of(key: Key) -> dict[Field, FieldValue]:
    """What a key says beside its values."""
    return {
        "key": key.key,
        "description": key.description,
        "tags": key.tags,
        "isPlural": key.is_plural,
        "screenshotFileId": key.screenshot_file_id,
    }


def fields_of_base(base: KeyState) -> dict[Field, FieldValue]:
    """What a branch compares its own with."""
    tags = base.key.tags if base.followed_tags is None else base.followed_tags
    return {**fields_of(base.key), "tags": tags}


def trace_of(
    old: Key,
    new: Key,
    read: Key,
    moved: Sequence[Moved],
    base: KeyState | None = None,
) -> Trace:
    """What is kept of a change; ``read``: the new key, as a branch that follows main
    shows it. ``base``: what the branch compared its key with, None where the line is
    main or the key was made on the branch."""
    before, after, shown = fields_of(old), fields_of(new), fields_of(read)
    changed = {
        field: (before[field], shown[field])
        for field in before
        if before[field] != after[field]
    }
    if base is None:
        return _kept(KeyTrace(changed, moved))
    mains = fields_of_base(base)
    followed = [field for field in changed if before[field] == mains[field]]
    return _kept(KeyTrace(changed, moved, followed))


def trace_of_values(left: Sequence[Moved]) -> Trace:
    """What is kept of values that a branch read from main until then."""
    return _kept(KeyTrace(left=left))


def _kept(trace: KeyTrace) -> Trace:
    found: Trace = msgspec.to_builtins(trace)
    return found


def key_trace(trace: Trace) -> KeyTrace:
    """What was kept."""
    return msgspec.convert(trace, KeyTrace)

"""What a change of a key was, field by field: kept beside its event, to undo it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct

from locframework.events import Trace

from .records import Field, Key

FieldValue = str | bool | tuple[str, ...] | None
Moved = tuple[str, str | None, int]
"""Language code, plural form, and a revision of that value."""
Place = tuple[str, str | None]  # language code and plural form
Part = tuple[Field, Place]
"""Something that a key says; a field has no place, and the text of a key without
plurals is that of the form ``other``."""


def text_of(place: Place) -> Place:
    """The place of a text on any side, with plurals or without."""
    code, form = place
    return code, (form or "other") if code else None


class KeyTrace(Struct, frozen=True, omit_defaults=True):
    """What one write changed in a key that was there, beside the texts of its values.

    On a branch, what says as main does from then on follows main: ``following`` and
    ``follows`` are such fields and revisions.
    """

    fields: dict[Field, tuple[FieldValue, FieldValue]] = {}  # before and after
    moved: Sequence[Moved] = ()
    """The revisions that turning plurals on or off made: it ends texts, and puts them
    at another form."""
    following: Sequence[Field] = ()
    follows: Sequence[Moved] = ()


def fields_of(key: Key) -> dict[Field, FieldValue]:
    """What a key says beside its values."""
    return {
        "key": key.key,
        "description": key.description,
        "tags": key.tags,
        "isPlural": key.is_plural,
        "screenshotFileId": key.screenshot_file_id,
    }


def trace_of(
    old: Key, new: Key, moved: Sequence[Moved], own: Collection[Field] | None = None
) -> Trace:
    """What is kept of a change; ``own``: what a branch has for itself of a key of main,
    None where the line is main's or the key the branch's."""
    before, after = fields_of(old), fields_of(new)
    changed = {
        field: (before[field], after[field])
        for field in before
        if before[field] != after[field]
    }
    following = [] if own is None else [each for each in changed if each not in own]
    return _kept(KeyTrace(changed, moved, following))


def trace_of_values(follows: Sequence[Moved]) -> Trace:
    """What is kept of values that a branch reads from main since."""
    return _kept(KeyTrace(follows=follows))


def _kept(trace: KeyTrace) -> Trace:
    found: Trace = msgspec.to_builtins(trace)
    return found


def key_trace(trace: Trace) -> KeyTrace:
    """What was kept."""
    return msgspec.convert(trace, KeyTrace)

"""The change log: what a write changed in a key, kept beside its event for undo."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from locframework.events import Trace

from .key_fields import FieldValue, fields_of
from .records import Field, Key

Moved = tuple[str, str | None, int]
"""Language code, plural form, and the revision of a value there."""


class LoggedChange(Struct, frozen=True, omit_defaults=True):
    """What one write changed in the fields of a key; values have their revisions."""

    fields: Mapping[Field, tuple[FieldValue, FieldValue]] = {}
    """Before and after, by field."""
    moved: Sequence[Moved] = ()
    """The revisions that turning plurals on or off created: it ends some values and
    moves others to another plural form."""


def log_change(old: Key, new: Key, moved: Sequence[Moved]) -> Trace:
    """Return what to keep beside the event of a changed key, JSON-shaped."""
    before, after = fields_of(old), fields_of(new)
    changed = {
        name: (before[name], after[name])
        for name in before
        if before[name] != after[name]
    }
    made: Trace = msgspec.to_builtins(LoggedChange(changed, moved))
    return made


def read_change(trace: Trace) -> LoggedChange:
    """Return what ``log_change`` kept."""
    return msgspec.convert(trace, LoggedChange)

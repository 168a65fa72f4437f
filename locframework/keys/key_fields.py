"""The fields of a key: the one table that writing, merging and undo share.

A new field is an attribute of Key, and a row here.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct

from locframework.events import UndoEntry

from .records import Field, Key

FieldValue = str | bool | int | tuple[str, ...] | None


class KeyField(Struct, frozen=True):
    """A field of a key, apart from its values."""

    name: Field
    """Its name on the wire, and as ``field`` of a Change."""
    attributes: tuple[str, ...]
    """The attributes of Key that it consists of; the first is its value."""
    default: FieldValue
    """What it is in a new key that does not set it."""

    def of(self, key: Key) -> FieldValue:
        """Return the value of the field in ``key``."""
        value: FieldValue = getattr(key, self.attributes[0])
        return value


KEY_FIELDS: dict[Field, KeyField] = {
    each.name: each
    for each in (
        KeyField("key", ("key",), None),
        KeyField("description", ("description",), ""),
        KeyField("tags", ("tags",), ()),
        KeyField("isPlural", ("is_plural",), False),
        KeyField("maxLength", ("max_length",), None),
        KeyField("disabledChecks", ("disabled_checks",), ()),
        KeyField("fileKey", ("file_key",), None),
        KeyField("formatFlags", ("format_flags",), ()),
        KeyField("screenshotFileId", ("screenshot_file_id", "screenshot_url"), None),
    )
}


def given_fields(body: Struct) -> dict[str, object]:
    """Return the fields of a key that a body names, by attribute of Key."""
    given = {
        attribute: getattr(body, attribute, UNSET)
        for field in KEY_FIELDS.values()
        for attribute in field.attributes
    }
    return {name: value for name, value in given.items() if value is not UNSET}


def fields_of(key: Key) -> dict[Field, FieldValue]:
    """Return every field of ``key`` by name."""
    return {name: field.of(key) for name, field in KEY_FIELDS.items()}


ValueRevision = tuple[str, str | None, int]
"""Language code, plural form, and the revision of a value there."""


class LoggedChange(Struct, frozen=True, omit_defaults=True):
    """What one write changed in the fields of a key; values have their revisions."""

    fields: Mapping[Field, tuple[FieldValue, FieldValue]] = {}
    """Before and after, by field."""
    moved: Sequence[ValueRevision] = ()
    """The revisions that turning plurals on or off created: it ends some values and
    moves others to another plural form."""


def log_change(old: Key, new: Key, moved: Sequence[ValueRevision]) -> UndoEntry:
    """Return what to keep beside the event of a changed key, JSON-shaped."""
    before, after = fields_of(old), fields_of(new)
    changed = {
        name: (before[name], after[name])
        for name in before
        if before[name] != after[name]
    }
    made: UndoEntry = msgspec.to_builtins(LoggedChange(changed, moved))
    return made


def read_change(entry: UndoEntry) -> LoggedChange:
    """Return what ``log_change`` kept."""
    return msgspec.convert(entry, LoggedChange)

"""The fields of a key: the one table that writing, merging and undo share.

A new field is an attribute of Key and KeyWrite, and a row here.
"""

from msgspec import Struct

from .records import Field, Key

FieldValue = str | bool | int | tuple[str, ...] | None


class KeyField(Struct, frozen=True):
    """A field of a key, apart from its values."""

    name: Field
    """Its name on the wire, and as ``field`` of a Change."""
    attributes: tuple[str, ...]
    """The attributes of Key that it consists of; the first is its value."""
    write: str
    """The attribute of KeyWrite that sets it."""
    default: FieldValue
    """What it is in a new key that does not set it."""

    @property
    def writes(self) -> list[tuple[str, str]]:
        """Its attributes of Key, each with the attribute of KeyWrite that sets it."""
        first, *rest = self.attributes
        return [(first, self.write), *((each, each) for each in rest)]

    def of(self, key: Key) -> FieldValue:
        """Return the value of the field in ``key``."""
        value: FieldValue = getattr(key, self.attributes[0])
        return value


KEY_FIELDS: dict[Field, KeyField] = {
    each.name: each
    for each in (
        KeyField("key", ("key",), "rename", None),
        KeyField("description", ("description",), "description", ""),
        KeyField("tags", ("tags",), "tags", ()),
        KeyField("isPlural", ("is_plural",), "is_plural", False),
        KeyField("maxLength", ("max_length",), "max_length", None),
        KeyField(
            "screenshotFileId",
            ("screenshot_file_id", "screenshot_url"),
            "screenshot_file_id",
            None,
        ),
    )
}


WRITTEN_ATTRIBUTES: tuple[tuple[str, str], ...] = tuple(
    pair for each in KEY_FIELDS.values() for pair in each.writes
)
"""The attributes of Key that a write sets, each with the attribute of KeyWrite."""


def fields_of(key: Key) -> dict[Field, FieldValue]:
    """Return every field of ``key`` by name."""
    return {name: field.of(key) for name, field in KEY_FIELDS.items()}

"""JSON in columns, kept as text byte for byte."""

import msgspec

_encoder = msgspec.json.Encoder()


def json_text(value: object) -> str:
    """Return JSON text. Not jsonb: that sorts properties and refuses U+0000."""
    return _encoder.encode(value).decode()


def json_or_null(value: object | None) -> str | None:
    """Return JSON text, or None (NULL) for None."""
    return None if value is None else json_text(value)

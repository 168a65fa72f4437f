"""Values inside columns: JSON is kept as text, byte for byte."""

import msgspec

_encoder = msgspec.json.Encoder()


def json_text(value: object) -> str:
    """``value`` as JSON text. Not jsonb: that sorts members and refuses U+0000."""
    return _encoder.encode(value).decode()


def json_or_null(value: object | None) -> str | None:
    """``value`` as JSON text; None is NULL."""
    return None if value is None else json_text(value)

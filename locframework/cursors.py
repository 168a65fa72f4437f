"""Writes and reads the marks by which a client walks a list while it is written."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from .errors import ValidationFailed
from .paging import Place
from .validation import forbidden

_LETTERS = b"-_"  # in place of + and /, which mean something else in a URL
_WALKED_MOST = 2**53  # JSON readers keep integers up to there


class Cursor(Struct, frozen=True, array_like=True):
    """Where a walk goes on: behind a place, not behind a number of items.

    It holds nothing that the page before it did not show, and is not signed: who
    makes one up is at another place of the same list, and no more.
    """

    sort: str
    value: str  # the place: of the item that was last
    id: str
    page: Annotated[int, Meta(ge=1, le=_WALKED_MOST)]  # that begins there

    @property
    def place(self) -> Place:
        return Place(self.value, self.id)

    def text(self) -> str:
        """As a client sends it back: letters, digits, ``-`` and ``_``."""
        return b64encode(msgspec.json.encode(self), _LETTERS).rstrip(b"=").decode()


def read_cursor(text: str, sort: str) -> Cursor:
    """The cursor of a list in that order. Raises ValidationFailed for another."""
    cursor = _read(text)
    if cursor is None:
        message = "is none that a list has answered as nextCursor"
        raise ValidationFailed.at("query.cursor", "cursor", message)
    if cursor.sort != sort:
        message = "goes on in another order; sort must stay as it was"
        raise ValidationFailed.at("query.cursor", "cursor", message)
    return cursor


def _read(text: str) -> Cursor | None:
    try:
        padded = text + "=" * (-len(text) % 4)
        json = b64decode(padded, _LETTERS, validate=True)
        cursor = msgspec.json.decode(json, type=Cursor)
    except (ValueError, msgspec.DecodeError):
        return None
    return None if forbidden(cursor.value + cursor.id) else cursor

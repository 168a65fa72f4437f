"""Writes and reads the marks by which a client walks a list while it is written."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from .errors import ValidationFailed
from .paging import Place
from .validation import forbidden

_LETTERS = b"-_"  # in place of + and /, which mean something else in a URL
_PAGE_MOST = 2**53  # JSON readers keep integers up to there


class Cursor(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Where a walk goes on: behind a place, not behind a number of items.

    It holds nothing that the page before it did not show, and is not signed: who
    makes one up is at another place of a list that he may read, and no more.
    """

    list_: str  # the mark of list_of
    value: str  # the place: of the item that was last
    id: str
    page: Annotated[int, Meta(ge=1, le=_PAGE_MOST)]  # of the walk, that begins there

    @property
    def place(self) -> Place:
        return Place(self.value, self.id)

    def next(self, place: Place) -> Cursor:
        """Of the page behind the one that begins here."""
        page = min(self.page + 1, _PAGE_MOST)
        return Cursor(self.list_, place.value, place.id, page)

    def text(self) -> str:
        """As a client sends it back: letters, digits, ``-`` and ``_``."""
        return b64encode(msgspec.json.encode(self), _LETTERS).rstrip(b"=").decode()


def list_of(*conditions: object) -> str:
    """A short mark that tells one list from another, by its conditions and order."""
    return blake2b(msgspec.json.encode(conditions), digest_size=9).hexdigest()


def read_cursor(text: str, list_: str) -> Cursor:
    """The cursor that ``text`` is. Raises ValidationFailed for any other text, and for
    a cursor of another list."""
    cursor = _read(text)
    if cursor is None:
        message = "is not the nextCursor of any page"
        raise ValidationFailed.at("query.cursor", "cursor", message)
    if cursor.list_ != list_:
        message = (
            "is from another list: only limit and include may change between pages"
        )
        raise ValidationFailed.at("query.cursor", "cursor", message)
    return cursor


def _read(text: str) -> Cursor | None:
    try:
        padded = text + "=" * (-len(text) % 4)
        json = b64decode(padded, _LETTERS, validate=True)
        cursor = msgspec.json.decode(json, type=Cursor)
    except (ValueError, msgspec.DecodeError, RecursionError):
        return None
    return None if forbidden(cursor.value + cursor.id) else cursor

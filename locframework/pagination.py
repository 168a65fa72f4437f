"""Pagination of lists: page requests, pages and cursors."""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import blake2b
from operator import attrgetter
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from .errors import UseCursor, ValidationFailed
from .validation import forbidden

T = TypeVar("T")

PAGE_MOST = 1_000_000
LIMIT_MOST = 200
TOTAL_LIMIT = 10_000
"""Items that a bounded list counts, and that its pages reach by number."""

_PAGE = (
    "1-based. Each page is as of its own moment, and counted from the beginning of the"
    " list: items that are added or removed before it shift it"
)
_SORT = Meta(description="The field to sort by; with `-`: descending")
ByKey = Annotated[Literal["key", "-key"], _SORT]
ByTime = Annotated[Literal["createdAt", "-createdAt"], _SORT]
ByDeletion = Annotated[Literal["deletedAt", "-deletedAt", "key", "-key"], _SORT]
ByVersion = Annotated[Literal["version", "-version"], _SORT]
ByCode = Annotated[
    Literal["createdAt", "-createdAt", "languageCode", "-languageCode"], _SORT
]
ByName = Annotated[Literal["name", "-name", "createdAt", "-createdAt"], _SORT]
ByNameOrUpdate = Annotated[
    Literal["name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt"],
    _SORT,
]
ByEmail = Annotated[
    Literal["email", "-email", "name", "-name", "createdAt", "-createdAt"], _SORT
]
GivenCursor = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        description="`nextCursor` of a page: returns the page after it. `limit` and"
        " `include` may change, all other parameters must stay as they were; `page` is"
        " left out",
    ),
]


class PageRequest(Struct, frozen=True):
    """Which page of a list, as every list endpoint asks."""

    page: Annotated[int, Meta(ge=1, le=PAGE_MOST, description=_PAGE)] = 1
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MOST, description="Items per page")] = 50

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.limit


class SortedRequest(PageRequest, frozen=True):
    """Which page of a list, and in which order; each list names its fields. The order
    that a service or a store says of a list is the one without ``sort``."""

    sort: str = ""  # a field, "-" before it: descending; "": the list's default


class NamedRequest(SortedRequest, frozen=True):
    """Which page of a list by name."""

    sort: ByNameOrUpdate = "name"


class Page(Struct, Generic[T], frozen=True):
    """One page, and how many items all pages have together."""

    items: list[T]
    total: int
    page: int
    limit: int


class CursorPage(Page[T], Generic[T], frozen=True, rename="camel"):
    """A page of a list that can be read as a whole while others write to it. When
    cursors are followed, ``page`` counts the pages that were read."""

    total: Annotated[
        int, Meta(description=f"Exact up to {TOTAL_LIMIT}; larger lists have that")
    ]
    total_is_exact: bool
    next_cursor: Annotated[
        str | None,
        Meta(
            description="`cursor` of the page after this one; null: this is the last",
            examples=[None],
        ),
    ]


class Position(Struct, frozen=True, gc=False):
    """A position in the order of a list: that of an item, present or past."""

    value: str  # of the sort field
    id: str  # orders equal values


class BoundedList(Struct, Generic[T], frozen=True):
    """Some items of a list whose total is counted up to ``TOTAL_LIMIT``."""

    items: list[T]
    total: int
    total_is_exact: bool


def all_pages(list_page: Callable[[PageRequest], Page[T]]) -> Iterator[T]:
    """Yield all items of a list, page by page."""
    request = PageRequest(limit=LIMIT_MOST)
    while items := list_page(request).items:
        yield from items
        if len(items) < request.limit:
            return
        request = PageRequest(request.page + 1, request.limit)


def page_of(items: list[T], request: PageRequest) -> Page[T]:
    """Return a page of items, which are in ascending order; by ``languageCode`` if the
    request asks for that."""
    sort = request.sort if isinstance(request, SortedRequest) else ""
    if sort.endswith("languageCode"):
        items = sorted(items, key=attrgetter("language_code"))
    items = items[::-1] if sort.startswith("-") else items
    part = items[request.offset : request.offset + request.limit]
    return Page(part, len(items), request.page, request.limit)


_URL_SAFE = b"-_"  # in place of + and /
_PAGE_NUMBER_LIMIT = 2**53  # JSON readers keep integers up to there


class Cursor(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Where the next page begins: after a position. It is not signed: a forged one
    reads the same list from another position."""

    fingerprint: str  # of the list
    value: str  # of the position of the last item
    id: str
    page: Annotated[int, Meta(ge=1, le=_PAGE_NUMBER_LIMIT)]  # number of the page

    @property
    def position(self) -> Position:
        return Position(self.value, self.id)

    def encode(self) -> str:
        """Return the cursor as text: letters, digits, ``-`` and ``_``."""
        return b64encode(msgspec.json.encode(self), _URL_SAFE).rstrip(b"=").decode()


def list_fingerprint(*conditions: object) -> str:
    """Return a short hash that identifies a list by its conditions and order."""
    return blake2b(msgspec.json.encode(conditions), digest_size=9).hexdigest()


def decode_cursor(text: str, fingerprint: str) -> Cursor:
    """Return the cursor that ``text`` encodes. Raise ValidationFailed, also for another
    list."""
    try:
        padded = text + "=" * (-len(text) % 4)
        json = b64decode(padded, _URL_SAFE, validate=True)
        cursor = msgspec.json.decode(json, type=Cursor)
    except (ValueError, msgspec.DecodeError, RecursionError):
        cursor = None
    if cursor is None or forbidden(cursor.value + cursor.id):
        message = "is not the nextCursor of any page"
        raise ValidationFailed.at("query.cursor", "cursor", message)
    if cursor.fingerprint != fingerprint:
        message = (
            "is from another list: only limit and include may change between pages"
        )
        raise ValidationFailed.at("query.cursor", "cursor", message)
    return cursor


def read_page(
    request: PageRequest,
    cursor: Cursor | None,
    fingerprint: str,
    fetch: Callable[[int, int, Position | None], BoundedList[T]],
    position_of: Callable[[T], Position],
) -> CursorPage[T]:
    """Return the page that begins at ``cursor``, or else the one with the number.
    ``fetch`` returns items by limit, offset and the position before the first; it is
    asked for one item more than a page has. Raise UseCursor beyond ``TOTAL_LIMIT``."""
    limit = request.limit
    if cursor is None:
        number, found = request.page, fetch(limit + 1, request.offset, None)
        if not found.total_is_exact and request.offset >= TOTAL_LIMIT:
            raise UseCursor(
                f"page {number} begins after item {TOTAL_LIMIT} of a longer list:"
                " follow nextCursor from page 1 on"
            )
    else:
        number, found = cursor.page, fetch(limit + 1, 0, cursor.position)
    items, next_cursor = found.items[:limit], None
    if len(found.items) > limit:
        last = position_of(items[-1])
        page = min(number + 1, _PAGE_NUMBER_LIMIT)
        next_cursor = Cursor(fingerprint, last.value, last.id, page).encode()
    return CursorPage(
        items,
        found.total,
        number,
        limit,
        total_is_exact=found.total_is_exact,
        next_cursor=next_cursor,
    )

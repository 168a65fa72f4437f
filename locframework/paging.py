"""Pages of lists: which one is asked for, and what is answered."""

from collections.abc import Callable, Iterator
from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

T = TypeVar("T")

_PAGE = (
    "1-based. Each page is as of its own moment, and counted from the beginning of the"
    " list: what is added or goes before it moves it"
)
PAGE_MOST = 1_000_000
LIMIT_MOST = 200

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
        description="`nextCursor` of a page: the one behind it. `limit` and `include`"
        " may change, all else must stay as it was; `page` is left out",
    ),
]


class PageRequest(Struct, frozen=True):
    """Which page of a list, as every list endpoint asks (decisions 2.1.2)."""

    page: Annotated[int, Meta(ge=1, le=PAGE_MOST, description=_PAGE)] = 1
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MOST, description="Items per page")] = 50

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.limit


class SortedRequest(PageRequest, frozen=True):
    """Which page of a list, and in which order; each list names its fields.

    The order that a service or a store says of a list is the one without ``sort``.
    """

    sort: str = ""  # a field, "-" before it: descending; "": as the list does by itself


class Place(Struct, frozen=True, gc=False):
    """A place in the order of a list: where an item stood, or stands."""

    value: str  # of the field that sorts
    id: str  # parts equal values


class Page(Struct, Generic[T], frozen=True):
    """One page, and how many items all pages have together."""

    items: list[T]
    total: int
    page: int
    limit: int


def walk_pages(list_page: Callable[[PageRequest], Page[T]]) -> Iterator[T]:
    """All items of a list, asked for page by page."""
    request = PageRequest(limit=LIMIT_MOST)
    while items := list_page(request).items:
        yield from items
        if len(items) < request.limit:
            return
        request = PageRequest(request.page + 1, request.limit)


class CursorPage(Page[T], Generic[T], frozen=True, rename="camel"):
    """A page of a list that can be read as a whole while others write to it.

    When cursors are followed, ``page`` counts the pages that were read.
    """

    next_cursor: Annotated[
        str | None,
        Meta(
            description="`cursor` of the page after this one; null: this is the last",
            examples=[None],
        ),
    ]

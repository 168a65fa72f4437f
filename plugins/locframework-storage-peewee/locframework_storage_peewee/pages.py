"""Pages of lists by hand-written SQL: two statements."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from locframework.ports import Page, PageRequest, SortedRequest

from .database import Database
from .engine import Row

T = TypeVar("T")


class Order(Struct, frozen=True):
    """The columns that a list may be sorted by."""

    columns: Mapping[str, str]  # by the name that requests use
    tie: str  # unique, or pages would repeat rows
    default: str

    def of(self, request: PageRequest) -> str:
        """Return the columns for ORDER BY; ValueError for an unknown ``sort``."""
        asked = request.sort if isinstance(request, SortedRequest) else ""
        sort = asked or self.default
        column = self.columns.get(sort.removeprefix("-"))
        if column is None:
            raise ValueError(f"the list is not sorted by {sort!r}")
        way = " DESC" if sort.startswith("-") else ""
        return ", ".join(f"{each}{way}" for each in dict.fromkeys((column, self.tie)))


def page_of(
    database: Database,
    make: Callable[[Row], T],
    request: PageRequest,
    *,
    select: str,
    source: str,
    order: Order,
    params: Sequence[object] = (),
) -> Page[T]:
    """Return a page of ``SELECT select FROM source ORDER BY order``, and its total."""
    counted = database.row(f"SELECT count(*) FROM {source}", params)
    rows = database.rows(
        f"SELECT {select} FROM {source} ORDER BY {order.of(request)} LIMIT ? OFFSET ?",
        (*params, request.limit, request.offset),
    )
    return Page(
        items=[make(row) for row in rows],
        total=counted[0] if counted else 0,
        page=request.page,
        limit=request.limit,
    )

"""Pages of lists: which one is asked for, and what is answered."""

from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Struct

T = TypeVar("T")

PAGE_MOST = 1_000_000
LIMIT_MOST = 200


class PageRequest(Struct, frozen=True):
    """Which page of a list, as every list endpoint asks (decisions 2.1.2)."""

    page: Annotated[int, Meta(ge=1, le=PAGE_MOST, description="1-based")] = 1
    limit: Annotated[int, Meta(ge=1, le=LIMIT_MOST, description="Items a page")] = 50

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.limit


class Page(Struct, Generic[T], frozen=True):
    """One page, and how many items all pages have together."""

    items: list[T]
    total: int
    page: int
    limit: int

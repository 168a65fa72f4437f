"""Answers one page of a list: two statements, whatever the page."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from locframework.ports import Page, PageRequest

from .database import Database
from .engine import Row

T = TypeVar("T")


def page_of(
    database: Database,
    make: Callable[[Row], T],
    request: PageRequest,
    *,
    select: str,
    source: str,
    order: str,
    params: Sequence[object] = (),
) -> Page[T]:
    """``SELECT select FROM source ORDER BY order``, one page; and how many in all.

    ``order`` must tell any two rows apart, or pages would repeat some.
    """
    counted = database.row(f"SELECT count(*) FROM {source}", params)
    rows = database.rows(
        f"SELECT {select} FROM {source} ORDER BY {order} LIMIT ? OFFSET ?",
        (*params, request.limit, request.offset),
    )
    return Page(
        items=[make(row) for row in rows],
        total=counted[0] if counted else 0,
        page=request.page,
        limit=request.limit,
    )

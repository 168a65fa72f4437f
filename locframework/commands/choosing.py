"""Which project, glossary or memory is meant where none is named."""

from typing import Protocol, TypeVar

from locframework.paging import Page

from .telling import Refused

FEW = 10  # that are named where there are several


class Named(Protocol):
    """What has an id and a slug."""

    @property
    def id(self) -> str: ...

    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)


def only_one(found: Page[N], noun: str, option: str) -> str:
    """The id of the only one. Raises Refused where there is none, or are several."""
    if found.total == 1:
        return found.items[0].id
    if not found.items:
        raise Refused(f"there is no {noun} yet; make one over the API")
    slugs = ", ".join(each.slug for each in found.items)
    more = ", …" if found.total > len(found.items) else ""
    raise Refused(f"name one with {option}: {slugs}{more}")

"""A part of a path that may hold slashes goes through the router as one."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Struct

from locframework.http.dispatch import SLASH_PLACEHOLDER, SlashParameters
from locframework.http.operation import SLASHES, operation, operations_of

Ref = Annotated[str, SLASHES]


class Got(Struct, frozen=True):
    """What came."""

    part: str


class Endpoints:
    @operation("GET", "/shops/{shopId}/tills/{till}", tag="T", permission=None)
    def read(self, shop_id: str, till: Ref) -> Got:
        """Read."""
        raise NotImplementedError

    @operation("GET", "/shops/{shopId}/tills/{till}/log", tag="T", permission=None)
    def log(self, shop_id: str, till: Ref) -> Got:
        """Log."""
        raise NotImplementedError

    @operation("GET", "/shops/{shopId}/other/{name}", tag="T", permission=None)
    def other(self, shop_id: str, name: str) -> Got:
        """Other."""
        raise NotImplementedError


@pytest.fixture
def slashes() -> SlashParameters:
    return SlashParameters(operations_of(Endpoints()))


@pytest.mark.parametrize(
    ("path", "joined"),
    [
        ("/shops/1/tills/a", "/shops/1/tills/a"),
        ("/shops/1/tills/a/b", "/shops/1/tills/a|b"),
        ("/shops/1/tills/a/b/c", "/shops/1/tills/a|b|c"),
        ("/shops/1/tills/a/log", "/shops/1/tills/a/log"),
        ("/shops/1/tills/a/b/log", "/shops/1/tills/a|b/log"),
        ("/shops/1/tills/log", "/shops/1/tills/log"),
        ("/shops/1/tills/log/log", "/shops/1/tills/log/log"),
        ("/shops/1/tills/log/a", "/shops/1/tills/log|a"),
        ("/shops/1/tills/a/log/log", "/shops/1/tills/a|log/log"),
        ("/shops/1/tills/a/logs", "/shops/1/tills/a|logs"),
        ("/shops/1/2/tills/a/b", "/shops/1/2/tills/a/b"),
        ("/shops/1/other/a/b", "/shops/1/other/a/b"),
        ("/shops/1/tills", "/shops/1/tills"),
        ("/x/shops/1/tills/a/b", "/x/shops/1/tills/a/b"),
        ("/shops/1/tills/a\nb/c", "/shops/1/tills/a\nb/c"),
    ],
)
def test_slashes_of_the_part_are_told_from_those_of_the_path(slashes, path, joined):
    assert slashes.joined(path).replace(SLASH_PLACEHOLDER, "|") == joined


def test_without_such_a_part_every_path_stays():
    assert SlashParameters([]).joined("/a/b") == "/a/b"


def test_a_long_path_is_judged_in_its_length(slashes):
    path = "/shops/1/tills/" + "a/log/" * 20_000 + "x"

    joined = slashes.joined(path)

    assert joined.count("/") == 4
    assert _count(joined) == 40_000


def _count(text: Any) -> int:
    count: int = text.count(SLASH_PLACEHOLDER)
    return count

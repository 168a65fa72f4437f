"""Undo of plurals that were turned, and of what was written then, on both lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from locframework.testing.workspace import Workspace

from .branched import Branched

Key = dict[str, Any]
Act = Callable[[Branched, Key, str | None], object]


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    return Branched(workspace)


def undo(shop: Branched, **where: str) -> dict[str, Any]:
    answer = shop.owner.post(f"{shop.path}/activity/revert", json=where)
    job = shop.workspace.job_of(answer)
    assert (job["type"], job["status"]) == ("revert", "succeeded"), job
    result: dict[str, Any] = job["result"]
    return result | {"jobId": job["id"]}


def told(shop: Branched, key: Key) -> list[dict[str, Any]]:
    query = {"keyId": key["id"], "sort": "createdAt"}
    found = shop.owner.get(f"{shop.path}/activity", query=query)
    items: list[dict[str, Any]] = found.data["items"]
    return items


def look(shop: Branched, key: Key, line: str | None) -> tuple[bool, dict[Any, Any]]:
    is_plural = shop.read(key, line).data["key"]["isPlural"]
    return is_plural, shop.texts(key, line)


def off_and_a_new_text(shop: Branched, key: Key, line: str | None) -> None:
    shop.patch(key, line, isPlural=False)
    shop.write(key, "de", "Kaufen", line)


def off_and_two_new_texts(shop: Branched, key: Key, line: str | None) -> None:
    off_and_a_new_text(shop, key, line)
    shop.write(key, "de", "Zahlen", line)


def a_new_form_and_off(shop: Branched, key: Key, line: str | None) -> None:
    shop.write(key, "de", {"other": "Kaufen"}, line)
    shop.patch(key, line, isPlural=False)


def on_and_new_forms(shop: Branched, key: Key, line: str | None) -> None:
    shop.patch(key, line, isPlural=True)
    shop.write(key, "de", {"one": "Eins", "other": "Viele"}, line)


PLURAL = {"isPlural": True, "values": {"en": {"one": "Pay"}, "ar": {"few": "x"}}}
PLAIN = {"values": {"en": "Pay"}}


@pytest.mark.parametrize("line", [None, "autumn"])
@pytest.mark.parametrize(
    ("was", "act"),
    [
        (PLURAL, off_and_a_new_text),
        (PLURAL, off_and_two_new_texts),
        (PLURAL, a_new_form_and_off),
        (PLAIN, on_and_new_forms),
    ],
)
def test_a_text_that_was_not_there_goes_with_the_plurals_each_time(
    shop: Branched, was: dict[str, Any], act: Act, line: str | None
) -> None:
    key = shop.create(key="cart", **was)
    shop.branch("autumn")
    before, known = look(shop, key, line), len(told(shop, key))
    act(shop, key, line)
    after, first = look(shop, key, line), told(shop, key)[known]

    result = undo(shop, since=first["createdAt"], keyId=key["id"])

    assert look(shop, key, line) == before
    for expected in (after, before, after):
        assert (result["skipped"], result["skippedCount"]) == ([], 0)
        result = undo(shop, jobId=result["jobId"])
        assert look(shop, key, line) == expected

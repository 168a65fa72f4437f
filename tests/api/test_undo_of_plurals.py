"""Undo of plurals that were turned, and of what was written then, on both lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .branched import Branched

Key = dict[str, Any]
Act = Callable[[Branched, Key, str | None], object]


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
    before, known = look(shop, key, line), len(shop.told(key))
    act(shop, key, line)
    after, first = look(shop, key, line), shop.told(key)[known]

    result = shop.undo(since=first["createdAt"], keyId=key["id"])

    assert look(shop, key, line) == before
    for expected in (after, before, after):
        assert (result["skipped"], result["skippedCount"]) == ([], 0)
        result = shop.undo(jobId=result["jobId"])
        assert look(shop, key, line) == expected


@pytest.mark.parametrize("line", [None, "autumn"])
def test_plurals_turned_there_and_back_are_undone_without_a_word(
    shop: Branched, line: str | None
) -> None:
    key = shop.create(key="cart", **PLURAL)
    shop.branch("autumn")
    before, known = look(shop, key, line), len(shop.told(key))
    shop.patch(key, line, isPlural=False)
    shop.write(key, "de", "Kaufen", line)
    shop.patch(key, line, isPlural=True)
    after, first = look(shop, key, line), shop.told(key)[known]

    result = shop.undo(since=first["createdAt"], keyId=key["id"])

    assert (look(shop, key, line), result["skipped"]) == (before, [])
    again = shop.undo(jobId=result["jobId"])
    assert (look(shop, key, line), again["skipped"]) == (after, [])


def test_forms_that_main_took_away_meanwhile_are_not_missed_by_an_undo(
    shop: Branched,
) -> None:
    key = shop.create(key="cart", **PLURAL)
    shop.branch("autumn")
    shop.patch(key, "autumn", isPlural=False)
    shop.patch(key, "autumn", isPlural=True)
    shop.patch(key, isPlural=False)

    result = shop.undo(branch="autumn", keyId=key["id"])

    assert result["skipped"] == []
    assert look(shop, key, "autumn") == look(shop, key, None)

"""Undo, and which translations are outdated after it."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.workspace import Workspace

from .branched import Branched
from .test_undo_of_plurals import told, undo

Key = dict[str, Any]

FRESH = {"en": False, "de": False}


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    return Branched(workspace)


def write_kept_fresh(shop: Branched, key: Key, text: str, line: str | None) -> None:
    path = f"{shop.path}/keys/{key['id']}/values/en"
    query = {"branch": line} if line else {}
    body = {"value": text, "keepFresh": True}
    assert shop.owner.put(path, json=body, query=query).status == 200


@pytest.mark.parametrize("line", [None, "spring"])
@pytest.mark.parametrize("order", [("en", "de"), ("de", "en")])
def test_a_text_is_as_fresh_as_before_each_time_its_source_goes_back(
    shop: Branched, order: tuple[str, str], line: str | None
) -> None:
    known = len(told(shop, shop.pay))
    for code in order:
        shop.write(shop.pay, code, {"en": "Buy", "de": "Kaufen"}[code], line)
    after = shop.texts(shop.pay, line), shop.outdated(shop.pay, line)
    first = told(shop, shop.pay)[known]

    result = undo(shop, since=first["createdAt"], keyId=shop.pay["id"])

    before = {("en", None): "Pay", ("de", None): "Zahlen"}, FRESH
    for expected in (before, after, before):
        now = shop.texts(shop.pay, line), shop.outdated(shop.pay, line)
        assert (now, result["skipped"]) == (expected, [])
        result = undo(shop, jobId=result["jobId"])


@pytest.mark.parametrize("text", ["Pay", ""])
def test_undoing_a_source_text_that_kept_all_fresh_outdates_nothing(
    shop: Branched, text: str
) -> None:
    values = {"de": "Zahlen"} | ({"en": text} if text else {})
    key = shop.create(key="cart", values=values)
    known = len(told(shop, key))
    write_kept_fresh(shop, key, "Pay now", None)
    first = told(shop, key)[known]

    result = undo(shop, since=first["createdAt"], keyId=key["id"])

    for _ in range(3):
        assert not shop.outdated(key)["de"]
        result = undo(shop, jobId=result["jobId"])


def test_a_branch_whose_source_goes_back_to_mains_is_as_fresh_as_main(
    shop: Branched,
) -> None:
    write_kept_fresh(shop, shop.pay, "Pay now", "spring")

    undo(shop, branch="spring")

    assert shop.texts(shop.pay, "spring") == shop.texts(shop.pay)
    assert shop.outdated(shop.pay, "spring") == FRESH


def test_a_text_of_a_later_source_is_outdated_when_that_goes(shop: Branched) -> None:
    known = len(told(shop, shop.pay))
    shop.write(shop.pay, "en", "Buy")
    first = told(shop, shop.pay)[known]
    shop.write(shop.pay, "de", "Kaufen", None)
    later = told(shop, shop.pay)[-1]

    undo(shop, since=first["createdAt"], until=first["createdAt"])

    assert later["createdAt"] > first["createdAt"]
    assert shop.texts(shop.pay) == {("en", None): "Pay", ("de", None): "Kaufen"}
    assert shop.outdated(shop.pay)["de"]


def test_a_text_that_comes_back_is_outdated_where_its_source_stays_changed(
    shop: Branched,
) -> None:
    known = len(told(shop, shop.pay))
    shop.write(shop.pay, "en", "Buy")
    shop.write(shop.pay, "de", "Kaufen")
    found = told(shop, shop.pay)
    shop.write(shop.pay, "en", "Buy now")

    since, until = found[known]["createdAt"], found[-1]["createdAt"]
    result = undo(shop, since=since, until=until, keyId=shop.pay["id"])

    assert [each["languageCode"] for each in result["skipped"]] == ["en"]
    assert shop.texts(shop.pay) == {("en", None): "Buy now", ("de", None): "Zahlen"}
    assert shop.outdated(shop.pay)["de"]

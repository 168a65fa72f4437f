"""Undo on a branch gives back what it showed, and undo of the undo what it showed then:
texts, review states, and what is outdated."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.client import Client

from .branched import Branched

Key = dict[str, Any]
AT = "spring"


@pytest.fixture
def other(shop: Branched) -> Client:
    """Whose changes are undone."""
    return shop.workspace.client("owner")


def put(
    shop: Branched, client: Client, key: Key, code: str, text: object, **more: object
) -> None:
    path = f"{shop.path}/keys/{key['id']}/values/{code}"
    body = {"value": text, **more}
    assert client.put(path, json=body, query={"branch": AT}).status == 200


def shown(shop: Branched, key: Key, line: str | None = AT) -> dict[Any, Any]:
    read = shop.read(key, line).data["key"]
    return {"plural": read["isPlural"]} | {
        (row["languageCode"], row["pluralForm"]): (
            row["value"],
            row["status"],
            row["isOutdated"],
        )
        for row in read["values"]
    }


def assert_goes_back_and_forth(
    shop: Branched, key: Key, other: Client, before: object
) -> None:
    after = shown(shop, key)
    result = shop.undo(actor=user_of(shop, other), branch=AT)
    for expected in (before, after, before):
        assert shown(shop, key) == expected
        assert result["skipped"] == []
        assert result["reverted"] + result["keysUpdated"] > 0
        result = shop.undo(jobId=result["jobId"])


def user_of(shop: Branched, client: Client) -> str:
    items = shop.owner.get(f"{shop.path}/activity", query={"branch": AT}).data["items"]
    mine = shop.owner.get(f"{shop.path}/activity", query={"keyId": shop.pay["id"]})
    own = mine.data["items"][-1]["actor"]["id"]
    return next(i["actor"]["id"] for i in items if i["actor"]["id"] != own)


@pytest.mark.parametrize("text", [None, "B"])
def test_a_text_that_was_cleared_after_the_plurals_went_is_cleared_again(
    shop: Branched, other: Client, text: str | None
) -> None:
    forms = {"en": {"one": "E", "other": "C"}, "ar": {"one": "A", "other": "E"}}
    key = shop.create(key="cart", isPlural=True, values=forms)
    before = shown(shop, key)
    path = f"{shop.path}/keys/{key['id']}"
    other.patch(path, json={"isPlural": False}, query={"branch": AT})
    if text:
        put(shop, other, key, "en", text)
    put(shop, other, key, "en", "")

    assert_goes_back_and_forth(shop, key, other, before)


@pytest.mark.parametrize("line", [None, AT])
@pytest.mark.parametrize("is_written", [True, False])
def test_a_text_that_was_found_right_is_outdated_again(
    shop: Branched, other: Client, line: str | None, is_written: bool
) -> None:
    shop.write(shop.pay, "en", "Pay now", line)
    before = shown(shop, shop.pay)
    assert before["de", None][2]
    if is_written:
        put(shop, other, shop.pay, "de", "Zahlen")
    else:
        path = f"{shop.path}/keys/{shop.pay['id']}/values/de/approve"
        other.post(path, json={}, query={"branch": AT})

    assert not shown(shop, shop.pay)["de", None][2]
    assert_goes_back_and_forth(shop, shop.pay, other, before)


def test_a_source_text_that_was_cleared_keeps_fresh_again_what_it_kept_so(
    shop: Branched, other: Client
) -> None:
    before = shown(shop, shop.pay)
    put(shop, other, shop.pay, "en", "", keepFresh=True)
    assert not shown(shop, shop.pay)["de", None][2]

    assert_goes_back_and_forth(shop, shop.pay, other, before)


def test_a_text_that_the_second_source_text_outdated_is_so_again(
    shop: Branched, other: Client
) -> None:
    key = shop.create(key="cart", values={"de": "B"})
    before = shown(shop, key)
    put(shop, other, key, "en", "A")
    put(shop, other, key, "en", "E")
    assert shown(shop, key)["de", None][2]

    assert_goes_back_and_forth(shop, key, other, before)


@pytest.mark.parametrize("values", [{"en": "S"}, {}])
def test_a_proposal_is_as_fresh_as_before_though_main_says_the_same_by_now(
    shop: Branched, other: Client, values: dict[str, str]
) -> None:
    key = shop.create(key="cart", values=values)
    put(shop, shop.workspace.client("translator"), key, "de", "D")
    shop.write(key, "de", "D")
    before = shown(shop, key)
    assert before["de", None] == ("D", "pending_review", False)
    put(shop, other, key, "en", "C")
    put(shop, other, key, "de", "")

    assert_goes_back_and_forth(shop, key, other, before)


@pytest.mark.parametrize("line", [None, AT])
def test_what_stands_as_it_was_to_is_not_listed_when_an_undo_is_repeated(
    shop: Branched, line: str | None
) -> None:
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, line, description="The button", tags=["red"], isPlural=True)
    told = shop.told(shop.pay)[known]["createdAt"]
    where = {"branch": line or "main", "since": told, "until": told}
    first = shop.undo(**where)
    assert (first["keysUpdated"], first["skipped"]) == (1, [])

    again = shop.undo(**where)

    assert (again["keysUpdated"], again["skipped"]) == (0, [])

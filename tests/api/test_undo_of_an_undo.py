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


@pytest.mark.parametrize("line", [None])
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

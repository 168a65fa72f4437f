"""Undo of what people did on branches that have ended, or had the name before."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.client import Client

from .branched import Branched
from .undoing import actor_of


@pytest.fixture
def bob(shop: Branched) -> Client:
    return shop.workspace.client("reviewer")


def write(shop: Branched, by: Client, text: str, line: str = "spring") -> None:
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    answer = by.put(path, json={"value": text}, query={"branch": line})
    assert answer.status == 200


def told(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(s["key"], s["languageCode"], s["reason"]) for s in result["skipped"]]


@pytest.mark.parametrize("closes", [True, False])
def test_what_a_person_did_on_a_branch_that_others_merged_is_listed(
    shop: Branched, bob: Client, closes: bool
) -> None:
    write(shop, bob, "Kaufen")
    assert shop.merge(closeAfter=closes).status == 200

    result = shop.undo(actor=actor_of(shop.keys, bob))

    assert told(result) == [("checkout.pay", "de", "branch_merged")]
    assert (result["reverted"], result["skippedCount"]) == (0, 1)
    assert shop.texts(shop.pay)["de", None] == "Kaufen"


def test_nothing_is_listed_where_the_merge_is_undone_too(
    shop: Branched, bob: Client
) -> None:
    write(shop, bob, "Kaufen")
    shop.merge()

    result = shop.undo(keyId=shop.pay["id"], since=shop.one()["createdAt"])

    assert (told(result), result["reverted"]) == ([], 1)
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


def test_undoing_the_merge_lists_nothing_of_its_branch(
    shop: Branched, bob: Client
) -> None:
    write(shop, bob, "Kaufen")
    shop.merge()

    result = shop.undo(branch=shop.one()["id"])

    assert (told(result), result["reverted"]) == ([], 1)


@pytest.mark.parametrize("ends", ["merged", "closed"])
def test_an_open_branch_is_undone_though_another_had_its_name(
    shop: Branched, bob: Client, ends: str
) -> None:
    write(shop, bob, "Kaufen")
    if ends == "merged":
        shop.merge()
    else:
        assert shop.owner.delete(f"{shop.path}/branches/spring").status == 200
    before = shop.texts(shop.pay)
    shop.branch("spring")
    write(shop, bob, "Los")

    result = shop.undo(actor=actor_of(shop.keys, bob))

    expected = [("checkout.pay", "de", "branch_merged")] if ends == "merged" else []
    assert told(result) == expected
    assert shop.texts(shop.pay, "spring") == before

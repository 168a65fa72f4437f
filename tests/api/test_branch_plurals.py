"""Plurals that are turned on and off, on main and on branches."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.workspace import Workspace

from .branched import Branched


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    return Branched(workspace)


@pytest.fixture
def cart(shop: Branched) -> dict[str, Any]:
    return shop.create(
        key="cart",
        isPlural=True,
        values={
            "en": {"one": "1 item", "other": "items"},
            "de": {"one": "Ein", "other": "Viele"},
        },
    )


# turned on the branch, and merged


def test_merging_plurals_off_leaves_main_the_texts_that_the_branch_shows(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    on_branch = shop.texts(cart, "spring")

    merged = shop.merge()

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 2}
    assert on_branch == {("en", None): "items", ("de", None): "Viele"}
    assert shop.texts(cart) == on_branch
    assert not shop.read(cart).data["key"]["isPlural"]


def test_merging_plurals_off_brings_the_texts_that_were_written_afterwards(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "en", "new", "spring")
    shop.write(cart, "de", "neu", "spring")

    shop.merge()

    assert shop.texts(cart) == {("en", None): "new", ("de", None): "neu"}


def test_merging_plurals_off_clears_what_the_branch_cleared(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "de", "", "spring")

    shop.merge()

    assert shop.texts(cart) == {("en", None): "items"}


def test_merging_plurals_on_brings_the_forms_and_leaves_the_rest(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.write(shop.pay, "de", {"one": "Eins"}, "spring")
    on_branch = shop.texts(shop.pay, "spring")

    shop.merge()

    assert shop.texts(shop.pay) == on_branch
    assert on_branch == {
        ("en", "other"): "Pay",
        ("de", "one"): "Eins",
        ("de", "other"): "Zahlen",
    }


def test_plurals_that_both_sides_turned_off_take_no_text_along(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "de", "neu", "spring")
    shop.patch(cart, isPlural=False)

    shop.merge()

    assert shop.texts(cart) == {("en", None): "items", ("de", None): "neu"}


def test_a_form_that_main_keeps_is_there_although_the_branch_lost_it(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "de", "neu", "spring")
    [change] = [one for one in shop.diff() if one["field"] == "isPlural"]

    shop.merge(resolutions=[{"changeId": change["id"], "use": "main"}])

    assert shop.texts(cart) == {
        ("en", "one"): "1 item",
        ("en", "other"): "items",
        ("de", "one"): "Ein",
        ("de", "other"): "neu",
    }


def test_the_history_goes_on_when_a_merge_turns_plurals_off(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.merge()

    path = f"{shop.path}/keys/{cart['id']}/values/en/history"
    items = shop.owner.get(path).data["items"]

    newest = {item["pluralForm"]: item["value"] for item in reversed(items)}
    assert newest[None] == "items"
    assert {item["value"] for item in items} >= {"1 item", "items"}

"""Plurals that are turned on and off, on main and on branches."""

from __future__ import annotations

from typing import Any

import pytest

from .branched import Branched


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


@pytest.mark.parametrize("was_plural", [True, False])
@pytest.mark.parametrize("is_plural", [True, False])
def test_a_deleted_key_that_comes_back_has_the_plurals_that_main_had_last(
    shop: Branched, was_plural: bool, is_plural: bool
) -> None:
    values = {"en": {"one": "1 item", "other": "items"}} if was_plural else {}
    cart = shop.create(key="cart", isPlural=was_plural, values=values)
    shop.patch(cart, "spring", isPlural=not was_plural, description="The cart")
    shop.patch(cart, isPlural=is_plural)
    last = shop.texts(cart)
    shop.delete(cart)
    uses = {each["id"]: each["field"] for each in shop.diff()}

    merged = shop.merge(
        resolutions=[
            {"changeId": id_, "use": "branch" if uses[id_] == "description" else "main"}
            for id_ in uses
        ]
    )

    assert merged.status == 200
    key = shop.read(cart).data["key"]
    assert (key["description"], key["isPlural"]) == ("The cart", is_plural)
    assert shop.texts(cart) == last


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


# keys of one name that were made on both sides


@pytest.mark.parametrize("mine", [True, False])
def test_plurals_of_one_side_alone_are_a_conflict_of_keys_of_one_name(
    shop: Branched, mine: bool
) -> None:
    form = {True: "other", False: None}
    given = {True: {"other": "text"}, False: "text"}
    shop.create("spring", key="same", isPlural=mine, values={"de": given[mine]})
    theirs = shop.create(key="same", isPlural=not mine, values={"en": given[not mine]})

    refused = shop.merge()
    merged = shop.merge(strategy="use_branch")

    [conflict] = refused.error["details"]["conflicts"]
    assert (refused.status, conflict["field"]) == (409, "isPlural")
    assert (conflict["main"], conflict["branch"]) == (not mine, mine)
    assert merged.status == 200
    assert shop.read(theirs).data["key"]["isPlural"] == mine
    assert shop.texts(theirs) == {
        ("de", form[mine]): "text",
        ("en", form[mine]): "text",
    }


def test_a_new_key_tells_its_plurals_and_says_nothing_without(shop: Branched) -> None:
    shop.create("spring", key="one", values={"de": "Eins"})
    shop.create("spring", key="two", isPlural=True, values={"de": {"other": "Zwei"}})

    told = [(each["key"], each["field"], each["conflict"]) for each in shop.diff()]

    assert told == [
        ("one", "key", False),
        ("one", "value", False),
        ("two", "key", False),
        ("two", "isPlural", False),
        ("two", "value", False),
    ]


def test_plurals_stay_as_main_has_them_where_a_conflict_is_decided_for_main(
    shop: Branched,
) -> None:
    shop.create("spring", key="same", values={"de": "de"})
    values = {"en": {"one": "1", "other": "n"}}
    theirs = shop.create(key="same", isPlural=True, description="Ours", values=values)

    shop.merge(strategy="use_main")

    assert shop.read(theirs).data["key"]["description"] == "Ours"  # the branch has none
    assert shop.texts(theirs) == {
        ("en", "one"): "1",
        ("en", "other"): "n",
        ("de", "other"): "de",
    }

"""One side turns plurals off while the other writes a form that has no place then."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.client import Answer

from .branched import Branched

PLURAL = {
    ("en", "one"): "1 item",
    ("en", "other"): "items",
    ("de", "one"): "Ein",
    ("de", "other"): "Viele",
}
FOLDED = {("en", None): "items", ("de", None): "Viele"}


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


def told(shop: Branched) -> list[tuple[Any, ...]]:
    """Fields with base, main and branch, and whether they conflict."""
    return [
        (
            change["field"],
            change["languageCode"],
            change["pluralForm"],
            (change["base"], change["main"], change["branch"]),
            change["conflict"],
        )
        for change in shop.diff()
    ]


def is_plural(shop: Branched, key: dict[str, Any], branch: str | None = None) -> bool:
    found: bool = shop.read(key, branch).data["key"]["isPlural"]
    return found


def resolved(shop: Branched, use: str) -> Answer:
    """Merge with the plurals alone decided."""
    [turn] = [change for change in shop.diff() if change["field"] == "isPlural"]
    return shop.merge(resolutions=[{"changeId": turn["id"], "use": use}])


# main turns plurals off, the branch wrote a form


def test_a_branch_that_wrote_a_form_keeps_the_plurals_that_main_turns_off(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)

    assert is_plural(shop, cart, "spring")
    assert shop.texts(cart, "spring") == {**PLURAL, ("en", "one"): "a thing"}
    assert shop.texts(cart) == FOLDED


def test_plurals_that_main_turned_off_are_a_conflict_with_the_forms_beside_it(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)

    assert told(shop) == [
        ("isPlural", None, None, (True, False, True), True),
        ("value", "de", "one", ("Ein", None, "Ein"), False),
        ("value", "en", "one", ("1 item", None, "a thing"), False),
    ]


def test_open_plurals_refuse_the_merge_and_leave_both_lines_as_they_were(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)
    on_branch = shop.texts(cart, "spring")

    refused = shop.merge()

    assert (refused.status, refused.error["code"]) == (409, "merge_conflict")
    [conflict] = refused.error["details"]["conflicts"]
    assert conflict["field"] == "isPlural"
    assert shop.texts(cart) == FOLDED
    assert shop.texts(cart, "spring") == on_branch


@pytest.mark.parametrize("by", ["strategy", "resolution"])
def test_plurals_decided_for_the_branch_bring_all_the_forms_that_it_shows(
    shop: Branched, cart: dict[str, Any], by: str
) -> None:
    shop.write(cart, "en", {"one": "a thing", "few": "some"}, "spring")
    shop.patch(cart, isPlural=False)
    shop.write(cart, "de", "Dinge")
    on_branch = shop.texts(cart, "spring")

    if by == "strategy":
        merged = shop.merge(strategy="use_branch")
    else:
        merged = resolved(shop, "branch")

    assert merged.data["applied"] == {"added": 3, "updated": 1, "deleted": 0}
    assert is_plural(shop, cart)
    assert shop.texts(cart) == on_branch | {("de", "other"): "Dinge"}
    assert on_branch == {
        **PLURAL,
        ("en", "one"): "a thing",
        ("en", "few"): "some",
    }


@pytest.mark.parametrize("by", ["strategy", "resolution"])
def test_plurals_decided_for_main_leave_the_forms_and_bring_everything_else(
    shop: Branched, cart: dict[str, Any], by: str
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.write(cart, "de", {"other": "Dinge"}, "spring")
    shop.patch(cart, isPlural=False)

    if by == "strategy":
        merged = shop.merge(strategy="use_main")
    else:
        merged = resolved(shop, "main")

    assert merged.data["applied"] == {"added": 0, "updated": 1, "deleted": 0}
    assert not is_plural(shop, cart)
    assert shop.texts(cart) == {("en", None): "items", ("de", None): "Dinge"}


def test_a_form_that_is_left_out_stays_away_when_the_plurals_come(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)
    ids = {(c["field"], c["languageCode"]): c["id"] for c in shop.diff()}

    shop.merge(
        resolutions=[
            {"changeId": ids["isPlural", None], "use": "branch"},
            {"changeId": ids["value", "de"], "use": "main"},
        ]
    )

    assert shop.texts(cart) == {
        ("en", "one"): "a thing",
        ("en", "other"): "items",
        ("de", "other"): "Viele",
    }


def test_a_text_that_both_sides_wrote_is_a_conflict_beside_the_plurals(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing", "other": "things"}, "spring")
    shop.patch(cart, isPlural=False)
    shop.write(cart, "en", "goods")

    conflicts = [each[:4] for each in told(shop) if each[4]]

    assert conflicts == [
        ("isPlural", None, None, (True, False, True)),
        ("value", "en", "other", ("items", "goods", "things")),
    ]


def test_the_form_other_alone_is_in_nobodys_way(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "de", {"other": "Dinge"}, "spring")
    shop.patch(cart, isPlural=False)

    assert shop.merge().status == 200
    assert shop.texts(cart) == {**FOLDED, ("de", None): "Dinge"}


def test_a_branch_that_takes_its_form_back_has_no_plurals_any_more(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)
    shop.write(cart, "en", {"one": "1 item"}, "spring")

    assert shop.diff() == []


def test_a_branch_keeps_its_form_when_main_turns_plurals_on_again(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"few": "some"}, "spring")
    shop.patch(cart, isPlural=False)
    shop.patch(cart, isPlural=True)

    assert [each[:3] for each in told(shop)] == [("value", "en", "few")]
    assert shop.merge().status == 200
    assert shop.texts(cart) == {
        ("en", "few"): "some",
        ("en", "other"): "items",
        ("de", "other"): "Viele",
    }


def test_plurals_of_a_key_that_main_deleted_come_back_with_it(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.write(cart, "en", {"one": "a thing"}, "spring")
    shop.patch(cart, isPlural=False)
    shop.delete(cart)
    on_branch = shop.texts(cart, "spring")

    shop.merge(strategy="use_branch")

    assert shop.texts(cart) == on_branch == {**PLURAL, ("en", "one"): "a thing"}


# the branch turns plurals off, main wrote a form


@pytest.mark.parametrize("form", ["one", "few"])
def test_plurals_that_the_branch_turned_off_conflict_with_a_form_that_main_wrote(
    shop: Branched, cart: dict[str, Any], form: str
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "en", {form: "main's"})

    conflicts = [each for each in told(shop) if each[4]]

    assert conflicts == [("isPlural", None, None, (True, True, False), True)]
    assert shop.merge().status == 409
    assert shop.texts(cart) == {**PLURAL, ("en", form): "main's"}
    assert shop.texts(cart, "spring") == FOLDED


@pytest.mark.parametrize("form", ["one", "few"])
def test_plurals_that_the_branch_turned_off_go_or_stay_with_all_their_forms(
    shop: Branched, cart: dict[str, Any], form: str
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "de", "neu", "spring")
    shop.write(cart, "en", {form: "main's"})
    shop.branch("autumn")
    shop.patch(cart, "autumn", isPlural=False)

    shop.merge(strategy="use_main")

    assert is_plural(shop, cart)
    kept = {**PLURAL, ("en", form): "main's", ("de", "other"): "neu"}
    assert shop.texts(cart) == kept
    [turn] = [one for one in shop.diff("autumn") if one["field"] == "isPlural"]
    assert not turn["conflict"]  # that branch knew the form


def test_a_form_cannot_stay_on_main_while_the_plurals_go(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    [form, *_] = [one for one in shop.diff() if one["pluralForm"] == "one"]

    refused = shop.merge(resolutions=[{"changeId": form["id"], "use": "main"}])

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"] == "$.resolutions[0].use"
    assert shop.texts(cart) == PLURAL


def test_a_key_of_the_same_name_without_plurals_tells_the_forms_that_would_go(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.create("spring", key="same", values={"de": "neu"})
    theirs = shop.create(key="same", isPlural=True, values={"en": {"one": "1"}})

    assert told(shop) == [
        ("isPlural", None, None, (None, True, False), True),
        ("value", "de", "other", (None, None, "neu"), False),
        ("value", "en", "one", (None, "1", None), False),
    ]
    assert shop.merge(strategy="use_branch").data["applied"]["deleted"] == 1
    assert shop.texts(theirs) == {("de", None): "neu"}


# main turns plurals on, the branch wrote the text


def test_a_text_of_the_branch_is_the_form_other_when_main_turns_plurals_on(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "de", {"one": "Eins"})

    assert told(shop) == [
        ("value", "de", "other", ("Zahlen", "Zahlen", "Kaufen"), False)
    ]
    assert shop.merge().status == 200
    assert shop.texts(shop.pay) == {
        ("en", "other"): "Pay",
        ("de", "one"): "Eins",
        ("de", "other"): "Kaufen",
    }
    assert is_plural(shop, shop.pay)


def test_a_text_of_the_branch_conflicts_with_what_main_wrote_for_other(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "de", {"other": "Bezahlen"})

    assert told(shop) == [
        ("value", "de", "other", ("Zahlen", "Bezahlen", "Kaufen"), True)
    ]


# a decision is about what was seen


@pytest.mark.parametrize("use", ["branch", "main"])
@pytest.mark.parametrize("turned", ["spring", None])
def test_turned_plurals_are_another_change_when_the_forms_beside_them_go_on(
    shop: Branched, cart: dict[str, Any], turned: str | None, use: str
) -> None:
    writing = None if turned else "spring"
    shop.write(cart, "en", {"one": "a thing"}, writing)
    shop.patch(cart, turned, isPlural=False)
    shop.write(cart, "en", {"one": "the thing"}, writing)
    [seen] = [change for change in shop.diff() if change["field"] == "isPlural"]
    shop.write(cart, "en", {"one": "one thing", "few": "some"}, writing)

    refused = shop.merge(resolutions=[{"changeId": seen["id"], "use": use}])

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert shop.one()["status"] == "open"
    assert resolved(shop, use).status == 200


def test_turned_plurals_stay_the_same_change_when_a_text_that_stays_goes_on(
    shop: Branched, cart: dict[str, Any]
) -> None:
    shop.patch(cart, "spring", isPlural=False)
    shop.write(cart, "en", {"one": "a thing"})
    seen = [c["id"] for c in shop.diff() if c["field"] == "isPlural"]

    shop.write(cart, "en", {"other": "things"})

    assert seen == [c["id"] for c in shop.diff() if c["field"] == "isPlural"]

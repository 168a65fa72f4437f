"""Undo on a branch of what main did as well: nothing that reads as before is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .branched import Branched
from .test_branch_undo import look

Act = Callable[[Branched, str | None], object]
COUNTS = "reverted", "keysUpdated", "keysDeleted", "keysRestored"


def counts(result: dict[str, Any]) -> list[int]:
    return [result[each] for each in COUNTS]


def write(shop: Branched, line: str | None) -> None:
    shop.write(shop.pay, "de", "Kaufen", line)


def test_a_key_that_main_deleted_too_cannot_come_back(shop: Branched) -> None:
    shop.delete(shop.pay, "spring")
    shop.delete(shop.pay)
    assert_stays_deleted(shop)


@pytest.mark.parametrize("mains_first", [True, False])
def test_nor_can_one_of_which_nothing_is_left_once_its_texts_go_back(
    shop: Branched, mains_first: bool
) -> None:
    write(shop, "spring")
    for line in [None, "spring"] if mains_first else ["spring", None]:
        shop.delete(shop.pay, line)
    assert_stays_deleted(shop)


def assert_stays_deleted(shop: Branched) -> None:
    """However often it is tried, until main has the key again."""
    known = shop.told(shop.pay)
    for dry_run in (True, False, False):
        result = shop.undo(branch="spring", dryRun=dry_run)
        assert counts(result) == [0, 0, 0, 0]
        [skipped] = result["skipped"]
        assert (skipped["keyId"], skipped["field"]) == (shop.pay["id"], None)
        assert skipped["reason"] == "key_not_found"
    assert shop.told(shop.pay) == known
    assert shop.read(shop.pay, "spring").status == 404

    shop.owner.post(f"{shop.path}/keys/{shop.pay['id']}/restore")
    assert counts(shop.undo(branch="spring"))[-1] == 1
    assert look(shop) == look(shop, None)


def test_a_key_that_main_deleted_too_comes_back_with_what_the_branch_says(
    shop: Branched,
) -> None:
    write(shop, "spring")
    shop.delete(shop.pay, "spring")
    deleted = shop.told(shop.pay)[-1]["createdAt"]
    shop.delete(shop.pay)

    result = shop.undo(branch="spring", since=deleted)

    assert (counts(result), result["skipped"]) == ([0, 0, 0, 1], [])
    assert shop.texts(shop.pay, "spring")["de", None] == "Kaufen"


def clear(shop: Branched, line: str | None) -> None:
    shop.write(shop.pay, "de", "", line)


def describe(shop: Branched, line: str | None) -> None:
    shop.patch(shop.pay, line, description="The button", tags=["red"])


def rename(shop: Branched, line: str | None) -> None:
    shop.patch(shop.pay, line, key="checkout.buy")


def turn(shop: Branched, line: str | None) -> None:
    shop.patch(shop.pay, line, isPlural=True)


def turn_and_write(shop: Branched, line: str | None) -> None:
    turn(shop, line)
    shop.write(shop.pay, "de", {"one": "Eins", "other": "Viele"}, line)


ACTS = [write, clear, describe, rename, turn, turn_and_write]


@pytest.mark.parametrize("act", ACTS)
def test_what_main_did_as_well_is_undone_without_a_word(
    shop: Branched, act: Act
) -> None:
    act(shop, "spring")
    act(shop, None)
    before, known = look(shop), shop.told(shop.pay)

    result = shop.undo(branch="spring")

    assert (counts(result), result["skipped"]) == ([0, 0, 0, 0], [])
    assert (look(shop), shop.told(shop.pay)) == (before, known)


@pytest.mark.parametrize("act", ACTS)
def test_and_follows_main_from_then_on(shop: Branched, act: Act) -> None:
    act(shop, "spring")
    act(shop, None)
    shop.undo(branch="spring")
    shop.patch(shop.pay, key="pay", description="", tags=["button"], isPlural=False)
    shop.write(shop.pay, "de", "Los")

    assert (look(shop), shop.diff()) == (look(shop, None), [])


def test_of_plurals_that_main_turned_too_only_texts_go_back(shop: Branched) -> None:
    turn_and_write(shop, "spring")
    turn(shop, None)
    known = len(shop.told(shop.pay))

    result = shop.undo(branch="spring")

    assert (counts(result), result["skipped"]) == ([2, 0, 0, 0], [])
    assert look(shop) == look(shop, None)
    new = shop.told(shop.pay)[known:]
    assert [each["type"] for each in new] == ["translation.updated"]
    forms = {(i["languageCode"], i["pluralForm"]) for i in new[0]["items"]}
    assert forms == {("de", "one"), ("de", "other")}


def test_plurals_that_main_turned_off_too_come_back_with_a_form_of_the_branch(
    shop: Branched,
) -> None:
    values = {"de": {"one": "Eins", "other": "Viele"}}
    key = shop.create(key="cart", isPlural=True, values=values)
    shop.write(key, "de", {"one": "Einer"}, "spring")
    known = len(shop.told(key))
    shop.patch(key, "spring", isPlural=False)
    at = shop.told(key)[known]["createdAt"]
    shop.patch(key, isPlural=False)

    shop.undo(branch="spring", since=at, keyId=key["id"])

    assert shop.read(key, "spring").data["key"]["isPlural"] is True
    assert shop.texts(key, "spring") == {
        ("de", "one"): "Einer",
        ("de", "other"): "Viele",
    }


def describe_as(shop: Branched, text: str, line: str | None) -> None:
    shop.patch(shop.pay, line, description=text)


def write_as(shop: Branched, text: str, line: str | None) -> None:
    shop.write(shop.pay, "de", text, line)


@pytest.mark.parametrize("say", [write_as, describe_as])
def test_what_was_made_as_main_has_it_follows_main_when_it_comes_back(
    shop: Branched, say: Callable[[Branched, str, str | None], None]
) -> None:
    """By the branch, once: what it says later is undone, and that undone and undone."""
    say(shop, "Zahlen", None)
    say(shop, "Kaufen", "spring")
    say(shop, "Zahlen", "spring")
    known = len(shop.told(shop.pay))
    say(shop, "Los", "spring")
    since = shop.told(shop.pay)[known]["createdAt"]
    shop.undo(branch="spring", since=since)
    say(shop, "Bezahlen", None)

    result = shop.undo(branch="spring", since=since)

    assert (counts(result), result["skipped"]) == ([0, 0, 0, 0], [])
    assert (look(shop), shop.diff()) == (look(shop, None), [])


@pytest.mark.parametrize("say", [write_as, describe_as])
def test_and_so_does_what_nobody_said_on_the_branch_before(
    shop: Branched, say: Callable[[Branched, str, str | None], None]
) -> None:
    say(shop, "Zahlen", None)
    say(shop, "Los", "spring")
    undone = shop.undo(branch="spring")
    say(shop, "Bezahlen", None)
    shop.undo(jobId=undone["jobId"])

    shop.undo(branch="spring")

    assert (look(shop), shop.diff()) == (look(shop, None), [])


def test_a_text_undone_already_is_not_listed_though_main_went_on(
    shop: Branched,
) -> None:
    write(shop, "spring")
    written = shop.told(shop.pay)[-1]["createdAt"]
    shop.undo(branch="spring")
    shop.write(shop.pay, "de", "Los")

    result = shop.undo(branch="spring", since=written, until=written)

    assert (counts(result), result["skipped"]) == ([0, 0, 0, 0], [])


def test_a_text_comes_back_over_what_main_said_between_two_undos(
    shop: Branched,
) -> None:
    write(shop, "spring")
    undone = shop.undo(branch="spring")
    since = shop.told(shop.pay)[-1]["createdAt"]
    shop.write(shop.pay, "de", "Los")
    shop.undo(jobId=undone["jobId"])

    result = shop.undo(branch="spring", since=since)

    assert shop.texts(shop.pay, "spring")["de", None] == "Kaufen"
    assert result["skipped"] == []

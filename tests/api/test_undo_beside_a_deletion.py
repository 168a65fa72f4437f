"""Undo on a branch of keys that main deletes meanwhile, and brings back."""

from __future__ import annotations

from typing import Any

from .branched import Branched
from .test_branch_undo import look


def restore(shop: Branched, key: dict[str, Any], line: str | None = None) -> None:
    query = {"branch": line} if line else {}
    path = f"{shop.path}/keys/{key['id']}/restore"
    assert shop.owner.post(path, query=query).status == 200


def gone_with_mains(shop: Branched) -> dict[str, Any]:
    """The undo by which the branch has nothing of its own of a key that main has
    deleted; main brings it back then."""
    shop.delete(shop.pay)
    undone = shop.undo(branch="spring")
    assert shop.read(shop.pay, "spring").status == 404
    restore(shop, shop.pay)
    return undone


def test_fields_come_back_to_a_branch_that_had_nothing_left_of_the_key(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", description="The button", tags=["red"])
    before = look(shop)
    undone = gone_with_mains(shop)

    result = shop.undo(jobId=undone["jobId"])

    assert (look(shop), result["skipped"]) == (before, [])
    shop.undo(branch="spring")
    assert (look(shop), shop.diff()) == (look(shop, None), [])


def test_texts_that_went_with_the_key_of_main_are_listed(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    undone = gone_with_mains(shop)
    shop.write(shop.pay, "de", "Los")  # its revision has the number of one that went

    result = shop.undo(jobId=undone["jobId"])

    skipped = [(s["languageCode"], s["reason"]) for s in result["skipped"]]
    assert skipped == [("de", "changed_later")]
    assert (look(shop), shop.diff()) == (look(shop, None), [])


def test_a_revision_of_main_with_the_number_of_one_that_went_is_another(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    for text in ("Los", "Zahlen"):  # with the numbers of that, and of its undo
        shop.write(shop.pay, "de", text)
    undone = gone_with_mains(shop)
    shop.patch(shop.pay, "spring", description="The button")  # it is the branch's again

    result = shop.undo(jobId=undone["jobId"])

    skipped = [(s["languageCode"], s["reason"]) for s in result["skipped"]]
    assert skipped == [("de", "changed_later")]
    assert shop.texts(shop.pay, "spring") == shop.texts(shop.pay)


def test_and_what_the_branch_says_after_that_can_be_undone(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    gone_with_mains(shop)
    shop.write(shop.pay, "de", "Los", "spring")

    result = shop.undo(branch="spring")

    assert (look(shop), result["skipped"]) == (look(shop, None), [])


def test_a_restored_key_goes_with_mains_when_nothing_of_the_branch_is_left(
    shop: Branched,
) -> None:
    shop.delete(shop.pay, "spring")
    since = shop.told(shop.pay)[-1]["createdAt"]
    restore(shop, shop.pay, "spring")
    shop.write(shop.pay, "de", "Kaufen", "spring")
    restored = [e for e in shop.told(shop.pay) if e["type"] == "key.restored"]
    since = restored[-1]["createdAt"]
    shop.delete(shop.pay)

    result = shop.undo(branch="spring", since=since)

    assert (result["keysDeleted"], result["skipped"]) == (0, [])
    assert shop.read(shop.pay, "spring").status == 404


def test_a_key_comes_into_sight_when_the_one_of_its_name_goes_with_a_language(
    shop: Branched,
) -> None:
    shop.write(shop.title, "de", "Laden", "spring")
    shop.delete(shop.title)
    new = shop.create(key="title", values={"en": "Store"})
    assert shop.read(new, "spring").status == 404

    assert shop.owner.delete(f"{shop.path}/languages/de").status == 200

    assert shop.read(shop.title, "spring").status == 404
    assert shop.texts(new, "spring") == {("en", None): "Store"}

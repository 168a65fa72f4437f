"""Undo of keys that were brought back: they go to the trash as they came from it."""

from __future__ import annotations

from typing import Any

import pytest

from .branched import Branched

Key = dict[str, Any]


def restore(shop: Branched, key: Key, line: str | None = None) -> None:
    path, query = f"{shop.path}/keys/{key['id']}/restore", {"branch": line or "main"}
    assert shop.owner.post(path, query=query).status == 200


def edited_in_the_trash(shop: Branched, line: str | None) -> dict[str, str]:
    """Restore the deleted key and edit it; the condition that finds both."""
    restore(shop, shop.pay, line)
    since = shop.told(shop.pay)[-1]["createdAt"]
    shop.write(shop.pay, "de", "Bezahlen", line)
    shop.patch(shop.pay, line, description="the button")
    return {"since": since, "keyId": shop.pay["id"]}


@pytest.mark.parametrize("line", [None])
def test_a_restored_key_goes_back_with_the_texts_it_had_in_the_trash(
    shop: Branched, line: str | None
) -> None:
    before = shop.read(shop.pay, line).data["key"]
    shop.delete(shop.pay, line)

    result = shop.undo(**edited_in_the_trash(shop, line))

    assert shop.read(shop.pay, line).status == 404
    assert (result["keysDeleted"], result["skipped"]) == (1, [])
    assert (result["reverted"], result["keysUpdated"]) == (1, 1)
    restore(shop, shop.pay, line)
    after = shop.read(shop.pay, line).data["key"]
    for name in ("key", "description", "tags"):
        assert after[name] == before[name]
    assert shop.texts(shop.pay, line)["de", None] == "Zahlen"


def test_a_key_that_a_merge_brought_back_goes_with_the_texts_it_had(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Bezahlen", "spring")
    shop.delete(shop.pay)
    assert shop.merge(strategy="use_branch").status == 200
    assert shop.texts(shop.pay)["de", None] == "Bezahlen"

    result = shop.undo(mergeOf="spring")

    assert (result["keysDeleted"], result["skipped"]) == (1, [])
    restore(shop, shop.pay)
    assert shop.texts(shop.pay)["de", None] == "Zahlen"


@pytest.mark.parametrize("line", [None])
def test_undoing_that_undo_brings_the_key_back_as_it_was_edited(
    shop: Branched, line: str | None
) -> None:
    shop.delete(shop.pay, line)
    first = shop.undo(**edited_in_the_trash(shop, line))

    shop.undo(jobId=first["jobId"])

    assert shop.texts(shop.pay, line)["de", None] == "Bezahlen"
    assert shop.read(shop.pay, line).data["key"]["description"] == "the button"


def test_a_restored_key_goes_back_by_its_name_of_then(shop: Branched) -> None:
    shop.delete(shop.pay)
    restore(shop, shop.pay)
    since = shop.told(shop.pay)[-1]["createdAt"]
    shop.patch(shop.pay, key="checkout.buy")
    shop.create(key="checkout.pay", values={"en": "Other"})

    result = shop.undo(since=since)

    assert (result["keysDeleted"], result["skipped"]) == (2, [])
    restore(shop, shop.pay)
    assert shop.read(shop.pay).data["key"]["key"] == "checkout.pay"


def test_plurals_and_what_is_outdated_go_back_and_forth_through_the_trash(
    shop: Branched,
) -> None:
    texts, known = shop.texts(shop.pay), len(shop.told(shop.pay))
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "en", {"other": "Buy"})
    shop.delete(shop.pay)
    since = shop.told(shop.pay)[known]["createdAt"]

    result = shop.undo(since=since, keyId=shop.pay["id"])

    assert (shop.texts(shop.pay), result["skipped"]) == (texts, [])
    assert shop.outdated(shop.pay) == {"en": False, "de": False}

    known = len(shop.told(shop.pay))
    result = shop.undo(jobId=result["jobId"])

    assert (shop.read(shop.pay).status, result["skipped"]) == (404, [])
    told = {item["type"] for item in shop.told(shop.pay)[known:]}
    assert told == {"key.updated", "translation.updated", "key.deleted"}
    restore(shop, shop.pay)
    now = {("en", "other"): "Buy", ("de", "other"): "Zahlen"}
    assert shop.texts(shop.pay) == now
    assert shop.outdated(shop.pay) == {"en": False, "de": True}

"""Undo of one key among many, and of deletions that others did again."""

from __future__ import annotations

from typing import Any

import pytest

from .branched import Branched

Key = dict[str, Any]


def restore(shop: Branched, key: Key, line: str | None) -> None:
    path, query = f"{shop.path}/keys/{key['id']}/restore", {"branch": line or "main"}
    assert shop.owner.post(path, query=query).status == 200


@pytest.mark.parametrize("line", [None])
def test_a_key_that_was_deleted_again_later_stays_deleted(
    shop: Branched, line: str | None
) -> None:
    known = len(shop.told(shop.pay))
    shop.delete(shop.pay, line)
    restore(shop, shop.pay, line)
    first = shop.told(shop.pay)[known]["createdAt"]
    shop.delete(shop.pay, line)

    result = shop.undo(since=first, until=first)

    [skipped] = result["skipped"]
    assert (skipped["keyId"], skipped["field"]) == (shop.pay["id"], None)
    assert (skipped["reason"], result["keysRestored"]) == ("changed_later", 0)
    assert shop.read(shop.pay, line).status == 404


@pytest.mark.parametrize("line", [None])
def test_undoing_one_key_leaves_the_others_of_the_same_write_alone(
    shop: Branched, line: str | None
) -> None:
    items = [
        {"keyId": key["id"], "languageCode": "de", "value": "Neu"}
        for key in (shop.pay, shop.title)
    ]
    query = {"branch": line or "main"}
    written = shop.owner.put(f"{shop.path}/values", json={"items": items}, query=query)
    assert written.status == 200
    at = shop.told(shop.pay)[-1]["createdAt"]

    shop.undo(since=at, until=at, keyId=shop.pay["id"])

    assert shop.texts(shop.pay, line)["de", None] == "Zahlen"
    assert shop.texts(shop.title, line)["de", None] == "Neu"


@pytest.mark.parametrize("line", [None])
def test_an_undo_of_what_another_has_undone_lists_nothing(
    shop: Branched, line: str | None
) -> None:
    shop.write(shop.pay, "de", "Neu", line)
    shop.write(shop.title, "de", "Laden", line)
    wrong = {"since": shop.told(shop.pay)[-1]["createdAt"]}
    wrong["until"] = shop.told(shop.title)[-1]["createdAt"]
    first = shop.undo(**wrong)

    second = shop.undo(**wrong)

    assert (first["reverted"], first["skipped"]) == (2, [])
    assert (second["reverted"], second["skipped"]) == (0, [])


def test_a_text_of_a_language_that_came_back_is_none_of_before(shop: Branched) -> None:
    known = len(shop.told(shop.title))
    shop.write(shop.title, "de", "Laden")
    first = shop.told(shop.title)[known]["createdAt"]
    shop.owner.delete(f"{shop.path}/languages/de")
    shop.owner.post(f"{shop.path}/languages", json={"languageCode": "de"})
    shop.write(shop.title, "de", "Geschäft")

    result = shop.undo(since=first, until=first)

    assert (result["reverted"], result["skipped"]) == (0, [])
    assert shop.texts(shop.title)["de", None] == "Geschäft"


@pytest.mark.parametrize("line", [None])
def test_of_two_deleted_keys_of_one_name_the_first_comes_back(
    shop: Branched, line: str | None
) -> None:
    """Whichever is older: the other took a name that was free."""
    later = shop.create(key="later", values={"en": "Later"})
    shop.delete(later, line)
    since = shop.told(later)[-1]["createdAt"]
    shop.patch(shop.title, line, key="later")
    shop.delete(shop.title, line)

    result = shop.undo(since=since, branch=line or "main")

    skipped = [(s["keyId"], s["reason"]) for s in result["skipped"]]
    assert skipped == [(shop.title["id"], "key_exists")]
    assert shop.names(line) == ["checkout.pay", "later"]
    assert shop.texts(later, line) == {("en", None): "Later"}

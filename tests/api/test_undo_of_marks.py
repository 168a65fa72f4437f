"""Undo, and which translations are outdated after it."""

from __future__ import annotations

from typing import Any

import pytest

from .branched import Branched

Key = dict[str, Any]

FRESH = {"en": False, "de": False}


def write_kept_fresh(shop: Branched, key: Key, text: str, line: str | None) -> None:
    path = f"{shop.path}/keys/{key['id']}/values/en"
    query = {"branch": line} if line else {}
    body = {"value": text, "keepFresh": True}
    assert shop.owner.put(path, json=body, query=query).status == 200


@pytest.mark.parametrize("line", [None])
@pytest.mark.parametrize("order", [("en", "de"), ("de", "en")])
def test_a_text_is_as_fresh_as_before_each_time_its_source_goes_back(
    shop: Branched, order: tuple[str, str], line: str | None
) -> None:
    known = len(shop.told(shop.pay))
    for code in order:
        shop.write(shop.pay, code, {"en": "Buy", "de": "Kaufen"}[code], line)
    after = shop.texts(shop.pay, line), shop.outdated(shop.pay, line)
    first = shop.told(shop.pay)[known]

    result = shop.undo(since=first["createdAt"], keyId=shop.pay["id"])

    before = {("en", None): "Pay", ("de", None): "Zahlen"}, FRESH
    for expected in (before, after, before):
        now = shop.texts(shop.pay, line), shop.outdated(shop.pay, line)
        assert (now, result["skipped"]) == (expected, [])
        result = shop.undo(jobId=result["jobId"])


@pytest.mark.parametrize("text", ["Pay", ""])
def test_undoing_a_source_text_that_kept_all_fresh_outdates_nothing(
    shop: Branched, text: str
) -> None:
    values = {"de": "Zahlen"} | ({"en": text} if text else {})
    key = shop.create(key="cart", values=values)
    known = len(shop.told(key))
    write_kept_fresh(shop, key, "Pay now", None)
    first = shop.told(key)[known]

    result = shop.undo(since=first["createdAt"], keyId=key["id"])

    for _ in range(3):
        assert not shop.outdated(key)["de"]
        result = shop.undo(jobId=result["jobId"])


def test_a_text_of_a_later_source_is_outdated_when_that_goes(shop: Branched) -> None:
    known = len(shop.told(shop.pay))
    shop.write(shop.pay, "en", "Buy")
    first = shop.told(shop.pay)[known]
    shop.write(shop.pay, "de", "Kaufen", None)
    later = shop.told(shop.pay)[-1]

    shop.undo(since=first["createdAt"], until=first["createdAt"])

    assert later["createdAt"] > first["createdAt"]
    assert shop.texts(shop.pay) == {("en", None): "Pay", ("de", None): "Kaufen"}
    assert shop.outdated(shop.pay)["de"]


def test_a_text_that_comes_back_is_outdated_where_its_source_stays_changed(
    shop: Branched,
) -> None:
    known = len(shop.told(shop.pay))
    shop.write(shop.pay, "en", "Buy")
    shop.write(shop.pay, "de", "Kaufen")
    found = shop.told(shop.pay)
    shop.write(shop.pay, "en", "Buy now")

    since, until = found[known]["createdAt"], found[-1]["createdAt"]
    result = shop.undo(since=since, until=until, keyId=shop.pay["id"])

    assert [each["languageCode"] for each in result["skipped"]] == ["en"]
    assert shop.texts(shop.pay) == {("en", None): "Buy now", ("de", None): "Zahlen"}
    assert shop.outdated(shop.pay)["de"]


@pytest.mark.parametrize("proposed_first", [True, False])
def test_an_approved_text_beside_a_proposal_is_fresh_again_with_its_source(
    shop: Branched, proposed_first: bool
) -> None:
    def propose() -> None:
        translator = shop.workspace.client("translator")
        path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
        assert translator.put(path, json={"value": "Kaufen"}).status == 200

    if proposed_first:
        propose()
    shop.write(shop.pay, "en", "Buy")
    source = shop.told(shop.pay)[-1]
    if not proposed_first:
        propose()

    shop.undo(since=source["createdAt"], until=source["createdAt"])

    assert shop.outdated(shop.pay)["de"] is not proposed_first
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de/reject"
    assert shop.owner.post(path, json={}).status == 200
    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert not shop.outdated(shop.pay)["de"]


@pytest.mark.parametrize("line", [None])
def test_what_is_in_the_trash_is_told_so(shop: Branched, line: str | None) -> None:
    known = len(shop.told(shop.pay))
    shop.write(shop.pay, "de", "Kaufen", line)
    first = shop.told(shop.pay)[known]["createdAt"]
    shop.patch(shop.pay, line, description="x")
    shop.delete(shop.pay, line)

    result = shop.undo(since=first, until=first)

    told_of = [(each["keyId"], each["reason"]) for each in result["skipped"]]
    assert told_of == [(shop.pay["id"], "changed_later")]


@pytest.mark.parametrize("line", [None])
def test_a_text_found_right_before_its_source_changed_is_outdated_again(
    shop: Branched, line: str | None
) -> None:
    shop.write(shop.pay, "en", "Pay now")
    known = len(shop.told(shop.pay))
    shop.approve(shop.pay, "de", line)
    found_right = shop.told(shop.pay)[known]["createdAt"]
    shop.write(shop.pay, "en", "Buy", line)

    shop.undo(since=found_right, keyId=shop.pay["id"])

    assert shop.texts(shop.pay, line)["en", None] == "Pay now"
    assert shop.outdated(shop.pay, line)["de"]


@pytest.mark.parametrize("line", [None])
def test_a_mark_goes_wherever_turned_plurals_moved_its_text(
    shop: Branched, line: str | None
) -> None:
    shop.patch(shop.pay, line, isPlural=True)
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, line, isPlural=False)
    shop.patch(shop.pay, line, isPlural=True)
    shop.patch(shop.pay, line, isPlural=False)
    turned = [each["createdAt"] for each in shop.told(shop.pay)[known:]]
    shop.write(shop.pay, "en", "Buy", line)
    shop.undo(since=turned[0], keyId=shop.pay["id"])
    assert not shop.outdated(shop.pay, line)["de"]

    shop.undo(since=turned[-1], keyId=shop.pay["id"])

    assert not shop.outdated(shop.pay, line)["de"]

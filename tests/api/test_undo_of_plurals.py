"""Undo of plurals that were turned, and of what was written then, on both lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .branched import Branched

Key = dict[str, Any]
Act = Callable[[Branched, Key, str | None], object]


def look(shop: Branched, key: Key, line: str | None) -> tuple[bool, dict[Any, Any]]:
    is_plural = shop.read(key, line).data["key"]["isPlural"]
    return is_plural, shop.texts(key, line)


def off_and_a_new_text(shop: Branched, key: Key, line: str | None) -> None:
    shop.patch(key, line, isPlural=False)
    shop.write(key, "de", "Kaufen", line)


def off_and_two_new_texts(shop: Branched, key: Key, line: str | None) -> None:
    off_and_a_new_text(shop, key, line)
    shop.write(key, "de", "Zahlen", line)


def a_new_form_and_off(shop: Branched, key: Key, line: str | None) -> None:
    shop.write(key, "de", {"other": "Kaufen"}, line)
    shop.patch(key, line, isPlural=False)


def on_and_new_forms(shop: Branched, key: Key, line: str | None) -> None:
    shop.patch(key, line, isPlural=True)
    shop.write(key, "de", {"one": "Eins", "other": "Viele"}, line)


PLURAL = {"isPlural": True, "values": {"en": {"one": "Pay"}, "ar": {"few": "x"}}}
PLAIN = {"values": {"en": "Pay"}}


@pytest.mark.parametrize("line", [None])
@pytest.mark.parametrize(
    ("was", "act"),
    [
        (PLURAL, off_and_a_new_text),
        (PLURAL, off_and_two_new_texts),
        (PLURAL, a_new_form_and_off),
        (PLAIN, on_and_new_forms),
    ],
)
def test_a_text_that_was_not_there_goes_with_the_plurals_each_time(
    shop: Branched, was: dict[str, Any], act: Act, line: str | None
) -> None:
    key = shop.create(key="cart", **was)
    shop.branch("autumn")
    before, known = look(shop, key, line), len(shop.told(key))
    act(shop, key, line)
    after, first = look(shop, key, line), shop.told(key)[known]

    result = shop.undo(since=first["createdAt"], keyId=key["id"])

    assert look(shop, key, line) == before
    for expected in (after, before, after):
        assert (result["skipped"], result["skippedCount"]) == ([], 0)
        result = shop.undo(jobId=result["jobId"])
        assert look(shop, key, line) == expected


@pytest.mark.parametrize("line", [None])
def test_plurals_turned_there_and_back_are_undone_without_a_word(
    shop: Branched, line: str | None
) -> None:
    key = shop.create(key="cart", **PLURAL)
    shop.branch("autumn")
    before, known = look(shop, key, line), len(shop.told(key))
    shop.patch(key, line, isPlural=False)
    shop.write(key, "de", "Kaufen", line)
    shop.patch(key, line, isPlural=True)
    after, first = look(shop, key, line), shop.told(key)[known]

    result = shop.undo(since=first["createdAt"], keyId=key["id"])

    assert (look(shop, key, line), result["skipped"]) == (before, [])
    again = shop.undo(jobId=result["jobId"])
    assert (look(shop, key, line), again["skipped"]) == (after, [])


@pytest.mark.parametrize("line", [None])
@pytest.mark.parametrize("was_plural", [True, False])
def test_a_text_of_others_that_comes_back_goes_with_the_plurals(
    shop: Branched, line: str | None, was_plural: bool
) -> None:
    """It was written after they were turned, and taken back by who turned them."""
    text = {"other": "Pay"} if was_plural else "Pay"
    key = shop.create(key="cart", isPlural=was_plural, values={"en": text})
    shop.branch("autumn")
    known = len(shop.told(key))
    shop.patch(key, line, isPlural=not was_plural)
    first = shop.told(key)[known]
    new = "Kaufen" if was_plural else {"other": "Kaufen"}
    path = f"{shop.path}/keys/{key['id']}/values/de"
    query = {"branch": line} if line else {}
    translator = shop.workspace.client("translator")
    assert translator.put(path, json={"value": new}, query=query).status == 200
    last = shop.told(key)[-1]
    shop.undo(since=last["createdAt"], keyId=key["id"])
    assert ("de", None) not in shop.texts(key, line)

    actor, since = first["actor"]["id"], first["createdAt"]
    result = shop.undo(actor=actor, since=since, keyId=key["id"])

    form = "other" if was_plural else None
    texts = {("en", form): "Pay", ("de", form): "Kaufen"}
    assert look(shop, key, line) == (was_plural, texts)
    assert result["skipped"] == []


def test_a_text_of_a_key_that_stays_is_listed_though_plurals_were_turned_since(
    shop: Branched,
) -> None:
    key = shop.create(key="cart", values={"de": "Zahlen"})
    made = shop.told(key)[-1]
    shop.patch(key, isPlural=True)

    since = until = made["createdAt"]
    result = shop.undo(since=since, until=until, keyId=key["id"])

    assert shop.texts(key) == {("de", "other"): "Zahlen"}
    skipped = [(s["field"], s["languageCode"], s["reason"]) for s in result["skipped"]]
    assert skipped == [
        (None, None, "changed_later"),
        ("value", "de", "changed_later"),
    ]


@pytest.mark.parametrize("line", [None])
def test_a_text_that_somebody_wrote_since_stays_when_plurals_are_turned_back(
    shop: Branched, line: str | None
) -> None:
    """Only a form that would go with the plurals keeps them."""
    key = shop.create(key="cart", values={"en": "Pay"})
    shop.branch("autumn")
    known = len(shop.told(key))
    shop.patch(key, line, isPlural=True)
    turned = shop.told(key)[known]["createdAt"]
    shop.write(key, "de", {"other": "Kaufen"}, line)

    asked = {"since": turned, "until": turned, "keyId": key["id"]}
    result = shop.undo(**asked)

    texts = {("en", None): "Pay", ("de", None): "Kaufen"}
    assert (look(shop, key, line), result["skipped"]) == ((False, texts), [])


def test_a_text_that_was_outdated_already_is_not_told_so_again(shop: Branched) -> None:
    values = {"en": {"one": "One", "other": "Many"}, "de": {"other": "Viele"}}
    key = shop.create(key="cart", isPlural=True, values=values)
    shop.write(key, "en", {"other": ""})
    known = len(shop.told(key))
    shop.patch(key, isPlural=False)
    since = shop.told(key)[known]["createdAt"]
    shop.write(key, "en", "Many")
    known = len(shop.told(key))

    shop.undo(branch="main", since=since)

    assert "translation.outdated" not in {e["type"] for e in shop.told(key)[known:]}
    assert shop.outdated(key) == {"en": False, "de": True}

"""Undo on an open branch, and undo of that: what follows main is nobody's change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .branched import Branched

Act = Callable[[Branched], object]


def look(shop: Branched, branch: str | None = "spring") -> dict[str, Any]:
    key = shop.read(shop.pay, branch).data["key"]
    fields = "key", "description", "tags", "isPlural"
    outdated = shop.outdated(shop.pay, branch)
    return {
        **{field: key[field] for field in fields},
        "texts": shop.texts(shop.pay, branch),
        "outdated": outdated,
    }


def write_text(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")


def clear_text(shop: Branched) -> None:
    shop.write(shop.pay, "de", "", "spring")


def write_source(shop: Branched) -> None:
    shop.write(shop.pay, "en", "Buy", "spring")


def describe(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", description="The button", tags=["red"])


def rename(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", key="checkout.buy")


def turn_plurals(shop: Branched) -> None:
    shop.patch(shop.pay, "spring", isPlural=True)


def write_forms(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.write(shop.pay, "de", {"one": "Eins"}, "spring")


def main_rests(shop: Branched) -> None:
    """Main stays as it is."""


def main_writes(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Bezahlen")


def main_writes_source(shop: Branched) -> None:
    shop.write(shop.pay, "en", "Pay now")


def main_describes(shop: Branched) -> None:
    shop.patch(shop.pay, description="Main's")


ACTS = [
    write_text,
    clear_text,
    write_source,
    describe,
    rename,
    turn_plurals,
    write_forms,
]
MAINS = [main_rests, main_writes, main_writes_source, main_describes]


@pytest.mark.parametrize("main", MAINS)
@pytest.mark.parametrize("act", ACTS)
def test_an_undone_branch_reads_as_main_and_its_edit_comes_back(
    shop: Branched, act: Act, main: Act
) -> None:
    act(shop)
    main(shop)
    before = look(shop)

    undone = shop.undo(branch="spring")
    assert look(shop) == look(shop, None)
    assert shop.diff() == []
    again = shop.undo(jobId=undone["jobId"])

    assert look(shop) == before
    assert undone["skipped"] == again["skipped"] == []


@pytest.mark.parametrize("main", [main_writes, main_describes])
@pytest.mark.parametrize("act", [write_text, describe, turn_plurals])
def test_an_edit_comes_back_on_top_of_what_main_did_meanwhile(
    shop: Branched, act: Act, main: Act
) -> None:
    shop.branch("autumn")
    act(shop)
    undone = shop.undo(branch="spring")
    main(shop)

    again = shop.undo(jobId=undone["jobId"])

    came_back = look(shop)
    shop.undo(jobId=again["jobId"])
    assert look(shop) == look(shop, None)
    act(shop)
    assert came_back == look(shop)


def test_what_somebody_wrote_after_an_undo_stays(shop: Branched) -> None:
    write_text(shop)
    undone = shop.undo(branch="spring")
    main_writes(shop)
    shop.write(shop.pay, "de", "Los", "spring")

    again = shop.undo(jobId=undone["jobId"])

    assert [each["reason"] for each in again["skipped"]] == ["changed_later"]
    assert shop.texts(shop.pay, "spring")["de", None] == "Los"


def test_what_a_person_took_back_alone_is_no_edit_again(shop: Branched) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.write(shop.pay, "de", "Zahlen", "spring")
    main_writes(shop)

    result = shop.undo(branch="spring")

    assert (result["skipped"], shop.diff()) == ([], [])
    assert shop.texts(shop.pay, "spring")["de", None] == "Bezahlen"


def test_a_text_that_comes_back_is_outdated_if_its_source_has_changed_since(
    shop: Branched,
) -> None:
    reviewer = shop.workspace.client("reviewer")
    path = f"{shop.path}/keys/{shop.pay['id']}/values/de"
    assert reviewer.put(path, json={"value": "Kaufen"}).status == 200
    caller = shop.workspace.framework.authenticate(reviewer.token)
    assert caller is not None
    shop.write(shop.pay, "en", "Pay now")

    shop.undo(actor=caller.actor.id)

    assert shop.texts(shop.pay)["de", None] == "Zahlen"
    assert shop.outdated(shop.pay)["de"]

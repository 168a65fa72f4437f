"""Undo on a branch beside what came to follow main without a word there."""

from __future__ import annotations

from typing import Any

import pytest

from .branched import Branched
from .test_branch_undo import look
from .undoing import imported

Change = dict[str, Any]


def say(shop: Branched, what: str, text: str, line: str | None = None) -> str:
    """Since when what this tells of was done."""
    known = len(shop.told(shop.pay))
    if what == "description":
        shop.patch(shop.pay, line, description=text)
    else:
        shop.write(shop.pay, "de", text, line)
    told: str = shop.told(shop.pay)[known]["createdAt"]
    return told


@pytest.mark.parametrize("what", ["description", "text"])
def test_what_came_to_follow_main_when_it_was_undone_follows_it_again(
    shop: Branched, what: str
) -> None:
    for line in ("spring", None):
        say(shop, what, "New", line)
    shop.undo(branch="spring")  # main says the same: nothing is told
    since = say(shop, what, "Other", "spring")
    say(shop, what, "Newer")

    result = shop.undo(branch="spring", since=since)

    assert (result["skipped"], shop.diff()) == ([], [])
    assert look(shop) == look(shop, None)


def test_plurals_that_followed_main_again_do_so_once_a_turn_is_undone(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.patch(shop.pay, isPlural=True)
    shop.undo(branch="spring")
    known = len(shop.told(shop.pay))
    shop.patch(shop.pay, "spring", isPlural=False)
    since = shop.told(shop.pay)[known]["createdAt"]

    shop.undo(branch="spring", since=since)

    assert look(shop) == look(shop, None)
    shop.patch(shop.pay, isPlural=False)
    assert look(shop) == look(shop, None)


def test_a_form_of_the_branch_goes_from_plurals_that_main_turned_on_too(
    shop: Branched,
) -> None:
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.patch(shop.pay, isPlural=True)
    shop.write(shop.pay, "de", {"one": "Eins"}, "spring")

    result = shop.undo(branch="spring")

    assert (result["skipped"], shop.diff()) == ([], [])
    assert look(shop) == look(shop, None)


def test_plurals_stay_turned_when_a_turn_before_the_last_is_undone_again(
    shop: Branched,
) -> None:
    values = {"de": {"one": "Eins", "other": "Viele"}}
    key = shop.create(key="cart", isPlural=True, values=values)
    shop.patch(key, "spring", isPlural=False)
    undone = shop.undo(branch="spring")
    redone = shop.undo(jobId=undone["jobId"])
    shop.undo(jobId=redone["jobId"])

    result = shop.undo(jobId=redone["jobId"])

    assert (result["skipped"], result["reverted"]) == ([], 0)
    assert shop.texts(key, "spring") == shop.texts(key)


def test_a_text_of_a_language_that_came_again_goes_back_though_plurals_were_turned(
    shop: Branched,
) -> None:
    path = f"{shop.path}/languages"
    shop.patch(shop.pay, "spring", isPlural=True)
    shop.owner.delete(f"{path}/de")
    shop.owner.post(path, json={"languageCode": "de"})
    say(shop, "text", "Zahlen")
    known = len(shop.told(shop.pay))
    shop.write(shop.pay, "de", {"other": "Kaufen"}, "spring")
    since = shop.told(shop.pay)[known]["createdAt"]

    result = shop.undo(branch="spring", since=since)

    assert (result["skipped"], result["reverted"]) == ([], 1)
    assert shop.texts(shop.pay, "spring")["de", "other"] == "Zahlen"


def test_a_mark_beside_a_proposal_for_the_source_text_is_told_by_nobody(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "", "spring")
    undone = shop.undo(branch="spring")
    path = f"{shop.path}/keys/{shop.pay['id']}/values/en"
    translator = shop.workspace.client("translator")
    translator.put(path, json={"value": "Buy"}, query={"branch": "spring"})

    result = shop.undo(jobId=undone["jobId"])

    assert [each["languageCode"] for each in result["skipped"]] == ["en"]
    assert result["reverted"] == 0
    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": False}


def test_a_source_text_that_was_undone_between_outdates_nothing_later(
    shop: Branched,
) -> None:
    for _ in range(2):
        known = len(shop.told(shop.pay))
        shop.write(shop.pay, "en", "", "spring")
        since = shop.told(shop.pay)[known]["createdAt"]
        shop.undo(branch="spring", since=since)

    result = shop.undo(branch="spring", since=since)

    assert (result["skipped"], result["reverted"]) == ([], 0)
    assert shop.outdated(shop.pay, "spring") == {"en": False, "de": False}


def test_a_text_that_what_main_says_by_now_outdates_is_not_told_as_fresh(
    shop: Branched,
) -> None:
    values = {"en": {"one": "One", "other": "Many"}, "de": {"other": "Viele"}}
    key = shop.create(key="cart", isPlural=True, values=values)
    shop.write(key, "en", {"one": "A"}, "spring")
    undone = shop.undo(branch="spring")
    shop.write(key, "de", {"one": "Eins"}, "spring")
    shop.patch(key, isPlural=False)
    undone = shop.undo(jobId=undone["jobId"])
    shop.patch(key, isPlural=True)
    assert shop.outdated(key, "spring")["de"]

    result = shop.undo(jobId=undone["jobId"])

    told = shop.told(key)[-1]["items"]
    assert [(i["languageCode"], i["pluralForm"]) for i in told] == [("en", "one")]
    assert (result["reverted"], result["skipped"]) == (1, [])


def test_a_text_that_follows_main_is_not_told_for_a_mark_that_main_took_back(
    shop: Branched,
) -> None:
    say(shop, "text", "", "spring")
    shop.undo(branch="spring")
    shop.write(shop.pay, "en", "Pay now")
    since = say(shop, "text", "", "spring")
    shop.undo(branch="spring", since=since)
    assert shop.outdated(shop.pay, "spring")["de"]
    shop.approve(shop.pay, "de")

    result = shop.undo(branch="spring", since=since)

    assert (result["reverted"], result["skipped"]) == (0, [])
    assert look(shop) == look(shop, None)


def test_a_name_of_mains_that_comes_free_as_a_text_goes_back_is_not_counted(
    shop: Branched,
) -> None:
    shop.write(shop.title, "de", "Laden", "spring")
    shop.create("spring", key="heading", values={"de": "Kopf"})
    shop.patch(shop.title, key="heading")
    assert shop.read(shop.title, "spring").data["key"]["key"] == "title"

    result = shop.undo(branch="spring")

    assert shop.read(shop.title, "spring").data["key"]["key"] == "heading"
    assert (result["reverted"], result["keysUpdated"]) == (1, 0)
    assert (result["keysDeleted"], result["skipped"]) == (1, [])


def test_a_text_that_mains_source_text_outdates_too_is_not_told_as_fresh(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "en", "Buy", "spring")
    shop.write(shop.pay, "en", "Purchase")

    result = shop.undo(branch="spring")

    told = shop.told(shop.pay)[-1]["items"]
    assert [each["languageCode"] for each in told] == ["en"]
    assert (result["reverted"], result["skipped"]) == (1, [])
    assert look(shop) == look(shop, None)


def test_a_text_that_main_kept_fresh_is_so_again_on_the_branch(shop: Branched) -> None:
    shop.write(shop.pay, "en", "Buy", "spring")
    body = {"value": "Purchase", "keepFresh": True}
    shop.owner.put(f"{shop.path}/keys/{shop.pay['id']}/values/en", json=body)
    assert shop.outdated(shop.pay, "spring")["de"]

    result = shop.undo(branch="spring")

    assert (result["reverted"], result["skipped"]) == (2, [])
    assert look(shop) == look(shop, None)


def test_a_name_of_a_key_that_goes_in_the_same_undo_is_free_for_main(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "de", "Kaufen", "spring")
    shop.write(shop.title, "de", "Laden", "spring")
    shop.delete(shop.pay)
    shop.patch(shop.title, key="checkout.pay")
    assert shop.read(shop.title, "spring").data["key"]["key"] == "title"

    result = shop.undo(branch="spring")

    assert shop.read(shop.pay, "spring").status == 404
    assert shop.read(shop.title, "spring").data["key"]["key"] == "checkout.pay"
    assert (result["keysUpdated"], result["skipped"]) == (0, [])
    assert shop.diff() == []


def test_a_text_that_main_says_too_by_now_is_not_told_as_it_comes_back_outdated(
    shop: Branched,
) -> None:
    shop.write(shop.pay, "ar", "ادفع", "spring")
    shop.write(shop.pay, "en", "Pay now")  # main's source text outdates it
    undone = shop.undo(branch="spring")
    shop.write(shop.pay, "ar", "ادفع")
    known = shop.told(shop.pay)

    result = shop.undo(jobId=undone["jobId"])

    assert (result["skipped"], result["reverted"]) == ([], 0)
    assert shop.told(shop.pay) == known
    assert shop.outdated(shop.pay, "spring") == shop.outdated(shop.pay)


def test_a_key_of_which_nothing_goes_back_keeps_the_name_that_it_had(
    shop: Branched,
) -> None:
    texts = {"title": "Laden", "heading": "Kopf"}
    job_id = imported(shop.keys, texts, branch="spring")
    since = shop.told(shop.title)[-1]["createdAt"]
    shop.undo(branch="spring", since=since, keyId=shop.title["id"])
    shop.patch(shop.title, key="heading")

    result = shop.undo(jobId=job_id)

    assert (result["keysDeleted"], result["skipped"]) == (1, [])
    assert shop.names("spring") == ["checkout.pay", "title"]
    shop.write(shop.title, "de", "Laden", "spring")
    assert shop.names("spring") == ["checkout.pay", "heading"]


def test_a_name_that_comes_back_is_not_free_for_main(shop: Branched) -> None:
    made = shop.create("spring", key="heading")
    shop.patch(shop.title, "spring", description="The head of the page")
    since = shop.told(shop.title)[-1]["createdAt"]
    shop.patch(shop.title, key="heading")
    shop.patch(made, "spring", key="banner")
    assert shop.names("spring") == ["banner", "checkout.pay", "title"]

    result = shop.undo(branch="spring", since=since)

    assert (result["keysUpdated"], result["skipped"]) == (2, [])
    assert shop.read(made, "spring").data["key"]["key"] == "heading"
    assert shop.names("spring") == ["checkout.pay", "heading", "title"]


def test_a_name_that_main_says_too_follows_main_though_the_old_one_is_taken(
    shop: Branched,
) -> None:
    for line in ("spring", None):
        shop.patch(shop.title, line, key="heading")
    shop.create(None, key="title")

    result = shop.undo(branch="spring")

    assert (result["keysUpdated"], result["skipped"]) == (0, [])
    assert shop.names("spring") == ["checkout.pay", "heading", "title"]
    shop.patch(shop.title, key="banner")
    assert shop.names("spring") == shop.names(None)

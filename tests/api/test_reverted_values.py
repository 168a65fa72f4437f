"""decisions 2.3, revert of a value: a revision comes back as a new one."""

from __future__ import annotations

from typing import Any

import pytest

from .histories import branch, history, told

# revert


def test_a_revision_comes_back_as_a_new_one(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")

    answer = keys.act(key, "revert", revision=1)

    assert answer.data["key"] == keys.get(key)
    assert told(history(keys, key))[0] == (3, "eins", "approved", "revert")


def test_who_cannot_approve_reverts_to_a_pending_text(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")

    keys.act(key, "revert", client=keys.translator, revision=1)

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("eins", "pending_review")
    assert (detail["approvedValue"], detail["origin"]) == ("zwei", "revert")


def test_reverting_to_nothing_clears_and_a_cleared_value_comes_back(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "")

    keys.act(key, "revert", revision=1)
    assert keys.texts(key) == {("de", None): "eins"}

    keys.act(key, "revert", revision=2)
    assert keys.texts(key) == {}
    assert [item["revision"] for item in history(keys, key)] == [4, 3, 2, 1]


def test_a_revision_that_there_is_not_is_refused_by_name(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})

    for body in ({"revision": 2}, {"revision": 0}, {"revision": "1"}, {}):
        refused = keys.act(key, "revert", **body)
        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert refused.error["details"][0]["path"] in ("$.revision", "$")


def test_forms_with_one_number_are_told_apart(keys: Any) -> None:
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})
    keys.put(key, "de", {"one": "eins", "other": "viele"})

    refused = keys.act(key, "revert", revision=1)
    keys.act(key, "revert", revision=1, pluralForm="one")

    assert refused.error["details"][0]["path"] == "$.pluralForm"
    assert keys.texts(key) == {("de", "one"): "1", ("de", "other"): "viele"}


def test_a_form_that_is_none_or_has_no_such_revision_is_refused_by_name(
    keys: Any,
) -> None:
    key = keys.made(isPlural=True, values={"de": {"one": "1", "other": "n"}})

    none = keys.act(key, "revert", revision=1, pluralForm="several")
    empty = keys.act(key, "revert", revision=1, pluralForm="few")

    assert (none.status, none.error["code"]) == (400, "invalid_plural_form")
    assert none.error["message"].startswith("$.pluralForm: 'several' is not one of")
    assert (empty.status, empty.error["code"]) == (400, "validation_failed")
    assert empty.error["message"] == "$.revision: the form few has no revision 1"


@pytest.mark.parametrize("form", [{}, {"pluralForm": "other"}])
def test_a_text_from_before_plurals_is_named_with_its_form_or_without(
    keys: Any, form: dict[str, str]
) -> None:
    key = keys.made(values={"de": "Datei"})
    keys.put(key, "de", "Dateien")
    keys.owner.patch(f"{keys.path}/{key['id']}", json={"isPlural": True})

    assert keys.act(key, "revert", revision=1, **form).status == 200
    assert keys.texts(key) == {("de", "other"): "Datei"}


def test_a_text_from_before_plurals_comes_back_as_other(keys: Any) -> None:
    key = keys.made(values={"de": "Datei"})
    keys.put(key, "de", "Dateien")
    keys.owner.patch(f"{keys.path}/{key['id']}", json={"isPlural": True})

    keys.act(key, "revert", revision=1)

    assert keys.texts(key) == {("de", "other"): "Datei"}


@pytest.mark.parametrize("protected", [False, True])
def test_who_may_revert(keys: Any, protected: bool) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    keys.owner.patch(
        f"/projects/{keys.project['id']}", json={"mainProtected": protected}
    )
    arabic = keys.workspace.client("translator", languages=["ar"])
    viewer = keys.workspace.client("viewer")

    scoped = keys.act(key, "revert", client=arabic, revision=1)
    missing = keys.act(key, "revert", client=viewer, revision=1)
    allowed = keys.act(key, "revert", revision=1)

    assert scoped.error["code"] == "language_not_assigned"
    assert missing.error["details"] == {"required": "translation_write"}
    assert allowed.status == (409 if protected else 200)
    assert keys.detail(key, "de")["value"] == ("zwei" if protected else "eins")


# a rejected text and what it stood before


def test_a_text_that_returns_is_outdated_if_it_was(keys: Any) -> None:
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    keys.put(key, "en", "Pay now")
    keys.put(key, "de", "Jetzt zahlen", keys.translator)

    keys.act(key, "reject")

    assert keys.detail(key, "de")["isOutdated"]


def test_a_revision_of_main_comes_back_on_the_branch(keys: Any) -> None:
    key = keys.made(values={"de": "eins"})
    keys.put(key, "de", "zwei")
    spring = branch(keys)

    keys.act(key, "revert", query=spring, revision=1)

    [newest, *_] = history(keys, key, **spring)
    assert (newest["value"], newest["revision"]) == ("eins", 3)
    assert keys.texts(key) == {("de", None): "zwei"}

"""Undo of translations whose source text stays, and of source texts of which some stay:
what is right again is fresh, and nothing else."""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZipFile

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Client

from .undoing import actor_of, ask, branch, reasons, undo

NEW = {"en": "Pay now", "de": "Jetzt zahlen"}


def shown(keys: Any, key: dict[str, Any]) -> dict[Any, Any]:
    return {
        (value["languageCode"], value["pluralForm"]): (
            value["value"],
            value["isOutdated"],
        )
        for value in keys.get(key)["values"]
    }


def write_both(keys: Any, key: dict[str, Any], how: str, writer: Client) -> None:
    """A new source text and its translation, in one write."""
    path = f"/projects/{keys.project['id']}"
    if how == "values":
        items = [{"keyId": key["id"], "languageCode": c, "value": NEW[c]} for c in NEW]
        assert writer.put(f"{path}/values", json={"items": items}).status == 200
    elif how == "bulk":
        item = {"key": key["key"], "values": NEW}
        body = {"keys": [item], "onExisting": "update"}
        assert writer.post(f"{keys.path}/bulk", json=body).status == 200
    elif how == "import":
        packed = io.BytesIO()
        with ZipFile(packed, "w") as archive:
            for code, text in NEW.items():
                archive.writestr(f"{code}.json", json.dumps({key["key"]: text}))
        file = Upload("both.zip", packed.getvalue(), "application/zip")
        form = {"format": "json-flat", "onConflict": "overwrite"}
        answer = writer.post(f"{path}/import", form=form, files={"file": file})
        assert keys.workspace.job_of(answer)["status"] == "succeeded"
    else:
        query = branch(keys)
        for code, text in NEW.items():
            at = f"{keys.path}/{key['id']}/values/{code}"
            assert writer.put(at, json={"value": text}, query=query).status == 200
        merged = writer.post(f"{path}/branches/spring/merge", json={})
        assert merged.status == 200


def what_they_did(keys: Any, how: str, writer: Client) -> dict[str, str]:
    return (
        {"mergeOf": "spring"} if how == "merge" else {"actor": actor_of(keys, writer)}
    )


WAYS = ["values", "bulk", "import", "merge"]


@pytest.mark.parametrize("how", WAYS)
def test_a_translation_that_goes_back_alone_is_outdated_beside_its_new_source(
    keys: Any, how: str
) -> None:
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    writer = keys.workspace.client("manager")
    write_both(keys, key, how, writer)
    german = keys.workspace.client("reviewer", languages=["de"])

    result = undo(keys, german, **what_they_did(keys, how, writer))

    assert reasons(result) == [("a.b", "en", "language_not_assigned")]
    now = {("en", None): ("Pay now", False), ("de", None): ("Zahlen", True)}
    assert shown(keys, key) == now


@pytest.mark.parametrize("how", WAYS)
def test_a_translation_that_goes_back_with_its_source_is_fresh(
    keys: Any, how: str
) -> None:
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    writer = keys.workspace.client("manager")
    write_both(keys, key, how, writer)

    result = undo(keys, **what_they_did(keys, how, writer))

    assert result["skipped"] == []
    now = {("en", None): ("Pay", False), ("de", None): ("Zahlen", False)}
    assert shown(keys, key) == now


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("writes", [[{"one": "A", "other": "B"}], [{"other": "B"}]])
def test_translations_are_fresh_again_only_if_every_form_of_their_source_goes_back(
    keys: Any, writes: list[dict[str, str]], keeps: bool
) -> None:
    forms = {"one": "a", "other": "b"}
    key = keys.made(isPlural=True, values={"en": forms, "de": forms})
    writer = keys.workspace.client("reviewer")
    for texts in writes:
        keys.put(key, "en", texts, writer)
    keys.put(key, "en", {"one": "AA"}, keepFresh=keeps)

    undo(keys, actor=actor_of(keys, writer))

    is_right = keeps and "one" not in writes[0]
    assert shown(keys, key) == {
        ("en", "one"): ("AA", False),
        ("en", "other"): ("b", False),
        ("de", "one"): ("a", not is_right),
        ("de", "other"): ("b", not is_right),
    }


def test_a_form_that_came_new_beside_one_that_goes_outdated_nothing(keys: Any) -> None:
    key = keys.made(isPlural=True, values={"en": {"other": "b"}, "de": {"other": "b"}})
    writer = keys.workspace.client("reviewer")
    keys.put(key, "en", {"one": "A", "other": "B"}, writer)
    keys.put(key, "en", {"one": "AA"}, keepFresh=True)

    undo(keys, actor=actor_of(keys, writer))

    assert shown(keys, key)["en", "other"] == ("b", False)
    assert shown(keys, key)["de", "other"] == ("b", False)


def test_a_translation_that_stays_outdated_for_want_of_its_language_is_listed(
    keys: Any,
) -> None:
    key = keys.made(values={"en": "Pay", "de": "Zahlen"})
    writer = keys.workspace.client("reviewer", languages=["en"])
    keys.put(key, "en", "Pay now", writer)
    english = keys.workspace.client("reviewer", languages=["en"])

    result = undo(keys, english, actor=actor_of(keys, writer))

    assert reasons(result) == [("a.b", "de", "language_not_assigned")]
    now = {("en", None): ("Pay", False), ("de", None): ("Zahlen", True)}
    assert shown(keys, key) == now


def test_an_undo_of_what_lies_in_the_future_is_refused(keys: Any) -> None:
    refused = ask(keys, since="2999-01-01T00:00:00Z")

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    assert refused.error["details"][0]["path"] == "$.since"


def test_a_text_that_a_check_blocks_comes_back_as_a_proposal(keys: Any) -> None:
    key = keys.made(values={"en": "Pay {n}", "de": "Zahlen"})
    writer = keys.workspace.client("reviewer")
    keys.put(key, "de", "Zahlen {n}", writer)
    path = f"/projects/{keys.project['id']}"
    keys.owner.patch(path, json={"blockingChecks": ["placeholders"]})

    undo(keys, actor=actor_of(keys, writer))

    detail = keys.detail(key, "de")
    assert (detail["value"], detail["status"]) == ("Zahlen", "pending_review")
    assert detail["approvedValue"] == "Zahlen {n}"

"""Translations of entries over HTTP, proposed and approved (decisions 2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.testing.client import Answer
from locframework.testing.workspace import Workspace

from .memories import Memory


def translation(answer: Answer, lang: str = "de") -> dict[str, Any] | None:
    assert answer.status == 200, answer
    found: list[dict[str, Any]] = answer.data["entry"]["translations"]
    return next((each for each in found if each["languageCode"] == lang), None)


def test_a_translation_is_set_in_a_language_of_the_memory(memory: Memory) -> None:
    set_ = memory.put("fr.json", "Payer")

    assert translation(set_, "fr") == {
        "languageCode": "fr",
        "value": "Payer",
        "status": "approved",
        "approvedAt": set_.data["entry"]["updatedAt"],
        "proposedValue": None,
    }
    for lang in ("sv", "en"):
        refused = memory.put(lang, "x")
        assert refused.status == 400
        assert refused.error["code"] == "language_not_in_project"
    for value in (None, 7, {"one": "x"}):
        assert memory.put("de", value).status == 400
    cleared = memory.owner.delete(f"{memory.one}/translations/de")
    assert translation(cleared) is None
    again = memory.owner.delete(f"{memory.one}/translations/de")
    assert (again.status, again.error["code"]) == (404, "language_not_found")


def test_an_empty_value_clears_as_in_a_glossary(workspace: Workspace) -> None:
    memory = Memory(workspace)

    assert translation(memory.put("de", "")) is None
    assert translation(memory.put("de", "")) is None
    made = memory.add(sourceText="New", translations={"de": "", "fr": "Neuf"})
    assert [each["languageCode"] for each in made["translations"]] == ["fr"]


def test_clearing_what_is_approved_is_a_proposal_of_who_cannot_approve(
    workspace: Workspace,
) -> None:
    memory = Memory(workspace, requiresApproval=True)
    before = memory.read()["translations"][0]

    waiting = translation(memory.put("de", "", workspace.client("translator")))

    assert waiting == {**before, "proposedValue": ""}
    assert translation(memory.judge("approve", "de")) is None


@pytest.mark.parametrize("value", ["   ", "\t\n", "\u3000"])
def test_a_translation_of_nothing_but_white_space_is_refused(
    memory: Memory, value: str
) -> None:
    before = memory.read()
    body = {"sourceText": "New", "translations": {"de": value}}

    put = memory.put("de", value)
    made = memory.owner.post(f"{memory.path}/entries", json=body)

    for answer, path in ((put, "$.value"), (made, "$.translations.de")):
        assert answer.status == 400
        [problem] = answer.error["details"]
        assert (problem["path"], problem["rule"]) == (path, "length")
    assert memory.read() == before


def test_a_language_without_a_name_is_refused_in_words(memory: Memory) -> None:
    body = {"sourceText": "New", "translations": {"": "a"}}

    answer = memory.owner.post(f"{memory.path}/entries", json=body)

    assert (answer.status, answer.error["code"]) == (400, "language_not_in_project")
    assert answer.error["message"] == "the memory has no language ''"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"": "a"}, ("$.translations", "language", "has no language ''")),
        ({"pl": "a"}, ("$.translations.pl", "language", "has no language pl")),
        ({"en": "a"}, ("$.translations.en", "language", "source texts of the memory")),
        ({"DE": "a", "de": "b"}, ("$.translations.de", "unique", "is named twice")),
    ],
)
def test_a_wrong_language_of_a_new_entry_is_told_where_it_stands(
    memory: Memory, given: dict[str, str], told: tuple[str, str, str]
) -> None:
    body = {"sourceText": "New", "translations": given}

    answer = memory.owner.post(f"{memory.path}/entries", json=body)

    assert answer.status == 400
    [problem] = answer.error["details"]
    assert (problem["path"], problem["rule"]) == told[:2]
    assert told[2] in problem["message"]


def test_where_approval_is_required_a_translator_proposes(workspace: Workspace) -> None:
    memory = Memory(workspace, requiresApproval=True)
    translator = workspace.client("translator")
    before = memory.read()["translations"][0]

    proposed = memory.put("de", "Bezahlen", translator)
    first = memory.put("fr", "Payer", translator)

    assert translation(proposed) == {**before, "proposedValue": "Bezahlen"}
    assert translation(first, "fr") == {
        "languageCode": "fr",
        "value": "",
        "status": "pending_review",
        "approvedAt": None,
        "proposedValue": "Payer",
    }
    assert memory.judge("approve", "de", translator).status == 403
    applied = translation(memory.judge("approve", "de"))
    assert applied is not None
    assert (applied["value"], applied["proposedValue"]) == ("Bezahlen", None)
    assert translation(memory.judge("reject", "fr"), "fr") is None
    for verdict, lang in (("approve", "de"), ("reject", "de"), ("approve", "fr")):
        answer = memory.judge(verdict, lang)
        assert (answer.status, answer.error["code"]) == (409, "nothing_pending")


def test_a_reviewers_translation_counts_at_once(workspace: Workspace) -> None:
    memory = Memory(workspace, requiresApproval=True)

    written = translation(memory.put("de", "x", workspace.client("reviewer")))

    assert written is not None
    assert (written["value"], written["status"]) == ("x", "approved")


def test_only_assigned_languages_are_written(memory: Memory) -> None:
    scoped = memory.workspace.client("reviewer", languages=["fr"])
    body = {"sourceText": "New", "translations": {"de": "x"}}

    refused = [
        memory.put("de", "x", scoped),
        memory.judge("approve", "de", scoped),
        memory.judge("reject", "de", scoped),
        scoped.delete(f"{memory.one}/translations/de"),
        scoped.post(f"{memory.path}/entries", json=body),
    ]

    for answer in refused:
        assert (answer.status, answer.error["code"]) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "de"}
    assert memory.put("fr", "Payer", scoped).status == 200
    assert scoped.get(memory.one).status == 200


def test_a_translation_is_written_to_the_entry_that_was_read(memory: Memory) -> None:
    translation = f"{memory.one}/translations/de"
    read = {"If-Match": str(memory.owner.get(memory.one).headers["ETag"])}

    first = memory.owner.put(translation, json={"value": "Eins"}, headers=read)
    second = memory.owner.put(translation, json={"value": "Zwei"}, headers=read)
    removed = memory.owner.delete(translation, headers=read)

    assert (first.status, second.status, removed.status) == (200, 412, 412)
    assert first.headers["ETag"] == memory.owner.get(memory.one).headers["ETag"]
    now = {"If-Match": str(first.headers["ETag"])}
    assert memory.owner.delete(translation, headers=now).status == 200

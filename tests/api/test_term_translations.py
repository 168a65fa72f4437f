"""Translations of terms: written, proposed, approved, cleared."""

from __future__ import annotations

import pytest

from locframework.testing.workspace import Workspace

from .terms import Terms, only, refused


@pytest.mark.parametrize("lang", ["pt-BR", "pt_br", "PT-br.json", "pt-BR.tar.gz"])
def test_a_language_may_come_with_a_file_extension(terms: Terms, lang: str) -> None:
    translation = only(terms.put(terms.made(), lang, "cais"))

    assert translation["languageCode"] == "pt-BR"


def test_a_language_that_is_none_is_not_found(terms: Terms) -> None:
    answer = terms.put(terms.made(), "no such", "x")

    assert refused(answer) == (404, "language_not_found")


def test_a_term_is_not_translated_into_its_own_language(terms: Terms) -> None:
    term = terms.made()

    answer = terms.put(term, "EN", "jetty")
    made = terms.create(term="quay", translations={"en": "quay"})

    assert refused(answer) == refused(made) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "path.lang"
    assert made.error["details"][0]["path"] == "$.translations.en"
    assert only(terms.put(term, "en-GB", "jetty"))["value"] == "jetty"
    other = terms.owner.patch(terms.one, json={"sourceLanguage": "en-gb"})
    assert refused(other) == (409, "language_exists")
    assert terms.owner.patch(terms.one, json={"sourceLanguage": "de"}).status == 200


def test_where_approval_is_required_a_value_waits(careful: Terms) -> None:
    term = careful.made()

    first = only(careful.put(term, "de", "Pier", careful.translator))
    assert first == {
        "languageCode": "de",
        "value": "",
        "status": "pending_review",
        "approvedAt": None,
        "proposedValue": "Pier",
    }
    approved = only(careful.act(term, "de", "approve"))
    assert (approved["value"], approved["status"]) == ("Pier", "approved")
    beside = only(careful.put(term, "de", "Anleger", careful.translator))
    assert beside == {**approved, "proposedValue": "Anleger"}
    assert only(careful.act(term, "de", "reject")) == approved


def test_who_can_approve_needs_nobody_else(careful: Terms) -> None:
    term = careful.made()
    reviewer = careful.workspace.client("reviewer")

    translation = only(careful.put(term, "de", "Pier", reviewer))

    assert (translation["value"], translation["status"]) == ("Pier", "approved")


def test_without_approval_required_a_translators_value_counts(terms: Terms) -> None:
    translation = only(terms.put(terms.made(), "de", "Pier", terms.translator))

    assert (translation["value"], translation["status"]) == ("Pier", "approved")


def test_nothing_is_approved_or_rejected_where_nothing_waits(careful: Terms) -> None:
    term = careful.made()

    for lang in ("de", "fr"):
        careful.put(term, "de", "Pier")
        for action in ("approve", "reject"):
            answer = careful.act(term, lang, action)
            assert refused(answer) == (409, "nothing_pending")


def test_a_translator_approves_nothing(careful: Terms) -> None:
    term = careful.made()
    careful.put(term, "de", "Pier", careful.translator)

    for action in ("approve", "reject"):
        answer = careful.act(term, "de", action, careful.translator)
        assert refused(answer) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "glossary_approve"}


def test_languages_that_are_not_assigned_are_refused(careful: Terms) -> None:
    workspace, term = careful.workspace, careful.made()
    careful.put(term, "fr", "quai", careful.translator)
    german = workspace.client("reviewer", languages=["de"])

    answers = [
        careful.put(term, "fr", "x", german),
        careful.act(term, "fr", "approve", german),
        careful.act(term, "fr", "reject", german),
        german.delete(f"{careful.path}/{term['id']}/translations/fr"),
        careful.create(german, term="x", translations={"fr": "x"}),
    ]

    for answer in answers:
        assert refused(answer) == (403, "language_not_assigned")
        assert answer.error["details"] == {"languageCode": "fr"}
    assert careful.put(term, "de.json", "Pier", german).status == 200
    assert german.get(f"{careful.path}/{term['id']}").status == 200


def test_a_cleared_translation_is_gone(terms: Terms) -> None:
    term = terms.made(translations={"de": "Pier", "fr": "quai"})
    path = f"{terms.path}/{term['id']}/translations/fr"

    left = terms.put(term, "de", "").data["term"]["translations"]
    assert [each["languageCode"] for each in left] == ["fr"]
    assert terms.owner.delete(path).data["term"]["translations"] == []
    again = terms.owner.delete(path)
    assert refused(again) == (404, "language_not_found")
    assert again.error["message"] == "there is no such translation"


def test_to_clear_what_is_approved_is_proposed_where_that_is_required(
    careful: Terms,
) -> None:
    term = careful.made(translations={"de": "Pier"})
    path = f"{careful.path}/{term['id']}/translations/de"

    waiting = only(careful.translator.delete(path))

    assert (waiting["value"], waiting["proposedValue"]) == ("Pier", "")
    assert careful.act(term, "de", "approve").data["term"]["translations"] == []


def test_a_translation_is_written_to_the_term_that_was_read(terms: Terms) -> None:
    term = terms.made(translations={"de": "Pier"})
    path = f"{terms.path}/{term['id']}"
    translation = f"{path}/translations/de"
    read = {"If-Match": str(terms.owner.get(path).headers["ETag"])}

    first = terms.owner.put(translation, json={"value": "Steg"}, headers=read)
    second = terms.owner.put(translation, json={"value": "Kai"}, headers=read)
    cleared = terms.owner.delete(translation, headers=read)

    assert first.status == 200, first.json
    assert refused(second) == refused(cleared) == (412, "precondition_failed")
    assert first.headers["ETag"] == terms.owner.get(path).headers["ETag"]
    now = {"If-Match": str(first.headers["ETag"])}
    assert terms.owner.delete(translation, headers=now).status == 200


@pytest.mark.parametrize("value", ["x" * 2001, " ", 1, None])
def test_what_is_wrong_with_a_value_is_told(
    sqlite_workspace: Workspace, value: object
) -> None:
    terms = Terms(sqlite_workspace)

    answer = terms.put(terms.made(), "de", value)

    assert refused(answer) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "$.value"


@pytest.mark.parametrize(
    ("given", "path", "rule"),
    [
        ({"": "a"}, "$.translations", "language"),
        ({"de": "a", "DE": "b"}, "$.translations.de", "unique"),
    ],
)
def test_translations_are_of_languages_each_once(
    terms: Terms, given: dict[str, str], path: str, rule: str
) -> None:
    refused = terms.create(translations=given)

    assert refused.status == 400
    [problem] = refused.error["details"]
    assert (problem["path"], problem["rule"]) == (path, rule)
    assert "`" not in problem["message"]

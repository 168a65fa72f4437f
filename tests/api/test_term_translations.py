"""Translations of terms: written, proposed, approved, cleared."""

import pytest

from .terms import Terms, only, refused


@pytest.mark.parametrize("lang", ["pt-BR", "pt_br", "PT-br.json", "pt-BR.tar.gz"])
def test_a_language_may_come_with_a_file_extension(terms, lang):
    translation = only(terms.put(terms.made(), lang, "cais"))

    assert translation["languageCode"] == "pt-BR"


def test_a_language_that_is_none_is_not_found(terms):
    answer = terms.put(terms.made(), "no such", "x")

    assert refused(answer) == (404, "language_not_found")


def test_a_term_is_not_translated_into_its_own_language(terms):
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


@pytest.mark.parametrize("value", ["x" * 2001])
def test_what_is_wrong_with_a_value_is_told(sqlite_workspace, value):
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
def test_translations_are_of_languages_each_once(terms, given, path, rule):
    refused = terms.create(translations=given)

    assert refused.status == 400
    [problem] = refused.error["details"]
    assert (problem["path"], problem["rule"]) == (path, rule)
    assert "`" not in problem["message"]

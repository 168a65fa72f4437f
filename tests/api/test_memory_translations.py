"""Translations of entries over HTTP, proposed and approved (decisions 2.5)."""

import pytest


def test_a_translation_is_of_a_language_of_the_memory(memory):
    for lang in ("sv", "en"):
        refused = memory.put(lang, "x")
        assert refused.status == 400
        assert refused.error["code"] == "language_not_in_project"


def test_a_language_without_a_name_is_refused_in_words(memory):
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
def test_a_wrong_language_of_a_new_entry_is_told_where_it_stands(memory, given, told):
    body = {"sourceText": "New", "translations": given}

    answer = memory.owner.post(f"{memory.path}/entries", json=body)

    assert answer.status == 400
    [problem] = answer.error["details"]
    assert (problem["path"], problem["rule"]) == told[:2]
    assert told[2] in problem["message"]

"""What the languages of a project may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import LanguageNotInProject, ValidationFailed
from locframework.formats.records import PLURAL_FORMS
from locframework.projects.records import LanguageChanges, NewLanguage
from locframework.projects.rules import (
    check_fallback,
    check_plural_forms,
    fallback_chain,
    language_fields,
    new_language,
)

NOW = "2026-11-21T08:45:29.123Z"
TAGS = ("de", "de-AT", "en", "fr", "it")
FALLBACKS = st.fixed_dictionaries({tag: st.sampled_from([None, *TAGS]) for tag in TAGS})


def made(tag="de", **fields):
    return new_language("p", tag, NewLanguage(tag, **fields), NOW)


# plural forms


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ([], ("other",)),
        (["other"], ("other",)),
        (["other", "one"], ("one", "other")),
        (["many", "few", "one"], ("one", "few", "many", "other")),
        (["one", "one"], ("one", "other")),
    ],
)
def test_plural_forms_are_in_cldr_order_once_each_with_other(sent, kept):
    assert check_plural_forms(sent) == kept


@pytest.mark.parametrize("form", ["", "One", "=1", "plural", "one ", "x" * 1000])
def test_any_other_form_is_refused_where_it_stands(form):
    with pytest.raises(ValidationFailed) as caught:
        check_plural_forms(["one", form])

    [problem] = caught.value.details
    assert (problem.path, problem.rule) == ("$.pluralForms[1]", "enum")
    assert len(problem.message) < 300


@given(st.lists(st.sampled_from(PLURAL_FORMS)))
def test_the_order_in_which_forms_are_named_does_not_matter(forms):
    kept = check_plural_forms(forms)

    assert kept == check_plural_forms(forms[::-1]) == check_plural_forms(kept)
    assert set(kept) == {*forms, "other"}


# fallbacks


def test_a_fallback_is_in_the_project():
    check_fallback("de", None, {"en": None})
    check_fallback("de", "en", {"en": None})
    with pytest.raises(LanguageNotInProject):
        check_fallback("de", "fr", {"en": None})


@pytest.mark.parametrize(
    ("fallback", "others"),
    [
        ("de", {"de": None}),
        ("fr", {"de": None, "fr": "de"}),
        ("it", {"de": None, "fr": "de", "it": "fr"}),
    ],
)
def test_a_fallback_never_leads_back_to_its_language(fallback, others):
    with pytest.raises(ValidationFailed) as caught:
        check_fallback("de", fallback, others)
    assert caught.value.details[0].rule == "cycle"


@pytest.mark.parametrize(
    ("language", "fallbacks", "chain"),
    [
        ("de-AT", {"en": None, "de": None, "de-AT": "de"}, ["de", "en"]),
        ("fr", {"en": None, "fr": None}, ["en"]),
        ("en", {"en": None}, []),
        ("de-AT", {"de-AT": "de", "de": "en", "en": "fr"}, ["de", "en", "fr"]),
    ],
)
def test_a_missing_text_is_looked_for_along_the_fallbacks_then_in_the_source(
    language, fallbacks, chain
):
    assert fallback_chain(language, fallbacks, "en") == chain


@given(FALLBACKS, st.sampled_from(TAGS), st.sampled_from(TAGS))
def test_fallbacks_that_pass_one_by_one_never_make_a_circle(wanted, tag, source):
    """Set one after another, as requests do: whatever passes, chains end."""
    kept = dict.fromkeys(TAGS)
    for language, fallback in wanted.items():
        try:
            check_fallback(language, fallback, kept)
        except ValidationFailed:
            continue
        kept[language] = fallback

    chain = fallback_chain(tag, kept, source)

    assert tag not in chain
    assert len(set(chain)) == len(chain)
    assert source in (*chain, tag)
    if chain and kept[tag] is not None:
        assert chain[0] == kept[tag]


# languages


def test_a_new_language_is_completed_from_cldr():
    language = made("ar")

    assert (language.label, language.direction) == ("Arabic", "rtl")
    assert language.plural_forms == PLURAL_FORMS
    assert (language.icon, language.fallback_language_code) == ("🇪🇬", None)
    assert (language.is_source, language.created_at) == (False, NOW)


def test_what_is_said_of_a_new_language_wins_over_cldr():
    language = made(
        "ar",
        label="Masri",
        icon=None,
        direction="ltr",
        plural_forms=["other", "one"],
        fallback_language_code="EN",
    )

    assert (language.label, language.icon) == ("Masri", None)
    assert (language.direction, language.plural_forms) == ("ltr", ("one", "other"))
    assert language.fallback_language_code == "en"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"fallback_language_code": "german"}, "$.fallbackLanguageCode"),
        ({"label": "  "}, "$.label"),
        ({"plural_forms": ["lots"]}, "$.pluralForms[0]"),
    ],
)
def test_what_no_language_may_become_is_refused(fields, place):
    for asked in (NewLanguage("de", **fields), LanguageChanges(**fields)):
        with pytest.raises(ValidationFailed) as caught:
            language_fields(asked)
        assert caught.value.details[0].path == place


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, {}),
        ({"label": "Saksa\t", "icon": None}, {"label": "Saksa", "icon": None}),
        ({"fallback_language_code": None}, {"fallback_language_code": None}),
        ({"fallback_language_code": "EN"}, {"fallback_language_code": "en"}),
        (
            {"plural_forms": ["many"], "direction": "rtl"},
            {"plural_forms": ("many", "other"), "direction": "rtl"},
        ),
    ],
)
def test_a_change_touches_only_what_it_names(changes, fields):
    assert language_fields(LanguageChanges(**changes)) == fields

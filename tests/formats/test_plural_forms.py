"""``msgstr[i]`` and CLDR forms are mapped one to one, whatever the rule."""

import pytest
from babel import Locale
from babel.localedata import locale_identifiers

from locframework.formats.plural_forms import (
    MOST_FORMS,
    SAMPLES,
    forms_of_rule,
    gettext_forms,
    main_forms,
    parse_plural_rule,
    rule_from_cldr,
    rule_instead,
    with_spares,
)
from locframework.ports import PLURAL_FORMS

RUSSIAN = (
    "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"
)
CZECH = (
    "(n == 1 && n % 1 == 0) ? 0 : (n >= 2 && n <= 4 && n % 1 == 0) ? 1: "
    "(n % 1 != 0 ) ? 2 : 3"
)
HEBREW = (
    "(n == 1 && n % 1 == 0) ? 0 : (n == 2 && n % 1 == 0) ? 1: "
    "(n % 10 == 0 && n % 1 == 0 && n > 10) ? 2 : 3"
)
LITHUANIAN = (
    "(n % 10 == 1 && (n % 100 > 19 || n % 100 < 11) ? 0 : (n % 10 >= 2 && "
    "n % 10 <=9) && (n % 100 > 19 || n % 100 < 11) ? 1 : n % 1 != 0 ? 2: 3)"
)
POLISH = (
    "(n==1 ? 0 : (n%10>=2 && n%10<=4) && (n%100<12 || n%100>14) ? 1 : n!=1 && "
    "(n%10>=0 && n%10<=1) || (n%10>=5 && n%10<=9) || (n%100>=12 && n%100<=14) ? 2 : 3)"
)
ARABIC = (
    "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : "
    "n%100>=11 && n%100<=99 ? 4 : 5"
)
IRISH = "(n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4)"
SLOVENIAN = "(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)"
KDE_LITHUANIAN = (
    "nplurals=4; plural=n==1 ? 0 : n%10==1 && n%100!=11 ? 1 : n%10>=2 && "
    "(n%100<10 || n%100>=20) ? 2 : 3;"
)
LATVIAN = "(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2)"


@pytest.mark.parametrize(
    ("language", "count", "expression", "forms"),
    [
        ("en", 2, "n != 1", "one other"),
        ("de", 2, "(n != 1)", "one other"),
        ("fr", 2, "n > 1", "one other"),
        ("ru", 3, RUSSIAN, "one few many"),
        ("ar", 6, ARABIC, "zero one two few many other"),
        ("cs", 3, "(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2", "one few other"),
        ("cs", 4, CZECH, "one few many other"),
        ("he", 2, "n != 1", "one other"),
        ("he", 4, HEBREW, "one two many other"),
        ("pl", 4, POLISH, "one few many other"),
        ("lt", 4, LITHUANIAN, "one few many other"),
        ("sl", 4, SLOVENIAN, "one two few other"),
        ("ga", 5, IRISH, "one two few many other"),
        ("ja", 1, "0", "other"),
        ("hu", 1, "0", "other"),
        ("lv", 3, LATVIAN, "one other zero"),  # not in CLDR's order
        ("tlh", 2, "n != 1", "one other"),  # CLDR has no Klingon
        ("und", 1, "0", "other"),
    ],
)
def test_an_index_gets_the_form_of_its_numbers(language, count, expression, forms):
    rule = f"nplurals={count}; plural={expression};"

    assert forms_of_rule(rule, language) == tuple(forms.split())


def test_a_region_is_judged_by_its_language():
    assert forms_of_rule("nplurals=2; plural=n > 1;", "pt-BR") == ("one", "other")
    assert forms_of_rule(f"nplurals=3; plural={RUSSIAN};", "sr-Latn-RS")[:2] == (
        "one",
        "few",
    )


@pytest.mark.parametrize("count", range(1, 21))
def test_no_form_stands_twice_under_a_rule_that_tells_nothing(count):
    forms = forms_of_rule(f"nplurals={count}; plural=0;", "en")

    named = [form for form in forms if form]
    assert len(forms) == count
    assert set(named) == {"other", "one"} if count > 1 else {"other"}
    assert len(set(named)) == len(named)
    assert forms[0] == "other"


def test_indices_beyond_the_rule_get_the_languages_other_forms():
    assert with_spares(("one", "other"), "es") == ("one", "other", "many")
    assert with_spares(("one", "few", "many"), "ru")[3] == "other"
    assert with_spares(("other",), "ja") == ("other",)
    assert sorted(with_spares(("other",), "tlh")) == sorted(PLURAL_FORMS)


@pytest.mark.parametrize(
    ("language", "rule", "forms", "instead"),
    [
        ("ru", f"nplurals=4; plural=n==1 ? 3 : {RUSSIAN};", "one few many -", "one"),
        ("uk", f"nplurals=4; plural=n==1 ? 3 : {RUSSIAN};", "one few many -", "one"),
        ("sr", f"nplurals=4; plural=n==1 ? 3 : {RUSSIAN};", "one few other -", "one"),
        ("lt", KDE_LITHUANIAN, "- one few other", "one"),
        ("ja", "nplurals=2; plural=n!=1;", "- other", "other"),
        ("zh-Hans", "nplurals=2; plural=n>1;", "- other", "other"),
        ("en", "nplurals=3; plural=n==0 ? 0 : n==1 ? 1 : 2;", "- one other", "other"),
        ("iw", f"nplurals=4; plural={HEBREW};", "one two many other", "one"),
    ],
)
def test_an_index_that_cldr_does_not_have_is_no_form(language, rule, forms, instead):
    found = forms_of_rule(rule, language)

    assert [form or "-" for form in found] == forms.split()
    extra = found.index(None) if None in found else 0
    assert main_forms(rule, language)[extra] == instead


def test_without_a_rule_the_common_forms_are_taken():
    assert forms_of_rule(None, "ru") == ("one", "few", "many")
    assert gettext_forms("cs") == ("one", "few", "other")
    assert gettext_forms("fr") == ("one", "other")
    assert gettext_forms("tlh") == ("one", "other")


LANGUAGES = sorted({name.split("_")[0] for name in locale_identifiers()} - {"root"})


@pytest.mark.parametrize("used", [(), PLURAL_FORMS], ids=["common", "all"])
def test_the_generated_rule_is_cldrs_in_every_language(used):
    for language in [*LANGUAGES, "pt-PT"]:
        text, forms = rule_from_cldr(language, used)
        cldr = Locale.parse(language, sep="-").plural_form
        for sample, index in zip(SAMPLES, parse_plural_rule(text).indices, strict=True):
            if cldr(sample) in forms:
                assert forms[index] == cldr(sample), (language, sample, text)
        assert forms_of_rule(text, language) == forms, language


def test_a_used_form_has_its_place_in_the_generated_rule():
    assert rule_from_cldr("fr", ["many"])[1] == ("one", "many", "other")
    assert rule_from_cldr("ru", ["other"])[1] == ("one", "few", "many", "other")
    assert rule_from_cldr("en", ["few"])[1] == ("one", "other")  # English has no few


def test_a_header_that_fits_no_message_gives_way_to_cldr():
    rule = "nplurals=2; plural=(n > 1);"

    assert rule_instead(rule, "fr", {3})[1] == ("one", "many", "other")
    assert rule_instead(rule, "fr", {2}) is None  # it fits
    assert rule_instead(rule, "fr", {2, 3}) is None  # nobody knows
    assert rule_instead(rule, "fr", {4}) is None  # not CLDR's either
    assert rule_instead(rule, "fr", set()) is None  # nothing is translated
    assert rule_instead(rule, "tlh", {3}) is None  # nothing is known


@pytest.mark.parametrize(
    "text",
    [
        " nplurals = 2 ;plural=n!=1;",
        *(f"nplurals=2; plural=(n != 1){rest}" for rest in (";;", "; \\n;", "; x=1;")),
    ],
)
def test_blanks_and_what_follows_the_expression_do_not_matter(text):
    assert parse_plural_rule(text) == parse_plural_rule("nplurals=2; plural=n!=1")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", "nplurals"),
        ("nplurals=2", "nplurals"),
        ("nplurals=0; plural=0;", "between 1"),
        (f"nplurals={MOST_FORMS + 1}; plural=0;", "between 1"),
        ("nplurals=2; plural=n ==;", "unexpected end"),
        ("nplurals=2; plural=(n;", "unbalanced"),
        ("nplurals=2; plural=__import__('os');", "invalid token"),
        ("nplurals=2; plural=2/n;", "zero"),
        ("nplurals=2; plural=n;", "beyond"),
        ("nplurals=2; plural=n-1;", "beyond"),
        ("nplurals=2; plural=" + "(" * 400 + "n" + ")" * 400, "too complex"),
        ("nplurals=2; plural=" + "9" * 1500, "too long"),
    ],
)
def test_what_is_no_rule_is_told(text, about):
    with pytest.raises(ValueError, match=about) as refused:
        parse_plural_rule(text)

    assert len(str(refused.value)) <= 200

"""Language tags, and what CLDR knows of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import LanguageNotFound, ValidationFailed
from locframework.formats.records import PLURAL_FORMS
from locframework.languages import (
    canonical_tag,
    facts,
    meant_by,
    might_be_a_word,
    require_tag,
    tag_in_path,
)

LANGUAGES = st.sampled_from(["de", "pt", "zh", "sr", "ar", "he", "gsw", "qaa", "x"])
TAGS = st.builds(
    "{}{}{}{}".format,
    LANGUAGES,
    st.sampled_from(["", "-hans", "_LATN", "-Arab"]),
    st.sampled_from(["", "-br", "_CN", "-419"]),
    st.sampled_from(["", "-1996", "-x-house", "_u_co_phonebk"]),
)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("pt-BR", "pt-BR"),
        ("pt_br", "pt-BR"),
        ("PT-br", "pt-BR"),
        ("zh-hans", "zh-Hans"),
        ("ZH_HANT_hk", "zh-Hant-HK"),
        ("sr-latn", "sr-Latn"),
        ("es-419", "es-419"),
        ("de-1996", "de-1996"),
        ("iw", "he"),
        ("x-house", "x-house"),
    ],
)
def test_a_tag_is_kept_in_canonical_spelling(sent: str, kept: str) -> None:
    assert canonical_tag(sent) == kept
    assert require_tag(sent, "$.languageCode") == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "german",
        "de_",
        "-de",
        "de--AT",
        "123",
        "dé",
        "xx",
        "de AT",
        "de\n",
        "*",
    ],
)
def test_what_is_no_tag_is_refused_by_name(text: str) -> None:
    assert canonical_tag(text) is None
    with pytest.raises(ValidationFailed) as caught:
        require_tag(text, "$.languageCode")
    [problem] = caught.value.details
    assert (problem.path, problem.rule) == ("$.languageCode", "language")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("xx", "'xx' is well formed, but BCP-47 has no such language tag"),
        ("german", "'german' is not a BCP-47 language tag"),
        ("12", "'12' is not a BCP-47 language tag"),
        ("", "'' is not a BCP-47 language tag"),
    ],
)
def test_an_unknown_language_is_told_from_what_cannot_be_one(
    text: str, told: str
) -> None:
    with pytest.raises(ValidationFailed) as caught:
        require_tag(text, "$.languageCode")
    assert caught.value.message == f"$.languageCode: {told}"


def test_a_tag_of_endless_length_is_refused_and_told_in_short() -> None:
    with pytest.raises(ValidationFailed) as caught:
        require_tag("de-x-" + "house-" * 1000 + "end", "$.languageCode")
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("tag", ["key", "tag", "url", "max", "src", "doc"])
def test_a_code_that_cldr_does_not_know_might_be_a_word(tag: str) -> None:
    assert canonical_tag(tag) == tag
    assert might_be_a_word(tag)


@pytest.mark.parametrize(
    "tag", ["id", "no", "de", "hsb", "tlh", "lld", "src-IT", "x-pseudo", "zh-Hant"]
)
def test_a_code_of_cldr_or_of_several_parts_is_no_word(tag: str) -> None:
    assert not might_be_a_word(tag)


@pytest.mark.parametrize("segment", ["pt-BR", "pt_br.json", "pt-br.po.gz", "PT-BR."])
def test_a_path_segment_may_end_in_a_file_extension(segment: str) -> None:
    assert tag_in_path(segment) == "pt-BR"


@pytest.mark.parametrize("segment", ["", ".json", "german.json", "%"])
def test_a_path_segment_that_is_no_tag_is_not_found(segment: str) -> None:
    with pytest.raises(LanguageNotFound):
        tag_in_path(segment)


@pytest.mark.parametrize(
    ("tag", "label", "icon", "direction", "forms"),
    [
        ("en", "English", "🇺🇸", "ltr", "one other"),
        ("en-GB", "English (United Kingdom)", "🇬🇧", "ltr", "one other"),
        ("de", "German", "🇩🇪", "ltr", "one other"),
        ("ru", "Russian", "🇷🇺", "ltr", "one few many other"),
        ("pl", "Polish", "🇵🇱", "ltr", "one few many other"),
        ("ar", "Arabic", "🇪🇬", "rtl", "zero one two few many other"),
        ("he", "Hebrew", "🇮🇱", "rtl", "one two other"),
        ("az-Arab", "Azerbaijani (Arabic)", "🇮🇷", "rtl", "one other"),
        ("ja", "Japanese", "🇯🇵", "ltr", "other"),
        ("zh-Hant", "Chinese (Traditional)", "🇹🇼", "ltr", "other"),
        ("pt-BR", "Portuguese (Brazil)", "🇧🇷", "ltr", "one many other"),
    ],
)
def test_names_direction_and_plural_forms_are_those_of_cldr(
    tag: str, label: str, icon: str, direction: str, forms: str
) -> None:
    known = facts(tag)

    assert (known.label, known.icon, known.direction) == (label, icon, direction)
    assert known.plural_forms == tuple(forms.split())


@pytest.mark.parametrize("tag", ["qaa", "x-house", "tlh", "und"])
def test_a_language_that_cldr_does_not_know_has_answers_too(tag: str) -> None:
    known = facts(tag)

    assert (known.label, known.icon, known.direction) == (tag, None, "ltr")
    assert known.plural_forms == ("other",)


def test_what_a_tag_adds_does_not_hide_the_language() -> None:
    assert facts("de-x-house").label == "German"
    assert facts("de-u-co-phonebk").plural_forms == ("one", "other")


@given(TAGS)
def test_a_canonical_tag_is_its_own_canonical_spelling(text: str) -> None:
    tag = canonical_tag(text)

    assert tag is None or canonical_tag(tag) == tag
    assert tag == canonical_tag(text.upper()) == canonical_tag(text.replace("_", "-"))


@given(TAGS)
def test_every_tag_has_facts_that_fit_their_fields(text: str) -> None:
    tag = canonical_tag(text)
    if tag is None:
        return

    known = facts(tag)

    assert known.label
    assert known.direction in ("ltr", "rtl")
    assert known.plural_forms[-1] == "other"
    assert known.plural_forms == tuple(
        form for form in PLURAL_FORMS if form in known.plural_forms
    )


@given(st.text(max_size=20))
def test_no_text_breaks_the_reader(text: str) -> None:
    tag = canonical_tag(text)

    assert tag is None or tag.isascii()


@pytest.mark.parametrize(
    ("codes", "there", "meant"),
    [
        ("de", "de fr", "de"),
        ("de-DE", "de fr", "de"),
        ("de", "de-DE fr", "de-DE"),
        ("pt-BR", "pt pt-PT", "pt"),
        ("zh-TW", "zh zh-Hant", "zh-Hant"),
        ("zh-CN", "zh zh-Hant", "zh"),
        ("de-AT", "de fr", "de"),
        ("zh-HK", "zh zh-Hant", "zh-Hant"),
        ("de-AT de", "de", "- de"),
        ("de-AT de-DE", "de", "- de"),
        ("de-AT de-CH", "de", "- -"),
        ("de", "de-AT", "-"),
        ("pt-PT", "pt-BR", "-"),
        ("zh-TW", "zh", "-"),
        ("sr-Latn", "sr", "-"),
        ("de-1996", "de", "-"),
        ("de-x-formal", "de", "-"),
        ("nl", "de", "-"),
        ("zh-TW", "zh-Hant-TW zh-Hant", "zh-Hant"),
        ("no", "nb nn", "nb"),
        ("no-NO", "nb nn", "nb"),
        ("nb-NO", "no", "no"),
        ("no nb", "nb", "- nb"),
        ("nn-NO", "no nb", "-"),
    ],
)
def test_a_code_of_a_file_means_the_one_language_that_it_can_be(
    codes: str, there: str, meant: str
) -> None:
    expected = dict(zip(codes.split(), meant.split(), strict=True))

    found = meant_by(codes.split(), there.split())

    assert found == {code: tag for code, tag in expected.items() if tag != "-"}

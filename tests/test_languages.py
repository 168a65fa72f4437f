"""Language tags, and what CLDR knows of them."""

import time
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from locframework.errors import LanguageNotFound, ValidationFailed
from locframework.formats.records import PLURAL_FORMS
from locframework.languages import (
    canonical_tag,
    fold,
    folded,
    language_info,
    locale_tag,
    looks_like_word,
    match_language,
    match_languages,
    nfc,
    require_tag,
    same_language,
    tag_from_path,
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
def test_a_tag_is_kept_in_canonical_spelling(sent, kept):
    assert canonical_tag(sent) == kept
    assert require_tag(sent, "$.languageCode") == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "german",
        "de-x-" + "house-" * 1000 + "end",
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
def test_what_is_no_tag_is_refused_by_name(text):
    assert canonical_tag(text) is None
    with pytest.raises(ValidationFailed) as caught:
        require_tag(text, "$.languageCode")
    [problem] = caught.value.details
    assert (problem.path, problem.rule) == ("$.languageCode", "language")
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("xx", "'xx' is well formed, but BCP-47 has no such language tag"),
        ("german", "'german' is not a BCP-47 language tag"),
        ("12", "'12' is not a BCP-47 language tag"),
        ("", "'' is not a BCP-47 language tag"),
    ],
)
def test_an_unknown_language_is_told_from_what_cannot_be_one(text, told):
    with pytest.raises(ValidationFailed) as caught:
        require_tag(text, "$.languageCode")
    assert caught.value.message == f"$.languageCode: {told}"


@pytest.mark.parametrize(
    ("tags", "is_word"),
    [
        ("key tag url max src doc", True),
        ("id no de hsb tlh lld src-IT x-pseudo zh-Hant", False),
    ],
)
def test_a_code_of_letters_that_cldr_does_not_know_might_be_a_word(tags, is_word):
    for tag in tags.split():
        assert canonical_tag(tag) == tag
        assert looks_like_word(tag) is is_word


@pytest.mark.parametrize("segment", ["pt-BR", "pt_br.json", "pt-br.po.gz", "PT-BR."])
def test_a_path_segment_may_end_in_a_file_extension(segment):
    assert tag_from_path(segment) == "pt-BR"


@pytest.mark.parametrize("segment", ["", ".json", "german.json", "%"])
def test_a_path_segment_that_is_no_tag_is_not_found(segment):
    with pytest.raises(LanguageNotFound):
        tag_from_path(segment)


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
        ("de-x-house", "German", "🇩🇪", "ltr", "one other"),
        ("de-u-co-phonebk", "German", "🇩🇪", "ltr", "one other"),
        ("qaa", "qaa", None, "ltr", "other"),  # CLDR does not know these
        ("x-house", "x-house", None, "ltr", "other"),
        ("tlh", "tlh", None, "ltr", "other"),
        ("und", "und", None, "ltr", "other"),
    ],
)
def test_names_direction_and_plural_forms_are_those_of_cldr(
    tag, label, icon, direction, forms
):
    known = language_info(tag)

    assert (known.label, known.icon, known.direction) == (label, icon, direction)
    assert known.plural_forms == tuple(forms.split())


@given(TAGS)
def test_a_canonical_tag_is_its_own_canonical_spelling(text):
    tag = canonical_tag(text)

    assert tag is None or canonical_tag(tag) == tag
    assert tag == canonical_tag(text.upper()) == canonical_tag(text.replace("_", "-"))


@given(TAGS)
def test_every_tag_has_facts_that_fit_their_fields(text):
    tag = canonical_tag(text)
    if tag is None:
        return

    known = language_info(tag)

    assert known.label
    assert known.direction in ("ltr", "rtl")
    assert known.plural_forms[-1] == "other"
    assert known.plural_forms == tuple(
        form for form in PLURAL_FORMS if form in known.plural_forms
    )


@given(st.text(max_size=20))
def test_no_text_breaks_the_reader(text):
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
        ("de-AT", "de fr", "-"),
        ("zh-HK", "zh zh-Hant", "-"),
        ("de-AT de", "de", "- de"),
        ("de-AT de-DE", "de", "- de"),
        ("de-AT de-CH", "de", "- -"),
        ("de", "de-AT", "de-AT"),
        ("de", "de-AT de-CH", "-"),
        ("ar-SA", "ar", "-"),
        ("de de-AT", "de-AT", "- de-AT"),
        ("pt", "pt-PT", "pt-PT"),
        ("zh", "zh-HK", "-"),
        ("zh-Hant", "zh-HK", "zh-HK"),
        ("fr-CA", "fr", "-"),
        ("es-AR", "ar es", "-"),
        ("pt-PT", "pt-BR", "-"),
        ("zh-TW", "zh", "-"),
        ("sr-Latn", "sr", "-"),
        ("de-1996", "de", "-"),
        ("de-x-formal", "de", "-"),
        ("nl", "de", "-"),
        ("zh-TW", "zh-Hant-TW zh-Hant", "-"),
        ("zh-Hans-CN", "zh-Hans", "zh-Hans"),
        ("sr-Latn-RS", "sr sr-Latn", "sr-Latn"),
        ("no", "nb nn", "nb"),
        ("no-NO", "nb nn", "nb"),
        ("nb-NO", "no", "no"),
        ("no nb", "nb", "- nb"),
        ("nn-NO", "no nb", "-"),
    ],
)
def test_a_code_of_a_file_means_the_one_language_that_it_can_be(codes, there, meant):
    expected = dict(zip(codes.split(), meant.split(), strict=True))

    found = match_languages(codes.split(), there.split())

    assert found == {code: tag for code, tag in expected.items() if tag != "-"}


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("sr@latin", "sr-Latn"),
        ("sr_RS@latin", "sr-Latn-RS"),
        ("sr@Latn", "sr-Latn"),
        ("uz@cyrillic", "uz-Cyrl"),
        ("ca@valencia", "ca-valencia"),
        ("ca_ES@valencia", "ca-ES-valencia"),
        ("be@tarask", "be-tarask"),
        ("en@shaw", "en-Shaw"),
        ("tt_RU@iqtelif", "tt-Latn-RU"),
        ("sr@ijekavianlatin", "sr-Latn-ijekavsk"),
        ("en@quot", "en"),
        ("de_DE.UTF-8", "de-DE"),
        ("de_DE@euro", "de-DE"),
        ("iw", "he"),
        ("tl", "fil"),
        ("C", None),
        ("", None),
    ],
)
def test_a_posix_locale_name_is_read_as_its_language(name, tag):
    assert locale_tag(name) == tag


@given(
    st.sampled_from(["ar", "de", "en-GB", "fr-CA", "pt-BR", "sr-Latn", "zh-Hant-HK"]),
    st.sets(st.sampled_from(["ar", "ca", "de", "es", "pt", "sr", "zh", "zh-Hant"])),
)
def test_a_code_never_stands_for_another_language(code, there):
    found = match_language(code, frozenset(there))

    assert found is None or same_language(found, code)


@given(st.text())
@example("\u0130\u0301")
@example("i\u0323\u0307")
@example("J\u030c")
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_search_folds_case_beyond_ascii():
    assert fold("ÄPFEL") == fold("a\u0308pfel")
    assert fold("STRASSE") == fold("straße")
    assert fold("ſtraße") == fold("STRASSE")
    assert fold("ΟΔΟΣ") == fold("οδος") == fold("οδοσ")
    assert fold("ΠΡΩΤΕΪ\u0301ΝΗ") == fold("πρωτεΐνη")


def test_the_dot_of_a_turkish_capital_is_case_and_no_accent():
    spelt = ["İstanbul", "I\u0307stanbul", "i\u0307stanbul", "ISTANBUL", "istanbul"]

    assert {fold(text) for text in spelt} == {"istanbul"}
    assert fold("ısı") == "ısı"
    assert fold("í") != fold("i")


@given(st.text())
def test_concordance_folds_case_as_search_does(text):
    assert folded(text) == folded(fold(text))
    assert folded(text).split() == fold(text).split()


@given(st.text("a\u0300\u0315\u0344\u0f73\u0130\u1e9b", max_size=50))
def test_a_long_text_is_normalised_as_its_parts_are(text):
    assert nfc(f"{text}. " * 600) == normalize("NFC", f"{text}. ") * 600


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0344\u0316", "\u0f73"])
def test_marks_without_end_are_folded_soon(marks):
    text = "a" + marks * (64 * 1024 // len(marks.encode()))
    begun = time.process_time()

    assert fold(text) == fold(text)

    assert time.process_time() - begun < 1.0  # it took 3 s and more

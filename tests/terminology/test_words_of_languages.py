"""Terms are found in what languages make of words: endings, particles, signs."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.terminology.words import Searched

from .finding import found


@pytest.mark.parametrize(
    ("language", "full", "plain"),
    [
        # shalom; the first sign with its dot is one of its own, too
        ("he", "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
         "\u05e9\u05dc\u05d5\u05dd"),
        ("he", "\ufb2a\u05b8\u05dc\u05d5\u05b9\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        ("fa", "\u0646\u0631\u0645\u200c\u0627\u0641\u0632\u0627\u0631",
         "\u0646\u0631\u0645\u0627\u0641\u0632\u0627\u0631"),  # software
    ],
)  # fmt: skip
def test_points_and_non_joiners_count_only_for_terms_whose_case_counts(
    language, full, plain
):
    text = f"({full}), {plain}."

    for term in (full, plain):
        assert found(text, term, language=language) == [full, plain]
        assert found(text, language=language, strict=[term]) == [term]


@pytest.mark.parametrize(
    ("term", "forms", "others"),
    [
        ("custom", "custom customs", "customer customers customary"),
        ("Customer", "customer customers customer's", "custom customs"),
        ("import", "imports imported importing", "important importance importer"),
        ("stop", "stops stopped stopping", "stopper"),
        ("organize", "organizes organized organizing", "organ organizer organization"),
        ("organization", "organizations", "organize organizer organizers"),
        ("try", "tries tried trying", ""),
        ("agree", "agrees agreed agreeing", "agreement"),
        ("company", "companies company's", "companion"),
        ("message", "messages messaged messaging message's", "messenger"),
        ("setting", "settings setting's", ""),
        ("install", "installs installed installing install's", "installation"),
        ("embed", "embeds", ""),
        ("Menu", "menus MENUS menu's", ""),
        ("alias", "aliases", ""),
        ("ability", "abilities ability's", "able"),
        ("assemble", "assembles assembled assembling", "assembly assemblies"),
        ("assembly", "assemblies", "assemble assembled"),
        ("O'Reilly", "O’Reilly’s o'reilly's", ""),
        ("ferry company", "ferry company's", ""),
        ("traveller", "traveler travelers travellers", "travel travels travelled"),
        ("die", "dies died dying", ""),
        ("general", "generals", "generally generation"),
        ("happiness", "happinesses", "happy"),
    ],
)
def test_an_english_word_that_is_made_of_another_is_not_that(term, forms, others):
    hits = found(f"{forms} / {others}", term, language="en")

    assert " ".join(hits) == forms


@pytest.mark.parametrize(
    ("language", "term", "text", "hits"),
    [
        # endings, where the language has a stemmer
        ("en", "mouse", "three mice", []),
        ("de", "laufen", "er läuft", []),
        ("en", "ferry", "Two ferries, one FERRY", ["ferries", "FERRY"]),
        ("en-GB", "boarding pass", "boarding passes", ["boarding passes"]),
        ("de", "Hafen", "die Häfen der Hafens", ["Häfen", "Hafens"]),
        ("el", "αρχείο", "ΑΡΧΕΙΟ αρχεία", ["ΑΡΧΕΙΟ", "αρχεία"]),
        ("fi", "tiedosto", "tiedostot", ["tiedostot"]),
        ("tr", "dosya", "dosyalar", ["dosyalar"]),
        ("pl", "plik", "pliku", ["pliku"]),
        (
            "ar",
            "ملف",
            "ملفات الملفات والملف وملف",
            ["ملفات", "الملفات", "والملف", "وملف"],
        ),
        ("ru", "билет", "два билета, БИЛЕТЫ", ["билета", "БИЛЕТЫ"]),
        ("tlh", "ferry", "two ferries", []),
        # scripts without spaces
        ("th", "บันทึก", "ไฟล์ถูกบันทึกแล้ว", ["บันทึก"]),
        ("ja", "保存", "設定を保存してください", ["保存"]),
        ("zh", "文件", "请保存文件。", ["文件"]),
        ("ja", "テスト", "テスト中", ["テスト"]),
        ("ko", "항구", "항구 도시", ["항구"]),
        ("lo", "ເຮືອ", "ໄປເຮືອຂ້າມ", ["ເຮືອ"]),
        # elisions, apostrophes, capitals, widths, syllables
        ("fr", "œuvre", "l’œuvre, d'œuvres, L'Œuvre", ["œuvre", "œuvres", "Œuvre"]),
        ("fr", "hui", "aujourd’hui, presqu'hui", []),
        ("fr", "il", "qu’il lorsqu'il", ["il", "il"]),
        ("fr", "l’eau", "de l'eau", ["l'eau"]),
        ("it", "arte", "dell’arte, un'arte", ["arte", "arte"]),
        ("ca-ES", "aigua", "l'aigua", ["aigua"]),
        ("en", "Reilly", "O'Reilly l'Reilly", []),
        ("en", "don't", "I don’t, I donʼt, I dont", ["don’t", "donʼt"]),
        ("en", "pier", "the pier’s end", ["pier’s"]),
        ("tr", "kapı", "KAPI, Kapı, KAPİ", ["KAPI", "Kapı"]),
        ("az", "istanbul", "İstanbul, İSTANBUL, ISTANBUL", ["İstanbul", "İSTANBUL"]),
        ("tr", "İstanbul", "istanbul’da", ["istanbul’da"]),
        ("en", "ISTANBUL", "istanbul", ["istanbul"]),
        ("ja", "ガイド", "ｶﾞｲﾄﾞを", ["ｶﾞｲﾄﾞ"]),
        ("ja", "ﾌｧｲﾙ", "ファイル", ["ファイル"]),
        ("ja", "pdf", "ＰＤＦの", ["ＰＤＦ"]),
        ("ko", "파일", "파일을, 파일들에서는 파일명", ["파일"] * 3),
        ("ko", "파일 저장", "파일 저장을, 파일을 저장", ["파일 저장"]),
        ("ko", "PDF", "PDF를 pdf로", ["PDF", "pdf"]),
        ("ko", "파일", "'파일'을 ‘파일’을 “파일”을", ["파일"] * 3),
        (
            "ko",
            "파일",
            unicodedata.normalize("NFD", "파일을 읽는 파일"),
            [unicodedata.normalize("NFD", "파일")] * 2,
        ),
        ("ko", "don't", "don’t", ["don’t"]),
        ("en", "파일", "파일을", []),
    ],
)
def test_terms_are_found_as_the_language_writes_them(language, term, text, hits):
    assert found(text, term, language=language) == hits


@pytest.mark.parametrize(
    ("language", "term", "forms", "others"),
    [
        ("de", "drucken", "drucken Drucken", "drücken Drücken"),
        ("de", "drücken", "Drücken druecken", "drucken Drucken"),
        ("de", "zahlen", "Zahlen", "zählen Zählen"),
        ("de", "fordern", "Fordern", "fördern fördert"),
        ("de", "schon", "Schon", "schön schöne"),
        ("de", "schön", "schöne schönes", "schon"),
        ("de", "Bar", "Bars", "Bär"),
        ("de", "Wahrung", "", "Währung Währungen"),
        ("de", "Büro", "BÜRO", "Buro"),
        ("de", "Druck", "Drucks Drücke", "drücken drücke"),
        ("de", "Mutter", "Mütter Müttern", ""),
        ("de", "Bruder", "Brüder Brüdern", ""),
        ("de", "Flughafen", "Flughäfen Flughafens", ""),
        ("de", "Haus", "Häuser häuser Häusern", ""),
        ("de", "Stadt", "Städte Städten STÄDTE", "städte"),
        ("de", "Fuß", "Füße Füßen", ""),
        ("de", "groß", "größer größeren", ""),
        ("de", "Häuser", "Häusern", "Haus"),
        ("fr", "marche", "marches MARCHE", "marché marchés"),
        ("fr", "marché", "marchés MARCHE", "marche marches"),
        ("fr", "enregistrer", "enregistré enregistrez", ""),
        ("fr", "acheter", "achète", ""),
        ("fr", "règle", "règles RÈGLES", "regle"),
        ("fr", "modèle", "modèles", "modele"),
        ("fr", "cote", "cotes", "côté"),
        ("es", "papa", "papas", "papá papás PAPÁ"),
        ("es", "público", "PUBLICO", "publico publicó"),
        ("es", "término", "términos", "terminó termino"),
        ("es", "acción", "acciones", ""),
        ("es", "enviar", "envía", ""),
        ("es", "ano", "", "año"),
        ("es", "hacia", "", "hacía"),
        ("es", "pena", "", "peña"),
        ("it", "papa", "", "papà"),
        ("ca", "dona", "dones", "dóna"),
        ("pt", "esta", "", "está"),
        ("sv", "får", "", "far"),
        ("sv", "hall", "", "håll"),
    ],
)
def test_words_that_differ_by_an_accent_are_others_unless_it_is_an_ending(
    language, term, forms, others
):
    hits = found(f"{forms} / {others}", term, language=language)

    assert " ".join(hits) == forms
    searched = [Searched(each, language) for each in others.split()]
    if term != "Häuser":  # a translation may be the singular of the term's
        assert not any(each.has(term) for each in searched)
    assert all(Searched(each, language).has(term) for each in forms.split())


def test_where_an_accent_counts_a_shorter_term_is_found_beside_it():
    terms = ["Taste", "Taste drucken"]

    assert found("Taste drücken", *terms, language="de") == ["Taste"]
    assert found("Taste drucken", *terms, language="de") == ["Taste drucken"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("D_atei öffnen", "Datei"),
        ("D&atei öffnen", "Datei"),
        ("A&bbrechen", "Abbrechen"),
        ("_Datei öffnen", "Datei öffnen"),
        ("~Datei", "Dateien"),
        ("Datei-Menü", "Datei"),
        ("Datei-Menü", "Dateien"),
        ("PDF-et", "PDF"),
        ("保存(&S)", "保存"),
        ("開いて(_O)保存", "開いて保存"),
        ("R&D", "R&D"),
        ("snake_case", "snake_case"),
    ],
)
def test_a_translation_is_there_with_an_accelerator_or_in_a_compound(text, part):
    assert Searched(text, "de").has(part)
    if part in ("Datei", "R&D", "snake_case"):
        assert Searched(text, "de").has(part, exactly=True)


def test_another_word_with_an_accelerator_is_no_translation():
    assert not Searched("Si&chern", "de").has("Speichern")
    assert not Searched("_Ende", "de").has("Abbrechen")


@pytest.mark.parametrize(
    ("language", "term", "text", "hits"),
    [
        ("de", "Datenschutz", "Der Daten\u00adschutz", ["Daten\u00adschutz"]),
        ("de", "Daten\u00adschutz", "Datenschutz", ["Datenschutz"]),
        (
            "he",
            "שלום",
            "\u200fשלום\u200f, \u2067שלום\u2069",
            ["שלום\u200f", "שלום\u2069"],
        ),
        ("ar", "ميناء", "ميناء\u061c", ["ميناء\u061c"]),
        ("th", "ตั๋วเรือ", "ซื้อตั๋ว\u200bเรือ", ["ตั๋ว\u200bเรือ"]),
        ("en", "Wi-Fi", "Wi\u2011Fi and wi\u2010fi", ["Wi\u2011Fi", "wi\u2010fi"]),
        ("en", "foobar", "foo\u200bbar foo-bar", []),
    ],
)
def test_what_nobody_sees_in_a_word_hides_no_term(language, term, text, hits):
    assert found(text, term, language=language) == hits
    assert found(text, strict=[term], language=language) == [
        hit for hit in hits if hit != "wi\u2010fi"
    ]


def test_elisions_are_cut_off_case_sensitive_terms_but_no_endings():
    assert found("Two Ferries, a Ferry", strict=["Ferry"]) == ["Ferry"]
    assert found("l’Orne, l’orne", strict=["Orne"], language="fr") == ["Orne"]
    assert found("I don’t", strict=["don't"]) == ["don’t"]
    assert found("ＰＤＦ", strict=["PDF"], language="ja") == ["ＰＤＦ"]
    assert found("API를 api를", strict=["API"], language="ko") == ["API"]


HALF = {
    unicodedata.normalize("NFKC", chr(code)): chr(code)
    for code in range(0xFF66, 0xFFA0)
}


@given(st.text(st.sampled_from("アイカガパヴッャーン"), min_size=1, max_size=6))
def test_katakana_is_the_same_however_wide(term):
    half = "".join(HALF[sign] for sign in unicodedata.normalize("NFD", term))

    assert found(f"「{half}」", term, language="ja") == [half]
    assert found(f"「{term}」", half, language="ja", strict=[half]) == [term, term]

"""Plural messages of PO files: which form is which, and none is lost."""

import pytest
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions

RUSSIAN = (
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
    "(n%100<12 || n%100>14) ? 1 : 2);"
)
PLURAL = 'msgid "a file"\nmsgid_plural "%d files"\n'


def test_plural_forms_go_by_the_rule_of_the_header(read, write, with_header):
    text = with_header(
        PLURAL + 'msgstr[0] "файл"\nmsgstr[1] "файла"\nmsgstr[2] "файлов"\n',
        "ru",
        RUSSIAN,
    )

    catalogue = read(text)

    [entry] = catalogue.entries
    assert entry.is_plural
    assert entry.value == {"one": "файл", "few": "файла", "many": "файлов"}
    assert entry.source == {"one": "a file", "other": "%d files"}
    written = write(catalogue)
    assert read(written) == replace(
        catalogue, entries=[replace(entry, line=read(written).entries[0].line)]
    )


def test_forms_without_a_text_are_not_there(read, with_header):
    text = with_header(PLURAL + 'msgstr[0] ""\nmsgstr[1] "Dateien"\n')
    empty = with_header(PLURAL + 'msgstr[0] ""\nmsgstr[1] ""\n')

    assert read(text).entries[0].value == {"other": "Dateien"}
    assert read(empty).entries[0].value is None


def test_forms_beyond_the_rule_are_kept_and_told_when_writing(
    read, write, po, options, with_header
):
    two = PLURAL + 'msgstr[0] "1"\nmsgstr[1] "2"\n'
    three = (
        'msgid "b c"\nmsgid_plural "d"\nmsgstr[0] "1"\nmsgstr[1] "2"\nmsgstr[2] "3"\n'
    )

    catalogue = read(with_header(two + three, "es"))

    assert catalogue.entries[1].value == {"one": "1", "other": "2", "many": "3"}
    written = po.write([catalogue], options)
    assert written.content.count(b"msgstr[1]") == 2
    assert b"msgstr[2]" not in written.content
    [warning] = written.warnings
    assert warning.startswith(catalogue.entries[1].key)
    assert warning.endswith("rule has no place for its form many")


def test_a_left_over_rule_is_replaced_by_the_one_that_fits(read, write, with_header):
    text = with_header(
        PLURAL + 'msgstr[0] "fichier"\nmsgstr[1] "de fichiers"\nmsgstr[2] "fichiers"\n',
        "fr",
        "nplurals=2; plural=(n > 1);",
    )

    catalogue = read(text)

    assert catalogue.entries[0].value == {
        "one": "fichier",
        "many": "de fichiers",
        "other": "fichiers",
    }
    assert "Plural-Forms does not fit" in catalogue.warnings[0]
    written = write(catalogue)
    assert "nplurals=3" in written
    assert 'msgstr[2] "fichiers"' in written


def test_more_forms_than_cldr_has_come_back(read, write, with_header):
    forms = "".join(f'msgstr[{index}] "{index}"\n' for index in range(8))
    text = with_header(PLURAL + forms, rule="nplurals=8; plural=n%8;")

    assert write(read(text)) == text


KDE = RUSSIAN.replace("nplurals=3; plural=(", "nplurals=4; plural=(n==1 ? 3 : ")
RUSSIAN_TEXTS = {"one": "%d файл", "few": "%d файла", "many": "%d файлов"}


def test_a_form_that_cldr_does_not_have_is_kept_for_the_export(
    read, write, with_header
):
    texts = (
        'msgstr[0] "%d файл"\nmsgstr[1] "%d файла"\nmsgstr[2] "%d файлов"\n'
        'msgstr[3] "один файл"\n'
    )

    catalogue = read(with_header(PLURAL + texts, "ru", KDE))

    [entry] = catalogue.entries
    assert entry.value == RUSSIAN_TEXTS
    assert write(catalogue).endswith(PLURAL + texts)
    new = replace(entry, detail=None)
    assert 'msgstr[3] "%d файл"\n' in write(replace(catalogue, entries=[new]))


def test_a_text_beyond_the_rule_and_the_language_is_told(
    read, po, options, with_header
):
    stray = PLURAL + 'msgstr[0] "1"\nmsgstr[1] "2"\nmsgstr[2] "3"\n'
    fits = 'msgid "b c"\nmsgid_plural "d"\nmsgstr[0] "1"\nmsgstr[1] "2"\n'

    catalogue = read(with_header(stray + fits))

    assert catalogue.entries[0].value == {"one": "1", "other": "2"}
    [warning] = po.write([catalogue], options).warnings
    assert warning.endswith("rule has no place for its form msgstr[2]")


def test_a_message_that_lacks_a_form_is_marked_fuzzy(po, options):
    value = {"one": "файл", "many": "файлов"}
    catalogue = Catalogue("ru", [Entry("all.files", value, is_plural=True)])

    written = po.write([catalogue], options)

    assert b'#, fuzzy\nmsgid "all.files"' in written.content
    assert b'msgstr[1] ""' in written.content
    assert written.warnings == ["all.files lacks a plural form and is marked fuzzy"]


def test_a_form_for_fractions_is_filled_from_other(read, write, with_header):
    rule = (
        "nplurals=4; plural=(n == 1 && n % 1 == 0) ? 0 : (n >= 2 && n <= 4 && "
        "n % 1 == 0) ? 1: (n % 1 != 0 ) ? 2 : 3;"
    )
    catalogue = read(with_header("", "cs", rule))
    value = {"one": "soubor", "few": "soubory", "other": "souborů"}

    written = write(replace(catalogue, entries=[Entry("f", value, is_plural=True)]))

    assert 'msgstr[2] "souborů"\nmsgstr[3] "souborů"' in written
    assert "fuzzy" not in written


NO_RULES = ["nplurals=2; plural=n/0;", "nplurals=2; plural=n;", "two", "nplurals=99;"]


@pytest.mark.parametrize("rule", NO_RULES)
def test_without_a_usable_rule_the_forms_of_cldr_are_read_and_it_is_told(
    read, with_header, rule
):
    texts = PLURAL + 'msgstr[0] "eine"\nmsgstr[1] "mehr"\n'

    catalogue = read("# a comment\n" + with_header(texts, rule=rule))

    assert catalogue.entries[0].value == {"one": "eine", "other": "mehr"}
    [warning] = catalogue.warnings
    assert warning.startswith("line 2: ")


def test_a_rule_is_found_where_gettext_finds_it(read, with_header):
    texts = PLURAL + 'msgstr[0] "eine"\nmsgstr[1] "mehr"\n'
    rule = "Plural-Forms: nplurals=2; plural=(n != 1);"

    catalogue = read(with_header(texts, rule=rule))

    assert catalogue.entries[0].value == {"one": "eine", "other": "mehr"}
    assert catalogue.warnings == []


@pytest.mark.parametrize("rule", NO_RULES)
def test_a_rule_that_is_none_and_that_no_message_needs_is_a_warning(
    read, write, with_header, rule
):
    text = with_header('msgid "a"\nmsgstr "b"\n', rule=rule)

    catalogue = read(text)

    assert [entry.value for entry in catalogue.entries] == ["b"]
    [warning] = catalogue.warnings
    assert warning.startswith("line 1: ")
    assert warning.endswith(", and no message needs it")
    assert '"Plural-Forms: nplurals=2; plural=(n==1 ? 0 : 1);\\n"' in write(catalogue)


@pytest.mark.parametrize("rule", ["", "nplurals=INTEGER; plural=EXPRESSION;"])
def test_a_templates_rule_counts_as_none(read, write, with_header, rule):
    text = with_header(PLURAL + 'msgstr[0] "eine"\nmsgstr[1] "mehr"\n', rule=rule)

    catalogue = read(text)

    assert catalogue.entries[0].value == {"one": "eine", "other": "mehr"}
    assert "nplurals=2; plural=(n==1 ? 0 : 1);" in write(catalogue)


@pytest.mark.parametrize("rule", ["", "nplurals=INTEGER; plural=EXPRESSION;"])
@pytest.mark.parametrize(
    ("language", "texts", "forms"),
    [
        ("ru", 2, ["one", "other"]),
        ("ru", 4, ["one", "few", "many", "other"]),
        ("fr", 3, ["one", "many", "other"]),
        ("ru", 1, ["one"]),
        ("de", 3, ["one", "other"]),
    ],
)
def test_texts_that_no_rule_places_are_told(
    read, with_header, rule, language, texts, forms
):
    said = "".join(f'msgstr[{index}] "{index}"\n' for index in range(texts))

    catalogue = read(with_header(PLURAL + said, language, rule))

    assert catalogue.entries[0].value == dict(zip(forms, "0123", strict=False))
    [warning] = catalogue.warnings
    assert f"{texts} plural forms; they were read as {', '.join(forms)}" in warning


def test_texts_of_different_number_without_a_rule_are_told(read, with_header):
    two = PLURAL + 'msgstr[0] "1"\nmsgstr[1] "2"\n'
    three = 'msgid "b"\nmsgid_plural "d"\nmsgstr[0] "1"\nmsgstr[1] "2"\nmsgstr[2] "3"\n'

    catalogue = read(with_header(two + three, "ru", ""))

    [warning] = catalogue.warnings
    assert warning == (
        "the header has no Plural-Forms, and the messages have 2 or 3 plural forms; "
        "they were read as one, few, many"
    )


def test_the_language_asked_for_decides_the_plurals(read):
    options = FileOptions(".", "en", "ru")
    text = PLURAL + 'msgstr[0] "1"\nmsgstr[1] "2"\nmsgstr[2] "3"\n'

    [entry] = read(text, options=options).entries

    assert entry.value == {"one": "1", "few": "2", "many": "3"}


def test_only_the_first_hundred_warnings_are_given(po, options):
    entries = [Entry(f"k{number}", {"one": "x"}) for number in range(1000)]

    written = po.write([Catalogue("de", entries)], options)

    assert len(written.warnings) == 101
    assert written.warnings[-1] == "and 900 more warnings"

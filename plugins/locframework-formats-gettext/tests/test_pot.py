"""Templates: source texts only, in both directions."""

import pytest
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, SourceFile

POT = """\
# Messages of the app.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: app 1.0\\n"
"Language: \\n"
"Content-Type: text/plain; charset=CHARSET\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#. A heading
#: a.c:1
msgctxt "menu"
msgid "Open it"
msgstr ""

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""


@pytest.fixture
def template(pot, options):
    [catalogue] = pot.read(SourceFile("app.pot", POT.encode()), options)
    return catalogue


def test_a_template_has_sources_and_no_values(template):
    assert template.language_code == "en"
    assert [(entry.value, entry.source) for entry in template.entries] == [
        (None, "Open it"),
        (None, {"one": "%d file", "other": "%d files"}),
    ]


def test_texts_in_a_template_are_not_read(pot, options):
    content = b'#, fuzzy\nmsgid "Open it"\nmsgstr "Aufmachen"\n'

    [catalogue] = pot.read(SourceFile("app.pot", content), options)

    assert catalogue.entries[0].value is None
    assert not catalogue.entries[0].needs_review


def test_a_template_comes_back_but_for_the_charset(template, pot, options):
    written = pot.write([template], options).content.decode()

    assert written == POT.replace("CHARSET", "UTF-8")


def test_a_translation_is_written_as_a_template(read, pot, options, with_header):
    text = with_header(
        '#, fuzzy\n#| msgid "old"\nmsgid "Open it"\nmsgstr "Öffnen"\n\n'
        'msgid "a file"\nmsgid_plural "files"\nmsgstr[0] "D"\nmsgstr[1] "E"\n\n'
        '#~ msgid "gone"\n#~ msgstr "fort"\n'
    )

    written = pot.write([read(text)], options).content.decode()

    assert written == (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        '"Language: \\n"\n"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n'
        'msgid "Open it"\nmsgstr ""\n\n'
        'msgid "a file"\nmsgid_plural "files"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )


def test_keys_of_another_origin_have_a_template_too(pot, options):
    entries = [Entry("a.b", "Pay", source="Pay"), Entry("c.d")]

    written = pot.write([Catalogue("en", entries)], options).content.decode()

    assert written.endswith(
        'msgctxt "key:a.b"\nmsgid "Pay"\nmsgstr ""\n\nmsgid "c.d"\nmsgstr ""\n'
    )
    assert "Plural-Forms" not in written
    assert '"Language: \\n"' in written


def test_template_and_translation_agree_on_keys(template, read, with_header):
    text = POT.replace("CHARSET", "UTF-8")

    assert [entry.key for entry in template.entries] == [
        entry.key for entry in read(with_header(text[text.index("#. A") :])).entries
    ]


def test_a_template_is_written_the_same_from_a_translated_catalogue(
    template, pot, options
):
    translated = [replace(entry, value="x") for entry in template.entries[:1]]

    written = pot.write([replace(template, entries=translated)], options)

    assert b'msgstr "x"' not in written.content


def test_a_translation_begins_with_the_header_of_its_template(template, write):
    german = write(replace(template, language_code="de"))

    assert german.startswith('# Messages of the app.\nmsgid ""\n')
    assert '"Project-Id-Version: app 1.0\\n"\n"Language: de\\n"' in german
    assert "nplurals=2; plural=(n==1 ? 0 : 1);" in german

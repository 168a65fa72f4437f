"""PO files as catalogues and back."""

import json
import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile


def test_a_message_becomes_an_entry(read, with_header):
    text = with_header(
        "# note\n#. explained\n#. twice\n#: a.c:1\n#, python-format\n"
        'msgctxt "menu"\nmsgid "Open %s"\nmsgstr "%s öffnen"\n'
    )

    catalogue = read(text)

    assert catalogue.language_code == "de"
    assert catalogue.warnings == []
    [entry] = catalogue.entries
    assert entry.key.startswith("open-s-")
    assert replace(entry, key="k") == Entry(
        key="k",
        value="%s öffnen",
        description="explained\ntwice",
        source="Open %s",
        line=12,
        key_detail={"msgid": "Open %s", "msgctxt": "menu", "flags": "python-format"},
        detail={"comment": "note", "references": "a.c:1", "flags": "python-format"},
        format_flags=("python-format",),
        name="menu\4Open %s",
    )


def test_fuzzy_is_needs_review_and_back(read, write, with_header):
    text = with_header(
        '#, fuzzy, c-format\n#| msgid "Old"\nmsgid "New"\nmsgstr "Neu"\n'
    )

    catalogue = read(text)

    assert catalogue.entries[0].needs_review
    assert write(catalogue) == text
    approved = [replace(entry, needs_review=False) for entry in catalogue.entries]
    written = write(replace(catalogue, entries=approved))
    assert "#, c-format\n" in written
    assert "fuzzy" not in written


def test_all_that_a_file_says_comes_back(read, write):
    text = (
        "# Copyright\n#\n# in three lines\n#, fuzzy\n"
        'msgid ""\nmsgstr ""\n"X-Own: 1\\n"\n"Language: de\\n"\n'
        '"Content-Type: text/plain; charset=UTF-8\\n"\n"no colon\\n"\n\n'
        "# note\n#\n#. dev\n#: a.c:1 b.c:2\n#: c.c\n#, no-wrap\n"
        '#| msgctxt "old"\n#| msgid "before"\nmsgctxt "menu"\nmsgid "now"\n'
        'msgstr "jetzt"\n\n'
        '#, fuzzy\n#~| msgid "older"\n#~ msgid "gone"\n#~ msgstr "fort"\n\n'
        '# second\n#~ msgid "gone too"\n#~ msgstr ""\n#~ "lang\\n"\n#~ "fort"\n'
    )

    assert write(read(text)) == text


def test_details_are_small_json(read, with_header):
    text = with_header(
        '#, fuzzy\nmsgid "a b"\nmsgstr "c"\n\n#~ msgid "d"\n#~ msgstr ""'
    )

    catalogue = read(text)

    assert catalogue.entries[0].detail is None
    assert catalogue.entries[0].key_detail == {"msgid": "a b"}
    detail = json.loads(json.dumps(catalogue.detail))
    assert detail == catalogue.detail
    assert set(detail) == {"header", "obsolete"}


def test_an_obsolete_message_that_is_in_use_again_is_left_out(read, write, with_header):
    entry = Entry("back", "wieder da", key_detail={"msgid": "back"})
    text = with_header('#~ msgid "back"\n#~ msgstr "zurück"\n')

    written = write(replace(read(text), entries=[entry]))

    assert written.count('msgid "back"') == 1
    assert "#~" not in written


@pytest.mark.usefixtures("gettext_tools")
def test_obsolete_messages_are_written_once_and_obsolete_headers_not_at_all(
    read, write, with_header
):
    gone = '#~ msgctxt "{0}"\n#~ msgid "a"\n#~ msgstr "{1}"\n'
    old = [gone.format(1, "x"), gone.format(2, "y"), gone.format(1, "z")]
    header = '#~ msgid ""\n#~ msgstr "Language: de\\n"\n'

    written = write(read(with_header("\n".join([header, *old, header]))))

    assert written.endswith(f"\n\n{old[0]}\n{old[1]}")
    assert written.count("#~") == 6
    checked = ["msgfmt", "-c", "-o", os.devnull, "-"]
    subprocess.run(checked, input=written.encode(), check=True, capture_output=True)


def test_a_plural_that_is_empty_comes_back_empty(read, write, with_header):
    text = with_header('msgid "a"\nmsgid_plural ""\nmsgstr[0] "b"\nmsgstr[1] "c"\n')
    catalogue = read(text)

    again = read(write(catalogue))

    keys = [[entry.key for entry in each.entries] for each in (catalogue, again)]
    assert keys[0] == keys[1]


def test_a_long_extracted_comment_comes_back_whole(read, write, with_header):
    text = with_header("#. " + "word " * 400 + '\nmsgid "a b"\nmsgstr "c"\n')

    catalogue = read(text)

    assert len(catalogue.entries[0].description) == 1000
    assert write(catalogue) == text
    shorter = [replace(catalogue.entries[0], description="edited")]
    assert "#. edited\n" in write(replace(catalogue, entries=shorter))


def test_a_description_cannot_pass_for_a_message(write):
    text = write([Entry("a.k", "v", description='a\rmsgid "x"\u2028b\nc')])

    assert '#. a\n#. msgid "x"\n#. b\n#. c\nmsgid "a.k"' in text


def test_a_language_that_was_in_no_file_keeps_the_format_flags(write):
    detail = {"msgid": "%d of", "flags": "c-format"}

    assert '#, c-format\nmsgid "%d of"' in write([Entry("k", "v", key_detail=detail)])


@pytest.mark.parametrize(
    ("stated", "language"),
    [
        ("pt_BR", "pt-BR"),
        ("zh_Hans", "zh-Hans"),
        ("sr@latin", "sr-Latn"),
        ("sr_RS@latin", "sr-Latn-RS"),
        ("ca@valencia", "ca-valencia"),
        ("de_DE.UTF-8", "de-DE"),
        ("de@euro", "de"),
        ("", None),
        ("LANGUAGE", None),
        ("Deutsch", None),
        ("d\u00e9", None),
    ],
)
def test_the_header_tells_the_language(read, with_header, stated, language):
    assert read(with_header("", stated)).language_code == language


def test_a_header_in_the_language_stays_and_in_another_is_set(read, write, with_header):
    catalogue = read(with_header("", "zh_CN"))

    assert '"Language: zh_CN\\n"' in write(catalogue)
    same = replace(catalogue, language_code="zh-Hans")
    assert '"Language: zh_CN\\n"' in write(same)
    moved = replace(catalogue, language_code="zh-Hant")
    assert '"Language: zh_Hant\\n"' in write(moved)


def test_a_file_of_another_origin_has_a_whole_header_and_no_date(write):
    source = {"one": "file", "other": "files"}
    entries = [
        Entry("checkout.pay", "Zahlen", source="Pay", description="A button"),
        Entry("files", {"one": "Datei", "other": "Dateien"}, source=source),
        Entry("untranslated"),
    ]

    assert write(entries) == (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: \\n"\n"PO-Revision-Date: \\n"\n'
        '"Last-Translator: \\n"\n"Language-Team: \\n"\n"Language: de\\n"\n'
        '"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        '"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=2; plural=(n==1 ? 0 : 1);\\n"\n\n'
        '#. A button\nmsgctxt "key:checkout.pay"\nmsgid "Pay"\nmsgstr "Zahlen"\n\n'
        'msgctxt "key:files"\nmsgid "file"\nmsgid_plural "files"\n'
        'msgstr[0] "Datei"\nmsgstr[1] "Dateien"\n\n'
        "#. locframework-key: untranslated\n"
        'msgctxt "key:untranslated"\nmsgid "untranslated"\nmsgstr ""\n'
    )


def test_keys_of_another_origin_come_back_under_their_names(read, write):
    source = {"one": "Save", "other": "Save all"}
    entries = [
        Entry("a.save", "Sichern", source="Save"),
        Entry("b.save", "Retten", source="Save"),
        Entry("c.save", {"one": "S", "other": "A"}, is_plural=True, source=source),
        Entry("d.save", "Sparen"),
    ]

    again = read(write(entries)).entries

    assert [(e.key, e.value, e.source) for e in again] == [
        (e.key, e.value, e.source) for e in entries
    ]
    assert [entry.key_detail for entry in again[:3]] == [None] * 3


def test_two_keys_with_one_message_and_text_are_written_once(po, options):
    detail = {"msgid": "Save"}
    entries = [Entry(key, "Sichern", key_detail=detail) for key in ("a.x", "b.x")]

    written = po.write([Catalogue("de", entries)], options)

    assert written.content.count(b'msgid "Save"') == 1
    assert written.warnings == []


def test_of_two_texts_for_one_message_the_first_is_kept_and_it_is_told(po, options):
    detail = {"msgid": "Save"}
    entries = [
        Entry("a.x", "Sichern", key_detail=detail),
        Entry("b.x", "Retten", key_detail=detail),
    ]

    written = po.write([Catalogue("de", entries)], options)

    assert b"Sichern" in written.content
    assert b"Retten" not in written.content
    assert written.warnings == [
        "a.x and b.x are the same message, 'Save': the first is kept"
    ]


def test_of_two_keys_for_one_message_the_one_with_a_text_is_written(po, options):
    detail = {"msgid": "Save"}
    entries = [Entry("a", key_detail=detail), Entry("b", "Sichern", key_detail=detail)]

    written = po.write([Catalogue("de", entries)], options)

    assert b"Sichern" in written.content
    assert written.warnings == []


def test_a_source_text_that_is_its_msgid_is_written_empty(read, write):
    plural = {"one": "file", "other": "files"}
    entries = [
        Entry("a", "Save", key_detail={"msgid": "Save"}),
        Entry("b", "Save it", key_detail={"msgid": "Save now"}),
        Entry("c", plural, key_detail={"msgid": "file", "msgidPlural": "files"}),
        Entry("d", "Open", key_detail={"msgid": "Open"}, needs_review=True),
    ]

    english = write(entries, "en")

    assert 'msgid "Save"\nmsgstr ""' in english
    assert 'msgid "Save now"\nmsgstr "Save it"' in english
    assert 'msgstr[0] ""\nmsgstr[1] ""' in english
    assert 'msgstr "Open"' in english  # else its state would be lost
    assert 'msgid "Save"\nmsgstr "Save"' in write(entries, "de")


def test_the_same_message_twice_in_a_file_is_refused(refused, with_header):
    message = 'msgid "a b"\nmsgstr "c"\n\n'

    assert refused(message + message) == [("line 4", "duplicate")]
    assert refused(with_header(with_header(""))) == [("line 7", "duplicate")]
    assert len(refused(message * 500)) == 100


def test_a_plural_of_a_message_in_the_file_is_a_duplicate(refused):
    text = 'msgid "a b"\nmsgstr "c"\nmsgid "a b"\nmsgid_plural "d"\nmsgstr[0] ""\n'

    assert refused(text) == [("line 3", "duplicate")]


def test_the_width_is_kept_but_for_long_words(write):
    text = write([Entry("k", "word " * 50 + "w" * 200 + "  end")])

    wide = [line for line in text.split("\n") if len(line) > 79]
    assert len(wide) == 1


def test_content_is_never_taken_for_a_path(refused, tmp_path):
    path = tmp_path / "secret.po"
    path.write_text('msgid "a"\nmsgstr "secret"\n')

    assert refused(str(path)) == [("line 1", "syntax")]


@pytest.mark.parametrize(
    ("name", "content", "by"),
    [
        ("de.po", b'msgid "a"\nmsgstr ""', ["gettext-po"]),
        ("x/DE.PO", b'\xef\xbb\xbf# c\nmsgctxt "c"\nmsgid "a"', ["gettext-po"]),
        ("app.pot", b'#\nmsgid ""\n', ["gettext-pot"]),
        ("", b'#: a.c\nmsgid "a"\nmsgstr ""', ["gettext-po"]),
        ("", b"{}", []),
        ("de.po", b"{}", ["gettext-po"]),
        ("de.json", b'msgid "a"\n', []),
        ("de.po", b"", ["gettext-po"]),
        ("de.po", b"\xef\xbb\xbfmsgid", ["gettext-po"]),
        ("", b'\xef\xbb\xbfmsgid "a"', ["gettext-po"]),
    ],
)
def test_a_file_is_known_by_its_name_and_without_one_by_a_msgid(
    formats, name, content, by
):
    file = SourceFile(name, content)

    assert [id for id, format_ in formats.items() if format_.recognizes(file)] == by


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("Ende", "End\n"),
        ("Ende\n", "End"),
        ("Ende", "\nEnd"),
        ("\nEnde", "End\n"),
        ({"one": "x\n", "other": "y"}, {"one": "End\n", "other": "Ends\n"}),
        ({"one": "x\n", "other": "y\n"}, {"one": "End\n", "other": "Ends"}),
    ],
)
def test_a_text_with_other_line_breaks_at_its_ends_is_marked_fuzzy(
    po, options, gettext_tools, value, source
):
    """msgfmt refuses the whole file for one of them."""
    entries = [
        Entry("end", value, not isinstance(value, str), source=source),
        Entry("whole", "ganz", source="whole"),
    ]

    written = po.write([Catalogue("de", entries)], options)

    told = "end does not begin and end with line breaks as its msgid does"
    assert written.warnings == [f"{told}, and is marked fuzzy"]
    assert written.content.count(b"#, fuzzy\n") == 1
    command = ["msgfmt", "--check", "--statistics", "-o", "/dev/null", "-"]
    done = subprocess.run(
        command, input=written.content, capture_output=True, check=False
    )
    assert b"1 translated message, 1 fuzzy translation." in done.stderr


def test_a_text_with_the_same_line_breaks_is_not_marked(po, options):
    entries = [
        Entry("end", "\nEnde\n", source="\nEnd\n"),
        Entry("between", "a\nb", source="a b"),
        Entry("nothing", None, source="End\n"),
    ]

    written = po.write([Catalogue("de", entries)], options)

    assert written.warnings == []
    assert b"fuzzy" not in written.content


@given(
    st.dictionaries(
        st.sampled_from(
            ["header", "obsolete", "headerNotes", "comment", "forms", "flags"]
        ),
        st.none() | st.text('a"\\\n') | st.lists(st.text()) | st.integers(),
    )
)
def test_a_detail_of_any_shape_does_no_harm(formats, detail):
    entry = Entry("a.b", "text", key_detail=detail, detail=detail)
    catalogue = Catalogue("ru", [entry], detail=detail)

    for format_ in formats.values():
        assert format_.write([catalogue], FileOptions(".", "en")).content

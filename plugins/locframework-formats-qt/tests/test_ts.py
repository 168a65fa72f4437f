"""Messages of Qt: their keys, forms, states and places in the file."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_qt import QtPlugin
from msgspec.structs import replace

from locframework.ports import (
    NOT_XML,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'


def file(*messages, language="de", context="Main"):
    return (
        f'{HEAD}<TS version="2.1" language="{language}">\n<context>\n'
        f"    <name>{context}</name>\n{''.join(messages)}</context>\n</TS>\n"
    )


def message(source, translation, attributes="", comment=""):
    return (
        f"    <message{attributes}>\n        <source>{source}</source>\n{comment}"
        f"        {translation}\n    </message>\n"
    )


def numerus(*forms, source="%n file(s)"):
    texts = "".join(f"<numerusform>{form}</numerusform>" for form in forms)
    return message(source, f"<translation>{texts}</translation>", ' numerus="yes"')


@pytest.fixture
def format_():
    return QtPlugin().loc_provide_formats()[0]


@pytest.fixture
def read(format_):
    def read(content, language=None):
        options = replace(OPTIONS, language_code=language)
        content = content if isinstance(content, bytes) else content.encode()
        return format_.read(SourceFile("x.ts", content), options)[0]

    return read


@pytest.fixture
def write(format_):
    def write(entries, language="de", template=None):
        template = None if template is None else template.encode()
        catalogue = Catalogue(language, entries, template=template)
        written = format_.write([catalogue], OPTIONS)
        return written.content.decode(), written.warnings

    return write


def test_the_key_is_context_source_and_comment_or_the_id(read):
    comment = "        <comment>verb</comment>\n"
    content = file(
        message("Open", "<translation>a</translation>"),
        message("Open", "<translation>b</translation>", comment=comment),
        message("Open", "<translation>c</translation>", ' id="menu.open"'),
    )

    found = read(content).entries

    assert [each.key for each in found] == [
        "Main\4Open",
        "Main\4Open\4verb",
        "menu.open",
    ]
    assert [each.description for each in found] == ["", "verb", ""]


def test_what_is_no_message_in_use_is_no_key_and_stays(read, write):
    content = file(
        message("Old", '<translation type="vanished">Alt</translation>'),
        message("Older", '<translation type="obsolete">Alt</translation>'),
        "    <message>\n        <source>None</source>\n    </message>\n",
        message("New", "<translation>Neu</translation>"),
    )
    [entry] = read(content).entries

    assert entry.key == "Main\4New"
    changed, _ = write([replace(entry, value="x")], template=content)
    assert changed == content.replace("Neu", "x")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (message("A", "<translation>x</translation>"), "it is there twice"),
        (message("", "<translation>x</translation>"), "it has no source text"),
        (
            message(
                "B",
                '<translation variants="yes"><lengthvariant>long</lengthvariant>'
                "<lengthvariant>l</lengthvariant></translation>",
            ),
            "it has elements in a text",
        ),
        (message('<byte value="xd800"/>', "<translation/>"), "elements in a text"),
        (message('<byte value="x"/>', "<translation/>"), "elements in a text"),
    ],
)
def test_a_message_that_cannot_be_read_is_left_out_and_stays(read, write, wrong, told):
    content = file(message("A", "<translation>a</translation>"), wrong)
    found = read(content)

    [warning] = found.warnings
    assert (told in warning, len(found.entries)) == (True, 1)
    changed, _ = write([replace(found.entries[0], value="b")], template=content)
    assert changed == content.replace(">a<", ">b<")


def test_bytes_are_characters_that_xml_does_not_have(read):
    content = message('a<byte value="x1b"/><byte value="13"/>', "<translation/>")
    assert read(file(content)).entries[0].source == "a\x1b\r"


@pytest.mark.parametrize(
    ("language", "texts", "value"),
    [
        ("de", "ab", {"one": "a", "other": "b"}),
        ("ru", "abc", {"one": "a", "few": "b", "many": "c"}),
        ("lv", "abc", {"one": "a", "other": "b", "zero": "c"}),
        ("ja", "a", {"other": "a"}),
        ("pt_BR", "ab", {"one": "a", "other": "b"}),
        ("sr@latin", "abc", {"one": "a", "few": "b", "other": "c"}),
        # as services write that follow CLDR; Qt takes the first ones
        ("cs", "abcd", {"one": "a", "few": "b", "other": "c", "many": "d"}),
        ("fr", "abc", {"one": "a", "other": "b", "many": "c"}),
        ("tr", "ab", {"other": "a", "one": "b"}),
        ("km", "a", {"other": "a"}),
    ],
)
def test_forms_are_in_the_order_of_qt(read, write, language, texts, value):
    content = file(numerus(*texts), language=language)
    found = read(content)

    assert (found.entries[0].value, found.warnings) == (value, [])
    entry = replace(found.entries[0], value={**value, "other": "x"})
    changed, warnings = write([entry], found.language_code, content)
    if "other" in value:
        at = [*value].index("other")
        assert changed == file(
            numerus(*texts[:at], "x", *texts[at + 1 :]), language=language
        )
        assert warnings == []


def test_a_form_that_the_language_lacks_is_told(read):
    found = read(file(numerus("a", "b", "c"), language="mk"))

    assert found.entries[0].value == {"one": "a", "other": "c"}
    assert "has a plural form that the language lacks" in found.warnings[0]


def test_forms_that_qt_does_not_have_are_told(write):
    entry = Entry("a", {"one": "x", "other": "y"}, True)

    content, warnings = write([entry], "ja")

    assert "<numerusform>y</numerusform>" in content
    assert ">x<" not in content
    assert warnings == ["a has a plural form that Qt does not have"]


def test_a_message_that_lacks_a_form_is_unfinished(write):
    content, warnings = write([Entry("a", {"one": "x"}, True)])

    assert '<translation type="unfinished">' in content
    assert content.count("<numerusform></numerusform>") == 1
    assert warnings == ["a lacks a plural form, and is unfinished"]


def test_forms_of_rare_numbers_are_filled(write):
    template = file(numerus("", "", "", ""), language="cs")
    entry = Entry(
        "Main\4%n file(s)",
        {"one": "a", "few": "b", "other": "c"},
        True,
        is_file_key=True,
    )

    content, warnings = write([entry], "cs", template)

    assert content == file(numerus("a", "b", "c", "c"), language="cs")
    assert warnings == []


def test_a_plural_text_of_a_plain_message_stays_plain(write):
    template = file(message("A", "<translation>a</translation>"))
    entry = Entry("Main\4A", {"other": "b"}, True, is_file_key=True)

    assert write([entry], template=template) == (template.replace(">a<", ">b<"), [])


def test_states_go_both_ways(read, write):
    content = file(
        message("A", '<translation type="unfinished">a</translation>'),
        message("B", "<translation>b</translation>"),
        message("C", '<translation type="unfinished"/>'),
    )
    a, b, c = read(content).entries

    assert [each.needs_review for each in (a, b, c)] == [True, False, False]
    turned = [
        replace(a, needs_review=False),
        replace(b, needs_review=True),
        replace(c, value="c"),
    ]
    assert write(turned, template=content)[0] == file(
        message("A", "<translation>a</translation>"),
        message("B", '<translation type="unfinished">b</translation>'),
        message("C", "<translation>c</translation>"),
    )
    cleared = write([a, replace(b, value=None), c], template=content)[0]
    assert cleared == content.replace(
        "<translation>b<", '<translation type="unfinished"><'
    )


def test_a_source_text_is_not_written_where_the_file_has_none(read, write):
    content = file(
        message("A", '<translation type="unfinished"></translation>'), language="en"
    )
    [entry] = read(content).entries

    assert write([replace(entry, value="A")], "en", content)[0] == content
    assert ">B</translation>" in write([replace(entry, value="B")], "en", content)[0]
    german = content.replace('"en"', '"de"')
    assert ">A</translation>" in write([replace(entry, value="A")], "de", german)[0]


def test_a_message_that_only_translations_have_is_not_added_to_the_source(write):
    template = file(message("A", "<translation>a</translation>"), language="en")
    known = Entry("Main\4A", "a", is_file_key=True)
    [same, other] = (Entry("Main\4B", b, is_file_key=True) for b in "Bb")

    assert write([known, same], "en", template)[0] == template
    assert ">b</translation>" in write([known, other], "en", template)[0]
    german = template.replace('"en"', '"de"')
    assert ">B</translation>" in write([known, same], "de", german)[0]


def test_new_messages_stand_in_their_contexts(read, write):
    template = file(message("A", "<translation>a</translation>"))
    [known] = read(template).entries
    new = [
        Entry("Main\4B\4c", "b", description="d\nc", is_file_key=True),
        Entry("Other\4C", "c", is_file_key=True),
        Entry("Main\4D", None, is_file_key=True),
        Entry("New\4D", None, is_file_key=True),
        Entry("pay", "p", source="Pay"),
    ]

    content, warnings = write([known, *new], template=template)

    more = "        <comment>c</comment>\n        <extracomment>d</extracomment>\n"
    expected = file(
        message("A", "<translation>a</translation>"),
        message("B", "<translation>b</translation>", comment=more),
    ).replace(
        "</TS>",
        "<context>\n    <name>Other</name>\n"
        + message("C", "<translation>c</translation>")
        + "</context>\n<context>\n    <name></name>\n"
        + message("Pay", "<translation>p</translation>", ' id="pay"')
        + "</context>\n</TS>",
    )
    assert (content, warnings) == (expected, [])


def test_contexts_may_have_one_name_or_no_messages(read, write):
    first = message("A", "<translation>a</translation>")
    second = message("B", "<translation>b</translation>")
    content = file(first).replace(
        "</TS>",
        f"<context>\n    <name>Empty</name>\n    </context>\n<context>\n"
        f"    <name>Main</name>\n{second}</context>\n</TS>",
    )
    entries = read(content).entries

    assert write(entries, template=content)[0] == content
    more = [*entries, Entry("Empty\4C", "c", is_file_key=True)]
    assert write(more, template=content)[0] == content.replace(
        "<name>Empty</name>\n",
        "<name>Empty</name>\n" + message("C", "<translation>c</translation>"),
    )


@pytest.mark.parametrize("key", ["a\x01", "a\x01\4b"])
def test_a_name_with_characters_that_xml_lacks_is_told(write, key):
    content, warnings = write([Entry(key, "x", name="a-1", is_file_key=True)])

    assert "<message" not in content
    assert warnings == ["a-1 is left out: its name has control characters"]


def test_many_contexts_of_one_name_are_read_in_time(read):
    empty = "<context><name>Main</name></context>\n" * 20_000
    content = file(message("A", "<translation>a</translation>"))

    found = read(content.replace("</TS>", f"{empty}</TS>"))

    assert len(found.entries) == 1


def test_a_new_file_has_all_messages(write):
    entries = [
        Entry("Main\4A", None, source="A", is_file_key=True),
        Entry("Main\4%n", None, True, source={"other": "%n"}, is_file_key=True),
    ]

    content, _ = write(entries, "pt-BR")

    assert '<TS version="2.1" language="pt_BR" sourcelanguage="en">' in content
    assert content.count('<translation type="unfinished">') == 2
    assert content.count("<numerusform></numerusform>") == 2


def test_a_file_that_is_none_any_more_is_written_anew(write):
    entry = Entry("a", "x")
    for template in ("<TS/>", "{}", "<resources></resources>"):
        assert write([entry], template=template) == write([entry])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.ts", file(), True),
        ("x.TS", "<TS language='de' version='2.0'></TS>", True),
        ("x.xml", file(), False),
        ("x.ts", "class A<TS extends B> {}", False),
    ],
)
def test_files_are_recognized_by_their_root(format_, name, content, expected):
    assert format_.recognizes(SourceFile(name, content.encode())) is expected


def test_the_language_is_that_of_the_file(read):
    codes = {"de_DE": "de-DE", "sr@latin": "sr-Latn", "": None, "C": None}
    for said, code in codes.items():
        assert read(file(language=said)).language_code == code


def test_elements_are_refused_with_their_line(read):
    with pytest.raises(UnreadableFile) as caught:
        read(f"{HEAD}<TS>\n<context>")

    assert caught.value.details[0].path == "line 4"


TEXT = st.text(st.characters(exclude_characters="\0\4", exclude_categories=("Cs",)))
NAME = TEXT.filter(lambda text: not NOT_XML.search(text))
MESSAGE = st.tuples(NAME, TEXT.filter(bool), TEXT, TEXT)


@settings(deadline=None)
@given(st.lists(MESSAGE, unique_by=lambda message: message[:3]))
def test_any_message_comes_back(messages):
    format_ = QtPlugin().loc_provide_formats()[0]
    entries = []
    for context, source, comment, text in messages:
        key = "\4".join([context, source, *filter(None, [comment])])
        description = "\n".join(filter(None, [comment]))
        entries.append(
            Entry(
                key,
                text or None,
                description=description,
                source=source,
                is_file_key=True,
            )
        )

    written = format_.write([Catalogue("de", entries)], OPTIONS)
    [found] = format_.read(SourceFile("x.ts", written.content), OPTIONS)

    assert {replace(e, line=None, is_file_key=True) for e in found.entries} == {
        *entries
    }
    assert written.warnings == found.warnings == []

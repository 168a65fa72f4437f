"""What templates keep, and what is told."""

import difflib

import pytest
from locframework_formats_android import AndroidPlugin
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(".", "en")
PLURALS = """<resources>
    <plurals name="n">
        <!-- rare -->
        <item quantity="few">few</item>
        <item quantity="other">others</item>
    </plurals>
    <string-array name="a">
        <item>A</item>
        <item>B</item>
    </string-array>
</resources>
"""


@pytest.fixture
def android():
    return AndroidPlugin().loc_provide_formats()[0]


def written(format_, entries, template=None, language="en"):
    """The file of some entries, and its warnings."""
    content = None if template is None else template.encode()
    catalogue = Catalogue(language, entries, template=content)
    done = format_.write([catalogue], OPTIONS)
    return done.content.decode(), done.warnings


def read(format_, text):
    """The entries of a file by key, and its warnings."""
    [found] = format_.read(SourceFile("strings.xml", text.encode()), OPTIONS)
    return {entry.key: entry for entry in found.entries}, found.warnings


def changes(old, new):
    """The lines that went and came, without their indentation."""
    diff = difflib.ndiff(old.splitlines(), new.splitlines())
    return [line[0] + line[2:].strip() for line in diff if line[0] in "-+"]


def string(text, attributes=""):
    return f"<resources><string name='a'{attributes}>{text}</string></resources>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('"it\'s  so"', "it's  so"),
        ("a \\n b", "a \n b"),
        ("a\\u0020 b", "a  b"),
        ("\\&apos;&quot; x &quot;", "' x "),
        ("a <!-- no --> b", "a b"),
        ("a &amp; <!-- &#99999999999; --> b", "a & b"),
        ("x <b>y  z</b>", "x <b>y z</b>"),
        ("\\&amp; <b>\\&apos;&#176;</b>", "&amp; <b>'°</b>"),
        (
            '"a  <xliff:g xmlns:xliff="x">b</xliff:g>  c"',
            'a  <xliff:g xmlns:xliff="x">b</xliff:g>  c',
        ),
        ('"a  <b>b</b>  c"', "a  <b>b</b> c"),
        ("@user", "@user"),
        ("50% &#x263A;", "50% ☺"),
        ("C:\\\\new", "C:\\new"),
    ],
)
def test_a_text_is_what_aapt_reads(android, content, text):
    entries, _ = read(android, string(content))

    assert entries["a"].value == text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('it\'s "so"', 'it\\\'s \\"so\\"'),
        ("?what @now", "\\?what @now"),
        ("<b>it's</b> &amp; so", "<b>it\\'s</b> &amp; so"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("<b>broken", "&lt;b&gt;broken"),
        ("\x1b\r", "\\u001B\\u000D"),
    ],
)
def test_a_new_text_is_written_with_escapes(android, text, content):
    made, _ = written(android, [Entry("a", text)])

    assert f'<string name="a">{content}</string>' in made
    assert read(android, made)[0]["a"].value == text


def test_markup_is_written_as_the_file_has_it(android):
    for content in ("<![CDATA[<i>x</i>]]>", "&lt;i&gt;x&lt;/i&gt;", "<i>x</i>"):
        template = string(content)
        [entry] = read(android, template)[0].values()
        new = replace(entry, value="<b>y</b>")
        filled, _ = written(android, [new], template)

        made, _ = written(android, [new])

        expected = content.replace("i>", "b>").replace("i&", "b&").replace("x", "y")
        assert filled == string(expected)
        assert f">{expected}</string>" in made


def test_broken_markup_is_written_as_text_and_told(android):
    filled, warnings = written(android, [Entry("a", "<b>x")], string("<b>y</b>"))

    assert filled == string("&lt;b&gt;x")
    assert warnings == ["'a' is written as text: its markup is not well-formed"]


def test_the_namespace_of_xliff_is_declared_where_it_is_needed(android):
    root = '<resources xmlns:t="t" t:locale="en"\n>\n</resources>\n'
    template = f"<!-- <resources> -->\n{root}"

    filled, _ = written(android, [Entry("a", "<xliff:g>%d</xliff:g>")], template)

    assert '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" xm' in filled
    assert read(android, filled)[0]["a"].value == "<xliff:g>%d</xliff:g>"


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ("<resources/>\n", "<resources>\n    {}\n</resources>\n"),
        ("<resources>\n</resources>\n", "<resources>\n    {}\n</resources>\n"),
        ("<resources></resources>", "<resources>\n    {}\n</resources>"),
    ],
)
def test_the_first_text_is_written_into_the_root(android, root, expected):
    head = "<?xml version='1.0'?>\n<!-- ours -->\n"

    filled, _ = written(android, [Entry("a", "x")], head + root)

    assert filled == head + expected.format('<string name="a">x</string>')
    assert written(android, [Entry("a")], head + root)[0] == head + root


def test_an_empty_string_is_no_key_and_gets_a_text(android):
    template = "<resources>\n<string name='a' />\n<plurals name='b'/>\n</resources>\n"
    assert read(android, template) == ({}, [])
    assert written(android, [], template)[0] == template

    entries = [Entry("a", "x"), Entry("b", {"other": "y"}, is_plural=True)]
    filled, _ = written(android, entries, template)

    assert changes(template, filled) == [
        "-<string name='a' />",
        "+<string name='a' >x</string>",
        "-<plurals name='b'/>",
        '+<plurals name="b">',
        '+<item quantity="other">y</item>',
        "+</plurals>",
    ]


def test_a_plural_form_changes_comes_and_goes_alone(android):
    texts = {"one": "one", "few": "few!", "other": "others"}
    entries = read(android, PLURALS)[0]
    entries["n"] = replace(entries["n"], value=texts)

    filled, _ = written(android, list(entries.values()), PLURALS)
    entries["n"] = replace(entries["n"], value={"other": "others"})
    fewer, _ = written(android, list(entries.values()), filled)

    assert changes(PLURALS, filled) == [
        '+<item quantity="one">one</item>',
        '-<item quantity="few">few</item>',
        '+<item quantity="few">few!</item>',
    ]
    assert changes(filled, fewer) == [
        '-<item quantity="one">one</item>',
        "-<!-- rare -->",
        '-<item quantity="few">few!</item>',
    ]


def test_items_of_an_array_keep_their_positions(android):
    entries = {**read(android, PLURALS)[0], "a.3": Entry("a.3", "D")}
    del entries["a.0"]

    filled, _ = written(android, list(entries.values()), PLURALS)

    assert changes(PLURALS, filled) == [
        "-<item>A</item>",
        "+<item></item>",
        "+<item></item>",
        "+<item>D</item>",
    ]


def test_an_array_without_texts_goes_but_not_its_references(android):
    array = "<string-array name='a'><item>{}</item></string-array>"
    template = f"<resources>{array.format('@string/x')}{array.format('x')}</resources>"
    template = template.replace("'a'", "'b'", 1)

    entries, _ = read(android, template)

    assert list(entries) == ["a.0"]
    assert written(android, [], template)[0] == template.replace(array.format("x"), "")


def test_a_plural_of_one_form_may_stay_a_string(android):
    entry = Entry("a", {"other": "x"}, is_plural=True)
    assert written(android, [entry], string("x"))[0] == string("x")

    entry = Entry("a", {"one": "x", "other": "y"}, is_plural=True)
    assert '<plurals name="a">' in written(android, [entry], string("x"))[0]


def test_what_is_no_text_is_kept_and_no_key(android):
    for template in (
        string("x", " translatable='false'"),
        string("x", " product='tablet'"),
        string("@string/b"),
        string("@android:string/ok"),
        string("?attr/b"),
        string("@null"),
        "<resources><item type='string' name='a'>x</item></resources>",
        "<resources><array name='a'><item>x</item></array></resources>",
    ):
        assert read(android, template) == ({}, [])
        assert written(android, [], template)[0] == template


def test_a_name_of_what_is_no_text_is_not_written_again(android):
    template = string("x", " translatable='false'")

    filled, warnings = written(android, [Entry("a", "y")], template)

    assert filled == template
    assert warnings == ["'a' is left out: the file has its name for what is no text"]


@pytest.mark.parametrize("content", ["\\uD83E", "\\u0000", "\\u12"])
def test_a_text_that_is_none_is_left_out_with_its_line_and_kept(android, content):
    template = f"\n{string(content)}"

    entries, warnings = read(android, template)

    message = "line 2: <string> 'a' is left out: it has an escape that is no character"
    assert (entries, warnings) == ({}, [message])
    assert written(android, [], template)[0] == template


def test_a_plural_with_the_name_of_a_string_is_left_out_and_kept(android):
    plural = "<plurals name='a'><item quantity='other'>y</item></plurals></resources>"
    template = string("x").replace("</resources>", f"\n{plural}")

    entries, warnings = read(android, template)

    assert list(entries) == ["a"]
    assert warnings == [
        "line 2: <plurals> 'a' is left out: <string> on line 1 has its name"
    ]
    assert written(android, list(entries.values()), template)[0] == template


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("%s of %d", True),
        ("%1$s of %d", True),
        ("%1$s of %2$d", False),
        ("%s, 100 %%", False),
        ("%s%n", False),
    ],
)
def test_several_placeholders_need_positions(android, text, is_told):
    _, warnings = written(android, [Entry("a", text)])

    told = "'a' has several placeholders without positions (%1$s)"
    assert warnings == [told] * is_told
    plural = Entry("a", {"other": text}, is_plural=True)
    assert written(android, [plural])[1] == []


def test_names_and_plurals_that_android_does_not_accept_are_told(android):
    entries = [
        Entry("Sign in", "x", is_file_key=True, name="sign-in-a626632de3d4"),
        Entry("n", {"one": "x"}, is_plural=True),
        Entry("a\x1b", "x", is_file_key=True, name="a-1b"),
        Entry("a.b-c_d", "x", description="a--b"),
    ]

    filled, warnings = written(android, entries)

    assert warnings == [
        "'sign-in-a626632de3d4' is no name that Android accepts",
        "'n' has no text for 'other', which is needed",
        "'a-1b' is left out: the file has its name for what is no text",
        "'a.b-c_d' has a description that no comment can have as it is",
    ]
    assert "<!-- a- -b -->" in filled


def test_descriptions_are_written_in_the_source_language(android):
    entry = Entry("a", "x", description="A button")

    assert "<!-- A button -->" in written(android, [entry])[0]
    assert "<!--" not in written(android, [entry], language="de")[0]


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("res/values/strings.xml", string("x"), ["android-xml"]),
        ("composeResources/values/strings.xml", string("x"), ["compose-xml"]),
        ("res/values/arrays.xml", "<!-- a --><!-- b -->" + PLURALS, ["android-xml"]),
        ("res/values/colors.xml", "<resources><color name='a'/></resources>", []),
        ("pom.xml", "<project><string /></project>", []),
        ("x.xml", "<!-- a -->" * 10_000 + "<x>", []),
    ],
)
def test_files_of_both_formats_are_recognized_by_folder(name, content, ids):
    file = SourceFile(name, content.encode())
    formats = AndroidPlugin().loc_provide_formats()

    assert [each.info.id for each in formats if each.recognizes(file)] == ids

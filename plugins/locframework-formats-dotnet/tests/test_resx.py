"""What templates keep, and what is told."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_dotnet import DotnetPlugin
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(".", "en")
DATA = """<root>
\t<data name="a" xml:space="preserve">
\t\t<value>A</value>
\t</data>
\t<data name="b" xml:space="preserve">
\t\t<value>B</value>
\t\t<comment>old</comment>
\t</data>
</root>
"""


@pytest.fixture
def resx():
    return DotnetPlugin().loc_provide_formats()[0]


def data(content, attributes="", name="a"):
    return f'<root>\n<data name="{name}"{attributes}>{content}</data>\n</root>\n'


def read(format_, text):
    """The texts of a file by key, and its warnings."""
    [found] = format_.read(SourceFile("x.resx", text.encode()), OPTIONS)
    return {entry.key: entry.value for entry in found.entries}, found.warnings


def written(format_, entries, template=None, language="en"):
    """The file of some entries, and its warnings."""
    content = None if template is None else template.encode()
    catalogue = Catalogue(language, entries, template=content)
    done = format_.write([catalogue], OPTIONS)
    return done.content.decode(), done.warnings


ANY = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=["Cc"],
        exclude_characters="\ufffe\uffff",
        include_characters="\n\r\t",
    )
)


NAMES = ANY.filter(lambda name: name and not name.startswith(">>"))


@settings(deadline=None)
@given(st.dictionaries(NAMES, ANY.filter(bool)))
def test_another_reader_of_xml_reads_what_was_written(texts):
    [format_, _] = DotnetPlugin().loc_provide_formats()

    made, _ = written(format_, [Entry(key, text) for key, text in texts.items()])

    assert read(format_, made)[0] == texts
    data = ElementTree.fromstring(made).iter("data")
    assert {each.attrib["name"]: each.findtext("value") for each in data} == texts


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<value>&amp;lt; &#x263A;</value>", "&lt; ☺"),
        ("<value>a\r\nb&#xD;\n</value>", "a\nb\r\n"),
        ("<value> <!-- no -->x<?no?> </value>", " x "),
        ("<comment>c</comment><value>x<![CDATA[<&lt;]]></value>", "x<&lt;"),
    ],
)
def test_a_text_is_what_xml_means(resx, content, text):
    assert read(resx, data(content)) == ({"a": text}, [])


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        (' type="System.Drawing.Size, System.Drawing"', "a"),
        (' type="System.String[], mscorlib"', "a"),
        (' type="System.Resources.ResXFileRef, System.Windows.Forms"', "a"),
        (' mimetype="application/x-microsoft.net.object.binary.base64"', "a"),
        (' xml:space="preserve"', "&gt;&gt;a.Name"),
        (' xml:space="preserve"', ">>a.Type"),
    ],
)
def test_what_is_no_text_is_kept_and_no_key(resx, attributes, name):
    template = data("<value>x</value>", attributes, name)

    assert read(resx, template) == ({}, [])
    assert written(resx, [], template)[0] == template


def test_the_name_of_what_is_no_text_is_not_written_again(resx):
    template = data("<value>1, 2</value>", ' type="System.Drawing.Size"')

    filled, warnings = written(resx, [Entry("a", "x"), Entry(">>b", "x")], template)

    assert filled == template
    told = "is left out: the file cannot have a text of this name"
    assert warnings == [f"a {told}", f">>b {told}"]


def test_a_text_with_elements_is_left_out_with_its_line_and_kept(resx):
    template = data("<value>a <b>x</b></value>")

    told = "line 2: 'a' is left out: it has elements in its text"
    assert read(resx, template) == ({}, [told])
    assert written(resx, [], template)[0] == template


def test_the_first_of_two_texts_of_a_name_is_taken_and_told(resx):
    one = '<data name="{}"><value>{}</value></data>\n'
    template = f"<root>\n{one.format('a', 1)}{one.format('a', 2)}</root>"

    told = "line 3: 'a' is left out: line 2 has its name"
    assert read(resx, template) == ({"a": "1"}, [told])
    filled, _ = written(resx, [Entry("a", "x")], template)
    assert filled == template.replace("1", "x")


def test_names_that_differ_only_in_case_are_told(resx):
    entries = [Entry("a", "1"), Entry("A", "2")]

    made, warnings = written(resx, entries)

    assert warnings == ["A differs only in case from 'a'"]
    texts, [told] = read(resx, made)
    assert texts == {"a": "1", "A": "2"}
    assert told == "line 18: 'A' differs from the name on line 15 only in case"


def test_new_texts_are_written_as_those_of_the_file(resx):
    template = DATA.replace("\n", "\r\n")
    entries = [Entry("a", "A"), Entry("c", "one\ntwo", description="new")]

    filled, _ = written(resx, [*entries, Entry("b", "B")], template)

    new = """\t<data name="c" xml:space="preserve">
\t\t<value>one
two</value>
\t\t<comment>new</comment>
\t</data>
\t<data name="b\""""
    assert filled == template.replace('\t<data name="b"', new.replace("\n", "\r\n"))


def test_descriptions_change_in_the_source_language(resx):
    entries = [Entry("a", "A", description="a <b>"), Entry("b", "X", description="c")]

    filled, _ = written(resx, entries, DATA)
    in_german, _ = written(resx, entries, DATA, "de")

    new = "A</value>\n\t\t<comment>a &lt;b&gt;</comment>"
    assert filled == DATA.replace("A</value>", new).replace("B<", "X<").replace(
        "old", "c"
    )
    assert in_german == DATA.replace("B<", "X<")


def test_comments_of_translators_are_no_descriptions(resx):
    file = SourceFile("x.de.resx", DATA.encode())

    [german] = resx.read(file, replace(OPTIONS, language_code="de"))
    [english] = resx.read(file, replace(OPTIONS, language_code="en"))

    assert [entry.description for entry in german.entries] == ["", ""]
    assert [entry.description for entry in english.entries] == ["", "old"]


@pytest.mark.parametrize("charset", ["utf-16", "iso-8859-1"])
def test_a_file_keeps_its_charset(resx, charset):
    text = f'<?xml version="1.0" encoding="{charset}"?>' + DATA.replace("A<", "Ä<")
    catalogue = Catalogue("de", [Entry("a", "Ö"), Entry("b", "B")])

    made = resx.write([replace(catalogue, template=text.encode(charset))], OPTIONS)

    assert made.content == text.replace("Ä", "Ö").encode(charset)
    declared = made.content_type(resx.info)
    assert declared == f"application/xml; charset={charset}"


def test_cdata_stays_cdata(resx):
    template = data("<value><![CDATA[<b>x</b>]]></value>")

    for text in ("<i>y</i>", "]]>"):
        filled, _ = written(resx, [Entry("a", text)], template)
        assert "<![CDATA[" in filled
        assert read(resx, filled)[0] == {"a": text}


@pytest.mark.parametrize("value", ["<value />", "<value></value>"])
def test_an_empty_text_is_no_key_and_gets_a_text(resx, value):
    filled, _ = written(resx, [Entry("a", "x")], data(value))

    assert read(resx, data(value)) == ({}, [])
    assert filled.splitlines()[1].endswith(">x</value></data>")
    assert read(resx, filled) == ({"a": "x"}, [])
    for entries in ([], [Entry("a")]):
        assert written(resx, entries, data(value))[0] == data(value)


@pytest.mark.parametrize("root", ["<root/>", "<root>\n</root>", "<root></root>"])
def test_an_empty_file_gets_its_first_text(resx, root):
    filled, _ = written(resx, [Entry("a", "x")], root)

    assert read(resx, filled)[0] == {"a": "x"}
    assert written(resx, [], root)[0] == root


def test_characters_that_xml_cannot_have_are_left_out_and_told(resx):
    made, warnings = written(resx, [Entry("a", "x\x1by"), Entry("b\x1b", "x")])

    assert read(resx, made)[0] == {"a": "xy"}
    assert len(warnings) == 2


def test_a_plural_has_one_text_and_is_told(resx):
    entry = Entry("a", {"one": "1", "other": "n"}, is_plural=True)

    made, warnings = written(resx, [entry])

    assert read(resx, made)[0] == {"a": "n"}
    assert warnings == ["a has only one text: resource files have no plural forms"]


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("Properties/Resources.de.resx", "<root/>", ["resx"]),
        ("Strings/de-DE/Resources.resw", "<root/>", ["resw"]),
        ("Resources.resx", "{}", []),
        ("web.xml", "<root/>", []),
    ],
)
def test_files_are_recognized_by_extension_and_root(name, content, ids):
    file = SourceFile(name, content.encode())
    formats = DotnetPlugin().loc_provide_formats()

    assert [each.info.id for each in formats if each.recognizes(file)] == ids


def test_a_hundred_thousand_texts_take_linear_time(resx):
    one = '<data name="{}"><value>x</value></data>\n'
    text = "".join(one.format(n) for n in range(100_000))

    assert len(read(resx, f"<root>{text}</root>")[0]) == 100_000

"""XML files are read with the places of their elements, and refused when hostile."""

import pytest

from locframework.errors import UnreadableFile
from locframework.ports import XmlFile, with_xml_attribute, xml_attribute

CONTENT = """\
<?xml version='1.0'?>
<!-- > --><r a='">' xmlns:n="u">
  <b  n:c = "&lt;&#10;"  />\r
\t<b>ü<![CDATA[<]]></b ><n:d/>
</r>
""".encode()


def test_elements_know_their_places():
    file = XmlFile.of(CONTENT)
    first, second, third = file.root.elements()

    assert file.raw(file.root.start, file.root.inner) == """<r a='">' xmlns:n="u">"""
    assert file.raw(first.start, first.end) == '<b  n:c = "&lt;&#10;"  />'
    assert file.raw(second.inner, second.close) == "ü<![CDATA[<]]>"
    assert file.raw(second.close, second.end) == "</b >"
    assert [e.line for e in (first, second, third)] == [3, 4, 4]
    assert [e.name for e in (first, second, third)] == ["b", "b", "u d"]
    assert first.attributes == {"u c n": "<\n"}
    assert second.text() == "ü<"
    assert file.tag(first) == '<b  n:c = "&lt;&#10;">'
    assert (file.lead(first.start), file.lead(third.start)) == ("\n  ", "")
    assert file.lead(second.start) == "\r\n\t"
    assert file.raw(*file.lines(first)) == '  <b  n:c = "&lt;&#10;"  />\r\n'
    assert file.edited(
        second.start, third.end, [(second.inner, second.close, "x")]
    ) == ("<b>x</b ><n:d/>")


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "iso8859-1"])
def test_a_file_stays_in_its_charset(charset):
    text = f'<?xml version="1.0" encoding="{charset.removesuffix("-sig")}"?><r>ü</r>'
    file = XmlFile.of(text.encode(charset))

    assert file.root.text() == "ü"
    assert file.encoded(text) == text.encode(charset)
    expected = text.replace("ü", "€" if "utf" in charset else "&#8364;")
    assert file.encoded(text.replace("ü", "€")) == expected.encode(charset)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"<r>\n<a></r>", 2),
        (b"<r/>\n<r/>", 2),
        (b"", 1),
        (b"\n<!DOCTYPE r>\n<r/>", 2),
        (b'<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><r>&e;</r>', 1),
        (b"<r>\n&nbsp;</r>", 2),
        (b"<r>" + b"<a>\n" * 200, 100),
        (b'<?xml version="1.0" encoding="x-none"?><r/>', 1),
        (b'<?xml version="1.0" encoding="utf-7"?>\n<r>\xff</r>', 2),
    ],
)
def test_a_broken_or_hostile_file_is_refused_with_its_line(content, line):
    with pytest.raises(UnreadableFile) as caught:
        XmlFile.of(content)

    assert caught.value.details[0].path == f"line {line}"


PLIST = '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://127.0.0.1/">'


@pytest.mark.parametrize("doctype", ["<!DOCTYPE plist>", PLIST])
def test_a_doctype_may_just_name_the_format(doctype):
    assert XmlFile.of(f"{doctype}<plist>&#65;</plist>".encode(), "plist").root


@pytest.mark.parametrize(
    "content",
    [
        "<!DOCTYPE x><x/>",
        "<!DOCTYPE plist []><plist/>",
        '<!DOCTYPE plist SYSTEM "x" [<!ENTITY e "x">]><plist>&e;</plist>',
        "<!DOCTYPE plist><plist>&e;</plist>",
        f"{PLIST}<plist>&e;</plist>",
    ],
)
def test_another_doctype_and_entities_are_refused(content):
    with pytest.raises(UnreadableFile):
        XmlFile.of(content.encode(), "plist")


def test_attributes_are_set_in_place():
    assert with_xml_attribute("<a b = 'x>' c=\"1\">", "b", 'y"') == (
        '<a b="y&quot;" c="1">'
    )
    assert with_xml_attribute("<a  >", "b", "<\n>") == '<a b="&lt;&#10;>">'
    assert xml_attribute("b", "\t") == ' b="&#9;"'

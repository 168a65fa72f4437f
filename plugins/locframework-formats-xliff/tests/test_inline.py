"""Texts with inline elements are the same after writing and reading, and files too."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_xliff.inline import NotInline, text_of, xml_of

from locframework.ports import NOT_XML, XmlFile

PIECES = (
    *('<x id="1"/>', "<x id='1'/>", '<g id="1">', "</g>", '<pc id="1">', "</pc >"),
    *(
        "<x/>",
        "<g>",
        '<x id="1">',
        "<em>",
        "</em>",
        '<ph  id="&lt;b>"/>',
        '<x id="<"/>',
    ),
    *("&lt;", "&amp;lt;", "&amp;", "&", "<", ">", '"', "x", " ", "\r", "\x1b", "]]>"),
    *('x id="1"/>', '<mrk xmlns:a="u" mtype="x" a:b="c"/>', '<x id="1" a:b="c"/>'),
)


def read(xml):
    return text_of(XmlFile.of(f"<t>{xml}</t>".encode()).root.children)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_any_text_is_well_formed_and_comes_back(text):
    found = read(xml_of(text, ""))

    # but for how the attributes of tags are laid out
    assert read(xml_of(found, "")) == found
    if "'" not in text and "  " not in text and "</pc >" not in text:
        assert found == text


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_what_a_file_has_as_text_stays_text(literal):
    escaped = NOT_XML.sub("", literal).replace("&", "&amp;").replace("<", "&lt;")
    escaped = escaped.replace(">", "&gt;").replace("\r", "&#13;")
    for xml in (escaped, f'{escaped}<x id="0"/>{escaped}'):
        assert xml_of(read(xml), "") == xml


@pytest.mark.parametrize(
    ("text", "xml"),
    [
        ('Tom & <x id="1"/>', 'Tom &amp; <x id="1"/>'),
        ('<x id="1" />', '<x id="1" />'),
        ("<b>Bold</b>", "&lt;b&gt;Bold&lt;/b&gt;"),
        ('<g id="1">open', '&lt;g id="1"&gt;open'),
        ('<g id="1"><x id="2"/></pc></g>', None),
        ("H<sub>2</sub>O <em>x</em>", None),
        ('<x id="1" id="2"/>', None),
        ('<x id="1" a:b="c"/>', None),
        ('&lt;x id="1"/>', '&lt;x id="1"/&gt;'),
        ('&lt;x id="1"/> <x id="2"/>', '&lt;x id="1"/&gt; <x id="2"/>'),
    ],
)
def test_only_inline_elements_that_match_are_elements(text, xml):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    assert xml_of(text, "") == (escaped if xml is None else xml)


def test_elements_have_the_prefix_of_the_file():
    assert xml_of('<g id="1">\x1b</g>', "x:") == '<x:g id="1"><x:cp hex="001B"/></x:g>'


@pytest.mark.parametrize("xml", ["<b>x</b>", "<g>x</g>", '<cp hex="0"/>', "<cp/>"])
def test_other_elements_are_refused(xml):
    with pytest.raises(NotInline):
        read(xml)


def test_a_long_text_is_read_in_time_that_grows_with_it():
    text = (
        "<x id='" * 20_000 + "&amp;" * 20_000 + "<x " + " " * 20_000 + "<g id=" * 20_000
    )

    assert read(xml_of(text, "")) == text

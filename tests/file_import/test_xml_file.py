"""Files that are nearly XML are read; what is mended is named with its element."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locframework.errors import UnreadableFile
from locframework.file_import import xml_file
from locframework.file_import.xml_file import OwnDoctype, read_elements

DOCTYPE = OwnDoctype("r", "", re.compile("r[.]dtd"), "r.dtd")


class Pieces(io.RawIOBase):
    """A file that is read in pieces of these sizes, and then of one byte."""

    def __init__(self, content, sizes):
        self._content, self._sizes = io.BytesIO(content), iter(sizes)

    def read(self, size=-1):
        return self._content.read(next(self._sizes, 1))


def items(content, sizes=None):
    file = Pieces(content, sizes or [len(content)])
    return list(read_elements(file, "R", DOCTYPE, ("r",), "i"))


def item(content):
    [found] = items(f"<r>{content}</r>".encode())
    return found


MARKUP = st.sampled_from(
    [
        "<!-- &nbsp; \x01 \ufdd0 -->",
        "<!---->",
        "<![CDATA[&nbsp;\x01\ufdd0]]]>",
        "<?x &nbsp;?>",
        "<a b='&nbsp;\x02&#xfdd0;'/>",
        "<a>",
        "</a>",
        "&lt;&#x41;",
        "\ufdd0",
        "&",
        "]",
        "-",
        "\n",
        "&CounterClockwiseContourIntegral;",
    ]
)


@given(
    st.lists(st.one_of(MARKUP, st.text("&;#xn<>a"))).map("".join),
    st.lists(st.integers(1, 9)),
)
def test_how_a_file_is_cut_into_pieces_makes_no_difference(text, sizes):
    content = f"<r>&nbsp;<i>{text}</i>\x01<i>z</i></r>".encode()

    def found(sizes):
        try:
            return [
                (each.text(), each.mended, each.line) for each in items(content, sizes)
            ]
        except UnreadableFile as refusal:
            return refusal.details

    assert found(sizes) == found([len(content)])


@pytest.mark.parametrize(
    ("content", "text", "mended"),
    [
        ("a&#13;&#xFDD0;\ufdd0", "a\r\ufdd0\ufdd0", ""),
        ("<![CDATA[&nbsp;<!--]]>", "&nbsp;<!--", ""),
        ("<!-- \x01&nbsp; --><?p \x01&nbsp;?>", "", ""),
        ("<![CDATA[\x01]]>", "", "U+0001: left out, as XML cannot hold it"),
        ("&#x1f;", "", "&#x1f;: left out, as XML cannot hold it"),
        ("&eacute;", "é", "&eacute;: read as in HTML, as XML has no such entity"),
        (
            "R&D &c;",
            "R&D &c;",
            "&, &c;: kept as text, as it is no reference that XML has",
        ),
    ],
)
def test_what_is_no_xml_is_mended_and_named(content, text, mended):
    found = item(f"<i>{content}</i>")

    assert (found.text(), found.mended) == (text, mended)


def test_what_is_mended_in_an_attribute_is_named_too():
    found = item("<o a='&nbsp;'/><i a='&nbsp;'><b c='&copy;\x01'/></i>")

    [inside] = found.elements("b")
    assert (found.attributes, inside.attributes) == ({"a": "\xa0"}, {"c": "©"})
    assert found.mended == (
        "&nbsp;, &copy;: read as in HTML, as XML has no such entity; "
        "U+0001: left out, as XML cannot hold it"
    )


def test_what_is_mended_is_named_once_and_with_its_own_element():
    first, second, last = items(b"<r>\x01<i>\x02\x02</i>\x03<i/><i>&nbsp;</i></r>")

    assert first.mended == "U+0002: left out, as XML cannot hold it"
    assert second.mended == ""
    assert last.mended.startswith("&nbsp;: read as in HTML")


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", "utf-16"),
        ("utf-8-sig", "iso-8859-1"),
        ("utf-16", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-8"),
        ("utf-16-be", "utf-16"),
        ("cp1252", "windows-1252"),
        ("shift_jis", "Shift_JIS"),
        ("gb18030", "GB18030"),
    ],
)
def test_the_bytes_decide_the_encoding_and_then_the_declaration(encoding, declared):
    sign = "あ" if encoding.startswith(("shift", "gb")) else "ü"
    text = f'<?xml version="1.0" encoding="{declared}"?><r><i>{sign}</i></r>'

    [found] = items(text.encode(encoding))

    assert found.text() == sign


def test_half_of_a_surrogate_pair_costs_no_more_than_itself():
    text = "<r><i>a\ud83db</i></r>"

    for encoding in ("utf-8", "utf-16-le"):
        [found] = items(text.encode(encoding, "surrogatepass"))
        assert found.text() == "ab"
        assert found.mended == "U+D83D: left out, as XML cannot hold it"


@pytest.mark.parametrize("name", ["klingon", "zlib", "utf-7", "punycode", "idna"])
def test_an_encoding_that_is_not_known_is_refused(name):
    with pytest.raises(UnreadableFile, match=f"line 1: the encoding '{name}'"):
        items(f'<?xml version="1.0" encoding="{name}"?><r/>'.encode())


def test_bytes_that_are_not_of_the_encoding_are_refused_with_their_line():
    content = b"<r>\n" + b"<i>x</i>\n" * 10_000 + b"<i>\n\xff</i></r>"

    with pytest.raises(UnreadableFile, match="line 10003: the text is not UTF-8"):
        items(content, [70_000, 70_000])


@pytest.mark.parametrize(
    "head",
    [
        "<!DOCTYPE r [<!ENTITY a 'b'>]>",
        "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE r SYSTEM '<!--'>",
        "<!DOCTYPE r [<!-- -->]>",
        "<!DOCTYPE r SYSTEM '&a;'>",
    ],
)
def test_no_file_has_entities_of_its_own(head):
    with pytest.raises(UnreadableFile, match="a DOCTYPE is accepted only"):
        items(f"{head}<r><i>&a;</i><!-- --></r>".encode())


def test_a_text_of_nothing_but_references_is_bounded():
    count = xml_file.ITEM_LIMIT // 10

    with pytest.raises(UnreadableFile, match="has more than 4,194,304 characters"):
        items(b"<r><i>" + b"&nonesuch;" * (count + 1) + b"</i></r>")

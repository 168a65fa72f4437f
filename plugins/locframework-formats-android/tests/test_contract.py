"""Both formats of the plugin keep the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_android import AndroidPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<resources>\n'
ANDROID = r"""<?xml version='1.0' encoding='UTF-8'?>
<!-- Copyright -->
<resources xmlns:tools="http://schemas.android.com/tools"
    xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2" tools:locale="en">

    <!-- An older comment -->
    <!-- The title
         of the start page -->
    <string name="title">Home</string>
    <string name="app" translatable="false">Shop</string>
    <string name="signs" tools:ignore="Typos">It\'s \"5\" \@ \u0040\n&amp;\t\\</string>
    <string name="spaces">
        one
        two  three
    </string>

    <color name="red">#f00</color>
    <string name="quoted">"  two  spaces &amp; it's "</string>
    <string name="alias">@string/title</string>
    <string name="markup" ><b>A</b> &amp; <a x='y'>b</a>: <xliff:g>%d</xliff:g></string>
    <string name="html">Read &lt;b>all&lt;/b></string>
    <string name="cdata"><![CDATA[Don\'t <b>read</b>&nbsp;it]]></string>
    <string name="men">\uD83E\uDDD8&#128071;</string><string name="same">x</string> <!--
    of items -->
    <plurals name="items">
        <item quantity="other">%d items</item>
        <item quantity="one">%d item</item>
    </plurals>
    <string-array name="steps">
        <item>Address</item>
        <!-- a reference -->
        <item>@string/title</item>
        <item>Payment</item>
    </string-array>
    <string name="empty"/>
    <string name="none"></string>
</resources>
"""
ITEMS = {"other": "%d items", "one": "%d item"}
EXPECTED = [
    Entry("title", "Home", description="The title\nof the start page", line=9),
    Entry("signs", 'It\'s "5" @ @\n&\t\\', line=11),
    Entry("spaces", "one two three", line=12),
    Entry("quoted", "  two  spaces & it's ", line=18),
    Entry("markup", "<b>A</b> &amp; <a x='y'>b</a>: <xliff:g>%d</xliff:g>", line=20),
    Entry("html", "Read <b>all</b>", line=21),
    Entry("cdata", "Don't <b>read</b>&nbsp;it", line=22),
    Entry("men", "🧘👇", line=23),
    Entry("same", "x", line=23),
    Entry("items", ITEMS, is_plural=True, description="of items", line=25),
    Entry("steps.0", "Address", line=30),
    Entry("steps.2", "Payment", line=33),
]
REWRITTEN = r"""<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <!-- The title
of the start page -->
    <string name="title">Home</string>
    <string name="signs">It\'s \"5\" @ @\n&amp;\t\\</string>
    <string name="spaces">one two three</string>
    <string name="quoted">\u0020 two \u0020spaces &amp; it\'s\u0020</string>
    <string name="markup"><b>A</b> &amp; <a x='y'>b</a>: <xliff:g>%d</xliff:g></string>
    <string name="html">Read &lt;b&gt;all&lt;/b&gt;</string>
    <string name="cdata"><![CDATA[Don\'t <b>read</b>&nbsp;it]]></string>
    <string name="men">🧘👇</string>
    <string name="same">x</string>
    <!-- of items -->
    <plurals name="items">
        <item quantity="one">%d item</item>
        <item quantity="other">%d items</item>
    </plurals>
    <string-array name="steps">
        <item>Address</item>
        <item></item>
        <item>Payment</item>
    </string-array>
</resources>
""".replace(r"\u0020 two", r"\u0020\u0020two")
ONE_LINE = (
    "<resources><string name='a'>A</string><string name='b'>B</string></resources>"
)
TWO_LINES = f"""{HEAD}\
    <string name="a">A</string>
    <string name="b">B</string>
</resources>
"""
COMPOSE = r"""<resources>
    <string name="signs">It's "5" @ \'\n\u0041\\</string>
    <string name="spaces">  one
two </string>
    <string name="html"><![CDATA[<b>x</b>]]></string>
    <string name="kept">a <b>x</b></string>
    <string name="plain">a &lt;b&gt;x&lt;/b&gt;</string>
    <string name="no_alias">@string/a</string>
</resources>
"""
COMPOSE_EXPECTED = [
    Entry("signs", "It's \"5\" @ \\'\nA\\", line=2),
    Entry("spaces", "  one\ntwo ", line=3),
    Entry("html", "<b>x</b>", line=5),
    Entry("kept", "a <b>x</b>", line=6),
    Entry("plain", "a <b>x</b>", line=7),
    Entry("no_alias", "@string/a", line=8),
]
COMPOSE_REWRITTEN = COMPOSE.replace(r"\'\n\u0041", r"\\'\nA").replace("one\n", r"one\n")
UNREADABLE = {
    "no XML": ("\n<string name='a'>x", 3),
    "a name of HTML": ("\n<string name='a'>&nbsp;</string>", 2),
    "no name": ("\n<string>x</string>", 2),
    "a name twice": ("<string name='a'>x</string>\n<string name='a'>x</string>", 2),
    "no quantity": ("<plurals name='a'>\n<item quantity='2'>x</item></plurals>", 2),
    "a quantity twice": (
        "<plurals name='a'><item quantity='one'/>\n<item quantity='one'/></plurals>",
        2,
    ),
    "not utf-8": ("\n<string name='a'>\xfc</string>", 2),
}
REFUSED = {
    "another root": (b"\n<project>\n</project>", 2),
    "a DOCTYPE": (b"<?xml version='1.0'?>\n<!DOCTYPE resources>\n<resources/>", 2),
} | {
    name: (f"<resources>{text}\n</resources>".encode("latin-1"), line)
    for name, (text, line) in UNREADABLE.items()
}


def format_named(name: str) -> Format:
    formats = AndroidPlugin().loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


class TestAndroid(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(ANDROID.encode(), EXPECTED, REWRITTEN.encode()),
        "windows": Sample(
            ANDROID.replace("\n", "\r\n").encode(), EXPECTED, REWRITTEN.encode()
        ),
        "one line": Sample(
            ONE_LINE.encode(),
            [Entry("a", "A", line=1), Entry("b", "B", line=1)],
            TWO_LINES.encode(),
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = REFUSED

    @pytest.fixture
    def format(self) -> Format:
        return format_named("android-xml")


class TestCompose(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {
        "recognize": "only the folder composeResources tells its files from Android's"
    }
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(
            COMPOSE.encode(),
            COMPOSE_EXPECTED,
            (HEAD + COMPOSE_REWRITTEN.partition("\n")[2]).encode(),
        ),
        "windows": Sample(
            COMPOSE.replace("\n", "\r\n").encode(),
            COMPOSE_EXPECTED,
            (HEAD + COMPOSE_REWRITTEN.partition("\n")[2]).encode(),
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = REFUSED

    @pytest.fixture
    def format(self) -> Format:
        return format_named("compose-xml")

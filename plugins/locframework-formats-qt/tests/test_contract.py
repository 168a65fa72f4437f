"""The format keeps the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_qt import QtPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

ALL = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>MainWindow</name>
    <message>
        <location filename="../main.cpp" line="+37"/>
        <source>&amp;Open</source>
        <translation>&amp;Öffnen</translation>
    </message>
    <!-- the menu -->
    <message>
        <location line="-3"/>
        <source>Open</source>
        <oldsource>Opened</oldsource>
        <comment>not the verb</comment>
        <extracomment>In the list
of files</extracomment>
        <translatorcomment>?</translatorcomment>
        <translation type="unfinished">Offen&#xa0;&quot;x&quot;
<byte value="x1b"/>it&apos;s</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation type="vanished">Weg</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
        <extra-po-flags>x</extra-po-flags>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name></name>
    <message id="cart.pay">
        <source>Pay</source>
        <translation>Zahlen</translation>
    </message>
    <message id="cart.title">
        <source>Cart</source>
        <translation>Korb</translation>
    </message>
</context>
</TS>
"""
ENTRIES = [
    Entry("MainWindow\4&Open", "&Öffnen", source="&Open", line=6),
    Entry(
        "MainWindow\4Open\4not the verb",
        'Offen\xa0"x"\n\x1bit\'s',
        description="In the list\nof files\nnot the verb",
        source="Open",
        needs_review=True,
        line=12,
    ),
    Entry(
        "MainWindow\4%n file(s)",
        {"one": "%n Datei", "other": "%n Dateien"},
        True,
        source={"other": "%n file(s)"},
        line=27,
    ),
    Entry("MainWindow\4Close", source="Close", line=35),
    Entry("cart.pay", "Zahlen", source="Pay", line=42),
    Entry("cart.title", "Korb", source="Cart", line=46),
]
WRITTEN = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>MainWindow</name>
    <message>
        <source>&amp;Open</source>
        <translation>&amp;Öffnen</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>not the verb</comment>
        <extracomment>In the list
of files</extracomment>
        <translation type="unfinished">Offen&#xa0;&quot;x&quot;
<byte value="x1b"/>it&apos;s</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name></name>
    <message id="cart.pay">
        <source>Pay</source>
        <translation>Zahlen</translation>
    </message>
    <message id="cart.title">
        <source>Cart</source>
        <translation>Korb</translation>
    </message>
</context>
</TS>
"""
ONE_LINE = (
    '<TS language="de-DE"><context><name/><message id="a"><translation>A</translation>'
    '</message><message id="b"><translation/></message></context></TS>'
)
TWO_LINES = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name></name>
    <message id="a">
        <translation>A</translation>
    </message>
    <message id="b">
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
"""


class TestTs(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(ALL.encode(), ENTRIES, WRITTEN.encode(), "de-DE"),
        "windows": Sample(
            ALL.replace("\n", "\r\n").encode(), ENTRIES, WRITTEN.encode(), "de-DE"
        ),
        "one line": Sample(
            ONE_LINE.encode(),
            [Entry("a", "A", line=1), Entry("b", line=1)],
            TWO_LINES.encode(),
            "de-DE",
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "another root": (b"<?xml version='1.0'?>\n<resources/>", 2),
        "another DOCTYPE": (b"\n<!DOCTYPE xliff>\n<TS></TS>", 2),
        "no XML": (b"<TS>\n<context>", 2),
        "a name of HTML": (b"<!DOCTYPE TS><TS>\n&nbsp;</TS>", 2),
        "not utf-8": (b"<TS>\n<context><name>\xfc</name></context></TS>", 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return QtPlugin().loc_provide_formats()[0]

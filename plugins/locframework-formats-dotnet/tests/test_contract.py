"""The formats keep the contract of the port."""

import codecs
from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_dotnet import DotnetPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<root>
  <resheader name="resmimetype">
    <value>text/microsoft-resx</value>
  </resheader>
  <resheader name="version">
    <value>2.0</value>
  </resheader>
  <resheader name="reader">
    <value>System.Resources.ResXResourceReader, System.Windows.Forms, \
Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089</value>
  </resheader>
  <resheader name="writer">
    <value>System.Resources.ResXResourceWriter, System.Windows.Forms, \
Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089</value>
  </resheader>
"""
ALL = """<?xml version="1.0" encoding="utf-8"?>
<root>
  <!-- Microsoft ResX Schema: <data name="x"><value>y</value></data> -->
  <xsd:schema id="root" xmlns="" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
    <xsd:element name="data" />
  </xsd:schema>
  <resheader name="version">
    <value>2.0</value>
  </resheader>
  <assembly alias="System.Drawing" name="System.Drawing, Version=4.0.0.0" />
  <data name="Pay" xml:space="preserve">
    <value>Pay &amp; go, &lt;now&gt;</value>
    <comment>The button
below the cart</comment>
  </data>
  <data name='label1.Text' xml:space="preserve"><value>  It's "5" {0:N2}
on two lines
</value></data>
  <data name="label1.Size" type="System.Drawing.Size, System.Drawing">
    <value>1, 2</value>
  </data>
  <data name="icon" mimetype="application/x-microsoft.net.object.bytearray.base64">
    <value>AAEC</value>
  </data>
  <data name="&gt;&gt;label1.Name" xml:space="preserve">
    <value>label1</value>
  </data>
  <metadata name="menu.Locked" type="System.Boolean, mscorlib">
    <value>True</value>
  </metadata>
  <!-- of the site -->
  <data name="Html" type="System.String, mscorlib">
    <comment> A page &#169;<!-- no --> </comment>
    <value><![CDATA[<b>x</b> & y]]><!-- no -->&#xD;&#x1F600;</value>
  </data>
  <data name="Sign in" xml:space="preserve">
    <value>Anmelden</value>
  </data>
  <data name="empty" xml:space="preserve">
    <value />
  </data>
</root>"""
ENTRIES = [
    Entry(
        "Pay",
        "Pay & go, <now>",
        description="The button\nbelow the cart",
        line=11,
    ),
    Entry("label1.Text", '  It\'s "5" {0:N2}\non two lines\n', line=16),
    Entry("Html", "<b>x</b> & y\r😀", description="A page ©", line=32),
    Entry("Sign in", "Anmelden", line=36),
]
WRITTEN = f"""{HEAD}\
  <data name="Pay" xml:space="preserve">
    <value>Pay &amp; go, &lt;now&gt;</value>
    <comment>The button
below the cart</comment>
  </data>
  <data name="label1.Text" xml:space="preserve">
    <value>  It's "5" {{0:N2}}
on two lines
</value>
  </data>
  <data name="Html" xml:space="preserve">
    <value>&lt;b&gt;x&lt;/b&gt; &amp; y&#13;😀</value>
    <comment>A page ©</comment>
  </data>
  <data name="Sign in" xml:space="preserve">
    <value>Anmelden</value>
  </data>
</root>
"""
ONE_LINE = '<root><data name="a"><value>A</value></data></root>'
TWO_LINES = f"""{HEAD}\
  <data name="a" xml:space="preserve">
    <value>A</value>
  </data>
</root>
"""
REFUSED = {
    "another root": (b"<?xml version='1.0'?>\n<resources/>", 2),
    "a DOCTYPE": (b"<?xml version='1.0'?>\n<!DOCTYPE root>\n<root/>", 2),
    "no XML": (b"<root>\n<data name='a'>", 2),
    "a name of HTML": (
        b"<root>\n<data name='a'><value>&nbsp;</value></data></root>",
        2,
    ),
    "no name": (b"<root>\n<data><value>x</value></data></root>", 2),
    "not utf-8": (b"<root>\n<data name='a'><value>\xfc</value></data></root>", 2),
}


def format_named(name: str) -> Format:
    formats = DotnetPlugin().loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


class TestResx(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(ALL.encode(), ENTRIES, WRITTEN.encode()),
        "windows": Sample(
            codecs.BOM_UTF8 + ALL.replace("\n", "\r\n").encode(),
            ENTRIES,
            WRITTEN.encode(),
        ),
        "one line": Sample(
            ONE_LINE.encode(), [Entry("a", "A", line=1)], TWO_LINES.encode()
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = REFUSED

    @pytest.fixture
    def format(self) -> Format:
        return format_named("resx")


class TestResw(TestResx):
    @pytest.fixture
    def format(self) -> Format:
        return format_named("resw")

"""The format keeps the contract of the port, in both charsets."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_properties import PropertiesPlugin, PropertiesSettings

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

TEXT = r"""# All rights reserved

# The button
! below the cart
cart.pay=Pay now
cart.title : Your \
    cart, \
    {0}

Sign\ in = Sign in\u0021
#old=text
count Count\ttimes
empty=
last={0} Gr\u00f6\u00DFe \ud83d\ude00"""
ENTRIES = [
    Entry("cart.pay", "Pay now", description="The button\nbelow the cart", line=5),
    Entry("cart.title", "Your cart, {0}", line=6),
    Entry("Sign in", "Sign in!", line=10),
    Entry("count", "Count\ttimes", description="old=text", line=12),
    Entry("empty", "", line=13),
    Entry("last", "{0} Größe 😀", line=14),
]
WRITTEN = r"""# The button
# below the cart
cart.pay=Pay now
cart.title=Your cart, {0}
Sign\ in=Sign in!
# old=text
count=Count\ttimes
empty=
last={0} Gr\u00f6\u00dfe \ud83d\ude00
"""
SPOKEN = "# Für \\u00dc\nk\\:ey = Größe\r\nb=y\r\n"
SPOKEN_ENTRIES = [
    Entry("k:ey", "Größe", description="Für Ü", line=2),
    Entry("b", "y", line=3),
]
IN_ASCII = b"# F\\u00fcr \\u00dc\nk\\:ey=Gr\\u00f6\\u00dfe\nb=y\n"
UNREADABLE = {
    "an escape cut off": (b"a=b\n\nc=\\u12", 3),
    "no hexadecimal digits": (b"a=b\\u00zz\n", 1),
    "in a line that goes on": (b"#\na=b\\\n  \\uX\n", 2),
}


def format_with(*, utf8: bool) -> Format:
    format_, *_ = PropertiesPlugin(PropertiesSettings(utf8)).loc_provide_formats()
    return format_


class TestProperties(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "escaped": Sample(TEXT.encode(), ENTRIES, WRITTEN.encode()),
        "in UTF-8": Sample(SPOKEN.encode(), SPOKEN_ENTRIES, IN_ASCII),
        "in Latin-1": Sample(SPOKEN.encode("latin-1"), SPOKEN_ENTRIES, IN_ASCII),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_with(utf8=False)


class TestPropertiesInUtf8(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "in UTF-8": Sample(
            SPOKEN.encode(),
            SPOKEN_ENTRIES,
            "# Für Ü\nk\\:ey=Größe\nb=y\n".encode(),
        )
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_with(utf8=True)


INI = r'''; All rights reserved
home = Home
sign in=  Sign in

# The button
; below the cart
[cart]
# Above it
pay = Pay now; or "later" # no comment
a.b : x \; y \# z
quoted = " a 'b' "
`k=e:y` = `back "quotes" \n`
long = `one
two # three
`

[repo.issues]
new_count = "%d new"
html = <a href="%s">"x"</a>
wide = """a `b` "c" """
empty =
[other]
last = "x"'''
INI_ENTRIES = [
    Entry("home", "Home", line=2, description="All rights reserved"),
    Entry("sign in", "Sign in", line=3),
    Entry(
        "cart.pay",
        'Pay now; or "later" # no comment',
        description="Above it",
        line=9,
    ),
    Entry("cart.a.b", "x ; y # z", line=10),
    Entry("cart.quoted", " a 'b' ", line=11),
    Entry("cart.k=e:y", 'back "quotes" \\n', line=12),
    Entry("cart.long", "one\ntwo # three\n", line=13),
    Entry("repo.issues.new_count", "%d new", line=18),
    Entry("repo.issues.html", '<a href="%s">"x"</a>', line=19),
    Entry("repo.issues.wide", 'a `b` "c" ', line=20),
    Entry("repo.issues.empty", "", line=21),
    Entry("other.last", "x", line=23),
]
INI_WRITTEN = r"""# All rights reserved
home = Home
sign in = Sign in

[cart]
# Above it
pay = Pay now; or "later" # no comment
a.b = x ; y # z
quoted = " a 'b' "
"k=e:y" = back "quotes" \n
long = `one
two # three
`

[repo.issues]
new_count = %d new
html = <a href="%s">"x"</a>
wide = `a `b` "c" `
empty =

[other]
last = x
"""
OBS = r"""# OBS

Language="Deutsch (\"DE\")"
Basic.Main="Erste Zeile\nZweite \\ Zeile\t%1 # nein"  # ja
# "old" in the dialog
Basic.Path="C:\"
"""
OBS_ENTRIES = [
    Entry("Language", 'Deutsch ("DE")', line=3),
    Entry("Basic.Main", "Erste Zeile\nZweite \\\\ Zeile\t%1 # nein", line=4),
    Entry("Basic.Path", "C:\\", line=6, description='"old" in the dialog'),
]
OBS_WRITTEN = OBS[7:].replace("  # ja", "").replace("\n\n", "")


class TestIni(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "of Gitea": Sample(INI.encode(), INI_ENTRIES, INI_WRITTEN.encode()),
        "of Windows": Sample(
            INI[: INI.index("long")].replace("\n", "\r\n").encode(),
            INI_ENTRIES[:6],
            INI_WRITTEN[: INI_WRITTEN.index("long")].encode(),
        ),
        "of OBS Studio": Sample(OBS.encode(), OBS_ENTRIES, OBS_WRITTEN.encode()),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "no key": (b"[a]\nb = c\n= d\n", 3),
        "no equals sign": (b"a = b\n\nc\n", 3),
        "a section that is not closed": (b"[a\nb = c\n", 1),
        "a quote that is not closed": (b"a = b\nc = `d\ne = f\n", 2),
        "a key in two sections": (b"a.b = 1\n[a]\nb = 2\n", 3),
        "not utf-8": (b"a = b\nc = \xfc\n", 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return PropertiesPlugin(PropertiesSettings()).loc_provide_formats()[1]


TOML = r'''# All rights reserved

# The "home" page
home = "Home"
"Sign in" = 'Sign in'
year = 2026
dates . short  =  "%d"   # no text

[cart]
    # Above it
    pay = "Pay \"now\" \u00e4\\\t" # the end
    long = """
One
"two" \
    three""""

    [cart.items]
    one = "{{.Count}} item"
    other = "{{.Count}} items"

[cart . "a.b"]
x = 'C:\new'
y = ~~~~it's~~~

[readMore]
other = "Read more"

[greeting]
hash = "sha1-0"
description = "On the first page"
other = "Hello {{.Name}}"

[[list]]
title = "x"

[words]
days = ["Monday", "#", "]"]
inline = {one = "1", other = "n"}
last = ""'''.replace("~", "'")
TOML_ENTRIES = [
    Entry("home", "Home", description='The "home" page', line=4),
    Entry("Sign in", "Sign in", line=5),
    Entry("dates.short", "%d", line=7),
    Entry("cart.pay", 'Pay "now" ä\\\t', description="Above it", line=11),
    Entry("cart.long", 'One\n"two" three"', line=12),
    Entry(
        "cart.items",
        {"one": "{{.Count}} item", "other": "{{.Count}} items"},
        is_plural=True,
        line=18,
    ),
    Entry("cart.a.b.x", "C:\\new", line=22),
    Entry("cart.a.b.y", "'it's", line=23),
    Entry("readMore", "Read more", line=26),
    Entry("greeting", "Hello {{.Name}}", description="On the first page", line=29),
    Entry("words.last", "", line=39),
]
TOML_WRITTEN = r"""# The "home" page
home = "Home"
"Sign in" = "Sign in"

[dates]
short = "%d"

[cart]
# Above it
pay = "Pay \"now\" ä\\\t"
long = "One\n\"two\" three\""

[cart.items]
one = "{{.Count}} item"
other = "{{.Count}} items"

[cart."a.b"]
x = "C:\\new"
y = "'it's"

[readMore]
other = "Read more"

[greeting]
description = "On the first page"
other = "Hello {{.Name}}"

[words]
last = ""
"""


class TestToml(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(TOML.encode(), TOML_ENTRIES, TOML_WRITTEN.encode()),
        "of Windows": Sample(
            TOML.replace("\n", "\r\n").encode(), TOML_ENTRIES, TOML_WRITTEN.encode()
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "no equals sign": (b"a = 'b'\n\nc\n", 3),
        "a key twice": (b"a = '1'\nb = ''\na = '2'\n", 3),
        "a key in two tables": (b"a.b = '1'\n\n'a.b' = '2'\n", 3),
        "a table twice": (b"[a]\nb = '1'\n[a]\nc = '2'\n", 3),
        "a quote that is not closed": (b"a = 'b'\nc = \"d\n", 2),
        "a wrong escape": (b"a = 'b'\nc = \"\\d\"\n", 2),
        "a surrogate": (b'\na = "\\ud800"\n', 2),
        "an open array": (b"a = ''\nb = [\n'1',\n", 4),
        "a deep array": (b"a = ''\nb = " + b"[" * 70 + b"]" * 70, 2),
        "a deep key": (b"a = ''\n" + b"a." * 100_000 + b"b = ''\n", 2),
        "a deep key in a table": (b"b = {" + b"a." * 100_000 + b"b = ''}\n", 1),
        "a deep table": (b"\n[" + b"a." * 100_000 + b"b]\n", 2),
        "not utf-8": (b"a = ''\nc = '\xfc'\n", 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return PropertiesPlugin(PropertiesSettings()).loc_provide_formats()[2]

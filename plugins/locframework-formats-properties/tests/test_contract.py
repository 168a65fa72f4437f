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
    [format_] = PropertiesPlugin(PropertiesSettings(utf8)).loc_provide_formats()
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

"""The format keeps the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_fluent import FluentPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

ALL = """# This Source Code Form is subject to the terms of a licence.

### The texts of the shop

-brand-name = Shop
    .gender = masculine

## The cart

# The button
# below the cart
cart-pay = Pay { $amount } now
# Above the list
cart-title =
    .label = Your cart
    .title =  It is "yours" { "{" }0{ "}" }
cart-items =
    { $n ->
        [one] One thing
       *[other]
            { $n }
            things
    }
# the last is the default
cart-files = { $count ->
    [one] { $count } file

   *[few] {$count} files
}
cart-hint =
    One line,
      another

    and { -brand-name.gender ->
        [masculine] his
       *[other] its
    } last

## Others

cart-date = { DATETIME($date, month: "long") } in {
-brand-name }
cart-exact =
    { $n ->
        [0] None
       *[other] Some
    }
key--cart__deep__key = {""}Deep
last={ "" } x { "" }
braces = { "{" } 1, 2 { "}" }
"""
HINT = """One line,
  another

and { -brand-name.gender ->
    [masculine] his
   *[other] its
} last"""
EXACT = """{ $n ->
    [0] None
   *[other] Some
}"""
DATE = """{ DATETIME($date, month: "long") } in {
-brand-name }"""
ITEMS = {"one": "One thing", "other": "{ $n }\nthings"}
FILES = {"one": "{ $count } file", "few": "{$count} files"}
OF_TITLE, OF_FILES = "Above the list", "the last is the default"
ENTRIES = [
    Entry("-brand-name", "Shop", line=5),
    Entry("-brand-name.gender", "masculine", line=6),
    Entry(
        "cart-pay",
        "Pay { $amount } now",
        description="The button\nbelow the cart",
        line=12,
    ),
    Entry("cart-title.label", "Your cart", description=OF_TITLE, line=15),
    Entry(
        "cart-title.title",
        'It is "yours" { "{" }0{ "}" }',
        description=OF_TITLE,
        line=16,
    ),
    Entry(
        "cart-items",
        ITEMS,
        True,
        line=17,
        key_detail={"variable": "n"},
        format_flags=("n:plural",),
    ),
    Entry(
        "cart-files",
        FILES,
        True,
        description=OF_FILES,
        line=25,
        format_flags=("count:plural",),
    ),
    Entry("cart-hint", HINT, line=30),
    Entry("cart-date", DATE, line=41),
    Entry("cart-exact", EXACT, line=43),
    Entry("cart.deep.key", '{""}Deep', line=48),
    Entry("last", " x ", line=49),
    Entry("braces", "{ 1, 2 }", line=50),
]
WRITTEN = """-brand-name = Shop
    .gender = masculine
# The button
# below the cart
cart-pay = Pay { $amount } now
# Above the list
cart-title =
    .label = Your cart
    .title = It is "yours" { "{" }0{ "}" }
cart-items =
    { $n ->
        [one] One thing
       *[other]
            { $n }
            things
    }
# the last is the default
cart-files =
    { $count ->
        [one] { $count } file
       *[few] {$count} files
    }
cart-hint =
    One line,
      another

    and { -brand-name.gender ->
        [masculine] his
       *[other] its
    } last
cart-date =
    { DATETIME($date, month: "long") } in {
    -brand-name }
cart-exact =
    { $n ->
        [0] None
       *[other] Some
    }
key--cart__deep__key = {""}Deep
last = { "" } x { "" }
braces = { "{" } 1, 2 { "}" }
"""
UNREADABLE = {
    "no equals sign": (b"a = b\n\nc d\n", 3),
    "no text": (b"a = b\nc =\nd = e\n", 2),
    "a term with attributes alone": (b"a = b\n-c =\n  .d = e\n", 2),
    "an attribute of no message": (b"# a\n  .b = c\n", 2),
    "an attribute without a text": (b"a = b\n  .c =\n", 2),
    "an open placeable": (b"a = { $b\nc = d\n", 1),
    "an open placeable in an attribute": (b"a =\n  .b = { $c\nd = e\n", 2),
    "no default": (b"a = { $b ->\n  [one] c\n}\n", 3),
    "a comment without a blank": (b"a = b\n#c\n", 2),
    "a message that is there twice": (b"a = b\n# c\na = d\n", 3),
    "an attribute that is there twice": (b"a = b\n .c = d\n .c = e\n", 3),
    "U+0000": (b"a = b\nc = \0\n", 2),
    "no text at all": (b"a = b\n\n\nFoo bar\n", 4),
}


class TestFluent(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(ALL.encode(), ENTRIES, WRITTEN.encode()),
        "with line ends of Windows": Sample(
            b"\xef\xbb\xbf" + ALL.replace("\n", "\r\n").encode(),
            ENTRIES,
            WRITTEN.encode(),
        ),
        "without a line end": Sample(
            b"z = y\na = b\n  .c = d\n  .title = e",
            [
                Entry("z", "y", line=1),
                Entry("a", "b", line=2),
                Entry("a.c", "d", line=3),
                Entry("a.title", "e", line=4),
            ],
            b"z = y\na = b\n    .c = d\n    .title = e\n",
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        [format_] = FluentPlugin().loc_provide_formats()
        return format_

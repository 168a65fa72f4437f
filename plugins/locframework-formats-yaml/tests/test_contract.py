"""All formats of the plugin keep the contract of the port."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from locframework_formats_yaml import YamlPlugin

from locframework.ports import Entry, Format
from locframework.testing.contracts.formats import FormatContract, Sample

RAILS = """\
# Texts of the shop
---
en: # the language
  cart:
    title: Your cart   # in the head
    "no": 'It''s "no"'
    items:
      one: "%{count} item"
      other: "%{count} items\\n\\u00e9"

    # Shown below
    terms: |
      First line
        indented

      last line

    fold: >-
      One line
      and the same

      and another
  days: [Monday, "Tuesday, 2nd"]
  list:
    - first
    -  'second'
  date:
    order:
    - :year
    - :month
    formats:
      default: "%Y-%m-%d"
    count: 3
    none:
  plain: several
    lines
  flow: {a: text, "b": 'c'}
  last_html: <b>1 &amp; 2</b>
"""
TERMS = "First line\n  indented\n\nlast line\n"
FOLD = "One line and the same\nand another"
ENTRIES = [
    Entry("cart.title", "Your cart", line=5),
    Entry("cart.no", 'It\'s "no"', line=6),
    Entry(
        "cart.items",
        {"one": "%{count} item", "other": "%{count} items\né"},
        is_plural=True,
        line=7,
    ),
    Entry("cart.terms", TERMS, line=12),
    Entry("cart.fold", FOLD, line=18),
    Entry("days.0", "Monday", line=23, key_detail={"yaml": {"path": ["days", 0]}}),
    Entry("days.1", "Tuesday, 2nd", line=23),
    Entry("list.0", "first", line=25),
    Entry("list.1", "second", line=26),
    Entry("date.formats.default", "%Y-%m-%d", line=32),
    Entry("plain", "several lines", line=35),
    Entry("flow.a", "text", line=37),
    Entry("flow.b", "c", line=37),
    Entry("last_html", "<b>1 &amp; 2</b>", line=38),
]
REWRITTEN = """\
en:
  cart:
    title: Your cart
    "no": It's "no"
    items:
      one: "%{count} item"
      other: "%{count} items\\né"
    terms: "First line\\n  indented\\n\\nlast line\\n"
    fold: "One line and the same\\nand another"
  days:
    - Monday
    - Tuesday, 2nd
  list:
    - first
    - second
  date:
    formats:
      default: "%Y-%m-%d"
  plain: several lines
  flow:
    a: text
    b: c
  last_html: "<b>1 &amp; 2</b>"
"""
FLAT = """\
cart.title: "Your cart"\r
cart.items: {one: "item", other: "items"}\r
cart:\r
    note: "2"\r
"404": "Not found"\r
"Sign in. Now": "Sign in"\r
last: "x\""""
FLAT_ENTRIES = [
    Entry("cart.title", "Your cart", line=1),
    Entry("cart.items", {"one": "item", "other": "items"}, is_plural=True, line=2),
    Entry("cart.note", "2", line=4),
    Entry("404", "Not found", line=5),
    Entry("Sign in. Now", "Sign in", line=6),
    Entry("last", "x", line=7),
]
FLAT_WRITTEN = """\
cart.title: Your cart
cart.items:
  one: item
  other: items
cart.note: "2"
"404": Not found
"Sign in. Now": Sign in
last: x
"""
SYMFONY = """\
# Texts of the shop
label:
    yes: Yes
    no: No
    title: Hello %name%
    sign: :wave
    opens: 12:30
    "on": 'It''s on'
    forms: {one: Only one, other: Others}
cart.items: "No item|One item|%count% items"
steps: [Cart, Checkout]
count: 3
none: ~
price: |
    A price

    in %currency%
last: <b>1 &amp; 2</b>
"""
SYMFONY_ENTRIES = [
    Entry("label.yes", "Yes", line=3),
    Entry("label.no", "No", line=4),
    Entry("label.title", "Hello %name%", line=5),
    Entry("label.sign", ":wave", line=6),
    Entry("label.opens", "12:30", line=7),
    Entry("label.on", "It's on", line=8),
    Entry("label.forms.one", "Only one", line=9),
    Entry("label.forms.other", "Others", line=9),
    Entry("cart.items", "No item|One item|%count% items", line=10),
    Entry("steps.0", "Cart", line=11, key_detail={"yaml": {"path": ["steps", 0]}}),
    Entry("steps.1", "Checkout", line=11),
    Entry("price", "A price\n\nin %currency%\n", line=14),
    Entry("last", "<b>1 &amp; 2</b>", line=18),
]
SYMFONY_WRITTEN = """\
label.yes: "Yes"
label.no: "No"
label.title: Hello %name%
label.sign: ":wave"
label.opens: "12:30"
label.on: It's on
label.forms.one: Only one
label.forms.other: Others
cart.items: No item|One item|%count% items
steps:
  - Cart
  - Checkout
price: "A price\\n\\nin %currency%\\n"
last: "<b>1 &amp; 2</b>"
"""
UNREADABLE = {
    "a list": (b"- a\n- b\n", 1),
    "a text": (b"\nen\n", 2),
    "bad indentation": (b"en:\n  a: b\n c: d\n", 3),
    "a tab": (b"en:\n  a: b\n\tc: d\n", 3),
    "no end of a text": (b'en:\n  a: "b\n', 3),
    "a colon too many": (b"en:\n  a: b: c\n", 2),
    "a key twice": (b"en:\n  a: b\n  c: d\n  a: e\n", 4),
    "an object of Ruby": (b"en:\n  a: b\n  c: !ruby/object:Gem {}\n", 3),
    "a tag of Python": (b"en:\n  a: !!python/object:os.system x\n", 2),
    "two documents": (b"en:\n  a: b\n---\nde:\n  a: b\n", 3),
    "a control character": (b'en:\n  a: "\x1b"\n', 2),
    "too large an escape": (b'en:\n  a: "\\UFFFFFFFF"\n', 2),
    "nested too deep": (b"en:\n  a: " + b"[" * 100_000, 2),
    "not UTF-8": (b"en:\n  a: \xfc\n", 2),
}


def yaml_format(name: str) -> Format:
    formats = YamlPlugin().loc_provide_formats()
    return next(format_ for format_ in formats if format_.info.id == name)


class TestRailsYaml(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "rails": Sample(RAILS.encode(), ENTRIES, REWRITTEN.encode()),
        "with a mark": Sample(
            b'\xef\xbb\xbfde:\r\n  a: "b"\r\n  c: "d"\r\n',
            [Entry("a", "b", line=2), Entry("c", "d", line=3)],
            b"de:\n  a: b\n  c: d\n",
            language_code="de",
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE | {
        "two languages": (b"en:\n  a: b\nde:\n  a: b\n", 3),
        "no language": (b"# c\nservices:\n  a: b\n", 2),
        "a text of a language": (b"en: text\n", 1),
    }

    @pytest.fixture
    def format(self) -> Format:
        return yaml_format("yaml-rails")


class TestFlatYaml(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {"recognize": "it may be any YAML"}
    samples: ClassVar[Mapping[str, Sample]] = {
        "flat": Sample(FLAT.encode(), FLAT_ENTRIES, FLAT_WRITTEN.encode()),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return yaml_format("yaml-flat")


class TestSymfonyYaml(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {"recognize": "its name has to tell"}
    samples: ClassVar[Mapping[str, Sample]] = {
        "symfony": Sample(SYMFONY.encode(), SYMFONY_ENTRIES, SYMFONY_WRITTEN.encode()),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return yaml_format("yaml-symfony")

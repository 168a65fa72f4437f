"""The format keeps the contract of the port, and reads files as Apple's tools do."""

import codecs
from collections.abc import Mapping
from typing import ClassVar

import openstep_plist
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_apple import ApplePlugin

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    Format,
    SourceFile,
    UnreadableFile,
)
from locframework.testing.contracts.formats import KEYS, TEXTS, FormatContract, Sample

OPTIONS = FileOptions(key_separator=".", source_language="en")
TEXT = r"""/* Localizable.strings
   Copyright */

/* The button
   below the cart */
"cart.pay" = "Pay \"now\"";   // at the end
// Of the page
// with %@
"Your %@" = "Your %1$@";
title = "Line\none \U00e9 \Ud83d\Ude00 \101";

/* No comment provided by engineer. */
"Sign in";
"a"="b";"c" = /* inside */ "two
lines";
	"empty" = "";
"""
ENTRIES = [
    Entry(
        "cart.pay",
        'Pay "now"',
        description="The button\nbelow the cart",
        line=6,
    ),
    Entry("Your %@", "Your %1$@", description="Of the page\nwith %@", line=9),
    Entry("title", "Line\none é 😀 A", line=10),
    Entry("Sign in", "Sign in", line=13),
    Entry("a", "b", line=14),
    Entry("c", "two\nlines", line=14),
    Entry("empty", "", line=16),
]
WRITTEN = r"""/* The button
below the cart */
"cart.pay" = "Pay \"now\"";
/* Of the page
with %@ */
"Your %@" = "Your %1$@";
"title" = "Line\none é 😀 A";
"Sign in" = "Sign in";
"a" = "b";
"c" = "two\nlines";
"empty" = "";
"""
SHORT = '"k" = "Größe";\r\n"b" = "y";'
SHORT_ENTRIES = [Entry("k", "Größe", line=1), Entry("b", "y", line=2)]
SHORT_WRITTEN = '"k" = "Größe";\n"b" = "y";\n'.encode()
UNREADABLE = {
    "no end of a text": (b'"a" = "b";\n"c" = "d;\n', 2),
    "no end of a comment": (b'"a" = "b";\n\n/* c\n', 3),
    "no semicolon": (b'"a" = "b"\n"c" = "d";\n', 2),
    "no text": (b'"a" = ;\n', 1),
    "cut off": (b'"a" = "b";\n"c" =\n', 2),
    "in braces": (b'\n{ "a" = "b"; }\n', 2),
    "an octal escape": (b'"a" = "\\351";\n', 1),
    "XML": (b'<?xml version="1.0"?><plist><dict/></plist>', 1),
    "compiled": (b"bplist00\xd1\x01\x02", 1),
    "not UTF-8": (b'"a" = "b";\n"c" = "\xfc";\n', 2),
}


HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
"http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
"""
PLURALS = f"""{HEAD}<dict>
	<key>cart.items</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%#@items@</string>
		<key>items</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>ld</string>
			<key>one</key>
			<string>One &lt;item&gt;</string>
			<key>other</key>
			<string>%ld items
in 2 lines</string>
		</dict>
	</dict>
	<!-- of the cart -->
	<key>%d left in %@</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>Just %#@left@ &amp; no more</string>
		<key>left</key>
		<dict>
			<key>NSStringFormatValueTypeKey</key>
			<string>d</string>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>other</key>
			<string>%d left</string>
			<key>zero</key>
			<string></string>
			<key>two</key>
			<string>two left</string>
		</dict>
	</dict>
	<key>moved</key>
	<dict>
		<key>files</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>one</key>
			<string>a file</string>
			<key>other</key>
			<string>%lu files</string>
		</dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%1$#@files@ to %2$#@folders@ of %3$@</string>
		<key>folders</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>other</key>
			<string>%lu folders</string>
		</dict>
		<key>nothing</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>other</key>
			<string></string>
		</dict>
	</dict>
	<key>title</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>Cart</string>
		<key>NSStringVariableWidthRuleType</key>
		<dict>
			<key>20</key>
			<string>Your cart</string>
		</dict>
	</dict>
	<key>tap</key>
	<dict>
		<key>NSStringDeviceSpecificRuleType</key>
		<dict>
			<key>mac</key>
			<string>Click</string>
		</dict>
	</dict>
</dict>
</plist>
"""
PLURAL_ENTRIES = [
    Entry(
        "cart.items",
        {"one": "One <item>", "other": "%ld items\nin 2 lines"},
        is_plural=True,
        line=5,
        key_detail={"format": "%#@items@", "type": "ld"},
    ),
    Entry(
        "%d left in %@",
        {"two": "Just two left & no more", "other": "Just %d left & no more"},
        is_plural=True,
        line=23,
        key_detail={"format": "%#@left@", "type": "d"},
    ),
    Entry("moved", "%1$#@files@ to %2$#@folders@ of %3$@", line=41),
    Entry(
        "moved.files",
        {"one": "a file", "other": "%lu files"},
        is_plural=True,
        line=41,
        key_detail={"of": "moved", "variable": "files", "type": "lu"},
    ),
    Entry(
        "moved.folders",
        {"other": "%lu folders"},
        is_plural=True,
        line=41,
        key_detail={"of": "moved", "variable": "folders", "type": "lu"},
    ),
    Entry("title", "Cart", line=73),
]
NEW_PLURALS = f"""{HEAD}<dict>
	<key>cart.items</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%#@items@</string>
		<key>items</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>ld</string>
			<key>one</key>
			<string>One &lt;item&gt;</string>
			<key>other</key>
			<string>%ld items
in 2 lines</string>
		</dict>
	</dict>
	<key>%d left in %@</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%#@left@</string>
		<key>left</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>d</string>
			<key>two</key>
			<string>Just two left &amp; no more</string>
			<key>other</key>
			<string>Just %d left &amp; no more</string>
		</dict>
	</dict>
	<key>moved</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>%1$#@files@ to %2$#@folders@ of %3$@</string>
		<key>files</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>one</key>
			<string>a file</string>
			<key>other</key>
			<string>%lu files</string>
		</dict>
		<key>folders</key>
		<dict>
			<key>NSStringFormatSpecTypeKey</key>
			<string>NSStringPluralRuleType</string>
			<key>NSStringFormatValueTypeKey</key>
			<string>lu</string>
			<key>other</key>
			<string>%lu folders</string>
		</dict>
	</dict>
	<key>title</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>Cart</string>
	</dict>
</dict>
</plist>
"""
NESTED = """<?xml version='1.0' encoding='utf-8'?>
<plist>
  <dict>
    <key>a</key>
    <dict>
      <key>NSStringLocalizedFormatKey</key><string/>
      <key>n</key><dict><key>other</key><string>x</string></dict>
    </dict>
    <key>b</key> <!-- b -->
    <dict>
      <key>NSStringLocalizedFormatKey</key><string><![CDATA[B & b]]></string>
    </dict>
  </dict>
</plist>"""
NEW_NESTED = f"""{HEAD}<dict>
	<key>b</key>
	<dict>
		<key>NSStringLocalizedFormatKey</key>
		<string>B &amp; b</string>
	</dict>
</dict>
</plist>
"""


CATALOG = """{
  "sourceLanguage" : "en",
  "strings" : {
    "" : {

    },
    "%lld items" : {
      "comment" : "Of the \\"cart\\"",
      "extractionState" : "manual",
      "localizations" : {
        "de" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "Ein Ding"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "needs_review",
                  "value" : "%lld Dinge"
                }
              }
            }
          }
        },
        "en" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "new",
                  "value" : "One item"
                }
              },
              "other" : {
                "stringUnit" : {
                  "state" : "new",
                  "value" : "%lld items"
                }
              }
            }
          }
        },
        "ja" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "%lld個"
          }
        }
      }
    },
    "Cancel" : {

    },
    "OK" : {
      "shouldTranslate" : false
    },
    "Pay" : {
      "extractionState" : "stale",
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "new",
            "value" : "Zahlen"
          }
        },
        "ja" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : ""
          }
        }
      }
    },
    "tap" : {
      "localizations" : {
        "de" : {
          "variations" : {
            "device" : {
              "mac" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "Klicken"
                }
              }
            }
          }
        },
        "en" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Tap \\/ click"
          }
        }
      }
    }
  },
  "version" : "1.0"
}"""
CATALOG_ENTRIES = {
    "en": [
        Entry(
            "%lld items",
            {"one": "One item", "other": "%lld items"},
            is_plural=True,
            description='Of the "cart"',
            line=7,
        ),
        Entry("Cancel", "Cancel", line=55),
        Entry("Pay", "Pay", line=61),
        Entry("tap", "Tap / click", line=78),
    ],
    "de": [
        Entry(
            "%lld items",
            {"one": "Ein Ding", "other": "%lld Dinge"},
            is_plural=True,
            description='Of the "cart"',
            needs_review=True,
            line=7,
        ),
        Entry("Pay", "Zahlen", needs_review=True, line=61),
    ],
    "ja": [Entry("%lld items", "%lld個", description='Of the "cart"', line=7)],
}
UNIT = """"stringUnit" : {{
{0}  "state" : "{1}",
{0}  "value" : "{2}"
{0}}}"""


def plural_units(state, one, other):
    indent = " " * 16
    return f"""{{
          "variations" : {{
            "plural" : {{
              "one" : {{
                {UNIT.format(indent, state, one)}
              }},
              "other" : {{
                {UNIT.format(indent, state, other)}
              }}
            }}
          }}
        }}"""


def text_unit(state, text):
    return f"{{\n          {UNIT.format(' ' * 10, state, text)}\n        }}"


NEW_CATALOG = f"""{{
  "sourceLanguage" : "en",
  "strings" : {{
    "%lld items" : {{
      "comment" : "Of the \\"cart\\"",
      "localizations" : {{
        "de" : {plural_units("needs_review", "Ein Ding", "%lld Dinge")},
        "en" : {plural_units("translated", "One item", "%lld items")},
        "ja" : {text_unit("translated", "%lld個")}
      }}
    }},
    "Cancel" : {{

    }},
    "Pay" : {{
      "localizations" : {{
        "de" : {text_unit("needs_review", "Zahlen")}
      }}
    }},
    "tap" : {{
      "localizations" : {{
        "en" : {text_unit("translated", "Tap / click")}
      }}
    }}
  }},
  "version" : "1.0"
}}"""


def apple_strings() -> Format:
    return ApplePlugin().loc_provide_formats()[0]


class TestStrings(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(TEXT.encode(), ENTRIES, WRITTEN.encode()),
        "UTF-16": Sample(
            codecs.BOM_UTF16_LE + SHORT.replace("\r", "").encode("utf-16-le"),
            SHORT_ENTRIES,
            SHORT_WRITTEN,
        ),
        "UTF-8 with a mark": Sample(
            codecs.BOM_UTF8 + SHORT.encode(), SHORT_ENTRIES, SHORT_WRITTEN
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return apple_strings()


class TestStringsdict(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(PLURALS.encode(), PLURAL_ENTRIES, NEW_PLURALS.encode()),
        "UTF-16": Sample(
            NESTED.replace("utf-8", "utf-16").encode("utf-16"),
            [Entry("b", "B & b", line=9)],
            NEW_NESTED.encode(),
        ),
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "broken": (b"<plist>\n<dict></plist>", 2),
        "a DOCTYPE": (b"<!DOCTYPE plist [<!ENTITY a 'b'>]>\n<plist/>", 1),
        "another root": (b"<dict/>", 1),
        "no dict": (b"<plist><array/></plist>", 1),
        "no key": (b"<plist><dict>\n<string/></dict></plist>", 2),
        "two keys": (b"<plist><dict><key>a</key>\n<key>b</key></dict></plist>", 2),
        "compiled": (b"bplist00\xd1\x01\x02", 1),
        "not UTF-8": (b"<plist>\n\xfc</plist>", 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return ApplePlugin().loc_provide_formats()[1]


class TestXcstrings(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = {
        "all": Sample(CATALOG.encode(), CATALOG_ENTRIES, NEW_CATALOG.encode())
    }
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        "no JSON": (b'{"strings": {},\n}', 2),
        "cut off": (CATALOG[:200].encode(), 11),
        "no strings": (b'{"sourceLanguage": "en"}', 1),
        "no language": (b'{"strings": {}}', 1),
        "a key twice": (
            b'{"sourceLanguage": "en", "strings": {"a": {},\n"a": {"b": 1}}}',
            2,
        ),
        "not UTF-8": (b'{\n"a": "\xfc"}', 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return ApplePlugin().loc_provide_formats()[2]


def texts_in(content):
    [found] = apple_strings().read(SourceFile("x.strings", content), OPTIONS)
    return {entry.key: entry.value for entry in found.entries}


def written(texts, template=None):
    entries = [Entry(key, text) for key, text in texts.items()]
    catalogue = Catalogue("de", entries, template=template)
    return apple_strings().write([catalogue], OPTIONS).content


ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(deadline=None)
@given(st.dictionaries(ANY.filter(bool), ANY))
def test_another_reader_reads_what_was_written(texts):
    content = written(texts)

    assert texts_in(content) == texts
    assert dict(openstep_plist.loads(content.decode())) == texts


def test_another_reader_reads_the_texts_and_keys_of_the_contract():
    texts = {f"text {n}": text for n, text in enumerate(TEXTS.values())}
    texts |= dict.fromkeys(KEYS, "x")

    assert dict(openstep_plist.loads(written(texts).decode())) == texts


SIGNS = st.sampled_from(
    [*'ab"=; \t\n\\/*_$:.-nU', "/*", "*/", "//", '"a"', "\\U00e9", "\\101", "ü"]
)


@settings(deadline=None, max_examples=1000)
@given(st.lists(SIGNS, max_size=25).map("".join))
def test_what_is_read_is_what_another_reader_reads(text):
    try:
        found = texts_in(text.encode())
    except UnreadableFile:
        return
    expected = dict(openstep_plist.loads(text)) if found else {}
    expected.pop("", None)

    assert found == {key: str(value) for key, value in expected.items()}


@pytest.mark.parametrize(
    ("key", "text", "line"),
    [
        ("cart.pay", "Now", '"cart.pay" = "Now";   // at the end'),
        ("Sign in", "Log in", '"Sign in" = "Log in";'),
        ("a", "x", '"a"="x";"c" = /* inside */ "two'),
        ("empty", "no", '\t"empty" = "no";'),
    ],
)
def test_a_changed_text_changes_its_line_alone(key, text, line):
    texts = {**texts_in(TEXT.encode()), key: text}

    lines = written(texts, TEXT.encode()).decode().splitlines()

    before = TEXT.splitlines()
    assert [b for a, b in zip(before, lines, strict=True) if a != b] == [line]


def test_keys_come_and_go_with_their_comments():
    texts = texts_in(TEXT.encode())
    del texts["Your %@"], texts["a"]
    texts = {"first": "1", **texts, "last": "2"}

    found = written(texts, TEXT.encode()).decode()

    expected = TEXT.replace(
        '// Of the page\n// with %@\n"Your %@" = "Your %1$@";\n', ""
    )
    expected = expected.replace('"a"="b";', "").replace(
        "/* The button", '"first" = "1";\n/* The button'
    )
    assert found == f'{expected}"last" = "2";\n'


def test_a_key_behind_the_last_line_gets_a_line_of_its_own():
    assert written({"k": "Größe", "b": "y", "c": "z"}, SHORT.encode()).decode() == (
        f'{SHORT}\r\n"c" = "z";\r\n'
    )


def test_a_file_without_a_last_line_break_stays_so_if_it_lacks_a_key():
    entries = [Entry("b", "y"), Entry("k", "Größe"), Entry("new")]
    catalogue = Catalogue("de", entries, template=SHORT.encode())

    assert apple_strings().write([catalogue], OPTIONS).content == SHORT.encode()


def test_the_last_text_of_a_key_counts_and_is_told():
    content = b'"a" = "1";\n"a" = "2";\n'
    [found] = apple_strings().read(SourceFile("x.strings", content), OPTIONS)

    assert [(entry.key, entry.value) for entry in found.entries] == [("a", "2")]
    assert found.warnings == [
        "line 2: the key 'a' is there before; the last text counts"
    ]


def test_a_million_signs_take_linear_time():
    for content in (b"/*" * 500_000, b'"' + b"\\" * 1_000_000, b"a" * 1_000_000):
        with pytest.raises(UnreadableFile):
            texts_in(content)
    assert len(texts_in(b'"a" = "b";\n' * 100_000)) == 1

"""Every format of the plugin keeps the contract of the port."""

import json
from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    Format,
    SourceFile,
    WrittenFile,
)
from locframework.testing.contracts.formats import FormatContract, Sample

UNREADABLE = {
    "no object": (b'["a"]', 1),
    "null": (b"null", 1),
    "cut off": (b'{"a": "b"', 1),
    "trailing comma": (b'{"a": "b",}', 1),
    "comment": (b'{"a": "b"}\n// b', 2),
    "a member with two values": (b'{"a": "b",\n"a": "c"}', 2),
    "a member with two values inside": (
        b'{"a": {\n"one": "x",\n"other": "y",\n"one": "z"}}',
        4,
    ),
    "nan": (b'{"x": "y",\n"a": NaN}', 2),
    "infinity": (b'{\n"a": {\n"b": -Infinity}}', 3),
    "a raw control character": (b'{\n"a": "\x01"}', 2),
    "nested 65 deep": (b'{"a":' * 65 + b'"b"' + b"}" * 65, 1),
    "nested 65 deep in an array": (b'{"a":' + b"[" * 64 + b"]" * 64 + b"}", 1),
    "not utf-8": (b'{\n\n"a": "\xe9"}', 3),
}
NESTED = b"""{
  "cart": {
    "title": "Your cart",
    "items": {"one": "{count} item", "other": "{count} items"},
    "empty": {}
  },
  "cart.note": "flat"
}"""
FLAT = b"""{
  "cart.title": "Your cart",
  "cart.items": {"one": "{count} item", "other": "{count} items"},
  "cart.note": {"few": "a few"}
}"""
I18NEXT = b"""{
  "cart": {
    "items_one": "{{count}} item",
    "items_other": "{{count}} items",
    "place_ordinal_one": "{{count}}st",
    "place_ordinal_other": "{{count}}th",
    "friend_male": "A boyfriend"
  },
  "both": "both", "both_one": "1", "both_other": "n"
}"""
ARB = b"""{
  "@@locale": "en",
  "@@author": "Someone",
  "@_CART": {},
  "cartTitle": "Your {kind} cart",
  "@cartTitle": {
    "description": "Title",
    "type": "text",
    "context": "cart page",
    "placeholders": {"kind": {"type": "String", "example": "new", "x": [1, 2.5, true]}}
  },
  "items": "{n, plural, =0{none} =1{one {kind}} few{a few} other{{n} items}}",
  "steps": "{count, plural, offset:1 one{# step} other{# steps}}",
  "mixed": "You have {count, plural, one{1 item} other{{count} items}}",
  "kind": "{gender, select, male{he} other{they}}"
}"""


CHROME = b"""{
  "title": {
    "message": "Your $KIND$ cart",
    "description": "Above the list",
    "placeholders": {"kind": {"content": "$1", "example": "new"}}
  },
  "pay": {"message": "Pay"},
  "@@note": {"message": "", "description": "No text"}
}"""


FORMATJS = b"""{
  "hak27d": {
    "defaultMessage": "Control Panel",
    "description": "title",
    "file": "src/app.js", "start": 10, "end": 20
  },
  "a.items": {"defaultMessage": "{n, plural, one {# item} other {# items}}"}
}"""


TITLE = "Your cart"
ITEMS = {"one": "{count} item", "other": "{count} items"}
INDENTED = b"""    "items": {
      "one": "{count} item",
      "other": "{count} items"
    }
  },"""
NESTED_SAMPLES = {
    "nested": Sample(
        NESTED,
        [
            Entry("cart.title", TITLE, line=3),
            Entry("cart.items", ITEMS, is_plural=True, line=4),
            Entry("cart.note", "flat", line=7),
        ],
        NESTED.replace(
            b"""    "items": {"one": "{count} item", "other": "{count} items"},
    "empty": {}
  },""",
            INDENTED,
        )
        + b"\n",
    ),
    "flat": Sample(
        FLAT,
        [
            Entry("cart.title", TITLE, line=2),
            Entry("cart.items", ITEMS, is_plural=True, line=3),
            Entry("cart.note.few", "a few", line=4),
        ],
        json.dumps(json.loads(FLAT), indent=2).encode() + b"\n",
    ),
}
FLAT_SAMPLES = {
    "flat": Sample(
        FLAT,
        [
            Entry("cart.title", TITLE, line=2),
            Entry("cart.items", ITEMS, is_plural=True, line=3),
            Entry("cart.note", {"few": "a few"}, is_plural=True, line=4),
        ],
        json.dumps(json.loads(FLAT), indent=2).encode() + b"\n",
    )
}
I18NEXT_SAMPLES = {
    "i18next": Sample(
        I18NEXT,
        [
            Entry(
                "cart.items",
                {"one": "{{count}} item", "other": "{{count}} items"},
                is_plural=True,
                line=3,
            ),
            Entry("cart.place_ordinal_one", "{{count}}st", line=5),
            Entry("cart.place_ordinal_other", "{{count}}th", line=6),
            Entry("cart.friend_male", "A boyfriend", line=7),
            Entry("both", "both", line=9),
            Entry("both_one", "1", line=9),
            Entry("both_other", "n", line=9),
        ],
        json.dumps(json.loads(I18NEXT), indent=2).encode() + b"\n",
    )
}
ARB_SAMPLES = {
    "arb": Sample(
        ARB,
        [
            Entry(
                "cartTitle",
                "Your {kind} cart",
                description="Title",
                line=5,
                name="cartTitle",
            ),
            Entry(
                "items",
                {
                    "zero": "none",
                    "one": "one {kind}",
                    "few": "a few",
                    "other": "{n} items",
                },
                is_plural=True,
                line=12,
                key_detail={"arb": {"argument": "n"}},
                detail={"arb": {"exact": {"zero": "=0", "one": "=1"}}},
                name="items",
                format_flags=("n:plural",),
            ),
            Entry(
                "steps",
                "{count, plural, offset:1 one{# step} other{# steps}}",
                line=13,
                name="steps",
            ),
            Entry(
                "mixed",
                "You have {count, plural, one{1 item} other{{count} items}}",
                line=14,
                name="mixed",
            ),
            Entry(
                "kind", "{gender, select, male{he} other{they}}", line=15, name="kind"
            ),
        ],
        json.dumps(json.loads(ARB), indent=2).encode() + b"\n",
    )
}


CHROME_SAMPLES = {
    "chrome": Sample(
        CHROME,
        [
            Entry(
                "title",
                "Your $KIND$ cart",
                description="Above the list",
                line=2,
                key_detail={
                    "chrome": {
                        "placeholders": {"kind": {"content": "$1", "example": "new"}}
                    }
                },
                format_flags=("kind:1",),
            ),
            Entry("pay", "Pay", line=7),
            Entry("@@note", "", description="No text", line=8),
        ],
        json.dumps(json.loads(CHROME), indent=2).encode() + b"\n",
    )
}


FORMATJS_SAMPLES = {
    "formatjs": Sample(
        FORMATJS,
        [
            Entry("hak27d", "Control Panel", description="title", line=2),
            Entry("a.items", "{n, plural, one {# item} other {# items}}", line=7),
        ],
        json.dumps(
            {
                "hak27d": {"defaultMessage": "Control Panel", "description": "title"},
                "a.items": {
                    "defaultMessage": "{n, plural, one {# item} other {# items}}"
                },
            },
            indent=2,
        ).encode()
        + b"\n",
    )
}


GO_I18N = b"""{
  "title": "Your {{.Kind}} cart",
  "cart.items": {
    "description": "In the cart",
    "hash": "sha1-2b",
    "one": "{{.Count}} item",
    "other": "{{.Count}} items"
  },
  "form": {"pay": {"other": "Pay"}, "Sign in": "Sign in"}
}
"""
MATTERMOST = b"""[
  {
    "id": "April",
    "translation": "April"
  },
  {
    "id": "files.sent",
    "translation": {
      "one": "{{.Count}} file sent",
      "other": "{{.Count}} files sent"
    }
  }
]"""
ITEMS_GO = {"one": "{{.Count}} item", "other": "{{.Count}} items"}
GO_I18N_SAMPLES = {
    "objects": Sample(
        GO_I18N,
        [
            Entry("title", "Your {{.Kind}} cart", line=2),
            Entry(
                "cart.items",
                ITEMS_GO,
                is_plural=True,
                description="In the cart",
                line=3,
            ),
            Entry("form.pay", "Pay", line=9),
            Entry("form.Sign in", "Sign in", line=9),
        ],
        json.dumps(
            {
                "title": "Your {{.Kind}} cart",
                "cart.items": {"description": "In the cart", **ITEMS_GO},
                "form.pay": "Pay",
                "form.Sign in": "Sign in",
            },
            indent=2,
        ).encode()
        + b"\n",
    ),
    "array": Sample(
        MATTERMOST,
        [
            Entry("April", "April", line=3, key_detail={"json": {"array": True}}),
            Entry(
                "files.sent",
                {
                    "one": "{{.Count}} file sent",
                    "other": "{{.Count}} files sent",
                },
                is_plural=True,
                line=7,
            ),
        ],
        MATTERMOST + b"\n",
    ),
}


VUE = b"""{
  "cart": {
    "title": "Your cart, @:user.name, {'@'} {'|'} home",
    "items": "{n} item | {n} items",
    "none": "no apples|one apple|{count} apples",
    "one": "One", "other": "Other"
  },
  "many": "a | b | c | d"
}
"""
VUE_SAMPLES = {
    "vue": Sample(
        VUE,
        [
            Entry("cart.title", "Your cart, @:user.name, {'@'} {'|'} home", line=3),
            Entry(
                "cart.items",
                {"one": "{n} item", "other": "{n} items"},
                is_plural=True,
                line=4,
            ),
            Entry(
                "cart.none",
                {"zero": "no apples", "one": "one apple", "other": "{count} apples"},
                is_plural=True,
                line=5,
            ),
            Entry("cart.one", "One", line=6),
            Entry("cart.other", "Other", line=6),
            Entry("many", "a | b | c | d", line=8),
        ],
        VUE.replace(b"s|one apple|", b"s | one apple | ").replace(
            b'"One", ', b'"One",\n    '
        ),
    )
}


I18NEXT_V3 = b"""{
  "cart": {
    "items": "{{count}} item",
    "items_plural": "{{count}} items",
    "step_0": "Address",
    "step_1": "Payment"
  },
  "title": "Your cart"
}
"""
I18NEXT_V3_SAMPLES = {
    "two forms": Sample(
        I18NEXT_V3,
        [
            Entry(
                "cart.items",
                {"one": "{{count}} item", "other": "{{count}} items"},
                is_plural=True,
                line=3,
            ),
            Entry("cart.step_0", "Address", line=5),
            Entry("cart.step_1", "Payment", line=6),
            Entry("title", "Your cart", line=8),
        ],
    ),
    "three forms": Sample(
        b"""{
  "items_0": "1",
  "items_1": "2",
  "items_2": "5",
  "title_plural": "x"
}
""",
        [
            Entry(
                "items", {"one": "1", "few": "2", "many": "5"}, is_plural=True, line=2
            ),
            Entry("title_plural", "x", line=5),
        ],
        language_code="ru",
    ),
}


LARAVEL = b"""{
    "(and :count more error)": "(und :count weiterer Fehler)",
    ":count word|:count words": ":count Wort | :count W\\u00f6rter",
    "car|cars": "Auto|Autos",
    "Home. Page": "Start | Shop",
    "some": "{0} nichts|[1,*] etwas"
}
"""
LARAVEL_SAMPLES = {
    "laravel": Sample(
        LARAVEL,
        [
            Entry("(and :count more error)", "(und :count weiterer Fehler)", line=2),
            Entry(
                ":count word|:count words",
                {"one": ":count Wort ", "other": " :count Wörter"},
                is_plural=True,
                line=3,
            ),
            Entry(
                "car|cars", {"one": "Auto", "other": "Autos"}, is_plural=True, line=4
            ),
            Entry("Home. Page", "Start | Shop", line=5),
            Entry("some", "{0} nichts|[1,*] etwas", line=6),
        ],
        LARAVEL.replace(b"\\u00f6", "ö".encode()).replace(b"    ", b"  "),
        language_code="de",
    )
}


NEXTCLOUD = b"""{ "translations": {
    "Note" : "Notiz",
    "_%n note_::_%n notes_" : ["%n Notiz","%n Notizen"]
},"pluralForm" :"nplurals=2; plural=(n != 1);"
}"""
NEXTCLOUD_SAMPLES = {
    "nextcloud": Sample(
        NEXTCLOUD,
        [
            Entry("Note", "Notiz", line=2),
            Entry(
                "_%n note_::_%n notes_",
                {"one": "%n Notiz", "other": "%n Notizen"},
                is_plural=True,
                line=3,
            ),
        ],
        b"""{
  "translations": {
    "Note": "Notiz",
    "_%n note_::_%n notes_": [
      "%n Notiz",
      "%n Notizen"
    ]
  },
  "pluralForm": "nplurals=2; plural=(n != 1);"
}
""",
        language_code="de",
    )
}


def format_named(name: str) -> Format:
    formats = JsonPlugin(JsonSettings()).loc_provide_formats()
    return next(format for format in formats if format.info.id == name)


class TestNestedJson(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = NESTED_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE | {
        "a key twice": (b'{"a": {"b": "x"},\n"a.b": "y"}', 2),
        "a plural and keys": (b'{"a": {"other": "x"},\n"a": {"b": "y"}}', 2),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-nested")


class TestFlatJson(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = FLAT_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-flat")


class TestI18nextJson(FormatContract):
    cannot: ClassVar[Mapping[str, str]] = {
        "recognize": "a file without plurals is json-nested as well"
    }
    samples: ClassVar[Mapping[str, Sample]] = I18NEXT_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-i18next")


class TestArb(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = ARB_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE | {
        "a key twice": (b'{"a": "b",\n"c": "d", "@c": {"x-key": "a"}}', 2),
        "nan in attributes": (b'{"a": "b",\n"@a": {\n"c": [NaN]}}', 3),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("arb")


class TestChrome(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = CHROME_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE | {
        "a message twice": (
            b'{"a": {"message": "b"},\n"c": {"message": "d",\n"message": "e"}}',
            3,
        ),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-chrome")


class TestFormatjs(FormatContract):
    samples: ClassVar[Mapping[str, Sample]] = FORMATJS_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-formatjs")


class PluralsAreKnown(FormatContract):
    """Files do not tell of each text whether it is a plural; the project's keys do."""

    known: Mapping[str, bool] = {}

    def write(
        self,
        format: Format,
        entries: Sequence[Entry],
        language: str = "en",
        separator: str = ".",
    ) -> WrittenFile:
        self.known = {entry.key: entry.is_plural for entry in entries}
        return super().write(format, entries, language, separator)

    def read(
        self,
        format: Format,
        content: bytes,
        language: str = "en",
        separator: str = ".",
        plurals: Mapping[str, bool] = {},
    ) -> list[Catalogue]:
        known = plurals or self.known
        return super().read(format, content, language, separator, known)

    def read_or_refuse(self, format: Format, content: bytes) -> list[Catalogue] | None:
        self.known = {}
        return super().read_or_refuse(format, content)


class TestGoI18n(PluralsAreKnown):
    samples: ClassVar[Mapping[str, Sample]] = GO_I18N_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = {
        name: file
        for name, file in UNREADABLE.items()
        if name not in ("no object", "a raw control character")
    } | {
        "a message twice": (
            b'[{"id": "a", "translation": "b"},\n{"id": "a", "translation": "c"}]',
            2,
        ),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-go-i18n")


class TestVueI18n(PluralsAreKnown):
    cannot: ClassVar[Mapping[str, str]] = {
        "recognize": "a file without plurals is json-nested as well"
    }
    samples: ClassVar[Mapping[str, Sample]] = VUE_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-vue-i18n")

    @pytest.mark.parametrize("language", ["ja", "en"])
    def test_f4_plural_forms_come_back(self, format: Format, language: str) -> None:
        super().test_f4_plural_forms_come_back(format, language)


class TestI18nextV3(PluralsAreKnown):
    cannot: ClassVar[Mapping[str, str]] = {
        "recognize": "a file without plurals is json-nested as well"
    }
    samples: ClassVar[Mapping[str, Sample]] = I18NEXT_V3_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-i18next-v3")


class TestLaravel(PluralsAreKnown):
    cannot: ClassVar[Mapping[str, str]] = {"recognize": "it is json-flat as well"}
    samples: ClassVar[Mapping[str, Sample]] = LARAVEL_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-laravel")


class TestNextcloud(PluralsAreKnown):
    samples: ClassVar[Mapping[str, Sample]] = NEXTCLOUD_SAMPLES
    unreadable: ClassVar[Mapping[str, tuple[bytes, int]]] = UNREADABLE | {
        "no translations": (b'{"a": "b"}', 1),
    }

    @pytest.fixture
    def format(self) -> Format:
        return format_named("json-nextcloud")


ALL = [
    format_
    for format_ in JsonPlugin(JsonSettings()).loc_provide_formats()
    if format_.info.id not in ("json-chrome", "json-formatjs", "json-nextcloud")
]
OPTIONS = FileOptions(key_separator=".", source_language="en")


@pytest.mark.parametrize("format_", ALL)
def test_what_is_no_text_makes_no_key_and_is_no_fault(format_: Format) -> None:
    content = b'{"a": "x", "b": null, "c": 1.5, "d": true, "e": {}, "f": [], "g": [2]}'

    [found] = format_.read(SourceFile("de.json", content), OPTIONS)

    assert [(entry.key, entry.value) for entry in found.entries] == [("a", "x")]


@pytest.mark.parametrize("format_", ALL)
@pytest.mark.parametrize(
    ("member", "told"),
    [
        (r'"b": "\u0000"', "line 2: 'b' is left out: it contains U+0000"),
        (r'"b": "\udfff"', "line 2: 'b' is left out: it contains a lone surrogate"),
        (
            r'"\ud83d": "b"',
            "line 2: '\\ud83d' is left out: it contains a lone surrogate",
        ),
        ('"b": 1e999', "line 2: 'b' is left out: the number is too large"),
        ('"b": 9007199254740992', "line 2: 'b' is left out: the number is too large"),
        ('"a": "x"', "line 2: the member 'a' is given twice, equally"),
    ],
)
def test_what_cannot_be_read_costs_itself_with_a_warning(
    format_: Format, member: str, told: str
) -> None:
    content = f'{{"a": "x",\n{member},\n"c": "z"}}'.encode()

    [found] = format_.read(SourceFile("de.json", content), OPTIONS)
    template = Catalogue("en", found.entries, template=content)

    texts = {entry.key: entry.value for entry in found.entries if entry.value}
    assert texts == {"a": "x", "c": "z"}
    assert found.warnings == [told]
    assert format_.write([template], OPTIONS).content == content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("json-nested", '{"a": {"one": null, "other": "x"}, "b": {"other": null}}'),
        ("json-flat", '{"a": {"one": null, "other": "x"}, "b": {"other": null}}'),
    ],
)
def test_a_form_that_is_null_is_one_without_a_text(name: str, content: str) -> None:
    file = SourceFile("de.json", content.encode())

    [found] = format_named(name).read(file, OPTIONS)

    said = [(entry.key, entry.value, entry.is_plural) for entry in found.entries]
    assert said == [("a", {"other": "x"}, True), ("b", None, True)]

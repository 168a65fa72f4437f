"""The format arb: names, attributes, locale, plural messages."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json.arb import (
    Arb,
    dart_name,
    dart_names,
    parse_plural,
    respelled,
    write_plural,
)
from msgspec.structs import replace

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    WrittenFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)
TEMPLATE = """{
  "@@locale": "zh_Hant_TW",
  "@@last_modified": "2026-01-31",
  "@_CART": {},
  "cartTitle": "Cart",
  "@cartTitle": {
    "description": "Title",
    "type": "text",
    "placeholders": {"n": {"type": "int", "optionalParameters": {"decimalDigits": 2}}}
  },
  "items": "{n, plural, =1{one} other{{n} items}}"
}"""


def read(content: str) -> Catalogue:
    (catalogue,) = Arb().read(SourceFile("", content.encode()), OPTIONS)
    return catalogue


def write(entries: Sequence[Entry], code: str | None = None) -> WrittenFile:
    return Arb().write([Catalogue(code, entries)], OPTIONS)


def document(*entries: Entry, code: str | None = None) -> dict[str, object]:
    found: dict[str, object] = json.loads(write(entries, code).content)
    return found


def test_a_template_is_read_with_all_that_it_says() -> None:
    catalogue = read(TEMPLATE)
    title, items = catalogue.entries

    assert catalogue.language_code == "zh-Hant-TW"
    assert catalogue.detail == {"arb": {"@@last_modified": "2026-01-31", "@_CART": {}}}
    assert (title.key, title.value, title.description, title.line) == (
        "cartTitle",
        "Cart",
        "Title",
        5,
    )
    number = {"type": "int", "optionalParameters": {"decimalDigits": 2}}
    assert title.key_detail == {
        "arb": {"attributes": {"type": "text", "placeholders": {"n": number}}}
    }
    assert (items.value, items.is_plural) == (
        {"one": "one", "other": "{n} items"},
        True,
    )
    assert items.key_detail == {"arb": {"argument": "n"}}
    assert items.detail == {"arb": {"exact": {"one": "=1"}}}


def test_a_template_is_written_as_it_was() -> None:
    options = FileOptions(key_separator=".", source_language="zh-Hant-TW")
    written = Arb().write([read(TEMPLATE)], options)

    assert json.loads(written.content) == json.loads(TEMPLATE)
    assert list(json.loads(written.content)) == list(json.loads(TEMPLATE))


def test_attributes_are_written_to_the_file_of_the_source_language_alone() -> None:
    detail = {"arb": {"attributes": {"type": "text"}}}
    entries = [
        Entry("a.b", "x", description="A button", key_detail=detail),
        Entry("c", "y", description="A title"),
    ]

    assert document(*entries, code="de") == {
        "@@locale": "de",
        "aB": "x",
        "@aB": {"x-key": "a.b"},
        "c": "y",
    }


@pytest.mark.parametrize(
    "message",
    [
        "{n, plural, =0{} =1{one} other{{n} items}}",
        "{n, plural, =0{} one{} few{some} other{}}",
    ],
)
def test_forms_that_show_nothing_are_kept_beside_the_others(message: str) -> None:
    [entry] = read(json.dumps({"a": message})).entries
    assert isinstance(entry.value, dict)
    kept = {form: text for form, text in entry.value.items() if text}

    again = document(replace(entry, value=kept))

    assert again == {"a": message}
    assert document(replace(entry, value=None)) == {}
    kept["zero"] = "none"
    assert "{none}" in str(document(replace(entry, value=kept))["a"])


def test_a_plural_that_shows_nothing_at_all_is_one_text() -> None:
    [entry] = read('{"a": "{n, plural, other{}}"}').entries

    assert (entry.value, entry.is_plural) == ("{n, plural, other{}}", False)


def test_the_locale_is_spelled_with_underscores() -> None:
    assert document(code="pt-BR") == {"@@locale": "pt_BR"}
    assert document(code=None) == {}


def test_a_key_that_is_no_name_stands_in_the_attributes() -> None:
    assert document(Entry("cart.pay-now", "Pay", description="Button")) == {
        "cartPayNow": "Pay",
        "@cartPayNow": {"description": "Button", "x-key": "cart.pay-now"},
    }


def test_names_are_the_same_in_the_file_of_every_language() -> None:
    english = document(Entry("a.b", "x"), Entry("a-b", "y"))
    german = document(Entry("a.b", "z"), Entry("a-b"))

    assert next(name for name in german if german[name] == "z") == next(
        name for name in english if english[name] == "x"
    )


def test_a_plural_of_another_format_is_a_message_on_count() -> None:
    entry = Entry("items", {"other": "{count} items", "one": "an item"}, True)

    assert document(entry) == {
        "items": "{count, plural, one{an item} other{{count} items}}"
    }


def test_a_text_that_looks_like_a_plural_message_stays_a_text() -> None:
    entry = Entry("items", "{n, plural, other{n}}")

    assert document(entry)["@items"] == {"x-plural": False}
    assert read(write([entry]).content.decode()).entries[0].value == entry.value


def test_forms_that_no_message_can_hold_are_kept_in_the_attributes() -> None:
    forms = {"one": "1 }", "other": "{n}"}
    written = write([Entry("items", forms, True)])

    assert json.loads(written.content)["items"] == "{n}"
    assert read(written.content.decode()).entries[0].value == forms
    assert len(written.warnings) == 1


def test_of_forms_in_the_attributes_a_changed_message_is_the_new_other() -> None:
    content = '{"a": "new", "@a": {"x-plural": {"one": "{", "other": "old"}}}'

    assert read(content).entries[0].value == {"one": "{", "other": "new"}


@pytest.mark.parametrize(
    "detail", [{"msgid": "a"}, {"arb": 1}, {"arb": {"argument": "}"}}]
)
def test_details_that_are_not_ours_are_passed_over(detail: dict[str, object]) -> None:
    entry = Entry("a", {"other": "x"}, True, key_detail=detail, detail=detail)

    assert document(entry) == {"a": "{count, plural, other{x}}"}


def test_attributes_of_no_message_are_told_from_those_of_a_key_that_comes_later() -> (
    None
):
    catalogue = read('{"@foo": {"a": "b"}, "@bar": "x"}')
    written = Arb().write(
        [
            Catalogue(
                "en", [Entry("foo", "1"), Entry("bar", "2")], detail=catalogue.detail
            )
        ],
        OPTIONS,
    )

    assert [(e.key, e.key_detail) for e in read(written.content.decode()).entries] == [
        ("foo", None),
        ("bar", None),
    ]


def test_what_arb_has_no_place_for_is_left_out_and_told_by_line() -> None:
    content = (
        '{\n"@@locale": 1,\n"a": "x",\n"@a": {"description": 1, "x": [1e999]},\n'
        '"b": "y",\n"@b": "z",\n"c": "w", "@c": {"x-key": ["a"]}, "d": {"e": "f"},\n'
        '"g": "v", "@g": {"x-plural": {"x": "y"}}\n}'
    )

    catalogue = read(content)

    said = [(entry.key, entry.value) for entry in catalogue.entries]
    assert said == [("a", "x"), ("b", "y"), ("c", "w"), ("g", "v")]
    assert catalogue.entries[0].key_detail == {"arb": {"attributes": {"x": [None]}}}
    told = sorted(
        warning.partition(" is left out")[0] for warning in catalogue.warnings
    )
    assert told == [
        "line 2: @@locale",
        "line 3: description",
        "line 4: 'x'",
        "line 6: '@b'",
        "line 7: 'd'",
        "line 7: x-key",
        "line 8: x-plural",
    ]


@pytest.mark.parametrize(
    ("text", "is_torn"),
    [
        ("{n, plural, one{x} other{y}", True),
        ("{n, plural, one{x}} other{y}}", True),
        ("{n, plural, offset:1 one{x} other{y}}", False),
        ("{n} of {m", False),
    ],
)
def test_a_plural_message_with_a_brace_missing_is_left_out_and_told(
    text: str, is_torn: bool
) -> None:
    catalogue = read(json.dumps({"a": text}))

    assert [entry.value for entry in catalogue.entries] == [None if is_torn else text]
    assert len(catalogue.warnings) == is_torn


def test_a_text_that_looks_torn_comes_back_as_a_text() -> None:
    written = write([Entry("a", "{n, plural, one{x}")])

    assert read(written.content.decode()).entries[0].value == "{n, plural, one{x}"


@pytest.mark.parametrize("name", ["CRANE", "Travel app", "class", "_x"])
def test_a_name_that_is_not_of_dart_comes_back_as_it_was(name: str) -> None:
    [entry] = read(json.dumps({name: "x"})).entries

    assert document(entry) == {name: "x"}
    assert document(replace(entry, key="renamed")) == {"renamed": "x"}


@pytest.mark.parametrize(
    ("key", "name"), [("Hello world!", "helloWorld"), ("你好", "k"), ("", "k")]
)
def test_a_name_from_another_format_stands_in_the_attributes(
    key: str, name: str
) -> None:
    written = write([Entry(key, "x", is_file_key=True)]).content

    assert json.loads(written) == {name: "x", f"@{name}": {"x-key": key}}
    assert [entry.key for entry in read(written.decode()).entries] == [key]


def test_what_is_known_of_a_key_decides_whether_a_message_is_its_plural() -> None:
    content = b'{"a": "{n, plural, other{x}}", "b": "y"}'
    options = replace(OPTIONS, plurals={"a": False, "b": True})
    [found] = Arb().read(SourceFile("", content), options)
    of_source = replace(options, language_code="en")
    [source] = Arb().read(SourceFile("", content), of_source)

    assert source.entries[0].is_plural
    said = [(entry.value, entry.is_plural) for entry in found.entries]
    assert said == [("{n, plural, other{x}}", False), ("y", True)]
    assert document(found.entries[1]) == {"b": "y"}


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_what_an_arb_file_says_besides_comes_back(
    text: str, description: str, note: str
) -> None:
    detail = {"arb": {"attributes": {"context": note, "x-list": [1, note, None]}}}
    entry = Entry("a.b", text, description=description, key_detail=detail)
    written = Arb().write([Catalogue("en", [entry])], OPTIONS)

    (found,) = Arb().read(SourceFile("x", written.content), OPTIONS)

    (read,) = found.entries
    assert read.key_detail == detail
    assert (read.description, read.value) == (description, text)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("save", "save"),
        ("pay_now", "pay_now"),
        ("payNow", "payNow"),
        ("cart.pay-now", "cartPayNow"),
        ("cart.pay_now", "cartPay_now"),
        ("Save", "save"),
        ("SAVE.all", "sAVEAll"),
        ("404.title", "k404Title"),
        ("_private", "k_private"),
        ("-", "k"),
        ("continue", "continue_"),
        ("Class", "class_"),
        ("continue.now", "continueNow"),
    ],
)
def test_a_key_has_its_name(key: str, name: str) -> None:
    assert dart_name(key) == name


def test_where_keys_meet_the_one_that_is_the_name_keeps_it() -> None:
    warnings: list[str] = []

    names = dart_names(["a.b", "aB", "a-b", "c"], warnings)

    assert names["aB"] == "aB"
    assert names["c"] == "c"
    assert names["a.b"].startswith("aB_")
    assert names["a-b"].startswith("aB_")
    assert len(set(names.values())) == 4
    assert [warning.split()[0] for warning in warnings] == ["'a-b'", "'a.b'"]


def test_a_name_given_for_a_clash_hangs_on_the_key_alone() -> None:
    one = dart_names(["a.b", "a-b"], [])
    other = dart_names(["x", "a_b", "a:b", "a.b"], [])

    assert one["a.b"] == other["a.b"]


@settings(deadline=None)
@given(st.lists(st.text("abAB01_.-", min_size=1, max_size=5), unique=True))
def test_all_names_are_dart_and_none_is_given_twice(keys: list[str]) -> None:
    # also when a key is the very name that a clash would give
    keys = list(dict.fromkeys([*keys, *dart_names(keys, []).values()]))

    names = dart_names(keys, [])

    assert list(names) == keys
    assert len(set(names.values())) == len(keys)
    assert all(dart_name(name) == name for name in names.values())


def test_a_message_is_taken_apart() -> None:
    message = "{ n ,plural,  one {1 item}other{{n} items ({size})}\n}"

    plural = parse_plural(message)

    assert plural is not None
    forms = {"one": "1 item", "other": "{n} items ({size})"}
    assert plural[:3] == ("n", forms, {})
    assert respelled(message, plural, forms) == message


def test_numbers_are_the_forms_that_flutter_takes_them_for() -> None:
    plural = parse_plural("{count, plural, =2{a pair} =0{} few{some} other{many}}")

    assert plural is not None
    assert plural.forms == {"zero": "", "two": "a pair", "few": "some", "other": "many"}
    assert plural.exact == {"two": "=2", "zero": "=0"}


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{count}",
        "{count, plural}",
        "{count, plural, }",
        "{count, plural, one{1}}",
        "{count, plural, other{n} other{m}}",
        "{count, plural, one{1} =1{1} other{n}}",
        "{count, plural, =3{3} other{n}}",
        "{count, plural, offset:1 one{1} other{n}}",
        "{count, plural, One{1} other{n}}",
        "{count, plural, one other{n}}",
        "{count, plural, other{n}",
        "{count, plural, other{n}} ",
        " {count, plural, other{n}}",
        "{count, plural, other{n}} of {count, plural, other{n}}",
        "{count, plural, other{n}}}",
        "{count, selectordinal, one{1st} other{nth}}",
        "{gender, select, male{he} other{they}}",
        "{a b, plural, other{n}}",
        "{count, plural, one{'}'} other{n}}",
    ],
)
def test_a_message_that_says_more_than_forms_stays_a_text(message: str) -> None:
    assert parse_plural(message) is None


@pytest.mark.parametrize("text", ["}", "{", "}{", "{}}", "a {b} c}"])
def test_braces_without_their_pair_cannot_be_written(text: str) -> None:
    assert write_plural("count", {"one": text, "other": "n"}, {}) is None


def test_the_spelling_of_numbers_is_kept_only_where_it_fits() -> None:
    forms = {"one": "1", "two": "2", "other": "n"}
    exact = {"one": "=1", "two": "=1", "few": "=2", "other": 3}

    message = write_plural("count", forms, exact)

    assert message == "{count, plural, =1{1} two{2} other{n}}"


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(PLURAL_FORMS), st.text("{}' ,=1onether#\n")))
def test_what_is_written_is_taken_apart_the_same(forms: dict[str, str]) -> None:
    forms = {**forms, "other": forms.get("other", "")}
    exact = {"one": "=1"} if "one" in forms else {}

    message = write_plural("count", forms, exact)

    if message is not None:
        plural = parse_plural(message)
        assert plural is not None
        assert plural[:3] == ("count", forms, exact)
        assert respelled(message, plural, forms) == message


def test_a_long_message_takes_no_longer_than_it_is() -> None:
    for part in ("{", "}", " ", "a", "=", "one{", "one{}", "one{x} "):
        assert parse_plural("{count, plural, " + part * 100_000) is None

"""The format json-i18next: plural forms as suffixes."""

import json
from collections.abc import Mapping

import pytest
from locframework_formats_json.i18next import I18nextJson

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile, Text

OPTIONS = FileOptions(key_separator=".", source_language="en")


def read(content: str) -> dict[str, Text | None]:
    (catalogue,) = I18nextJson().read(SourceFile("", content.encode()), OPTIONS)
    return {entry.key: entry.value for entry in catalogue.entries}


def write(texts: Mapping[str, Text]) -> tuple[object, list[str]]:
    entries = [Entry(key, text, isinstance(text, dict)) for key, text in texts.items()]
    written = I18nextJson().write([Catalogue("en", entries)], OPTIONS)
    return json.loads(written.content), written.warnings


def test_a_plural_is_one_name_a_form() -> None:
    texts = {"a.items": {"other": "n", "zero": "0", "one": "1"}, "a.title": "x"}

    document, warnings = write(texts)

    assert document == {
        "a": {"items_zero": "0", "items_one": "1", "items_other": "n", "title": "x"}
    }
    assert warnings == []


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (["x_one", "x_other"], ["x"]),
        (["x_other"], ["x"]),
        (["x_zero", "x_one", "x_two", "x_few", "x_many", "x_other"], ["x"]),
        (["x_one", "y_other", "x_other"], ["x", "y"]),
        (["x_one", "x_few"], ["x_one", "x_few"]),
        (["x", "x_one", "x_other"], ["x", "x_one", "x_other"]),
        (["x_ordinal_one", "x_ordinal_other"], ["x_ordinal_one", "x_ordinal_other"]),
        (["x_male", "x_female"], ["x_male", "x_female"]),
        (["x_male_one", "x_male_other"], ["x_male"]),
        (["_other", "other"], ["_other", "other"]),
        (["x_other", "x_other_other"], ["x", "x_other_other"]),
    ],
)
def test_names_with_a_suffix_are_one_key_when_other_is_among_them(
    names: list[str], keys: list[str]
) -> None:
    assert list(read(json.dumps(dict.fromkeys(names, "text")))) == keys
    inside = {"a": dict.fromkeys(names, "text")}
    assert list(read(json.dumps(inside))) == [f"a.{key}" for key in keys]


def test_a_plural_stands_at_the_line_of_its_first_form() -> None:
    content = '{\n"x_one": "1",\n"y": "z",\n"x_other": "2"}'
    (catalogue,) = I18nextJson().read(SourceFile("", content.encode()), OPTIONS)

    assert [(entry.key, entry.line) for entry in catalogue.entries] == [
        ("x", 2),
        ("y", 3),
    ]


def test_an_object_of_forms_is_no_plural() -> None:
    assert read('{"a": {"one": "1", "other": "2"}}') == {"a.one": "1", "a.other": "2"}


def test_a_plural_beside_deeper_keys_is_no_clash() -> None:
    texts = {"a": {"one": "1", "other": "n"}, "a.b": "x"}

    document, warnings = write(texts)

    assert document == {"a_one": "1", "a_other": "n", "a": {"b": "x"}}
    assert warnings == []
    assert read(json.dumps(document)) == texts


def test_a_plural_below_a_text_keeps_its_whole_names() -> None:
    texts = {"a": "x", "a.b": {"one": "1", "other": "n"}}

    document, warnings = write(texts)

    assert document == {"a": "x", "a.b_one": "1", "a.b_other": "n"}
    assert len(warnings) == 2
    assert read(json.dumps(document)) == texts


def test_an_ordinary_key_named_like_a_form_is_left_out_and_told() -> None:
    document, warnings = write({"x": {"other": "n"}, "x_one": "1", "x_male": "m"})

    assert document == {"x_other": "n", "x_male": "m"}
    assert warnings == ["'x_one' is left out: it is a form of the plural 'x'"]


def test_ordinary_keys_that_will_read_as_a_plural_are_told() -> None:
    document, warnings = write({"x_one": "1", "x_other": "n"})

    assert document == {"x_one": "1", "x_other": "n"}
    assert warnings == [
        "'x_one' will read as a form of the plural 'x'",
        "'x_other' will read as a form of the plural 'x'",
    ]


def test_a_plural_that_will_read_as_ordinary_keys_is_told() -> None:
    _, warnings = write({"x_ordinal": {"one": "{{count}}st", "other": "{{count}}th"}})

    assert warnings == ["the plural 'x_ordinal' will read as ordinary keys"]

"""The formats json-nested, json-flat and json-i18next, and how they are told apart."""

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings
from locframework_formats_json.objects import FlatJson, I18nextJson, NestedJson

from locframework.ports import (
    PLURAL_FORMS,
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    Text,
    UnreadableFile,
    WrittenFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
)
KEYS = st.text("abAB01_-.", min_size=1, max_size=6)
PLURALS = st.dictionaries(st.sampled_from(PLURAL_FORMS), TEXTS, min_size=1)


@settings(deadline=None)
@given(st.dictionaries(KEYS, TEXTS | PLURALS))
def test_flat_keeps_every_catalogue_in_order_without_a_warning(
    texts: dict[str, str | dict[str, str]],
) -> None:
    entries = [Entry(key, text, isinstance(text, dict)) for key, text in texts.items()]
    for indent in (0, 2):
        format = FlatJson(indent)
        written = format.write([Catalogue("en", entries)], OPTIONS)

        (found,) = format.read(SourceFile("x", written.content), OPTIONS)

        assert [(entry.key, entry.value) for entry in found.entries] == [*texts.items()]
        assert written.warnings == []


def read_nested(content: str, separator: str = ".") -> Sequence[Entry]:
    options = FileOptions(key_separator=separator, source_language="en")
    (catalogue,) = NestedJson().read(SourceFile("", content.encode()), options)
    return catalogue.entries


def write_nested(*entries: Entry, indent: int = 2) -> WrittenFile:
    return NestedJson(indent).write([Catalogue("en", entries)], OPTIONS)


def test_a_tree_is_written_as_people_write_it() -> None:
    plural = Entry("cart.items", {"other": "{n} Stück", "one": "1 Stück"}, True)

    written = write_nested(Entry("ä", "„Ö“\n"), plural, Entry("cart.title", "Korb 🛒"))

    assert written.content.decode() == (
        '{\n  "ä": "„Ö“\\n",\n  "cart": {\n    "items": {\n'
        '      "one": "1 Stück",\n      "other": "{n} Stück"\n    },\n'
        '    "title": "Korb 🛒"\n  }\n}\n'
    )
    assert written.warnings == []


def test_without_indent_all_is_on_one_line() -> None:
    assert write_nested(Entry("a.b", "c"), indent=0).content == b'{"a":{"b":"c"}}\n'


def test_names_are_joined_with_the_separator_of_the_project() -> None:
    content = '{"a": {"b": {"c": "1"}}, "d.e": "2"}'

    assert [entry.key for entry in read_nested(content, ":")] == ["a:b:c", "d.e"]


def test_entries_come_with_the_line_of_their_member() -> None:
    content = '{\n"a": {\n"b": "x"\n},\n"c": {"one": "1",\n"other": "2"}}'

    assert [(entry.key, entry.line) for entry in read_nested(content)] == [
        ("a.b", 3),
        ("c", 5),
    ]


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ('{"a": {"other": "x"}}', {"a": {"other": "x"}}),
        ('{"a": {"one": "1", "few": "2"}}', {"a.one": "1", "a.few": "2"}),
        ('{"a": {"other": "x", "b": "y"}}', {"a.other": "x", "a.b": "y"}),
        (
            '{"a": {"other": "x", "one": {"b": "y"}}}',
            {"a.other": "x", "a.one.b": "y"},
        ),
        ('{"one": "1", "other": "2"}', {"one": "1", "other": "2"}),
    ],
)
def test_an_object_of_forms_with_other_is_a_plural(
    content: str, keys: dict[str, object]
) -> None:
    assert {entry.key: entry.value for entry in read_nested(content)} == keys


def test_objects_that_are_empty_are_ignored() -> None:
    assert [e.key for e in read_nested('{"a": {}, "b": {"c": {}, "d": "x"}}')] == [
        "b.d"
    ]


def test_a_key_below_a_text_keeps_its_whole_name_at_the_top() -> None:
    written = write_nested(
        Entry("x.a", "1"), Entry("x.a.b", "2"), Entry("x.a.b.c", "3")
    )

    assert json.loads(written.content) == {
        "x": {"a": "1"},
        "x.a.b": "2",
        "x.a.b.c": "3",
    }
    assert written.warnings == [
        "'x.a.b' keeps its whole name: 'x.a' is a text itself",
        "'x.a.b.c' keeps its whole name: 'x.a.b' is a text itself",
    ]


def test_a_clash_comes_out_the_same_in_any_order() -> None:
    written = write_nested(Entry("a.b", "2"), Entry("a", "1"))

    assert json.loads(written.content) == {"a": "1", "a.b": "2"}
    assert len(written.warnings) == 1


def test_ordinary_keys_that_would_read_as_a_plural_keep_their_whole_names() -> None:
    written = write_nested(Entry("a.b.one", "1"), Entry("a.b.other", "2"))

    assert json.loads(written.content) == {"a.b.one": "1", "a.b.other": "2"}
    assert len(written.warnings) == 2


def test_a_key_of_too_many_segments_keeps_its_whole_name() -> None:
    fits, deep = ".".join("s" * 63), ".".join("t" * 64)
    written = write_nested(
        Entry(fits, {"other": "x"}, True), Entry(deep, {"other": "y"}, True)
    )

    assert list(json.loads(written.content)) == ["s", deep]
    assert [entry.key for entry in read_nested(written.content.decode())] == [
        fits,
        deep,
    ]
    assert len(written.warnings) == 1


def test_a_plural_without_other_says_its_last_form_there_and_tells() -> None:
    written = write_nested(Entry("a", {"one": "1"}, True), Entry("b", "x"))

    assert json.loads(written.content) == {"a": {"one": "1", "other": "1"}, "b": "x"}
    told = "'a' has no text for 'other', so that for 'one' stands there too"
    assert written.warnings == [told]


def test_what_is_no_text_is_told_by_line_and_name() -> None:
    content = '{\n"a": 1,\n"b": {"c": [{"d": "e"}],\n"f": null},\n"g": "x", "g": true}'

    with pytest.raises(UnreadableFile) as caught:
        read_nested(content)

    assert isinstance(caught.value.details, list)
    assert [(p.path, p.rule, p.message) for p in caught.value.details] == [
        ("line 2", "type", "'a' has to be a text, not a number"),
        ("line 3", "type", "'c' has to be a text, not an array"),
        ("line 5", "duplicate", "the member 'g' is given twice"),
    ]


def test_a_hundred_of_many_faults_are_listed() -> None:
    content = json.dumps({f"{at:03}{'x' * 50}": at for at in range(300)}, indent=0)

    with pytest.raises(UnreadableFile) as caught:
        read_nested(content)

    assert isinstance(caught.value.details, list)
    told = [problem.message for problem in caught.value.details]
    assert told[0] == f"'000{'x' * 50}' has to be a text, not a number"
    assert len(told) == 100
    assert caught.value.message.endswith(" (and 299 more)")


def test_a_key_given_in_two_ways_is_told() -> None:
    with pytest.raises(
        UnreadableFile, match=r"^line 2: the key 'a\.b' is given twice$"
    ):
        read_nested('{"a": {"b": "1"},\n"a.b": "2"}')


def read_flat(content: str) -> dict[str, tuple[object, int | None]]:
    (catalogue,) = FlatJson().read(SourceFile("", content.encode()), OPTIONS)
    return {entry.key: (entry.value, entry.line) for entry in catalogue.entries}


def test_keys_that_clash_in_a_tree_stand_side_by_side() -> None:
    entries = [
        Entry("a", "1"),
        Entry("a.b", {"few": "2"}, True),
        Entry("c.one", "3"),
        Entry("c.other", "4"),
        Entry("d"),
        Entry("e", {}, True),
    ]

    written = FlatJson().write([Catalogue("en", entries)], OPTIONS)

    assert json.loads(written.content) == {
        "a": "1",
        "a.b": {"few": "2"},
        "c.one": "3",
        "c.other": "4",
    }
    assert written.warnings == []


def test_any_object_of_forms_is_a_plural() -> None:
    content = '{\n"a.b": "x",\n"c": {"few": "y"},\n"d": {}, "e": "z"}'

    assert read_flat(content) == {
        "a.b": ("x", 2),
        "c": ({"few": "y"}, 3),
        "e": ("z", 4),
    }


def test_objects_of_anything_else_are_told() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read_flat('{"a": {"other": "x", "b": "y"},\n"c": {"one": {}},\n"d": 1}')

    assert isinstance(caught.value.details, list)
    assert [(p.path, p.message) for p in caught.value.details] == [
        ("line 1", "'a' holds more than plural forms"),
        ("line 2", "'c' holds more than plural forms"),
        ("line 3", "'d' has to be a text, not a number"),
    ]


def read_i18next(content: str) -> dict[str, Text | None]:
    (catalogue,) = I18nextJson().read(SourceFile("", content.encode()), OPTIONS)
    return {entry.key: entry.value for entry in catalogue.entries}


def write_i18next(texts: Mapping[str, Text]) -> tuple[object, list[str]]:
    entries = [Entry(key, text, isinstance(text, dict)) for key, text in texts.items()]
    written = I18nextJson().write([Catalogue("en", entries)], OPTIONS)
    return json.loads(written.content), written.warnings


def test_a_plural_is_one_name_a_form() -> None:
    texts = {"a.items": {"other": "n", "zero": "0", "one": "1"}, "a.title": "x"}

    document, warnings = write_i18next(texts)

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
    assert list(read_i18next(json.dumps(dict.fromkeys(names, "text")))) == keys
    inside = {"a": dict.fromkeys(names, "text")}
    assert list(read_i18next(json.dumps(inside))) == [f"a.{key}" for key in keys]


def test_a_plural_stands_at_the_line_of_its_first_form() -> None:
    content = '{\n"x_one": "1",\n"y": "z",\n"x_other": "2"}'
    (catalogue,) = I18nextJson().read(SourceFile("", content.encode()), OPTIONS)

    assert [(entry.key, entry.line) for entry in catalogue.entries] == [
        ("x", 2),
        ("y", 3),
    ]


def test_an_object_of_forms_is_no_plural() -> None:
    assert read_i18next('{"a": {"one": "1", "other": "2"}}') == {
        "a.one": "1",
        "a.other": "2",
    }


def test_a_plural_beside_deeper_keys_is_no_clash() -> None:
    texts = {"a": {"one": "1", "other": "n"}, "a.b": "x"}

    document, warnings = write_i18next(texts)

    assert document == {"a_one": "1", "a_other": "n", "a": {"b": "x"}}
    assert warnings == []
    assert read_i18next(json.dumps(document)) == texts


def test_a_plural_below_a_text_keeps_its_whole_names() -> None:
    texts = {"a": "x", "a.b": {"one": "1", "other": "n"}}

    document, warnings = write_i18next(texts)

    assert document == {"a": "x", "a.b_one": "1", "a.b_other": "n"}
    assert len(warnings) == 2
    assert read_i18next(json.dumps(document)) == texts


def test_an_ordinary_key_named_like_a_form_is_left_out_and_told() -> None:
    document, warnings = write_i18next(
        {"x": {"other": "n"}, "x_one": "1", "x_male": "m"}
    )

    assert document == {"x_other": "n", "x_male": "m"}
    assert warnings == ["'x_one' is left out: it is a form of the plural 'x'"]


def test_ordinary_keys_that_will_read_as_a_plural_are_told() -> None:
    document, warnings = write_i18next({"x_one": "1", "x_other": "n"})

    assert document == {"x_one": "1", "x_other": "n"}
    assert warnings == [
        "'x_one' will read as a form of the plural 'x'",
        "'x_other' will read as a form of the plural 'x'",
    ]


def test_a_plural_that_will_read_as_ordinary_keys_is_told() -> None:
    _, warnings = write_i18next(
        {"x_ordinal": {"one": "{{count}}st", "other": "{{count}}th"}}
    )

    assert warnings == ["the plural 'x_ordinal' will read as ordinary keys"]


FORMATS = JsonPlugin(JsonSettings()).loc_provide_formats()


def claimed_by(name: str, content: str) -> list[str]:
    file = SourceFile(name, content.encode())
    return [format.info.id for format in FORMATS if format.recognizes(file)]


@pytest.mark.parametrize(
    ("content", "format_id"),
    [
        ("{}", "json-nested"),
        ('{"a": "b"}', "json-nested"),
        ('{"a": {"b": "c"}}', "json-nested"),
        ('{"a": {"one": "1", "other": "2"}}', "json-nested"),
        ('{"a.b": "c", "d": {"e": "f"}}', "json-nested"),
        ('{"Really? Yes. No.": "c"}', "json-nested"),
        ('{"gender_other": "x", "gender_male": "y"}', "json-nested"),
        ('{"a.b": "c", "d": "e"}', "json-flat"),
        ('{"a:b": "c"}', "json-flat"),
        ('{"a.b": {"one": "1", "other": "2"}}', "json-flat"),
        ('{"a_one": "1", "a_other": "2"}', "json-i18next"),
        ('{"a": {"b_few": "1", "b_other": "2"}}', "json-i18next"),
        ('{"a.b_one": "1", "a.b_other": "2"}', "json-i18next"),
        ('{"@@locale": "en", "a": "b"}', "arb"),
        ('{"@@locale": "en", "a_one": "b", "a_other": "c"}', "arb"),
    ],
)
def test_an_ordinary_file_has_one_format(content: str, format_id: str) -> None:
    assert claimed_by("de/app.json", content) == [format_id]
    assert claimed_by("", content) == [format_id]
    assert claimed_by("app.JSON", "\ufeff" + content) == [format_id]


def test_the_name_alone_tells_an_arb_file() -> None:
    assert claimed_by("app_de.arb", '{"a": "b"}') == ["arb"]
    assert claimed_by("app_de.arb", "{") == ["arb"]


def test_a_broken_json_file_is_claimed_so_that_its_faults_are_told() -> None:
    assert claimed_by("app.json", '{"a": "b",}') == ["json-nested"]
    assert claimed_by("package.json", '{"private": true}') == ["json-nested"]


@pytest.mark.parametrize("name", ["app.po", "app.xcstrings", "app.json.gz", "a.js"])
def test_files_of_other_names_are_left_to_others(name: str) -> None:
    assert claimed_by(name, '{"a": "b"}') == []


def test_content_that_is_no_object_needs_a_name() -> None:
    assert claimed_by("", "[]") == []
    assert claimed_by("", "") == []

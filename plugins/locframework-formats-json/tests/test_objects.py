"""The formats json-nested, json-flat and json-i18next, and how they are told apart."""

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locframework_formats_json import JsonPlugin, JsonSettings
from locframework_formats_json.objects import FlatJson, I18nextJson, NestedJson
from msgspec.structs import replace

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


def test_other_objects_are_read_as_nested() -> None:
    content = '{"a": {"other": "x", "b": "y"},\n"c": {"one": {}},\n"d": ["z"]}'

    assert read_flat(content) == {
        "a.other": ("x", 1),
        "a.b": ("y", 1),
        "d.0": ("z", 3),
    }


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


def keys_of(
    format_: NestedJson | I18nextJson | FlatJson,
    content: object,
    language: str | None,
    plurals: Mapping[str, bool] = {},
) -> list[str]:
    """The keys of a file; those that are plural with a star."""
    file = SourceFile("", json.dumps(content).encode())
    options = replace(OPTIONS, language_code=language, plurals=plurals)
    (catalogue,) = format_.read(file, options)
    return [entry.key + "*" * entry.is_plural for entry in catalogue.entries]


@pytest.mark.parametrize(
    ("language", "names", "keys"),
    [
        ("en", ["n_one", "n_other"], ["n*"]),
        ("ja", ["n_other"], ["n*"]),
        ("ru", ["n_one", "n_few", "n_many"], ["n*"]),
        ("fr", ["n_one", "n_many", "n_other"], ["n*"]),
        ("fr", ["n_one", "n_other"], ["n*"]),
        ("en", ["n_zero", "n_one", "n_other"], ["n*"]),
        ("en", ["n_other"], ["n_other"]),
        ("ru", ["n_one", "n_other"], ["n_one", "n_other"]),
        ("en", ["n_one", "n_two", "n_other"], ["n_one", "n_two", "n_other"]),
        ("en", ["r_spam", "r_other"], ["r_spam", "r_other"]),
        ("ja", ["r_spam", "r_other"], ["r_spam", "r_other"]),
        ("en", ["n", "n_one", "n_other"], ["n", "n_one", "n_other"]),
        ("tlh", ["n_one", "n_other"], ["n*"]),
    ],
)
def test_names_that_nothing_is_known_of_are_a_plural_as_the_language_has_it(
    language: str, names: list[str], keys: list[str]
) -> None:
    assert keys_of(I18nextJson(), dict.fromkeys(names, "x"), language) == keys
    inside = {"a": dict.fromkeys(names, "x")}
    found = keys_of(I18nextJson(), inside, language)
    assert found == [f"a.{key}" for key in keys]


@pytest.mark.parametrize(
    ("language", "forms", "is_plural"),
    [
        ("en", ["one", "other"], True),
        ("ja", ["other"], True),
        ("ru", ["one", "few", "many"], True),
        ("en", ["other"], False),
        ("en", ["one", "two", "other"], False),
        ("en", ["few", "many", "other"], False),
    ],
)
def test_an_object_that_nothing_is_known_of_is_a_plural_as_the_language_has_it(
    language: str, forms: list[str], is_plural: bool
) -> None:
    keys = ["a*"] if is_plural else [f"a.{form}" for form in forms]

    assert keys_of(NestedJson(), {"a": dict.fromkeys(forms, "x")}, language) == keys


@given(
    st.sets(st.sampled_from(PLURAL_FORMS), min_size=1),
    st.sampled_from(["en", "ja", "ru", "ar", None]),
)
def test_what_is_known_of_a_key_decides_whatever_the_forms_and_language(
    forms: set[str], language: str | None
) -> None:
    names = {f"n_{form}": "x" for form in forms}
    tree = {"n": dict.fromkeys(forms, "x")}
    known = {"n": True}

    assert keys_of(I18nextJson(), names, language, known) == ["n*"]
    assert keys_of(NestedJson(), tree, language, known) == ["n*"]
    assert keys_of(I18nextJson(), names, language, dict.fromkeys(names, False)) == [
        *names
    ]
    dotted = {f"n.{form}": False for form in forms}
    assert keys_of(NestedJson(), tree, language, dotted) == [*dotted]


def test_a_key_that_was_one_text_turns_plural_where_names_leave_no_doubt() -> None:
    names, was_text = {"n_one": "1", "n_other": "2"}, {"n": False}

    assert keys_of(I18nextJson(), names, "en", was_text) == ["n*"]
    assert keys_of(I18nextJson(), names, "de", was_text) == ["n_one", "n_other"]
    tree = {"n": {"one": "1", "other": "2"}}
    assert keys_of(NestedJson(), tree, "de", was_text) == ["n*"]
    assert keys_of(FlatJson(), tree, "de", was_text) == ["n*"]


def test_a_text_beside_the_forms_of_a_known_plural_is_left_out_and_told() -> None:
    file = SourceFile("", b'{"n": "x", "n_one": "1", "n_other": "2"}')
    (found,) = I18nextJson().read(file, replace(OPTIONS, plurals={"n": True}))

    assert [entry.value for entry in found.entries] == [{"one": "1", "other": "2"}]
    assert [told[:24] for told in found.warnings] == ["line 1: 'n' is left out:"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('{"en": {"a_one": "x", "a_other": "y"}, "pt-BR": {}}', "several languages"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_name(content: str, kind: str) -> None:
    assert claimed_by("x.json", content) == ["json-nested"]
    with pytest.raises(UnreadableFile, match=rf"{kind}.* which no format reads yet"):
        read_nested(content)
    FlatJson().read(SourceFile("", content.encode()), OPTIONS)


@pytest.mark.parametrize(
    "content",
    [
        '{"error": {"message": "x"}}',
        '{"a": {"message": "x", "title": "y"}, "b": {"message": "z"}}',
        '{"a": {"message": "x"}, "b": "y"}',
        '{"translations": {"a": "x"}}',
        '{"en": "English", "de": "Deutsch"}',
        '{"ui": {"a": "x"}, "api": {"b": "y"}}',
    ],
)
def test_ordinary_files_are_not_taken_for_another_kind(content: str) -> None:
    assert len(read_nested(content)) >= 1


@pytest.mark.parametrize(
    ("content", "warnings"),
    [
        ('{"de": {"a": "x"}}', ["line 1: all of it is in 'de'"]),
        ('{"de-DE": {"a": "x"}}', ["line 1: all of it is in 'de-DE'"]),
        ('{"en": {"a": "x"}}', []),
        ('{"a": "Tag | {count} Tags", "b": "c | d"}', ["line 1: plurals of vue-i18n"]),
        ('{"a": "Home | Site", "b": "x || y {count}"}', []),
    ],
)
def test_what_may_be_misread_is_told(content: str, warnings: list[str]) -> None:
    options = replace(OPTIONS, language_code="de")
    (found,) = NestedJson().read(SourceFile("", content.encode()), options)

    assert len(found.warnings) == len(warnings)
    for told, start in zip(found.warnings, warnings, strict=True):
        assert told.startswith(start)


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
        ('{"a.b": ["c"], "d": 1, "e": null}', "json-flat"),
        ('{"a.b": [{"c": "d"}]}', "json-nested"),
        ('{"a_one": "1", "a_other": "2"}', "json-i18next"),
        ('{"a_one": "1", "a_few": "2", "a_many": "3"}', "json-i18next"),
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

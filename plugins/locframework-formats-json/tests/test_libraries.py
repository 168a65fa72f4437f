"""JSON of go-i18n, i18next v3, Laravel, Nextcloud and vue-i18n: what the contract
leaves open."""

import json
from collections.abc import Mapping

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings
from locframework_formats_json.i18next_v3 import suffixes
from msgspec.structs import replace

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
    WrittenFile,
)

FORMATS = {
    each.info.id: each for each in JsonPlugin(JsonSettings()).loc_provide_formats()
}


def read(
    id_: str, content: str, language: str = "en", **plurals: bool
) -> tuple[dict[str, object], Catalogue]:
    options = FileOptions(".", "en", language, plurals=plurals)
    [found] = FORMATS[id_].read(SourceFile("x.json", content.encode()), options)
    return {entry.key: entry.value for entry in found.entries}, found


def write(
    id_: str, found: Catalogue, language: str, template: str | None = None
) -> WrittenFile:
    content = None if template is None else template.encode()
    given = replace(found, language_code=language, template=content)
    return FORMATS[id_].write([given], FileOptions(".", "en"))


def kept(id_: str, content: str, language: str = "en", **plurals: bool) -> Catalogue:
    """What is read, and written as it was when the framework drops empty texts."""
    _, found = read(id_, content, language, **plurals)
    entries = []
    for entry in found.entries:
        value = entry.value
        if entry.is_plural and isinstance(value, str):
            value = {"other": value}
        entries.append(replace(entry, value=value or None))
    found = replace(found, entries=entries)
    assert write(id_, found, language, content).content.decode() == content
    return found


# recognition


@pytest.mark.parametrize(
    ("name", "content", "id_"),
    [
        ("de.json", '[{"id": "a", "translation": "b"}]', "json-go-i18n"),
        ("de.json", '{"a": {"description": "d", "other": "b"}}', "json-go-i18n"),
        ("de.json", '{"a": {"hash": "sha1-1", "one": "b"}}', "json-go-i18n"),
        ("i18n/active.pt-BR.json", '{"a": "b"}', "json-go-i18n"),
        ("inactive.de.json", '{"a": "b"}', "json-nested"),
        ("de.json", '[{"id": "a", "text": "b"}]', "json-nested"),
        ("de.json", '{"a": {"description": "d", "title": "b"}}', "json-nested"),
        ("de.json", '{"a": "1", "a_plural": "2"}', "json-i18next-v3"),
        ("de.json", '{"x": {"a": "1", "a_plural": "2"}}', "json-i18next-v3"),
        ("de.json", '{"a": "1", "b": "3", "a_plural": "2"}', "json-nested"),
        ("de.json", '{"step_0": "1", "step_1": "2"}', "json-nested"),
        ("de.json", '{"a": "{n} car | {n} cars"}', "json-vue-i18n"),
        ("de.json", '{"a": "no cars|{count} cars"}', "json-vue-i18n"),
        ("de.json", '{"a": "see @:b.c"}', "json-vue-i18n"),
        ("de.json", '{"a": "Home | Shop"}', "json-nested"),
        ("de.json", '{"a": "{{count}} | x", "b": "me@x.y"}', "json-nested"),
        ("de.json", '{"a": "|:count a|:count b"}', "json-nested"),
        ("de.json", '{"translations": {}, "pluralForm": "x"}', "json-nextcloud"),
        ("de.json", '{"translations": {"a": "b"}}', "json-nested"),
    ],
)
def test_a_file_is_recognized_by_signs_that_no_other_has(
    name: str, content: str, id_: str
) -> None:
    file = SourceFile(name, content.encode())

    found = [each.info.id for each in FORMATS.values() if each.recognizes(file)]

    assert found == [id_]


@pytest.mark.parametrize(
    "content",
    [
        "{count}" * 20_000,
        "|{" * 60_000,
        '"a_plural' * 20_000,
        '{"description": "' * 20_000,
        '["' + " " * 200_000,
    ],
)
def test_long_files_are_recognized_in_linear_time(content: str) -> None:
    wrapped = json.dumps({"translations": content})

    for each in FORMATS.values():
        each.recognizes(SourceFile("", wrapped.encode()))
        each.recognizes(SourceFile("", content.encode()))


# go-i18n


def test_messages_without_a_text_stay_with_what_they_have() -> None:
    content = """{
  "a": {"description": "d", "other": ""},
  "b": {"description": "only"},
  "c": "",
  "d": {"leftDelim": "<<", "rightDelim": ">>", "other": "<<.N>>"},
  "e": {"one": "x", "other": ""},
  "f": {"deep": {"g": "y"}, "list": ["z"]}
}"""
    found = kept("json-go-i18n", content)

    assert [entry.key for entry in found.entries] == [
        *("a", "b", "c", "d", "e", "f.deep.g", "f.list.0"),
    ]


def test_an_element_that_goes_leaves_no_hole_and_a_new_one_has_its_place() -> None:
    content = """[
    {
        "id": "a",
        "translation": "A"
    },
    {
        "id": "c",
        "translation": {"one": "1", "other": "2"}
    },
    {"id": "d", "translation": ""}
]"""
    found = kept("json-go-i18n", content)
    a, c, d = found.entries
    detail = a.key_detail
    entries = [c, Entry("cc", "new", key_detail=detail), d]

    after = write("json-go-i18n", replace(found, entries=entries), "en", content)

    assert json.loads(after.content) == [
        {"id": "c", "translation": {"one": "1", "other": "2"}},
        {"id": "cc", "translation": "new"},
        {"id": "d", "translation": ""},
    ]
    assert b'"id": "cc",\n        "translation": "new"\n    },' in after.content


def test_elements_that_are_no_messages_are_told_and_stay() -> None:
    content = '[{"id": "a", "translation": "A"}, "b", {"translation": "c"}]'

    found = kept("json-go-i18n", content)

    assert [entry.key for entry in found.entries] == ["a"]
    assert found.warnings == ["line 1: an element is left out: it has no id"] * 2


def test_descriptions_are_written_in_the_source_language_alone() -> None:
    entry = Entry("a", "b", description="Above")
    made = Catalogue(None, [entry])

    english = json.loads(write("json-go-i18n", made, "en").content)
    german = json.loads(write("json-go-i18n", made, "de").content)
    changed = json.loads(write("json-go-i18n", made, "en", '{"a": "b"}').content)

    assert english == changed == {"a": {"description": "Above", "other": "b"}}
    assert german == {"a": "b"}


def test_a_text_that_becomes_a_plural_is_an_object() -> None:
    made = Catalogue(None, [Entry("a", {"one": "1", "other": "2"}, is_plural=True)])

    for template, at in (('{"a": "b"}', "a"), ('{"a": {"other": "b"}}', "a")):
        after = json.loads(write("json-go-i18n", made, "de", template).content)
        assert after[at] == {"one": "1", "other": "2"}
    array = '[{"id": "a", "translation": "b"}]'
    [after] = json.loads(write("json-go-i18n", made, "de", array).content)
    assert after == {"id": "a", "translation": {"one": "1", "other": "2"}}


# vue-i18n


@pytest.mark.parametrize(
    ("language", "text", "forms"),
    [
        ("en", "a | b", {"one": "a", "other": "b"}),
        ("de", "a|b", {"one": "a", "other": "b"}),
        ("en", "0 | 1 | n", {"zero": "0", "one": "1", "other": "n"}),
        ("en", "a {'|'} b | c", {"one": "a {'|'} b", "other": "c"}),
        ("ru", "a | b | c", "a | b | c"),
        ("ru", "a | b", "a | b"),
        ("ja", "a | b", "a | b"),
        ("en", "a | b | c | d", "a | b | c | d"),
        ("en", "a {'|'} b", "a {'|'} b"),
    ],
)
def test_parts_of_vue_i18n_are_forms_where_the_library_decides(
    language: str, text: str, forms: object
) -> None:
    content = json.dumps({"a": {"b": text}})

    assert read("json-vue-i18n", content, language)[0] == {"a.b": forms}
    kept("json-vue-i18n", content, language)


def test_a_changed_form_keeps_the_bars_of_the_text() -> None:
    content = '{"a": "x|y"}'
    _, found = read("json-vue-i18n", content)
    [entry] = found.entries
    new = replace(found, entries=[replace(entry, value={"one": "x", "other": "z"})])

    assert write("json-vue-i18n", new, "en", content).content == b'{"a": "x|z"}'


@pytest.mark.parametrize(
    ("language", "forms", "written", "told"),
    [
        ("en", {"one": "a | b", "other": "c"}, None, "has a bar"),
        ("ru", {"one": "1", "few": "2", "many": "5"}, "1 | 2 | 5", "does not read"),
        ("en", {"other": "c"}, "c | c", "has the plural forms other"),
        ("ja", {"other": "c"}, "c", ""),
    ],
)
def test_what_vue_i18n_cannot_tell_apart_is_told(
    language: str, forms: Mapping[str, str], written: str | None, told: str
) -> None:
    made = Catalogue(None, [Entry("k", forms, is_plural=True)])

    after = write("json-vue-i18n", made, language)

    assert json.loads(after.content).get("k") == written
    assert [told in each for each in after.warnings] == ([True] if told else [])


# i18next v3


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", {"": "one", "_plural": "other"}),
        ("fr", {"": "one", "_plural": "other"}),
        ("ja", {"_0": "other"}),
        ("fa", {"_0": "other"}),
        ("ru", {"_0": "one", "_1": "few", "_2": "many"}),
        ("cs", {"_0": "one", "_1": "few", "_2": "other"}),
        ("sl-SI", {"_0": "other", "_1": "one", "_2": "two", "_3": "few"}),
        ("lv", {"_0": "one", "_1": "other", "_2": "zero"}),
        ("xx", {"": "one", "_plural": "other"}),
    ],
)
def test_numbers_are_forms_as_i18next_counts_them(
    language: str, forms: Mapping[str, str]
) -> None:
    assert suffixes(language) == forms


@pytest.mark.parametrize(
    ("content", "language", "is_known", "expected"),
    [
        ('{"x_0": "a"}', "ja", True, {"x": {"other": "a"}}),
        ('{"x_0": "a"}', "ja", None, {"x_0": "a"}),
        ('{"x_0": "a", "x_1": "b"}', "ru", None, {"x_0": "a", "x_1": "b"}),
        ('{"x_0": "a", "x_1": "b"}', "ru", True, {"x": {"one": "a", "few": "b"}}),
        ('{"x": "a", "x_plural": "b"}', "ru", True, {"x": {"one": "a", "other": "b"}}),
        ('{"x": "a"}', "de", True, {"x": "a"}),
        ('{"x": "a", "x_plural": ""}', "de", None, {"x": {"one": "a", "other": ""}}),
        ('{"x_plural": "b"}', "de", None, {"x_plural": "b"}),
        (
            '{"x_0": "a", "x_1": "b", "x_2": "c", "x": "d", "x_plural": "e"}',
            "ru",
            None,
            {"x": {"one": "a", "few": "b", "many": "c"}, "x_plural": "e"},
        ),
    ],
)
def test_names_of_i18next_v3_are_plurals_where_they_are_whole_or_known(
    content: str, language: str, is_known: bool | None, expected: object
) -> None:
    plurals = {} if is_known is None else {"x": is_known}

    assert read("json-i18next-v3", content, language, **plurals)[0] == expected
    kept("json-i18next-v3", content, language, **plurals)


# Laravel


@pytest.mark.parametrize(
    ("text", "language", "is_plural"),
    [
        ("Auto|Autos", "de", True),
        (":count Auto | :count Autos", "de", True),
        ("Start | Laden", "de", False),
        ("{0} nichts|[1,*] etwas", "de", False),
        ("{1} eins|[2,*] viele", "de", False),
        ("eins|[2,*] viele", "de", False),
        ("a|b|c", "de", False),
        ("a|b|c", "ru", True),
        ("a|b", "ru", False),
    ],
)
def test_parts_of_laravel_are_the_forms_of_whole_numbers(
    text: str, language: str, is_plural: bool
) -> None:
    content = json.dumps({"Some key.": text})

    [value] = read("json-laravel", content, language)[0].values()

    assert isinstance(value, Mapping) is is_plural
    kept("json-laravel", content, language)


# Nextcloud


def nextcloud(texts: str, rule: str = "nplurals=2; plural=(n != 1);") -> str:
    return f'{{ "translations": {{ {texts} }}, "pluralForm" :"{rule}" }}'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (nextcloud('"a" : ["x", ""]'), {"a": {"one": "x"}}),
        (nextcloud('"a" : ["", ""]'), {"a": None}),
        (nextcloud('"a" : ["x", "y", "z"]'), {"a": {"one": "x", "other": "y"}}),
        (nextcloud('"a" : "", "b" : null, "c" : {}'), {"a": ""}),
        (nextcloud('"a" : ["x", "y"]', "no rule"), {"a": {"one": "x", "other": "y"}}),
        ('{"translations": {"a": ["x", "y"]}}', {"a": {"one": "x", "other": "y"}}),
        (nextcloud('"a": "x"')[:-1] + ', "by": "me" }', {"a": "x"}),
    ],
)
def test_a_file_of_nextcloud_keeps_what_it_has(content: str, expected: object) -> None:
    assert read("json-nextcloud", content, "de")[0] == expected
    kept("json-nextcloud", content, "de")


def test_a_rule_gives_the_forms_and_a_new_file_has_that_of_the_language() -> None:
    rule = "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"
    content = nextcloud('"a" : ["1", "2", "0"]', rule)
    forms = {"zero": "0", "one": "1", "other": "2"}

    said, found = read("json-nextcloud", content, "lv")
    again = json.loads(write("json-nextcloud", found, "lv").content)
    made = Catalogue(None, [Entry("a", forms, is_plural=True)])
    new = json.loads(write("json-nextcloud", made, "lv").content)

    assert said == {"a": forms}
    assert again == {"translations": {"a": ["1", "2", "0"]}, "pluralForm": rule}
    assert new["translations"] == {"a": ["0", "1", "2"]}


def test_a_new_file_of_nextcloud_does_not_have_the_rule_of_another_language() -> None:
    source = nextcloud('"a" : ["%n item","%n items"], "b" : "B"')
    forms = {"one": "1", "few": "2", "many": "3"}
    made = Catalogue(None, [Entry("a", forms, is_plural=True)])

    said = json.loads(write("json-nextcloud", made, "pl", source).content)

    assert said["translations"] == {"a": ["1", "2", "3"]}
    assert said["pluralForm"].startswith("nplurals=3;")


def test_a_file_without_translations_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="has no translations"):
        read("json-nextcloud", '{"name": "app"}')


def test_an_object_of_an_array_that_is_no_message_stays() -> None:
    content = b'[\n  {"id": "a", "text": "b"}\n]\n'
    format_ = FORMATS["json-go-i18n"]
    options = FileOptions(".", "en", "en")
    [found] = format_.read(SourceFile("x.json", content), options)

    given = replace(found, language_code="en", template=content)

    assert format_.write([given], options).content == content


def test_forms_keep_spaces_that_the_bar_of_the_file_would_take() -> None:
    content = b'{"a": "b|c"}'
    format_ = FORMATS["json-vue-i18n"]
    options = FileOptions(".", "en", "en", plurals={"a": True})
    entry = Entry("a", {"one": "b ", "other": "c"}, is_plural=True)

    written = format_.write([Catalogue("en", [entry], template=content)], options)

    [found] = format_.read(SourceFile("x.json", written.content), options)
    assert [each.value for each in found.entries] == [entry.value]

"""The format json-nested: trees, plurals, and what a tree has no room for."""

import json
from collections.abc import Sequence

import pytest
from locframework_formats_json.nested import NestedJson

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
    WrittenFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")


def read(content: str, separator: str = ".") -> Sequence[Entry]:
    options = FileOptions(key_separator=separator, source_language="en")
    (catalogue,) = NestedJson().read(SourceFile("", content.encode()), options)
    return catalogue.entries


def write(*entries: Entry, indent: int = 2) -> WrittenFile:
    return NestedJson(indent).write([Catalogue("en", entries)], OPTIONS)


def test_a_tree_is_written_as_people_write_it() -> None:
    plural = Entry("cart.items", {"other": "{n} Stück", "one": "1 Stück"}, True)

    written = write(Entry("ä", "„Ö“\n"), plural, Entry("cart.title", "Korb 🛒"))

    assert written.content.decode() == (
        '{\n  "ä": "„Ö“\\n",\n  "cart": {\n    "items": {\n'
        '      "one": "1 Stück",\n      "other": "{n} Stück"\n    },\n'
        '    "title": "Korb 🛒"\n  }\n}\n'
    )
    assert written.warnings == []


def test_without_indent_all_is_on_one_line() -> None:
    assert write(Entry("a.b", "c"), indent=0).content == b'{"a":{"b":"c"}}\n'


def test_names_are_joined_with_the_separator_of_the_project() -> None:
    content = '{"a": {"b": {"c": "1"}}, "d.e": "2"}'

    assert [entry.key for entry in read(content, ":")] == ["a:b:c", "d.e"]


def test_entries_come_with_the_line_of_their_member() -> None:
    content = '{\n"a": {\n"b": "x"\n},\n"c": {"one": "1",\n"other": "2"}}'

    assert [(entry.key, entry.line) for entry in read(content)] == [
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
    assert {entry.key: entry.value for entry in read(content)} == keys


def test_objects_that_are_empty_are_ignored() -> None:
    assert [e.key for e in read('{"a": {}, "b": {"c": {}, "d": "x"}}')] == ["b.d"]


def test_a_key_below_a_text_keeps_its_whole_name_at_the_top() -> None:
    written = write(Entry("x.a", "1"), Entry("x.a.b", "2"), Entry("x.a.b.c", "3"))

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
    written = write(Entry("a.b", "2"), Entry("a", "1"))

    assert json.loads(written.content) == {"a": "1", "a.b": "2"}
    assert len(written.warnings) == 1


def test_ordinary_keys_that_would_read_as_a_plural_keep_their_whole_names() -> None:
    written = write(Entry("a.b.one", "1"), Entry("a.b.other", "2"))

    assert json.loads(written.content) == {"a.b.one": "1", "a.b.other": "2"}
    assert len(written.warnings) == 2


def test_a_key_of_too_many_segments_keeps_its_whole_name() -> None:
    fits, deep = ".".join("s" * 63), ".".join("t" * 64)
    written = write(
        Entry(fits, {"other": "x"}, True), Entry(deep, {"other": "y"}, True)
    )

    assert list(json.loads(written.content)) == ["s", deep]
    assert [entry.key for entry in read(written.content.decode())] == [fits, deep]
    assert len(written.warnings) == 1


def test_a_plural_without_other_says_its_last_form_there_and_tells() -> None:
    written = write(Entry("a", {"one": "1"}, True), Entry("b", "x"))

    assert json.loads(written.content) == {"a": {"one": "1", "other": "1"}, "b": "x"}
    told = "'a' has no text for 'other', so that for 'one' stands there too"
    assert written.warnings == [told]


def test_what_is_no_text_is_told_by_line_and_name() -> None:
    content = '{\n"a": 1,\n"b": {"c": [{"d": "e"}],\n"f": null},\n"g": "x", "g": true}'

    with pytest.raises(UnreadableFile) as caught:
        read(content)

    assert isinstance(caught.value.details, list)
    assert [(p.path, p.rule, p.message) for p in caught.value.details] == [
        ("line 2", "type", "'a' has to be a text, not a number"),
        ("line 3", "type", "'c' has to be a text, not an array"),
        ("line 5", "duplicate", "the member 'g' is given twice"),
    ]


def test_null_is_no_text_and_is_told() -> None:
    file = SourceFile("", b'{"a": null,\n"b": {"c": null, "d": "x"}}')
    (found,) = NestedJson().read(file, FileOptions(".", source_language="en"))

    said = [(entry.key, entry.value) for entry in found.entries]
    assert said == [("a", None), ("b.c", None), ("b.d", "x")]
    assert found.warnings == [
        "line 1: 'a' is null, so it has no text",
        "line 2: 'c' is null, so it has no text",
    ]


def test_many_faults_together_repeat_little_of_the_file() -> None:
    content = json.dumps({f"{at:03}{'x' * 50}": at for at in range(300)}, indent=0)

    with pytest.raises(UnreadableFile) as caught:
        read(content)

    assert isinstance(caught.value.details, list)
    told = [problem.message for problem in caught.value.details]
    assert told[0] == f"'000{'x' * 50}' has to be a text, not a number"
    assert told[-1] == "… has to be a text, not a number"
    assert len(told) == 100
    assert f"{caught.value.message} {told}".count("x") <= 200 + len("text") * 101


def test_a_key_given_in_two_ways_is_told() -> None:
    with pytest.raises(
        UnreadableFile, match=r"^line 2: the key 'a\.b' is given twice$"
    ):
        read('{"a": {"b": "1"},\n"a.b": "2"}')

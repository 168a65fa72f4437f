"""The format json-flat: keys as they are."""

import json

import pytest
from locframework_formats_json.flat import FlatJson

from locframework.ports import (
    Catalogue,
    Entry,
    FileOptions,
    SourceFile,
    UnreadableFile,
)

OPTIONS = FileOptions(key_separator=".", source_language="en")


def read(content: str) -> dict[str, tuple[object, int | None]]:
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

    assert read(content) == {"a.b": ("x", 2), "c": ({"few": "y"}, 3), "e": ("z", 4)}


def test_objects_of_anything_else_are_told() -> None:
    with pytest.raises(UnreadableFile) as caught:
        read('{"a": {"other": "x", "b": "y"},\n"c": {"one": {}},\n"d": 1}')

    assert isinstance(caught.value.details, list)
    assert [(p.path, p.message) for p in caught.value.details] == [
        ("line 1", "'a' holds more than plural forms"),
        ("line 2", "'c' holds more than plural forms"),
        ("line 3", "'d' has to be a text, not a number"),
    ]

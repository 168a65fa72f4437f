"""Of the four formats one at most claims a file, and for ordinary files one does."""

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings

from locframework.ports import SourceFile

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

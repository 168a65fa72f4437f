"""JSON and ARB files of a team go in whole and come back to the byte."""

import json

import pytest

from .conftest import Uploads

SETS: dict[str, dict[str, str]] = {
    "json-i18next": {
        "en.json": '{\n\t"zeta": "z",\n\t"n_one": "a day",\n\t"n_other": "days",\n'
        '\t"Hello world. Bye": "Hi",\n\t"why": { "r_spam": "S", "r_other": "O" }\n}',
        "ja.json": '{\n\t"n_other": "日",\n\t"why": { "r_other": "他" }\n}',
        "ru.json": '{\r\n  "n_one": "1",\r\n  "n_few": "2",\r\n'
        '  "n_many": "5"\r\n}\r\n',
    },
    "json-nested": {
        "en.json": '\ufeff{\n  "days": ["Monday", "Tuesday"],\n  "max": 3, "x": null,\n'
        '  "hint": {"one": "an item", "other": "items"},\n  "foo.bar": "fb",\n'
        '  "slides": [{"title": "T\\u00e9 \\/"}]\n}\n',
        "ja.json": '{\n  "hint": "商品", "days": ["月", ""],\n  "foo.bar": "f"\n}',
        "ru.json": '{ "hint": {"many": "м", "one": "о", "few": "ф"}, "s": [{}] }\n',
    },
    "arb": {
        "app_en.arb": '{\n  "@@locale": "en",\n  "CRANE": "Crane",\n  "n": "{c, plural,'
        ' =0 {none} other {{c} x}}",\n  "@n": {"description": "d", "placeholders":'
        ' {"c": {}}}\n}\n',
        "app_ja.arb": '{ "CRANE": "鶴", "n": "{c, plural, other {{c} 個}}" }\n',
        "app_ru.arb": '{ "n": "нет" }\n',
    },
}


@pytest.mark.parametrize("format_", SETS)
def test_files_of_three_languages_come_back_to_the_byte_and_change_nothing(
    uploads: Uploads, format_: str
) -> None:
    project = uploads.workspace.project(languages=["ja", "ru"])
    files = {name: text.encode() for name, text in SETS[format_].items()}

    uploads.result(project, "all.zip", uploads.zipped(files))
    values = uploads.values(project)
    first = uploads.exported(project, format=format_, minStatus="any")
    again = uploads.result(project, "all.zip", uploads.zipped(first))

    assert first == files
    assert (again["keysCreated"], again["keysUpdated"]) == (0, 0)
    assert uploads.values(project) == values


def test_arrays_and_names_are_in_a_release_as_the_files_had_them(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project(languages=["ja", "ru"])
    files = {name: text.encode() for name, text in SETS["json-nested"].items()}
    uploads.result(project, "all.zip", uploads.zipped(files))

    path = f"/projects/{project['id']}/export"
    query = {"format": "json-nested", "languageCodes": "en", "layout": "canonical"}
    answer = uploads.workspace.owner.get(path, query=query)

    wanted = json.loads(SETS["json-nested"]["en.json"].removeprefix("\ufeff"))
    del wanted["max"], wanted["x"]
    assert json.loads(answer.content) == wanted


def test_names_from_json_are_written_to_arb_as_names_of_dart_and_found_again(
    uploads: Uploads,
) -> None:
    project = uploads.workspace.project()
    uploads.result(project, "en.json", {"Hello world!": "Hi"})

    path = f"/projects/{project['id']}/export"
    answer = uploads.workspace.owner.get(path, query={"format": "arb"})
    again = uploads.result(project, "app_en.arb", answer.content)

    assert json.loads(answer.content) == {
        "@@locale": "en",
        "helloWorld": "Hi",
        "@helloWorld": {"x-key": "Hello world!"},
    }
    assert (again["keysCreated"], again["keysUnchanged"]) == (0, 1)


@pytest.mark.parametrize(
    ("name", "format_", "content"),
    [
        (
            "en.json",
            "json-nested",
            '{"a": "LONG", "b": "B", "c": {"one": "1", "other": "LONG"}}',
        ),
        ("en.arb", "arb", '{"@@locale": "en", "a": "LONG", "b": "B"}'),
        (
            "en.po",
            "gettext-po",
            'msgid "a.a"\nmsgstr "LONG"\n\nmsgid "b.b"\nmsgstr "B"\n',
        ),
    ],
)
def test_a_text_that_is_too_long_is_left_out_and_stays_in_its_file(
    uploads: Uploads, name: str, format_: str, content: str
) -> None:
    project = uploads.workspace.project(languages=["de"])
    long = content.replace("LONG", "x" * 65_537).encode()

    result = uploads.result(project, name, long, languageCode="en")

    assert {v["en"] for v in uploads.values(project).values() if "en" in v} == {"B"}
    assert "65536 bytes" in result["warnings"][0]
    query = {"format": format_, "languageCodes": "en"}
    path = f"/projects/{project['id']}/export"
    assert uploads.workspace.owner.get(path, query=query).content == long
    query["languageCodes"] = "de"
    assert len(uploads.workspace.owner.get(path, query=query).content) < 1000

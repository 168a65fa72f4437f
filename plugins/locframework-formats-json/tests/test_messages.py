"""Files of messages: what the contract leaves open."""

import json
from collections.abc import Mapping

import pytest
from locframework_formats_json import JsonPlugin, JsonSettings
from msgspec.structs import replace

from locframework.ports import Catalogue, Entry, FileOptions, SourceFile

OPTIONS = FileOptions(key_separator=".", source_language="en")
ENGLISH = b"""{
  "title": {
    "message": "Hello $NAME$",
    "description": "Above",
    "placeholders": {"name": {"content": "$1"}}
  },
  "old": {"message": "Old"},
  "version": 3
}
"""


def named(name):
    formats = JsonPlugin(JsonSettings()).loc_provide_formats()
    return next(each for each in formats if each.info.id == name)


def chrome():
    return named("json-chrome")


def read(content):
    [found] = chrome().read(SourceFile("messages.json", content), OPTIONS)
    return found


def write(entries, language, template=None):
    catalogue = Catalogue(language, entries, template=template)
    return chrome().write([catalogue], OPTIONS)


@pytest.mark.parametrize(
    ("name", "content", "is_one"),
    [
        ("x.json", '{"a": {"message": "x"}, "b": {"message": "y"}}', True),
        ("x.json", '{"a": {"message": "x", "description": "d"}}', True),
        ("x.json", '{"error": {"message": "x"}}', False),
        ("_locales/pt_BR/messages.json", '{"error": {"message": "x"}}', True),
        ("x.json", '{"a": {"message": "x"}, "b": "y"}', False),
        (
            "x.json",
            '{"a": {"message": "x", "hint": "y"}, "b": {"message": "y"}}',
            False,
        ),
    ],
)
def test_a_file_is_recognized_by_its_messages_or_its_folder(name, content, is_one):
    assert chrome().recognizes(SourceFile(name, content.encode())) is is_one


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        ('{"a": {"defaultMessage": "x"}, "b": {"defaultMessage": "y"}}', True),
        ('{"a": {"defaultMessage": "x", "description": "d"}}', True),
        ('{"a": {"defaultMessage": "x", "file": "a.js", "line": 1}}', True),
        ('{"a": {"defaultMessage": "x"}, "b": "y"}', False),
        ('{"a": {"defaultMessage": "x", "other": "y"}, "b": "z"}', False),
    ],
)
def test_messages_of_formatjs_are_recognized(content, is_one):
    file = SourceFile("en.json", content.encode())

    assert named("json-formatjs").recognizes(file) is is_one


def test_another_language_gets_the_placeholders_and_no_description():
    found = read(ENGLISH)
    entries = [replace(e, value=f"Hallo $NAME$ {e.key}") for e in found.entries[:1]]

    written = json.loads(write(entries, "de").content)

    assert written == {
        "title": {
            "message": "Hallo $NAME$ title",
            "placeholders": {"name": {"content": "$1"}},
        }
    }


def test_members_without_a_message_stay_and_are_told():
    found = read(ENGLISH)

    written = write([replace(found.entries[0], value="Hi")], "en", ENGLISH)

    expected = ENGLISH.replace(b"Hello $NAME$", b"Hi").replace(
        b'  "old": {"message": "Old"},\n', b""
    )
    assert written.content == expected
    assert found.warnings == ["line 8: 'version' is left out: it has no message"]


def test_a_description_changes_in_the_source_language_alone():
    entry = Entry("title", "Hello $NAME$", description="Below")
    other = Entry("old", "Old", description="New")

    english = json.loads(write([entry, other], "en", ENGLISH).content)
    german = write([entry, other], "de", ENGLISH).content

    assert english["title"]["description"] == "Below"
    assert english["old"] == {"message": "Old", "description": "New"}
    assert german == ENGLISH


def test_what_a_browser_cannot_use_is_told():
    plural: Mapping[str, str] = {"one": "1", "other": "n"}

    written = write([Entry("a.b", "x"), Entry("n", plural, is_plural=True)], "en")

    assert json.loads(written.content)["n"] == {"message": "n"}
    assert written.warnings == [
        "a.b is no name that a browser finds: letters, digits, _ and @",
        "n has only one text: messages of extensions have no plural forms",
    ]


def test_a_text_takes_the_place_of_a_member_without_one():
    written = write([Entry("version", "Three")], "en", ENGLISH)

    assert json.loads(written.content) == {"version": {"message": "Three"}}

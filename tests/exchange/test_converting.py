"""Texts are exported into other formats with the placeholders of these."""

import json
from xml.etree import ElementTree

from tests.exchange.test_properties import put

ANDROID = """<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <string name="greeting">Hi <xliff:g id="user">%1$s</xliff:g>, it\\'s %2$d%%</string>
    <string name="sure">100% sure</string>
    <plurals name="files">
        <item quantity="one">%1$d file</item>
        <item quantity="other">%1$d files</item>
    </plurals>
</resources>
"""
GERMAN = ANDROID.replace("Hi ", "Hallo ").replace("it\\'s", "es ist")
FILES = {
    "res/values/strings.xml": ANDROID.encode(),
    "res/values-de/strings.xml": GERMAN.encode(),
}
FORMATJS = {
    "title": {"defaultMessage": "Your {a} for {b}"},
    "files": {
        "defaultMessage": "{n, plural, one {# file in {a}} other {# files in {a}}}"
    },
    "who": {"defaultMessage": "{g, select, she {her} other {their}}"},
}
FORMATJS_GERMAN = {
    "title": {"defaultMessage": "Für {b}: {a}"},
    "files": {
        "defaultMessage": "{n, plural, one {# Datei in {a}} other {# Dateien in {a}}}"
    },
}


def exported(uploads, project, format_, code):
    """Return a file of an export and its warnings."""
    query = {"format": format_, "languageCodes": code}
    path = f"/projects/{project['id']}/export"
    answer = uploads.workspace.owner.get(path, query=query)
    warnings = answer.headers["X-Service-Warnings"] or "[]"
    return answer.content.decode(), json.loads(warnings)


def android_project(uploads):
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "res.zip", uploads.zipped(FILES))
    return project


def test_an_unchanged_export_into_the_format_of_the_import_is_the_same(uploads):
    project = android_project(uploads)

    assert uploads.exported(project, format="android-xml") == FILES


def test_texts_of_android_become_those_of_apple(uploads):
    content, warnings = exported(
        uploads, android_project(uploads), "apple-strings", "de"
    )

    assert '"greeting" = "Hallo %1$@, es ist %2$lld%%";' in content
    assert '"sure" = "100% sure";' in content
    assert '"files" = "%1$lld files";' in content
    [warning] = warnings
    assert "files has only one text" in warning


def test_names_that_are_not_known_are_told_and_the_texts_stay(uploads):
    project = android_project(uploads)

    content, warnings = exported(uploads, project, "json-i18next", "en")

    assert json.loads(content) == {
        "files_one": "%1$d file",
        "files_other": "%1$d files",
        "greeting": 'Hi <xliff:g id="user">%1$s</xliff:g>, it\'s %2$d%%',
        "sure": "100% sure",
    }
    told = "the placeholders are not converted: the name of"
    assert [each.partition(told)[0] for each in warnings] == [
        "en: files: ",
        "en: greeting: ",
    ]


def test_a_key_from_no_file_keeps_its_text(uploads):
    project = android_project(uploads)
    made = {"key": "new", "values": {"en": "%s {x}"}}
    path = f"/projects/{project['id']}/keys"
    assert uploads.workspace.owner.post(path, json=made).status == 201

    content, _ = exported(uploads, project, "resx", "en")

    values = {
        each.get("name"): each.findtext("value")
        for each in ElementTree.fromstring(content).iter("data")
    }
    assert values["new"] == "%s {x}"
    assert values["greeting"] == "Hi {0}, it's {1}%"


def test_messages_of_formatjs_become_plurals_and_numbered_placeholders(uploads):
    project = uploads.workspace.project(languages=["de"])
    files = {"lang/en.json": FORMATJS, "lang/de.json": FORMATJS_GERMAN}
    packed = {path: json.dumps(each).encode() for path, each in files.items()}
    uploads.result(project, "lang.zip", uploads.zipped(packed))
    put(uploads, project, "title", "de", "{b} – {a}")

    content, warnings = exported(uploads, project, "android-xml", "de")
    i18next, _ = exported(uploads, project, "json-i18next", "en")
    arb, _ = exported(uploads, project, "arb", "en")
    source, told = exported(uploads, project, "android-xml", "en")

    root = ElementTree.fromstring(content)
    assert root.findtext("string[@name='title']") == "%2$s – %1$s"
    assert [item.text for item in root.iter("item")] == [
        "%1$d Datei in %2$s",
        "%1$d Dateien in %2$s",
    ]
    assert warnings == []
    assert json.loads(i18next)["files_one"] == "{{count}} file in {{a}}"
    message = "{n, plural, one{{n} file in {a}} other{{n} files in {a}}}"
    assert json.loads(arb)["files"] == message
    assert "{g, select," in source
    assert "who: the placeholders are not converted" in told[0]


def test_plurals_of_i18next_become_messages_of_formatjs_that_are_read_again(uploads):
    project = uploads.workspace.project()
    texts = {"files_one": "{{count}} file", "files_other": "{{count}} files of {{a}}"}
    uploads.result(project, "en.json", texts, format="json-i18next")

    content, warnings = exported(uploads, project, "json-formatjs", "en")

    message = "{count, plural, one {{count} file} other {{count} files of {a}}}"
    assert json.loads(content) == {"files": {"defaultMessage": message}}
    assert warnings == []
    result = uploads.result(
        project, "en.json", content.encode(), format="json-formatjs"
    )
    assert result["keysUpdated"] == 1
    assert json.loads(exported(uploads, project, "json-formatjs", "en")[0]) == (
        json.loads(content)
    )


def test_a_plural_from_no_file_has_a_warning_as_its_variable_is_not_known(uploads):
    workspace = uploads.workspace
    project = workspace.project()
    values = {"en": {"one": "a file", "other": "files"}}
    workspace.key(project, "files", isPlural=True, values=values)

    content, warnings = exported(uploads, project, "json-formatjs", "en")

    assert "{count, plural, one {a file} other {files}}" in content
    assert warnings == [
        "en: files: the variable of its plural is not known: it is count"
    ]


def test_a_release_in_another_format_is_converted_too(uploads):
    project, owner = android_project(uploads), uploads.workspace.owner
    body = {"name": "iOS", "format": "apple-strings"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert b"Hallo %1$@, es ist %2$lld%%" in texts["de.strings"]

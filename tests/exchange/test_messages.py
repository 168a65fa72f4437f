"""Files of messages go in, and come back with one line changed."""

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

ENGLISH = b"""{
  "title": {
    "message": "Hello $NAME$",
    "description": "Above the list",
    "placeholders": { "name": { "content": "$1" } }
  },
  "pay": { "message": "Pay" }
}
"""
GERMAN = b"""{
    "title": {"message": "Hallo $NAME$",
        "placeholders": {"name": {"content": "$1"}}}
}
"""
FILES = {
    "src/_locales/en/messages.json": ENGLISH,
    "src/_locales/de/messages.json": GERMAN,
}


def test_an_extension_comes_back_with_one_line_changed(uploads):
    project = uploads.workspace.project(languages=["de", "fr"])
    uploads.result(project, "src.zip", uploads.zipped(FILES))
    query = {"format": "json-chrome", "languageCodes": "en,de"}

    assert uploads.exported(project, **query) == FILES
    detail = uploads.workspace.owner.get(f"/projects/{project['id']}/keys").data[
        "items"
    ]
    assert {key["key"]: key["description"] for key in detail} == {
        "pay": "",
        "title": "Above the list",
    }

    put(uploads, project, "title", "de", "Servus $NAME$")
    put(uploads, project, "title", "fr", "Salut")

    exported = uploads.exported(project, format="json-chrome")
    assert exported["src/_locales/en/messages.json"] == ENGLISH
    assert lines_changed(GERMAN, exported["src/_locales/de/messages.json"]) == (
        ['    "title": {"message": "Hallo $NAME$",'],
        ['    "title": {"message": "Servus $NAME$",'],
    )
    assert b'"content": "$1"' in exported["src/_locales/fr/messages.json"]
    path = f"/projects/{project['id']}/issues"
    found = uploads.workspace.owner.get(path).data["items"]
    assert "placeholders" in {issue["check"] for issue in found}


def test_messages_of_formatjs_come_back_with_one_line_changed(uploads):
    files = {
        "lang/en.json": b"""{
  "hak27d": {
    "defaultMessage": "{n, plural, one {# item} other {# items}}",
    "description": "In the cart",
    "file": "src/app.js"
  },
  "b": {"defaultMessage": "B"}
}
""",
        "lang/de.json": b"""{
  "hak27d": {
    "defaultMessage": "{n, plural, one {# Ding} other {# Dinge}}"
  },
  "b": {"defaultMessage": "B"}
}
""",
    }
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "lang.zip", uploads.zipped(files))
    query = {"format": "json-formatjs"}
    assert uploads.exported(project, **query) == files

    put(uploads, project, "hak27d", "de", "Mehr")

    german = uploads.exported(project, **query)["lang/de.json"]
    assert lines_changed(files["lang/de.json"], german) == (
        ['    "defaultMessage": "{n, plural, one {# Ding} other {# Dinge}}"'],
        ['    "defaultMessage": "Mehr"'],
    )


def test_comments_of_translators_are_no_descriptions(uploads):
    files = {
        "a/en.lproj/Shop.strings": b'"pay" = "Pay";\n',
        "a/de.lproj/Shop.strings": b'/* kurz */\n"pay" = "Zahlen";\n',
    }
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "a.zip", uploads.zipped(files))

    path = f"/projects/{project['id']}/keys"
    [key] = uploads.workspace.owner.get(path).data["items"]

    assert key["description"] == ""
    assert uploads.exported(project, format="apple-strings") == files

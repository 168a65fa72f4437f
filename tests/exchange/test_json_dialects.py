"""JSON of go-i18n, vue-i18n, i18next v3, Laravel and Nextcloud goes in, comes back with
one line changed, and is published."""

import json

import pytest

from tests.exchange.test_tables import lines_changed, put

GO = b"""{
  "items": {
    "description": "In the cart",
    "one": "{{.Count}} item",
    "other": "{{.Count}} items"
  },
  "title": "Cart"
}
"""
GO_GERMAN = b"""{
  "items": {
    "hash": "sha1-0",
    "one": "{{.Count}} Ding",
    "other": "{{.Count}} Dinge"
  },
  "title": "Korb"
}
"""
ARRAY = b"""[
  {
    "id": "items",
    "translation": {
      "one": "{{.Count}} item",
      "other": "{{.Count}} items"
    }
  },
  {
    "id": "title",
    "translation": "Cart"
  }
]
"""
VUE = b"""{
    "items": "{n} item | {n} items",
    "title": "Cart"
}
"""
V3 = b"""{
  "items": "{{count}} item",
  "items_plural": "{{count}} items",
  "title": "Cart"
}
"""
LARAVEL = b"""{
    "items": ":count item|:count items",
    "title": "Cart"
}
"""
NEXTCLOUD = b"""{ "translations": {
    "items" : ["%n item","%n items"],
    "title" : "Cart"
},"pluralForm" :"nplurals=2; plural=(n != 1);"
}"""


SETS = {
    "go-i18n": (
        {"active.en.json": GO, "active.de.json": GO_GERMAN},
        ['  "title": "Korb"', '  "title": "Wagen \\"neu\\""'],
    ),
    "go-i18n, an array": (
        {"i18n/en.json": ARRAY, "i18n/de.json": ARRAY.replace(b"Cart", b"Korb")},
        ['    "translation": "Korb"', '    "translation": "Wagen \\"neu\\""'],
    ),
    "vue-i18n": (
        {"src/en.json": VUE, "src/de.json": VUE.replace(b"Cart", b"Korb")},
        ['    "title": "Korb"', '    "title": "Wagen \\"neu\\""'],
    ),
    "i18next-v3": (
        {"en/app.json": V3, "de/app.json": V3.replace(b"Cart", b"Korb")},
        ['  "title": "Korb"', '  "title": "Wagen \\"neu\\""'],
    ),
    "laravel": (
        {"lang/en.json": LARAVEL, "lang/de.json": LARAVEL.replace(b"Cart", b"Korb")},
        ['    "title": "Korb"', '    "title": "Wagen \\"neu\\""'],
    ),
    "nextcloud": (
        {
            "l10n/en.json": NEXTCLOUD,
            "l10n/de.json": NEXTCLOUD.replace(b"Cart", b"Korb"),
        },
        ['    "title" : "Korb"', '    "title" : "Wagen \\"neu\\""'],
    ),
}


@pytest.fixture(params=SETS)
def name(request):
    return request.param


@pytest.fixture
def format_id(name):
    return f"json-{name.partition(',')[0]}"


@pytest.fixture
def files(name):
    return SETS[name][0]


@pytest.fixture
def project(uploads, files, format_id):
    project = uploads.workspace.project(languages=["de", "fr"])
    form = {"format": format_id} if format_id == "json-laravel" else {}
    result = uploads.result(project, "all.zip", uploads.zipped(files), **form)
    assert {each["format"] for each in result["files"]} == {format_id}
    assert result["warnings"] == []
    return project


def test_files_come_back_and_a_changed_text_changes_one_line(
    uploads, project, files, name, format_id
):
    query = {"format": format_id, "languageCodes": "en,de"}
    assert uploads.exported(project, **query) == files

    put(uploads, project, "title", "de", 'Wagen "neu"')

    exported = uploads.exported(project, **query)
    path = next(path for path in files if "de" in path)
    assert {each for each in files if exported[each] != files[each]} == {path}
    before, after = SETS[name][1]
    assert lines_changed(files[path], exported[path]) == ([before], [after])
    form = {"format": format_id}
    again = uploads.result(project, "all.zip", uploads.zipped(exported), **form)
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_its_file_beside_the_others(
    uploads, project, files, name, format_id
):
    put(uploads, project, "title", "fr", "Panier")

    exported = uploads.exported(project, format=format_id)

    [path] = exported.keys() - files.keys()
    assert path == next(each for each in files if "de" in each).replace("de", "fr", 1)
    said = json.loads(exported[path])
    assert isinstance(said, list) is (name == "go-i18n, an array")
    assert "Panier" in exported[path].decode()


def test_a_release_has_each_language(uploads, project, name, format_id):
    owner = uploads.workspace.owner
    made = owner.post(
        f"/projects/{project['id']}/distributions",
        json={"name": "App", "format": format_id},
    )
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {each["language"]: public.get(each["url"]).content for each in found}
    assert b"Korb" in texts["de"]
    assert isinstance(json.loads(texts["de"]), list) is (name == "go-i18n, an array")


def test_descriptions_of_messages_are_those_of_keys(uploads):
    project = uploads.workspace.project(languages=["de"])
    uploads.result(project, "all.zip", uploads.zipped(SETS["go-i18n"][0]))

    path = f"/projects/{project['id']}/keys"
    keys = uploads.workspace.owner.get(path).data["items"]

    assert {key["key"]: key["description"] for key in keys} == {
        "items": "In the cart",
        "title": "",
    }


def test_source_texts_as_keys_keep_their_names(uploads):
    german = NEXTCLOUD.replace(b'"items"', b'"_%n item_::_%n items_"')
    german = german.replace(b'"title"', b'"Your cart."')
    project = uploads.workspace.project(languages=["de"])

    uploads.result(project, "l10n.zip", uploads.zipped({"l10n/de.json": german}))

    path = f"/projects/{project['id']}/export"
    query = {"format": "json-nextcloud"}
    assert uploads.workspace.owner.get(path, query=query).content == german

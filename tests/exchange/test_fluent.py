"""Files of Fluent go in and come back with one line changed, and are published."""

import pytest
from fluent.runtime import FluentBundle, FluentResource

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

ENGLISH = b"""# Licence

-brand = Shop

## The cart

# $amount is a price
pay = Pay { $amount }
    .title = Pay at { -brand }
items =
    { $n ->
        [one] One item
       *[other] { $n } items
    }
greeting = Hello,
    { $name }!
"""
GERMAN = b"""-brand = Laden

## The cart

# Formal
pay = { $amount } zahlen
    .title = Bei { -brand } zahlen
items =
    { $n ->
        [one] Ein Artikel
       *[other] { $n } Artikel
    }
"""
FILES = {"locales/en/shop.ftl": ENGLISH, "locales/de/shop.ftl": GERMAN}


@pytest.fixture
def project(uploads):
    project = uploads.workspace.project(languages=["de", "ja"])
    result = uploads.result(project, "locales.zip", uploads.zipped(FILES))
    assert {each["format"] for each in result["files"]} == {"fluent"}
    assert result["warnings"] == []
    return project


def shown(content, language, name, arguments=None):
    """What fluent.runtime shows of a message of a file."""
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(content.decode()))
    text, errors = bundle.format_pattern(bundle.get_message(name).value, arguments)
    assert errors == []
    return text


def test_files_come_back_as_they_were(uploads, project):
    assert uploads.values(project)["greeting"] == {"en": "Hello,\n{ $name }!"}
    assert uploads.values(project)["pay.title"]["de"] == "Bei { -brand } zahlen"
    assert uploads.exported(project, format="fluent") == FILES
    path = f"/projects/{project['id']}/keys"
    keys = uploads.workspace.owner.get(path).data["items"]
    assert {key["key"]: key["description"] for key in keys} == {
        "-brand": "",
        "pay": "$amount is a price",
        "pay.title": "$amount is a price",
        "items": "",
        "greeting": "",
    }


def test_a_changed_text_changes_one_line(uploads, project):
    put(uploads, project, "pay.title", "de", "Zur Kasse von { -brand }")

    exported = uploads.exported(project, format="fluent")

    assert exported["locales/en/shop.ftl"] == ENGLISH
    assert lines_changed(GERMAN, exported["locales/de/shop.ftl"]) == (
        ["    .title = Bei { -brand } zahlen"],
        ["    .title = Zur Kasse von { -brand }"],
    )
    again = uploads.result(project, "locales.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_its_file_beside_the_others(uploads, project):
    put(uploads, project, "items", "ja", {"other": "{ $n } 個"})
    put(uploads, project, "pay.title", "ja", "{ -brand }")

    exported = uploads.exported(project, format="fluent")

    new = exported["locales/ja/shop.ftl"]
    assert exported.keys() == {*FILES, "locales/ja/shop.ftl"}
    assert shown(new, "ja", "items", {"n": 3}) == "3 個"
    assert b"pay =\n    .title = { -brand }\n" in new
    again = uploads.result(project, "locales.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_what_is_no_fluent_is_refused_with_its_line(uploads, project):
    files = {**FILES, "locales/de/shop.ftl": GERMAN + b"oops { $n\n"}

    answer = uploads.ask(project, "locales.zip", uploads.zipped(files))

    assert answer.status == 400
    assert [each["path"] for each in answer.json["error"]["details"]] == [
        "locales/de/shop.ftl line 13"
    ]


def test_placeables_are_compared_with_the_source_text(uploads, project):
    put(uploads, project, "pay", "de", "Zahlen")

    path = f"/projects/{project['id']}/issues"
    found = uploads.workspace.owner.get(path).data["items"]
    assert [issue["check"] for issue in found] == ["placeholders"]


def test_a_release_has_each_language_as_fluent(uploads, project):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "fluent"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert {file["contentType"] for file in found} == {"text/plain; charset=utf-8"}
    assert shown(texts["de.ftl"], "de", "items", {"n": 1}) == "Ein Artikel"
    assert shown(texts["en.ftl"], "en", "items", {"n": 2}) == "2 items"
    assert shown(texts["en.ftl"], "en", "greeting", {"name": "Ada"}) == "Hello,\nAda!"

"""Locales of Rails go in and come back with one line changed, and are published."""

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

ENGLISH = b"""# Texts of the shop
en:
  cart:
    pay: "Pay now"
    terms: |
      No
      returns
    items:
      one: "%{count} item"
      other: "%{count} items"
  date:
    order: [:year, :month]
"""
GERMAN = b"""de:
  cart:
    pay: 'Jetzt zahlen'   # short
    items:
      one: ein Artikel
      other: "%{count} Artikel"
"""
NORWEGIAN = b'"no":\n  cart:\n    pay: "Betal"\n'
QUERY = {"format": "yaml-rails"}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "no"])


@pytest.fixture
def files(uploads, project):
    files = {
        "config/locales/en.yml": ENGLISH,
        "config/locales/de.yml": GERMAN,
        "config/locales/no.yml": NORWEGIAN,
    }
    uploads.result(project, "shop.zip", uploads.zipped(files))
    return files


def test_locales_come_back_as_they_were(uploads, project, files):
    assert uploads.exported(project, **QUERY) == files
    assert uploads.values(project)["cart.pay"] == {
        "en": "Pay now",
        "de": "Jetzt zahlen",
        "no": "Betal",
    }


def test_a_changed_text_changes_one_line(uploads, project, files):
    put(uploads, project, "cart.pay", "de", "Geht's?")

    exported = uploads.exported(project, **QUERY)

    path = "config/locales/de.yml"
    assert {each for each in files if exported[each] != files[each]} == {path}
    assert lines_changed(GERMAN, exported[path]) == (
        ["    pay: 'Jetzt zahlen'   # short"],
        ["    pay: 'Geht''s?'   # short"],
    )


def test_a_file_with_tags_of_ruby_is_refused(uploads, project):
    content = b"en:\n  a: b\n  c: !ruby/object:Gem::Installer {}\n"

    answer = uploads.ask(project, "en.yml", content)

    assert answer.status == 400
    assert answer.error["details"][0]["path"].endswith("line 3")


def test_a_release_has_a_file_that_rails_loads(uploads, project, files):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "yaml-rails", "languageCodes": ["no"]}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    [file] = public.get(f"/content/{key}/manifest.json").json["files"]

    assert file["path"] == "no.yml"
    assert public.get(file["url"]).content == b'"no":\n  cart:\n    pay: Betal\n'


def test_a_project_exports_other_yaml_by_its_name(uploads, project):
    content = b"cart.pay: 'Pay now'\ncart:\n  title: Cart\n"
    uploads.result(project, "en.yaml", content, format="yaml-flat", languageCode="en")

    path = f"/projects/{project['id']}/export"
    query = {"format": "yaml-flat", "languageCodes": "en"}
    answer = uploads.workspace.owner.get(path, query=query)

    assert answer.content == content

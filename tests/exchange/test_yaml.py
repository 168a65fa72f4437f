"""Locales of Rails, and domains of Symfony, go in and come back with one line changed,
and are published."""

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
    order:
    - :year
    - :month
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


SYMFONY = {
    "translations/messages.en.yaml": b"label.yes: Yes\ncart:\n    pay: 'Pay %n%'\n",
    "translations/messages.de.yaml": b"label.yes: Ja\ncart:\n    pay: 'Zahle %n%'\n",
    "translations/messages+intl-icu.en.yaml": (
        b"cart:\n    items: '{count, plural, one {# item} other {# items}}'\n"
    ),
    "translations/validators.en.yml": b"# Of forms\nThis is no date: This is no date\n",
}
PATHS = {"format": "yaml-symfony"}


def test_domains_of_symfony_come_back_with_one_line_changed(uploads, project):
    result = uploads.result(project, "shop.zip", uploads.zipped(SYMFONY))

    assert {each["format"] for each in result["files"]} == {"yaml-symfony"}
    assert result["warnings"] == []
    assert uploads.exported(project, **PATHS) == SYMFONY
    assert uploads.values(project)["label.yes"] == {"en": "Yes", "de": "Ja"}

    put(uploads, project, "cart.pay", "de", "Jetzt %n% zahlen")
    put(uploads, project, "cart.items", "de", "# Artikel")
    exported = uploads.exported(project, **PATHS)

    path = "translations/messages.de.yaml"
    assert lines_changed(SYMFONY[path], exported[path]) == (
        ["    pay: 'Zahle %n%'"],
        ["    pay: 'Jetzt %n% zahlen'"],
    )
    assert {each: exported[each] for each in exported.keys() - SYMFONY.keys()} == {
        "translations/messages+intl-icu.de.yaml": b"cart:\n    items: '# Artikel'\n"
    }


def test_a_domain_of_symfony_is_a_module(uploads, project):
    same = b"title: In messages\n", b"title: 'In {n}'\n"
    paths = "messages.en.yaml", "messages+intl-icu.en.yaml"
    files = dict(zip(paths, same, strict=True))

    uploads.result(project, "shop.zip", uploads.zipped(files))

    assert uploads.exported(project, **PATHS) == files
    assert sorted(uploads.values(project)) == [
        "messages-intl-icu-ba4436f84b88.title",
        "messages.title",
    ]

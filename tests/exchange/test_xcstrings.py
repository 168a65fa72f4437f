"""Catalogs of Xcode go in and come back with one line changed, and are published."""

import json

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

PATH = "Shop/Localizable.xcstrings"
QUERY = {"format": "apple-xcstrings"}


def unit(text, state="translated"):
    return {"stringUnit": {"state": state, "value": text}}


def plural(**forms):
    return {"variations": {"plural": {form: unit(forms[form]) for form in forms}}}


def catalog(strings):
    """A file as Xcode writes it."""
    whole = {"sourceLanguage": "en", "strings": strings, "version": "1.0"}
    text = json.dumps(whole, ensure_ascii=False, indent=2, separators=(",", " : "))
    return text.replace("{}", "{\n\n    }").encode()


STRINGS = {
    "%lld items": {
        "comment": "Of the cart",
        "localizations": {
            "de": plural(one="%lld Ding", other="%lld Dinge"),
            "en": plural(one="%lld item", other="%lld items"),
        },
    },
    "Cancel": {},
    "OK": {"shouldTranslate": False},
    "Pay": {
        "extractionState": "stale",
        "localizations": {"de": unit("Zahlen", "needs_review"), "fr": unit("Payer")},
    },
}
CONTENT = catalog(STRINGS)


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "fr"])


@pytest.fixture
def result(uploads, project):
    found = uploads.result(project, "Shop.zip", uploads.zipped({PATH: CONTENT}))
    assert found["warnings"] == []
    assert found["keysCreated"] == 3
    return found


def exported(uploads, project, **query):
    path = f"/projects/{project['id']}/export"
    answer = uploads.workspace.owner.get(path, query={**QUERY, **query})
    assert answer.status == 200, answer
    return answer.content


def test_a_catalog_comes_back_as_it_was(uploads, project, result):
    texts = uploads.values(project)

    assert texts["Cancel"] == {"en": "Cancel"}
    assert texts["Pay"] == {"en": "Pay", "de": "Zahlen", "fr": "Payer"}
    assert exported(uploads, project) == CONTENT


def test_a_changed_text_changes_its_lines_alone(uploads, project, result):
    put(uploads, project, "Pay", "fr", "Régler")

    content = exported(uploads, project)

    assert lines_changed(CONTENT, content) == (
        ['            "value" : "Payer"'],
        ['            "value" : "Régler"'],
    )
    again = uploads.result(project, "Shop.zip", uploads.zipped({PATH: content}))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_text_gets_a_localization(uploads, project, result):
    put(uploads, project, "Cancel", "de", "Abbrechen")

    content = exported(uploads, project)

    strings = {**STRINGS, "Cancel": {"localizations": {"de": unit("Abbrechen")}}}
    assert content == catalog(strings)


def test_a_release_has_a_file_for_each_language(uploads, project, result):
    owner = uploads.workspace.owner
    body = {"name": "Shop", **QUERY}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert texts.keys() == {f"{code}.xcstrings" for code in ("en", "de", "fr")}
    items = {"en": plural(one="%lld item", other="%lld items")}
    assert texts["fr.xcstrings"] == catalog(
        {
            "Cancel": {},
            "Pay": {"localizations": {"fr": unit("Payer")}},
            "%lld items": {"comment": "Of the cart", "localizations": items},
        }
    )

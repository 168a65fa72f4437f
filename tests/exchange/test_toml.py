"""TOML files go in and come back with one line changed, and are published."""

import tomllib

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

FILES = {
    "i18n/en.toml": b"""# The page with all posts
archive = 'Archive'

[readMore]
description = "A link"
other = "Read more"

[minutes]
one = "one minute"
other = "{{ .Count }} minutes"
""",
    "i18n/de.toml": b"""[readMore]
other = "Mehr" # ja

[minutes]
one = "eine Minute"
other = "{{ .Count }} Minuten"
""",
    "i18n/ja.toml": '[minutes]\nother = "{{ .Count }}分"\n'.encode(),
}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "ja", "pt-BR"])


@pytest.fixture(autouse=True)
def files(uploads, project):
    result = uploads.result(project, "theme.zip", uploads.zipped(FILES))
    assert result["warnings"] == []
    assert {each["format"] for each in result["files"]} == {"toml"}


def test_files_come_back_as_they_were(uploads, project):
    items = {item["key"]: item for item in uploads.items(project)}

    assert items["archive"]["description"] == "The page with all posts"
    assert items["readMore"]["description"] == "A link"
    assert uploads.values(project)["minutes"] == {
        "en/one": "one minute",
        "en/other": "{{ .Count }} minutes",
        "de/one": "eine Minute",
        "de/other": "{{ .Count }} Minuten",
        "ja/other": "{{ .Count }}分",
    }
    assert uploads.exported(project, format="toml") == FILES


def test_a_changed_text_changes_one_line(uploads, project):
    put(uploads, project, "readMore", "de", 'Mehr "lesen"')
    put(uploads, project, "readMore", "ja", "続き")

    exported = uploads.exported(project, format="toml")

    assert lines_changed(FILES["i18n/de.toml"], exported["i18n/de.toml"]) == (
        ['other = "Mehr" # ja'],
        ['other = "Mehr \\"lesen\\"" # ja'],
    )
    assert lines_changed(FILES["i18n/ja.toml"], exported["i18n/ja.toml"]) == (
        [],
        ["[readMore]", 'other = "続き"', ""],
    )
    assert exported["i18n/en.toml"] == FILES["i18n/en.toml"]
    again = uploads.result(project, "theme.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_has_messages_as_the_others(uploads, project):
    put(uploads, project, "readMore", "pt-BR", "Leia mais")
    put(uploads, project, "archive", "pt-BR", "Arquivo")

    exported = uploads.exported(project, format="toml")

    assert exported["i18n/pt-BR.toml"].decode() == (
        'archive = "Arquivo"\n\n[readMore]\nother = "Leia mais"\n'
    )


def test_a_release_is_read_by_another_reader(uploads, project):
    owner = uploads.workspace.owner
    body = {"name": "Theme", "format": "toml"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert {file["contentType"] for file in found} == {"application/toml"}
    for code in ("en", "de", "ja"):
        expected = tomllib.loads(FILES[f"i18n/{code}.toml"].decode())
        assert tomllib.loads(texts[f"{code}.toml"].decode()) == expected

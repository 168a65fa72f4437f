"""INI files go in and come back with one line changed, and are published."""

import configparser

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

FILES = {
    "options/locale/locale_en-US.ini": (
        b"home = Home\r\n\r\n[cart]\r\n; The button\r\npay = Pay now\r\n"
        b"title.short = `Cart`\r\n[mail]\r\nhi = Hi <b>%s</b>\r\n"
    ),
    "options/locale/locale_de-DE.ini": (
        b'home=Start\n\n[cart]\npay=Zahlen\ntitle.short="Korb"\n'
    ),
}
OBS = {
    "data/locale/en-US.ini": b'Language="English"\nBasic.Main="Main \\"%1\\""\n',
    "data/locale/de-DE.ini": b'Language="Deutsch"\nBasic.Main="Haupt \\"%1\\""\n',
}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(
        sourceLanguage="en-US", languages=["de-DE", "pt-BR"]
    )


@pytest.fixture
def bring(uploads, project):
    """Imports an archive of files."""

    def bring(files):
        result = uploads.result(project, "app.zip", uploads.zipped(files))
        assert result["warnings"] == []
        assert [each["format"] for each in result["files"]] == ["ini", "ini"]

    return bring


@pytest.mark.parametrize("files", [FILES, OBS], ids=["Gitea", "OBS"])
def test_files_come_back_as_they_were(uploads, project, bring, files):
    bring(files)

    assert uploads.exported(project, format="ini") == files


def test_a_changed_text_changes_one_line(uploads, project, bring):
    bring(FILES)
    items = {item["key"]: item for item in uploads.items(project)}
    assert items["cart.pay"]["description"] == "The button"

    put(uploads, project, "cart.title.short", "de-DE", " Der Korb")
    put(uploads, project, "mail.hi", "de-DE", "Hallo <b>%s</b>")

    exported = uploads.exported(project, format="ini")
    path = "options/locale/locale_de-DE.ini"
    assert lines_changed(FILES[path], exported.pop(path)) == (
        ['title.short="Korb"'],
        ['title.short=" Der Korb"', "", "[mail]", "hi=Hallo <b>%s</b>"],
    )
    rest = {each: content for each, content in FILES.items() if each != path}
    assert exported == rest


def test_a_new_language_is_written_as_the_others(uploads, project, bring):
    bring(OBS)

    put(uploads, project, "Basic.Main", "pt-BR", "Principal")

    exported = uploads.exported(project, format="ini")
    assert exported == {**OBS, "data/locale/pt-BR.ini": b'Basic.Main="Principal"\n'}


def test_a_release_is_read_by_another_reader(uploads, project, bring):
    owner = uploads.workspace.owner
    bring(FILES)
    body = {"name": "App", "format": "ini"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert {file["contentType"] for file in found} == {"text/plain; charset=utf-8"}
    parser = configparser.RawConfigParser(default_section="top")
    parser.read_string("[top]\n" + texts["en-US.ini"].decode())
    said = {"home": "Home", "pay": "Pay now", "title.short": "Cart"}
    assert dict(parser["cart"]) == said
    assert texts["de-DE.ini"].decode() == (
        "home = Start\n\n[cart]\npay = Zahlen\ntitle.short = Korb\n"
    )

"""Resources of .NET go in and come back with one line changed, and are published."""

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed


def resources(texts, newline="\r\n"):
    """A file as Visual Studio writes it."""
    data = "".join(
        f'  <data name="{name}" xml:space="preserve">\n'
        f"    <value>{text}</value>\n  </data>\n"
        for name, text in texts.items()
    )
    text = f"""<?xml version="1.0" encoding="utf-8"?>
<root>
  <resheader name="version">
    <value>2.0</value>
  </resheader>
{data}  <data name="logo" type="System.Resources.ResXFileRef, System.Windows.Forms">
    <value>logo.png;System.Drawing.Bitmap, System.Drawing</value>
  </data>
</root>"""
    return b"\xef\xbb\xbf" + text.replace("\n", newline).encode()


ENGLISH = resources({"Pay": "Pay &amp; go", "$this.Text": "Hello, {0}"})
GERMAN = resources({"Pay": "Zahlen", "$this.Text": "Hallo, {0}"})
FOLDERS = {
    "resx": ("App/Properties/Resources.resx", "App/Properties/Resources.{}.resx"),
    "resw": ("App/Strings/en/Resources.resw", "App/Strings/{}/Resources.resw"),
}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de-DE", "pt-BR"])


@pytest.fixture(params=FOLDERS)
def format_id(request):
    return request.param


@pytest.fixture
def files(uploads, project, format_id):
    source, path = FOLDERS[format_id]
    files = {source: ENGLISH, path.format("de-DE"): GERMAN}
    result = uploads.result(project, "App.zip", uploads.zipped(files))
    assert {each["path"]: each["languageCode"] for each in result["files"]} == {
        source: "en",
        path.format("de-DE"): "de-DE",
    }
    assert result["warnings"] == []
    return files


def test_the_files_of_an_app_come_back_as_they_were(uploads, project, files, format_id):
    assert uploads.values(project)["Pay"] == {"en": "Pay & go", "de-DE": "Zahlen"}
    assert uploads.exported(project, format=format_id) == files


def test_a_changed_text_changes_one_line(uploads, project, files, format_id):
    put(uploads, project, "Pay", "de-DE", "Zahlen & <fertig>")

    exported = uploads.exported(project, format=format_id)

    path = FOLDERS[format_id][1].format("de-DE")
    assert {each for each in files if exported[each] != files[each]} == {path}
    assert lines_changed(GERMAN, exported[path]) == (
        ["    <value>Zahlen</value>"],
        ["    <value>Zahlen &amp; &lt;fertig&gt;</value>"],
    )
    again = uploads.result(project, "App.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_its_file_beside_the_others(
    uploads, project, files, format_id
):
    put(uploads, project, "Pay", "pt-BR", "Pagar")

    exported = uploads.exported(project, format=format_id)

    new = exported[FOLDERS[format_id][1].format("pt-BR")].decode()
    assert exported.keys() == {*files, FOLDERS[format_id][1].format("pt-BR")}
    assert "<value>Pagar</value>" in new
    assert "text/microsoft-resx" in new
    assert "logo" not in new


def test_placeholders_of_dotnet_are_checked(uploads, project, files, format_id):
    texts = uploads.values(project)
    [name] = [key for key in texts if texts[key].get("en") == "Hello, {0}"]

    put(uploads, project, name, "de-DE", "Hallo")

    path = f"/projects/{project['id']}/issues"
    found = uploads.workspace.owner.get(path).data["items"]
    assert "placeholders" in {each["check"] for each in found}


def test_a_release_has_each_language_as_resources(uploads, project, files, format_id):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": format_id}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    assert {file["contentType"] for file in found} == {"application/xml; charset=utf-8"}
    assert b"<value>Zahlen</value>" in texts[f"de-DE.{format_id}"]
    assert b"text/microsoft-resx" in texts[f"de-DE.{format_id}"]

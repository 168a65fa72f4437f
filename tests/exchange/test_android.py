"""String resources of Android go in by their folders, and come back to them."""

import difflib

import pytest

SOURCE = """\
<resources xmlns:tools="http://schemas.android.com/tools">

    <string name="app_name" translatable="false">Shop</string>

    <!-- The button under the cart -->
    <string name="pay">Pay now, it\\'s %1$s</string>
    <string name="terms"><![CDATA[Read the <b>terms</b>]]></string>
    <string name="hint"><b>Hint</b>: &lt;3</string>
    <plurals name="items">
        <item quantity="one">%d item</item>
        <item quantity="other">%d items</item>
    </plurals>
    <string-array name="steps">
        <item>Address</item>
        <item>Payment</item>
    </string-array>
</resources>
"""
GERMAN = """\
<?xml version="1.0" encoding="utf-8"?>
<resources>
    <string name="pay">Jetzt zahlen</string>
    <plurals name="items">
        <item quantity="one">%d Artikel</item>
        <item quantity="other">%d Artikel</item>
    </plurals>
</resources>
"""
HEBREW = '<resources>\n  <string name="pay">\u05e9\u05dc\u05dd</string>\n</resources>\n'
FILES = {
    "res/values/strings.xml": SOURCE.encode(),
    "res/values-de/strings.xml": GERMAN.encode(),
    "res/values-iw/strings.xml": HEBREW.encode(),
    "res/values/colors.xml": b'<resources><color name="red">#f00</color></resources>',
}


@pytest.fixture
def shop(uploads):
    """The project with the files."""
    project = uploads.workspace.project(languages=["de", "he", "pt-BR", "id"])
    uploads.result(project, "res.zip", uploads.zipped(FILES))
    return project


def put(uploads, project, key, code, text):
    body = {"items": [{"key": key, "languageCode": code, "value": text}]}
    path = f"/projects/{project['id']}/values"
    answer = uploads.workspace.owner.put(path, json=body)
    assert answer.data["results"][0]["outcome"] == "updated", answer


def exported(uploads, project, **query):
    path = f"/projects/{project['id']}/export"
    query = {"format": "android-xml"} | query
    answer = uploads.workspace.owner.get(path, query=query)
    assert answer.status == 200, answer
    return uploads.unzipped(answer.content)


def lines_changed(old, new):
    """The lines that went and came."""
    diff = difflib.ndiff(old.decode().splitlines(), new.decode().splitlines())
    return [line[0] + line[2:].strip() for line in diff if line[0] in "-+"]


def test_resources_are_in_the_languages_of_their_folders(uploads):
    project = uploads.workspace.project(languages=["de", "he"])
    result = uploads.result(project, "res.zip", uploads.zipped(FILES))

    assert {f["path"]: f["languageCode"] for f in result["files"]} == {
        "res/values/strings.xml": "en",
        "res/values-de/strings.xml": "de",
        "res/values-iw/strings.xml": "he",
    }
    assert [each["path"] for each in result["skipped"]] == ["res/values/colors.xml"]
    values = uploads.values(project)
    assert values.keys() == {"pay", "terms", "hint", "items", "steps.0", "steps.1"}
    assert values["pay"]["en"] == "Pay now, it's %1$s"
    assert values["terms"]["en"] == "Read the <b>terms</b>"
    assert values["hint"]["en"] == "<b>Hint</b>: &lt;3"
    [pay] = [item for item in uploads.items(project) if item["key"] == "pay"]
    assert pay["description"] == "The button under the cart"


def test_without_a_change_the_same_bytes_come_back(uploads, shop):
    files = dict(FILES)
    del files["res/values/colors.xml"]

    assert exported(uploads, shop) == files


def test_one_text_changes_one_line(uploads, shop):
    put(uploads, shop, "pay", "en", 'Pay "now"')
    put(uploads, shop, "items", "de", {"other": "%d Sachen"})

    files = exported(uploads, shop)

    assert lines_changed(SOURCE.encode(), files["res/values/strings.xml"]) == [
        '-<string name="pay">Pay now, it\\\'s %1$s</string>',
        '+<string name="pay">Pay \\"now\\"</string>',
    ]
    assert lines_changed(GERMAN.encode(), files["res/values-de/strings.xml"]) == [
        '-<item quantity="other">%d Artikel</item>',
        '+<item quantity="other">%d Sachen</item>',
    ]


def test_a_new_language_gets_its_folder_and_markup_as_the_source_has_it(uploads, shop):
    for key, text in (
        ("terms", "Leia os <b>termos</b>"),
        ("hint", "<b>Dica</b>"),
        ("steps.1", "Pagamento"),
    ):
        put(uploads, shop, key, "pt-BR", text)
    put(uploads, shop, "pay", "id", "Bayar")

    files = exported(uploads, shop)

    assert (
        files["res/values-pt-rBR/strings.xml"].decode()
        == """\
<?xml version="1.0" encoding="utf-8"?>
<resources>
    <string name="terms"><![CDATA[Leia os <b>termos</b>]]></string>
    <string name="hint"><b>Dica</b></string>
    <string-array name="steps">
        <item></item>
        <item>Pagamento</item>
    </string-array>
</resources>
"""
    )
    assert b"Bayar" in files["res/values-in/strings.xml"]


def test_an_import_of_the_export_changes_nothing(uploads, shop):
    put(uploads, shop, "steps.1", "pt-BR", "Pagamento")
    files = exported(uploads, shop)

    again = uploads.result(shop, "res.zip", uploads.zipped(files))

    assert uploads.counts(again)[:2] == (0, 0)
    assert again["valuesWritten"] == again["conflictCount"] == 0
    assert exported(uploads, shop) == files


def test_a_placeholder_without_a_position_is_told_with_the_export(uploads, shop):
    put(uploads, shop, "pay", "de", "%s von %s")

    path = f"/projects/{shop['id']}/export"
    query = {"format": "android-xml", "languageCodes": "de"}
    headers = uploads.workspace.owner.get(path, query=query).headers

    assert headers["X-Service-Warning-Count"] == "1"
    assert "without positions" in headers["X-Service-Warnings"]


def test_compose_has_its_own_escapes_in_its_own_folder(uploads):
    project = uploads.workspace.project(languages=["de"])
    text = '<resources>\n<string name="a">It\'s\\n</string>\n</resources>\n'
    files = {"x/composeResources/values/strings.xml": text.encode()}
    result = uploads.result(project, "x.zip", uploads.zipped(files))
    put(uploads, project, "a", "de", "So ist's")

    found = exported(uploads, project, format="compose-xml")

    assert [file["format"] for file in result["files"]] == ["compose-xml"]
    german = found.pop("x/composeResources/values-de/strings.xml")
    assert b">So ist's<" in german
    assert found == files
    assert uploads.values(project)["a"]["en"] == "It's\n"


def test_a_release_has_each_language_as_resources(uploads, shop):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "android-xml"}
    made = owner.post(f"/projects/{shop['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    files = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in files}
    assert {file["contentType"] for file in files} == {"application/xml; charset=utf-8"}
    assert b'<string name="pay">Jetzt zahlen</string>' in texts["de.xml"]

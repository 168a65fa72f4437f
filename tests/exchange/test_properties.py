"""Properties files go in and come back with one line changed, and are published."""

import pytest

from tests.exchange.test_tables import lines_changed

ENGLISH = rb"""# Checkout

# The button
cart.pay=Pay now
cart.title : Your \
    cart
Sign\ in = Sign in
"""
GERMAN = "cart.pay=Jetzt zahlen\ncart.title : Größe\nSign\\ in = Anmelden\n".encode()
OLD_GERMAN = GERMAN.decode().encode("latin-1")


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de"])


def put(uploads, project, key, code, text):
    body = {"items": [{"key": key, "languageCode": code, "value": text}]}
    answer = uploads.workspace.owner.put(f"/projects/{project['id']}/values", json=body)
    assert answer.data["results"][0]["outcome"] == "updated", answer


@pytest.mark.parametrize("german", [GERMAN, OLD_GERMAN], ids=["UTF-8", "Latin-1"])
def test_bundles_come_back_with_one_line_changed(uploads, project, german):
    files = {"l10n/Shop.properties": ENGLISH, "l10n/Shop_de.properties": german}
    archive = uploads.zipped({"l10n/Shop_de.properties": german})
    uploads.result(project, "Shop.properties", ENGLISH, languageCode="en")
    uploads.result(project, "bundles.zip", archive)

    query = {"format": "java-properties"}
    assert uploads.values(project)["cart.title"] == {"en": "Your cart", "de": "Größe"}
    exported = uploads.exported(project, **query)
    assert exported == {
        "Shop.properties": ENGLISH,
        "l10n/Shop_de.properties": files["l10n/Shop_de.properties"],
    }

    put(uploads, project, "cart.pay", "de", "Für 3 €")

    answer = uploads.workspace.owner.get(
        f"/projects/{project['id']}/export", query={**query, "languageCodes": "de"}
    )
    declared = "utf-8" if german is GERMAN else "iso-8859-1"
    assert answer.headers["Content-Type"] == (
        f"text/x-java-properties; charset={declared}"
    )
    changed = uploads.exported(project, **query)["l10n/Shop_de.properties"]
    charset = "utf-8" if german is GERMAN else "latin-1"
    old, new = (each.decode(charset).encode() for each in (german, changed))
    euro = "€" if german is GERMAN else "\\u20ac"
    assert lines_changed(old, new) == (
        ["cart.pay=Jetzt zahlen"],
        [f"cart.pay=Für 3 {euro}"],
    )


def test_a_release_is_in_ascii_which_its_content_type_declares(uploads, project):
    owner = uploads.workspace.owner
    uploads.result(project, "Shop_de.properties", GERMAN)
    body = {"name": "App", "format": "java-properties", "languageCodes": ["de"]}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    [file] = public.get(f"/content/{key}/manifest.json").json["files"]
    answer = public.get(file["url"])

    declared = "text/x-java-properties; charset=ISO-8859-1"
    assert (file["path"], file["contentType"]) == ("de.properties", declared)
    assert answer.headers["Content-Type"] == declared
    assert answer.content == (
        b"cart.pay=Jetzt zahlen\ncart.title=Gr\\u00f6\\u00dfe\nSign\\ in=Anmelden\n"
    )

"""Strings files of Apple's apps go in and come back with one line changed."""

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

ENGLISH = b"""/* The button */
"cart.pay" = "Pay now";

"Your %@" = "Your %@";
"""
GERMAN = '"cart.pay" = "Jetzt zahlen";\n"Your %@" = "Größe: %@"; // ?\n'.encode()
INFO = b'CFBundleName = "Shop";\n'
QUERY = {"format": "apple-strings"}


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "pt-BR"])


@pytest.fixture
def files(uploads, project):
    files = {
        "Shop/en.lproj/Localizable.strings": ENGLISH,
        "Shop/de.lproj/Localizable.strings": GERMAN,
        "Shop/pt-BR.lproj/Localizable.strings": b'"cart.pay" = "Pagar";\n',
        "Shop/en.lproj/InfoPlist.strings": INFO,
        "Shop/de.lproj/InfoPlist.strings": b'CFBundleName = "Laden";\n',
    }
    uploads.result(project, "Shop.zip", uploads.zipped(files))
    return files


def test_the_folders_of_an_app_come_back_as_they_were(uploads, project, files):
    assert uploads.exported(project, **QUERY) == files


def test_a_changed_text_changes_one_line(uploads, project, files):
    [name] = [key for key in uploads.values(project) if key.endswith("cart.pay")]

    put(uploads, project, name, "de", 'Für "3 €"')

    exported = uploads.exported(project, **QUERY)
    path = "Shop/de.lproj/Localizable.strings"
    assert {each for each in files if exported[each] != files[each]} == {path}
    assert lines_changed(GERMAN, exported[path]) == (
        ['"cart.pay" = "Jetzt zahlen";'],
        ['"cart.pay" = "Für \\"3 €\\"";'],
    )


def test_placeholders_of_apple_are_checked(uploads, project, files):
    texts = uploads.values(project)
    [name] = [key for key in texts if texts[key].get("en") == "Your %@"]
    path = f"/projects/{project['id']}"

    put(uploads, project, name, "de", "Größe")

    found = uploads.workspace.owner.get(f"{path}/issues").data["items"]
    assert "placeholders" in {each["check"] for each in found}

"""Plural texts of Apple's apps go in beside strings, and come back apart."""

import plistlib

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

STRINGS = b'"cart.pay" = "Pay now";\n'
FORMAT = "NSStringLocalizedFormatKey"
QUERY = {"format": "apple-stringsdict"}
PATH = "Shop/{}.lproj/Localizable.{}"


def plurals(format_="%#@items@", **forms):
    """A file as Xcode writes it."""
    variable = {
        "NSStringFormatSpecTypeKey": "NSStringPluralRuleType",
        "NSStringFormatValueTypeKey": "ld",
        **forms,
    }
    item = {FORMAT: format_, "items": variable}
    return plistlib.dumps({"cart.items": item}, sort_keys=False)


ENGLISH = plurals(one="%ld item", other="%ld items")
GERMAN = plurals("Im Korb: %#@items@", one="%ld Ding", other="%ld Dinge")


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "ru"])


@pytest.fixture
def files(uploads, project):
    files = {
        PATH.format("en", "strings"): STRINGS,
        PATH.format("de", "strings"): b'"cart.pay" = "Zahlen";\n',
        PATH.format("en", "stringsdict"): ENGLISH,
        PATH.format("de", "stringsdict"): GERMAN,
    }
    result = uploads.result(project, "Shop.zip", uploads.zipped(files))
    assert result["warnings"] == []
    return files


def test_strings_and_their_plurals_are_exported_apart(uploads, project, files):
    assert uploads.values(project).keys() == {"cart.pay", "cart.items"}
    for extension in ("strings", "stringsdict"):
        assert uploads.exported(project, format=f"apple-{extension}") == {
            path: files[path] for path in files if path.endswith(f".{extension}")
        }


def test_a_changed_form_changes_one_line(uploads, project, files):
    forms = {"one": "Im Korb: ein Ding", "other": "Im Korb: %ld Dinge"}
    put(uploads, project, "cart.items", "de", forms)

    exported = uploads.exported(project, **QUERY)

    assert exported[PATH.format("en", "stringsdict")] == ENGLISH
    assert lines_changed(GERMAN, exported[PATH.format("de", "stringsdict")]) == (
        ["\t\t\t<string>%ld Ding</string>"],
        ["\t\t\t<string>ein Ding</string>"],
    )
    again = uploads.result(project, "Shop.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_its_forms_in_a_file_beside_the_others(
    uploads, project, files
):
    forms = {"one": "%ld вещь", "few": "%ld вещи", "other": "%ld вещей"}
    put(uploads, project, "cart.items", "ru", forms)

    exported = uploads.exported(project, **QUERY)

    new = exported[PATH.format("ru", "stringsdict")]
    assert new == plurals(**forms)


def test_a_key_with_different_texts_in_both_files_is_refused(uploads, project):
    strings = b'"cart.items" = "%ld items";\n'
    files = {
        PATH.format("en", "strings"): strings,
        PATH.format("en", "stringsdict"): ENGLISH,
    }

    answer = uploads.ask(project, "Shop.zip", uploads.zipped(files))

    assert answer.status == 400
    [problem] = answer.error["details"]
    assert problem["path"] == f"{PATH.format('en', 'stringsdict')} line 5"
    assert problem["rule"] == "duplicate"


def test_a_release_has_each_language_with_all_its_texts(uploads, project, files):
    owner = uploads.workspace.owner
    body = {"name": "Shop", "format": "apple-stringsdict"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    texts = {file["path"]: public.get(file["url"]).content for file in found}
    german = plistlib.loads(texts["de.stringsdict"])
    assert german["cart.pay"] == {FORMAT: "Zahlen"}
    assert german["cart.items"]["items"]["one"] == "Im Korb: %ld Ding"

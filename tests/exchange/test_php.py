"""Arrays of PHP go in and come back with one line changed, and are published."""

import json
import os
import shutil
import subprocess

import pytest

from tests.exchange.test_properties import put
from tests.exchange.test_tables import lines_changed

IS_REQUIRED = os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1"


def messages(title, items):
    """A file as projects of Laravel have them."""
    return f"""<?php

return [

    // Cart
    'title' => '{title}',
    'cart' => [
        'items' => '{items}',
        'year' => date('Y'), // now
    ],

];
""".encode()


FILES = {
    "lang/en/messages.php": messages("Cart", ":count item|:count items"),
    "lang/en/auth.php": messages("Sign in", ":count try|:count tries"),
    "lang/de/messages.php": messages("Korb", ":count Artikel|:count Artikel"),
}
PATH, POLISH = "lang/de/messages.php", "lang/pl/messages.php"


@pytest.fixture
def project(uploads):
    return uploads.workspace.project(languages=["de", "pl"])


@pytest.fixture
def files(uploads, project):
    result = uploads.result(project, "shop.zip", uploads.zipped(FILES))
    assert {each["path"]: each["languageCode"] for each in result["files"]} == {
        path: path.split("/")[1] for path in FILES
    }
    assert {each["format"] for each in result["files"]} == {"laravel-php"}
    return FILES


def test_the_files_of_an_app_come_back_as_they_were(uploads, project, files):
    assert uploads.values(project)["messages.title"] == {"en": "Cart", "de": "Korb"}
    assert uploads.exported(project, format="laravel-php") == files


def test_a_changed_text_changes_one_line(uploads, project, files):
    put(uploads, project, "messages.title", "de", "Dein 'Korb'")

    exported = uploads.exported(project, format="laravel-php")

    assert {each for each in files if exported[each] != files[each]} == {PATH}
    assert lines_changed(files[PATH], exported[PATH]) == (
        ["    'title' => 'Korb',"],
        ["    'title' => 'Dein \\'Korb\\'',"],
    )
    again = uploads.result(project, "shop.zip", uploads.zipped(exported))
    assert again["valuesWritten"] == again["conflictCount"] == 0


def test_a_new_language_gets_its_files_with_its_own_plurals(uploads, project, files):
    put(uploads, project, "messages.title", "pl", "Koszyk")
    items = b"<?php return ['cart' => ['items' => ':count rzecz|:count rzeczy|x']];"
    result = uploads.result(project, "pl.zip", uploads.zipped({POLISH: items}))
    assert result["warnings"] == []

    exported = uploads.exported(project, format="laravel-php")

    assert exported.keys() == {*files, POLISH}
    content = exported[POLISH].decode()
    assert "'title' => 'Koszyk'" in content
    assert "'items' => ':count rzecz|:count rzeczy|x'" in content
    texts = uploads.values(project)["messages.cart.items"]
    assert texts["pl/few"] == ":count rzeczy"


def test_arrays_of_other_programs_are_recognized_by_their_texts(uploads, project):
    files = {
        "messages/de/app.php": b"<?php return ['Sign in' => 'Anmelden'];\n",
        "messages/en/app.php": b"<?php return ['Sign in' => 'Sign in'];\n",
        "config/web.php": b"<?php return ['debug' => true, 'name' => 'Shop'];\n",
    }

    result = uploads.result(project, "app.zip", uploads.zipped(files))

    assert {each["format"] for each in result["files"]} == {"php-array"}
    assert result["warnings"] == ["config/web.php is not in a known format"]
    exported = uploads.exported(project, format="php-array")
    assert exported == {path: files[path] for path in exported}


def test_a_broken_file_is_refused_with_its_line(uploads, project):
    content = b"<?php\nreturn [\n    'a' => 'b'\n    'c' => 'd',\n];\n"
    form = {"format": "php-array", "languageCode": "de"}
    answer = uploads.ask(project, "app.php", content, **form)
    assert answer.status == 400
    [problem] = answer.error["details"]
    assert problem["path"].startswith("line 4")


@pytest.mark.judge
@pytest.mark.skipif(
    shutil.which("php") is None and not IS_REQUIRED,
    reason="needs apt-get install php-cli",
)
def test_php_reads_what_a_release_has(uploads, project, files, tmp_path):
    owner = uploads.workspace.owner
    body = {"name": "App", "format": "laravel-php"}
    made = owner.post(f"/projects/{project['id']}/distributions", json=body)
    assert made.status == 201, made
    uploads.workspace.run_jobs()
    public = owner.with_token(None)
    key = made.data["distribution"]["publicKey"]

    found = public.get(f"/content/{key}/manifest.json").json["files"]

    [german] = [file for file in found if file["path"] == "de.php"]
    assert german["contentType"] == "application/x-php"
    (tmp_path / "de.php").write_bytes(public.get(german["url"]).content)
    code = "echo json_encode(require $argv[1]);"
    command = ["php", "-r", code, tmp_path / "de.php"]
    told = subprocess.run(command, capture_output=True, check=True).stdout
    assert json.loads(told)["messages"] == {
        "title": "Korb",
        "cart": {"items": ":count Artikel|:count Artikel"},
    }

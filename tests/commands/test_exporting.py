"""``locframework export``."""

import io
import json
import zipfile

from locframework import OPERATOR
from locframework.commands import jobs as jobs_module
from locframework.keys.records import NewKey


def test_export_writes_one_language_to_the_file_named(
    command, english, german, folder, project
):
    command("import", english, german, "--format", "json-nested")

    result = command(
        "export", "--format", "json-nested", "--language", "de", "-o", "out.json"
    )

    written = json.loads((folder / "out.json").read_text())
    assert written == {"cart": {"back": "Zurück", "pay": "Zahlen"}}
    assert result.stdout == ""


def test_export_of_all_languages_is_an_archive_with_a_name_of_its_own(
    command, english, german, folder, project
):
    command("import", english, german, "--format", "json-nested")

    command("export", "--format", "json-flat")

    with zipfile.ZipFile(folder / "shop.zip") as archive:
        assert archive.namelist() == ["de.json", "en.json"]


def test_export_replaces_a_file_only_when_told_to(command, english, folder, project):
    command("import", english, "--format", "json-nested")
    there = folder / "out.json"
    there.write_text("mine")
    export = ("export", "--format", "json-flat", "--language", "en", "-o", there)

    refused = command(*export)
    kept = there.read_text()
    done = command(*export, "--overwrite")

    assert (refused.exit_code, kept) == (1, "mine")
    assert "--overwrite" in refused.stderr
    assert (done.exit_code, json.loads(there.read_text())["cart.pay"]) == (0, "Pay")


def test_export_prints_what_the_format_cannot_express(
    command, framework, folder, project
):
    for name in ("cart", "cart.pay"):
        new = NewKey(name, values={"en": "Pay"})
        framework.keys.create_key(OPERATOR, project.id, new)

    told = command("export", "--format", "json-nested", "--language", "en").stderr

    assert told.startswith("Warning: en: ")


def test_export_to_a_dash_writes_only_the_file_to_standard_output(
    command, english, german, project
):
    command("import", english, german, "--format", "json-nested")

    one = command("export", "--format", "json-flat", "--language", "en", "-o", "-")
    all_ = command("export", "--format", "json-flat", "-o", "-")

    assert json.loads(one.stdout_bytes) == {"cart.back": "Back", "cart.pay": "Pay"}
    assert zipfile.ZipFile(io.BytesIO(all_.stdout_bytes)).testzip() is None


def test_export_tells_how_far_it_is(command, english, german, project, monkeypatch):
    monkeypatch.setattr(jobs_module, "LINE_EVERY_SECONDS", 0.0)
    command("import", english, german, "--format", "json-nested")

    told = command("export", "--format", "json-flat").stderr

    assert "exporting: 1 of 4\n" in told
    assert "exporting: 4 of 4\n" in told


def test_an_unknown_format_tells_those_there_are(command, project):
    result = command("export", "--format", "xls")

    assert result.exit_code == 1
    assert "json-nested" in result.stderr
    assert result.stderr.count("\n") == 1

"""``locframework import``."""

import json
import time
import zipfile

import pytest

from locframework import OPERATOR
from locframework.branches.records import NewBranch
from locframework.exchange import import_job
from locframework.file_import import imports
from locframework.keys.records import KeyQuery
from locframework.projects.records import NewProject


def test_a_file_is_imported_by_the_service_that_the_api_uses(
    command, english, keys, framework, project
):
    result = command("import", english, "--format", "json-nested")

    assert result.exit_code == 0
    assert result.stdout == (
        "2 keys created, 0 updated, 0 unchanged, 0 removed;"
        " 2 texts written, 0 conflicts\n"
    )
    assert keys() == {"cart.back": {"en": "Back"}, "cart.pay": {"en": "Pay"}}


def test_several_files_are_one_import_and_paths_tell_the_languages(
    command, english, german, keys
):
    command("import", english, german, "--format", "json-nested")

    assert keys()["cart.pay"] == {"en": "Pay", "de": "Zahlen"}


def zipped(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", content)
    return path


def test_archives_and_files_are_one_import(command, english, folder, keys):
    german = zipped(folder / "z.zip", de='{"cart": {"pay": "Zahlen"}}')
    more = zipped(folder / "two.zip", more='{"more": "More"}')

    result = command("import", german, english, "--format", "json-nested")
    command("import", german, more, "--language", "en", "--format", "json-nested")

    assert result.exit_code == 0
    assert keys() == {
        "cart.back": {"en": "Back"},
        "cart.pay": {"en": "Pay", "de": "Zahlen"},
        "more": {"en": "More"},
    }


def test_an_archive_among_several_is_as_little_trusted_and_is_named(
    command, english, folder, keys
):
    zipped(folder / "bad.zip", de="{}", **{"../fr": "{}"})

    result = command("import", english, "bad.zip", "--format", "json-nested")

    assert result.exit_code == 1
    told = "Error: bad.zip: ../fr.json has a path that leads out of the archive\n"
    assert result.stderr == told
    assert keys() == {}


@pytest.mark.filterwarnings("error")
def test_two_files_of_one_name_are_refused_as_the_user_named_them(
    command, english, folder, keys
):
    beside = zipped(folder / "z.zip", en="{}")

    twice = command("import", "en.json", "./en.json", "--format", "json-nested")
    archived = command("import", "en.json", beside, "--format", "json-nested")

    told = (
        "Error: en.json appears twice; import files with the same name one at a time\n"
    )
    assert [twice.exit_code, archived.exit_code] == [1, 1]
    assert [twice.stderr, archived.stderr] == [told, told]
    assert keys() == {}


def test_a_fault_in_one_file_keeps_all_of_them_out(command, english, folder, keys):
    bad = folder / "de.json"
    bad.write_text('{"cart": {"pay..now": "x", "b c": "y"}}')

    result = command("import", english, bad, "--format", "json-nested")

    assert result.exit_code == 1
    assert "Traceback" not in result.stderr
    assert "de.json" in result.stderr
    assert "pay..now" in result.stderr
    assert "b c" in result.stderr
    assert keys() == {}


def test_a_file_that_cannot_be_read_is_named_among_several(
    command, english, folder, keys
):
    (folder / "de.json").write_text('{"cart": ')

    result = command("import", "en.json", "de.json", "--format", "json-nested")

    assert result.exit_code == 1
    assert "de.json line 1: " in result.stderr
    assert keys() == {}


def test_a_dry_run_tells_and_does_nothing(command, english, keys):
    result = command("import", english, "--format", "json-nested", "--dry-run")

    assert result.stdout.startswith("dry run: 2 keys created")
    assert keys() == {}


def test_a_text_that_differs_is_kept_overwritten_or_refused_as_asked(
    command, english, folder, keys
):
    command("import", english, "--format", "json-nested")
    other = folder / "other.json"
    other.write_text('{"cart": {"pay": "Pay now"}}')
    again = ["import", other, "--format", "json-nested", "--language", "en"]

    kept = command(*again)
    texts = [keys()["cart.pay"]["en"]]
    failed = command(*again, "--on-conflict", "fail")
    texts.append(keys()["cart.pay"]["en"])
    command(*again, "--on-conflict", "overwrite")
    texts.append(keys()["cart.pay"]["en"])

    assert kept.exit_code == 0
    assert "Conflict: cart.pay in en: 'Pay' and 'Pay now'\n" in kept.stderr
    assert failed.exit_code == 1
    assert failed.stderr.startswith("Error: 1 text differs, first cart.pay in en")
    assert texts == ["Pay", "Pay", "Pay now"]


def test_an_import_that_ends_halfway_tells_what_stays_of_it(
    command, framework, project, german, keys, monkeypatch
):
    def reached(place):
        if place == "import.after_step":
            framework.languages.remove_language(OPERATOR, project.id, "de")

    monkeypatch.setattr(import_job, "KEYS_A_STEP", 1)
    monkeypatch.setattr(imports, "crash_point", reached)
    result = command("import", german, "--format", "json-nested")

    assert result.exit_code == 1
    assert result.stderr.endswith(
        "the project has no language 'de'; 1 of 2 were imported and remain\n"
    )
    assert list(keys()) == ["cart.back"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "--language: is required: the file does not say its language"),
        (["--language", "de", "--tag", "x" * 99], "--tag: a tag must have at most"),
        (["--language", "de", "--mode", "replace"], "--mode: a file without keys"),
    ],
)
def test_a_refusal_names_options_as_they_are_typed(
    command, folder, project, options, told
):
    (folder / "texts.json").write_text("{}")

    result = command("import", "texts.json", "--format", "json-nested", *options)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {told}")


def test_one_is_told_as_one(command, folder, project):
    one = folder / "de.json"
    one.write_text('{"cart": "Korb"}')

    result = command("import", one, "--format", "json-nested")

    assert result.stdout == (
        "1 key created, 0 updated, 0 unchanged, 0 removed;"
        " 1 text written, 0 conflicts\n"
    )


def test_a_branch_is_imported_into_and_exported(
    command, english, folder, framework, project, keys
):
    framework.branches.create_branch(OPERATOR, project.id, NewBranch("spring"))
    of_branch = ("--format", "json-nested", "--branch", "spring")

    written = command("import", english, *of_branch)
    read = command("export", *of_branch, "--language", "en", "-o", "-")
    lost = command("export", "--format", "json-nested", "--branch", "autumn")

    assert written.exit_code == 0, written.stderr
    assert json.loads(read.stdout) == json.loads(english.read_text())
    assert keys() == {}
    assert lost.exit_code == 1
    assert lost.stderr.startswith("Error: ")


def test_replace_removes_what_no_file_names(command, english, folder, keys):
    command("import", english, "--format", "json-nested")
    (folder / "less.json").write_text('{"cart": {"pay": "Pay"}}')

    result = command(
        "import", "less.json", "--format", "json-nested", "--language", "en",
        "--mode", "replace",
    )  # fmt: skip

    assert "1 removed" in result.stdout
    assert list(keys()) == ["cart.pay"]


def test_module_and_tags_are_given_to_every_key(
    command, english, keys, framework, project
):
    command(
        "import", english, "--format", "json-nested", "--module", "web",
        "--tag", "a", "--tag", "b",
    )  # fmt: skip

    found = framework.keys.list_keys(OPERATOR, project.id, KeyQuery()).items
    assert list(keys()) == ["web.cart.back", "web.cart.pay"]
    assert {key.tags for key in found} == {("a", "b")}


def test_a_language_that_the_project_lacks_is_refused(command, english, project):
    result = command("import", english, "--format", "json-nested", "--language", "fr")

    line = "Error: the project has no language 'fr'\n"
    assert (result.exit_code, result.stderr) == (1, line)


@pytest.mark.parametrize("action", ["import en.json", "export --format json-flat"])
def test_a_language_that_is_none_is_told_by_its_option(
    command, english, project, action
):
    told = command(*action.split(), "--language", "xx")

    assert told.exit_code == 2
    assert "Invalid value for '--language': 'xx' is well formed, but" in told.stderr
    assert "languageCode" not in told.stderr


def test_a_folder_that_is_not_there_is_told_in_plain_words(
    command, english, folder, project
):
    command("import", english, "--format", "json-nested")

    there = folder / "nowhere" / "out.json"
    told = command("export", "--format", "json-flat", "--language", "en", "-o", there)

    line = f"Error: {there}: No such file or directory\n"
    assert (told.exit_code, told.stderr) == (1, line)


def test_the_project_must_be_named_where_there_are_several(
    command, english, framework, project, keys
):
    other = framework.projects.create_project(
        OPERATOR,
        NewProject("Blog", "en", organization_id=project.organization_id),
    )

    unnamed = command("import", english, "--format", "json-nested")
    named = command(
        "import", english, "--format", "json-nested", "--project", project.slug
    )

    told = "Error: there are several; choose one with --project"
    line = f"{told}: {other.slug}, {project.slug}\n"
    assert (unnamed.exit_code, unnamed.stderr) == (1, line)
    assert named.exit_code == 0
    assert len(keys()) == 2


def test_without_a_project_nothing_can_be_imported(command, english, framework):
    result = command("import", english)

    assert result.stderr.startswith("Error: there is no project yet")
    assert result.exit_code == 1


def test_an_import_goes_on_after_its_process_was_killed(
    start, english, keys, framework, project
):
    arguments = ["import", str(english), "--format", "json-nested"]
    killed = start(*arguments, LOCFRAMEWORK_CRASH_AT="import.before_commit")
    killed.communicate(timeout=30)
    before = keys()

    start("worker")
    deadline = time.monotonic() + 20
    while not keys() and time.monotonic() < deadline:
        time.sleep(0.05)

    assert killed.returncode == 137
    assert before == {}
    assert len(keys()) == 2


def test_a_file_that_is_named_and_that_no_format_knows_stops_the_whole_import(
    command, english, folder, keys, project
):
    (folder / "q.csv").write_text("a,b\n")

    detected = command("import", english, folder / "q.csv")
    named = command("import", english, folder / "q.csv", "--format", "json-nested")

    assert (detected.exit_code, named.exit_code) == (1, 1)
    assert "q.csv" in detected.stderr
    assert "q.csv does not end with .json" in named.stderr
    assert keys() == {}


def test_what_is_wrong_with_a_single_file_is_told_with_its_name(
    command, folder, project
):
    (folder / "de.json").write_text('{\n"a": ?}')

    result = command("import", folder / "de.json", "--format", "json-nested")

    assert result.exit_code == 1
    assert f"Error: {folder / 'de.json'}: line 2" in result.stderr

"""``locframework tm import`` and ``tm export``."""

import pytest

from locframework import OPERATOR
from locframework.memories.records import EntryQuery, NewMemory

TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Save</seg></tuv>
<tuv xml:lang="de"><seg>Sichern</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>Payer</seg></tuv></tu>
</body></tmx>"""
CSV = "context,en,de\nmenu,Quit,Beenden\n"


@pytest.fixture
def memory(framework, project):
    new = NewMemory("Main", "en", organization_id=project.organization_id)
    return framework.memories.create_memory(OPERATOR, new)


@pytest.fixture
def entries(framework, memory):
    def read():
        found = framework.memory_entries.list_entries(OPERATOR, memory.id, EntryQuery())
        return {
            each.source_text: {t.language_code: t.value for t in each.translations}
            for each in found.items
        }

    return read


def test_files_are_imported_one_after_the_other(command, folder, entries):
    (folder / "a.tmx").write_text(TMX)
    (folder / "b.csv").write_text(CSV)

    result = command("tm", "import", "a.tmx", "b.csv")

    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "a.tmx: 1 entry created, 0 updated, 0 unchanged;"
        " 1 translation written, 1 unit left out\n"
        "b.csv: 1 entry created, 0 updated, 0 unchanged;"
        " 1 translation written, 0 units left out\n"
    )
    assert "a.tmx line 4: " in result.stderr
    assert "a.tmx: new languages: de (German)\n" in result.stderr
    assert "b.csv: new" not in result.stderr
    assert entries() == {"Save": {"de": "Sichern"}, "Quit": {"de": "Beenden"}}


def test_languages_that_are_left_out_are_told(command, folder, memory):
    (folder / "memory.csv").write_text(CSV)

    told = command("tm", "import", "memory.csv", "--language", "de-DE")

    assert told.exit_code == 0
    assert "Warning: memory.csv: left out the texts in de\n" in told.stderr


def test_a_translation_that_differs_is_kept_or_replaced(command, folder, entries):
    (folder / "a.csv").write_text(CSV)
    command("tm", "import", "a.csv")
    (folder / "b.csv").write_text(CSV.replace("Beenden", "Schluss"))

    command("tm", "import", "b.csv")
    kept = entries()
    command("tm", "import", "b.csv", "--on-existing", "replace")

    assert kept == {"Quit": {"de": "Beenden"}}
    assert entries() == {"Quit": {"de": "Schluss"}}


def test_a_file_that_cannot_be_read_is_named_and_changes_nothing(
    command, folder, entries
):
    (folder / "torn.tmx").write_text(TMX[:180])

    result = command("tm", "import", "torn.tmx")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: torn.tmx: ")
    assert entries() == {}


@pytest.mark.parametrize("format_", ["tmx", "csv"])
def test_what_is_exported_comes_back_as_it_was(
    command, folder, framework, memory, entries, format_
):
    (folder / "a.csv").write_text(CSV)
    command("tm", "import", "a.csv")
    before = entries()

    written = command("tm", "export", "--format", format_)
    again = command("tm", "export", "--format", format_)
    [entry] = framework.memory_entries.list_entries(
        OPERATOR, memory.id, EntryQuery()
    ).items
    framework.memory_entries.delete_entry(OPERATOR, memory.id, entry.id)
    command("tm", "import", f"main.{format_}")

    assert written.exit_code == 0
    assert written.stderr.startswith(f"main.{format_}: ")
    assert again.exit_code == 1
    assert "main." in again.stderr
    assert "--overwrite replaces it" in again.stderr
    assert entries() == before


def test_several_memories_are_told_apart_by_name(command, framework, project, memory):
    new = NewMemory("Other", "en", organization_id=project.organization_id)
    other = framework.memories.create_memory(OPERATOR, new)

    unnamed = command("tm", "export", "--format", "csv", "-o", "-")
    named = command(
        "tm", "export", "--format", "csv", "-o", "-", "--memory", other.slug
    )

    assert unnamed.exit_code == 1
    assert f"choose one with --memory: {memory.slug}, {other.slug}" in unnamed.stderr
    assert named.stdout.strip("\ufeff\n") == "context,en"


def test_without_a_memory_there_is_none_to_name(command, framework):
    result = command("tm", "export", "--format", "csv")

    assert result.exit_code == 1
    assert "there is no translation memory yet" in result.stderr


@pytest.mark.parametrize("action", ["import memory.csv", "export --format csv"])
def test_a_language_that_is_none_is_told_by_its_option(command, folder, memory, action):
    (folder / "memory.csv").write_text(CSV)

    told = command("tm", *action.split(), "--language", "xx!")

    assert told.exit_code == 2
    assert "Invalid value for '--language': 'xx!' is not" in told.stderr
    assert "languageCodes" not in told.stderr


def test_a_file_that_is_no_xml_is_told_to_be_read_as_csv(command, folder, memory):
    (folder / "memory.tmx").write_text("hello world")

    told = command("tm", "import", "memory.tmx")

    assert told.exit_code == 1
    assert "the file was read as CSV; XML begins with '<'" in told.stderr

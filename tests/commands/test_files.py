"""``locframework import`` and ``export``, also of ``tm`` and ``glossary``."""

import io
import json
import zipfile

import pytest

from locframework import OPERATOR
from locframework.branches.records import NewBranch
from locframework.exchange import import_job
from locframework.file_import import imports
from locframework.glossaries.records import NewGlossary, TermQuery
from locframework.keys.records import KeyQuery, NewKey
from locframework.memories.records import EntryQuery, NewMemory
from locframework.projects.records import NewProject

JSON = ("--format", "json-nested")


def zipped(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", content)
    return path


@pytest.mark.parametrize(
    ("texts", "read", "created", "written"),
    [
        (
            {"pay": "Pay", "back": "Back"},
            "2 keys, 2 texts",
            "2 keys created",
            "2 texts written",
        ),
        ({"cart": "Cart"}, "1 key, 1 text", "1 key created", "1 text written"),
    ],
)
def test_an_import_prints_what_it_did(
    command, folder, keys, texts, read, created, written
):
    (folder / "en.json").write_text(json.dumps(texts))

    dry = command("import", "en.json", *JSON, "--dry-run")
    after_dry = keys()
    result = command("import", "en.json", *JSON)

    line = f"{created}, 0 updated, 0 unchanged, 0 removed; {written}, 0 conflicts\n"
    file = f"en.json: en, json-nested, {read}\n"
    assert (result.exit_code, result.stdout) == (0, file + line)
    assert (dry.stdout, after_dry) == (f"{file}dry run: {line}", {})
    assert keys() == {name: {"en": text} for name, text in texts.items()}


def test_several_files_and_archives_are_one_import(command, english, german, keys):
    folder = english.parent
    archive = zipped(folder / "z.zip", de='{"cart": {"back": "Zurück!"}}')
    more = zipped(folder / "two.zip", more='{"more": "More"}')

    result = command("import", english, german, *JSON)
    command("import", archive, more, "--language", "en", *JSON)

    assert result.exit_code == 0
    assert keys() == {
        "cart.back": {"en": "Back", "de": "Zurück"},
        "cart.pay": {"en": "Pay", "de": "Zahlen"},
        "more": {"en": "More"},
    }


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("paths", "told"),
    [
        (["en.json", "bad.zip"], "bad.zip: ../fr.json has a path that leads out of"),
        (["en.json", "./en.json"], "en.json appears twice; import files with the same"),
        (["en.json", "twice.zip"], "en.json appears twice; import files with the same"),
        (["en.json", "torn/de.json"], "torn/de.json line 1: "),
        (["torn/de.json"], "torn/de.json: line 1: "),
        (["en.json", "q.csv"], "q.csv does not end with .json"),
    ],
)
def test_a_fault_in_one_file_is_named_and_keeps_all_of_them_out(
    command, english, folder, keys, paths, told
):
    zipped(folder / "bad.zip", de="{}", **{"../fr": "{}"})
    zipped(folder / "twice.zip", en="{}")
    (folder / "torn").mkdir()
    (folder / "torn/de.json").write_text('{"a": ')
    (folder / "q.csv").write_text("a,b\n")

    result = command("import", *paths, *JSON)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {told}")
    assert keys() == {}


def test_a_file_that_no_format_knows_stops_the_whole_import(
    command, english, folder, keys
):
    (folder / "q.csv").write_text("a,b\n")

    result = command("import", english, "q.csv")

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no format recognizes q.csv; choose one")
    assert result.stderr.endswith("; --on-unreadable skip leaves such files out\n")
    assert keys() == {}


@pytest.mark.parametrize("options", [(), JSON])
def test_files_that_no_format_knows_are_left_out_when_asked(
    command, english, folder, keys, options
):
    (folder / "q.csv").write_text("a,b\n")

    skip = "--on-unreadable", "skip"
    result = command("import", english, "q.csv", *options, *skip)

    assert result.exit_code == 0
    assert "Skipped: q.csv: is not in a known format\n" in result.stderr
    assert len(keys()) == 2


def test_several_faults_are_listed(command, english, folder, keys):
    (folder / "de.json").write_text('{"a": "x", "a": "y", "b": "x", "b": "y"}')

    result = command("import", english, "de.json", *JSON)

    assert result.exit_code == 1
    for part in ("de.json", "'a'", "'b'"):
        assert part in result.stderr
    assert keys() == {}


def test_a_text_that_differs_is_kept_overwritten_or_refused_as_asked(
    command, english, folder, keys
):
    command("import", english, *JSON)
    (folder / "other.json").write_text('{"cart": {"pay": "Pay now"}}')
    again = ["import", "other.json", *JSON, "--language", "en"]

    kept = command(*again, "--on-conflict", "keep")
    texts = [keys()["cart.pay"]["en"]]
    failed = command(*again, "--on-conflict", "fail")
    texts.append(keys()["cart.pay"]["en"])
    command(*again, "--on-conflict", "overwrite")
    texts.append(keys()["cart.pay"]["en"])

    assert kept.exit_code == 4
    told = "Conflict: cart.pay in en: 'Pay' in the project, 'Pay now' in the file"
    assert f"{told}; existing kept\n" in kept.stderr
    assert "Error: 1 text of the files not taken; choose" in kept.stderr
    assert failed.exit_code == 1
    assert failed.stderr.startswith("Error: 1 text differs, first cart.pay in en")
    assert texts == ["Pay", "Pay", "Pay now"]


def test_an_import_that_ends_halfway_says_what_remains_of_it(
    command, framework, project, german, keys, monkeypatch
):
    def reached(place):
        if place == "import.after_step":
            framework.languages.remove_language(OPERATOR, project.id, "de")

    monkeypatch.setattr(import_job, "KEYS_A_STEP", 1)
    monkeypatch.setattr(imports, "crash_point", reached)
    result = command("import", german, *JSON)

    assert result.exit_code == 1
    assert result.stderr.endswith(
        "the project has no language 'de'; 1 of 2 were imported and remain\n"
    )
    assert list(keys()) == ["cart.back"]


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ("", 1, "--language: is required: the file does not say its language"),
        ("--language fr", 1, "the project has no language 'fr'"),
        ("--language xx", 2, "Invalid value for '--language': 'xx' is well formed"),
        (f"--language de --tag {'x' * 99}", 1, "--tag: a tag must have at most"),
        ("--language de --mode replace", 1, "--mode: a file without keys"),
    ],
)
def test_a_refusal_names_options_as_they_are_typed(
    command, folder, project, options, status, told
):
    (folder / "texts.json").write_text("{}")

    result = command("import", "texts.json", *JSON, *options.split())

    assert result.exit_code == status
    assert f"Error: {told}" in result.stderr


def test_a_branch_is_imported_into_and_exported(
    command, english, framework, project, keys
):
    framework.branches.create_branch(OPERATOR, project.id, NewBranch("spring"))
    of_branch = (*JSON, "--branch", "spring")

    written = command("import", english, *of_branch)
    read = command("export", *of_branch, "--language", "en", "-o", "-")
    lost = command("export", *JSON, "--branch", "autumn")

    assert written.exit_code == 0, written.stderr
    assert json.loads(read.stdout) == json.loads(english.read_text())
    assert keys() == {}
    assert lost.exit_code == 1


def test_mode_module_and_tags_are_those_of_the_api(
    command, english, folder, keys, framework, project
):
    more = ("--module", "web", "--tag", "a", "--tag", "b")
    command("import", english, *JSON, *more)
    made = framework.keys.list_keys(OPERATOR, project.id, KeyQuery()).items
    (folder / "less.json").write_text('{"web": {"cart": {"pay": "Pay"}}}')

    less = command(
        "import", "less.json", *JSON, "--language", "en", "--mode", "replace"
    )

    assert {key.key: key.tags for key in made} == {
        "web.cart.back": ("a", "b"),
        "web.cart.pay": ("a", "b"),
    }
    assert "1 removed" in less.stdout
    assert list(keys()) == ["web.cart.pay"]


def test_the_project_must_be_named_where_there_are_several(
    command, english, framework, project, keys
):
    new = NewProject("Blog", "en", organization_id=project.organization_id)
    framework.projects.create_project(OPERATOR, new)

    unnamed = command("import", english, *JSON)
    named = command("import", english, *JSON, "--project", project.slug)

    several = "Error: there are several; choose one with --project"
    line = f"{several}: blog, shop\n"
    assert (unnamed.exit_code, unnamed.stderr) == (1, line)
    assert named.exit_code == 0
    assert len(keys()) == 2


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("import en.json", "there is no project yet; make one with: locframework pro"),
        ("tm export --format csv", "there is no memory yet; make one over the API"),
        ("glossary export --format csv --glossary ports", "there is no glossary yet"),
    ],
)
def test_what_is_not_there_is_told(command, english, framework, asked, told):
    result = command(*asked.split())

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {told}")


def test_export_writes_one_language_or_an_archive(
    command, english, german, folder, project
):
    command("import", english, german, *JSON)

    one = command("export", *JSON, "--language", "de", "-o", "out.json")
    all_ = command("export", *JSON)
    dash = command("export", *JSON, "--language", "en", "-o", "-")
    dash_all = command("export", *JSON, "-o", "-")

    written = json.loads((folder / "out.json").read_text())
    assert written == {"cart": {"back": "Zurück", "pay": "Zahlen"}}
    assert (one.stdout, all_.stdout) == ("", "")
    with zipfile.ZipFile(folder / "shop.zip") as archive:
        names = [name.rpartition("/")[2] for name in archive.namelist()]
    assert sorted(names) == ["en.json", "shop.json"]
    assert json.loads(dash.stdout_bytes)["cart"]["pay"] == "Pay"
    assert zipfile.ZipFile(io.BytesIO(dash_all.stdout_bytes)).testzip() is None


def test_export_replaces_a_file_only_when_told_to(command, english, folder, project):
    command("import", english, *JSON)
    there = folder / "out.json"
    there.write_text("mine")
    export = ("export", *JSON, "--language", "en", "-o")

    refused = command(*export, there)
    kept = there.read_text()
    done = command(*export, there, "--overwrite")
    nowhere = command(*export, folder / "nowhere" / "out.json")

    assert (refused.exit_code, kept) == (1, "mine")
    assert "--overwrite" in refused.stderr
    assert done.exit_code == 0
    assert json.loads(there.read_text())["cart"]["pay"] == "Pay"
    line = f"Error: {folder / 'nowhere/out.json'}: No such file or directory\n"
    assert (nowhere.exit_code, nowhere.stderr) == (1, line)


def test_export_prints_what_the_format_cannot_express(command, framework, project):
    for name in ("cart", "cart.pay"):
        new = NewKey(name, values={"en": "Pay"})
        framework.keys.create_key(OPERATOR, project.id, new)

    warned = command("export", *JSON, "--language", "en")
    unknown = command("export", "--format", "xls")

    assert warned.stderr.startswith("Warning: en: ")
    assert unknown.exit_code == 1
    assert "json-nested" in unknown.stderr
    assert unknown.stderr.count("\n") == 1


TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Save</seg></tuv>
<tuv xml:lang="de"><seg>Sichern</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>Payer</seg></tuv></tu>
</body></tmx>"""
MEMORY_CSV = "context,en,de\nmenu,Quit,Beenden\n"
GLOSSARY_CSV = "term,de\npier,Anleger\nquay,Kai\n"


@pytest.fixture
def memory(framework, project):
    new = NewMemory("Main", "en", organization_id=project.organization_id)
    return framework.memories.create_memory(OPERATOR, new)


@pytest.fixture
def entries(framework, memory):
    """Return the texts of the memory, or delete all of them."""

    def read(*, delete=False):
        of = framework.memory_entries
        found = of.list_entries(OPERATOR, memory.id, EntryQuery()).items
        for each in found if delete else ():
            of.delete_entry(OPERATOR, memory.id, each.id)
        return {
            each.source_text: {t.language_code: t.value for t in each.translations}
            for each in found
        }

    return read


@pytest.fixture
def glossary(framework, project):
    new = NewGlossary("Ports", "en", organization_id=project.organization_id)
    return framework.glossaries.create_glossary(OPERATOR, new)


@pytest.fixture
def terms(framework, glossary):
    """Return the terms of the glossary, or delete all of them."""

    def read(*, delete=False):
        found = framework.terms.list_terms(OPERATOR, glossary.id, TermQuery()).items
        for each in found if delete else ():
            framework.terms.delete_term(OPERATOR, glossary.id, each.id)
        return {
            each.term: {t.language_code: t.value for t in each.translations}
            for each in found
        }

    return read


def test_files_are_imported_into_a_memory_one_after_the_other(command, folder, entries):
    (folder / "a.tmx").write_text(TMX)
    (folder / "b.csv").write_text(MEMORY_CSV)

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


def test_a_file_is_imported_into_a_glossary(command, folder, terms):
    (folder / "terms.csv").write_text(GLOSSARY_CSV)

    first = command("glossary", "import", "terms.csv")
    second = command("glossary", "import", "terms.csv")

    assert first.exit_code == 0, first.stderr
    assert first.stdout == (
        "terms.csv: 2 terms created, 0 updated, 0 unchanged; 2 translations written\n"
    )
    assert "terms.csv: new languages: de (German)\n" in first.stderr
    assert "0 terms created, 0 updated, 2 unchanged" in second.stdout
    assert "new languages" not in second.stderr
    assert terms() == {"pier": {"de": "Anleger"}, "quay": {"de": "Kai"}}


def test_options_of_memories_are_those_of_the_api(command, folder, entries):
    (folder / "a.csv").write_text(MEMORY_CSV)
    (folder / "b.csv").write_text(MEMORY_CSV.replace("Beenden", "Schluss"))
    command("tm", "import", "a.csv")

    narrowed = command("tm", "import", "a.csv", "--language", "de-DE")
    command("tm", "import", "b.csv")
    kept = entries()
    command("tm", "import", "b.csv", "--on-existing", "replace")
    wrong = command("tm", "export", "--format", "csv", "--language", "xx!")

    assert "Warning: a.csv: left out the texts in de\n" in narrowed.stderr
    assert kept == {"Quit": {"de": "Beenden"}}
    assert entries() == {"Quit": {"de": "Schluss"}}
    assert wrong.exit_code == 2
    assert "Invalid value for '--language': 'xx!' is not" in wrong.stderr


@pytest.mark.parametrize(
    ("area", "name", "content", "told"),
    [
        ("tm", "torn.tmx", TMX[:180], ["Error: torn.tmx: "]),
        (
            "tm",
            "a.tmx",
            "hello world",
            ["the file was read as CSV; XML begins with '<'"],
        ),
        ("glossary", "a.csv", "term,de\n,x\nquay,Kai\n,y\n", ["line 2", "line 4"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told_and_nothing_is_changed(
    command, folder, entries, terms, area, name, content, told
):
    (folder / name).write_text(content)

    result = command(area, "import", name)

    assert result.exit_code == 1
    for part in (f"Error: {name}: ", *told):
        assert part in result.stderr
    assert (entries(), terms()) == ({}, {})


@pytest.mark.parametrize(
    ("area", "format_"),
    [("tm", "tmx"), ("tm", "csv"), ("glossary", "csv"), ("glossary", "tbx")],
)
def test_what_is_exported_comes_back_as_it_was(
    command, folder, entries, terms, area, format_
):
    is_memory = area == "tm"
    read, name = (entries, "main") if is_memory else (terms, "ports")
    (folder / "a.csv").write_text(MEMORY_CSV if is_memory else GLOSSARY_CSV)
    command(area, "import", "a.csv")

    written = command(area, "export", "--format", format_)
    again = command(area, "export", "--format", format_)
    before = read(delete=True)
    command(area, "import", f"{name}.{format_}")

    assert written.exit_code == 0
    assert written.stderr.startswith(f"{name}.{format_}: ")
    assert again.exit_code == 1
    assert f"{name}.{format_} exists already" in again.stderr
    assert read() == before

"""translate-toolkit reads our TMX and XLIFF, and we read what it writes.

It is GPL: a program of its own here, in an environment of its own, never imported.
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import django
import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.judge

DEMO = Path(__file__).parents[2] / "example_app" / "demo" / "django"
READ = """import json, sys
from translate.storage import tmx
units = tmx.tmxfile.parsefile(sys.argv[1]).units
print(json.dumps([[unit.source, unit.target] for unit in units]))
"""
UNITS = {"Pay & go <now>": "Zahlen & los", "Größe\n": "設定", "x" * 300: "👍 ü"}


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory):
    """The folder of its programs."""
    folder = tmp_path_factory.mktemp("toolkit")
    venv.create(folder, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
    command = [*pip, "install", "-q", "translate-toolkit==3.20.4"]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    if done.returncode:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            pytest.fail(done.stderr.decode())
        pytest.skip("translate-toolkit cannot be installed here")
    return folder / "bin"


def memory_of(workspace, name):
    body = {"name": name, "sourceLanguage": "en", "languageCodes": ["de"]}
    made = workspace.owner.post("/translation-memories", json=body).data
    return f"/translation-memories/{made['translationMemory']['id']}"


@pytest.mark.slow
def test_translate_toolkit_reads_our_tmx_and_we_read_its(
    sqlite_workspace, toolkit, tmp_path
):
    owner = sqlite_workspace.owner
    ours, theirs = (memory_of(sqlite_workspace, name) for name in ("a", "b"))
    for source, target in UNITS.items():
        body = {"sourceText": source, "translations": {"de": target}}
        assert owner.post(f"{ours}/entries", json=body).status == 201
    file = tmp_path / "ours.tmx"
    file.write_bytes(owner.get(f"{ours}/export?format=tmx").content)

    read = subprocess.run(
        [toolkit / "python", "-c", READ, file], capture_output=True, check=True
    )
    back = tmp_path / "theirs.tmx"
    entries = "".join(
        f"msgid {json.dumps(source, ensure_ascii=False)}\n"
        f"msgstr {json.dumps(target, ensure_ascii=False)}\n\n"
        for source, target in UNITS.items()
        if not source.endswith("\n")
    )
    (tmp_path / "de.po").write_text(entries, encoding="utf-8")
    subprocess.run(
        [toolkit / "po2tmx", "-l", "de", tmp_path / "de.po", back],
        capture_output=True,
        check=True,
    )
    upload = Upload("theirs.tmx", back.read_bytes(), "application/x-tmx+xml")
    sent = owner.post(f"{theirs}/import", form={}, files={"file": upload})

    assert dict(json.loads(read.stdout)) == UNITS
    assert sqlite_workspace.job_of(sent)["status"] == "succeeded"
    items = owner.get(f"{theirs}/entries").data["items"]
    found = {e["sourceText"]: e["translations"][0]["value"] for e in items}
    assert found == {key: UNITS[key] for key in UNITS if not key.endswith("\n")}


READ_XLIFF = """import json, sys
from translate.storage import xliff, xliff2
types = {"1.2": xliff.Xliff1File, "2.0": xliff2.Xliff2File}
units = types[sys.argv[2]].parsefile(sys.argv[1]).units
print(json.dumps({str(unit.source): str(unit.target) for unit in units}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.2", "2.0"])
def test_translate_toolkit_reads_our_xliff(
    sqlite_workspace, toolkit, tmp_path, version
):
    workspace = sqlite_workspace
    project = workspace.project(languages=["de"])
    for at, (source, target) in enumerate(UNITS.items()):
        workspace.key(project, f"key{at}", values={"en": source, "de": target})
    query = {"format": f"xliff-{version}", "languageCodes": "de"}
    file = tmp_path / "ours.xlf"
    path = f"/projects/{project['id']}/export"
    file.write_bytes(workspace.owner.get(path, query=query).content)

    read = subprocess.run(
        [toolkit / "python", "-c", READ_XLIFF, file, version],
        capture_output=True,
        check=True,
    )

    assert json.loads(read.stdout) == UNITS


@pytest.mark.slow
def test_we_read_the_xliff_that_translate_toolkit_writes(
    sqlite_workspace, toolkit, tmp_path
):
    workspace = sqlite_workspace
    project = workspace.project(languages=["de"])
    po = 'msgid "Pay & go <now>"\nmsgstr "Zahlen & los"\n\n#, fuzzy\nmsgid "Quit"\n'
    (tmp_path / "de.po").write_text(f'{po}msgstr "Ende"\n', encoding="utf-8")
    subprocess.run(
        [toolkit / "po2xliff", tmp_path / "de.po", tmp_path / "de.xlf"],
        capture_output=True,
        check=True,
    )
    upload = {"file": Upload("de.xlf", (tmp_path / "de.xlf").read_bytes(), "")}
    path = f"/projects/{project['id']}"

    job = workspace.job_of(workspace.owner.post(f"{path}/import", files=upload))

    assert job["status"] == "succeeded", job
    items = workspace.owner.get(f"{path}/keys", query={"include": "values"})
    found = {
        (value["languageCode"], value["value"], value["status"])
        for item in items.data["items"]
        for value in item["values"]
    }
    assert found >= {
        ("en", "Pay & go <now>", "approved"),
        ("de", "Zahlen & los", "approved"),
        ("de", "Ende", "pending_review"),
    }


@pytest.mark.slow
def test_the_files_of_the_demo_are_what_po2tmx_makes_of_django(toolkit, tmp_path):
    catalogues = Path(django.__file__).parent / "contrib" / "auth" / "locale"
    shipped = sorted(DEMO.glob("*.tmx"))

    for file in shipped:
        name = file.stem.replace("-", "_")
        catalogue = catalogues / name / "LC_MESSAGES" / "django.po"
        command = [toolkit / "po2tmx", "-l", file.stem, catalogue, tmp_path / file.name]
        subprocess.run(command, capture_output=True, check=True)

    assert [file.stem for file in shipped] == ["ar", "de", "fr", "ja", "pl", "pt-BR"]
    for file in shipped:
        assert (tmp_path / file.name).read_bytes() == file.read_bytes(), file.name

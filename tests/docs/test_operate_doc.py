"""docs/how-to/back-up.md, operate.md: what is kept can be restored, and exported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from locframework import OPERATOR, Framework, Settings, create_app
from locframework.delivery.records import NewDistribution
from locframework.glossaries.records import NewGlossary
from locframework.keys.records import KeyQuery, NewKey
from locframework.memories.records import NewMemory
from locframework.projects.records import NewProject
from locframework.testing.client import Client

PAGE = "operate.md"
SETTINGS = Settings(start_scheduler=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("LOCFRAMEWORK_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def framework(folder):
    with Framework(SETTINGS) as opened:
        opened.migrate()
        yield opened


@pytest.fixture
def project(framework):
    """A project with one key, beside a glossary and a memory."""
    organization, _ = framework.organizations.create_organization("Ex", "a@example.com")
    made = framework.projects.create_project(
        OPERATOR, NewProject("Shop", "en", organization_id=organization.id)
    )
    framework.keys.create_key(OPERATOR, made.id, NewKey("pay", values={"en": "Pay"}))
    glossary = NewGlossary("Terms", "en", organization_id=organization.id)
    framework.glossaries.create_glossary(OPERATOR, glossary)
    memory = NewMemory("Memory", "en", organization_id=organization.id)
    framework.memories.create_memory(OPERATOR, memory)
    return made


def run(block, folder):
    """Run commands in a shell with the tests' ``locframework`` and ``python3``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", block],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(framework, project):
    page = framework.keys.list_keys(OPERATOR, project.id, KeyQuery())
    return [key.key for key in page.items]


def test_the_latest_backup_made_while_running_is_restored(
    open_page, framework, project, folder
):
    back_up, restore = open_page("back-up.md").blocks("sh")
    web = NewDistribution("Web", "json-nested")
    made = framework.distributions.create_distribution(OPERATOR, project.id, web)
    framework.runner.run_until_idle()
    manifest = f"/content/{made.public_key}/manifest.json"

    run(back_up, folder)
    assert (folder / "backup/locframework.sqlite3").stat().st_mode & 0o007 == 0
    framework.keys.create_key(OPERATOR, project.id, NewKey("later"))
    run(back_up, folder)
    framework.keys.create_key(OPERATOR, project.id, NewKey("last"))
    framework.close()
    printed = run(restore, folder)

    with Framework(SETTINGS) as restored:
        client = Client(create_app(restored))
        [file] = client.get(manifest).json["files"]
        assert names(restored, project) == ["later", "pay"]
        assert client.get(file["url"]).json == {"pay": "Pay"}
    assert "database    up to date" in printed


def test_everything_can_be_exported(page, project, folder):
    [export] = page.blocks("sh")

    run(export, folder)

    found = {path.name for path in folder.iterdir() if path.is_file()}
    assert found == {"texts.zip", "memory.tmx", "terms.csv"}

"""Runs commands in this process, and as processes of their own."""

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from locframework import OPERATOR, Framework, Settings
from locframework.commands import main
from locframework.keys.records import KeyQuery
from locframework.projects.records import NewLanguage, NewProject, Project

CATALOGUE = {"cart": {"pay": "Pay", "back": "Back"}}
DATABASE = "data/locframework.sqlite3"  # the setting when there is none
PROGRAM = Path(sys.executable).parent / "locframework"

Command = Callable[..., Result]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    yield
    root.setLevel(before[0])
    root.handlers = before[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands run, with a database of their own."""
    for name in list(os.environ):
        if name.startswith("LOCFRAMEWORK_") and "_REQUIRE_" not in name:
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(folder: Path) -> Command:
    """``command("plugins")`` is ``locframework plugins``, in this process."""

    def run(*arguments: object, **environment: str) -> Result:
        given = [str(argument) for argument in arguments]
        return CliRunner(env=environment).invoke(main, given)

    return run


@pytest.fixture
def framework(folder: Path, migrated_sqlite: Path) -> Iterator[Framework]:
    """The framework over the database of the commands, which is up to date."""
    (folder / DATABASE).parent.mkdir()
    shutil.copy(migrated_sqlite, folder / DATABASE)
    with Framework(Settings()) as opened:
        opened.migrate()
        yield opened


@pytest.fixture
def project(framework: Framework) -> Project:
    """A project in English and German."""
    organization, _ = framework.organizations.create_organization(
        "Example", "ada@example.com"
    )
    made = framework.projects.create_project(
        OPERATOR, NewProject("Shop", "en", organization_id=organization.id)
    )
    framework.languages.add_language(OPERATOR, made.id, NewLanguage("de"))
    return made


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """``start("worker")`` starts ``locframework worker``; it is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def run(
        *arguments: str, program: Path = PROGRAM, **environment: str
    ) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, **environment},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def english(folder: Path) -> Path:
    """A file of English texts."""
    path = folder / "en.json"
    path.write_text(json.dumps(CATALOGUE))
    return path


@pytest.fixture
def german(folder: Path) -> Path:
    """A file of the same texts in German, whose path tells the language."""
    path = folder / "locale" / "de" / "shop.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"cart": {"pay": "Zahlen", "back": "Zurück"}}))
    return path


@pytest.fixture
def keys(framework: Framework, project: Project) -> Callable[[], Any]:
    """What texts the keys of the project have now, by name and language."""

    def read() -> Any:
        query = KeyQuery(include="values")
        return {
            key.key: {value.language_code: value.value for value in key.values}
            for key in framework.keys.list_keys(OPERATOR, project.id, query).items
        }

    return read

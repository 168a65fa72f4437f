"""Fixtures for every test: a whole application on each kind of database."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from locframework import Framework, Settings
from locframework.testing.databases import (
    KINDS,
    Kind,
    empty_postgres,
    fresh_postgres_url,
    fresh_url,
)
from locframework.testing.workspace import Workspace, open_workspace


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "take the time for thousands of runs and hundreds of kills"
    parser.addoption("--long", action="store_true", help=help_)


@pytest.fixture(scope="session")
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether there is time: for many runs, kills, and minutes of real time."""
    asked: bool = request.config.getoption("--long")
    return asked or os.environ.get("LOCFRAMEWORK_LONG") == "1"


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the schema and nothing in it, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    with fresh_url("sqlite", folder) as url:
        _migrate(url)
    return folder / "locframework.sqlite3"


@pytest.fixture(scope="session")
def migrated_postgres() -> Iterator[str]:
    """A PostgreSQL database with the schema; each test empties it after itself."""
    with fresh_postgres_url() as url:
        _migrate(url)
        yield url


@pytest.fixture(params=KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with the schema, on SQLite and on PostgreSQL."""
    with _copy(request, request.param, tmp_path) as url:
        yield url


@pytest.fixture
def workspace(database_url: str, tmp_path: Path) -> Iterator[Workspace]:
    """A whole application on an empty SQLite database, and on PostgreSQL."""
    with open_workspace(database_url, tmp_path) as workspace:
        yield workspace


@pytest.fixture
def sqlite_workspace(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Workspace]:
    """A whole application on SQLite alone, for what no database changes."""
    with (
        _copy(request, "sqlite", tmp_path) as url,
        open_workspace(url, tmp_path) as workspace,
    ):
        yield workspace


@contextmanager
def _copy(request: pytest.FixtureRequest, kind: Kind, folder: Path) -> Iterator[str]:
    if kind == "postgres":
        url = request.getfixturevalue("migrated_postgres")
        yield url
        empty_postgres(url)
        return
    migrated = request.getfixturevalue("migrated_sqlite")
    with fresh_url("sqlite", folder) as url:
        shutil.copy(migrated, folder / migrated.name)
        yield url


def _migrate(url: str) -> None:
    settings = {"plugins": {"peewee": {"database": url}}}
    with Framework(Settings.of(settings)) as framework:
        framework.migrate()

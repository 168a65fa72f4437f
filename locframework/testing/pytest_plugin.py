"""The pytest plugin: fixtures for the tests of a plugin.

pytest finds it wherever locframework is installed. It provides fixtures only where the
option ``locframework_plugins`` of pytest's own settings is set, so that it takes no
fixture's name from projects that test something else::

    [tool.pytest.ini_options]
    locframework_plugins = ["cfg"]

- ``workspace``: a whole application on an empty database that has these plugins and
  those which every workspace needs (see ``open_workspace``).
- ``client``: a client with the token of an owner of its organization.

A fixture of the same name in a conftest.py takes the place of one of these, which the
two above use:

- ``workspace_plugins``: names of plugins, and objects; by default the names in
  ``locframework_plugins``
- ``workspace_settings``: the arguments of ``open_workspace`` beside these; none
- ``database_url``: by default a new SQLite file. The option ``locframework_databases``
  lists others; each test runs on every one of them. ``sqlite`` is the new file, and all
  else the URL of a database for tests, which is migrated and where data stays::

    locframework_databases = ["sqlite", "postgresql://postgres@127.0.0.1:5432/test"]
"""

# Imported at the start of every pytest that finds locframework: all else when it is
# asked for.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .client import Client
    from .workspace import Workspace

SQLITE = "sqlite"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two options to those of pytest's settings."""
    parser.addini(
        "locframework_plugins", "the plugins of locframework under test", "args", []
    )
    parser.addini(
        "locframework_databases", "sqlite, and URLs of databases", "args", [SQLITE]
    )


def pytest_configure(config: pytest.Config) -> None:
    """Provide the fixtures where plugins are named."""
    names: list[str] = config.getini("locframework_plugins")
    if names:
        databases: list[str] = config.getini("locframework_databases")
        fixtures = _fixtures(names, databases)
        config.pluginmanager.register(fixtures, "locframework fixtures")


def _fixtures(names: Sequence[str], databases: Sequence[str]) -> object:
    class Fixtures:
        @pytest.fixture
        def workspace_plugins(self) -> Sequence[object]:
            """Names of installed plugins, and objects."""
            return names

        @pytest.fixture
        def workspace_settings(self) -> Mapping[str, Any]:
            """More arguments of ``open_workspace``."""
            return {}

        @pytest.fixture(params=databases)
        def database_url(self, request: pytest.FixtureRequest, tmp_path: Path) -> str:
            """The address of the database of ``workspace``."""
            file = f"sqlite:///{tmp_path / 'locframework.sqlite3'}"
            return file if request.param == SQLITE else str(request.param)

        @pytest.fixture
        def workspace(
            self,
            database_url: str,
            tmp_path: Path,
            workspace_plugins: Sequence[object],
            workspace_settings: Mapping[str, Any],
        ) -> Iterator[Workspace]:
            """A whole application with the plugins under test."""
            from .workspace import open_workspace

            with open_workspace(
                database_url, tmp_path, plugins=workspace_plugins, **workspace_settings
            ) as workspace:
                yield workspace

        @pytest.fixture
        def client(self, workspace: Workspace) -> Client:
            """A client of an owner of the workspace's organization."""
            return workspace.owner

    return Fixtures()

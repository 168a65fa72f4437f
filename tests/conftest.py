"""Fixtures for every test: a whole application on each kind of database."""

import gc
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from locframework import Framework, Settings
from locframework.errors import LocError
from locframework.fields import Clock, system_clock
from locframework.http.dispatch import Dispatch
from locframework.http.openapi import errors_of
from locframework.http.operation import Operation
from locframework.testing.workspace import Workspace, open_workspace
from tests.databases import Migrated
from tests.empty_databases import KINDS

MEMORY = Path("/dev/shm")
MEMORY_LEAST = 4 * 2**30  # bytes
LONGEST = ("tests/model/", "tests/api/test_description.py")


def pytest_configure() -> None:
    """Keep what tests write in memory, where there is much of it: a commit waits for
    the disk, and there are tens of thousands. What is killed are processes, and no
    computers. Garbage is looked for less often than by programs that live long. What
    tests start hears Ctrl+C, also where a script has begun them with ``&``."""
    gc.set_threshold(20_000, 20, 20)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if MEMORY.is_dir():
        there = os.statvfs(MEMORY)
        has_room = there.f_bavail * there.f_frsize >= MEMORY_LEAST
        if has_room and not there.f_flag & os.ST_NOEXEC:  # some tests install programs
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
            tempfile.tempdir = os.environ.setdefault("TMPDIR", str(MEMORY))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes begins first, so that no worker is left alone with it."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Eight thousand tests stay to the end: nobody need look at them again."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "take the time for thousands of runs and hundreds of kills"
    parser.addoption("--long", action="store_true", help=help_)


@pytest.fixture(scope="session")
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether there is time: for many runs, kills, and minutes of real time."""
    asked: bool = request.config.getoption("--long")
    return asked or os.environ.get("LOCFRAMEWORK_LONG") == "1"


def codes_of(operation: Operation) -> set[str]:
    """Of all the refusals that its description tells of."""
    return {error.code for error in errors_of(operation)}


@pytest.fixture(autouse=True)
def _refusals_are_declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test's request is refused by a code that its operation does not declare:
    /openapi.json would not tell of it."""
    undeclared: set[str] = set()
    asked: dict[Dispatch[Any], Operation] = {}
    init, call = Dispatch.__init__, Dispatch.__call__

    def noting(
        self: Dispatch[Any], operation: Operation, *args: Any, **how: Any
    ) -> None:
        init(self, operation, *args, **how)
        asked[self] = operation

    def judging(self: Dispatch[Any], *args: Any, **given: Any) -> None:
        try:
            call(self, *args, **given)
        except LocError as error:
            operation = asked.get(self)
            if operation is not None and error.code not in codes_of(operation):
                undeclared.add(f"{operation.name}: {error.code}")
            raise

    monkeypatch.setattr(Dispatch, "__init__", noting)
    monkeypatch.setattr(Dispatch, "__call__", judging)
    yield
    assert undeclared == set()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Migrated]:
    """Databases with the schema and nothing in them."""
    folder = tmp_path_factory.mktemp("migrated")
    with Migrated(folder, _migrate, keeps_connections=True) as migrated:
        yield migrated


@pytest.fixture(scope="session")
def migrated_sqlite(migrated: Migrated) -> Path:
    """An SQLite file with the schema and nothing in it, to be copied."""
    return migrated.file


@pytest.fixture(params=KINDS)
def database_url(
    request: pytest.FixtureRequest, migrated: Migrated, tmp_path: Path
) -> Iterator[str]:
    """The address of a database with the schema, on SQLite and on PostgreSQL."""
    with migrated.url(request.param, tmp_path) as url:
        yield url


@pytest.fixture
def workspace(database_url: str, tmp_path: Path) -> Iterator[Workspace]:
    """A whole application on an empty SQLite database, and on PostgreSQL."""
    with open_workspace(database_url, tmp_path, clock=_rising()) as workspace:
        yield workspace


@pytest.fixture
def sqlite_workspace(migrated: Migrated, tmp_path: Path) -> Iterator[Workspace]:
    """A whole application on SQLite alone, for what no database changes."""
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, clock=_rising()) as workspace,
    ):
        yield workspace


def _rising() -> Clock:
    """The machine's clock, but each reading is later than the last by a millisecond
    at least: two requests fit in one, and which of two is newer is then left open."""
    at, lock = system_clock(), threading.Lock()

    def read() -> datetime:
        nonlocal at
        with lock:
            at = max(system_clock(), at + timedelta(milliseconds=1))
            return at

    return read


def _migrate(url: str) -> None:
    settings = {"plugins": {"peewee": {"database": url}}}
    with Framework(Settings.of(settings)) as framework:
        framework.migrate()

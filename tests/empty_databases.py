"""Empty databases for tests: made for one test, dropped after it.

PostgreSQL is looked for at ``LOCFRAMEWORK_TEST_POSTGRES_URL`` (default
``postgresql://127.0.0.1:5432/test``; without a user name the usual ones are tried).
Where there is none, tests that want one are skipped, or fail when
``LOCFRAMEWORK_REQUIRE_SERVERS`` is 1. Used in a conftest.py like this::

    @pytest.fixture(params=KINDS)
    def database_url(request, tmp_path):
        with fresh_url(request.param, tmp_path) as url:
            yield url
"""

import getpass
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

import pytest

if TYPE_CHECKING:  # the driver comes with the storage plugin's extra
    import psycopg

Kind = Literal["sqlite", "postgres"]
KINDS: tuple[Kind, ...] = ("sqlite", "postgres")
"""For ``pytest.fixture(params=KINDS)``."""

URL_VARIABLE = "LOCFRAMEWORK_TEST_POSTGRES_URL"
REQUIRED_VARIABLE = "LOCFRAMEWORK_REQUIRE_SERVERS"
DEFAULT_URL = "postgresql://127.0.0.1:5432/test"
PREFIX = "loc_test_"
FORGOTTEN_SECONDS = 6 * 3600  # databases of test runs that were killed


@contextmanager
def fresh_url(kind: Kind, folder: Path) -> Iterator[str]:
    """The address of an empty database; ``folder`` is where SQLite's file goes."""
    if kind == "sqlite":
        yield f"sqlite:///{folder.absolute() / 'locframework.sqlite3'}"
    else:
        with fresh_postgres_url() as url:
            yield url


@contextmanager
def fresh_postgres_url() -> Iterator[str]:
    """The address of a new, empty database, which is dropped afterwards.

    It sorts as English dictionaries do, where the server can: so whoever relies on
    the order of code points has to say so. Skips the test, or fails it, when there is
    no server.
    """
    server = _server_or_skip()
    name = f"{PREFIX}{int(time.time())}_{secrets.token_hex(6)}"
    with _connected(server) as connection:
        create = f'CREATE DATABASE "{name}" TEMPLATE template0'
        if _knows_dictionaries(connection):
            create += " LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        connection.execute(create.encode())
        # a test that kills, kills the application, and not the server
        hurried = f'ALTER DATABASE "{name}" SET synchronous_commit = off'
        connection.execute(hurried.encode())
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with _connected(server) as connection:
            _drop(connection, name)


def _server_or_skip() -> str:
    found, reason = _server()
    if found is not None:
        return found
    if os.environ.get(REQUIRED_VARIABLE) == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@lru_cache(maxsize=1)
def _server() -> tuple[str | None, str]:
    try:
        import psycopg
    except ImportError:
        return None, "psycopg is not installed"
    wanted = os.environ.get(URL_VARIABLE, DEFAULT_URL)
    reasons = []
    for url in _with_users(wanted):
        try:
            with _connected(url) as connection:
                _drop_forgotten(connection)
            return url, ""
        except psycopg.Error as error:
            reasons.append(" ".join(str(error).split()))
    return None, f"no PostgreSQL to make databases on: {reasons[-1]}"


def _with_users(url: str) -> list[str]:
    parts = urlsplit(url)
    if parts.username:
        return [url]
    users = dict.fromkeys([getpass.getuser(), "root", "postgres"])
    return [urlunsplit(parts._replace(netloc=f"{u}@{parts.netloc}")) for u in users]


@contextmanager
def _connected(url: str) -> Iterator["psycopg.Connection[Any]"]:
    import psycopg

    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        yield connection


def _knows_dictionaries(connection: "psycopg.Connection[Any]") -> bool:
    found = connection.execute("SELECT 1 FROM pg_collation WHERE collprovider = 'i'")
    return connection.info.server_version >= 150000 and found.fetchone() is not None


def _drop(connection: "psycopg.Connection[Any]", name: str) -> None:
    connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


def _drop_forgotten(connection: "psycopg.Connection[Any]") -> None:
    limit = time.time() - FORGOTTEN_SECONDS
    names = connection.execute("SELECT datname FROM pg_database").fetchall()
    for (name,) in names:
        made_at = name.removeprefix(PREFIX).split("_")[0]
        if name.startswith(PREFIX) and made_at.isdigit() and int(made_at) < limit:
            _drop(connection, name)

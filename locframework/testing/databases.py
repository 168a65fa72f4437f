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
import itertools
import os
import secrets
import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, cast
from urllib.parse import urlsplit, urlunsplit

import pytest

from locframework.storage import Storage

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
KEPT_MOST = 8  # idle connections of one process
_AS_NEW = b"RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all()"


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


class Migrated:
    """Databases with the schema: one of each kind for many tests, made when wanted.

    A test of SQLite has a copy of the file, one of PostgreSQL the database itself,
    which is emptied after it: much quicker than a new one for every test, and than
    TRUNCATE, which makes a new file for every table and index. Needs the rights of a
    superuser there. Used as a context manager.
    """

    def __init__(
        self,
        folder: Path,
        migrate: Callable[[str], None],
        *,
        keeps_connections: bool = False,
    ) -> None:
        """``migrate`` is given the address of an empty database.

        ``keeps_connections``: one to PostgreSQL that is closed is given to who opens
        the next, in this process. For tests that do not ask how connections end, nor
        how statements are planned: a new one gets to know every table first, which
        takes the server longer than what most tests ask.
        """
        self._folder = folder
        self._migrate = migrate
        self._keeps_connections = keeps_connections
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @contextmanager
    def url(self, kind: Kind, folder: Path) -> Iterator[str]:
        """The address of one with no rows; ``folder`` is where SQLite's file goes."""
        if kind == "sqlite":
            yield f"sqlite:///{shutil.copy(self.file, folder.absolute())}"
        else:
            url, empty = self._postgres
            yield url
            empty()

    @cached_property
    def file(self) -> Path:
        """That of SQLite, to be copied."""
        with fresh_url("sqlite", self._folder) as url:
            self._migrate(url)
        return Path(url.removeprefix("sqlite:///"))

    @cached_property
    def _postgres(self) -> tuple[str, Callable[[], None]]:
        """Its address, and what empties it over a connection that is kept: a new one
        would first have to get to know every table."""
        url = self._stack.enter_context(fresh_postgres_url())
        self._migrate(url)
        if self._keeps_connections:
            self._stack.enter_context(_connections_kept(url))
        connection = self._stack.enter_context(_connected(url))
        names = connection.execute(
            """SELECT quote_ident(tablename) FROM pg_tables
                WHERE schemaname = 'public' AND tablename NOT LIKE '%%migration%%'"""
        ).fetchall()
        steps = ["SET LOCAL session_replication_role = replica"]
        steps += [f"DELETE FROM {name}" for (name,) in names]
        emptying = "; ".join(steps).encode()

        def empty() -> None:
            with connection.transaction():
                connection.execute(emptying)

        return url, empty


@contextmanager
def _connections_kept(url: str) -> Iterator[None]:
    """Give each connection there that is closed to who opens the next one.

    What a session has set or locked ends as ever; only its statements stay prepared.
    """
    import psycopg

    plain, process, place = psycopg.connect, os.getpid(), urlsplit(url).path
    idle: dict[object, list[psycopg.Connection[Any]]] = defaultdict(list)

    class Kept(psycopg.Connection[Any]):
        asked: object = None  # how it was asked for

        def close(self) -> None:
            try:
                if not self.closed and len(idle[self.asked]) < KEPT_MOST:
                    self.rollback()
                    self.execute(_AS_NEW, prepare=False)
                    self.commit()
                    idle[self.asked].append(self)
                    return
            except psycopg.Error:
                pass  # it was lost, or somebody is using it
            super().close()

    def connect(conninfo: str = "", **how: Any) -> "psycopg.Connection[Any]":
        if urlsplit(conninfo).path != place or os.getpid() != process:
            return plain(conninfo, **how)
        asked = (conninfo, *sorted(how.items()))
        try:
            return idle[asked].pop()  # in one step: threads may ask at once
        except IndexError:
            made = Kept.connect(conninfo, **how)
            made.asked = asked
            return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg, "connect", connect)
        yield
    for connection in itertools.chain(*idle.values()):
        psycopg.Connection.close(connection)


class _Watched(Protocol):
    on_statement: list[Callable[[str], None]] | None


@contextmanager
def statements_of(storage: Storage) -> Iterator[list[str]]:
    """The statements that ``peewee``, the storage plugin, runs in this thread.

    Until the block ends. What is noted in the background meanwhile is not among them.
    """
    database = cast("_Watched", cast("Any", storage).database)
    seen: list[str] = []
    before, mine = database.on_statement, threading.get_ident()

    def see(statement: str) -> None:
        if threading.get_ident() == mine:
            seen.append(statement)

    database.on_statement = [*(before or ()), see]
    try:
        yield seen
    finally:
        database.on_statement = before


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

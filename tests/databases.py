"""Databases with the schema for many tests, and the statements that tests run."""

import itertools
import os
import shutil
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, cast
from urllib.parse import urlsplit

import pytest

from locframework.storage import Storage
from tests.empty_databases import Kind, fresh_postgres_url, fresh_url

if TYPE_CHECKING:
    import psycopg

KEPT_MOST = 8  # idle connections of one process
_AS_NEW = b"RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all()"


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
        import psycopg

        opened = psycopg.connect(url, autocommit=True)
        connection = self._stack.enter_context(opened)
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

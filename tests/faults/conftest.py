"""The whole application in processes that may be killed, and clients over HTTP."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from wsgiref.headers import Headers

import pytest

from locframework import Framework
from locframework.fields import system_clock
from locframework.http.records import Upload
from locframework.testing.client import Answer, multipart
from locframework.testing.contracts.storage_events import latest
from locframework.testing.workspace import Workspace, open_workspace

CHILD = Path(__file__).with_name("child.py")
SECONDS_MOST = 60.0
Lost = (OSError, HTTPException)


def wait_until(holds: Callable[[], bool], seconds: float = SECONDS_MOST) -> None:
    """Return as soon as it holds; fail when it never does."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class Http:
    """One client over one connection, which is opened anew when it was closed."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS_MOST)
        self.token = token

    def close(self) -> None:
        self._connection.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        json_body: object = None,
        content: bytes | None = None,
        form: Mapping[str, Any] | None = None,
        files: Mapping[str, Upload] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Raises one of ``Lost`` when the server goes before it has answered."""
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if json_body is not None:
            content = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        elif form is not None or files is not None:
            content, media_type = multipart(form or {}, files or {})
            sent.setdefault("Content-Type", media_type)
        target = urlsplit(path).path if "//" in path[:8] else f"/api/v1{path}"
        if query:
            target += f"?{urlencode(query)}"
        if content is None and method != "GET":
            content = b""
        try:
            self._connection.request(method, target, content, sent)
            answer = self._connection.getresponse()
            body = answer.read()
        except Lost:
            self.close()
            raise
        return Answer(answer.status, Headers(answer.getheaders()), body)

    def get(self, path: str, **how: Any) -> Answer:
        return self.request("GET", path, **how)

    def post(self, path: str, body: object = None, **how: Any) -> Answer:
        return self.request("POST", path, json_body=body, **how)

    def put(self, path: str, body: object = None, **how: Any) -> Answer:
        return self.request("PUT", path, json_body=body, **how)

    def job(self, accepted: Answer, seconds: float = SECONDS_MOST) -> dict[str, Any]:
        """The job of a 202 answer, waited for."""
        path = urlsplit(accepted.headers["Location"] or "").path
        return self.end_of_job(path.removeprefix("/api/v1"), seconds)

    def end_of_job(self, path: str, seconds: float = SECONDS_MOST) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def has_ended() -> bool:
            found.update(self.get(path).data["job"])
            return found["finishedAt"] is not None

        wait_until(has_ended, seconds)
        return found


class Zygote:
    """A process of child.py: loaded, and ready to fork one server at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.server: Server | None = None  # the last one
        assert self.receive() == {"loaded": True}

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        message: dict[str, Any] = json.loads(line) if line else {"gone": True}
        return message

    def send(self, **message: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.communicate(timeout=SECONDS_MOST)


class Server:
    """A server that runs; ``port`` is 0 when it died on the way."""

    def __init__(self, zygote: Zygote, asked: Mapping[str, object]) -> None:
        self._zygote = zygote
        self._clients: list[Http] = []
        self.exit_code: int | None = None
        self.port = 0
        self.pid = 0  # for looking at it; it is signalled by way of its parent
        zygote.send(**asked)
        while not self.port and self.exit_code is None:
            self._receive()

    def client(self, token: str | None = None) -> Http:
        made = Http(self.port, token)
        self._clients.append(made)
        return made

    def kill(self) -> None:
        """End it as a crash would; its exit code is known when this returns."""
        self.stop(signal.SIGKILL)

    def ask_to_stop(self, number: int = signal.SIGTERM) -> None:
        """Send a signal, and do not wait."""
        if self.exit_code is None:
            self._zygote.send(signal=number)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; the exit code, negative: the signal that ended it."""
        self.ask_to_stop(number)
        return self.wait()

    def die(self, place: str, seconds: float = 0) -> None:
        """Wait until it has died at the place; ``random``: at any moment within so many
        seconds."""
        if place == "random":
            time.sleep(random.uniform(0, seconds))
            self.kill()
        assert self.wait() in (137, -9), f"it did not pass {place}"

    def wait(self) -> int:
        """The exit code, once it has one."""
        while self.exit_code is None:
            self._receive()
        for client in self._clients:
            client.close()
        return self.exit_code

    def peak_memory(self, *, is_reset: bool = False) -> int:
        """The most bytes of memory it has had, since the last reset."""
        place = Path(f"/proc/{self.pid}")
        if is_reset:
            (place / "clear_refs").write_text("5")
        found = re.search(r"VmHWM:\s+(\d+) kB", (place / "status").read_text())
        assert found is not None
        return int(found[1]) * 1024

    def processor_seconds(self) -> float:
        """How long it has kept a processor busy: what others do does not count."""
        numbers = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")

    def _receive(self) -> None:
        message = self._zygote.receive()
        self.port = message.get("ready", self.port)
        self.pid = message.get("pid", self.pid)
        assert "gone" not in message, "the process that starts servers is gone"
        self.exit_code = message.get("ended")


@pytest.fixture(scope="session")
def zygotes() -> Iterator[list[Zygote]]:
    """As many as are needed at once; they are used again."""
    made: list[Zygote] = []
    yield made
    for zygote in made:
        zygote.end()


class World:
    """A database and a folder, the servers over them, and a look from outside.

    ``workspace`` is another process on the same database, without background work.
    """

    wait_until = staticmethod(wait_until)

    def __init__(
        self, workspace: Workspace, url: str, folder: Path, zygotes: list[Zygote]
    ):
        self.workspace = workspace
        self.url = url
        self.blobs = folder / "blobs"
        self._zygotes = zygotes
        self._servers: list[Server] = []

    @property
    def token(self) -> str:
        return self.workspace.owner.token or ""

    def start(self, crash_at: str = "", **asked: Any) -> Server:
        """A server in a process of its own, with background work."""
        tree = {
            "plugins": {
                "peewee": {"database": self.url},
                "disk": {"folder": str(self.blobs)},
                "rapidfuzz": {"folder": str(self.blobs.with_name("matching"))},
            },
            "content_requests_per_minute": 1_000_000,
            **asked.pop("settings", {}),
        }
        asked = {"requests_a_minute": 1_000_000, **asked}
        crash_at = "" if crash_at == "random" else crash_at  # see Server.die
        zygote = self._idle_zygote()
        zygote.server = started = Server(
            zygote, {"settings": tree, "crash_at": crash_at, **asked}
        )
        assert started.port or crash_at, "the server did not start"
        self._servers.append(started)
        return started

    def _idle_zygote(self) -> Zygote:
        for zygote in self._zygotes:
            if zygote.server is None or zygote.server.exit_code is not None:
                return zygote
        self._zygotes.append(Zygote())
        return self._zygotes[-1]

    def crash(self, place: str) -> None:
        """Start a server that dies at the place, of what it does by itself."""
        self.start(place).die(place)
        self.check_database()

    def end(self) -> None:
        for server in self._servers:
            if server.exit_code is None:
                server.kill()

    def owner(self, server: Server) -> Http:
        """A client with the owner's token."""
        return server.client(self.token)

    def texts(self, project: Mapping[str, Any]) -> dict[str, str]:
        """A digest of every text of the project, by language."""
        found = {}
        languages = self.workspace.owner.get(f"/projects/{project['id']}/languages")
        for language in languages.data["items"]:
            code = language["languageCode"]
            file = self.workspace.owner.get(
                f"/projects/{project['id']}/export",
                query={
                    "format": "json-flat",
                    "minStatus": "any",
                    "languageCodes": code,
                },
            )
            assert file.status == 200, file
            found[code] = sha256(file.content).hexdigest()
        return found

    def key_count(self, project: Mapping[str, Any]) -> int:
        path = f"/projects/{project['id']}/keys"
        found: int = self.workspace.owner.get(path, query={"limit": 1}).data["total"]
        return found

    def row_counts(self) -> dict[str, int]:
        """How many rows each table has."""
        database: Any = self.workspace.framework.storage
        names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        if self.url.startswith("sqlite"):
            names = "SELECT name FROM sqlite_master WHERE type = 'table'"
        return {
            name: database.database.row(f'SELECT count(*) FROM "{name}"')[0]
            for (name,) in database.database.rows(names)
        }

    def events(self, project: Mapping[str, Any], limit: int = 10**6) -> list[Any]:
        """The project's events, newest first."""
        return latest(self.workspace.framework.storage.events, project["id"], limit)

    @contextmanager
    def later(self, **by: float) -> Iterator[Framework]:
        """The same database and files, in days to come."""
        clock = lambda: system_clock() + timedelta(**by)  # noqa: E731
        with open_workspace(self.url, self.blobs.parent, clock=clock) as workspace:
            yield workspace.framework

    def check_database(self) -> None:
        """What SQLite says of its own file after a crash."""
        if not self.url.startswith("sqlite"):
            return
        path = self.url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.fixture
def make_world(tmp_path: Path, zygotes: list[Zygote]) -> Iterator[Callable[..., World]]:
    with ExitStack() as stack:

        def make(url: str, folder: Path = tmp_path) -> World:
            workspace = stack.enter_context(open_workspace(url, folder))
            world = World(workspace, url, folder, zygotes)
            stack.callback(world.end)
            return world

        yield make


@pytest.fixture
def world(database_url: str, make_world: Callable[..., World]) -> World:
    """On an empty SQLite database, and on PostgreSQL."""
    return make_world(database_url)


@pytest.fixture
def sqlite_world(
    migrated_sqlite: Path, tmp_path: Path, make_world: Callable[..., World]
) -> World:
    """On SQLite alone, for what no database changes."""
    copy = tmp_path / migrated_sqlite.name
    copy.write_bytes(migrated_sqlite.read_bytes())
    return make_world(f"sqlite:///{copy}")

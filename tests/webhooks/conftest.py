"""A receiver on loopback, a transport that reaches it, and a project that is heard."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from standardwebhooks import Webhook as Verifier

from locframework import hookimpl
from locframework.errors import UrlNotAllowed
from locframework.ports import Answer as Came
from locframework.ports import Post
from locframework.testing.workspace import Workspace, open_workspace

from .hearing import Heard

PREFIX = "http://127.0.0.1:"
EVERYTHING = ["key.created", "key.deleted", "translation.updated"]


class Clock:
    """Stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


class LoopbackTransport:
    """Plain HTTP to loopback: the port without TLS, so that tests are quick."""

    name = "loopback"

    def judge(self, url: str) -> None:
        if not url.startswith(PREFIX):
            raise UrlNotAllowed(f"only {PREFIX}… is reached here")

    def send(self, post: Post) -> Came:
        begun = time.monotonic()
        place = urlsplit(post.url)
        connection = HTTPConnection("127.0.0.1", place.port, timeout=post.seconds)
        try:
            connection.request("POST", place.path, post.body, dict(post.headers))
            answer = connection.getresponse()
            took = int((time.monotonic() - begun) * 1000)
            retry_after = answer.getheader("Retry-After")
            return Came(answer.status, None, took, retry_after, answer.read(1024))
        except ConnectionRefusedError:
            return Came(None, "connection_refused", 0)
        except TimeoutError:
            return Came(None, "timeout", int(post.seconds * 1000))
        except OSError:
            return Came(None, "connection_lost", 0)
        finally:
            connection.close()


class LoopbackPlugin:
    """Provides the transport ``loopback``."""

    @hookimpl
    def loc_provide_transports(self) -> list[LoopbackTransport]:
        return [LoopbackTransport()]


class Received:
    """One request that came in."""

    def __init__(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.path = path
        self.headers = headers
        self.body = body
        self.at = time.time()

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> Any:
        return json.loads(self.body)

    def verify(self, secret: str) -> None:
        """Raises WebhookVerificationError."""
        Verifier(secret).verify(self.body, self.headers)


class Receiver:
    """Takes webhooks; ``answers`` has what it says to the next ones, then 204."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.on_request: Callable[[Received], None] = lambda received: None
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received = Received(self.path, headers, body)
                receiver.received.append(received)
                receiver.on_request(received)
                status, more, said = receiver.next_answer()
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self.url = f"{PREFIX}{self.port}/hook"
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(0.01,), daemon=True).start()

    def next_answer(self) -> tuple[int, dict[str, str], bytes]:
        return self.answers.pop(0) if self.answers else (204, {}, b"")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Hooked:
    """A project with languages de and fr, and its webhooks, over HTTP."""

    def __init__(self, workspace: Workspace, receiver: Receiver) -> None:
        self.workspace = workspace
        self.receiver = receiver
        self.owner = workspace.owner
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        self.webhooks = f"{self.path}/webhooks"

    def create(self, **fields: object) -> tuple[dict[str, Any], str]:
        """A webhook of the receiver, and its secret."""
        body = {"url": self.receiver.url, "eventTypes": EVERYTHING, **fields}
        made = self.owner.post(self.webhooks, json=body)
        assert made.status == 201, made
        return made.data["webhook"], made.data["signingSecret"]

    def get(self, webhook: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.owner.get(f"{self.webhooks}/{webhook['id']}").data[
            "webhook"
        ]
        return found

    def key(self, name: str, **fields: object) -> dict[str, Any]:
        return self.workspace.key(self.project, name, **fields)

    def log(self, webhook: dict[str, Any], **query: object) -> list[dict[str, Any]]:
        """The deliveries, newest first."""
        found = self.owner.get(
            f"{self.webhooks}/{webhook['id']}/deliveries", query=query
        )
        assert found.status == 200, found
        items: list[dict[str, Any]] = found.data["items"]
        return items

    def send(self) -> list[Received]:
        """Send what is due; what the receiver got of it."""
        before = len(self.receiver.received)
        self.workspace.send_webhooks()
        return self.receiver.received[before:]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@contextmanager
def open_hooked(
    url: str, folder: Path, receiver: Receiver, **settings: Any
) -> Iterator[Hooked]:
    more = {"webhook_transport": "loopback", **settings}
    with open_workspace(url, folder, plugins=[LoopbackPlugin()], **more) as workspace:
        yield Hooked(workspace, receiver)


@pytest.fixture
def hooked(database_url: str, tmp_path: Path, receiver: Receiver) -> Iterator[Hooked]:
    """A project and a receiver, on SQLite and on PostgreSQL; sends when asked."""
    with open_hooked(database_url, tmp_path, receiver) as hooked:
        yield hooked


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(
    database_url: str, tmp_path: Any, receiver: Receiver, clock: Clock
) -> Iterator[Hooked]:
    """As ``hooked``, by a clock of ours."""
    with open_hooked(database_url, tmp_path, receiver, clock=clock) as hooked:
        yield hooked


@pytest.fixture
def heard(hooked: Hooked) -> Heard:
    """What is told of that project."""
    return Heard(hooked)

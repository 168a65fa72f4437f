"""Servers in processes of their own, and clients that send what they like."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

SERVED = Path(__file__).with_name("served.py")
LONGEST_WAIT_SECONDS = 10.0


class Client:
    """One connection. It closes with its ``with`` block."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", port), LONGEST_WAIT_SECONDS
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def can_send(self, data: bytes) -> bool:
        try:
            self.socket.sendall(data)
        except ConnectionError:
            return False
        return True

    def read_one(self) -> bytes:
        """One answer of the application, on a connection that stays open."""
        answer = b""
        while not answer.endswith(b"}"):
            part = self.socket.recv(65536)
            assert part
            answer += part
        return answer

    def read_to_end(self) -> bytes:
        parts = []
        while part := self.socket.recv(65536):
            parts.append(part)
        return b"".join(parts)

    def is_closed(self) -> bool:
        """Whether the server has closed its side by now."""
        self.socket.setblocking(False)
        try:
            return self.socket.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True
        finally:
            self.socket.settimeout(LONGEST_WAIT_SECONDS)

    def seconds_until_closed(self) -> float:
        begun = time.monotonic()
        while not self.is_closed():
            assert time.monotonic() - begun < LONGEST_WAIT_SECONDS
            time.sleep(0.02)
        return time.monotonic() - begun


class Server:
    """A ``serve()`` in a process of its own, on a free port of 127.0.0.1."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SERVED), json.dumps(options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline().strip()
        self.port = int(self.first_line.split()[-1]) if self.is_ready else 0

    @property
    def is_ready(self) -> bool:
        return self.first_line.startswith("ready ")

    def connect(self) -> Client:
        return Client(self.port)

    def exchange(self, request: bytes) -> bytes:
        """All that is answered to these bytes, until the server closes."""
        with self.connect() as client:
            client.send(request)
            return client.read_to_end()

    def ask(self, target: str = "/", **headers: str) -> dict[str, Any]:
        """What the application tells on a fresh connection."""
        http = HTTPConnection("127.0.0.1", self.port, timeout=LONGEST_WAIT_SECONDS)
        with closing(http) as connection:
            connection.request("GET", target, headers=headers)
            answer = connection.getresponse()
            assert answer.status == 200
            return dict(json.loads(answer.read()))

    def cpus_by_pid(self, count: int) -> dict[int, list[int]]:
        """The processes that answer, once so many have."""
        found: dict[int, list[int]] = {}
        begun = time.monotonic()
        while len(found) < count:
            assert time.monotonic() - begun < LONGEST_WAIT_SECONDS
            # At once, so that a process that sleeps leaves the next one to another.
            with ExitStack() as opened:
                clients = [opened.enter_context(self.connect()) for _ in range(8)]
                for client in clients:
                    client.send(b"GET /sleep?seconds=0.02 HTTP/1.0\r\n\r\n")
                for client in clients:
                    told = json.loads(client.read_to_end().partition(b"\r\n\r\n")[2])
                    found[told["pid"]] = told["cpus"]
        return found

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, list[str]]:
        """Exit code, and what was printed after the first line."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> tuple[int, list[str]]:
        printed, _ = self.process.communicate(timeout=LONGEST_WAIT_SECONDS)
        return self.process.returncode, printed.splitlines()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers; the keywords are those of ``serve()``, limits as a dict."""
    with ExitStack() as ends:

        def start_server(**options: Any) -> Server:
            server = Server(options)
            ends.callback(server.end)
            return server

        yield start_server


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """One server for all tests that only send odd bytes; bodies of 100 kB at most."""
    server = Server({"limits": {"body_bytes": 100_000}})
    yield server
    server.end()

"""Applications full of keys, servers beside them, and the table at the end."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the modules beside, which children import too

import stock  # noqa: E402
from measuring import TABLE, Table, name_of, sizes  # noqa: E402
from raw_rows import Tables, plain_tables  # noqa: E402

from locframework.testing.client import Client  # noqa: E402
from locframework.testing.workspace import Workspace, open_workspace  # noqa: E402
from tests.empty_databases import KINDS, Kind, fresh_url  # noqa: E402

SECONDS_OF_LOAD = 1.5
CONNECTIONS = 16


class Shop:
    """An application on one database."""

    def __init__(
        self, workspace: Workspace, kind: Kind, url: str, folder: Path
    ) -> None:
        self.workspace = workspace
        self.kind = kind
        self.url = url
        self.folder = folder
        self.settings = stock.settings_of(url, folder)
        self.storage = workspace.framework.storage
        self._filled: dict[tuple[int, int], dict[str, Any]] = {}

    def filled(self, size: int, codes: list[str]) -> dict[str, Any]:
        """A project with so many keys and languages, for reading; made once."""
        which = (size, len(codes))
        if which not in self._filled:
            self._filled[which] = stock.fill(self.workspace, self.url, size, codes)
        return self._filled[which]


class Asked:
    """A request made ready, to be asked of an app over and over."""

    def __init__(self, app: Any, path: str, **headers: str) -> None:
        client = Client(app)
        self._app = app
        self._environ = client._environ("GET", path, {}, headers, None)
        self.status = ""
        self.headers: dict[str, str] = {}

    def __call__(self) -> bytes:
        parts = self._app(dict(self._environ), self._begin)
        try:
            return b"".join(parts)
        finally:
            getattr(parts, "close", lambda: None)()

    def _begin(self, status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
        self.status, self.headers = status, dict(headers)


class Servers:
    """Servers in processes of their own, and load on them in turns."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def start(self, **asked: object) -> int:
        """The port of a serving.py that was asked for this."""
        process = subprocess.Popen(
            [sys.executable, str(HERE / "serving.py"), json.dumps(asked)],
            stdout=subprocess.PIPE,
        )
        self._stack.callback(_end, process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "the server did not start"
        return int(line)

    def loaded(
        self, rounds: int, requests: Mapping[str, tuple[int, str, dict[str, str]]]
    ) -> dict[str, tuple[float, dict[str, Any]]]:
        """For each request: milliseconds per answer (median of rounds), and the last
        result of load.py. A request is a port, a target and headers."""
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in requests}
        for request in requests.values():
            _load(*request, seconds=0.3)  # to warm up
        for at in range(rounds):
            order = list(requests.items())
            for name, request in order if at % 2 == 0 else reversed(order):
                results[name].append(_load(*request, seconds=SECONDS_OF_LOAD))
        return {
            name: (
                statistics.median(1000 / one["per_second"] for one in each),
                each[-1],
            )
            for name, each in results.items()
        }


def _load(
    port: int, target: str, headers: Mapping[str, str], *, seconds: float
) -> dict[str, Any]:
    lines = [f"GET {target} HTTP/1.1", "Host: content.example"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    request = json.dumps("\r\n".join([*lines, "", ""]))
    command = [str(HERE / "load.py"), str(port), str(CONNECTIONS), str(seconds)]
    done = subprocess.run(
        [sys.executable, *command, request], capture_output=True, check=True, timeout=60
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session", params=KINDS)
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    """An application on SQLite, and on PostgreSQL; rate limits lifted."""
    stock.lift_rate_limits()
    folder = tmp_path_factory.mktemp(request.param)
    settings = {
        "base_url": stock.BASE_URL,
        "content_requests_per_minute": stock.NO_LIMIT,
    }
    with (
        fresh_url(request.param, folder) as url,
        open_workspace(url, folder, **settings) as workspace,
    ):
        yield Shop(workspace, request.param, url, folder)


@pytest.fixture(scope="session", params=sizes(), ids=name_of)
def size(request: pytest.FixtureRequest) -> int:
    """How many keys."""
    asked: int = request.param
    return asked


@pytest.fixture
def raw(shop: Shop) -> Iterator[Tables]:
    """Plain tables beside ours."""
    with closing(plain_tables(shop.url)) as tables:
        yield tables
        tables.empty()


@pytest.fixture
def table() -> Table:
    """What is printed at the end."""
    return TABLE


@pytest.fixture
def asked() -> Callable[..., Asked]:
    """Requests made ready: ``asked(app, "/projects", Authorization="…")``."""
    return Asked


@pytest.fixture
def servers() -> Iterator[Servers]:
    """Servers; ended after the test."""
    with ExitStack() as stack:
        yield Servers(stack)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TABLE.rows:
        terminalreporter.section("benchmarks")
        for line in TABLE.lines():
            terminalreporter.write_line(line)

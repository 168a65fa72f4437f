"""Applications full of keys, and the table at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the modules beside

import stock  # noqa: E402
from measuring import TABLE, Table, name_of, sizes  # noqa: E402
from raw_rows import Tables, plain_tables  # noqa: E402

from locframework.testing.client import Client  # noqa: E402
from locframework.testing.workspace import Workspace, open_workspace  # noqa: E402
from tests.empty_databases import KINDS, Kind, fresh_url  # noqa: E402


class Shop:
    """An application on one database."""

    def __init__(
        self, workspace: Workspace, kind: Kind, url: str, folder: Path
    ) -> None:
        self.workspace = workspace
        self.kind = kind
        self.url = url
        self.folder = folder
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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if TABLE.rows:
        terminalreporter.section("benchmarks")
        for line in TABLE.lines():
            terminalreporter.write_line(line)

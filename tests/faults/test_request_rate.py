"""In no minute are more than 600 requests of one token or address accepted."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest

from locframework import wsgi
from locframework.http.rate_limit import MemoryWindows
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace

World = Any  # tests/faults/conftest.py

MOST = 600  # service.md, Limits
MINUTE = 60
REDIS = os.environ.get("LOCFRAMEWORK_TEST_REDIS", "redis://127.0.0.1:6379/15")


class Clock:
    """Seconds that only pass when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def most_in_a_minute(times: list[float]) -> int:
    """The largest number of times within 60 seconds; they are sorted."""
    first, most = 0, 0
    for last, at in enumerate(times):
        while at - times[first] > MINUTE:
            first += 1
        most = max(most, last - first + 1)
    return most


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the limiter of every app that is made from now on."""
    clock = Clock()
    monkeypatch.setattr(wsgi, "open_windows", lambda _: MemoryWindows(clock))
    return clock


@pytest.mark.parametrize("asker", ["token", "address"])
def test_600_a_minute_are_accepted_and_never_more(
    clock: Clock, sqlite_workspace: Workspace, asker: str
) -> None:
    """Bursts at the worst moments: at the end of a minute and right after it."""
    made = wsgi.create_app(sqlite_workspace.framework)
    token = sqlite_workspace.owner.token if asker == "token" else None
    client = Client(made, token)
    refused = 429, 200 if token else 401
    accepted = []
    for seconds in (0, 1, 58, 0.5, 1, 0.5, 30, 29.5, 0.5, 0.5, 120, 59.9, 0.2):
        clock.now += seconds
        for _ in range(250):
            answer = client.get("/tokens/self")
            assert answer.status in refused, answer
            if answer.status != 429:
                accepted.append(clock.now)
                continue
            retry_after = int(answer.headers["Retry-After"] or "")
            assert 0 < retry_after <= MINUTE + 1
            assert answer.headers["X-RateLimit-Limit"] == str(MOST)
            assert answer.headers["X-RateLimit-Remaining"] == "0"

    assert most_in_a_minute(accepted) == MOST


class Hammer(threading.Thread):
    """Asks as fast as it can; counts the statuses."""

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = client
        self.statuses: Counter[int] = Counter()
        self.is_done = threading.Event()
        self.start()

    def run(self) -> None:
        while not self.is_done.is_set():
            with suppress(OSError, HTTPException):
                self.statuses[self._client.get("/tokens/self").status] += 1


@pytest.fixture
def shared_limits() -> Iterator[dict[str, object]]:
    """Settings for processes that count together, in a Redis database of tests."""
    redis = pytest.importorskip("redis")
    server = redis.Redis.from_url(REDIS, socket_timeout=5)
    try:
        server.ping()
    except redis.RedisError:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            raise
        pytest.skip(f"no Redis at {REDIS}")
    yield {"rate_limit_storage": REDIS}
    server.close()


@pytest.mark.server
def test_three_processes_that_share_redis_accept_600_together(
    sqlite_world: World, shared_limits: dict[str, object]
) -> None:
    token = sqlite_world.workspace.client("viewer").token
    servers = [
        sqlite_world.start(settings=shared_limits, requests_a_minute=MOST)
        for _ in range(3)
    ]
    begun = time.monotonic()
    clients = [server.client(token) for server in servers for _ in range(2)]

    hammers = [Hammer(client) for client in clients]
    while not any(each.statuses[429] for each in hammers):
        assert time.monotonic() - begun < MINUTE / 2, "this machine is too slow"
        time.sleep(0.5)
    for each in hammers:
        each.is_done.set()
        each.join()

    assert time.monotonic() - begun < MINUTE
    total = sum((each.statuses for each in hammers), Counter[int]())
    assert total[200] == MOST
    assert set(total) == {200, 429}

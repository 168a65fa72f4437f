"""In no minute are more than 600 requests of one token or address accepted."""

import os
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException

import pytest

pytestmark = pytest.mark.hosts

MOST = 600  # service.md, Limits
MINUTE = 60
REDIS = os.environ.get("LOCFRAMEWORK_TEST_REDIS", "redis://127.0.0.1:6379/15")


class Hammer(threading.Thread):
    """Asks as fast as it can; counts the statuses."""

    def __init__(self, client):
        super().__init__()
        self._client = client
        self.statuses = Counter()
        self.is_done = threading.Event()
        self.start()

    def run(self):
        while not self.is_done.is_set():
            with suppress(OSError, HTTPException):
                self.statuses[self._client.get("/tokens/self").status] += 1


@pytest.fixture
def shared_limits():
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
    sqlite_world, shared_limits
):
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

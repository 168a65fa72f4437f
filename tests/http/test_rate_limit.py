"""Never more than the limit in any minute; whoever is refused knows until when."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits.errors import StorageError
from limits.strategies import MovingWindowRateLimiter

from locframework.errors import SettingsError, Unavailable
from locframework.http.rate_limit import (
    MemoryWindows,
    RateLimiter,
    SharedWindows,
    Window,
    open_windows,
)
from locframework.testing.client import Client

REDIS = os.environ.get("LOCFRAMEWORK_TEST_REDIS", "redis://127.0.0.1:6379/15")


class Clock:
    """Time that only moves when told."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


STEPS = st.lists(st.floats(0, 40) | st.just(0.0) | st.just(60.0), max_size=80)


@settings(max_examples=300, deadline=None)
@given(STEPS, st.integers(1, 5))
def test_all_below_the_limit_are_accepted_and_refused_ones_when_they_were_told(
    steps, most
):
    clock = Clock()
    windows = MemoryWindows(clock)
    accepted = []
    for step in steps:
        clock.now += step
        window = windows.take("key", most)
        if not window.is_accepted:
            assert sum(at >= clock.now - 60 for at in accepted) == most
            clock.now += window.retry_after_seconds
            assert windows.take("key", most).is_accepted
        accepted.append(clock.now)

    for earlier, later in zip(accepted, accepted[most:], strict=False):
        assert later - earlier > 60


def test_a_steady_client_at_the_limit_is_never_refused():
    clock = Clock()
    windows = MemoryWindows(clock)
    for _ in range(6000):
        clock.now += 0.1001
        assert windows.take("key", 600).is_accepted


def test_keys_do_not_share_their_requests():
    windows = MemoryWindows(Clock())

    assert windows.take("a", 1).is_accepted
    assert windows.take("b", 1).is_accepted
    assert not windows.take("a", 1).is_accepted


def test_keys_that_are_silent_for_a_minute_are_forgotten():
    clock = Clock()
    windows = MemoryWindows(clock)
    for number in range(10_000):
        windows.take(f"ip:{number}", 600)

    clock.now += 61
    windows.take("ip:last", 600)

    assert len(windows) == 1


def test_threads_together_get_no_more_than_the_limit():
    windows = MemoryWindows()
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: windows.take("key", 600), range(2000)))

    assert sum(each.is_accepted for each in taken) == 600


def test_the_headers_tell_limit_rest_and_reset():
    window = Window(is_accepted=True, limit=600, remaining=7, frees_in_seconds=3.2)

    assert window.headers(1000.5) == [
        ("X-RateLimit-Limit", "600"),
        ("X-RateLimit-Remaining", "7"),
        ("X-RateLimit-Reset", "1004"),
    ]


def test_api_and_content_are_counted_apart():
    limiter = RateLimiter(MemoryWindows(), api_limit=1, content_limit=1)

    assert limiter.take("api", "ip:1").is_accepted
    assert limiter.take("content", "ip:1").is_accepted
    assert not limiter.take("content", "ip:1").is_accepted


class TestOverHttp:
    @pytest.fixture
    def client(self, build):
        limiter = RateLimiter(MemoryWindows(), api_limit=3, content_limit=2)
        return Client(build(limiter=limiter), "writer")

    def test_tokens_are_counted_apart_wherever_they_come_from(self, client):
        for _ in range(3):
            client.get("/whoami")
        client.remote_address = "127.0.0.9"

        assert client.get("/whoami").status == 429
        assert client.with_token("reader").get("/whoami").status == 200
        assert client.with_token("embedded").get("/whoami").status == 200

    def test_an_ipv6_client_counts_once_for_its_first_64_bits(self, client):
        def status(address):
            client.remote_address = address
            return client.with_token("bad").get("/whoami").status

        found = [status(f"2001:db8:1:2:{n}::1") for n in range(4)]

        assert found == [401, 401, 401, 429]
        assert status("2001:db8:1:3::1") == 401

    def test_tokens_that_are_not_valid_count_for_their_address(self, client):
        statuses = [
            client.with_token(token).get("/whoami").status
            for token in ("one", "bad", None, "two", "three")
        ]

        assert statuses == [401, 401, 401, 429, 429]
        client.remote_address = "127.0.0.9"
        assert client.with_token("four").get("/whoami").status == 401

    def test_public_operations_count_for_the_address(self, client):
        statuses = [client.get("/openapi.json").status for _ in range(4)]

        assert statuses == [200, 200, 200, 429]
        assert client.get("/whoami").status == 200

    def test_content_is_counted_by_address_and_refused_outside_the_envelope(
        self, client
    ):
        path = "/content/key/manifest.json"
        assert [client.get(path).status for _ in range(2)] == [200, 200]

        refused = client.get(path)

        assert refused.status == 429
        assert refused.json == {"error": "rate_limited"}
        assert 59 <= int(refused.headers["Retry-After"]) <= 61
        assert refused.headers["Access-Control-Allow-Origin"] == "*"

    def test_probes_are_never_refused(self, client):
        assert {client.get("/healthz").status for _ in range(10)} == {200}

    def test_a_refusal_for_another_reason_counts_as_well(self, client):
        for _ in range(3):
            client.get("/projects/foreign/notes")

        assert client.get("/whoami").status == 429


@pytest.fixture
def shared():
    redis = pytest.importorskip("redis")
    try:
        redis.Redis.from_url(REDIS, socket_connect_timeout=1).ping()
    except redis.exceptions.RedisError as error:
        if os.environ.get("LOCFRAMEWORK_REQUIRE_SERVERS") == "1":
            raise
        pytest.skip(f"Redis does not answer at {REDIS}: {error}")
    windows = open_windows(REDIS)
    assert isinstance(windows, SharedWindows)
    return windows


@pytest.mark.server
class TestRedis:
    def test_processes_together_get_no_more_than_the_limit(self, shared):
        key = str(uuid4())
        others = [shared, SharedWindows(REDIS), SharedWindows(REDIS)]
        with ThreadPoolExecutor(6) as pool:
            taken = list(
                pool.map(lambda number: others[number % 3].take(key, 50), range(200))
            )

        assert sum(each.is_accepted for each in taken) == 50

    def test_it_tells_the_rest_and_when_it_frees(self, shared):
        key = str(uuid4())

        first = shared.take(key, 2)
        second = shared.take(key, 2)
        third = shared.take(key, 2)

        assert (first.remaining, second.remaining, third.remaining) == (1, 0, 0)
        assert not third.is_accepted
        assert 55 < third.frees_in_seconds <= 60

    def test_the_window_moves(self, shared, monkeypatch):
        """With time that leaps: entries older than a minute do not count."""
        key = str(uuid4())
        begun = time.time()
        assert shared.take(key, 1).is_accepted
        assert not shared.take(key, 1).is_accepted

        monkeypatch.setattr(time, "time", lambda: begun + 59)
        assert not shared.take(key, 1).is_accepted
        monkeypatch.setattr(time, "time", lambda: begun + 61)
        assert shared.take(key, 1).is_accepted

    def test_the_log_has_a_line_when_it_goes_and_one_when_it_is_back(
        self, shared, monkeypatch, caplog
    ):
        def refuse(*_):
            raise StorageError(ConnectionError("connection refused"))

        with monkeypatch.context() as away:
            away.setattr(MovingWindowRateLimiter, "hit", refuse)
            for _ in range(3):
                with pytest.raises(Unavailable):
                    shared.take("key", 600)
        for _ in range(3):
            shared.take(str(uuid4()), 600)

        assert [record.getMessage() for record in caplog.records] == [
            "the rate limit storage does not answer: connection refused",
            "the rate limit storage answers again",
        ]


class TestNoServer:
    @pytest.fixture
    def nobody(self):
        """A port where nobody listens."""
        pytest.importorskip("redis")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return f"redis://127.0.0.1:{taken.getsockname()[1]}/0"

    def test_a_storage_that_does_not_answer_is_unavailable(self, build, nobody):
        windows = open_windows(nobody)

        with pytest.raises(Unavailable):
            windows.take("key", 600)
        with pytest.raises(Unavailable):
            windows.ping()
        client = Client(build(limiter=RateLimiter(windows)), "writer")
        refused = client.get("/whoami")
        assert (refused.status, refused.error["code"]) == (503, "unavailable")
        assert client.get("/healthz").status == 200

    def test_one_that_accepts_and_is_silent_is_unavailable_soon(self):
        pytest.importorskip("redis")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            windows = open_windows(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
            begun = time.monotonic()
            with pytest.raises(Unavailable):
                windows.take("key", 600)

        assert time.monotonic() - begun < 5


@pytest.mark.parametrize("uri", ["nonsense", "nonsense://x", "redis://h:port", ""])
def test_a_storage_that_is_none_stops_the_start(uri):
    with pytest.raises(SettingsError, match="rate_limit_storage"):
        open_windows(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "redus://:s3cret@h:1/0",
        "redis://:s3cret/x@h:1/0",
        "memcached://s3cret@h:1",
        "redis:s3cret@h",
        "s3cret@h",
    ],
)
def test_the_address_of_a_storage_that_is_none_is_not_repeated(uri):
    with pytest.raises(SettingsError) as caught:
        open_windows(uri)

    assert "s3cret" not in str(caught.value)

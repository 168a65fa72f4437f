"""Who polls also runs requests: slow ones must not hold up the others."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from locframework.server import ServerError
from locframework.server.workers import Workers

Start = Callable[..., Any]  # tests/server/conftest.py


def sleep(seconds: float, method: str = "GET") -> bytes:
    """A request that takes so long."""
    head = f"{method} /sleep?seconds={seconds} HTTP/1.1\r\nHost: a\r\n"
    return (head + "Connection: close\r\n\r\n").encode()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_quick_requests_do_not_wait_for_slow_ones(start: Start, method: str) -> None:
    server = start(threads=4)
    with ExitStack() as opened:
        slow = [opened.enter_context(server.connect()) for _ in range(3)]
        for client in slow:
            client.send(sleep(2.5, method))
        for _ in range(20):
            server.ask()
        assert not any(client.is_closed() for client in slow)

        assert all(b" 200 OK" in client.read_to_end() for client in slow)


def test_so_many_requests_run_at_once_as_there_are_threads(start: Start) -> None:
    server = start(threads=2)
    with ExitStack() as opened:
        clients = [opened.enter_context(server.connect()) for _ in range(4)]
        begun = time.monotonic()
        for client in clients:
            client.send(sleep(0.8))
        for client in clients:
            assert b" 200 OK" in client.read_to_end()

    assert 1.6 <= time.monotonic() - begun < 3.2


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_deadlines_are_kept_while_every_thread_is_busy(
    start: Start, method: str
) -> None:
    server = start(threads=1, limits={"request_seconds": 0.3})
    with server.connect() as busy, server.connect() as silent:
        busy.send(sleep(3.0, method))

        assert silent.seconds_until_closed() < 2.5
        assert not busy.is_closed()


def test_requests_that_wait_are_run_side_by_side(start: Start) -> None:
    server = start(threads=4)
    request = b"GET /sleep?seconds=0.05 HTTP/1.1\r\nHost: a\r\n\r\n"
    with ExitStack() as opened:
        clients = [opened.enter_context(server.connect()) for _ in range(8)]
        begun = time.monotonic()
        for _ in range(8):
            for client in clients:
                client.send(request)
            for client in clients:
                client.read_one()

    assert time.monotonic() - begun < 8 * 8 * 0.05 * 0.75


class Wait:
    """A request that waits too shortly to be noticed by who watches."""

    may_take_long = False
    running = most = done = 0

    def service(self) -> None:
        Wait.running += 1
        Wait.most = max(Wait.most, Wait.running)
        time.sleep(0.003)
        Wait.running -= 1
        Wait.done += 1

    def cancel(self) -> None:
        pass


def test_short_waits_are_found_out_and_waited_side_by_side() -> None:
    woken = threading.Event()

    def poll(seconds: float) -> None:
        if Wait.done < 200:
            workers.add_task(Wait())
        else:
            woken.wait(seconds)
        woken.clear()

    workers = Workers(3, poll=poll, wake=woken.set)
    workers.watch_until(lambda: Wait.done >= 200)
    workers.take_lead()
    workers.hand_out()
    workers.end(timeout=5)

    assert 2 <= Wait.most <= 3


def test_pipelined_requests_are_answered_in_order(start: Start) -> None:
    server = start()
    request = b"GET /sleep?seconds=0.2 HTTP/1.1\r\nHost: a\r\n\r\n"

    answer = server.exchange(request + b"GET /unchanged HTTP/1.1\r\nHost: a\r\n\r\n"
                             + b"GET / HTTP/1.0\r\n\r\n")  # fmt: skip

    statuses = [line for line in answer.split(b"\r\n") if b"HTTP/1." in line]
    assert [line.rpartition(b"HTTP/1.")[2][2:5] for line in statuses] == [
        b"200",
        b"304",
        b"200",
    ]


def test_an_upload_is_asked_for_while_a_request_runs(start: Start) -> None:
    server = start(threads=2)
    with server.connect() as busy, server.connect() as upload:
        busy.send(sleep(2.5))
        time.sleep(0.1)
        upload.send(
            b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
            b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        assert upload.socket.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        upload.send(b"5\r\nabcde\r\n0\r\n\r\n")

        assert b'"received": 5' in upload.read_to_end()
        assert not busy.is_closed()


def test_a_reader_that_pauses_holds_up_nobody(start: Start) -> None:
    server = start(threads=1, limits={"buffered_answer_bytes": 500_000})
    with server.connect() as reader, server.connect() as silent:
        reader.send(b"GET /big?pieces=200 HTTP/1.0\r\n\r\n")
        time.sleep(0.3)
        silent.send(b"GET / HTTP/2.0\r\nHost: a\r\n\r\n")
        time.sleep(0.1)

        assert len(reader.read_to_end()) > 200 * 65536
        assert b" 400 " in silent.read_to_end()


@pytest.mark.parametrize("path", ["/fail", "/exit"])
def test_a_request_that_raises_takes_no_thread_along(start: Start, path: str) -> None:
    server = start(threads=1)
    for method in ("GET", "POST"):
        for _ in range(3):
            with server.connect() as client:
                client.send(f"{method} {path} HTTP/1.0\r\n\r\n".encode())
                time.sleep(0.05)

    assert server.ask()["received"] == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_watch_ends_when_polling_fails() -> None:
    def fail(seconds: float) -> None:
        raise OSError("nothing to poll")

    workers = Workers(1, poll=fail, wake=lambda: None)

    with pytest.raises(ServerError, match="has failed"):
        workers.watch_until(lambda: False)
    workers.end(timeout=5)


def test_while_nothing_happens_hardly_anybody_wakes() -> None:
    polled: list[float] = []
    over = threading.Event()

    def poll(seconds: float) -> None:
        polled.append(seconds)
        over.wait(seconds)

    asked: list[None] = []

    def is_over() -> bool:
        asked.append(None)
        return len(asked) > 3

    Workers(4, poll=poll, wake=over.set).watch_until(is_over)

    assert polled == [0.5] * len(polled)
    assert 2 <= len(polled) <= 5

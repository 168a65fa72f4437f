"""One serving process: how it stops, and what it leaves behind."""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from locframework.server import ServerError, serve

Start = Callable[..., Any]  # tests/server/conftest.py


def test_sigterm_lets_a_running_request_end_and_exits_with_0(
    start: Start,
) -> None:
    server = start()
    with server.connect() as idle, server.connect() as busy:
        idle.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        idle.read_one()
        busy.send(b"GET /sleep?seconds=1 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.3)
        before = time.monotonic()
        code, printed = server.stop()

        answer = busy.read_to_end()
    assert b" 200 OK" in answer
    assert b"Connection: close" in answer
    assert time.monotonic() - before < 4.0
    assert code == 0
    assert printed == [f"stopped {server.process.pid}", "returned"]
    with pytest.raises(ConnectionRefusedError):
        server.connect()


def test_a_request_that_does_not_end_is_not_waited_for_longer_than_agreed(
    start: Start,
) -> None:
    server = start(limits={"stop_seconds": 0.2})
    with server.connect() as client:
        client.send(b"GET /sleep?seconds=20 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.3)
        before = time.monotonic()
        code, _ = server.stop(signal.SIGINT)

    assert code == 0
    assert time.monotonic() - before < 3.0


@pytest.mark.parametrize("processes", [1, 2])
def test_a_second_signal_ends_at_once(start: Start, processes: int) -> None:
    server = start(processes=processes)
    with server.connect() as client:
        client.send(b"GET /sleep?seconds=20 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        before = time.monotonic()
        code, _ = server.stop()

    assert code == 128 + signal.SIGTERM
    assert time.monotonic() - before < 2.0


def test_the_callers_signal_handlers_and_cpus_are_back_afterwards() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    cpus = os.sched_getaffinity(0)

    serve(
        lambda: lambda environ, respond: [],
        port=0,
        on_ready=lambda host, port: os.kill(os.getpid(), signal.SIGTERM),
    )

    assert [
        signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)
    ] == handlers
    assert os.sched_getaffinity(0) == cpus


def test_a_missing_waitress_is_told_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "waitress", None)

    with pytest.raises(ServerError, match=r"pip install 'locframework\[serve\]'"):
        serve(lambda: pytest.fail("is not reached"))


def test_an_address_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(
            ServerError, match=f"cannot listen on 127.0.0.1 port {port}"
        ):
            serve(lambda: pytest.fail("is not reached"), port=port)


def test_another_thread_than_the_main_one_cannot_serve() -> None:
    raised: list[ServerError] = []

    def try_to_serve() -> None:
        try:
            serve(lambda: pytest.fail("is not reached"), port=0)
        except ServerError as error:
            raised.append(error)

    thread = threading.Thread(target=try_to_serve)
    thread.start()
    thread.join()

    assert "main thread" in str(raised[0])

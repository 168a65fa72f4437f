"""``serve``: finishes running requests on SIGTERM, and reports what stops a start."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from locframework.server import ServerError, listen, require_waitress, stop_signals

CHILD = Path(__file__).with_name("child.py")
SECONDS = 10


@contextmanager
def started():
    """A server of child.py in a process of its own, and its port."""
    process = subprocess.Popen(
        [sys.executable, str(CHILD)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def connect(port):
    return socket.create_connection(("127.0.0.1", port), SECONDS)


def read_to_end(client):
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    return b"".join(parts)


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


def test_sigterm_finishes_running_requests_and_exits_with_0():
    with started() as (process, port), connect(port) as idle, connect(port) as busy:
        idle.sendall(get("/"))
        assert idle.recv(65536).startswith(b"HTTP/1.1 200 OK")
        busy.sendall(get("/sleep?1"))
        time.sleep(0.3)
        with connect(port) as waiting:  # accepted by the kernel, if not yet by us
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            time.sleep(0.1)  # until the signal has arrived
            waiting.sendall(get("/"))
            answers = read_to_end(busy), read_to_end(waiting)
        code = process.wait(SECONDS)

        with pytest.raises(ConnectionRefusedError):
            connect(port)

    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b"Connection: close" in answer
    assert time.monotonic() - begun < 4.0
    assert code == 0


def test_an_endless_request_delays_the_stop_by_ten_seconds_at_most():
    with started() as (process, port), connect(port) as client:
        client.sendall(get("/sleep?60"))
        time.sleep(0.3)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        code = process.wait(2 * SECONDS)

    assert code == 0
    assert SECONDS <= time.monotonic() - begun < 1.5 * SECONDS


def test_a_second_signal_ends_the_process_at_once():
    with started() as (process, port), connect(port) as client:
        client.sendall(get("/sleep?60"))
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)

        assert process.wait(2) == 128 + signal.SIGTERM


def test_stop_signals_restores_the_handlers():
    numbers = signal.SIGTERM, signal.SIGINT
    before = [signal.getsignal(number) for number in numbers]

    with stop_signals() as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        stop.wait()

    assert [signal.getsignal(number) for number in numbers] == before


def test_a_missing_waitress_is_reported_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "waitress", None)

    with pytest.raises(ServerError, match=r"pip install 'locframework\[serve\]'"):
        require_waitress()


def test_an_address_in_use_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(ServerError, match=f"on 127.0.0.1 port {port}: "):
            listen("127.0.0.1", port)


def test_the_application_sees_one_server_without_a_name():
    with started() as (_, port), connect(port) as client:
        client.sendall(b"GET / HTTP/1.0\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")
        head, _, body = read_to_end(client).partition(b"\r\n\r\n")

    assert b"\nServer:" not in head
    assert json.loads(body) == {"address": "127.0.0.1", "path": "/"}

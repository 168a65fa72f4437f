"""Slow and greedy clients: what they may cost, and that the others are served."""

import os
import resource
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from locframework.server.listener import network_of

Start = Callable[..., Any]  # tests/server/conftest.py


def test_slow_clients_are_closed_and_the_others_served_meanwhile(start: Start) -> None:
    server = start(limits={"request_seconds": 1.0, "connections_per_address": 100})
    slowest_answer, begun = 0.0, time.monotonic()
    with ExitStack() as opened:
        slow = [opened.enter_context(server.connect()) for _ in range(60)]
        while slow:
            slow = [client for client in slow if client.can_send(b"G")]
            before = time.monotonic()
            server.ask()
            slowest_answer = max(slowest_answer, time.monotonic() - before)
            time.sleep(0.2)
            slow = [client for client in slow if not client.is_closed()]
            assert time.monotonic() - begun < 5.0

    assert time.monotonic() - begun > 0.9
    assert slowest_answer < 1.0


def test_a_silent_connection_is_closed(start: Start) -> None:
    server = start(limits={"request_seconds": 0.5})

    with server.connect() as client:
        assert client.seconds_until_closed() < 3.0


def test_blank_lines_win_no_time(start: Start) -> None:
    server = start(limits={"request_seconds": 0.4})

    with server.connect() as client:
        begun = time.monotonic()
        client.send(b"\r\n\r")
        while client.can_send(b"\n\r\n\r") and not client.is_closed():
            time.sleep(0.05)
            assert time.monotonic() - begun < 3.0


def test_a_body_that_keeps_coming_outlives_the_deadline(
    start: Start,
) -> None:
    limits = {"request_seconds": 0.4, "body_bytes_per_second": 1000}
    server = start(limits=limits)

    with server.connect() as client:
        client.send(
            b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            b"Content-Length: 6000\r\n\r\n"
        )
        for _ in range(6):
            time.sleep(0.18)
            client.send(b"x" * 1000)

        assert b'"received": 6000' in client.read_to_end()


def test_an_idle_connection_is_kept_for_a_while_only(
    start: Start,
) -> None:
    server = start(limits={"request_seconds": 0.1, "idle_seconds": 1.0})
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    with server.connect() as client:
        client.send(request)
        assert client.read_one().startswith(b"HTTP/1.1 200 OK")
        time.sleep(0.6)
        client.send(request)
        assert client.read_one().startswith(b"HTTP/1.1 200 OK")
        assert 0.5 < client.seconds_until_closed() < 4.0


def test_head_and_body_of_a_small_answer_come_together(start: Start) -> None:
    server = start()

    with server.connect() as client:
        for _ in range(20):
            client.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = client.socket.recv(65536)

            assert answer.startswith(b"HTTP/1.1 200 ")
            assert answer.endswith(b"}")


def test_an_answer_without_a_body_leaves_the_connection_open(start: Start) -> None:
    request = b"GET /unchanged HTTP/1.1\r\nHost: localhost\r\n"
    server = start()

    with server.connect() as client:
        for _ in range(2):
            client.send(request + b"\r\n")
            head = client.socket.recv(65536)

            assert head.startswith(b"HTTP/1.1 304 ")
            assert b"connection: close" not in head.lower()
        client.send(request + b"Connection: close\r\n\r\n")

        assert b"Connection: close" in client.read_to_end()
    old = server.exchange(request.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n")
    assert b"Connection: close" in old


def test_one_address_cannot_take_all_connections_and_new_ones_get_in(
    start: Start,
) -> None:
    server = start(limits={"connections_per_address": 10})
    with ExitStack() as opened:
        waiting = [opened.enter_context(server.connect()) for _ in range(30)]
        for client in waiting:
            client.send(b"GET / HTTP/1.1\r\n")

        assert server.ask()["received"] == 0
        for client in waiting[:20]:
            client.seconds_until_closed()
        assert not waiting[-1].is_closed()


def test_an_idle_connection_makes_room_before_one_that_has_just_come(
    start: Start,
) -> None:
    server = start(limits={"connections_per_address": 3}, threads=1)
    with ExitStack() as opened:
        idle = opened.enter_context(server.connect())
        idle.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        idle.read_one()
        # The one worker is done with both: this one ends when it is closed, not before.
        server.exchange(b"GET / HTTP/1.0\r\n\r\n")
        new = [opened.enter_context(server.connect()) for _ in range(3)]

        idle.seconds_until_closed()
        assert not any(client.is_closed() for client in new)


def test_a_flood_from_many_addresses_makes_room_as_well(start: Start) -> None:
    server = start(limits={"connections": 10, "connections_per_address": 50})
    with ExitStack() as opened:
        waiting = [opened.enter_context(server.connect()) for _ in range(30)]

        assert server.ask()["received"] == 0
        for client in waiting[:20]:
            client.seconds_until_closed()


def test_the_trusted_proxy_may_open_as_many_as_it_likes(start: Start) -> None:
    server = start(limits={"connections_per_address": 2}, trusted_proxy="127.0.0.1")
    with ExitStack() as opened:
        waiting = [opened.enter_context(server.connect()) for _ in range(6)]

        assert server.ask()["received"] == 0
        assert not any(client.is_closed() for client in waiting)


def test_a_request_that_runs_never_makes_room(start: Start) -> None:
    server = start(limits={"connections_per_address": 2}, threads=2)
    with server.connect() as first, server.connect() as second:
        for client in (first, second):
            client.send(
                b"GET /sleep?seconds=0.7 HTTP/1.1\r\n"
                b"Host: a\r\nConnection: close\r\n\r\n"
            )
        time.sleep(0.4)
        with server.connect() as third:
            third.seconds_until_closed()

        assert b" 200 OK" in first.read_to_end()
        assert b" 200 OK" in second.read_to_end()


def test_a_reader_that_never_reads_gives_its_worker_back(
    start: Start,
) -> None:
    limits = {"answer_seconds": 0.5, "buffered_answer_bytes": 1_000_000}
    server = start(limits=limits, threads=1)
    with server.connect() as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.send(b"GET /big?pieces=1000 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.2)

        before = time.monotonic()
        server.ask()

        assert 0.3 < time.monotonic() - before < 4.0


def test_a_steady_reader_has_the_whole_answer(start: Start) -> None:
    limits = {
        "answer_seconds": 0.4,
        "buffered_answer_bytes": 1_000_000,
        "waiting_answer_bytes_per_second": 100_000,
    }
    server = start(limits=limits)
    with server.connect() as client:
        client.send(b"GET /big?pieces=280 HTTP/1.0\r\n\r\n")
        received, begun = 0, time.monotonic()
        while part := client.socket.recv(400_000):
            received += len(part)
            time.sleep(0.015)

    assert received > 280 * 65536
    assert time.monotonic() - begun > 0.6


def test_an_ipv6_client_counts_as_its_network_of_64_bits() -> None:
    assert network_of("2001:db8:1:2::a") == network_of("2001:db8:1:2:ffff::b")
    assert network_of("2001:db8:1:3::a") != network_of("2001:db8:1:2::a")
    assert network_of("fe80::1%lo") == network_of("fe80::2")
    assert network_of("10.0.0.1") != network_of("10.0.0.2")


@pytest.mark.parametrize(
    ("trusted", "address", "scheme"),
    [(None, "127.0.0.1", "http"), ("127.0.0.1", "203.0.113.9", "https")],
)
def test_only_the_trusted_proxy_tells_the_clients_address(
    start: Start, trusted: str | None, address: str, scheme: str
) -> None:
    server = start(trusted_proxy=trusted)
    forwarded = {
        "X-Forwarded-For": "198.51.100.7, 203.0.113.9",
        "X-Forwarded-Proto": "https",
    }

    told = server.ask("/", **forwarded)

    assert (told["address"], told["scheme"]) == (address, scheme)


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("203.0.113.9:4711", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8::9", "2001:db8::9"),
        ("[2001:DB8::9]:4711", "2001:db8::9"),
        ('198.51.100.7,"[2001:db8::9]:4711"', "2001:db8::9"),
        ("unknown", "unknown"),
    ],
)
def test_a_client_behind_the_proxy_has_one_address_however_it_is_told(
    start: Start, told: str, address: str
) -> None:
    server = start(trusted_proxy="127.0.0.1")

    answer = server.ask("/", **{"X-Forwarded-For": told})

    assert answer["address"] == address


def test_without_a_file_for_one_more_an_idle_connection_is_closed_and_nothing_spins(
    start: Start,
) -> None:
    server = start(limits={"connections_per_address": 100})
    pid = server.process.pid
    server.ask()  # it has opened what it needs
    most = len(os.listdir(f"/proc/{pid}/fd")) + 5
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))

    with ExitStack() as opened:
        for _ in range(20):
            opened.enter_context(server.connect())
        told = [server.ask()["pid"] for _ in range(3)]
        before = processor_seconds(pid)
        time.sleep(1)
        spent = processor_seconds(pid) - before

    assert told == [pid] * 3
    assert spent < 0.5


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

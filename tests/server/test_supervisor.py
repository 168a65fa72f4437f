"""Several serving processes on one port, each on its own CPU."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

Start = Callable[..., Any]  # tests/server/conftest.py
HAS_SEVERAL_CPUS = hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


@pytest.mark.skipif(not HAS_SEVERAL_CPUS, reason="needs two CPUs")
def test_one_process_is_pinned_unless_it_is_told_not_to_be(
    start: Start,
) -> None:
    assert len(start().ask()["cpus"]) == 1
    assert start(is_pinned=False).ask()["cpus"] == sorted(os.sched_getaffinity(0))


@pytest.mark.skipif(not HAS_SEVERAL_CPUS, reason="needs two CPUs")
def test_several_processes_serve_one_port_each_on_its_own_cpu(
    start: Start,
) -> None:
    server = start(processes=2)

    first, second = server.cpus_by_pid(2).items()

    assert server.process.pid not in (first[0], second[0])
    assert len(first[1]) == len(second[1]) == 1
    assert first[1] != second[1]
    assert server.ask()["multiprocess"] is True


def test_a_killed_process_is_replaced_and_the_others_go_on(
    start: Start,
) -> None:
    server = start(processes=2)
    before = set(server.cpus_by_pid(2))

    os.kill(min(before), signal.SIGKILL)
    for _ in range(20):
        server.ask()
    after = set(server.cpus_by_pid(2))

    assert len(after & before) == len(after - before) == 1


def test_connections_are_shared_out_evenly(start: Start) -> None:
    server = start(processes=2, is_pinned=False)
    with ExitStack() as opened:
        served: Counter[int] = Counter()
        for _ in range(16):
            client = opened.enter_context(server.connect())
            client.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            answer = client.read_one().partition(b"\r\n\r\n")[2]
            served[json.loads(answer)["pid"]] += 1
            time.sleep(0.01)

    # a process that has no CPU for a moment loses one to the other
    assert len(served) == 2
    assert min(served.values()) >= 4


def test_a_process_that_is_stuck_keeps_no_connection_from_the_others(
    start: Start,
) -> None:
    server = start(processes=2)
    stuck = min(server.cpus_by_pid(2))

    os.kill(stuck, signal.SIGSTOP)
    try:
        with ExitStack() as opened:
            for _ in range(8):
                client = opened.enter_context(server.connect())
                client.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                assert b" 200 OK" in client.read_one()
    finally:
        os.kill(stuck, signal.SIGCONT)


def test_sigterm_lets_requests_end_in_every_process(
    start: Start,
) -> None:
    server = start(processes=2)
    pids = server.cpus_by_pid(2)
    with server.connect() as busy:
        busy.send(b"GET /sleep?seconds=0.7 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.3)
        code, printed = server.stop()

        assert b" 200 OK" in busy.read_to_end()
    assert code == 0
    assert sorted(printed) == sorted(["returned", *(f"stopped {pid}" for pid in pids)])


def test_what_a_process_does_at_its_end_is_waited_for(start: Start) -> None:
    """It gives back jobs and webhooks, and writes what it has counted."""
    server = start(processes=2, limits={"stop_seconds": 0.1}, stops_in_seconds=3)

    code, printed = server.stop()

    assert code == 0
    assert [line.split()[0] for line in printed] == ["stopped", "stopped", "returned"]


def test_a_process_that_never_comes_to_its_end_is_killed(start: Start) -> None:
    limits = {"stop_seconds": 0.1, "on_stop_seconds": 0.1}
    server = start(processes=2, limits=limits, stops_in_seconds=20)
    before = time.monotonic()

    code, printed = server.stop()

    assert (code, printed) == (0, ["returned"])
    assert time.monotonic() - before < 5.0


def test_processes_end_with_their_parent(start: Start) -> None:
    server = start(processes=2)
    pids = server.cpus_by_pid(2)

    server.process.kill()
    _, printed = server.wait()  # ends when the last of them has closed its output

    assert sorted(printed) == sorted(f"stopped {pid}" for pid in pids)


def test_processes_that_cannot_start_stop_the_server(
    start: Start,
) -> None:
    server = start(processes=2, fails=True)

    code, _ = server.wait()

    assert server.first_line.strip() == (
        "error a serving process ended before it could serve"
    )
    assert code == 3

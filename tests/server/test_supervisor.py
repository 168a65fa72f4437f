"""Several serving processes on one port, each on its own CPU."""

import os
import signal
import time
from collections.abc import Callable
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

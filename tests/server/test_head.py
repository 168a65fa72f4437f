"""The head of an answer says what waitress would say."""

from types import SimpleNamespace
from typing import Any

import pytest

from locframework.server.channel import Task
from locframework.server.waitress_parts import WSGITask

USUAL = [("content-type", "text/plain"), ("x-request-id", "1"), ("ETag", '"é"')]
LENGTH = ("content-LENGTH", "3")


def head(kind: type[Any], asked: dict[str, Any]) -> tuple[list[bytes], bool]:
    """The lines but for Date's time, sorted, and whether the connection closes."""
    server = SimpleNamespace(adj=SimpleNamespace(ident=None))
    request = SimpleNamespace(
        version=asked.get("version", "1.1"), headers=asked.get("request", {})
    )
    task = kind(SimpleNamespace(server=server), request)
    task.status = asked.get("status", "200 OK")
    task.response_headers = list(asked["headers"])
    task.content_length = asked.get("length")
    task.start_time = 1_000_000_000.7
    lines = task.build_response_header().split(b"\r\n")
    assert lines[-2:] == [b"", b""]
    assert lines[0].startswith(b"HTTP/1.")
    return sorted(lines), task.close_on_finish


@pytest.mark.parametrize(
    "asked",
    [
        {"headers": [*USUAL, LENGTH], "length": 3},
        {"headers": USUAL, "length": 3},
        {"headers": USUAL},
        {"headers": [*USUAL, ("Vary", "a"), ("vary", "b"), LENGTH], "length": 3},
        {"headers": [LENGTH, ("date", "yesterday")], "length": 3},
        {"headers": [LENGTH, ("Server", "mine")], "length": 3},
        {"headers": [LENGTH], "length": 3, "request": {"CONNECTION": "Close"}},
        {"headers": [LENGTH], "length": 3, "request": {"CONNECTION": "keep-alive"}},
        {"headers": [LENGTH], "length": 3, "version": "1.0"},
        {
            "headers": [LENGTH],
            "length": 3,
            "version": "1.0",
            "request": {"CONNECTION": "keep-alive"},
        },
    ],
)
def test_it_is_that_of_waitress(asked: dict[str, Any]) -> None:
    assert head(Task, asked) == head(WSGITask, asked)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_without_a_body_it_tells_no_length_and_does_not_close(status: str) -> None:
    asked = {"headers": [*USUAL, LENGTH], "status": status, "length": 3}

    lines, closes = head(Task, asked)

    assert not closes
    assert set(head(WSGITask, asked)[0]) - set(lines) == {b"Connection: close"}
    assert not any(b"Length" in line for line in lines)

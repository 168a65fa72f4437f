"""Requests that two readers could read in two ways, or that are too large."""

import json
import time
from typing import Any

import pytest

Server = Any  # tests/server/conftest.py


@pytest.mark.parametrize(
    "head",
    [
        "POST / HTTP/1.1|Host: a|Content-Length: 5|Transfer-Encoding: chunked",
        "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked|content-length: 5",
        "POST / HTTP/1.1|Host: a|Content-Length: 5|Transfer-Encoding:",
        "POST / HTTP/1.0|Host: a|Transfer-Encoding: chunked",
        "POST / HTTP/1.1|Host: a|Transfer-Encoding:",
        "POST / HTTP/1.1|Host: a|Transfer-Encoding: ,",
        "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked|Transfer-Encoding: chunked",
        "POST / HTTP/1.1|Host: a|Content-Length: 5|Content-Length: 6",
        "POST / HTTP/1.1|Host: a|Content-Length: 5|Content-Length: 5",
        "POST / HTTP/1.1|Host: a|Content-Length: +5",
        "POST / HTTP/1.1|Host: a|Content-Length: " + "9" * 5000,
        "GET / HTTP/1.1",
        "GET / HTTP/1.1|Host:",
        "GET / HTTP/1.1|Host: a|Host: a",
        "GET / HTTP/1.0|Host: a|Host: b",
        "GET / HTTP/1.1|Host: a, b",
        "GET / HTTP/1.1|Host: a/b",
        "GET / HTTP/1.1|Host: a| folded",
        "GET / HTTP/1.1|Host : a",
        "GET / HTTP/2.0|Host: a",
        "GET /",
        "GET http://[ HTTP/1.1|Host: a",
    ],
)
def test_an_ambiguous_request_is_refused_and_the_connection_closed(
    strict: Server, head: str
) -> None:
    request = head.replace("|", "\r\n").encode() + b"\r\n\r\n"
    smuggled = b"GET /second HTTP/1.1\r\nHost: a\r\n\r\n"

    answer = strict.exchange(request + smuggled)

    assert b" 400 Bad Request" in answer.split(b"\r\n")[0]
    assert b"200 OK" not in answer


def test_a_blank_filled_header_does_not_hold_the_server(strict: Server) -> None:
    request = b"GET / HTTP/1.1\r\nHost: a\r\nX:" + b" " * 15_000 + b"\x01\r\n\r\n"

    start = time.monotonic()
    answers = [strict.exchange(request) for _ in range(6)]

    assert all(b" 400 " in answer.split(b"\r\n")[0] for answer in answers)
    assert time.monotonic() - start < 2.0


@pytest.mark.parametrize("host", ["a", "a:80", "127.0.0.1:1", "[::1]:80", "x_y.z-1"])
def test_usual_hosts_are_served(strict: Server, host: str) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"

    assert b" 200 OK\r\n" in strict.exchange(request.encode())


def test_a_chunked_body_is_served(strict: Server) -> None:
    request = (
        b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )

    assert b'"received": 5' in strict.exchange(request)


def test_a_long_head_is_answered_431(strict: Server) -> None:
    request = b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40_000 + b"\r\n\r\n"

    assert b" 431 " in strict.exchange(request).split(b"\r\n")[0]


def test_a_large_body_is_answered_413_though_its_sender_goes_on(strict: Server) -> None:
    with strict.connect() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n")
        client.send(b"x" * 900_000)

        assert b" 413 " in client.read_to_end().split(b"\r\n")[0]


def test_an_endless_chunk_size_line_is_answered_400(strict: Server) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    answer = strict.exchange(head + b"1" * 50_000)

    assert b" 400 " in answer.split(b"\r\n")[0]


def test_a_refused_request_is_not_told_to_continue(strict: Server) -> None:
    request = (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n"
        b"Expect: 100-continue\r\n\r\n"
    )

    assert b" 413 " in strict.exchange(request).split(b"\r\n")[0]


def test_no_more_than_200_characters_are_repeated(strict: Server) -> None:
    answer = strict.exchange(
        b"GET / HTTP/1.1\r\nHost: a\r\nX: a\n" + b"q" * 5000 + b"\r\n" * 2
    )

    assert b" 400 " in answer.split(b"\r\n")[0]
    assert answer.count(b"q") <= 200


def test_the_server_does_not_tell_its_name(strict: Server) -> None:
    request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    assert b"\r\nserver:" not in strict.exchange(request).lower()
    assert strict.ask()["software"] == "locframework"


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        ("POST / HTTP/1.1|Host: a|Content-Length: 9000000", 413, "payload_too_large"),
        ("GET / HTTP/1.1|Host: a|Host: a", 400, "validation_failed"),
        ("GET / HTTP/1.1|Host: a|X: \x00", 400, "validation_failed"),
        ("GET / HTTP/1.1|Host: a|X: " + "a" * 40_000, 431, "validation_failed"),
        ("POST / HTTP/1.1|Host: a|Transfer-Encoding: x", 501, "validation_failed"),
        ("GET /fail HTTP/1.1|Host: a", 500, "internal_error"),
    ],
)
def test_what_the_server_refuses_it_refuses_in_the_envelope(
    strict: Server, head: str, status: int, code: str
) -> None:
    """Decisions 2.1.6 and 2.2: on every answer, though the application is not asked."""
    answer = strict.exchange(head.replace("|", "\r\n").encode() + b"\r\n\r\n")

    lines, _, body = answer.partition(b"\r\n\r\n")
    first, *fields = lines.decode().split("\r\n")
    headers = dict(field.split(": ", 1) for field in fields)
    told = json.loads(body)
    assert first.split()[1] == str(status)
    assert (told["success"], told["error"]["code"]) == (False, code)
    assert headers["Content-Type"] == "application/json"
    assert headers["Connection"] == "close"
    assert headers["X-Request-Id"]
    assert b"waitress" not in answer
    assert b"Traceback" not in answer


def test_a_refused_request_keeps_the_id_that_its_client_gave_it(strict: Server) -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n"

    kept = strict.exchange(head + b"X-Request-Id: upload-7\r\n\r\n")
    other = strict.exchange(head + b"X-Request-Id: no good\r\n\r\n")

    assert b"\r\nX-Request-Id: upload-7\r\n" in kept
    assert b"no good" not in other

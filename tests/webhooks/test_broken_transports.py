"""What a transport of a plugin does wrong is told by its name, and harms nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from locframework.ports import Answer, Post

from .conftest import Clock, Hooked


@pytest.fixture
def breaks(hooked: Hooked) -> Callable[[str, object], None]:
    """Lets a method of the transport answer something; an exception is raised."""
    transport = hooked.workspace.framework.plugins.transports["loopback"]

    def as_told(method: str, told: object) -> None:
        def call(given: object) -> object:
            if isinstance(told, BaseException):
                raise told
            return told

        setattr(transport, method, call)

    return as_told


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (ZeroDivisionError("oops"), "oops"),
        (SystemExit(3), "SystemExit"),
        (None, "NoneType is not an Answer"),
        ({"status_code": 204}, "dict is not an Answer"),
        (Answer(None, None, 1), "has a status_code or an error"),
        (Answer(204, "timeout", 1), "has a status_code or an error"),
        (Answer("204", None, 1), "status_code '204' is not an HTTP status"),  # type: ignore[arg-type]
        (Answer(99999, None, 1), "status_code 99999 is not an HTTP status"),
        (Answer(None, "lost", 1), "error 'lost' is not a SendError"),  # type: ignore[arg-type]
        (Answer(None, ValueError("x"), 1), "is not a SendError"),  # type: ignore[arg-type]
        (Answer(204, None, 1.5), "duration_ms 1.5 is not a time"),  # type: ignore[arg-type]
        (Answer(204, None, -1), "duration_ms -1 is not a time"),
        (Answer(503, None, 1, 5), "retry_after 5 is not text"),  # type: ignore[arg-type]
        (Answer(204, None, 1, None, "ok"), "body is str"),  # type: ignore[arg-type]
    ],
)
def test_an_attempt_that_a_transport_spoils_has_failed(
    hooked: Hooked,
    breaks: Callable[[str, object], None],
    caplog: pytest.LogCaptureFixture,
    told: object,
    why: str,
) -> None:
    webhook, _ = hooked.create()
    hooked.key("a")
    breaks("send", told)

    hooked.send()

    [delivery] = hooked.log(webhook)
    assert delivery["status"] == "pending"
    assert delivery["attempts"][0]["error"] == "transport_failed"
    assert f"the transport loopback failed with delivery {delivery['id']}" in (
        caplog.text
    )
    assert why in caplog.text


def test_more_of_a_body_than_is_kept_is_cut(hooked: Hooked) -> None:
    webhook, _ = hooked.create()
    hooked.key("a")
    transport = hooked.workspace.framework.plugins.transports["loopback"]

    def send(post: Post) -> Answer:
        return Answer(200, None, 1, None, b"x" * 5000)

    transport.send = send  # type: ignore[method-assign]
    hooked.send()

    [attempt] = hooked.log(webhook)[0]["attempts"]
    assert attempt["responseBody"] == "x" * 1024


@pytest.mark.parametrize("told", [ValueError("10.0.0.7"), SystemExit(3)])
def test_a_url_that_a_transport_cannot_judge_is_refused_for_now(
    hooked: Hooked,
    breaks: Callable[[str, object], None],
    caplog: pytest.LogCaptureFixture,
    told: BaseException,
) -> None:
    breaks("judge", told)
    body = {"url": hooked.receiver.url, "eventTypes": ["key.created"]}

    refused = hooked.owner.post(hooked.webhooks, json=body)

    assert refused.status == 503
    assert refused.error == {
        "code": "unavailable",
        "message": "the transport loopback failed",
    }
    assert "the transport loopback failed to judge a URL" in caplog.text


def test_senders_outlive_answers_that_are_none(
    timed: Hooked, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    webhook, _ = timed.create()
    transport = timed.workspace.framework.plugins.transports["loopback"]
    good = transport.send
    wrong: Any = Answer(503, None, 1, 5)  # type: ignore[arg-type]
    transport.send = lambda post: wrong  # type: ignore[method-assign]
    timed.key("a")
    timed.send()

    transport.send = good  # type: ignore[method-assign]
    clock.go(seconds=10)
    timed.send()

    assert timed.log(webhook)[0]["status"] == "succeeded"

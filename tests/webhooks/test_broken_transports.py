"""Transports of plugins that raise, or return something invalid."""

import pytest

from locframework.ports import Answer


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ZeroDivisionError("oops"), "oops"),
        (SystemExit(3), "SystemExit"),
        (None, "NoneType is not an Answer"),
        ({"status_code": 204}, "dict is not an Answer"),
        (Answer(None, None, 1), "either a status_code or an error"),
        (Answer(204, "timeout", 1), "either a status_code or an error"),
        (Answer("204", None, 1), "status_code"),
        (Answer(99999, None, 1), "status_code"),
        (Answer(None, "lost", 1), "must be one of bad_answer"),
        (Answer(204, None, 1.5), "duration_ms"),
        (Answer(204, None, -1), "duration_ms"),
        (Answer(503, None, 1, 5), "retry_after"),
        (Answer(204, None, 1, None, "okay"), "body is str"),
    ],
)
def test_an_invalid_answer_is_a_failed_attempt_that_is_tried_again(
    timed, clock, monkeypatch, caplog, answer, why
):
    def send(post):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    webhook, _ = timed.create()
    timed.key("a")
    with monkeypatch.context() as patched:
        patched.setattr(timed.receiver, "send", send)
        timed.send()

    [delivery] = timed.log(webhook)
    assert delivery["status"] == "pending"
    assert delivery["attempts"][0]["error"] == "transport_failed"
    assert f"the transport loopback failed with delivery {delivery['id']}" in (
        caplog.text
    )
    assert why in caplog.text
    clock.go(seconds=10)
    timed.send()
    assert timed.log(webhook)[0]["status"] == "succeeded"


@pytest.mark.parametrize("error", [ValueError("10.0.0.7"), SystemExit(3)])
def test_a_failing_check_of_a_url_is_unavailable(hooked, monkeypatch, caplog, error):
    def check_url(url):
        raise error

    monkeypatch.setattr(hooked.receiver, "check_url", check_url)
    body = {"url": hooked.receiver.url, "eventTypes": ["key.created"]}

    refused = hooked.owner.post(hooked.webhooks, json=body)

    assert refused.status == 503
    assert refused.error == {
        "code": "unavailable",
        "message": "the transport loopback failed",
    }
    assert "the transport loopback failed to check a URL" in caplog.text

"""From a change to the receiver and into the log, over HTTP and both databases."""

from __future__ import annotations

from typing import Any

import pytest
from standardwebhooks import WebhookVerificationError


def test_a_change_reaches_the_receiver_signed_and_is_in_the_log(hooked: Any) -> None:
    webhook, secret = hooked.create()

    key = hooked.key("checkout.pay")
    [received] = hooked.send()

    received.verify(secret)
    assert received.headers["content-type"] == "application/json"
    assert received.payload == {
        "type": "key.created",
        "timestamp": received.payload["timestamp"],
        "data": {
            "projectId": hooked.project["id"],
            "branch": None,
            "actor": received.payload["data"]["actor"],
            "items": [{"keyId": key["id"], "key": "checkout.pay"}],
        },
    }
    [delivery] = hooked.log(webhook)
    [attempt] = delivery["attempts"]
    assert delivery["id"] == received.id
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("succeeded", None)
    assert (attempt["number"], attempt["statusCode"]) == (1, 204)
    assert (attempt["trigger"], attempt["error"]) == ("auto", None)
    assert hooked.get(webhook)["lastDeliveryAt"] == attempt["at"]


def test_a_signature_does_not_fit_another_body(hooked: Any) -> None:
    _, secret = hooked.create()
    hooked.key("a")
    [received] = hooked.send()

    received.body = received.body.replace(b"key.created", b"key.deleted")

    with pytest.raises(WebhookVerificationError):
        received.verify(secret)


def test_a_project_has_sixty_replays_a_minute(hooked: Any) -> None:
    webhook, _ = hooked.create()
    hooked.key("a")
    [delivery] = hooked.log(webhook)
    log = f"{hooked.webhooks}/{webhook['id']}/deliveries"
    one = f"{log}/{delivery['id']}/replay"
    unknown = f"{log}/msg_{'0' * 32}/replay"

    assert hooked.owner.post(unknown).status == 404
    assert hooked.owner.post(f"{log}/replay", json={}).status == 202
    done = [hooked.owner.post(one).status for _ in range(59)]
    refused = [hooked.owner.post(one), hooked.owner.post(f"{log}/replay", json={})]

    assert done == [202] * 59
    for answer in refused:
        assert (answer.status, answer.error["code"]) == (429, "rate_limited")
        assert "replays in this project" in answer.error["message"]
        assert 0 < int(answer.headers["Retry-After"]) <= 61
    assert hooked.owner.post(f"{hooked.webhooks}/{webhook['id']}/test").status == 202


def test_a_clock_that_is_put_back_keeps_nobody_from_replaying_for_longer(
    timed: Any, clock: Any
) -> None:
    webhook, _ = timed.create()
    timed.key("a")
    log = f"{timed.webhooks}/{webhook['id']}/deliveries"
    done = [timed.owner.post(f"{log}/replay", json={}).status for _ in range(60)]

    clock.go(days=-1)
    refused = timed.owner.post(f"{log}/replay", json={})

    assert done == [202] * 60
    assert refused.status == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 61

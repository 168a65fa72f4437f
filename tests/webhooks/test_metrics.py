"""What /metrics tells of webhooks."""

import re
from datetime import timedelta

import pytest

from locframework.fields import system_clock

from .conftest import open_hooked


def numbers(client):
    page = client.get("/metrics").content.decode()
    found = re.findall(r"^(locframework_webhooks_[a-z_]+\S*) (\S+)$", page, re.M)
    return {name: float(value) for name, value in found if "_created" not in name}


def test_the_queue_and_the_attempts_are_told(database_url, tmp_path, receiver):
    now = system_clock()
    clock = lambda: now  # noqa: E731
    with open_hooked(database_url, tmp_path, receiver, clock=clock) as hooked:
        hooked.create(eventTypes=["key.created"])
        assert numbers(hooked.owner) == {
            "locframework_webhooks_pending": 0,
            "locframework_webhooks_oldest_seconds": 0,
        }
        for name in "abc":
            hooked.key(name)
        now += timedelta(seconds=90)
        waiting = numbers(hooked.owner)
        receiver.answers = [(204, {}, b""), (503, {}, b"")]
        hooked.send()
        again = numbers(hooked.owner)
        now += timedelta(seconds=5.1)
        sent = numbers(hooked.owner)

    assert waiting["locframework_webhooks_pending"] == 3
    assert waiting["locframework_webhooks_oldest_seconds"] == pytest.approx(
        90, abs=0.01
    )
    assert again["locframework_webhooks_pending"] == 3  # it is counted seldom
    assert sent.pop("locframework_webhooks_oldest_seconds") < 1.2
    assert sent == {
        'locframework_webhooks_attempts_total{outcome="success"}': 2,
        'locframework_webhooks_attempts_total{outcome="503"}': 1,
        "locframework_webhooks_pending": 1,
    }

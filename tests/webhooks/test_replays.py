"""Late attempts, replays and their limit, and deliveries that kill their process."""

import pytest

from locframework.webhooks import service
from tests.databases import statements_of

from .conftest import FAIL, GONE


@pytest.mark.parametrize("answer", [GONE, FAIL])
@pytest.mark.parametrize("changes", ["url", "off and on"])
def test_what_was_under_way_when_a_webhook_was_changed_does_not_judge_it(
    hooked, answer, changes
):
    webhook, _ = hooked.create()
    path, url = f"{hooked.webhooks}/{webhook['id']}", hooked.receiver.url
    patches = {
        "url": [{"url": f"{url}/new"}],
        "off and on": [{"isActive": False}, {"isActive": True}],
    }

    def change(received):
        hooked.receiver.on_request = lambda received: None
        for patch in patches[changes]:
            assert hooked.owner.patch(path, json=patch).status == 200

    hooked.receiver.on_request = change
    hooked.receiver.answers = [answer]
    hooked.key("a")
    hooked.send()

    found = hooked.get(webhook)
    assert (found["isActive"], found["disabledReason"]) == (True, None)
    [delivery] = hooked.log(webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("pending", 1)
    store = hooked.workspace.framework.storage.webhooks
    stored = store.find(webhook["id"], hooked.project["id"])
    assert stored is not None
    assert stored.health.failing_since is None


def test_many_are_replayed_some_at_a_time_and_each_once(hooked, monkeypatch):
    """Others write in between, and those that were replayed first fail again."""
    monkeypatch.setattr(service, "REPLAYED_AT_ONCE", 2)
    webhook, _ = hooked.create(eventTypes=["key.created"])
    hooked.receiver.answers = [GONE] * 6  # which fails the others too
    for name in "abcde":
        hooked.key(name)
    hooked.send()
    framework = hooked.workspace.framework
    sent = []

    def send_at_once():
        sent.append(framework.dispatcher.run_until_idle())

    monkeypatch.setattr(framework.webhooks, "_wake", send_at_once)
    path = f"{hooked.webhooks}/{webhook['id']}/deliveries/replay"
    with statements_of(framework.storage) as seen:
        asked = hooked.owner.post(path, json={})

    assert (asked.status, asked.data["count"], sent) == (202, 5, [2, 2, 1])
    replays = [sql for sql in seen if "cause = 'replay'" in sql]
    assert len(replays) == 3


@pytest.mark.parametrize("trigger", ["event", "test", "replay"])
def test_a_delivery_that_kills_its_process_each_time_is_given_up(timed, clock, trigger):
    webhook, _ = timed.create()
    path = f"{timed.webhooks}/{webhook['id']}"
    if trigger == "event":
        timed.key("a")
    elif trigger == "test":
        timed.owner.post(f"{path}/test")
    else:
        timed.receiver.answers = [GONE]
        timed.key("a")
        timed.send()
        [delivery] = timed.log(webhook)
        timed.replay(webhook, delivery["id"])
    answered = len(timed.receiver.received)
    dispatcher = timed.workspace.framework.dispatcher
    for _ in range(6):
        assert dispatcher._look(1)
        clock.go(seconds=45)
        dispatcher._at_work.clear()

    assert dispatcher._look(1) == []

    [delivery] = timed.log(webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert len(delivery["attempts"]) == answered + 6
    timed.replay(webhook, delivery["id"])
    assert len(timed.send()) == 1
    assert timed.log(webhook)[0]["status"] == "succeeded"


def test_a_project_has_sixty_replays_a_minute(hooked):
    webhook, _ = hooked.create()
    hooked.key("a")
    [delivery] = hooked.log(webhook)
    log = f"{hooked.webhooks}/{webhook['id']}/deliveries"

    assert hooked.replay(webhook, f"msg_{'0' * 32}").status == 404
    assert hooked.owner.post(f"{log}/replay", json={}).status == 202
    done = [hooked.replay(webhook, delivery["id"]).status for _ in range(59)]
    refused = [
        hooked.replay(webhook, delivery["id"]),
        hooked.owner.post(f"{log}/replay", json={}),
    ]

    assert done == [202] * 59
    for answer in refused:
        assert (answer.status, answer.error["code"]) == (429, "rate_limited")
        assert "replays in this project" in answer.error["message"]
        assert 0 < int(answer.headers["Retry-After"]) <= 61
    assert hooked.owner.post(f"{hooked.webhooks}/{webhook['id']}/test").status == 202


def test_a_clock_that_is_put_back_keeps_nobody_from_replaying_for_longer(timed, clock):
    webhook, _ = timed.create()
    timed.key("a")
    log = f"{timed.webhooks}/{webhook['id']}/deliveries"
    done = [timed.owner.post(f"{log}/replay", json={}).status for _ in range(60)]

    clock.go(days=-1)
    refused = timed.owner.post(f"{log}/replay", json={})

    assert done == [202] * 60
    assert refused.status == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 61

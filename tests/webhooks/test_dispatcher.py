"""When deliveries are sent, tried again, given up; and who waits for whom."""

import threading
import time
from datetime import timedelta

import pytest

from locframework import Framework
from locframework.fields import parse_timestamp, timestamp
from locframework.testing.contracts.storage_jobs import lease_owners
from locframework.webhooks.rules import RETRY_AFTER

from .conftest import FAIL, OK, open_hooked


@pytest.fixture
def running(database_url, tmp_path, receiver):
    """As ``hooked``, and sends by itself."""
    with open_hooked(database_url, tmp_path, receiver, start_scheduler=True) as hooked:
        yield hooked


def wait_for(holds, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def test_a_failed_delivery_is_tried_five_times_more_over_seven_hours(timed, clock):
    webhook, _ = timed.create()
    timed.receiver.next_answer = lambda: FAIL
    timed.key("a")
    begun = clock.now

    sent = list(timed.send())
    for plan in RETRY_AFTER:
        [delivery] = timed.log(webhook)
        planned = parse_timestamp(delivery["nextAttemptAt"])
        assert 0.8 * plan <= planned - clock.now + timedelta(milliseconds=1)
        assert planned - clock.now <= plan
        clock.now = planned - timedelta(milliseconds=2)
        assert timed.send() == []
        clock.now = planned
        sent += timed.send()

    [delivery] = timed.log(webhook)
    clock.go(days=20)
    assert timed.send() == []
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert [each["statusCode"] for each in delivery["attempts"]] == [500] * 6
    assert delivery["attempts"][0]["responseBody"] == "broken"
    assert {each.id for each in sent} == {delivery["id"]}
    stamps = [int(each.headers["webhook-timestamp"]) for each in sent]
    assert stamps[0] == int(begun.timestamp())
    assert timedelta(hours=6) < timedelta(seconds=stamps[-1] - stamps[0])
    assert len(stamps) == len(set(stamps)) == 6


def test_retry_after_is_heeded_up_to_twice_the_plan(timed, clock):
    webhook, _ = timed.create()
    timed.receiver.answers = [(429, {"Retry-After": "864000"}, b"")]
    timed.key("a")

    timed.send()

    [delivery] = timed.log(webhook)
    waits = parse_timestamp(delivery["nextAttemptAt"]) - clock.now
    assert waits == timedelta(seconds=10)


def test_410_switches_the_webhook_off_and_ends_all_that_waits(timed):
    webhook, _ = timed.create()
    for name in "abc":
        timed.key(name)
    timed.receiver.answers = [(410, {}, b"gone")]

    sent = timed.send()

    assert len(sent) == 1
    found = timed.get(webhook)
    assert (found["isActive"], found["disabledReason"]) == (False, "gone")
    assert {each["status"] for each in timed.log(webhook)} == {"failed"}
    timed.key("d")
    assert timed.send() == []


def test_five_days_of_failures_switch_a_webhook_off(timed, clock):
    webhook, _ = timed.create()
    timed.receiver.next_answer = lambda: FAIL
    timed.key("a")
    for _ in range(5 * 24):
        timed.send()
        clock.go(hours=1)
    assert timed.get(webhook)["isActive"]

    timed.key("b")
    timed.send()

    found = timed.get(webhook)
    assert (found["isActive"], found["disabledReason"]) == (False, "failing")
    timed.key("c")
    assert {each["status"] for each in timed.log(webhook)} == {"failed"}
    assert len(timed.log(webhook)) == 2
    types = [
        each["type"] for each in timed.owner.get(f"{timed.path}/activity").data["items"]
    ]
    assert "webhook.disabled" in types


def test_one_success_forgives_all_failures(timed, clock):
    webhook, _ = timed.create()
    for answer in (FAIL, OK, FAIL, FAIL):
        timed.receiver.next_answer = lambda answer=answer: answer
        timed.key(f"a{clock.now.day}")
        timed.send()
        at = clock.now
        clock.go(days=2)

    found = timed.get(webhook)
    assert (found["isActive"], found["lastDeliveryAt"]) == (True, timestamp(at))


def test_switched_on_again_a_webhook_has_five_days_anew(timed, clock):
    webhook, _ = timed.create()
    timed.receiver.next_answer = lambda: FAIL
    timed.key("a")
    timed.send()
    clock.go(days=6)
    timed.key("b")
    timed.send()
    path = f"{timed.webhooks}/{webhook['id']}"
    assert not timed.get(webhook)["isActive"]

    timed.owner.patch(path, json={"isActive": True})
    timed.key("c")
    timed.send()

    assert timed.get(webhook)["isActive"]


def test_a_replay_that_fails_leaves_the_plan(timed, clock):
    webhook, _ = timed.create()
    timed.receiver.next_answer = lambda: FAIL
    timed.key("a")
    timed.send()
    [before] = timed.log(webhook)

    timed.replay(webhook, before["id"])
    timed.send()

    [after] = timed.log(webhook)
    assert after["nextAttemptAt"] == before["nextAttemptAt"]
    assert [each["trigger"] for each in after["attempts"]] == ["auto", "replay"]
    clock.go(seconds=5)
    timed.receiver.next_answer = lambda: OK
    timed.send()
    [ended] = timed.log(webhook)
    assert ended["status"] == "succeeded"
    assert [each["number"] for each in ended["attempts"]] == [1, 2, 3]


def test_an_attempt_whose_process_died_is_made_again_after_its_lease(timed, clock):
    webhook, _ = timed.create()
    timed.key("a")
    dispatcher = timed.workspace.framework.dispatcher
    [(lost, _)] = dispatcher._look(1)  # claimed, and never sent

    assert timed.send() == []
    clock.go(seconds=45)
    [received] = timed.send()

    assert received.id == lost.id
    [delivery] = timed.log(webhook)
    first, second = delivery["attempts"]
    assert (first["number"], first["statusCode"], first["error"]) == (1, None, None)
    assert (second["number"], second["statusCode"]) == (2, 204)
    assert delivery["status"] == "succeeded"


def test_the_first_attempt_comes_within_200_ms_of_the_commit(running):
    running.create(eventTypes=["key.created"])
    delays = []
    for number in range(20):
        running.key(f"k{number}")
        committed = time.time()
        wait_for(lambda n=number: len(running.receiver.received) > n)
        delays.append(running.receiver.received[-1].at - committed)

    assert sorted(delays)[len(delays) // 2] < 0.2


def test_another_process_sends_what_was_committed_here_in_time(hooked):
    hooked.create()
    settings = hooked.workspace.framework.settings
    limit = 1.2 if "sqlite" in settings.plugins["peewee"]["database"] else 0.2
    delays = []
    with Framework(settings, [hooked.receiver]) as other:
        other.start()
        for number in range(3):
            time.sleep(0.4)  # at different moments of its second
            hooked.key(f"k{number}")
            committed = time.time()
            wait_for(lambda n=number: len(hooked.receiver.received) > n)
            delays.append(hooked.receiver.received[-1].at - committed)

    assert max(delays) < limit


def test_an_idle_process_sends_one_statement_a_second(hooked):
    hooked.create()
    hooked.key("a")
    settings = hooked.workspace.framework.settings
    with Framework(settings, [hooked.receiver]) as other:
        other.start()
        wait_for(lambda: hooked.receiver.received)
        time.sleep(1)
        seen = []
        other.storage.database.on_statement = [seen.append]
        time.sleep(3)
        other.storage.database.on_statement = None

    assert 2 <= len(seen) <= 4
    assert len(set(seen)) == 1


def test_a_receiver_that_hangs_delays_no_other(running):
    release = threading.Event()
    slow, _ = running.create(
        eventTypes=["key.created"], url=running.receiver.url + "/slow"
    )
    running.receiver.on_request = lambda received: (
        release.wait(20) if received.path.endswith("/slow") else None
    )
    for number in range(40):
        running.key(f"slow{number}")
    wait_for(lambda: len(running.receiver.received) == 4)
    running.create(eventTypes=["key.created"], url=running.receiver.url + "/quick")

    running.key("now")

    def quick():
        return any(r.path.endswith("/quick") for r in running.receiver.received)

    wait_for(quick, seconds=10)  # while the slow ones hang
    hanging = [r for r in running.receiver.received if r.path.endswith("/slow")]
    assert len(hanging) == 4
    release.set()
    wait_for(lambda: all(d["status"] == "succeeded" for d in running.log(slow)))


def test_what_cannot_be_written_down_stops_no_other_delivery(running):
    webhook, _ = running.create(eventTypes=["key.created"])
    dispatcher = running.workspace.framework.dispatcher
    record, failed = dispatcher._record, threading.Event()

    def fail_once(*given):
        if not failed.is_set():
            failed.set()
            raise ZeroDivisionError
        record(*given)

    dispatcher._record = fail_once
    running.key("a")
    wait_for(failed.is_set)
    running.key("b")

    wait_for(lambda: running.log(webhook)[0]["status"] == "succeeded")
    assert running.log(webhook)[1]["status"] == "pending"  # until its lease is over


def test_stopping_finishes_what_is_being_sent(running):
    release = threading.Event()
    webhook, _ = running.create()
    running.receiver.on_request = lambda received: release.wait(20)
    for name in "ab":
        running.key(name)
    wait_for(lambda: len(running.receiver.received) == 2)
    threading.Timer(0.2, release.set).start()

    running.workspace.framework.dispatcher.stop()

    assert {each["status"] for each in running.log(webhook)} == {"succeeded"}


def test_stopping_hands_back_what_does_not_end(running):
    release = threading.Event()
    webhook, _ = running.create()
    running.receiver.on_request = lambda received: release.wait(20)
    running.key("a")
    wait_for(lambda: len(running.receiver.received) == 1)
    dispatcher = running.workspace.framework.dispatcher

    begun = time.monotonic()
    dispatcher.stop(timeout_seconds=0.2)

    assert time.monotonic() - begun < 3
    assert lease_owners(running.workspace.framework.storage) == set()
    release.set()
    running.receiver.on_request = lambda received: None
    wait_for(lambda: running.send() or running.log(webhook)[0]["attempts"][1:])
    first, second = running.receiver.received
    assert first.id == second.id
    assert running.log(webhook)[0]["status"] == "succeeded"

    def are_left():
        names = [thread.name for thread in threading.enumerate()]
        return any(name.startswith("locframework-webhooks") for name in names)

    wait_for(lambda: not are_left())


def test_deliveries_are_dropped_from_the_log_after_thirty_days(timed, clock):
    webhook, _ = timed.create()
    timed.key("a")
    timed.send()
    clock.go(days=29)
    timed.workspace.framework._purge()
    kept = len(timed.log(webhook))
    clock.go(days=2)

    timed.workspace.framework._purge()

    assert (kept, len(timed.log(webhook))) == (1, 0)


def test_an_answer_in_the_log_is_text_of_a_kibibyte_at_most(hooked):
    webhook, _ = hooked.create()
    hooked.receiver.answers = [(400, {}, b"\xff\x00\xf0" + b"x" * 5000)]
    hooked.key("a")

    hooked.send()

    [attempt] = hooked.log(webhook)[0]["attempts"]
    assert attempt["responseBody"] == "\ufffd\ufffd\ufffd" + "x" * 1021

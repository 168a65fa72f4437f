"""A clock that jumps by an hour loses nothing, repeats nothing and stops nobody."""

from datetime import timedelta

import pytest

from locframework.fields import timestamp

from .conftest import FAIL

JUMPS = pytest.mark.parametrize("hours", [1, -1])


@JUMPS
def test_a_failed_delivery_is_sent_once_more_and_not_lost(timed, clock, hours):
    webhook, _ = timed.create()
    timed.receiver.next_answer = lambda: FAIL
    timed.key("a")
    assert len(timed.send()) == 1
    del timed.receiver.next_answer

    clock.go(hours=hours)
    sent = list(timed.send())
    for _ in range(3):  # until the time that was planned before
        clock.go(minutes=30)
        sent += timed.send()

    [delivery] = timed.log(webhook)
    assert delivery["status"] == "succeeded"
    assert [each.id for each in sent] == [delivery["id"]]
    assert timed.key("b")
    assert len(timed.send()) == 1


@JUMPS
def test_a_job_whose_runner_died_is_run_at_once(timed, clock, hours):
    workspace, owner = timed.workspace, timed.owner
    timed.key("a")
    since = timestamp(clock.now - timedelta(days=1))
    accepted = owner.post(f"{timed.path}/activity/revert", json={"since": since})
    jobs, until = workspace.framework.storage.jobs, clock.now + timedelta(seconds=30)
    assert jobs.claim(["revert"], "dead", timestamp(clock.now), timestamp(until))
    workspace.run_jobs()
    assert owner.get(f"{timed.path}/jobs").data["items"][0]["status"] == "running"

    clock.go(hours=hours)
    job = workspace.job_of(accepted)

    assert (job["status"], job["result"]["keysDeleted"]) == ("succeeded", 1)


@JUMPS
def test_tokens_end_when_they_say_and_requests_are_counted_on(timed, clock, hours):
    made = timed.owner.post("/tokens", json={"name": "a day", "expiresInDays": 1})
    token = made.data["secret"]

    def ask():
        headers = {"Authorization": f"Bearer {token}"}
        return timed.owner.get("/tokens/self", headers=headers)

    def left(answer):
        return int(answer.headers["X-RateLimit-Remaining"])

    before = ask()
    clock.go(hours=hours)
    after = ask()
    clock.go(hours=25)
    ended = ask()
    clock.go(hours=-25)

    assert [each.status for each in (before, after, ended, ask())] == [
        200,
        200,
        401,
        200,
    ]
    assert left(after) == left(before) - 1


@JUMPS
def test_a_repeated_request_is_answered_as_before_for_a_day(timed, clock, hours):
    def ask():
        headers = {"Idempotency-Key": "once"}
        return timed.owner.post(
            f"{timed.path}/keys", json={"key": "a"}, headers=headers
        )

    first = ask()
    clock.go(hours=hours)
    again = ask()
    clock.go(hours=26)
    later = ask()

    assert (first.status, again.content) == (201, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (later.status, later.error["code"]) == (409, "key_exists")

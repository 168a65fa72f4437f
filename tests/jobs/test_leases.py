"""Leases: extended while a job runs, released by the dead, fencing off the late."""

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest

from locframework.errors import Unavailable
from locframework.fields import timestamp
from locframework.jobs.lease import PID_NAMESPACE, is_dead, new_owner
from locframework.jobs.records import Progress
from locframework.jobs.runner import CLAIM_LIMIT
from locframework.jobs.work import Cancelled, LeaseLost
from locframework.testing.contracts.storage_jobs import lease_owners

from .world import Handler, succeed, wait_until

NONCE = "0123abcd.0123abcd"


def ended_process():
    """Return the id of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def claim(world, owner):
    """Claim the oldest job for ``owner`` for half an hour."""
    now = world.clock()
    until = timestamp(now + timedelta(minutes=30))
    world.storage.jobs.claim(["test"], owner, timestamp(now), until)
    assert owner in lease_owners(world.storage)


def test_owners_are_unique_and_alive():
    owners = {new_owner() for _ in range(100)}

    assert len(owners) == 100
    assert not any(is_dead(owner) for owner in owners)


@pytest.mark.parametrize(
    ("namespace", "pid", "expected"),
    [
        (PID_NAMESPACE, os.getpid(), True),  # the id was reused
        (PID_NAMESPACE, os.getppid(), False),
        (PID_NAMESPACE, 1, False),  # not ours to signal, and alive
        (socket.gethostname(), os.getpid(), False),  # a container of the same name
        ("elsewhere", os.getpid(), False),
        ("elsewhere", 2**22 + 1, False),
    ],
    ids=[
        "this-process",
        "parent",
        "init",
        "container",
        "this-id-elsewhere",
        "elsewhere",
    ],
)
def test_owner_is_dead_only_if_its_process_certainly_ended(namespace, pid, expected):
    assert is_dead(f"{namespace}:{pid}:{NONCE}") is expected


@pytest.mark.parametrize("reuses_pid", [False, True])
def test_restart_runs_the_jobs_of_the_dead_process(world, reuses_pid):
    runner = world.runner(succeed)
    job_id = world.queue(runner)
    pid = os.getpid() if reuses_pid else ended_process()
    claim(world, f"{PID_NAMESPACE}:{pid}:{NONCE}")

    runner.start()
    done = wait_until(lambda: world.job(job_id).status == "succeeded")
    runner.stop()

    assert done


def test_jobs_of_living_runners_are_left_alone(world):
    handler = Handler(succeed)
    runner, living = world.runner(handler), world.runner(handler)
    owners = [f"elsewhere:1:{NONCE}", living.owner]
    job_ids = [world.queue(runner) for _ in owners]
    for owner in owners:
        claim(world, owner)

    runner.start()
    time.sleep(0.2)
    runner.stop()

    assert handler.runs == 0
    assert {world.job(job_id).status for job_id in job_ids} == {"running"}


def test_job_cancelled_while_its_process_died_does_not_run_again(world):
    handler = Handler(succeed)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    claim(world, f"elsewhere:1:{NONCE}")
    world.jobs(runner).cancel_job(world.caller, world.project.id, job_id)
    world.clock.forward(timedelta(days=366 * 1000).total_seconds())

    runner.run_until_idle()

    assert handler.runs == 0
    assert world.job(job_id).status == "cancelled"


def test_runner_that_lost_its_lease_writes_nothing(world):
    def late(job, work):
        world.clock.forward(31)
        other.run_until_idle()
        with pytest.raises(LeaseLost), work.step():
            pass
        with work.finish() as outcome:
            world.rename("by the late one")
            outcome.result = {"late": True}

    def next_attempt(job, work):
        with work.finish() as outcome:
            world.rename(f"by attempt {job.attempt}")
            outcome.result = {"late": False}

    other = world.runner(next_attempt)
    job = world.run(late)

    assert world.name() == "by attempt 2"
    assert job.result == {"late": False}
    assert world.event_types() == []


def test_check_raises_after_another_runner_claimed_the_job(world):
    raised = threading.Event()

    def late(job, work):
        while not next_attempt.runs:  # a heartbeat may extend the lease meanwhile
            world.clock.forward(31)
            other.run_until_idle()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                work.check_cancelled()
            except LeaseLost:
                raised.set()
                raise
            time.sleep(0.01)

    runner = world.runner(late, heartbeat_seconds=0.01)
    next_attempt = Handler(succeed)
    other = world.runner(next_attempt)
    world.queue(runner)
    runner.run_until_idle()

    assert raised.is_set()


def test_cancel_reaches_the_attempt_that_took_over_in_the_same_runner(world, caplog):
    seen = []

    def run(job, work):
        if job.attempt == 1:
            world.clock.forward(31)
            runner.run_one()  # as another thread of this runner does
            seen.append((1, world.name()))
            with suppress(Cancelled):
                work.check_cancelled()  # LeaseLost
            world.rename("by the late one")
            return
        with work.step() as step:
            step.progress = Progress(1, 2)
            world.rename("by the next")
        runner.cancel(job.job.id)
        seen.append((2, world.name()))
        with pytest.raises(Cancelled):
            work.check_cancelled()
        raise Cancelled

    runner = world.runner(run)
    job_id = world.queue(runner)

    assert runner.run_one()

    assert seen == [(2, "by the next"), (1, "by the next")]
    assert world.name() == "by the next"
    assert world.job(job_id).status == "cancelled"
    assert runner.progress_of(job_id) is None
    assert "was taken over by another runner" in caplog.text
    assert not [each for each in caplog.records if each.exc_info]


def test_heartbeat_extends_the_lease_of_a_long_job(world):
    other = world.runner(succeed)

    def run_a_minute(job, work):
        for step in range(12):
            world.clock.forward(5)
            work.report(step, 12)
            expected = Progress(step, 12)
            assert wait_until(lambda: world.job(job_id).progress == expected)  # noqa: B023
            assert not other.run_one()
        succeed(job, work)

    runner = world.runner(run_a_minute, heartbeat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"
    assert world.job(job_id).progress == Progress(11, 12)


def test_heartbeat_does_not_block_on_a_long_final_transaction(world):
    def write_for_long(job, work):
        with work.finish():
            world.rename("after a while")
            for step in range(20):
                work.report(step, 20)
                world.clock.forward(20)
                time.sleep(0.01)

    runner = world.runner(write_for_long, heartbeat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"
    assert world.name() == "after a while"


def add_step(job, work):
    """Commit one more step than there were."""
    done = job.step_attempt + 1
    with work.step() as step:
        step.note = {"done": done}
        step.progress = Progress(done, 20)


def test_next_attempt_finds_the_checkpoint_of_the_last_step(world):
    checkpoints = []

    def break_off_once(job, work):
        checkpoints.append(job.step)
        if job.step is None:
            add_step(job, work)
            raise Unavailable("gone")
        with work.finish():
            pass

    runner = world.runner(break_off_once)
    job_id = world.queue(runner)
    runner.run_until_idle()
    between = world.job(job_id)
    world.clock.forward(31)
    runner.run_until_idle()

    assert (between.status, between.progress) == ("running", Progress(1, 20))
    assert checkpoints == [None, {"done": 1}]
    assert world.job(job_id).status == "succeeded"


def test_failed_step_is_rolled_back(world):
    def fail_inside(job, work):
        with work.step() as step:
            world.rename("half done")
            step.progress = Progress(9, 20)
            raise ValueError("no")

    before = world.project
    job = world.run(fail_inside)

    assert (job.status, job.progress) == ("failed", Progress(0, 0))
    assert world.project == before


def test_job_with_a_step_in_each_attempt_has_no_claim_limit(world):
    def step_and_break_off(job, work):
        add_step(job, work)
        raise Unavailable("gone")

    handler = Handler(step_and_break_off)
    runner = world.runner(handler)
    world.queue(runner)
    for _ in range(CLAIM_LIMIT + 3):
        runner.run_until_idle()
        world.clock.forward(31)

    assert handler.runs == CLAIM_LIMIT + 3


def test_step_that_takes_longer_than_the_lease_keeps_the_job(world):
    claimed = []

    def slow(job, work):
        with work.step() as step:
            world.clock.forward(31)
            claiming.start()  # waits for the step on SQLite, skips it on PostgreSQL
            step.note = {"done": 1}
        claiming.join()
        claimed.append(other.run_one())
        with work.finish() as outcome:
            outcome.result = {"by": "the slow one"}

    claiming = threading.Thread(target=lambda: claimed.append(waiting.run_one()))
    runner, other, waiting = (world.runner(run) for run in (slow, succeed, succeed))
    job_id = world.queue(runner)

    assert runner.run_one()

    assert claimed == [False, False]
    assert world.job(job_id).result == {"by": "the slow one"}
    assert world.event_types() == []

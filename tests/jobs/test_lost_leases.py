"""A runner that lost its lease changes nothing, and a job is done once for all that."""

import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.work import Cancelled, LeaseLost, Work

from .doing import succeeds, wait_until

World = Any  # tests/jobs/conftest.py
Does = Any


def test_a_runner_that_lost_its_lease_changes_nothing(world: World, does: Does) -> None:
    def slow(job: StoredJob, work: Work) -> None:
        world.clock.forward(31)
        other.run_until_idle()
        with work.finish() as outcome:
            world.rename("by the late one")
            outcome.result = {"late": True}

    def quick(job: StoredJob, work: Work) -> None:
        with work.finish() as outcome:
            world.rename(f"by attempt {job.attempt}")
            outcome.result = {"late": False}

    runner, other = world.runner(does(slow)), world.runner(does(quick))
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.name() == "by attempt 2"
    assert world.job(job_id).result == {"late": False}
    assert world.event_types() == []


def test_the_late_one_is_told_that_the_job_is_gone(world: World, does: Does) -> None:
    told = threading.Event()

    def slow(job: StoredJob, work: Work) -> None:
        while not quick.runs:  # the lease may be extended before the other looks
            world.clock.forward(31)
            other.run_until_idle()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                work.check_cancelled()
            except LeaseLost:
                told.set()
                raise
            time.sleep(0.01)

    runner = world.runner(does(slow), beat_seconds=0.01)
    quick = does(succeeds)
    other = world.runner(quick)
    world.queue(runner)
    runner.run_until_idle()

    assert told.is_set()


def test_a_job_that_its_own_runner_took_over_is_done_once(
    world: World, does: Does, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[tuple[int, str]] = []

    def do(job: StoredJob, work: Work) -> None:
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
        runner.cancel(job.job.id)  # reaches the attempt that is at work
        seen.append((2, world.name()))
        with pytest.raises(Cancelled):
            work.check_cancelled()
        raise Cancelled

    runner = world.runner(does(do))
    job_id = world.queue(runner)

    assert runner.run_one()

    assert seen == [(2, "by the next"), (1, "by the next")]
    assert world.name() == "by the next"
    assert world.job(job_id).status == "cancelled"
    assert runner.progress_of(job_id) is None
    assert "was taken over by another runner" in caplog.text
    assert not [each for each in caplog.records if each.exc_info]


def test_a_step_of_the_late_one_is_not_committed_twice(
    world: World, does: Does, caplog: pytest.LogCaptureFixture
) -> None:
    def add(job: StoredJob, work: Work) -> None:
        done = int((job.step or {}).get("done", 0))
        while done < 3:
            if job.attempt == 1 and done == 2:
                world.clock.forward(31)
                runner.run_one()
            with work.step() as step:
                world.rename(f"{world.name()}+")
                done += 1
                step.note = {"done": done}
        with work.finish():
            pass

    runner = world.runner(does(add))
    job_id = world.queue(runner)

    runner.run_until_idle()

    assert world.name() == "Shop+++"
    assert world.job(job_id).status == "succeeded"
    assert not [each for each in caplog.records if each.exc_info]


def test_a_long_job_keeps_its_lease(world: World, does: Does) -> None:
    other = world.runner(does(succeeds))

    def long(job: StoredJob, work: Work) -> None:
        for step in range(12):  # a minute, in steps of five seconds
            world.clock.forward(5)
            work.report(step, 12)
            assert wait_until(lambda step=step: shown() == Progress(step, 12))
            assert not other.run_one()
        succeeds(job, work)

    def shown() -> Progress:
        return world.job(job_id).progress

    runner = world.runner(does(long), beat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"
    assert world.job(job_id).progress == Progress(11, 12)


def test_the_heartbeat_does_not_stand_in_the_way_of_a_long_transaction(
    world: World, does: Does
) -> None:
    def long_write(job: StoredJob, work: Work) -> None:
        with work.finish():
            world.rename("after a while")
            for step in range(20):
                work.report(step, 20)
                world.clock.forward(20)
                time.sleep(0.01)

    runner = world.runner(does(long_write), beat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"
    assert world.name() == "after a while"

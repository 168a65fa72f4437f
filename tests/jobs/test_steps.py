"""Jobs that go in steps: each is kept with its note, and the next run goes on there."""

import threading
from typing import Any

import pytest

from locframework.errors import Unavailable
from locframework.jobs.records import Progress, StoredJob
from locframework.jobs.runner import CLAIMS_MOST
from locframework.jobs.work import LeaseLost, Work

World = Any  # tests/jobs/conftest.py
Does = Any


def one_step(job: StoredJob, work: Work) -> None:
    """Notes one more step than there were."""
    done = job.step_attempt + 1
    with work.step() as step:
        step.note = {"done": done}
        step.progress = Progress(done, 20)


def test_the_next_run_of_a_job_finds_the_note_of_the_last_step(
    world: World, does: Does
) -> None:
    notes: list[object] = []

    def breaks_off_once(job: StoredJob, work: Work) -> None:
        notes.append(job.step)
        if job.step is None:
            one_step(job, work)
            raise Unavailable("gone")
        with work.finish():
            pass

    runner = world.runner(does(breaks_off_once))
    job_id = world.queue(runner)
    runner.run_until_idle()
    between = world.job(job_id)
    world.clock.forward(31)
    runner.run_until_idle()

    assert (between.status, between.progress) == ("running", Progress(1, 20))
    assert notes == [None, {"done": 1}]
    assert world.job(job_id).status == "succeeded"


def test_what_a_step_that_fails_has_written_is_not_kept(
    world: World, does: Does
) -> None:
    def fails_inside(job: StoredJob, work: Work) -> None:
        with work.step() as step:
            world.rename("half done")
            step.progress = Progress(9, 20)
            raise ValueError("no")

    runner = world.runner(does(fails_inside))
    job_id = world.queue(runner)
    before = world.storage.projects.find(world.project.id)

    runner.run_until_idle()

    job = world.job(job_id)
    assert (job.status, job.progress) == ("failed", Progress(0, 0))
    assert world.storage.projects.find(world.project.id) == before


def test_a_job_that_makes_a_step_each_time_is_not_given_up(
    world: World, does: Does
) -> None:
    def steps_and_breaks_off(job: StoredJob, work: Work) -> None:
        one_step(job, work)
        raise Unavailable("gone")

    handler = does(steps_and_breaks_off)
    runner = world.runner(handler)
    world.queue(runner)
    for _ in range(CLAIMS_MOST + 3):
        runner.run_until_idle()
        world.clock.forward(31)

    assert handler.runs == CLAIMS_MOST + 3


def test_a_runner_that_lost_its_lease_makes_no_step(world: World, does: Does) -> None:
    def slow(job: StoredJob, work: Work) -> None:
        world.clock.forward(31)
        other.run_until_idle()
        with pytest.raises(LeaseLost), work.step():
            pass
        raise LeaseLost

    def quick(job: StoredJob, work: Work) -> None:
        with work.finish():
            pass

    runner, other = world.runner(does(slow)), world.runner(does(quick))
    job_id = world.queue(runner)

    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"


def test_a_step_that_takes_longer_than_the_lease_keeps_the_job(
    world: World, does: Does
) -> None:
    claimed: list[bool] = []

    def slow(job: StoredJob, work: Work) -> None:
        with work.step() as step:
            world.clock.forward(31)
            claiming.start()  # waits for the step on SQLite, passes it on PostgreSQL
            step.note = {"done": 1}
        claiming.join()
        claimed.append(other.run_one())
        with work.finish() as outcome:
            outcome.result = {"by": "the slow one"}

    def quick(job: StoredJob, work: Work) -> None:
        with work.finish() as outcome:
            outcome.result = {"by": "another"}

    def claim() -> None:
        claimed.append(waiting.run_one())

    claiming = threading.Thread(target=claim)
    runner, other, waiting = (world.runner(does(do)) for do in (slow, quick, quick))
    job_id = world.queue(runner)

    assert runner.run_one()

    assert claimed == [False, False]
    assert world.job(job_id).result == {"by": "the slow one"}
    assert world.event_types() == []

"""How jobs run: once, to an end, and never by two."""

import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from locframework.errors import BranchProtected, Unavailable
from locframework.jobs.records import StoredJob
from locframework.jobs.runner import CLAIMS_MOST, SOON_MOST
from locframework.jobs.work import LeaseLost, Work

from .doing import succeeds, wait_until

World = Any  # tests/jobs/conftest.py
Does = Any


def test_a_queued_job_runs_and_ends_with_its_result(world: World, does: Does) -> None:
    runner = world.runner(does(succeeds))
    job_id = world.queue(runner, size=3)

    runner.run_until_idle()

    job = world.job(job_id)
    assert (job.status, job.result) == ("succeeded", {"got": {"size": 3}})
    assert job.started_at is not None
    assert job.finished_at is not None


def test_a_job_of_an_unknown_type_waits(world: World) -> None:
    runner = world.runner()
    job_id = world.queue(runner)

    runner.run_until_idle()

    assert world.job(job_id).status == "queued"


def test_a_job_may_end_partial(world: World, does: Does) -> None:
    def half(job: StoredJob, work: Work) -> None:
        with work.finish() as outcome:
            outcome.status = "partial"

    runner = world.runner(does(half))
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "partial"


def test_what_a_job_writes_is_kept_with_its_end_or_not_at_all(
    world: World, does: Does
) -> None:
    def writes_and_fails(job: StoredJob, work: Work) -> None:
        with work.finish():
            world.rename("half done")
            raise BranchProtected

    runner = world.runner(does(writes_and_fails))
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.name() == "Shop"
    job = world.job(job_id)
    assert job.status == "failed"
    assert job.error is not None
    assert job.error.code == "branch_protected"


def test_a_failed_job_is_told_as_an_event(world: World, does: Does) -> None:
    def fails(job: StoredJob, work: Work) -> None:
        raise BranchProtected

    runner = world.runner(does(fails))
    job_id = world.queue(runner)
    runner.run_until_idle()

    [event] = world.storage.events.list_events(world.project.id, 9)
    assert event.type == "job.failed"
    assert event.actor == world.caller.actor
    [item] = event.items
    assert item == {"jobId": job_id, "type": "test", "code": "branch_protected"}


def test_a_fault_in_a_handler_says_nothing_of_its_inside(
    world: World, does: Does, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(job: StoredJob, work: Work) -> None:
        raise ZeroDivisionError("secret of the host")

    runner = world.runner(does(breaks))
    job_id = world.queue(runner)
    runner.run_until_idle()

    error = world.job(job_id).error
    assert error is not None
    assert error.code == "internal_error"
    assert "secret" not in error.message
    assert "secret of the host" in caplog.text


def test_a_handler_that_forgets_to_finish_failed(world: World, does: Does) -> None:
    runner = world.runner(does(lambda job, work: None))
    job_id = world.queue(runner)
    runner.run_until_idle()

    assert world.job(job_id).status == "failed"


def test_a_job_is_tried_again_when_the_database_did_not_answer(
    world: World, does: Does
) -> None:
    def first_time_down(job: StoredJob, work: Work) -> None:
        if job.attempt == 1:
            raise Unavailable("busy")
        succeeds(job, work)

    runner = world.runner(does(first_time_down))
    job_id = world.queue(runner)
    runner.run_until_idle()
    assert world.job(job_id).status == "running"

    world.clock.forward(2)  # and not the lease, which this runner gave up itself
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"


def test_a_job_that_is_put_off_again_and_again_waits_for_its_lease(
    world: World, does: Does
) -> None:
    def down(job: StoredJob, work: Work) -> None:
        raise Unavailable("busy")

    handler = does(down)
    runner = world.runner(handler)
    world.queue(runner)
    for _ in range(20):
        runner.run_until_idle()
        world.clock.forward(1)

    assert handler.runs == SOON_MOST


def test_a_job_that_never_ends_dies_after_five_claims(world: World, does: Does) -> None:
    def down(job: StoredJob, work: Work) -> None:
        raise Unavailable("busy")

    handler = does(down)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    for _ in range(CLAIMS_MOST + 3):
        runner.run_until_idle()
        world.clock.forward(31)

    assert handler.runs == CLAIMS_MOST
    assert world.job(job_id).status == "failed"


def test_a_job_waits_for_one_who_writes_at_length(
    short_waits: None, world: World, does: Does
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def writes_at_length() -> None:
        with world.storage.transaction():
            world.storage.projects.lock(world.project.id)
            began.set()
            go_on.wait(20)

    def meets_the_other(job: StoredJob, work: Work) -> None:
        other.start()
        assert began.wait(5)
        threading.Timer(0.5, go_on.set).start()  # longer than a transaction waits
        succeeds(job, work)

    other, handler = threading.Thread(target=writes_at_length), does(meets_the_other)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    runner.run_until_idle()
    other.join()

    assert handler.runs == 1
    assert world.job(job_id).status == "succeeded"


def test_a_job_that_waits_can_be_cancelled(
    short_waits: None, world: World, does: Does
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def writes_at_length() -> None:
        with world.storage.transaction():
            world.storage.projects.lock(world.project.id)
            began.set()
            go_on.wait(20)

    def meets_the_other(job: StoredJob, work: Work) -> None:
        other.start()
        assert began.wait(5)
        runner.cancel(job.job.id)
        try:
            succeeds(job, work)
        finally:
            go_on.set()

    other, handler = threading.Thread(target=writes_at_length), does(meets_the_other)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    runner.run_until_idle()
    other.join()

    assert world.job(job_id).status == "cancelled"


def test_each_job_is_done_once_by_many_runners(world: World, does: Does) -> None:
    done: list[str] = []
    handler = does(lambda job, work: (done.append(job.job.id), succeeds(job, work)))
    runners = [world.runner(handler) for _ in range(3)]
    job_ids = [world.queue(runners[0], number=number) for number in range(30)]

    for runner in runners:
        runner.start()
    all_done = wait_until(lambda: len(done) >= 30)
    for runner in runners:
        runner.stop()

    assert all_done
    assert sorted(done) == sorted(job_ids)
    assert {world.job(job_id).status for job_id in job_ids} == {"succeeded"}


def test_a_job_begins_right_after_the_commit(world: World, does: Does) -> None:
    began = threading.Event()
    runner = world.runner(does(lambda job, work: (began.set(), succeeds(job, work))))
    runner.start()
    time.sleep(0.05)

    world.queue(runner)
    has_begun = began.wait(30)
    runner.stop()

    assert has_begun  # no ticker is running: only the commit can have told


def test_stop_waits_for_the_job_at_work(world: World, does: Does) -> None:
    began, go_on = threading.Event(), threading.Event()

    def waits(job: StoredJob, work: Work) -> None:
        began.set()
        go_on.wait(5)
        succeeds(job, work)

    runner = world.runner(does(waits))
    runner.start()
    job_id = world.queue(runner)
    assert began.wait(5)
    threading.Timer(0.1, go_on.set).start()
    runner.stop(timeout_seconds=5)

    assert world.job(job_id).status == "succeeded"


def test_stop_gives_back_a_job_that_takes_too_long(world: World, does: Does) -> None:
    began, go_on = threading.Event(), threading.Event()

    def stuck(job: StoredJob, work: Work) -> None:
        began.set()
        go_on.wait(5)
        with suppress(LeaseLost):
            work.check_cancelled()
            world.rename("too late")

    runner = world.runner(does(stuck))
    runner.start()
    job_id = world.queue(runner)
    assert began.wait(5)
    runner.stop(timeout_seconds=0.05)
    world.runner(does(succeeds)).run_until_idle()  # no need to wait for the lease
    go_on.set()

    assert world.job(job_id).status == "succeeded"
    assert world.name() == "Shop"


@pytest.mark.parametrize("cancelled_by", ["the same process", "another"])
def test_a_running_job_is_cancelled_when_it_looks(
    world: World, does: Does, cancelled_by: str
) -> None:
    def cancels_and_looks(job: StoredJob, work: Work) -> None:
        by = runner if cancelled_by == "the same process" else world.runner()
        world.jobs(by).cancel_job(world.caller, world.project.id, job.job.id)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            work.check_cancelled()
            time.sleep(0.005)

    runner = world.runner(does(cancels_and_looks), beat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    job = world.job(job_id)
    assert (job.status, job.error) == ("cancelled", None)
    assert job.finished_at is not None
    assert world.event_types() == ["job.cancelled"]

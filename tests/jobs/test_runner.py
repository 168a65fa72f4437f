"""Jobs run once, to an end, and are retried when the database is unavailable."""

import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest

from locframework.errors import BranchProtected, Unavailable
from locframework.housekeeping import Purge
from locframework.jobs.records import JobQuery, Progress
from locframework.jobs.runner import CLAIM_LIMIT, EARLY_RETRY_LIMIT
from locframework.jobs.work import LeaseLost
from locframework.testing.contracts.storage_events import latest

from .world import Handler, succeed, wait_until


def fail_unavailable(job, work):
    raise Unavailable("busy")


def end_partial(job, work):
    with work.finish() as outcome:
        outcome.status, outcome.result = "partial", {"params": dict(job.params)}


@pytest.mark.parametrize(
    ("run", "status"),
    [
        (succeed, "succeeded"),
        (end_partial, "partial"),
        (lambda job, work: None, "failed"),  # not finished by its handler
    ],
)
def test_queued_job_runs_and_ends_with_its_result(world, run, status):
    job = world.run(run, size=3)

    assert job.status == status
    assert job.result == (None if status == "failed" else {"params": {"size": 3}})
    assert job.started_at is not None
    assert job.finished_at is not None


def test_job_of_an_unknown_type_stays_queued(world):
    runner = world.runner()
    job_id = world.queue(runner)

    runner.run_until_idle()

    assert world.job(job_id).status == "queued"


def test_writes_of_a_refused_end_are_rolled_back_and_job_failed_is_an_event(world):
    def write_and_fail(job, work):
        with work.finish():
            world.rename("half done")
            raise BranchProtected

    job = world.run(write_and_fail)

    assert world.name() == "Shop"
    assert job.status == "failed"
    assert job.error is not None
    assert job.error.code == "branch_protected"
    assert world.event_types() == ["job.failed"]
    event = latest(world.storage.events, world.project.id, 1)[0]
    assert event.actor == world.caller.actor
    [item] = event.items
    assert item == {"jobId": job.id, "type": "test", "code": "branch_protected"}


def test_message_of_an_unexpected_error_is_logged_and_not_shown(world, caplog):
    def break_down(job, work):
        raise ZeroDivisionError("secret of the host")

    error = world.run(break_down).error

    assert error is not None
    assert error.code == "internal_error"
    assert "secret" not in error.message
    assert "secret of the host" in caplog.text


def test_job_whose_start_is_rolled_back_does_not_exist(world):
    handler = Handler(succeed)
    runner = world.runner(handler)
    jobs = world.jobs(runner)

    def start_and_fail():
        with world.storage.transaction():
            jobs.start(world.caller, world.project, "test", "import_run", {})
            raise KeyError

    with pytest.raises(KeyError):
        start_and_fail()
    runner.run_until_idle()

    assert handler.runs == 0
    assert jobs.list_jobs(world.caller, world.project.id, JobQuery()).total == 0


def test_progress_is_shown_as_it_is_reported(world):
    seen = []

    def read_own_progress(job, work):
        for done in range(3):
            work.report(done, 3)
            shown = jobs.get_job(world.caller, world.project.id, job.job.id)
            seen.append(shown.progress)
        [shown] = jobs.list_jobs(world.caller, world.project.id, JobQuery()).items
        seen.append(shown.progress)
        succeed(job, work)

    runner = world.runner(read_own_progress)
    jobs = world.jobs(runner)
    world.queue(runner)
    runner.run_until_idle()

    assert seen == [Progress(0, 3), Progress(1, 3), Progress(2, 3), Progress(2, 3)]


def test_ended_jobs_are_deleted_after_thirty_days(world):
    runner = world.runner(succeed)
    purge, job_id = Purge(world.storage, world.clock), world.queue(runner)
    runner.run_until_idle()

    world.clock.forward(timedelta(days=29, hours=23).total_seconds())
    purge()
    assert world.job(job_id).status == "succeeded"

    world.clock.forward(timedelta(hours=2).total_seconds())
    queued = world.queue(runner)
    purge()
    assert world.job(queued).status == "queued"
    assert world.storage.jobs.find(world.project.id, job_id) is None


def test_job_is_retried_after_a_second_when_the_database_was_unavailable(world):
    def fail_first(job, work):
        if job.attempt == 1:
            raise Unavailable("busy")
        succeed(job, work)

    runner = world.runner(fail_first)
    job_id = world.queue(runner)
    runner.run_until_idle()
    assert world.job(job_id).status == "running"

    world.clock.forward(2)  # less than the lease
    runner.run_until_idle()

    assert world.job(job_id).status == "succeeded"


def test_early_retries_end_after_the_limit(world):
    handler = Handler(fail_unavailable)
    runner = world.runner(handler)
    world.queue(runner)
    for _ in range(20):
        runner.run_until_idle()
        world.clock.forward(1)

    assert handler.runs == EARLY_RETRY_LIMIT


def test_job_that_never_ends_fails_after_five_claims(world):
    handler = Handler(fail_unavailable)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    for _ in range(CLAIM_LIMIT + 3):
        runner.run_until_idle()
        world.clock.forward(31)

    assert handler.runs == CLAIM_LIMIT
    assert world.job(job_id).status == "failed"


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_job_waits_for_a_long_transaction_and_can_be_cancelled_meanwhile(
    short_waits, world, is_cancelled
):
    locked, unlock = threading.Event(), threading.Event()

    def hold_lock():
        with world.storage.transaction():
            world.storage.projects.lock(world.project.id)
            locked.set()
            unlock.wait(20)

    def finish_while_locked(job, work):
        other.start()
        assert locked.wait(5)
        if is_cancelled:
            runner.cancel(job.job.id)
        else:  # longer than a transaction waits
            threading.Timer(0.5, unlock.set).start()
        try:
            succeed(job, work)
        finally:
            unlock.set()

    other, handler = threading.Thread(target=hold_lock), Handler(finish_while_locked)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    runner.run_until_idle()
    other.join()

    assert handler.runs == 1
    assert world.job(job_id).status == ("cancelled" if is_cancelled else "succeeded")


def test_many_runners_run_each_job_once(world):
    done = []
    handler = Handler(lambda job, work: (done.append(job.job.id), succeed(job, work)))
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


def test_job_starts_after_the_commit_without_a_poll(world):
    started = threading.Event()
    runner = world.runner(lambda job, work: (started.set(), succeed(job, work)))
    runner.start()
    time.sleep(0.05)

    world.queue(runner)
    has_started = started.wait(30)
    runner.stop()

    assert has_started  # no ticker is running


@pytest.mark.parametrize("is_in_time", [True, False])
def test_stop_waits_for_a_running_job_and_then_releases_it(world, is_in_time):
    started, resume = threading.Event(), threading.Event()

    def wait(job, work):
        started.set()
        resume.wait(5)
        with suppress(LeaseLost):
            work.check_cancelled()
            world.rename("in time")
            succeed(job, work)

    runner = world.runner(wait)
    runner.start()
    job_id = world.queue(runner)
    assert started.wait(5)
    if is_in_time:
        threading.Timer(0.1, resume.set).start()
    runner.stop(timeout_seconds=5 if is_in_time else 0.05)
    world.runner(succeed).run_until_idle()  # before the lease expires
    resume.set()

    assert world.job(job_id).status == "succeeded"
    assert world.name() == ("in time" if is_in_time else "Shop")


@pytest.mark.parametrize("cancelled_by", ["the same process", "another"])
def test_running_job_is_cancelled_at_its_next_check(world, cancelled_by):
    def cancel_and_check(job, work):
        by = runner if cancelled_by == "the same process" else world.runner()
        world.jobs(by).cancel_job(world.caller, world.project.id, job.job.id)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            work.check_cancelled()
            time.sleep(0.005)

    runner = world.runner(cancel_and_check, heartbeat_seconds=0.01)
    job_id = world.queue(runner)
    runner.run_until_idle()

    job = world.job(job_id)
    assert (job.status, job.error) == ("cancelled", None)
    assert job.finished_at is not None
    assert world.event_types() == ["job.cancelled"]

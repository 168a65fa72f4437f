"""Who sees which jobs, and what can be done with them."""

from datetime import timedelta
from typing import Any

import pytest

from locframework.access.records import Caller, Grant
from locframework.errors import JobNotCancellable, JobNotFound, ProjectNotFound
from locframework.events import Actor
from locframework.fields import new_id
from locframework.jobs.records import JobQuery, Progress, StoredJob
from locframework.jobs.work import Work

from .doing import succeeds

World = Any  # tests/jobs/conftest.py
Does = Any


def test_a_job_is_seen_with_the_permission_that_started_it(world: World) -> None:
    runner = world.runner()
    jobs, job_id = world.jobs(runner), world.queue(runner)
    other = world.with_permissions("import_run")

    assert jobs.get_job(other, world.project.id, job_id).id == job_id
    assert jobs.list_jobs(other, world.project.slug, JobQuery()).total == 1


def test_a_job_of_another_kind_reads_like_one_that_is_not_there(world: World) -> None:
    runner = world.runner()
    jobs, job_id, absent = world.jobs(runner), world.queue(runner), new_id()
    viewer = world.with_permissions("project_read")

    with pytest.raises(JobNotFound) as hidden:
        jobs.get_job(viewer, world.project.id, job_id)
    with pytest.raises(JobNotFound) as missing:
        jobs.get_job(viewer, world.project.id, absent)
    with pytest.raises(JobNotFound):
        jobs.cancel_job(viewer, world.project.id, job_id)

    assert hidden.value.message.replace(job_id, absent) == missing.value.message
    assert jobs.list_jobs(viewer, world.project.id, JobQuery()).items == []
    assert world.job(job_id).status == "queued"


def test_jobs_of_a_foreign_project_are_out_of_sight(world: World) -> None:
    runner = world.runner()
    jobs, job_id = world.jobs(runner), world.queue(runner)
    stranger = Caller(
        Actor("user", new_id()), (Grant(new_id(), frozenset({"import_run"})),)
    )

    with pytest.raises(ProjectNotFound):
        jobs.get_job(stranger, world.project.id, job_id)
    with pytest.raises(ProjectNotFound):
        jobs.list_jobs(stranger, world.project.id, JobQuery())


@pytest.mark.parametrize("id_", ["", "x", "0" * 36, "../../etc", "x" * 5000])
def test_an_id_that_is_none_is_not_found(world: World, id_: str) -> None:
    with pytest.raises(JobNotFound):
        world.jobs(world.runner()).get_job(world.caller, world.project.id, id_)


def test_jobs_are_listed_newest_first_a_page_at_a_time(world: World) -> None:
    runner = world.runner()
    job_ids = []
    for _ in range(5):
        job_ids.append(world.queue(runner))
        world.clock.forward(1)

    page = world.jobs(runner).list_jobs(
        world.caller, world.project.id, JobQuery(page=2, limit=2)
    )

    assert page.total == 5
    assert [job.id for job in page.items] == [job_ids[2], job_ids[1]]


def test_a_queued_job_is_cancelled_at_once(world: World, does: Does) -> None:
    handler = does(succeeds)
    runner = world.runner(handler)
    job_id = world.queue(runner)

    job = world.jobs(runner).cancel_job(world.caller, world.project.id, job_id)
    runner.run_until_idle()

    assert job.status == "cancelled"
    assert job.finished_at == "2026-11-21T09:00:00.000Z"
    assert handler.runs == 0
    assert world.event_types() == ["job.cancelled"]


def test_a_job_that_ended_cannot_be_cancelled(world: World, does: Does) -> None:
    runner = world.runner(does(succeeds))
    job_id = world.queue(runner)
    runner.run_until_idle()

    with pytest.raises(JobNotCancellable):
        world.jobs(runner).cancel_job(world.caller, world.project.id, job_id)

    assert world.job(job_id).status == "succeeded"


def test_a_job_that_was_not_committed_never_was(world: World, does: Does) -> None:
    handler = does(succeeds)
    runner = world.runner(handler)
    jobs = world.jobs(runner)

    def start_and_fail() -> None:
        with world.storage.transaction():
            jobs.start(world.caller, world.project, "test", "import_run", {})
            raise KeyError

    with pytest.raises(KeyError):
        start_and_fail()
    runner.run_until_idle()

    assert handler.runs == 0
    assert jobs.list_jobs(world.caller, world.project.id, JobQuery()).total == 0


def test_progress_is_shown_as_it_is_reported(world: World, does: Does) -> None:
    seen: list[Progress] = []

    def looks_at_itself(job: StoredJob, work: Work) -> None:
        for done in range(3):
            work.report(done, 3)
            shown = jobs.get_job(world.caller, world.project.id, job.job.id)
            seen.append(shown.progress)
        [shown] = jobs.list_jobs(world.caller, world.project.id, JobQuery()).items
        seen.append(shown.progress)
        succeeds(job, work)

    runner = world.runner(does(looks_at_itself))
    jobs = world.jobs(runner)
    world.queue(runner)
    runner.run_until_idle()

    assert seen == [Progress(0, 3), Progress(1, 3), Progress(2, 3), Progress(2, 3)]


def test_jobs_are_kept_for_thirty_days(world: World, does: Does) -> None:
    runner = world.runner(does(succeeds))
    jobs, job_id = world.jobs(runner), world.queue(runner)
    runner.run_until_idle()

    world.clock.forward(timedelta(days=29, hours=23).total_seconds())
    assert jobs.prune() == 0
    assert world.job(job_id).status == "succeeded"

    world.clock.forward(timedelta(hours=2).total_seconds())
    waiting = world.queue(runner)
    assert jobs.prune() == 1
    assert world.job(waiting).status == "queued"
    assert world.storage.jobs.find(world.project.id, job_id) is None

"""Schedules start jobs once, in projects with settings, however many processes run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest
from locframework_storage_peewee.storage import PeeweeStorage

from locframework import Framework, Settings
from locframework.plugin_services.rules import last_due, next_after, trigger_of
from locframework.ports import PluginJob
from tests.plugin_services.conftest import DigestPlugin

NINE = "T09:00:00.000Z"


def times(world, project=None):
    """What the jobs of a project were scheduled for; ``send`` is due at 9."""
    return [each["scheduledFor"] for each in params(world, project)]


def params(world, project=None):
    store = world.framework.storage.jobs
    found = [store.find(None, each["id"]) for each in world.jobs(project)]
    return [each.params for each in found]


def switched_on(world, *projects):
    """Set the plugin's settings in the projects, by default in the one of the world."""
    for project in projects or (world.project,):
        path = f"/projects/{project['id']}/plugins/digest"
        assert world.owner.patch(path, json={}).status == 200
    world.framework.schedules.run_due()
    return world


def test_a_job_starts_at_each_time_in_projects_that_have_settings(world):
    other, without = world.workspace.project(), world.workspace.project()
    switched_on(world, world.project, other)

    for _ in range(50):
        world.clock.forward(hours=1)
        world.framework.schedules.run_due()
        world.framework.schedules.run_due()

    expected = [f"2026-11-22{NINE}", f"2026-11-23{NINE}"]
    assert times(world) == times(world, other) == expected
    assert times(world, without) == []
    [job, _] = world.jobs()
    assert (job["type"], job["createdBy"]) == ("plugin.digest.send", "digest")


def test_a_scheduled_job_runs_for_the_plugin_which_may_do_everything(world):
    callers = []
    world.plugin.run = lambda job, work: callers.append(job.caller)
    switched_on(world)
    world.clock.forward(days=1)
    world.framework.schedules.run_due()
    world.workspace.run_jobs()

    [caller] = callers
    assert (caller.actor.type, caller.actor.id) == ("plugin", "digest")
    assert caller.everything


def test_settings_that_come_or_projects_that_go_count_from_the_next_time(world):
    gone = world.workspace.project()
    switched_on(world, gone)
    world.owner.delete(f"/projects/{gone['id']}")
    world.owner.patch(world.settings, json={})
    world.clock.forward(days=1)
    world.framework.schedules.run_due()

    assert times(world) == [f"2026-11-22{NINE}"]
    jobs = world.framework.jobs.list_every_job()
    assert [each.project_id for each in jobs.items] == [world.id]


@pytest.mark.parametrize("days", [1, 3, 60])
def test_times_that_passed_are_made_up_for_by_one_job(world, days):
    switched_on(world)
    world.clock.forward(days=days)

    world.framework.schedules.run_due()
    world.framework.schedules.run_due()

    last = world.clock().replace(hour=9)
    assert times(world) == [f"{last:%Y-%m-%d}{NINE}"]


def test_a_new_schedule_begins_with_the_first_time_after_the_start(world):
    switched_on(world)
    world.clock.forward(hours=20)
    world.framework.schedules.run_due()
    assert times(world) == []
    world.clock.forward(hours=1)
    world.framework.schedules.run_due()
    assert times(world) == [f"2026-11-22{NINE}"]


def test_a_clock_that_is_set_back_starts_nothing_twice(world):
    switched_on(world)
    for move in (24, -12, 12, -23):
        world.clock.forward(hours=move)
        world.framework.schedules.run_due()

    assert times(world) == [f"2026-11-22{NINE}"]


def test_nothing_is_asked_of_the_database_until_something_is_due(world):
    switched_on(world)
    storage = world.framework.storage
    assert isinstance(storage, PeeweeStorage)
    asked = []
    storage.database.on_statement = [asked.append]
    world.clock.forward(hours=20, minutes=59, seconds=59)
    world.framework.schedules.run_due()
    idle = len(asked)
    world.clock.forward(seconds=1)
    world.framework.schedules.run_due()
    due = len(asked)
    world.framework.schedules.run_due()

    assert idle == 0
    assert 0 < due == len(asked) <= 4  # read, claim, projects, jobs


def test_the_number_of_statements_does_not_depend_on_that_of_projects(world):
    switched_on(world, *(world.workspace.project() for _ in range(5)))
    storage = world.framework.storage
    asked = []
    storage.database.on_statement = [asked.append]
    world.clock.forward(days=1)
    world.framework.schedules.run_due()

    assert len(asked) <= 4


@pytest.fixture
def group(database_url, tmp_path, clock):
    """Four processes, each with its own plugin, that share a database."""
    plugins = {"peewee": {"database": database_url}, "disk": {"folder": f"{tmp_path}"}}
    settings = Settings.of({"start_scheduler": False, "plugins": plugins})
    with ExitStack() as stack:
        yield [
            stack.enter_context(Framework(settings, [DigestPlugin()], clock=clock))
            for _ in range(4)
        ]


def test_of_several_processes_one_starts_the_jobs(world, group):
    switched_on(world)
    for each in group:
        each.schedules.run_due()
    for day in range(1, 6):
        world.clock.forward(days=1)
        together = Barrier(len(group))

        def run(framework, together=together):
            together.wait(10)
            framework.schedules.run_due()

        with ThreadPoolExecutor(len(group)) as threads:
            list(threads.map(run, group))
        assert len(times(world)) == day

    assert times(world) == [f"2026-11-{day}{NINE}" for day in range(22, 27)]


def test_a_process_that_was_down_makes_up_for_what_nobody_did(world, group):
    switched_on(world)
    first, second, *_ = group
    first.schedules.run_due()
    world.clock.forward(days=1)
    first.schedules.run_due()
    second.schedules.run_due()  # done already
    world.clock.forward(days=1)
    second.schedules.run_due()

    assert times(world) == [f"2026-11-22{NINE}", f"2026-11-23{NINE}"]


def test_jobs_that_could_not_be_stored_are_started_at_the_next_look(world, monkeypatch):
    switched_on(world)
    world.clock.forward(days=1)
    store = type(world.framework.storage.jobs)
    add = store.add

    def fail(self, *jobs):
        add(self, *jobs)
        raise ZeroDivisionError

    monkeypatch.setattr(store, "add", fail)
    with pytest.raises(ZeroDivisionError):
        world.framework.schedules.run_due()
    monkeypatch.setattr(store, "add", add)
    assert times(world) == []
    world.framework.schedules.run_due()

    assert times(world) == [f"2026-11-22{NINE}"]


def trigger(cron, timezone="UTC"):
    return trigger_of(PluginJob("x", "project_read", print, cron, timezone))


@pytest.mark.parametrize(
    ("month", "day", "times"),
    [
        # there is no 2:30 on the 29th: it counts at 3:30
        (3, 27, ["27 01:30", "28 01:30", "29 01:30", "30 00:30"]),
        # 2:30 comes twice on the 25th
        (10, 23, ["23 00:30", "24 00:30", "25 00:30", "25 01:30", "26 01:30"]),
    ],
)
def test_times_are_those_of_the_time_zone_also_when_clocks_change(month, day, times):
    daily = trigger("30 2 * * *", "Europe/Berlin")
    at, due = datetime(2026, month, day, tzinfo=UTC), []
    for _ in times:
        at = next_after(daily, at)
        due.append(f"{at:%d %H:%M}")

    assert due == times


@pytest.mark.parametrize("cron", ["* * * * *", "*/5 9-17 * * mon-fri", "0 0 29 2 *"])
def test_the_last_due_time_is_the_one_before_the_next(cron):
    schedule, start = trigger(cron), datetime(2019, 1, 1, tzinfo=UTC)
    for hours in (0.01, 1, 5, 100, 10_000, 60_000):
        now = start + timedelta(hours=hours)
        found = last_due(schedule, start, now)

        if found is None:
            assert next_after(schedule, start) > now
        else:
            assert start < found <= now
            assert next_after(schedule, found) > now

"""Jobs and schedules of plugins whose process is killed come to the same end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from locframework import OPERATOR
from locframework.ports import Progress
from locframework.testing.workspace import open_workspace

from .child import NUMBERS, CountPlugin

pytestmark = pytest.mark.kill

CHILD = Path(__file__).with_name("child.py")
LEASE_DAYS = 1 / 24 / 60  # a minute: the lease of who was killed has ended
PLACES = (
    "job.after_claim",
    "job.before_step",  # its writes are gone
    "job.after_step",
    "job.before_step#2",
    "job.before_commit",  # all steps are done, the end is not stored
)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(database_url, tmp_path):
    """Runs a process that works on what is due; it dies at ``crash_at``."""

    def run(crash_at="", days=0.0):
        done = subprocess.run(
            [sys.executable, CHILD, database_url, tmp_path, f"{days}"],
            env={**os.environ, "LOCFRAMEWORK_CRASH_AT": crash_at},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == (137 if crash_at else 0), done.stderr

    return run


@pytest.fixture
def project(database_url, tmp_path):
    """A project in a workspace that does no work."""
    plugins = [CountPlugin()]
    with open_workspace(database_url, tmp_path, plugins=plugins) as workspace:
        made = workspace.project()
        made["framework"] = workspace.framework
        made["own"] = workspace.framework.plugin("count")
        yield made


def counted(project):
    items = project["own"].data(project["id"]).list_items().items
    return {each.key: each.value for each in items}


def jobs(project):
    return project["framework"].jobs.list_jobs(OPERATOR, project["id"]).items


def test_a_job_killed_anywhere_does_each_step_once(project, run):
    project["own"].start_job(OPERATOR, project["id"], "up")
    done = []

    for number, place in enumerate(PLACES):
        run(place, days=number * LEASE_DAYS)
        done.append(len(counted(project)))
    run(days=len(PLACES) * LEASE_DAYS)

    assert done == [0, 0, 1, 2, 4]
    assert counted(project) == {f"{number}": 1 for number in range(NUMBERS)}
    [job] = jobs(project)
    assert (job.status, job.result) == ("succeeded", {"counted": NUMBERS})
    assert job.progress == Progress(NUMBERS, NUMBERS)


def test_a_start_that_was_killed_is_made_by_the_next_process_and_not_twice(
    project, run
):
    framework = project["framework"]
    framework.project_settings.update_settings(OPERATOR, project["id"], "count", {})
    framework.schedules.run_due()  # the schedule is new

    run("schedule.before_commit", days=366)
    assert jobs(project) == []
    run("job.after_claim", days=366)
    run(days=366 + LEASE_DAYS)

    [job] = jobs(project)
    assert (job.type, job.status) == ("plugin.count.up", "succeeded")

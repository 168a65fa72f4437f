"""What probes and metrics tell of jobs, and when these are stalled."""

import re

import pytest

from locframework import create_app
from locframework.errors import UnreadableFile
from locframework.testing.client import Client

from .world import Handler, succeed


@pytest.fixture
def client(world):
    return Client(create_app(world.framework))


def metrics(client):
    page = client.get("/metrics").content.decode()
    found = re.findall(r"^locframework_jobs_(\S+) (\S+)$", page, re.M)
    return {name: float(value) for name, value in found if "_created" not in name}


def readiness(client):
    answer = client.get("/readyz")
    assert answer.status == 200
    return answer.data["jobs"]


def test_jobs_are_stalled_when_none_was_worked_on_for_a_minute(world, client):
    def run(job, work):
        seen.append(readiness(client))
        succeed(job, work)

    def after(seconds):
        world.clock.forward(seconds)
        return readiness(client)

    seen = []
    runner = world.runner(run)
    world.queue(runner)
    assert [after(0), after(55), after(5)] == ["ok", "ok", "stalled"]
    assert metrics(client)["stalled"] == 1
    assert metrics(client)["oldest_seconds"] == 60

    world.queue(runner)
    world.clock.forward(5)
    assert runner.run_one()
    assert seen == ["ok"]
    assert [after(5), after(50), after(5)] == ["ok", "ok", "stalled"]

    assert runner.run_one()
    assert after(100) == "ok"


def test_metrics_count_open_jobs_and_outcomes(world, client):
    def refuse(job, work):
        raise UnreadableFile("line 3")

    runner = world.framework.runner
    for _ in range(3):
        world.queue(runner)
    queued = metrics(client)
    for run in (succeed, refuse):
        runner.add_handler(Handler(run))
        runner.run_one()
    world.clock.forward(5)

    assert queued == {
        'open{status="queued",type="test"}': 3,
        "oldest_seconds": 0,
        "stalled": 0,
    }
    assert metrics(client) == {
        'ended_total{outcome="succeeded",type="test"}': 1,
        'ended_total{outcome="failed",type="test"}': 1,
        'open{status="queued",type="test"}': 1,
        "oldest_seconds": 5,
        "stalled": 0,
    }

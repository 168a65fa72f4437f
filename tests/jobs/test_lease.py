"""A lease is kept by the living, and what the dead held is free at once."""

import os
import socket
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

import pytest

from locframework.fields import timestamp
from locframework.jobs.lease import PLACE, is_dead, new_owner

from .doing import succeeds, wait_until

World = Any  # tests/jobs/conftest.py
Does = Any


def dead_process() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_a_runner_of_this_process_lives() -> None:
    assert not is_dead(new_owner())


def test_every_runner_has_a_name_of_its_own() -> None:
    assert len({new_owner() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("host", "pid", "expected"),
    [
        (PLACE, os.getpid(), True),  # the number was used again
        (PLACE, os.getppid(), False),
        (PLACE, 1, False),  # not ours to signal, and alive
        (socket.gethostname(), os.getpid(), False),  # a container of the same name
        ("elsewhere", os.getpid(), False),
        ("elsewhere", 2**22 + 1, False),
    ],
    ids=[
        "this-process",
        "its-parent",
        "init",
        "container",
        "this-number-elsewhere",
        "elsewhere",
    ],
)
def test_only_who_surely_ended_is_dead(host: str, pid: int, expected: bool) -> None:
    assert is_dead(f"{host}:{pid}:0123abcd.0123abcd") is expected


def test_a_process_that_ended_is_dead() -> None:
    assert is_dead(f"{PLACE}:{dead_process()}:0123abcd.0123abcd")


def hold(world: World, job_id: str, owner: str) -> None:
    """Let ``owner`` have claimed the job."""
    now = world.clock()
    until = timestamp(now + timedelta(minutes=30))
    world.storage.jobs.claim(["test"], owner, timestamp(now), until)
    assert owner in world.storage.lease_owners()


def test_a_restart_goes_on_with_the_jobs_of_the_dead_process(
    world: World, does: Does
) -> None:
    pid = dead_process()
    runner = world.runner(does(succeeds))
    job_id = world.queue(runner)
    hold(world, job_id, f"{PLACE}:{pid}:0123abcd.0123abcd")

    runner.start()
    done = wait_until(lambda: world.job(job_id).status == "succeeded")
    runner.stop()

    assert done


def test_a_new_process_under_the_old_number_goes_on_too(
    world: World, does: Does
) -> None:
    runner = world.runner(does(succeeds))
    job_id = world.queue(runner)
    hold(world, job_id, f"{PLACE}:{os.getpid()}:0123abcd.0123abcd")

    runner.start()
    done = wait_until(lambda: world.job(job_id).status == "succeeded")
    runner.stop()

    assert done


def test_jobs_of_living_runners_are_left_alone(world: World, does: Does) -> None:
    handler = does(succeeds)
    runner, living = world.runner(handler), world.runner(handler)
    hosts = ["elsewhere:1:0123abcd.0123abcd", living.owner]
    job_ids = [world.queue(runner) for _ in hosts]
    for job_id, owner in zip(job_ids, hosts, strict=True):
        hold(world, job_id, owner)

    runner.start()
    time.sleep(0.2)
    runner.stop()

    assert handler.runs == 0
    assert {world.job(job_id).status for job_id in job_ids} == {"running"}


def test_a_job_cancelled_while_its_process_died_does_not_run_again(
    world: World, does: Does
) -> None:
    handler = does(succeeds)
    runner = world.runner(handler)
    job_id = world.queue(runner)
    hold(world, job_id, "elsewhere:1:0123abcd.0123abcd")
    world.jobs(runner).cancel_job(world.caller, world.project.id, job_id)
    world.clock.forward(timedelta(days=366 * 1000).total_seconds())

    runner.run_until_idle()

    assert handler.runs == 0
    assert world.job(job_id).status == "cancelled"

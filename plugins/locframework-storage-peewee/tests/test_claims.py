"""Processes and threads that claim at once get each job once."""

from collections.abc import Callable

import pytest
from locframework_storage_peewee import PeeweeStorage

from locframework.testing.contracts.storage_records import add_project, at, job
from locframework.testing.processes import Process

JOBS = 200


@pytest.mark.parametrize(("processes", "threads"), [(8, 1), (2, 4)])
def test_two_hundred_jobs_are_each_claimed_once(
    storage: PeeweeStorage,
    url: str,
    start: Callable[..., Process],
    processes: int,
    threads: int,
) -> None:
    of = add_project(storage)
    jobs = [job(of, minute=number % 60) for number in range(JOBS)]
    with storage.transaction():
        for one in jobs:
            storage.jobs.add(one)
    children = [start("claim", url, threads) for _ in range(processes)]

    for child in children:
        child.go()
    got = [id_ for child in children for id_ in child.hear()]

    assert len(got) == JOBS
    assert set(got) == {one.job.id for one in jobs}
    kept = [storage.jobs.find(of.id, id_) for id_ in got]
    assert {(one.attempt, one.job.status) for one in kept if one} == {(1, "running")}
    assert storage.jobs.claim(("import",), "late", at(20), at(50)) is None

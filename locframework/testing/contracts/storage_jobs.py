"""Contract of the job store, and of what jobs and deliveries have alike: claims."""

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from locframework.access.records import Caller, Grant
from locframework.events import Actor
from locframework.fields import new_id
from locframework.jobs.records import (
    Job,
    JobError,
    JobFilter,
    JobQueue,
    Progress,
    StoredJob,
)
from locframework.projects.records import Project
from locframework.storage import Storage

from . import storage_webhooks
from .storage_records import ALL, add_project, at, job, token


def claim(
    storage: Storage,
    *types: str,
    owner: str = "runner-1",
    now: str = at(20),
    until: str = at(25),
) -> StoredJob | None:
    """Claim a job of the types, by default an import."""
    return storage.jobs.claim(types or ("import",), owner, now, until)


def claimed(storage: Storage, **given: str) -> StoredJob:
    """Return the job of a claim that must succeed."""
    found = claim(storage, **given)
    assert found is not None
    return found


def add(storage: Storage, of: Project | None = None, **changes: Any) -> StoredJob:
    made = job(of or add_project(storage), **changes)
    storage.jobs.add(made)
    return made


def stored(storage: Storage, made: StoredJob) -> StoredJob | None:
    return storage.jobs.find(made.job.project_id or made.subject_id or "", made.job.id)


def lease_owners(storage: Storage) -> set[str]:
    """Return who holds leases of running jobs or of deliveries."""
    owners = set()

    def note(owner: str) -> bool:
        owners.add(owner)
        return False

    storage.release_leases(note, at(0))
    return owners


class Queue:
    """Jobs, which runners claim one by one."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._of = storage, add_project(storage)

    def add(self, minute: int) -> str:
        """Add what is due from then on; return its id."""
        return add(self._storage, self._of, minute=minute).job.id

    def claim(self, owner: str, now: int = 20, until: int = 25) -> tuple[str, int]:
        """Return the id of what was claimed, and the number of the attempt."""
        found = claim(self._storage, owner=owner, now=at(now), until=at(until))
        return (found.job.id, found.attempt) if found else ("", 0)


class Deliveries(Queue):
    """Deliveries of one webhook."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._webhook = storage_webhooks.add_webhook(storage)

    def add(self, minute: int) -> str:
        made = storage_webhooks.add_deliveries(
            self._storage, self._webhook, minute=minute
        )
        return made[0].id

    def claim(self, owner: str, now: int = 20, until: int = 25) -> tuple[str, int]:
        found = storage_webhooks.claim(
            self._storage, self._webhook, owner=owner, now=now, until=until
        )
        return (found[0].id, found[0].number) if found else ("", 0)


NOTHING = ("", 0)


class StorageJobsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    @pytest.fixture(params=[Queue, Deliveries])
    def queue(self, request: pytest.FixtureRequest, storage: Storage) -> Queue:
        made: Queue = request.param(storage)
        return made

    def test_what_is_due_longest_is_claimed_first_and_again_after_its_lease(
        self, queue: Queue
    ) -> None:
        young, old = queue.add(2), queue.add(1)

        assert queue.claim("a") == (old, 1)
        assert queue.claim("a", until=40) == (young, 1)
        assert queue.claim("b") == queue.claim("b", now=24) == NOTHING
        assert queue.claim("b", now=25, until=50) == (old, 2)
        assert queue.claim("b", now=25, until=50) == NOTHING

    def test_released_leases_can_be_claimed(
        self, storage: Storage, queue: Queue
    ) -> None:
        owners = ["host%1:10:a", "host%1:10:b"]
        assert not any(storage.find_due(["import"], at(20)))
        first, _ = (queue.add(minute) for minute in (1, 2))
        assert any(storage.find_due(["import"], at(20)))
        for owner in owners:
            queue.claim(owner, until=50)
        assert lease_owners(storage) == {*owners}
        assert not any(storage.find_due(["import"], at(20)))

        storage.release_leases(owners[0].__eq__, at(20))

        assert lease_owners(storage) == {owners[1]}
        due = storage.find_due(["import"], at(20))
        assert due == (type(queue) is Queue, type(queue) is Deliveries, False)
        assert storage.find_due(["export"], at(20)).jobs is False
        assert queue.claim("new") == (first, 2)
        assert queue.claim("new") == NOTHING

    def test_the_queue_has_what_is_due_and_what_is_worked_on(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        assert storage.queues(at(9)).jobs == JobQueue({}, None, False, None)
        ended = {"type_": "release", "minute": 1}
        add(storage, of, minute=2)
        add(storage, of, minute=1, status="running", lease_until=at(9))
        add(storage, of, minute=3, type_="release")
        add(storage, of, **ended, status="failed", started_at=at(1), finished_at=at(4))
        add(storage, of, **ended, status="cancelled", finished_at=at(8))
        counts: dict[tuple[str, ...], int] = {
            ("import", "queued"): 1,
            ("import", "running"): 1,
            ("release", "queued"): 1,
        }

        assert storage.queues(at(8)).jobs == JobQueue(counts, at(2), True, at(4))
        assert storage.queues(at(9)).jobs == JobQueue(counts, at(2), False, at(4))
        assert claimed(storage).job.created_at == at(1)
        assert claimed(storage).job.created_at == at(2)
        storage.release_leases("runner-1".__eq__, at(2))
        queue = storage.queues(at(22)).jobs
        assert (queue.oldest_due_at, queue.is_worked_on) == (at(2), False)

    def test_concurrent_claims_share_nothing(self, queue: Queue) -> None:
        together = Barrier(6)
        ids = {queue.add(minute % 20) for minute in range(42)}

        def work(number: int) -> list[str]:
            together.wait(10)
            got = iter(lambda: queue.claim(f"runner-{number}"), NOTHING)
            return [id_ for id_, _ in got]

        with ThreadPoolExecutor(6) as threads:
            every = [id_ for ids in threads.map(work, range(6)) for id_ in ids]

        assert (len(every), {*every}) == (42, ids)

    def test_job_is_found_by_its_project_or_subject(self, storage: Storage) -> None:
        of = add_project(storage)
        grant = Grant("o1", frozenset({"a"}), frozenset({of.id}), frozenset())
        made = add(
            storage,
            of,
            status="failed",
            progress=Progress(3, 2**40),
            result={"z": [1, None], "a": {"x": "ä"}},
            error=JobError("unreadable_file", "line 3"),
            started_at=at(1),
            finished_at=at(2),
            params={"z": 1, "a": [{"b": None}]},
            caller=Caller(
                Actor("user", "u1"), (grant,), True, "u1", token("a" * 64).token
            ),
            owner="runner-1",
            lease_until=at(3),
            attempt=4,
            cancel_requested=True,
            step={"done": 2, "of": ["ä", None]},
            step_attempt=3,
        )
        about = add(storage, of, project_id=None, subject_id=new_id())
        assert about.subject_id is not None

        found = stored(storage, made)
        assert found == made
        assert json.encode(found) == json.encode(made)  # true is not 1
        assert storage.jobs.find(new_id(), made.job.id) is None
        assert storage.jobs.find(of.id, new_id()) is None
        assert stored(storage, about) == about
        assert storage.jobs.find(of.id, about.job.id) is None
        assert storage.jobs.find(None, about.job.id) == about
        listed = partial(storage.jobs.list_jobs, about.subject_id, of_subject=True)
        assert listed(JobFilter(), ALL).items == [about.job]
        assert listed(JobFilter(type="x"), ALL).items == []
        assert storage.jobs.list_jobs(of.id, JobFilter(), ALL).items == [made.job]
        every = storage.jobs.list_jobs(None, JobFilter(), ALL)
        assert {each.id for each in every.items} == {made.job.id, about.job.id}

    def test_jobs_are_filtered(self, storage: Storage) -> None:
        of = add_project(storage)
        import_ = add(storage, of).job
        release = {"type_": "release", "permission": "y", "status": "failed"}
        failed = [
            add(storage, of, minute=8, **more).job
            for more in ({"status": "failed"}, release)
        ]

        def listed(**where: Any) -> list[Job]:
            found = storage.jobs.list_jobs(of.id, JobFilter(**where), ALL)
            assert found.total == len(found.items)
            return found.items

        assert listed(permissions=["import_run", "x"]) == [failed[0], import_]
        assert listed(status="failed") == sorted(
            failed, key=lambda each: each.id, reverse=True
        )
        assert listed(type="import", status="failed") == failed[:1]
        assert listed(permissions=[]) == []
        assert listed(status="failed", permissions=["x"]) == []

    def test_job_of_the_types_is_claimed(self, storage: Storage) -> None:
        old = add(storage)
        add(storage, type_="release")

        got = claim(storage, "import", "export")

        running = replace(old.job, status="running", started_at=at(20))
        expected = replace(old, job=running, owner="runner-1", lease_until=at(25))
        assert got == stored(storage, old) == replace(expected, attempt=1)
        assert claim(storage) is None
        assert storage.jobs.claim((), "runner-1", at(20), at(25)) is None
        again = claimed(storage, owner="runner-2", now=at(25), until=at(31))
        assert again.job.started_at == at(20)
        assert (again.owner, again.lease_until) == ("runner-2", at(31))

    def test_lease_of_a_clock_put_back_has_expired(self, storage: Storage) -> None:
        add(storage)
        claimed(storage, now=at(20, hour=15), until=at(21, hour=15))

        assert claim(storage, now=at(21, hour=14)) is None  # a lease may take an hour
        again = claimed(storage, now=at(20, hour=14), until=at(21, hour=14))

        assert (again.attempt, again.lease_until) == (2, at(21, hour=14))

    def test_only_the_current_attempt_writes(self, storage: Storage) -> None:
        made, jobs = add(storage), storage.jobs
        first, id_ = claimed(storage), made.job.id
        step = {"done": 2, "x": [None]}

        def write(attempt: int) -> bool:
            with storage.transaction():
                return jobs.extend(id_, attempt, at(24), Progress(2, 9), step)

        assert write(1) is True
        # the step stays as it is, and then the progress
        assert jobs.extend(id_, 1, at(25), Progress(3, 9)) is True
        assert jobs.extend(id_, 1, at(26)) is True
        second = claimed(storage, owner="runner-2", now=at(26), until=at(31))
        failed = replace(first.job, status="failed")
        assert write(1) is jobs.finish(failed, 1) is False
        assert jobs.extend(id_, 1, at(50)) is False
        job = replace(first.job, progress=Progress(3, 9))
        wanted = replace(first, job=job, owner="runner-2", lease_until=at(31))
        wanted = replace(wanted, attempt=2, step=step, step_attempt=1)
        assert stored(storage, made) == second == wanted
        ended = replace(
            first.job,
            status="partial",
            progress=Progress(8, 9),
            result={"written": 8},
            error=JobError("internal_error", "one item failed"),
            finished_at=at(30),
        )
        assert jobs.finish(ended, 2) is True
        assert jobs.finish(replace(ended, status="succeeded"), 2) is False
        assert jobs.extend(id_, 2, at(50)) is False
        left = stored(storage, made)
        assert left == replace(
            second, job=ended, owner=None, lease_until=None, step=None
        )
        assert claim(storage, now=at(59)) is None

    def test_held_job_is_claimed_after_the_transaction(self, storage: Storage) -> None:
        of = add_project(storage)
        running = add(storage, of)
        first = claimed(storage)
        add(storage, of, type_="export")

        def description_seen() -> str | None:
            if claim(storage, "export") is None:
                return None
            found = storage.projects.find(of.id)
            return found.description if found else None

        with ThreadPoolExecutor(2) as threads, storage.transaction():
            assert storage.jobs.extend(running.job.id, 1, at(25))
            assert storage.jobs.hold_queued(of.id, "export")
            assert not storage.jobs.hold_queued(of.id, "import")  # it is running
            assert not storage.jobs.hold_queued(new_id(), "export")
            again = threads.submit(claim, storage, now=at(30), until=at(35))
            seen = threads.submit(description_seen)
            done = replace(first.job, status="succeeded", finished_at=at(30))
            storage.jobs.finish(done, 1)
            storage.projects.update(replace(of, description="written"))
            wait([seen], 0.3)  # time enough for the others to go wrong

        assert again.result() is None
        assert seen.result() in (None, "written")

    def test_queued_job_is_cancelled_and_a_running_one_asked(
        self, storage: Storage
    ) -> None:
        running, queued = (add(storage, minute=minute) for minute in (0, 1))
        first = claimed(storage)
        cancel = storage.jobs.request_cancel

        for made in (running, queued):
            assert cancel(made.job.id, at(5)) is True

        assert stored(storage, running) == replace(first, cancel_requested=True)
        ended = replace(queued.job, status="cancelled", finished_at=at(5))
        assert stored(storage, queued) == replace(
            queued, job=ended, cancel_requested=True
        )
        assert claim(storage) is None
        storage.jobs.finish(replace(first.job, status="cancelled"), 1)
        assert cancel(running.job.id, at(6)) is cancel(new_id(), at(6)) is False

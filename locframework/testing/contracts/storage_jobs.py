"""Contract of the job store: jobs, claims, leases and steps."""

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Caller, Grant
from locframework.events import Actor
from locframework.fields import new_id
from locframework.jobs.records import Job, JobError, JobFilter, Progress, StoredJob
from locframework.pagination import PageRequest
from locframework.projects.records import Project
from locframework.storage import Storage

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


class StorageJobsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_job_is_found_by_its_project_or_subject(self, storage: Storage) -> None:
        of = add_project(storage)
        grant = Grant("o1", frozenset({"a", "b"}), frozenset({of.id}), frozenset())
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

        assert stored(storage, made) == made
        assert storage.jobs.find(new_id(), made.job.id) is None
        assert storage.jobs.find(of.id, new_id()) is None
        assert stored(storage, about) == about
        assert storage.jobs.find(of.id, about.job.id) is None
        listed = partial(storage.jobs.list_jobs, about.subject_id, of_subject=True)
        assert listed(JobFilter(), ALL).items == [about.job]
        assert listed(JobFilter(type="x"), ALL).items == []
        assert storage.jobs.list_jobs(of.id, JobFilter(), ALL).items == [made.job]

    def test_jobs_are_filtered_and_listed_newest_first(self, storage: Storage) -> None:
        of = add_project(storage)
        made = [add(storage, of, minute=minute // 2).job for minute in range(5)]
        made.sort(key=lambda j: (j.created_at, j.id), reverse=True)
        release = add(
            storage, of, type_="release", minute=9, permission="y", status="failed"
        ).job
        failed = add(storage, of, minute=8, status="failed").job
        add(storage)

        def listed(limit: int = 200, **where: Any) -> tuple[list[Job], int]:
            page = PageRequest(limit=limit)
            found = storage.jobs.list_jobs(of.id, JobFilter(**where), page)
            return found.items, found.total

        assert listed() == ([release, failed, *made], 7)
        assert listed(2, permissions=["import_run", "x"]) == ([failed, made[0]], 6)
        assert listed(permissions=[]) == ([], 0)
        assert listed(status="failed") == ([release, failed], 2)
        assert listed(type="import", status="failed") == ([failed], 1)
        assert listed(status="failed", permissions=["x"]) == ([], 0)

    def test_oldest_queued_job_of_the_types_is_claimed(self, storage: Storage) -> None:
        of = add_project(storage)
        young, old = (add(storage, of, minute=minute) for minute in (2, 1))
        add(storage, of, type_="release")

        got = claim(storage, "import", "export")

        running = replace(old.job, status="running", started_at=at(20))
        expected = replace(old, job=running, owner="runner-1", lease_until=at(25))
        assert got == stored(storage, old) == replace(expected, attempt=1)
        assert claimed(storage).job.id == young.job.id
        assert claim(storage) is None
        assert storage.jobs.claim((), "runner-1", at(20), at(25)) is None

    def test_expired_lease_lets_the_job_be_claimed_again(
        self, storage: Storage
    ) -> None:
        add(storage)
        first = claimed(storage)

        assert claim(storage, now=at(24)) is None
        again = claimed(storage, owner="runner-2", now=at(25), until=at(31))

        expected = replace(first, owner="runner-2", lease_until=at(31), attempt=2)
        assert again == expected

    def test_lease_of_a_clock_that_was_put_back_has_expired(
        self, storage: Storage
    ) -> None:
        add(storage)
        claimed(storage, now=at(20, hour=15), until=at(21, hour=15))

        assert claim(storage, now=at(21, hour=14)) is None  # a lease may take an hour
        again = claimed(storage, now=at(20, hour=14), until=at(21, hour=14))

        assert (again.attempt, again.lease_until) == (2, at(21, hour=14))

    def test_earlier_attempt_changes_nothing(self, storage: Storage) -> None:
        made = add(storage)
        first = claimed(storage)
        second = claimed(storage, owner="runner-2", now=at(26), until=at(31))
        id_ = made.job.id

        assert storage.jobs.extend(id_, 1, at(40)) is False
        storage.jobs.report(id_, 1, Progress(9, 9))
        with storage.transaction():
            assert storage.jobs.hold(id_, 1) is False
            assert storage.jobs.report(id_, 1, Progress(9, 9), {}) is False
        assert storage.jobs.finish(replace(first.job, status="failed"), 1) is False

        assert stored(storage, made) == second

    def test_current_attempt_extends_reports_and_finishes_once(
        self, storage: Storage
    ) -> None:
        made = add(storage)
        first = claimed(storage)
        id_ = made.job.id

        assert storage.jobs.extend(id_, 1, at(40)) is True
        storage.jobs.report(id_, 1, Progress(1, 9))
        with storage.transaction():
            assert storage.jobs.hold(id_, 1) is True

        reported = replace(first.job, progress=Progress(1, 9))
        assert stored(storage, made) == replace(first, lease_until=at(40), job=reported)
        ended = replace(
            first.job,
            status="partial",
            progress=Progress(8, 9),
            result={"written": 8},
            error=JobError("internal_error", "one item failed"),
            finished_at=at(30),
        )
        assert storage.jobs.finish(ended, 1) is True
        assert storage.jobs.finish(replace(ended, status="succeeded"), 1) is False
        assert storage.jobs.extend(id_, 1, at(50)) is False
        assert stored(storage, made) == replace(
            first, job=ended, owner=None, lease_until=None
        )
        assert claim(storage, now=at(59)) is None

    def test_step_is_stored_until_the_end(self, storage: Storage) -> None:
        made = add(storage)
        claimed(storage)
        id_, step, progress = made.job.id, {"done": 2, "x": [None]}, Progress(2, 9)

        with storage.transaction():
            assert storage.jobs.report(id_, 1, progress, step)
        second = claimed(storage, owner="runner-2", now=at(26), until=at(31))
        ended = replace(second.job, status="succeeded", finished_at=at(30))
        storage.jobs.finish(ended, 2)

        assert (second.step, second.step_attempt) == (step, 1)
        assert second.job.progress == progress
        left = stored(storage, made)
        assert left is not None
        assert left.step is None

    def test_held_job_is_not_claimed_before_the_transaction_ends(
        self, storage: Storage
    ) -> None:
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
            assert storage.jobs.hold(running.job.id, 1)
            assert storage.jobs.hold_queued(of.id, "export")
            again = threads.submit(claim, storage, now=at(30), until=at(35))
            seen = threads.submit(description_seen)
            done = replace(first.job, status="succeeded", finished_at=at(30))
            storage.jobs.finish(done, 1)
            storage.projects.update(replace(of, description="written"))
            wait([seen], 0.3)  # time enough for the others to go wrong

        assert again.result() is None
        assert seen.result() in (None, "written")

    def test_only_a_queued_job_of_the_type_and_project_is_held(
        self, storage: Storage
    ) -> None:
        of, empty = add_project(storage), add_project(storage)
        add(storage, of)
        add(storage, of, type_="release", status="running")

        with storage.transaction():
            assert storage.jobs.hold_queued(of.id, "import")
            assert not storage.jobs.hold_queued(of.id, "release")
            assert not storage.jobs.hold_queued(empty.id, "import")
        with pytest.raises(RuntimeError):  # outside a transaction
            storage.jobs.hold_queued(of.id, "import")
        with pytest.raises(RuntimeError):
            storage.jobs.hold(of.id, 1)
        with pytest.raises(RuntimeError):
            storage.jobs.report(of.id, 1, Progress(0, 0), {})

    def test_concurrent_claims_never_share_a_job(self, storage: Storage) -> None:
        of, together = add_project(storage), Barrier(8)
        with storage.transaction():
            for minute in range(48):
                add(storage, of, minute=minute)

        def work(number: int) -> list[str]:
            together.wait(10)
            got = []
            while found := claim(storage, owner=f"runner-{number}"):
                got.append(found.job.id)
            return got

        with ThreadPoolExecutor(8) as threads:
            every = [id_ for ids in threads.map(work, range(8)) for id_ in ids]

        assert len(every) == len(set(every)) == 48

    def test_released_jobs_can_be_claimed_at_once(self, storage: Storage) -> None:
        of, owners = add_project(storage), ["host%1:10:a", "host%1:10:b"]
        for owner in owners:
            add(storage, of)
            claimed(storage, owner=owner, until=at(50))

        assert storage.lease_owners() == set(owners)
        assert storage.find_due(["import"], at(20)) == (False, False)
        storage.release_leases(owners[0], at(20))

        assert storage.lease_owners() == {owners[1]}
        assert storage.find_due(["import"], at(20)) == (True, False)
        assert storage.find_due(["export"], at(20)) == (False, False)
        assert claimed(storage, owner="new").attempt == 2
        assert claim(storage, owner="new") is None

    def test_queued_job_is_cancelled_at_once_and_a_running_one_asked(
        self, storage: Storage
    ) -> None:
        running, queued = (add(storage, minute=minute) for minute in (0, 1))
        first = claimed(storage)
        cancel, is_asked = storage.jobs.request_cancel, storage.jobs.cancel_requested

        assert not is_asked(running.job.id)
        for made in (running, queued):
            assert cancel(made.job.id, at(5)) is True
            assert is_asked(made.job.id)

        assert stored(storage, running) == replace(first, cancel_requested=True)
        ended = replace(queued.job, status="cancelled", finished_at=at(5))
        assert stored(storage, queued) == replace(
            queued, job=ended, cancel_requested=True
        )
        assert claim(storage) is None
        storage.jobs.finish(replace(first.job, status="cancelled"), 1)
        assert cancel(running.job.id, at(6)) is cancel(new_id(), at(6)) is False

    def test_finished_jobs_are_purged_by_age(self, storage: Storage) -> None:
        of = add_project(storage)
        for minute in range(5):
            add(storage, of, status="succeeded", finished_at=at(minute))
        add(storage, of)

        assert [storage.purge("jobs", at(4), 3) for _ in range(3)] == [3, 1, 0]
        left = storage.jobs.list_jobs(of.id, JobFilter(), ALL).items
        assert {one.finished_at for one in left} == {None, at(4)}

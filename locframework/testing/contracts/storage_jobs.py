"""The contract of Storage, part SJ: jobs, and who may work on them."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.access.records import Caller, Grant
from locframework.events import Actor
from locframework.fields import new_id
from locframework.jobs.records import Job, JobError, JobFilter, Progress, StoredJob
from locframework.paging import PageRequest
from locframework.storage import Storage

from .storage_records import ALL, add_project, at, job, token


def claim(
    storage: Storage,
    *types: str,
    owner: str = "runner-1",
    now: str = at(20),
    until: str = at(25),
) -> StoredJob | None:
    """A claim of ``import`` jobs, or of the types named."""
    return storage.jobs.claim(types or ("import",), owner, now, until)


def claimed(storage: Storage, **given: str) -> StoredJob:
    """The job that a claim must find."""
    found = claim(storage, **given)
    assert found is not None
    return found


class StorageJobsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_sj1_a_job_comes_back_as_it_was(self, storage: Storage) -> None:
        of = add_project(storage)
        grant = Grant("o1", frozenset({"a", "b"}), frozenset({of.id}), frozenset())
        made = job(
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

        storage.jobs.add(made)

        assert storage.jobs.find(of.id, made.job.id) == made
        assert storage.jobs.find(new_id(), made.job.id) is None
        assert storage.jobs.find(of.id, new_id()) is None

    def test_sj2_jobs_are_listed_newest_first_as_far_as_one_may(
        self, storage: Storage
    ) -> None:
        of, other = add_project(storage), add_project(storage)
        made = [job(of, minute=minute // 2) for minute in range(5)]
        release = job(of, "release", 9, permission="distribution_publish")
        for one in [*made, release, job(other)]:
            storage.jobs.add(one)
        in_order = sorted(
            (one.job for one in made), key=lambda j: (j.created_at, j.id), reverse=True
        )

        may, first = JobFilter(["import_run", "x"]), PageRequest(limit=2)
        every = storage.jobs.list_jobs(of.id, JobFilter(), ALL)
        some = storage.jobs.list_jobs(of.id, may, first)
        none = storage.jobs.list_jobs(of.id, JobFilter([]), ALL)

        assert every.items == [release.job, *in_order]
        assert every.total == 6
        assert some.items == in_order[:2]
        assert some.total == 5
        assert (none.items, none.total) == ([], 0)

    def test_sj3_the_oldest_queued_job_of_the_types_is_claimed(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        old, young = job(of, minute=1), job(of, minute=2)
        for one in (young, old, job(of, "release", 0)):
            storage.jobs.add(one)

        got = claim(storage, "import", "export")

        expected = replace(
            old,
            job=replace(old.job, status="running", started_at=at(20)),
            owner="runner-1",
            lease_until=at(25),
            attempt=1,
        )
        assert got == expected
        assert storage.jobs.find(of.id, old.job.id) == expected
        assert claimed(storage).job.id == young.job.id
        assert claim(storage) is None
        assert storage.jobs.claim((), "runner-1", at(20), at(25)) is None

    def test_sj4_a_job_whose_lease_ran_out_is_claimed_again(
        self, storage: Storage
    ) -> None:
        storage.jobs.add(job(add_project(storage)))
        first = claimed(storage)

        assert claim(storage, now=at(24)) is None
        again = claimed(storage, owner="runner-2", now=at(25), until=at(31))

        assert again.job.id == first.job.id
        assert again.job.started_at == first.job.started_at
        assert (again.owner, again.lease_until, again.attempt) == (
            "runner-2",
            at(31),
            2,
        )

    def test_sj19_a_lease_of_a_clock_that_was_put_back_keeps_nobody_waiting(
        self, storage: Storage
    ) -> None:
        storage.jobs.add(job(add_project(storage)))
        claimed(storage, now=at(20, hour=15), until=at(21, hour=15))

        assert claim(storage, now=at(21, hour=14)) is None  # an hour may be asked for
        again = claimed(storage, now=at(20, hour=14), until=at(21, hour=14))

        assert (again.attempt, again.lease_until) == (2, at(21, hour=14))

    def test_sj5_only_the_current_attempt_may_go_on(self, storage: Storage) -> None:
        of = add_project(storage)
        storage.jobs.add(job(of))
        first = claimed(storage)
        second = claimed(storage, owner="runner-2", now=at(26), until=at(31))
        id_ = first.job.id

        assert storage.jobs.extend(id_, 1, at(40)) is False
        storage.jobs.report(id_, 1, Progress(9, 9))
        with storage.transaction():
            assert storage.jobs.hold(id_, 1) is False
        assert storage.jobs.finish(replace(first.job, status="failed"), 1) is False

        assert storage.jobs.find(of.id, id_) == second

    def test_sj6_the_current_attempt_extends_reports_and_finishes_once(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        storage.jobs.add(job(of))
        first = claimed(storage)
        id_ = first.job.id

        assert storage.jobs.extend(id_, 1, at(40)) is True
        storage.jobs.report(id_, 1, Progress(1, 9))
        with storage.transaction():
            assert storage.jobs.hold(id_, 1) is True

        moving = replace(
            first, lease_until=at(40), job=replace(first.job, progress=Progress(1, 9))
        )
        assert storage.jobs.find(of.id, id_) == moving

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

        kept = replace(first, job=ended, owner=None, lease_until=None)
        assert storage.jobs.find(of.id, id_) == kept
        assert claim(storage, now=at(59)) is None

    def test_sj7_a_job_that_is_held_is_not_claimed_by_others(
        self, storage: Storage
    ) -> None:
        storage.jobs.add(job(add_project(storage)))
        first = claimed(storage)
        done = replace(first.job, status="succeeded", finished_at=at(30))

        with ThreadPoolExecutor(1) as threads, storage.transaction():
            assert storage.jobs.hold(first.job.id, 1)
            other = threads.submit(claim, storage, now=at(30), until=at(35))
            storage.jobs.finish(done, 1)

        assert other.result() is None

    def test_sj8_a_hold_outside_a_transaction_is_refused(
        self, storage: Storage
    ) -> None:
        storage.jobs.add(job(add_project(storage)))
        first = claimed(storage)

        with pytest.raises(RuntimeError):
            storage.jobs.hold(first.job.id, 1)

    def test_sj9_many_claimers_never_share_a_job(self, storage: Storage) -> None:
        of = add_project(storage)
        with storage.transaction():
            for minute in range(48):
                storage.jobs.add(job(of, minute=minute))
        together = Barrier(8)

        def work(number: int) -> list[str]:
            together.wait(10)
            got = []
            while found := claim(storage, owner=f"runner-{number}"):
                got.append(found.job.id)
            return got

        with ThreadPoolExecutor(8) as threads:
            every = [id_ for ids in threads.map(work, range(8)) for id_ in ids]

        assert len(every) == len(set(every)) == 48

    def test_released_leases_can_be_claimed_at_once(self, storage: Storage) -> None:
        of, owners = add_project(storage), ["host%1:10:a", "host%1:10:b"]
        for owner in owners:
            storage.jobs.add(job(of))
            claimed(storage, owner=owner, until=at(50))

        assert storage.lease_owners() == set(owners)
        assert storage.find_due(["import"], at(20)) == (False, False)
        storage.release_leases(owners[0], at(20))

        assert storage.lease_owners() == {owners[1]}
        assert storage.find_due(["import"], at(20)) == (True, False)
        assert storage.find_due(["export"], at(20)) == (False, False)
        again = claimed(storage, owner="new")
        assert again.attempt == 2
        assert claim(storage, owner="new") is None

    def test_sj11_a_queued_job_is_cancelled_at_once(self, storage: Storage) -> None:
        of = add_project(storage)
        made = job(of)
        storage.jobs.add(made)

        assert storage.jobs.request_cancel(made.job.id, at(5)) is True

        ended = replace(made.job, status="cancelled", finished_at=at(5))
        kept = replace(made, job=ended, cancel_requested=True)
        assert storage.jobs.find(of.id, made.job.id) == kept
        assert claim(storage) is None

    def test_sj12_a_running_job_is_told_of_the_wish(self, storage: Storage) -> None:
        of = add_project(storage)
        storage.jobs.add(job(of))
        first = claimed(storage)

        assert storage.jobs.cancel_requested(first.job.id) is False
        assert storage.jobs.request_cancel(first.job.id, at(5)) is True
        assert storage.jobs.cancel_requested(first.job.id) is True
        assert storage.jobs.find(of.id, first.job.id) == replace(
            first, cancel_requested=True
        )

        storage.jobs.finish(replace(first.job, status="cancelled"), 1)
        assert storage.jobs.request_cancel(first.job.id, at(6)) is False
        assert storage.jobs.request_cancel(new_id(), at(6)) is False

    def test_sj13_old_ended_jobs_are_dropped_a_few_at_a_time(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        for minute in range(5):
            storage.jobs.add(job(of, status="succeeded", finished_at=at(minute)))
        storage.jobs.add(job(of))

        dropped = [storage.jobs.prune(at(4), 3) for _ in range(3)]

        assert dropped == [3, 1, 0]
        left = storage.jobs.list_jobs(of.id, JobFilter(), ALL).items
        assert {one.finished_at for one in left} == {None, at(4)}

    def test_sj16_a_job_of_no_project_is_found_by_what_it_is_about(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        made = job(of, "glossary_import", project_id=None, subject_id=new_id())
        storage.jobs.add(made)
        storage.jobs.add(own := job(of))

        assert made.subject_id is not None
        assert storage.jobs.find(made.subject_id, made.job.id) == made
        assert storage.jobs.find(of.id, made.job.id) is None
        assert storage.jobs.list_jobs(of.id, JobFilter(), ALL).items == [own.job]
        about, other = storage.jobs.list_jobs_about, JobFilter(type="tm_import")
        assert about(made.subject_id, JobFilter(), ALL).items == [made.job]
        assert about(made.subject_id, other, ALL).items == []
        assert about(new_id(), JobFilter(), ALL).items == []
        assert about(of.id, JobFilter(), ALL).items == []
        got = claim(storage, "glossary_import")
        assert got is not None
        assert (got.job.id, got.job.project_id) == (made.job.id, None)

    def test_sj14_jobs_are_listed_by_status_and_type(self, storage: Storage) -> None:
        of = add_project(storage)
        queued, failed = job(of, minute=1), job(of, minute=2, status="failed")
        release = job(of, "release", 3, status="failed")
        for one in (queued, failed, release):
            storage.jobs.add(one)

        def listed(**where: Any) -> list[Job]:
            return storage.jobs.list_jobs(of.id, JobFilter(**where), ALL).items

        assert listed(status="failed") == [release.job, failed.job]
        assert listed(type="import") == [failed.job, queued.job]
        assert listed(status="failed", type="import") == [failed.job]
        assert listed(status="failed", permissions=["x"]) == []

    def test_sj17_a_queued_job_is_held_until_what_it_is_to_see_is_committed(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        storage.jobs.add(job(of))

        def seen() -> str | None:
            if claim(storage) is None:
                return None
            found = storage.projects.find(of.id)
            return found.description if found else None

        with ThreadPoolExecutor(1) as threads, storage.transaction():
            held = storage.jobs.hold_queued(of.id, "import")
            storage.projects.update(replace(of, description="written"))
            other = threads.submit(seen)
            wait([other], 0.3)  # time enough for the other to go wrong

        assert held
        assert other.result() in (None, "written")

    def test_sj18_only_a_queued_job_of_the_type_and_project_is_held(
        self, storage: Storage
    ) -> None:
        of, empty = add_project(storage), add_project(storage)
        storage.jobs.add(job(of))
        storage.jobs.add(job(of, "release", status="running"))

        def held(project_id: str, type_: str) -> bool:
            with storage.transaction():
                return storage.jobs.hold_queued(project_id, type_)

        assert held(of.id, "import")
        assert not held(of.id, "release")
        assert not held(empty.id, "import")
        with pytest.raises(RuntimeError):
            storage.jobs.hold_queued(of.id, "import")

    def test_sj15_a_step_is_noted_by_the_current_attempt_until_the_end(
        self, storage: Storage
    ) -> None:
        of = add_project(storage)
        storage.jobs.add(job(of))
        first = claimed(storage)
        id_, note, progress = first.job.id, {"done": 2, "x": [None]}, Progress(2, 9)

        with storage.transaction():
            noted = storage.jobs.note_step(id_, 1, note, progress)
            late = storage.jobs.note_step(id_, 2, {}, Progress(9, 9))
        with pytest.raises(RuntimeError):
            storage.jobs.note_step(id_, 1, {}, progress)
        second = claimed(storage, owner="runner-2", now=at(26), until=at(31))
        ended = replace(second.job, status="succeeded", finished_at=at(30))
        storage.jobs.finish(ended, 2)

        assert (noted, late) == (True, False)
        assert (second.step, second.step_attempt) == (note, 1)
        assert second.job.progress == progress
        left = storage.jobs.find(of.id, id_)
        assert left is not None
        assert left.step is None

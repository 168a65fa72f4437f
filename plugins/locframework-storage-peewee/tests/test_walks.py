"""What is asked reads what it is about, and not all that a project or a branch has."""

from collections.abc import Callable

import pytest
from locframework_storage_peewee import PeeweeStorage
from msgspec.structs import replace

from locframework.events import EventFilter
from locframework.jobs.records import JobFilter
from locframework.testing.contracts.storage_delivery import (
    building,
    distribution,
    ready,
)
from locframework.testing.contracts.storage_records import (
    ALL,
    add_keys_project,
    add_project,
    at,
    key,
    value,
)
from locframework.testing.databases import statements_of
from locframework.webhooks.records import DeliveryFilter

LOGS: dict[str, Callable[[PeeweeStorage], object]] = {
    "deliveries": lambda s: s.webhooks.list_deliveries(
        "w", DeliveryFilter("failed", "key.created", at(0)), ALL
    ),
    "jobs": lambda s: s.jobs.list_jobs(
        "p", JobFilter(["import_run"], "failed", "import"), ALL
    ),
}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("log", LOGS)
def test_what_a_log_is_filtered_by_is_read_in_its_index(
    storage: PeeweeStorage, log: str
) -> None:
    """Rows hold payloads and results: to read one takes ten times as long."""
    with statements_of(storage) as seen:
        LOGS[log](storage)

    [count] = [sql for sql in seen if "count(*)" in sql]
    plan = storage.database.rows(
        f"EXPLAIN QUERY PLAN {count}", [None] * count.count("?")
    )
    assert "USING COVERING INDEX" in plan[0][-1], plan


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "where", [EventFilter(since=at(5)), EventFilter(until=at(5), actor_id="a")]
)
def test_events_of_a_period_are_walked_from_its_first_to_its_last(
    storage: PeeweeStorage, where: EventFilter
) -> None:
    with statements_of(storage) as seen:
        storage.events.page_of_events("p", where, ALL)

    assert len(seen) == 2
    for sql in seen:
        plan = storage.database.rows(
            f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
        )
        steps = [step for *_, step in plan]
        bounds = [step for step in steps if step.startswith("SEARCH t ")]
        assert len(bounds) == 2, steps
        assert all("COVERING INDEX events_by_time" in step for step in bounds), steps
        [walk] = [step for step in steps if step.startswith("SEARCH e ")]
        assert "seq>? AND seq<?" in walk or "created_at" in walk, steps


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_branch_is_found_without_reading_the_keys_it_has_for_itself(
    storage: PeeweeStorage,
) -> None:
    """Each request on a branch asks for it first."""
    with statements_of(storage) as seen:
        storage.branches.find_branch("p", "b")

    [sql] = seen
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    [counted] = [step for *_, step in plan if step.startswith("SEARCH k ")]
    assert "COVERING INDEX branch_keys_by_changes" in counted


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_is_purged_is_found_by_its_whole_key(storage: PeeweeStorage) -> None:
    """By the project alone a thousand rows took as long as all that it has on lists."""
    of = add_keys_project(storage)
    tagged = [key(of, "one", tags=("a", "b")), key(of, "two", tags=("a",))]
    storage.keys.add_keys(tagged, [value(one) for one in tagged])
    storage.projects.delete(of.id, at(0))

    with statements_of(storage) as seen:
        storage.purge("projects", at(1), 1000)

    walks = {
        "key_tags": "(key_number=? AND tag=?)",
        "key_values": "(key_number=? AND language_code=? AND plural_form=?)",
        "language_counts": "(line=? AND language_code=?)",
    }
    for table, walk in walks.items():
        [sql] = [sql for sql in seen if sql.startswith(f"DELETE FROM {table} ")]
        plan = storage.database.rows(
            f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
        )
        assert plan[0][-1].endswith(walk), (plan, sql)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_removals_that_a_memory_forgets_are_found_without_reading_the_others(
    storage: PeeweeStorage,
) -> None:
    """It is asked each minute, with the write lock held."""
    with statements_of(storage) as seen:
        storage.memories.forget_removals(at(9), at(0), 1000)

    [sql] = [sql for sql in seen if sql.startswith("DELETE FROM memory_removals")]
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None])
    [walk] = [step for *_, step in plan if step.split()[1] == "r"]
    assert walk == "SEARCH r USING PRIMARY KEY (memory=? AND revision<?)", plan


def test_files_of_a_release_that_stay_as_they_are_are_not_written_again(
    storage: PeeweeStorage,
) -> None:
    """Publishing what shows the same notes that in the release, for thousands too."""
    one = distribution(add_project(storage))
    storage.delivery.insert(one)
    old = ready(building(one), "a" * 64, "b" * 64)
    storage.delivery.releases.insert(old)
    noted = replace(old, release=replace(old.release, note="again"))

    with statements_of(storage) as seen:
        storage.delivery.releases.update(noted)

    assert storage.delivery.releases.find(old.release.id) == noted
    writes = [sql.split()[0] for sql in seen if "release_files" in sql]
    assert writes == ["SELECT"]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_what_is_pending_is_counted_a_webhook_at_a_time(storage: PeeweeStorage) -> None:
    """To look the webhook and project of each delivery up takes seven times as long."""
    with statements_of(storage) as seen:
        storage.webhooks.queue_depth()

    [sql] = seen
    plan = [step for *_, step in storage.database.rows(f"EXPLAIN QUERY PLAN {sql}")]
    walks = [step for step in plan if " d " in step]
    of_one = "SEARCH d USING COVERING INDEX webhook_deliveries_due (webhook_id"
    assert len(walks) == 3, plan
    assert all(step.startswith(of_one) for step in walks), plan

"""Reads walk an index: nothing is scanned or sorted, and few statements are run."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from locframework_storage_peewee import PeeweeStorage, filters
from locframework_storage_peewee.postgres import FEW
from msgspec.structs import replace

from locframework.access.records import Scope
from locframework.blobs.store import BlobNote
from locframework.events import EventFilter
from locframework.glossaries.records import TermQuery
from locframework.jobs.records import JobFilter
from locframework.keys.records import Key, KeyFilter, Selection
from locframework.memories.records import EntryQuery, TranslationMemory
from locframework.pagination import Position
from locframework.projects.records import Project
from locframework.testing.contracts.storage_delivery import (
    building,
    distribution,
    ready,
)
from locframework.testing.contracts.storage_events import latest
from locframework.testing.contracts.storage_memories import (
    StorageMemoriesContract,
    add_entries,
    add_memory,
    entry,
    write,
)
from locframework.testing.contracts.storage_records import (
    ALL,
    add_branch,
    add_keys_project,
    add_project,
    at,
    job,
    key,
    value,
)
from locframework.webhooks.records import DeliveryFilter
from tests.databases import statements_of

from .conftest import plan_of, sqlite_plans

ENOUGH_TO_KEEP = 20  # psycopg prepares, and the server keeps the plan, after five
BLOB = BlobNote("disk", "0" * 64, 1, at(0))


def _list_entries(sort, storage, memory_id):
    query = EntryQuery(1, 20, sort=sort)
    return storage.memories.list_entries(memory_id, query)


Ask = Callable[[PeeweeStorage, str], object]
QUESTIONS: dict[str, Ask] = {
    "find_organization": lambda s, i: s.access.organizations.find(i),
    "list_organizations": lambda s, i: s.access.list_organizations(None, ALL),
    "find_user_by_email": lambda s, i: s.access.find_user_by_email(i),
    "find_member": lambda s, i: s.access.members.find(i, i),
    "organizations_of": lambda s, i: s.access.organizations_of(i),
    "count_owners": lambda s, i: s.access.count_owners(i, i),
    "projects_among": lambda s, i: s.access.projects_among(i, [i]),
    "find_holder": lambda s, i: s.access.find_holder(i),
    "list_personal_tokens": lambda s, i: s.access.list_tokens(ALL, user_id=i),
    "list_project_tokens": lambda s, i: s.access.list_tokens(ALL, project_id=i),
    "find_project": lambda s, i: s.projects.find(i),
    "list_projects": lambda s, i: s.projects.list_projects(None, ALL),
    "list_projects of one": lambda s, i: s.projects.list_projects([Scope(i)], ALL),
    "list_languages": lambda s, i: s.projects.list_languages(i),
    "purge_projects": lambda s, i: s.purge("projects", at(0), 9),
    "list_events": lambda s, i: latest(s.events, i, 9),
    "page_of_events of a key": lambda s, i: s.events.page_of_events(
        i, EventFilter(key_id=i), ALL
    ),
    "page_of_events of a day": lambda s, i: s.events.page_of_events(
        i, EventFilter(since=at(0), until=at(9)), ALL
    ),
    "touches": lambda s, i: s.events.touches(i, [i], branch="b", since=at(0)),
    "page_of_trash": lambda s, i: s.keys.page_of_trash(i, None, ALL),
    "find job": lambda s, i: s.jobs.find(i, i),
    "list_jobs": lambda s, i: s.jobs.list_jobs(i, JobFilter(), ALL),
    "list_jobs of one kind": lambda s, i: s.jobs.list_jobs(
        i, JobFilter(["import_run"], "failed", "import"), ALL
    ),
    "list_jobs of a subject": lambda s, i: s.jobs.list_jobs(
        i, JobFilter(), ALL, of_subject=True
    ),
    "claim": lambda s, i: s.jobs.claim(("import",), "me", at(30), at(40)),
    "release_leases": lambda s, i: s.release_leases(lambda owner: True, at(0)),
    "prune": lambda s, i: s.purge("jobs", at(0), 9),
    "list_expired": lambda s, i: s.blobs.list_expired(
        at(0), 9, ["disk"], look_again=at(1)
    ),
    "find a post": lambda s, i: s.idempotency.find(i, i, at(0)),
    "purge posts": lambda s, i: s.purge("idempotency_keys", at(0), 9),
    "find_file": lambda s, i: s.files.find(i, i),
    "look_for_unused": lambda s, i: s.files.look_for_unused(at(1), at(0), 9),
    "purge_files": lambda s, i: s.purge("files", at(0), 9),
    "list_terms": lambda s, i: s.terms.list_terms(i, TermQuery()),
    "find_webhook": lambda s, i: s.webhooks.find(i, i),
    "list_webhooks": lambda s, i: s.webhooks.list_webhooks(i, ALL),
    "active_webhooks": lambda s, i: s.webhooks.active_webhooks([i]),
    "find_delivery": lambda s, i: s.webhooks.find_delivery(i, i),
    "the attempts of deliveries": lambda s, i: s.webhooks._attempts([i]),
    "list_deliveries": lambda s, i: s.webhooks.list_deliveries(
        i, DeliveryFilter(since=at(0)), ALL
    ),
    "end_deliveries": lambda s, i: s.webhooks.end_deliveries(i),
    "prune deliveries": lambda s, i: s.purge("deliveries", at(0), 9),
    "purge_webhooks": lambda s, i: s.purge("webhooks", at(0), 9),
    "forget": lambda s, i: s.blobs.forget(BLOB, at(0)),
    "names_blob": lambda s, i: s.delivery.names_blob(i, BLOB.name),
    "find_head": lambda s, i: s.delivery.find_head(i),
} | {
    f"list_entries {sort}": partial(_list_entries, sort)
    for sort in ("createdAt", "-createdAt", "updatedAt", "-updatedAt")
}
sqlite_only = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
postgres_only = pytest.mark.parametrize(
    "kind", [pytest.param("postgres", marks=pytest.mark.server)], indirect=True
)


@pytest.mark.parametrize("name", QUESTIONS)
def test_question_is_two_statements_that_walk_an_index(storage, kind, name):
    of = add_project(storage)
    storage.jobs.add(job(of))

    with statements_of(storage) as seen:
        QUESTIONS[name](storage, of.id)

    assert 1 <= len(seen) <= 2
    for plan in sqlite_plans(storage, seen) if kind == "sqlite" else ():
        for step in plan:
            whole = step.startswith("SCAN") and "INDEX" not in step
            few = "json_each" in step or "event_listeners" in step  # a row a plugin
            assert not whole or few or "CONSTANT" in step, plan
            assert "TEMP B-TREE FOR ORDER BY" not in step, plan


def _purge_keys(storage):
    """By the project alone a thousand rows took as long as all that it has on lists."""
    of = add_keys_project(storage)
    made = key(of, tags=("a",))
    storage.keys.add_keys([made], [value(made)])
    storage.projects.delete(of.id, at(0))
    storage.purge("projects", at(1), 1000)


def _use_files(storage):
    with storage.transaction():
        storage.files.use_files("p", ["f"])


Walk = tuple[Callable[[PeeweeStorage], object], str, str]
WALKS: dict[str, Walk] = {
    "count of deliveries": (
        lambda s: s.webhooks.list_deliveries(
            "w", DeliveryFilter("failed", "key.created", at(0)), ALL
        ),
        "count(*)",
        "USING COVERING INDEX",
    ),
    "count of jobs": (
        lambda s: s.jobs.list_jobs(
            "p", JobFilter(["import_run"], "failed", "import"), ALL
        ),
        "count(*)",
        "USING COVERING INDEX",
    ),
    "events since": (
        lambda s: s.events.page_of_events("p", EventFilter(since=at(5)), ALL),
        "",
        "COVERING INDEX events_by_time",
    ),
    "events until": (
        lambda s: s.events.page_of_events(
            "p", EventFilter(until=at(5), actor_id="a"), ALL
        ),
        "",
        "COVERING INDEX events_by_time",
    ),
    "branch": (
        lambda s: s.branches.find_branch("p", "b"),
        "",
        "COVERING INDEX branch_keys_by_changes",
    ),
    "purged tags": (_purge_keys, "DELETE FROM key_tags ", "(key_number=? AND tag=?)"),
    "purged values": (
        _purge_keys,
        "DELETE FROM key_values ",
        "(key_number=? AND language_code=? AND plural_form=?)",
    ),
    "purged counts": (
        _purge_keys,
        "DELETE FROM language_counts ",
        "(line=? AND language_code=?)",
    ),
    "forgotten removals": (  # asked each minute, with the write lock held
        lambda s: s.memories.forget_removals(at(9), at(0), 1000),
        "DELETE FROM memory_removals",
        "SEARCH r USING PRIMARY KEY (memory=? AND revision<?)",
    ),
    "open jobs": (lambda s: s.queues(at(9)), "GROUP BY type", "jobs_open"),
    "ended jobs": (lambda s: s.queues(at(9)), "SELECT finished_at", "jobs_finished"),
    "pending deliveries": (
        lambda s: s.queues(at(9)),
        "webhook_deliveries",
        "SEARCH d USING COVERING INDEX webhook_deliveries_due (webhook_id",
    ),
    "files": (_use_files, "files", "sqlite_autoindex_files_1 (id=?)"),
    "projects": (
        lambda s: s.access.projects_among("o", ["p"]),
        "projects",
        "sqlite_autoindex_projects_1 (id=?)",
    ),
    "blob of a release": (
        lambda s: s.delivery.names_blob("d", BLOB.name),
        "",
        "(blob=? AND release_id=?)",
    ),
    "texts of a file": (
        lambda s: [*s.keys.text_rows("p", "de", Selection())],
        "",
        "SEARCH k USING INTEGER PRIMARY KEY",
    ),
}
"""A call, what the statements in question contain, and what a step of each does."""


@sqlite_only
@pytest.mark.parametrize("name", WALKS)
def test_rows_are_found_by_the_best_index(storage, name):
    call, statement, step = WALKS[name]
    with statements_of(storage) as seen:
        call(storage)

    plans = sqlite_plans(storage, [sql for sql in seen if statement in sql])
    assert plans
    for plan in plans:
        assert any(step in each for each in plan), plan


def _write_entries(storage, memory, id_):
    with write(storage, memory) as writing:
        storage.memories.detach_entries(writing, [id_])
        storage.memories.write_translations(writing, [], at(1), [(id_, "de")])
        storage.memories.delete_language(writing, "de", 0, 9)
        storage.memories.remove_entries(writing, [id_], only_learned=True)
        storage.memories.remove_entries(writing, [id_])


BY_ID: dict[str, Callable[[PeeweeStorage, TranslationMemory, str], object]] = {
    "find_entries": lambda s, m, i: s.memories.find_entries(m.id, [i]),
    "translations_of": lambda s, m, i: s.memories.translations_of(m.id, [i]),
    "links to entries": lambda s, m, i: list(
        s.memories.find_links(tm_id=m.id, entry_ids=[i])
    ),
    "writes": _write_entries,
}


@sqlite_only
@pytest.mark.parametrize("name", BY_ID)
def test_entry_of_a_memory_is_looked_up_without_reading_the_others(storage, name):
    memory = add_memory(storage, add_project(storage))
    new = entry(memory, "Pay", "de:Zahlen")
    add_entries(storage, [new])

    with statements_of(storage) as seen:
        BY_ID[name](storage, memory, new.id)

    for plan in sqlite_plans(storage, seen):
        for step in plan:
            assert "(memory=?)" not in step, plan
            assert not step.startswith("SCAN") or "json_each" in step, plan


def test_entries_of_large_memories_are_found_by_indexes(storage, kind, monkeypatch):
    monkeypatch.setattr(filters, "LARGE", 0)
    StorageMemoriesContract().test_memories_have_what_a_model_has(storage, 1)
    with statements_of(storage) as seen:
        storage.memories.list_entries("m", EntryQuery(search="pay"))

    asked = [sql for sql in seen if "MATCH" in sql]
    assert len(asked) == (2 if kind == "sqlite" else 0)
    for plan in sqlite_plans(storage, asked):
        scans = [step for step in plan if step.startswith("SCAN")]
        assert all("VIRTUAL TABLE INDEX" in step for step in scans), plan


# batches and lists of keys

Batch = Callable[[PeeweeStorage, Project, list[Key]], object]
BATCHES: dict[str, Batch] = {
    "add_keys": lambda s, p, ks: s.keys.add_keys(
        [key(p, f"new.{one.key}", tags=("t",)) for one in ks]
    ),
    "find_keys": lambda s, p, ks: s.keys.find_keys(p.id, [one.id for one in ks]),
    "find_keys by name": lambda s, p, ks: s.keys.find_keys(
        p.id, names=[one.key for one in ks]
    ),
    "save_keys": lambda s, p, ks: s.keys.save_keys(
        [key(p, f"r.{one.key}", id=one.id) for one in ks]
    ),
    "trash_keys": lambda s, p, ks: s.keys.trash_keys(
        p.id, [one.id for one in ks], at(9)
    ),
    "restore_keys": lambda s, p, ks: s.keys.restore_keys(
        p.id, [one.id for one in ks], at(9)
    ),
    "trashed": lambda s, p, ks: s.keys.find_keys(
        p.id, [one.id for one in ks], in_trash=True
    ),
    "values_of": lambda s, p, ks: s.keys.values_of([one.id for one in ks]),
    "write_values": lambda s, p, ks: s.keys.write_values(
        [one.id for one in ks],
        at(9),
        [value(one) for one in ks],
        cleared=[value(one, "de") for one in ks],
    ),
    "mark_outdated": lambda s, p, ks: s.keys.mark_outdated(
        [one.id for one in ks], "en"
    ),
}

FILTERS = {
    "every key": KeyFilter(),
    "prefix": KeyFilter(prefix="k0"),
    "tag": KeyFilter(tags=("t",)),
    "state": KeyFilter(status="approved", language_code="de"),
    "state anywhere": KeyFilter(status="approved"),
    "untranslated": KeyFilter(status="untranslated", language_code="de"),
    "outdated": KeyFilter(is_outdated=True),
    "fresh": KeyFilter(is_outdated=False),
    "plural": KeyFilter(is_plural=True),
    "since": KeyFilter(updated_since=at(1)),
    "search": KeyFilter(search="k0"),
    "all at once": KeyFilter(
        search="k",
        prefix="k",
        tags=("t",),
        language_code="de",
        status="approved",
        is_outdated=False,
        is_plural=False,
        updated_since=at(0),
    ),
}


ALLOWED_SCANS = {"found", "page", "c", "g", "json_each", "CONSTANT", "key_search"}
"""Results of subqueries; the virtual table finds rows by its own index."""


@pytest.mark.parametrize("name", BATCHES)
def test_batch_costs_no_statement_a_row(storage, name):
    of = add_keys_project(storage)
    made = [key(of, f"k{number:04}", tags=("t",)) for number in range(1502)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])
    if name == "restore_keys":
        storage.keys.trash_keys(of.id, [one.id for one in made], at(1))

    counts = []
    for keys in (made[:1], made[1:501], made[501:]):  # 1001 keys at last
        with statements_of(storage) as seen:
            BATCHES[name](storage, of, keys)
        counts.append(len(seen))

    one, chunk, many = counts
    assert 1 <= one == chunk <= 12
    assert many <= 3 * one


@pytest.mark.parametrize("after", [None, Position("k1", "")], ids=["page", "cursor"])
@pytest.mark.parametrize("sort", ["key", "-updatedAt"])
@pytest.mark.parametrize("name", FILTERS)
def test_page_of_keys_is_three_statements_at_most_and_scans_no_table(
    storage, kind, name, sort, after
):
    of = add_keys_project(storage)
    made = [key(of, f"k{number:02}", tags=("t",)) for number in range(20)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])

    with statements_of(storage) as seen:
        storage.keys.list_keys(
            of.id, FILTERS[name], sort, limit=5, offset=0 if after else 5, after=after
        )

    assert 1 <= len(seen) <= 3
    for plan in sqlite_plans(storage, seen) if kind == "sqlite" else ():
        scanned = {step.split()[1] for step in plan if step.startswith("SCAN ")}
        assert scanned <= ALLOWED_SCANS, plan


def test_the_texts_of_a_language_are_one_statement(storage):
    of = add_keys_project(storage)
    made = [key(of, f"k{number:04}") for number in range(2100)]
    storage.keys.add_keys(made, [value(one, "de") for one in made])

    for which in (Selection(), Selection("any", "@root", "t"), Selection(module="k")):
        with statements_of(storage) as seen:
            texts = sum(
                len(row.texts) for row in storage.keys.text_rows(of.id, "de", which)
            )
        assert len(seen) == 1
        assert texts == (0 if which.tag or which.module else 2100)


def test_files_of_a_release_that_stay_as_they_are_are_not_written_again(storage):
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


@postgres_only
def test_postgres_keeps_the_plan_of_a_look_up_and_it_walks_an_index(storage):
    """Also one made for an empty table, which would read all of it when it grows."""
    for _ in range(ENOUGH_TO_KEEP):
        storage.access.find_holder("0" * 64)

    [(name, kept)] = storage.database.rows(
        """SELECT name, generic_plans > 0 FROM pg_prepared_statements
            WHERE statement LIKE '%WHERE t.sha256%'"""
    )
    plan = storage.database.rows(f"EXPLAIN EXECUTE {name}('')")
    steps = [step for (step,) in plan]
    assert kept
    assert any("Index Scan using tokens_sha256_key" in step for step in steps)
    assert not any("Seq Scan" in step for step in steps), steps


@postgres_only
def test_postgres_keeps_it_in_a_transaction_too(storage):
    with storage.transaction():
        for _ in range(ENOUGH_TO_KEEP):
            storage.access.find_holder("0" * 64)

    [(kept,)] = storage.database.rows(
        """SELECT generic_plans > 0 FROM pg_prepared_statements
            WHERE statement LIKE '%WHERE t.sha256%'"""
    )
    assert kept


@postgres_only
def test_postgres_plans_anew_what_is_about_many(storage):
    few, many = [str(number) for number in range(FEW)], ["0"] * (FEW + 1)
    with storage.transaction():
        for _ in range(ENOUGH_TO_KEEP):
            storage.keys.find_keys("p", few)
        for _ in range(ENOUGH_TO_KEEP):
            storage.keys.find_keys("p", names=many)

    [(statement,)] = storage.database.rows(
        """SELECT statement FROM pg_prepared_statements
            WHERE statement LIKE '%FROM keys k%'"""
    )
    assert "k.id = ANY" in statement


@postgres_only
def test_postgres_plans_anew_what_stands_in_a_snapshot(storage):
    with storage.snapshot():
        for _ in range(ENOUGH_TO_KEEP):
            storage.access.find_holder("0" * 64)

    rows = storage.database.rows(
        """SELECT generic_plans FROM pg_prepared_statements
            WHERE statement LIKE '%WHERE t.sha256%'"""
    )
    assert rows == [(0,)]


@postgres_only
def test_postgres_walks_to_a_page_of_a_branch_and_sorts_no_more_than_that(
    storage, asked
):
    of = add_project(storage)
    storage.keys.add_keys([key(of, f"key{number:04}") for number in range(3000)])
    branch = add_branch(storage, of)
    on = storage.branch_keys(of.id, branch.id)
    on.add_keys([key(of, "own")])
    storage.database.run("ANALYZE keys")
    asked.clear()
    page = on.list_keys(of.id, KeyFilter(), "key", limit=20)

    plan = plan_of(storage, asked[-1:])
    assert len(page.items) == 20
    walks = [step for step in plan if re.search(r" on keys k_\d ", step)]
    assert len(walks) == 2, plan
    assert all("using keys_by_name" in step for step in walks), plan


@postgres_only
def test_postgres_looks_up_the_values_of_entries_one_by_one_without_statistics(
    storage, asked
):
    """To read all translations takes the longer, the larger the memory is."""
    memory = add_memory(storage, add_project(storage))
    entries = [entry(memory, f"text {at}", f"de:Text {at}") for at in range(3000)]
    add_entries(storage, entries)
    asked.clear()
    with storage.snapshot():  # as it is asked for matches
        found = storage.memory_texts.applied_values(
            [each.id for each in entries[:100]], ["de", "fr"]
        )

    plan = plan_of(storage, asked)
    assert len(found) == 100
    looked_up = [step for step in plan if "Index Cond: " in step]
    assert any("(entry = e.number)" in step for step in looked_up), plan


@postgres_only
@pytest.mark.parametrize("sort", ["createdAt", "-updatedAt"])
def test_postgres_walks_to_a_page_of_entries_and_sorts_nothing(storage, asked, sort):
    of = add_project(storage)
    memory, other = add_memory(storage, of), add_memory(storage, of)
    for each in (other, memory):
        add_entries(storage, [entry(each, f"text {at}") for at in range(2000)])
    storage.database.run("ANALYZE memory_entries")
    asked.clear()
    query = EntryQuery(1, 20, sort=sort)
    found = storage.memories.list_entries(memory.id, query)

    plan = plan_of(storage, [each for each in asked if "ORDER BY e." in each[0]])
    assert len(found.items) == 20
    assert any("using memory_entries_" in step for step in plan), plan
    assert not any("Sort" in step for step in plan), plan

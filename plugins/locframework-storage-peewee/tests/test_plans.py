"""Every question is a walk of an index: nothing is scanned or sorted in between."""

import re
from collections.abc import Callable, Sequence

import pytest
from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.engine import Row
from locframework_storage_peewee.postgres import FEW

from locframework.access.records import Scope
from locframework.blobs.records import BlobNote
from locframework.events import EventFilter
from locframework.glossaries.records import TermFilter
from locframework.jobs.records import JobFilter
from locframework.keys.records import KeyFilter
from locframework.memories.records import EntryFilter, TranslationMemory
from locframework.pagination import SortedRequest
from locframework.testing.contracts.storage_memories import (
    add_entries,
    add_memory,
    entry,
)
from locframework.testing.contracts.storage_records import (
    ALL,
    add_branch,
    add_project,
    at,
    job,
    key,
)
from locframework.testing.databases import statements_of
from locframework.webhooks.records import DeliveryFilter

Ask = Callable[[PeeweeStorage, str], object]
ENOUGH_TO_KEEP = 20  # psycopg prepares, and the server keeps the plan, after five
BLOB = BlobNote("disk", "0" * 64, 1, at(0))

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
    "list_events": lambda s, i: s.events.list_events(i, 9),
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
    "lease_owners": lambda s, i: s.lease_owners(),
    "release_leases": lambda s, i: s.release_leases("a", at(0)),
    "prune": lambda s, i: s.purge("jobs", at(0), 9),
    "list_expired": lambda s, i: s.blobs.list_expired(at(0), 9, ["disk"]),
    "find a post": lambda s, i: s.idempotency.find(i, i, at(0)),
    "purge posts": lambda s, i: s.purge("idempotency_keys", at(0), 9),
    "find_file": lambda s, i: s.files.find(i, i),
    "look_for_unused": lambda s, i: s.files.look_for_unused(at(1), at(0), 9),
    "purge_files": lambda s, i: s.purge("files", at(0), 9),
    "list_terms": lambda s, i: s.terms.list_terms(i, TermFilter(), ALL),
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
}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_walks_an_index(storage: PeeweeStorage, name: str) -> None:
    of = add_project(storage)
    storage.jobs.add(job(of))

    with statements_of(storage) as seen:
        QUESTIONS[name](storage, of.id)

    assert seen
    for sql in seen:
        plan = storage.database.rows(
            f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
        )
        for *_, step in plan:
            whole = step.startswith("SCAN") and "INDEX" not in step
            assert not whole or "json_each" in step or "CONSTANT" in step, (step, sql)
            assert "TEMP B-TREE FOR ORDER BY" not in step, (step, sql)


def _write_entries(storage: PeeweeStorage, memory: TranslationMemory, id_: str) -> None:
    with storage.transaction():
        writing = storage.memories.begin(memory.id)
        assert writing is not None
        storage.memories.detach_entries(writing, [id_])
        storage.memories.remove_translations(writing, [(id_, "de")], at(1))
        storage.memories.remove_entries(writing, [id_])


def _remove_language(storage: PeeweeStorage, memory: TranslationMemory, _: str) -> None:
    with storage.transaction():
        writing = storage.memories.begin(memory.id)
        assert writing is not None
        storage.memories.delete_language(writing, "de", 0, 9)


BY_ID: dict[str, Callable[[PeeweeStorage, TranslationMemory, str], object]] = {
    "find_entries": lambda s, m, i: s.memories.find_entries(m.id, [i]),
    "translations_of": lambda s, m, i: s.memories.translations_of(m.id, [i]),
    "links to entries": lambda s, m, i: s.memories.find_links(m.id, entry_ids=[i]),
    "learned_entries": lambda s, m, i: s.memories.learned_entries(m.id, [i]),
    "writes": _write_entries,
    "remove_language": _remove_language,
}


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", BY_ID)
def test_an_entry_of_a_memory_is_looked_up_without_reading_the_others(
    storage: PeeweeStorage, name: str
) -> None:
    memory = add_memory(storage, add_project(storage))
    new = entry(memory, "Pay", "de:Zahlen")
    add_entries(storage, [new])

    with statements_of(storage) as seen:
        BY_ID[name](storage, memory, new.id)

    assert seen
    for sql in seen:
        plan = storage.database.rows(
            f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")
        )
        for *_, step in plan:
            assert "(memory=?)" not in step, (step, sql)
            assert not step.startswith("SCAN") or "json_each" in step, (step, sql)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "updatedAt", "-updatedAt"])
def test_a_page_of_entries_is_walked_to_and_not_sorted(
    storage: PeeweeStorage, sort: str
) -> None:
    memory = add_memory(storage, add_project(storage))
    page = SortedRequest(1, 20, sort)

    with statements_of(storage) as seen:
        storage.memories.list_entries(memory.id, EntryFilter(), page)

    [sql] = [each for each in seen if "ORDER BY" in each]
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    assert not any("TEMP B-TREE" in step for *_, step in plan), plan


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("table", ["files", "projects"])
def test_what_is_named_by_its_ids_is_not_looked_for_among_all_of_its_owner(
    storage: PeeweeStorage, table: str
) -> None:
    of = add_project(storage)

    with statements_of(storage) as seen, storage.transaction():
        if table == "files":
            storage.files.use_files(of.id, ["f"])
        else:
            storage.access.projects_among(of.organization_id, [of.id])

    [sql] = [sql for sql in seen if table in sql]
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    assert plan[0][-1].endswith(f"sqlite_autoindex_{table}_1 (id=?)"), plan


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_file_is_looked_for_in_releases_of_its_distribution_only(
    storage: PeeweeStorage,
) -> None:
    with statements_of(storage) as seen:
        storage.delivery.names_blob("d", BLOB.name)

    [sql] = seen
    plan = storage.database.rows(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?"))
    _, _, releases, named, _ = (step for *_, step in plan)
    assert "SEARCH r " in releases
    assert "(distribution_id=?)" in releases
    assert "SEARCH n " in named
    assert "(blob=? AND release_id=?)" in named


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_two_statements_at_most(
    storage: PeeweeStorage, name: str
) -> None:
    of = add_project(storage)
    storage.jobs.add(job(of))

    with statements_of(storage) as seen:
        QUESTIONS[name](storage, of.id)

    assert 1 <= len(seen) <= 2


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_keeps_the_plan_of_a_look_up_and_it_walks_an_index(
    storage: PeeweeStorage,
) -> None:
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


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_keeps_it_in_a_transaction_too(storage: PeeweeStorage) -> None:
    with storage.transaction():
        for _ in range(ENOUGH_TO_KEEP):
            storage.access.find_holder("0" * 64)

    [(kept,)] = storage.database.rows(
        """SELECT generic_plans > 0 FROM pg_prepared_statements
            WHERE statement LIKE '%WHERE t.sha256%'"""
    )
    assert kept


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_plans_anew_what_is_about_many(storage: PeeweeStorage) -> None:
    few, many = [str(number) for number in range(FEW)], ["0"] * (FEW + 1)
    with storage.transaction():
        for _ in range(ENOUGH_TO_KEEP):
            storage.keys.find_keys("p", few)
        for _ in range(ENOUGH_TO_KEEP):
            storage.keys.find_keys_by_name("p", many)

    [(statement,)] = storage.database.rows(
        """SELECT statement FROM pg_prepared_statements
            WHERE statement LIKE '%FROM keys k%'"""
    )
    assert "k.id = ANY" in statement


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_plans_anew_what_stands_in_a_snapshot(storage: PeeweeStorage) -> None:
    with storage.snapshot():
        for _ in range(ENOUGH_TO_KEEP):
            storage.access.find_holder("0" * 64)

    rows = storage.database.rows(
        """SELECT generic_plans FROM pg_prepared_statements
            WHERE statement LIKE '%WHERE t.sha256%'"""
    )
    assert rows == [(0,)]


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_walks_to_a_page_of_a_branch_and_sorts_no_more_than_that(
    storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = add_project(storage)
    storage.keys.add_keys([key(of, f"key{number:04}") for number in range(3000)])
    branch = add_branch(storage, of)
    on = storage.branch_keys(of.id, branch.id)
    on.add_keys([key(of, "own")])
    storage.database.run("ANALYZE keys")
    asked: list[tuple[str, Sequence[object]]] = []
    rows = storage.database.rows

    def noted(sql: str, params: Sequence[object] = ()) -> list[Row]:
        asked.append((sql, params))
        return rows(sql, params)

    monkeypatch.setattr(storage.database, "rows", noted)
    page = on.list_keys(of.id, KeyFilter(), "key", limit=20)

    sql, params = asked[-1]
    with storage.snapshot():
        plan = [step for (step,) in rows(f"EXPLAIN {sql}", params)]
    assert len(page.items) == 20
    walks = [step for step in plan if re.search(r" on keys k_\d ", step)]
    assert len(walks) == 2, plan
    assert all("using keys_by_name" in step for step in walks), plan


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_postgres_looks_up_the_values_of_entries_one_by_one_without_statistics(
    storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read all translations takes the longer, the larger the memory is."""
    memory = add_memory(storage, add_project(storage))
    entries = [entry(memory, f"text {at}", f"de:Text {at}") for at in range(3000)]
    add_entries(storage, entries)
    asked: list[tuple[str, Sequence[object]]] = []
    rows = storage.database.rows

    def noted(sql: str, params: Sequence[object] = ()) -> list[Row]:
        asked.append((sql, params))
        return rows(sql, params)

    monkeypatch.setattr(storage.database, "rows", noted)
    with storage.snapshot():  # as it is asked for matches
        found = storage.memory_texts.applied_values(
            [each.id for each in entries[:100]], ["de", "fr"]
        )
        [(sql, params)] = asked
        plan = [step for (step,) in rows(f"EXPLAIN {sql}", params)]

    assert len(found) == 100
    looked_up = [step for step in plan if "Index Cond: " in step]
    assert any("(entry = e.number)" in step for step in looked_up), plan


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
@pytest.mark.parametrize("sort", ["createdAt", "-updatedAt"])
def test_postgres_walks_to_a_page_of_entries_and_sorts_nothing(
    storage: PeeweeStorage, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    of = add_project(storage)
    memory, other = add_memory(storage, of), add_memory(storage, of)
    for each in (other, memory):
        add_entries(storage, [entry(each, f"text {at}") for at in range(2000)])
    storage.database.run("ANALYZE memory_entries")
    asked: list[tuple[str, Sequence[object]]] = []
    rows = storage.database.rows

    def noted(sql: str, params: Sequence[object] = ()) -> list[Row]:
        asked.append((sql, params))
        return rows(sql, params)

    monkeypatch.setattr(storage.database, "rows", noted)
    page = SortedRequest(1, 20, sort)
    found = storage.memories.list_entries(memory.id, EntryFilter(), page)

    [(sql, params)] = [each for each in asked if "ORDER BY e." in each[0]]
    with storage.snapshot():
        plan = [step for (step,) in rows(f"EXPLAIN {sql}", params)]
    assert len(found.items) == 20
    assert any("using memory_entries_" in step for step in plan), plan
    assert not any("Sort" in step for step in plan), plan

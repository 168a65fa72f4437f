"""Lost connections, locks of others and killed writers: waited for, told, survived."""

import time
from contextlib import contextmanager
from functools import partial
from threading import Barrier, Thread

import psycopg
import pytest
from msgspec.structs import replace

from locframework.ports import Unavailable
from locframework.testing.contracts.storage_records import (
    add_project,
    organization,
    project,
)

pytestmark = pytest.mark.kill

sqlite_only = pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
postgres_only = pytest.mark.parametrize(
    "kind", [pytest.param("postgres", marks=pytest.mark.server)], indirect=True
)


def cut(url):
    """End every connection of ours to the database at the server."""
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(
            """SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database()
                AND application_name = 'locframework'"""
        )


@postgres_only
def test_a_connection_cut_between_requests_is_replaced_unnoticed(storage, url):
    made = add_project(storage)

    cut(url)
    assert storage.projects.find(made.id) == made
    cut(url)
    assert add_project(storage)
    cut(url)
    storage.projects.delete(made.id, "2026")
    cut(url)
    with storage.snapshot():
        assert storage.projects.find(made.id) is None
    cut(url)
    storage.ping()


@postgres_only
@pytest.mark.parametrize("name", ["transaction", "snapshot"])
def test_a_connection_cut_in_a_block_ends_the_block(storage, url, name):
    made, calls = add_project(storage), []
    block = getattr(storage, name)

    with pytest.raises(Unavailable), block():  # noqa: PT012
        storage.projects.find(made.id)
        storage.after_commit(lambda: calls.append(1))
        cut(url)
        storage.projects.find(made.id)

    assert storage.projects.find(made.id) == made
    assert calls == []


@postgres_only
def test_what_was_written_before_the_cut_is_not_kept_by_halves(storage, url):
    first, second = organization(), organization()

    with pytest.raises(Unavailable), storage.transaction():  # noqa: PT012
        storage.access.organizations.insert(first)
        cut(url)
        with pytest.raises(Unavailable):  # as a careless service might
            storage.access.organizations.insert(second)
        with pytest.raises(Unavailable):
            storage.access.organizations.insert(second)

    assert storage.access.organizations.find(first.id) is None
    assert storage.access.organizations.find(second.id) is None


@postgres_only
def test_a_commit_that_meets_a_cut_is_not_acknowledged(storage, url):
    made = organization()

    with pytest.raises(Unavailable), storage.transaction():  # noqa: PT012
        storage.access.organizations.insert(made)
        cut(url)

    assert storage.access.organizations.find(made.id) is None


@postgres_only
def test_a_stream_that_is_cut_ends_with_unavailable(storage, url):
    rows = storage.database.stream("SELECT i FROM generate_series(1, 100000) AS s (i)")
    assert next(rows) == (1,)
    cut(url)

    with pytest.raises(Unavailable):
        list(rows)

    storage.ping()


@postgres_only
def test_a_server_that_is_not_there_is_unavailable(open_storage, kind):
    storage = open_storage("postgresql://nobody:secret@127.0.0.1:1/nothing")

    looked = partial(storage.migrate, dry_run=True)
    for ask in (storage.ping, storage.migrate, looked):
        with pytest.raises(Unavailable) as caught:
            ask()
        assert "secret" not in caught.value.message
        assert "127.0.0.1" not in caught.value.message


@sqlite_only
@pytest.mark.parametrize("seconds", [2])
def test_a_writer_waits_for_another_process(storage, url, start, seconds):
    made = add_project(storage)
    start("lock", url, url.removeprefix("sqlite:///"), seconds)
    begun = time.monotonic()

    assert storage.projects.find(made.id) == made  # a reader does not wait
    assert time.monotonic() - begun < 1
    add_project(storage)

    assert 1 < time.monotonic() - begun < 5


@sqlite_only
def test_a_writer_gives_up_on_another_process_after_five_seconds(storage, url, start):
    holder = start("lock", url, url.removeprefix("sqlite:///"), 60)
    begun, made = time.monotonic(), organization()

    with pytest.raises(Unavailable) as caught:
        storage.access.organizations.insert(made)

    assert 4 < time.monotonic() - begun < 7
    assert "locked" not in caught.value.message
    holder.kill()
    storage.access.organizations.insert(made)
    assert storage.access.organizations.find(made.id) == made


@sqlite_only
def test_a_full_disk_refuses_writes_and_loses_nothing(storage, caplog):
    kept = [add_project(storage)]
    database = storage.database
    (pages,) = database.row("PRAGMA page_count") or (0,)
    database.row(f"PRAGMA max_page_count = {pages + 3}")

    def fill():
        while True:
            kept.append(add_project(storage, description="x" * 3000))

    with pytest.raises(Unavailable, match="no room left on its disk"):
        fill()

    assert "ERROR" in {record.levelname for record in caplog.records}
    assert len(kept) > 1
    for one in kept:
        assert storage.projects.find(one.id) == one
    database.row("PRAGMA max_page_count = 1000000")
    assert add_project(storage)
    assert database.row("SELECT count(*) FROM projects") == (len(kept) + 1,)


@sqlite_only
def test_a_file_that_may_not_be_written_is_not_told_as_busy(storage, caplog):
    made = add_project(storage)
    storage.database.row("PRAGMA query_only = 1")  # mode 444 stops no test of root's

    with pytest.raises(Unavailable, match="or its folder, is not writable"):
        add_project(storage)

    assert "ERROR" in {record.levelname for record in caplog.records}
    assert storage.projects.find(made.id) == made


def test_processes_that_read_and_write_lose_nothing(storage, url, start):
    made = add_project(storage)
    children = [start("lengthen", url, made.id, 100) for _ in range(3)]

    for child in children:
        child.go()

    assert [child.hear() for child in children] == ["done"] * 3
    found = storage.projects.find(made.id)
    assert found is not None
    assert found.description == "x" * 300


@contextmanager
def transaction_elsewhere(storage, work):
    """Another thread's transaction, which has done ``work``, while the block runs."""
    begun, end = Barrier(2), Barrier(2)

    def hold():
        with storage.transaction():
            work()
            begun.wait(10)
            end.wait(30)

    thread = Thread(target=hold)
    thread.start()
    begun.wait(10)
    yield
    end.wait(10)
    thread.join()


@postgres_only  # on SQLite a thread waits as a process does
def test_a_writer_gives_up_on_another_thread_after_five_seconds(storage):
    made = add_project(storage)
    begun = time.monotonic()

    with (
        transaction_elsewhere(storage, lambda: storage.projects.lock(made.id)),
        pytest.raises(Unavailable),
        storage.transaction(),
    ):
        storage.projects.lock(made.id)

    assert 4 < time.monotonic() - begun < 7
    with storage.transaction():
        storage.projects.lock(made.id)


def test_a_clash_with_another_writer_is_unavailable_and_kept_by_neither_half(storage):
    made = add_project(storage)
    other = organization()

    with pytest.raises(Unavailable), storage.transaction():  # noqa: PT012
        storage.access.organizations.insert(other)
        storage.projects.insert(replace(made, name="another"))
    with pytest.raises(Unavailable):
        storage.projects.insert(project(organization("unknown")))

    assert storage.access.organizations.find(other.id) is None


def test_a_fault_of_ours_is_not_called_unavailable(storage):
    for wrong in ("SELECT nothing FROM nowhere", "SELEC"):
        with pytest.raises(storage.database.engine.errors) as caught:
            storage.database.row(wrong)
        assert not isinstance(caught.value, Unavailable)
    storage.ping()


@pytest.mark.parametrize("milliseconds", [10, 150])
def test_what_a_killed_writer_acknowledged_is_there(
    storage, url, start, kind, milliseconds
):
    made = add_project(storage)
    writer = start("write", url, made.organization_id)

    writer.go()
    acknowledged = [writer.hear()]
    time.sleep(milliseconds / 1000)
    writer.kill()
    acknowledged += writer.rest()

    rows = storage.database.rows("SELECT id, name FROM projects")
    names = {id_: name for id_, name in rows if id_ != made.id}
    assert set(acknowledged) <= set(names)
    assert set(names.values()) == {"twice"}  # never the first half of a transaction
    assert len(names) <= len(acknowledged) + 1
    counted = storage.database.row("SELECT count(*) FROM lines")
    assert counted == (len(rows),)
    if kind == "sqlite":
        assert storage.database.rows("PRAGMA integrity_check") == [("ok",)]
        assert storage.database.rows("PRAGMA foreign_key_check") == []
    add_project(storage)

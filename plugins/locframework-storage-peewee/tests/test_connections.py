"""One connection a thread: opened once, given back, never shared with a child."""

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from locframework_storage_peewee import PeeweeProvider
from locframework_storage_peewee.plugin import engine_of

from locframework.ports import SettingsError, Unavailable
from locframework.testing.contracts.storage_records import add_project, organization


@pytest.fixture
def opened(storage, monkeypatch):
    """The connections that are opened from now on."""
    found = []
    open_one = storage.database.engine.open

    def count(database):
        found.append(open_one(database))
        return found[-1]

    monkeypatch.setattr(storage.database.engine, "open", count)
    return found


def open_connections(storage, url, kind):
    """As the system sees them."""
    if kind == "postgres":
        with psycopg.connect(url) as other:
            row = other.execute(
                """SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database()
                    AND application_name = 'locframework'"""
            ).fetchone()
        assert row
        return int(row[0])
    path = url.removeprefix("sqlite:///")
    descriptors = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    links = (os.readlink(name) for name in descriptors if os.path.islink(name))
    return sum(link == path for link in links)


def settle(most, storage, url, kind):
    """How many are open, once it is so many at most: a server needs a moment."""
    deadline = time.monotonic() + 5
    while (found := open_connections(storage, url, kind)) > most:
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return found


def test_a_thread_opens_one_connection_for_all_it_asks(storage, opened):
    made = add_project(storage)
    for _ in range(50):
        storage.projects.find(made.id)
        with storage.snapshot():
            storage.projects.list_languages(made.id)

    assert len(opened) == 1


def test_threads_have_connections_of_their_own(storage, opened):
    together = threading.Barrier(4)

    def ask(_):
        together.wait(10)
        storage.ping()
        storage.ping()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, range(4)))

    assert len(opened) == len(set(map(id, opened))) == 4


def test_the_connection_of_a_thread_that_ended_is_closed(storage, url, kind):
    storage.ping()

    for _ in range(20):
        thread = threading.Thread(target=storage.ping)
        thread.start()
        thread.join()

    # SQLite keeps a closed file open to use it again, while others have it locked
    most = 2 if kind == "sqlite" else 1
    assert settle(most, storage, url, kind) <= most


def test_close_closes_the_connections_of_all_threads(storage, url, kind):
    asked, leave = threading.Barrier(4), threading.Event()

    def ask():
        storage.ping()
        asked.wait(10)
        leave.wait(10)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    storage.ping()
    asked.wait(10)
    assert open_connections(storage, url, kind) == 4

    storage.close()

    assert settle(0, storage, url, kind) == 0
    leave.set()
    for thread in threads:
        thread.join()


def test_a_storage_that_nobody_holds_closes_its_connections(storage, url, kind):
    another = PeeweeProvider(url).open()
    another.ping()
    assert open_connections(storage, url, kind) == 1

    del another
    gc.collect()

    assert settle(0, storage, url, kind) == 0


def test_closing_under_a_transaction_undoes_it(storage, url):
    made = organization()

    def write_on():
        storage.access.organizations.insert(organization())

    with pytest.raises(Unavailable), storage.transaction():  # noqa: PT012
        storage.access.organizations.insert(made)
        thread = threading.Thread(target=storage.close)
        thread.start()
        thread.join()
        write_on()

    again = PeeweeProvider(url).open()
    assert again.access.organizations.find(made.id) is None
    again.close()


def test_a_thread_that_connects_while_others_close_keeps_nothing_open(
    storage, url, kind, monkeypatch
):
    open_one = storage.database.engine.open

    def open_late(database):
        connection = open_one(database)
        storage.close()
        return connection

    monkeypatch.setattr(storage.database.engine, "open", open_late)
    storage.database.drop_connections()

    with pytest.raises(Unavailable, match="the database was closed"):
        storage.ping()
    assert settle(0, storage, url, kind) == 0


def in_child(call):
    """``call`` in a forked child; 0 when it went well."""
    pid = os.fork()
    if pid == 0:
        try:
            call()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_child_never_uses_its_parents_connections(storage, opened):
    storage.ping()
    keep, asked = threading.Event(), threading.Event()

    def other_thread():
        storage.ping()
        asked.set()
        keep.wait(10)
        add_project(storage, "from the other thread")

    thread = threading.Thread(target=other_thread)
    thread.start()
    asked.wait(10)
    parents = set(map(id, opened))

    def child():
        add_project(storage, "from the child")
        mine = [one for one in opened if id(one) not in parents]
        assert len(mine) == 1
        storage.close()
        gc.collect()

    assert in_child(child) == 0

    keep.set()
    thread.join()
    add_project(storage, "from the parent")
    assert len(opened) == 2
    names = storage.database.rows("SELECT name FROM projects ORDER BY name")
    assert [name for (name,) in names] == [
        "from the child",
        "from the other thread",
        "from the parent",
    ]


def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(storage):
    made = organization()

    with storage.transaction():
        storage.access.organizations.insert(made)
        assert in_child(lambda: storage.access.organizations.find(made.id)) == 0

    assert storage.access.organizations.find(made.id) == made


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            'connection failed: FATAL:  password authentication failed for user "a"',
            "PostgreSQL does not accept the user name or the password of the address",
        ),
        (
            'FATAL:  role "a" does not exist',
            "PostgreSQL does not accept the user name or the password of the address",
        ),
        (
            "fe_sendauth: no password supplied",
            "PostgreSQL requires a password, and the address has none",
        ),
        (
            'FATAL:  database "x" does not exist',
            "the PostgreSQL server has no database of the name in the address",
        ),
        ("connection refused", None),
        ("the database system is starting up", None),
    ],
)
def test_what_postgres_says_of_an_address_is_told_without_its_secrets(said, told):
    engine = engine_of("postgresql://a:secret@127.0.0.1/x")

    assert engine.refused(Exception(said)) == told


NO_PLACE = "the database can be neither found nor made"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("text", "the file of the database is not a SQLite database"),
        ("folder", "the database file cannot be opened"),
        ("text/below", f"{NO_PLACE}: Not a directory"),
        ("text/below/it", f"{NO_PLACE}: Not a directory"),
        ("/proc/nothing/below", NO_PLACE),  # not even for root
        (f"{'x' * 300}/below", f"{NO_PLACE}: File name too long"),
    ],
)
def test_a_file_that_sqlite_refuses_stops_the_start_and_is_named(tmp_path, path, told):
    (tmp_path / "text").write_text("no database, but long enough for one" * 9)
    (tmp_path / "folder").mkdir()
    storage = PeeweeProvider(f"sqlite:///{tmp_path / path}").open()

    with pytest.raises(SettingsError) as looked:
        storage.migrate(dry_run=True)
    with pytest.raises(SettingsError) as started:
        storage.migrate()
    with pytest.raises(Unavailable) as asked:  # by anybody, who may see no path
        storage.ping()

    place = f"settings: plugins.peewee.database: {tmp_path / path}: "
    assert str(looked.value).startswith(f"{place}{told}")
    assert str(started.value).startswith(place)
    assert str(tmp_path) not in asked.value.message


def test_a_file_that_may_not_be_written_is_told_as_that():
    refused = engine_of("sqlite:///x").refused
    said = Exception("attempt to write a readonly database")

    told = "the database file, or its folder, is not writable"
    assert (refused(said), refused(Exception("database is locked"))) == (told, None)


@pytest.mark.parametrize("kind", ["postgres"], indirect=True)
@pytest.mark.server
def test_an_address_that_postgres_refuses_is_told_as_what_it_is(empty_url, kind):
    parts = urlsplit(empty_url)
    host = parts.netloc.rpartition("@")[2]
    absent = [
        urlunsplit(parts._replace(path="/loc_test_absent")),
        urlunsplit(parts._replace(netloc=f"loc_nobody:secret@{host}")),
    ]

    told = []
    for url in absent:
        with pytest.raises(SettingsError) as raised:
            PeeweeProvider(url).open().migrate()
        told.append(str(raised.value).partition("database: ")[2])

    assert told == [
        "the PostgreSQL server has no database of the name in the address",
        "PostgreSQL does not accept the user name or the password of the address",
    ]


def test_a_generator_may_hold_a_snapshot_longer_than_the_block_around_it(storage):
    def reading():
        with storage.snapshot():
            yield

    held = reading()
    with storage.snapshot():
        next(held)
    held.close()

    with storage.transaction():
        assert storage.database.is_in_block
    assert not storage.database.is_in_block

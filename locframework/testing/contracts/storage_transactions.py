"""Contract of transactions and snapshots, and of what follows a commit."""

# ruff: noqa: PT012 - the tests are about whole blocks

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

import pytest
from msgspec.structs import replace

from locframework.access.records import Organization
from locframework.errors import Unavailable
from locframework.storage import Storage

from .storage_events import latest
from .storage_records import TEXTS, add_project, event, organization

T = TypeVar("T")


class _Fault(Exception):
    """Raised by a test's own block."""


def in_thread(call: Callable[[], T]) -> T:
    """Call in another thread, which has a connection of its own."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


def insert(storage: Storage, name: str | None = None) -> Organization:
    made = organization(name)
    storage.access.organizations.insert(made)
    return made


def exists(storage: Storage, made: Organization) -> bool:
    return storage.access.organizations.find(made.id) == made


class StorageTransactionsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_commit_is_visible_only_at_its_end(self, storage: Storage) -> None:
        with storage.transaction():
            made = insert(storage)
            with storage.snapshot():
                assert exists(storage, made)
            assert not in_thread(lambda: exists(storage, made))

        assert in_thread(lambda: exists(storage, made))

    @pytest.mark.parametrize("fault", [_Fault, KeyboardInterrupt, GeneratorExit])
    def test_failed_block_is_rolled_back(
        self, storage: Storage, fault: type[BaseException]
    ) -> None:
        with pytest.raises(fault), storage.transaction():
            with storage.transaction():
                made = insert(storage)
            raise fault

        assert not exists(storage, made)

    def test_failed_inner_write_fails_the_transaction(self, storage: Storage) -> None:
        with pytest.raises(Exception, match=r"\w"), storage.transaction():
            outer = insert(storage)
            with pytest.raises(_Fault), storage.transaction():
                inner = insert(storage)
                raise _Fault

        assert not exists(storage, outer)
        assert not exists(storage, inner)

    def test_failed_inner_read_may_be_ignored(self, storage: Storage) -> None:
        with storage.transaction():
            made = insert(storage)
            with pytest.raises(_Fault), storage.transaction():
                assert exists(storage, made)
                raise _Fault

        assert exists(storage, made)

    def test_deferred_transaction_begins_with_the_first_inside_and_ends_as_one(
        self, storage: Storage
    ) -> None:
        begun: list[Organization] = []
        with storage.transaction(first=lambda: begun.append(insert(storage))):
            before = in_thread(lambda: insert(storage))
            with pytest.raises(_Fault), storage.transaction():
                failed = insert(storage)
                raise _Fault
            with (
                pytest.raises(RuntimeError),
                storage.snapshot(),
                storage.transaction(),
            ):
                raise AssertionError
            between = in_thread(lambda: insert(storage))
            with storage.transaction():
                inner = insert(storage)
            last = insert(storage)
            assert not in_thread(lambda: exists(storage, inner))

        first, again = begun
        kept = [before, between, again, inner, last]
        assert [exists(storage, each) for each in kept] == [True] * 5
        assert [exists(storage, each) for each in (first, failed)] == [False] * 2
        with pytest.raises(_Fault), storage.transaction(first=lambda: None):
            lost = insert(storage)
            raise _Fault
        assert not exists(storage, lost)

    def test_deferred_transaction_is_kept_when_one_inside_it_has_ended(
        self, storage: Storage
    ) -> None:
        begun: list[Organization] = []
        with (
            pytest.raises(_Fault),
            storage.transaction(first=lambda: begun.append(insert(storage))),
        ):
            with storage.transaction(first=lambda: begun.append(insert(storage))):
                inner = insert(storage)
            assert exists(storage, inner)
            lost = insert(storage)
            raise _Fault

        kept, undone = begun
        assert [exists(storage, each) for each in (kept, inner)] == [True] * 2
        assert not any(exists(storage, each) for each in (undone, lost))

    def test_snapshot_reads_one_moment_and_no_write(self, storage: Storage) -> None:
        first = add_project(storage)
        with storage.snapshot():
            assert storage.projects.find(first.id)
            second = in_thread(lambda: add_project(storage))
            assert storage.projects.find(second.id) is None
            with pytest.raises(RuntimeError):
                insert(storage)

        assert storage.projects.find(second.id) == second

    def test_after_commit_is_called_once_the_outermost_block_is_committed(
        self, storage: Storage, caplog: pytest.LogCaptureFixture
    ) -> None:
        seen: list[object] = []

        def fail() -> None:
            raise _Fault("after the commit")

        with caplog.at_level(logging.ERROR), storage.transaction():
            storage.after_commit(fail)
            with storage.transaction():
                made = insert(storage)
                storage.after_commit(
                    lambda: seen.append(in_thread(lambda: exists(storage, made)))
                )
                storage.after_commit(lambda: seen.append(insert(storage)))
            assert not seen
        with pytest.raises(_Fault), storage.transaction():
            storage.after_commit(lambda: seen.append("rolled back"))
            raise _Fault

        assert seen[0] is True
        assert len(seen) == 2
        assert "after the commit" in caplog.text
        storage.after_commit(lambda: seen.append("at once"))
        assert seen[2:] == ["at once"]

    def test_before_commit_is_called_once_a_name_inside_the_transaction(
        self, storage: Storage
    ) -> None:
        seen: list[object] = []

        def begin() -> Callable[[], None]:
            seen.append("begun")
            return lambda: seen.append(insert(storage))

        with storage.transaction():
            with storage.transaction():
                storage.before_commit("a name", begin)
                storage.before_commit("a name", begin)
            assert seen == ["begun"]
        with pytest.raises(_Fault), storage.transaction():
            storage.before_commit("a name", begin)
            raise _Fault

        assert seen[0::2] == ["begun", "begun"]
        assert isinstance(seen[1], Organization)
        assert exists(storage, seen[1])
        with pytest.raises(RuntimeError), storage.snapshot():
            storage.before_commit("a name", begin)

        def fail() -> None:
            raise _Fault

        with pytest.raises(_Fault), storage.transaction():
            made = insert(storage)
            storage.before_commit("a name", lambda: fail)
        assert not exists(storage, made)

    def test_writers_with_one_lock_follow_one_another(self, storage: Storage) -> None:
        made, order, locked = add_project(storage), [], Event()

        def lengthen(times: int) -> None:
            for _ in range(times):
                with storage.transaction():
                    storage.projects.lock(made.id)
                    old = storage.projects.find(made.id)
                    assert old is not None
                    longer = replace(old, description=old.description + "x")
                    storage.projects.update(longer)

        def second() -> None:
            locked.wait(5)
            lengthen(1)
            order.append("second")

        with ThreadPoolExecutor(7) as threads:
            waiting = threads.submit(second)
            with storage.transaction():
                storage.projects.lock(made.id)
                locked.set()
                assert not Event().wait(0.3)  # time enough for the other to go wrong
                order.append("first")
            waiting.result()
            for done in [threads.submit(lengthen, 10) for _ in range(6)]:
                done.result()

        assert order == ["first", "second"]
        found = storage.projects.find(made.id)
        assert found is not None
        assert found.description == "x" * 61

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_text_is_stored_byte_for_byte(self, storage: Storage, text: str) -> None:
        made = add_project(storage)
        described = replace(made, description=text)
        items = [{text: text, "b": [text], "a": {"z": 1, "y": text}}]

        with storage.transaction():
            storage.projects.update(described)
            storage.events.add([event(made, items=items)])

        assert storage.projects.find(made.id) == described
        [found] = latest(storage.events, made.id, 1)
        assert found.items == items
        assert list(found.items[0]) == [text, "b", "a"]

    def test_closed_storage_is_unavailable(self, storage: Storage) -> None:
        made = add_project(storage)
        assert storage.migrate(dry_run=True) == storage.migrate() == []

        in_thread(storage.close)
        storage.close()

        for call in (
            storage.ping,
            storage.migrate,
            partial(storage.migrate, dry_run=True),
            partial(storage.projects.find, made.id),
            partial(add_project, storage, "another"),
        ):
            with pytest.raises(Unavailable):
                call()

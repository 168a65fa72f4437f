"""The contract of Storage, part ST: transactions, snapshots, what follows a commit."""

# ruff: noqa: PT012 - what a whole block does is the subject here

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TypeVar

import pytest
from msgspec.structs import replace

from locframework.errors import Unavailable
from locframework.storage import Storage

from .storage_records import TEXTS, add_project, event, organization

T = TypeVar("T")


class _Fault(Exception):
    """What a test's own block raises."""


def elsewhere(call: Callable[[], T]) -> T:
    """``call`` in another thread, which has a connection of its own."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


class StorageTransactionsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_st1_what_a_block_wrote_is_there_for_everybody(
        self, storage: Storage
    ) -> None:
        made = organization()

        with storage.transaction():
            storage.access.organizations.insert(made)

        assert elsewhere(lambda: storage.access.organizations.find(made.id)) == made

    @pytest.mark.parametrize("fault", [_Fault, KeyboardInterrupt, GeneratorExit])
    def test_st2_of_a_block_that_fails_nothing_is_kept(
        self, storage: Storage, fault: type[BaseException]
    ) -> None:
        made = organization()

        with pytest.raises(fault), storage.transaction():
            storage.access.organizations.insert(made)
            raise fault

        assert storage.access.organizations.find(made.id) is None

    def test_st3_a_block_inside_a_block_shares_its_fate(self, storage: Storage) -> None:
        made = organization()

        with pytest.raises(_Fault), storage.transaction():
            with storage.transaction():
                storage.access.organizations.insert(made)
            raise _Fault

        assert storage.access.organizations.find(made.id) is None

    def test_st4_an_inner_block_that_failed_cannot_be_half_kept(
        self, storage: Storage
    ) -> None:
        outer, inner = organization("Outer"), organization("Inner")

        with pytest.raises(Exception, match=r"\w"), storage.transaction():
            storage.access.organizations.insert(outer)
            with pytest.raises(_Fault), storage.transaction():
                storage.access.organizations.insert(inner)
                raise _Fault

        assert storage.access.organizations.find(outer.id) is None
        assert storage.access.organizations.find(inner.id) is None

    def test_st5_an_inner_block_that_wrote_nothing_may_fail(
        self, storage: Storage
    ) -> None:
        made = organization()

        with storage.transaction():
            storage.access.organizations.insert(made)
            with pytest.raises(_Fault), storage.transaction():
                storage.access.organizations.find(made.id)
                raise _Fault

        assert storage.access.organizations.find(made.id) == made

    def test_st6_only_the_block_itself_sees_what_is_not_committed(
        self, storage: Storage
    ) -> None:
        made = organization()

        with storage.transaction():
            storage.access.organizations.insert(made)

            assert storage.access.organizations.find(made.id) == made
            assert elsewhere(lambda: storage.access.organizations.find(made.id)) is None

    def test_st7_a_snapshot_stays_at_one_moment(self, storage: Storage) -> None:
        first = add_project(storage)

        with storage.snapshot():
            assert storage.projects.find(first.id)
            second = elsewhere(lambda: add_project(storage))
            storage_saw = storage.projects.find(second.id)

        assert storage_saw is None
        assert storage.projects.find(second.id) == second

    def test_st8_a_snapshot_refuses_to_write(self, storage: Storage) -> None:
        made = organization()

        with storage.snapshot(), pytest.raises(RuntimeError):
            storage.access.organizations.insert(made)

        assert storage.access.organizations.find(made.id) is None

    def test_st9_a_snapshot_in_a_transaction_sees_what_it_wrote(
        self, storage: Storage
    ) -> None:
        made = organization()

        with storage.transaction():
            storage.access.organizations.insert(made)
            with storage.snapshot():
                assert storage.access.organizations.find(made.id) == made

    def test_st10_calls_wait_for_the_outermost_commit(self, storage: Storage) -> None:
        made, seen = organization(), []

        def look() -> None:
            seen.append(elsewhere(lambda: storage.access.organizations.find(made.id)))

        with storage.transaction():
            with storage.transaction():
                storage.access.organizations.insert(made)
                storage.after_commit(look)
                storage.after_commit(lambda: seen.append(None))
            assert not seen

        assert seen == [made, None]

    def test_st11_calls_of_a_failed_block_are_dropped(self, storage: Storage) -> None:
        seen: list[int] = []

        with pytest.raises(_Fault), storage.transaction():
            storage.after_commit(lambda: seen.append(1))
            raise _Fault
        with storage.transaction():
            storage.after_commit(lambda: seen.append(2))

        assert seen == [2]

    def test_st12_a_call_outside_a_transaction_is_made_at_once(
        self, storage: Storage
    ) -> None:
        seen: list[int] = []

        storage.after_commit(lambda: seen.append(1))

        assert seen == [1]

    def test_st13_a_call_that_fails_is_logged_and_stops_nothing(
        self, storage: Storage, caplog: pytest.LogCaptureFixture
    ) -> None:
        seen: list[int] = []

        def fail() -> None:
            raise _Fault("after the commit")

        with caplog.at_level(logging.ERROR), storage.transaction():
            storage.after_commit(fail)
            storage.after_commit(lambda: seen.append(1))

        assert seen == [1]
        assert "after the commit" in caplog.text

    def test_st14_a_call_may_write_by_itself(self, storage: Storage) -> None:
        made = organization()

        with storage.transaction():
            storage.after_commit(lambda: storage.access.organizations.insert(made))

        assert storage.access.organizations.find(made.id) == made

    def test_st15_writers_under_one_lock_lose_nothing(self, storage: Storage) -> None:
        made = add_project(storage)

        def write() -> None:
            for _ in range(10):
                with storage.transaction():
                    storage.projects.lock(made.id)
                    old = storage.projects.find(made.id)
                    assert old is not None
                    longer = replace(old, description=old.description + "x")
                    storage.projects.update(longer)

        with ThreadPoolExecutor(6) as threads:
            for done in [threads.submit(write) for _ in range(6)]:
                done.result()

        found = storage.projects.find(made.id)
        assert found is not None
        assert found.description == "x" * 60

    def test_st16_a_lock_holds_until_the_transaction_ends(
        self, storage: Storage
    ) -> None:
        made, order, locked = add_project(storage), [], Event()

        def second() -> None:
            locked.wait(5)
            with storage.transaction():
                storage.projects.lock(made.id)
                order.append("second")

        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(second)
            with storage.transaction():
                storage.projects.lock(made.id)
                locked.set()
                assert not Event().wait(0.3)  # time enough for the other to go wrong
                order.append("first")
            waiting.result()

        assert order == ["first", "second"]

    def test_st17_a_lock_outside_a_transaction_is_refused(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)

        with pytest.raises(RuntimeError):
            storage.projects.lock(made.id)
        with pytest.raises(RuntimeError):
            storage.access.organizations.lock(made.organization_id)

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
    def test_st18_text_comes_back_byte_for_byte(
        self, storage: Storage, text: str
    ) -> None:
        made = add_project(storage)
        described = replace(made, description=text)
        told = event(made, items=[{text: text, "b": [text], "a": {"z": 1, "y": text}}])

        with storage.transaction():
            storage.projects.update(described)
            storage.events.add([told])

        assert storage.projects.find(made.id) == described
        assert storage.events.list_events(made.id, 1) == [told]
        assert list(storage.events.list_events(made.id, 1)[0].items[0]) == [
            text,
            "b",
            "a",
        ]

    def test_st19_a_closed_storage_answers_nothing_any_more(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)

        elsewhere(storage.close)

        storage.close()
        for ask in (
            storage.ping,
            storage.migrate,
            storage.pending_migrations,
            partial(storage.projects.find, made.id),
            partial(add_project, storage, "another"),
        ):
            with pytest.raises(Unavailable):
                ask()

    def test_st20_a_migrated_database_has_nothing_pending(
        self, storage: Storage
    ) -> None:
        assert storage.pending_migrations() == []
        assert storage.migrate() == []

    def test_st21_what_waits_for_the_end_of_a_block_is_called_once_inside_it(
        self, storage: Storage
    ) -> None:
        made, seen = organization(), []

        def begin() -> Callable[[], None]:
            seen.append("begun")
            return end

        def end() -> None:
            seen.append("ended")
            storage.access.organizations.insert(made)

        with storage.transaction():
            with storage.transaction():
                storage.before_commit("a name", begin)
                storage.before_commit("a name", begin)
            assert seen == ["begun"]
        assert seen == ["begun", "ended"]
        assert storage.access.organizations.find(made.id) == made
        with storage.transaction():
            storage.before_commit("a name", lambda: lambda: seen.append("anew"))
        assert seen == ["begun", "ended", "anew"]

    def test_st22_what_fails_at_the_end_of_a_block_lets_nothing_be_kept(
        self, storage: Storage
    ) -> None:
        made = organization()

        def fail() -> None:
            raise _Fault

        with pytest.raises(_Fault), storage.transaction():
            storage.access.organizations.insert(made)
            storage.before_commit("a name", lambda: fail)

        assert storage.access.organizations.find(made.id) is None

    def test_st23_of_a_block_that_failed_nothing_is_called_at_an_end(
        self, storage: Storage
    ) -> None:
        seen: list[int] = []

        with pytest.raises(_Fault), storage.transaction():
            storage.before_commit("a name", lambda: lambda: seen.append(1))
            raise _Fault
        with storage.transaction():
            storage.before_commit("a name", lambda: lambda: seen.append(2))

        assert seen == [2]

    def test_st24_outside_a_transaction_there_is_no_end_to_wait_for(
        self, storage: Storage
    ) -> None:
        with pytest.raises(RuntimeError):
            storage.before_commit("a name", lambda: lambda: None)
        with pytest.raises(RuntimeError), storage.snapshot():
            storage.before_commit("a name", lambda: lambda: None)

"""Contract of durable listeners: which events wait for each, and who may call it."""

# ruff: noqa: PT012 - what a whole block does is the subject here

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Barrier

import pytest

from locframework.events import Event
from locframework.listeners import Claimed, ListenerState
from locframework.projects.records import Project
from locframework.storage import Storage

from .storage_jobs import lease_owners
from .storage_records import add_project, at, event

WRITERS = 8


def add_events(storage: Storage, of: Project, count: int) -> list[Event]:
    """Append so many events at once; return them."""
    made = [event(of) for _ in range(count)]
    with storage.transaction():
        storage.events.add(made)
    return made


def claim(
    storage: Storage,
    plugin: str = "a",
    owner: str = "host%1:1:x",
    *,
    now: int = 20,
    until: int = 30,
    most: int = 100,
) -> Claimed | None:
    with storage.transaction():
        return storage.listeners.claim(plugin, owner, at(now), at(until), most)


def waiting(storage: Storage, plugin: str = "a") -> list[Event]:
    """Return what a listener is handed, and give it back."""
    found = claim(storage, plugin)
    if found is None:
        return []
    settle(storage, plugin)
    return events_of(found)


def events_of(found: Claimed) -> list[Event]:
    """Return the events that a listener is called with."""
    return [event for _, event in found.events if event is not None]


def settle(
    storage: Storage,
    plugin: str = "a",
    owner: str = "host%1:1:x",
    *,
    numbers: list[int] | None = None,
    due: int = 20,
    failures: int = 0,
) -> None:
    storage.listeners.settle(plugin, owner, numbers or [], at(due), failures)


def state_of(storage: Storage, plugin: str = "a") -> ListenerState:
    [found] = [each for each in storage.listeners.states() if each.plugin == plugin]
    return found


class StorageListenersContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_events_wait_for_each_listener_from_its_registration_on(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)
        add_events(storage, made, 1)
        storage.listeners.register(["a"], at(1))
        first = add_events(storage, made, 3)
        storage.listeners.register(["b", "a"], at(2))
        second = add_events(storage, made, 2)

        assert waiting(storage, "a") == [*first, *second]
        assert waiting(storage, "b") == second
        assert waiting(storage, "c") == []

    def test_what_is_rolled_back_never_waits(self, storage: Storage) -> None:
        made = add_project(storage)
        storage.listeners.register(["a"], at(1))
        with pytest.raises(ValueError, match="no"), storage.transaction():
            storage.events.add([event(made)])
            raise ValueError("no")

        assert claim(storage) is None
        assert state_of(storage).waiting == 0

    def test_events_are_claimed_in_their_order_and_settled_one_by_one(
        self, storage: Storage
    ) -> None:
        made = add_project(storage)
        storage.listeners.register(["a", "b"], at(1))
        events = [each for _ in range(3) for each in add_events(storage, made, 4)]

        found = claim(storage, most=5)
        assert found is not None
        assert events_of(found) == events[:5]
        numbers = [number for number, _ in found.events]
        assert numbers == sorted(numbers)
        settle(storage, numbers=numbers[1:3])

        assert waiting(storage) == [events[0], *events[3:]]
        assert waiting(storage, "b") == events
        assert state_of(storage).waiting == 10

    def test_600_events_of_one_change_all_wait(self, storage: Storage) -> None:
        made = add_project(storage)
        storage.listeners.register(["a"], at(1))

        events = add_events(storage, made, 600)

        found = claim(storage, most=700)
        assert found is not None
        assert events_of(found) == events

    def test_one_owner_at_a_time_has_the_lease(self, storage: Storage) -> None:
        storage.listeners.register(["a", "b"], at(1))
        add_events(storage, add_project(storage), 1)

        assert claim(storage, owner="one", now=20, until=30) is not None
        assert claim(storage, owner="two", now=29) is None
        assert claim(storage, "b", owner="two", now=29) is not None
        assert claim(storage, owner="one", now=29, until=40) is not None  # prolonged
        assert claim(storage, owner="two", now=39) is None
        assert claim(storage, owner="two", now=40, until=50) is not None
        assert claim(storage, owner="one", now=41) is None
        settle(storage, owner="one", due=20)  # it has it no more
        assert claim(storage, owner="three", now=41) is None
        settle(storage, owner="two", due=41)
        assert claim(storage, owner="three", now=41) is not None

    def test_a_claim_of_none_prolongs_a_lease_and_takes_none(
        self, storage: Storage
    ) -> None:
        storage.listeners.register(["a"], at(1))
        add_events(storage, add_project(storage), 1)

        assert claim(storage, owner="one", most=0) is None
        assert claim(storage, owner="one", until=30) is not None
        assert claim(storage, owner="one", until=40, most=0) == Claimed([], 0)
        assert claim(storage, owner="two", now=39) is None
        settle(storage, owner="one")
        assert claim(storage, owner="one", most=0) is None
        assert claim(storage, owner="two") is not None

    def test_a_listener_that_failed_is_due_later_and_its_events_still_wait(
        self, storage: Storage
    ) -> None:
        storage.listeners.register(["a"], at(1))
        [made] = add_events(storage, add_project(storage), 1)
        claim(storage)

        settle(storage, due=25, failures=3)

        assert claim(storage, now=24) is None
        found = claim(storage, now=25)
        assert found is not None
        assert (found.failures, events_of(found)) == (3, [made])

    def test_what_waits_and_is_due_is_seen_by_the_poll(self, storage: Storage) -> None:
        storage.listeners.register(["a", "b"], at(1))

        def due(minute: int, *plugins: str) -> bool:
            return storage.find_due(["import"], at(minute), plugins).events

        assert not due(20, "a")
        add_events(storage, add_project(storage), 1)
        assert due(20, "a")
        assert due(20, "c", "a")
        assert not due(20, "c")
        assert not due(20)
        claim(storage, until=30)
        assert not due(29, "a")
        assert due(29, "a", "b")
        assert due(30, "a")

    def test_a_released_lease_can_be_claimed(self, storage: Storage) -> None:
        storage.listeners.register(["a", "b"], at(1))
        add_events(storage, add_project(storage), 1)
        claim(storage, "a", owner="host%1:1:a", until=50)
        claim(storage, "b", owner="host%1:1:b", until=50)
        assert lease_owners(storage) == {"host%1:1:a", "host%1:1:b"}

        storage.release_leases("host%1:1:a".__eq__, at(20))

        assert claim(storage, "a", owner="other", now=20) is not None
        assert claim(storage, "b", owner="other", now=20) is None

    def test_the_states_say_how_far_each_listener_is(self, storage: Storage) -> None:
        storage.listeners.register(["b", "a"], at(1))
        made = add_project(storage)
        first, _ = add_events(storage, made, 2)
        claim(storage, "b", owner="one", until=30)
        storage.listeners.register(["a"], at(7))
        settle(storage, "a", due=25, failures=2)

        a, b = storage.listeners.states()

        assert (a.plugin, a.waiting, a.failures, a.due_at) == ("a", 2, 2, at(25))
        assert (a.seen_at, a.owner, b.seen_at, b.owner) == (at(7), None, at(1), "one")
        assert (b.waiting, b.due_at, b.next_event) == (2, at(30), first.id)
        assert (a.next_event, a.next_type) == (first.id, first.type)
        assert a.next_at == first.created_at
        found = claim(storage, "a", now=25)
        assert found is not None
        assert found.events[0][0] == a.next_number
        settle(storage, "a", numbers=[number for number, _ in found.events])
        a, _ = storage.listeners.states()
        assert (a.waiting, a.next_number, a.next_event, a.next_at) == (
            *(0, None, None, None),
        )

    def test_listeners_out_of_use_are_purged_with_what_waits(
        self, storage: Storage
    ) -> None:
        storage.listeners.register(["old", "new"], at(1))
        events = add_events(storage, add_project(storage), 5)
        storage.listeners.register(["new"], at(9))

        assert storage.purge("listeners", at(5), 3) == 3
        assert state_of(storage, "old").waiting == 2
        assert storage.purge("listeners", at(5), 3) == 3
        assert storage.purge("listeners", at(5), 3) == 0

        assert [each.plugin for each in storage.listeners.states()] == ["new"]
        assert waiting(storage, "new") == events
        add_events(storage, add_project(storage), 1)
        storage.listeners.register(["old"], at(10))
        assert waiting(storage, "old") == []

    def test_events_of_a_deleted_project_are_told_apart(self, storage: Storage) -> None:
        storage.listeners.register(["a"], at(1))
        gone, kept = add_project(storage), add_project(storage)
        first = add_events(storage, kept, 1)
        add_events(storage, gone, 2)
        last = add_events(storage, kept, 1)
        with storage.transaction():
            storage.projects.delete(gone.id, at(5))

        found = claim(storage)

        assert found is not None
        assert [each for _, each in found.events] == [*first, None, None, *last]
        numbers = [number for number, _ in found.events]
        assert numbers == sorted(set(numbers))

    def test_events_of_a_purged_project_wait_no_more(self, storage: Storage) -> None:
        storage.listeners.register(["a"], at(1))
        gone, kept = add_project(storage), add_project(storage)
        add_events(storage, gone, 2)
        events = add_events(storage, kept, 2)
        with storage.transaction():
            storage.projects.delete(gone.id, at(5))

        while storage.purge("projects", at(9), 100):
            pass

        assert waiting(storage) == events
        assert state_of(storage).waiting == 2

    def test_none_is_missed_that_concurrent_writers_commit(
        self, storage: Storage
    ) -> None:
        """Also one that is committed after a later one was handed over."""
        storage.listeners.register(["a"], at(1))
        projects = [add_project(storage) for _ in range(WRITERS)]
        barrier = Barrier(WRITERS)
        handed: list[Event] = []

        def write(of: Project) -> list[str]:
            barrier.wait()
            return [each.id for _ in range(20) for each in add_events(storage, of, 2)]

        def take() -> bool:
            found = claim(storage, most=7)
            if found is not None:
                handed.extend(events_of(found))
                settle(storage, numbers=[number for number, _ in found.events])
            return found is not None

        with ThreadPoolExecutor(WRITERS) as pool:
            writers = [pool.submit(write, each) for each in projects]
            while not all(each.done() for each in writers):
                take()
        while take():
            pass

        written = {each.result()[0]: each.result() for each in writers}
        ids = [each.id for each in handed]
        assert len(ids) == len(set(ids)) == 40 * WRITERS
        for of_one in written.values():  # each writer's are in their order
            assert [id_ for id_ in ids if id_ in {*of_one}] == of_one

    def test_an_event_that_is_committed_late_is_not_missed(
        self, storage: Storage
    ) -> None:
        """An earlier one is written first, and committed after a later one is handed
        over. A database with one writer at a time cannot do so: there the later one
        waits."""
        storage.listeners.register(["a"], at(1))
        early, late = add_project(storage), add_project(storage)
        written, go_on = Barrier(2), Barrier(2)
        first = event(early)

        def hold() -> None:
            with storage.transaction():
                storage.events.add([first])
                written.wait(10)
                go_on.wait(10)

        with ThreadPoolExecutor(2) as pool:
            holding = pool.submit(hold)
            written.wait(10)
            adding = pool.submit(add_events, storage, late, 1)
            is_committed = bool(wait([adding], timeout=0.5).done)
            handed = []
            if is_committed:
                found = claim(storage)
                assert found is not None
                handed = events_of(found)
                settle(storage, numbers=[number for number, _ in found.events])
            go_on.wait(10)
            holding.result()
            [second] = adding.result()

        handed += waiting(storage)
        assert {each.id for each in handed} == {first.id, second.id}
        assert len(handed) == 2

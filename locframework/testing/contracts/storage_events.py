"""Contract of events, of POSTs with an Idempotency-Key and of serving processes."""

# ruff: noqa: PT012 - what a whole block does is the subject here

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from msgspec.structs import replace

from locframework.events import Actor, Event, EventFilter, EventScope, EventStore, Touch
from locframework.fields import new_id
from locframework.http.idempotency import StoredPost
from locframework.pagination import PageRequest
from locframework.processes import ServingProcess
from locframework.storage import Storage

from .storage_records import TEXTS, add_project, at, event

OWNER = "token:1"
CLAIMERS = 8


def post(key: str = "k", minute: int = 1, **changes: object) -> StoredPost:
    """A POST that was done at the minute."""
    made = StoredPost(OWNER, key, "f" * 64, at(minute), 202, "/jobs/1", "{}")
    return replace(made, **changes)


def keep(storage: Storage, kept: StoredPost) -> None:
    """Claim its key and keep it, as a first request does."""
    with storage.transaction():
        found = storage.idempotency.claim(
            kept.owner, kept.key, kept.created_at, kept.created_at
        )
        assert found is None
        storage.idempotency.keep(kept)


def latest(events: EventStore, project_id: str, count: int) -> list[Event]:
    """Return the latest events of a project, newest first."""
    return [*events.stream_events(project_id, EventFilter(), latest=count)]


class StorageEventsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_events_are_found_as_added_newest_first(self, storage: Storage) -> None:
        made, other = add_project(storage), add_project(storage)
        whole = event(
            made,
            "translation.updated",
            branch="feature/x",
            actor=Actor("token", "t1"),
            job_id=new_id(),
            merge_of=new_id(),
            items=[
                {"z": None, "a": [True, 1, 1.5, "1"], "revision": 2**53},
                {"keyId": "k2", "pluralForm": None, "deep": {"b": {"a": []}}},
            ],
        )
        events = [event(made, created_at=at(59 - n)) for n in range(7)]
        with storage.transaction():
            storage.events.add([*events[:5], event(other)])
            storage.events.add([*events[5:], whole])

        assert latest(storage.events, made.id, 100) == [whole, *events[::-1]]
        assert latest(storage.events, made.id, 3) == [whole, *events[:-3:-1]]
        assert latest(storage.events, new_id(), 3) == []

    def test_events_are_filtered(self, storage: Storage) -> None:
        made, key_id, job_id = add_project(storage), new_id(), new_id()
        item = {"keyId": key_id, "languageCode": "de"}
        told = [
            event(made, "t0", actor=Actor("user", "anna"), created_at=at(0)),
            event(made, "key.1", created_at=at(1), items=[{"keyId": new_id()}, item]),
            event(made, "t2", branch="spring", created_at=at(2), job_id=job_id),
            event(made, "translation.3", created_at=at(3), merge_of="b1"),
            event(made, "glossary.translation.4", branch="spring", created_at=at(4)),
        ]
        with storage.transaction():
            storage.events.add([*told, event(add_project(storage), "t5")])

        def found(**where: Any) -> str:
            request = EventFilter(**where)
            page = storage.events.page_of_events(made.id, request, PageRequest())
            walked = list(storage.events.stream_events(made.id, request))
            assert page.items == walked[::-1]
            assert page.total == len(walked)
            return "".join(each.type[-1] for each in walked)

        spring = EventScope("spring", "b1", since=at(3))
        assert found() == "01234"
        assert found(actor_id="anna") == "0"
        assert found(since=at(1), until=at(3)) == "123"
        assert found(key_id=key_id) == "1"
        assert found(job_id=job_id) == "2"
        assert found(scope=EventScope(None)) == "013"
        assert found(scope=spring) == "34"
        assert found(of_keys=True) == "13"
        assert found(of_keys=True, since=at(2), scope=EventScope(None)) == "3"
        assert found(scope=EventScope("spring", until=at(3))) == "2"
        assert found(scope=spring, since=at(4), actor_id="nobody") == ""
        page = storage.events.page_of_events(
            made.id, EventFilter(), PageRequest(2, limit=3)
        )
        assert [each.type for each in page.items] == ["key.1", "t0"]
        assert page.total == 5

    def test_touches_are_the_events_of_keys(self, storage: Storage) -> None:
        made, other = add_project(storage), add_project(storage)
        keys = [new_id() for _ in range(3)]
        one, two, _ = ({"keyId": id_} for id_ in keys)
        trace = {"description": ["", "d\0"]}
        told = [
            event(made, "t0", created_at=at(5), items=[one, one, two]),
            event(made, "t1", created_at=at(4), items=[two]),
            event(made, "t2", created_at=at(1), items=[one]),
            event(made, "t3", branch="spring", items=[one]),
        ]
        with storage.transaction():
            storage.events.add(told, {"t0": {keys[1]: trace}})
            storage.events.add([event(other, items=[one])])

        def touched(branch: str | None = None, minute: int = 0) -> list[Touch]:
            found = storage.events.touches(
                made.id, keys, branch=branch, since=at(minute)
            )
            assert [each.type for each in found] == sorted(e.type for e in found)
            return sorted(found, key=lambda each: (each.type, each.key_id != keys[0]))

        wanted = [
            Touch(told[n].id, f"t{n}", keys[k], trace if n < k else None, at(minute))
            for n, k, minute in ((0, 0, 5), (0, 1, 5), (1, 1, 4), (2, 0, 1))
        ]
        assert touched() == wanted
        assert touched(minute=4) == wanted[:3]
        assert touched("spring") == [Touch(told[3].id, "t3", keys[0], None, at(0))]
        assert touched("autumn") == []

    def test_stored_post_is_found_by_owner_and_key(self, storage: Storage) -> None:
        posts = [
            post("k", content="".join(TEXTS), location="/jobs/é"),
            post("K", content=None, location=None, status=201),
            post("k ", content="blank"),
            post("k", owner="token:2", content="other"),
        ]

        for each in posts:
            assert storage.idempotency.find(each.owner, each.key, at(0)) is None
            keep(storage, each)

        for each in posts:
            with storage.transaction():
                claimed = storage.idempotency.claim(each.owner, each.key, at(2), at(0))
            assert claimed == each
            assert storage.idempotency.find(each.owner, each.key, at(0)) == each

    def test_expired_key_can_be_claimed(self, storage: Storage) -> None:
        keep(storage, post(minute=1))
        later = post(minute=9, content="later", status=200, fingerprint="e" * 64)

        assert storage.idempotency.find(OWNER, "k", at(2)) is None
        with storage.transaction():
            assert storage.idempotency.claim(OWNER, "k", at(9), at(2)) is None
            storage.idempotency.keep(later)

        assert storage.idempotency.find(OWNER, "k", at(2)) == later

    def test_concurrent_claims_store_one_post(self, storage: Storage) -> None:
        with pytest.raises(KeyError), storage.transaction():
            storage.idempotency.claim(OWNER, "k", at(1), at(0))
            storage.idempotency.keep(post())
            raise KeyError  # and this one none
        assert storage.idempotency.find(OWNER, "k", at(0)) is None
        barrier = Barrier(CLAIMERS)

        def claim(number: int) -> StoredPost | None:
            barrier.wait()
            with storage.transaction():
                found = storage.idempotency.claim(OWNER, "k", at(1), at(0))
                if found is None:
                    storage.idempotency.keep(post(content=str(number)))
                return found

        with ThreadPoolExecutor(CLAIMERS) as threads:
            found = list(threads.map(claim, range(CLAIMERS)))

        assert found.count(None) == 1
        done = post(content=str(found.index(None)))
        assert [each for each in found if each is not None] == [done] * (CLAIMERS - 1)

    def test_processes_are_saved_listed_and_deleted(self, storage: Storage) -> None:
        one = ServingProcess("a", "böx", "[::1]:8080", 2**31 - 1, True, at(1))
        other = ServingProcess("b", "box", "", 1, False, at(1))
        renewed, store = replace(one, lease_until=at(2)), storage.processes
        for each in (other, one, renewed):
            store.save(each)

        assert store.list_all() == [renewed, other]
        store.delete([one.id, "absent"])
        store.delete([])
        assert store.list_all() == [other]

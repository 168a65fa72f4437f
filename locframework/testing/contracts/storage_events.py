"""Contract of the event store."""

from typing import Any

import pytest

from locframework.events import Actor, EventFilter, EventScope, Touch
from locframework.fields import new_id
from locframework.pagination import PageRequest
from locframework.storage import Storage

from .storage_records import add_project, at, event


class StorageEventsContract:
    """Give the fixture ``storage``: a fresh, migrated database for each test."""

    def test_events_are_listed_newest_first(self, storage: Storage) -> None:
        made, other = add_project(storage), add_project(storage)
        events = [
            event(made, f"t{number}", id=new_id(), created_at=at(59 - number))
            for number in range(8)
        ]
        with storage.transaction():
            storage.events.add(events[:5])
            storage.events.add([event(other)])
            storage.events.add(events[5:])

        assert storage.events.list_events(made.id, 100) == events[::-1]
        assert storage.events.list_events(made.id, 3) == events[:-4:-1]
        assert storage.events.list_events(new_id(), 3) == []

    def test_event_is_found_as_it_was(self, storage: Storage) -> None:
        made = add_project(storage)
        told = event(
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

        with storage.transaction():
            storage.events.add([told])

        assert storage.events.list_events(made.id, 1) == [told]

    def test_events_need_a_transaction(self, storage: Storage) -> None:
        made = add_project(storage)

        with pytest.raises(RuntimeError):
            storage.events.add([event(made)])

        assert storage.events.list_events(made.id, 1) == []

    def test_events_are_filtered_by_actor_time_key_job_and_branch(
        self, storage: Storage
    ) -> None:
        made, key_id, job_id = add_project(storage), new_id(), new_id()
        item = {"keyId": key_id, "languageCode": "de"}
        told = [
            event(made, "t0", actor=Actor("user", "anna"), created_at=at(0)),
            event(made, "t1", created_at=at(1), items=[{"keyId": new_id()}, item]),
            event(made, "t2", branch="spring", created_at=at(2), job_id=job_id),
            event(made, "t3", created_at=at(3), merge_of="b1"),
            event(made, "t4", branch="spring", created_at=at(4)),
        ]
        with storage.transaction():
            storage.events.add([*told, event(add_project(storage), "t5")])

        def found(**where: Any) -> str:
            request = EventFilter(**where)
            page = storage.events.page_of_events(made.id, request, PageRequest())
            walked = list(storage.events.stream_events(made.id, request))
            assert page.items == walked[::-1]
            assert page.total == len(walked)
            return "".join(each.type[1:] for each in walked)

        spring = EventScope("spring", "b1", since=at(3))
        assert found() == "01234"
        assert found(actor_id="anna") == "0"
        assert found(since=at(1), until=at(3)) == "123"
        assert found(key_id=key_id) == "1"
        assert found(job_id=job_id) == "2"
        assert found(scope=EventScope(None)) == "013"
        assert found(scope=spring) == "34"
        assert found(scope=EventScope("spring", until=at(3))) == "2"
        assert found(scope=spring, since=at(4), actor_id="nobody") == ""
        page = storage.events.page_of_events(
            made.id, EventFilter(), PageRequest(2, limit=3)
        )
        assert [each.type for each in page.items] == ["t1", "t0"]
        assert page.total == 5

    def test_touches_are_the_events_of_keys(self, storage: Storage) -> None:
        made, other = add_project(storage), add_project(storage)
        keys = [new_id() for _ in range(3)]
        one, two, _ = ({"keyId": id_} for id_ in keys)
        trace = {"description": ["", "d\0"]}
        told = [
            event(made, "t0", id=new_id(), created_at=at(5), items=[one, one, two]),
            event(made, "t1", id=new_id(), created_at=at(4), items=[two]),
            event(made, "t2", id=new_id(), created_at=at(1), items=[one]),
            event(made, "t3", id=new_id(), branch="spring", items=[one]),
        ]
        with storage.transaction():
            storage.events.add(told[:2], {"t0": {keys[1]: trace}})
            storage.events.add(told[2:])
            storage.events.add(
                [event(other, "t4", items=[one])], {"t4": {keys[0]: trace}}
            )

        def touched(branch: str | None = None, minute: int = 0) -> list[Touch]:
            return storage.events.touches(
                made.id, keys, branch=branch, since=at(minute)
            )

        first = [
            Touch(told[0].id, "t0", keys[0], None, told[0].created_at),
            Touch(told[0].id, "t0", keys[1], trace, told[0].created_at),
            Touch(told[1].id, "t1", keys[1], None, told[1].created_at),
            Touch(told[2].id, "t2", keys[0], None, told[2].created_at),
        ]
        assert sorted(touched(), key=_in_order) == sorted(first, key=_in_order)
        assert [each.type for each in touched()] == ["t0", "t0", "t1", "t2"]
        assert [each.type for each in touched(minute=4)] == ["t0", "t0", "t1"]
        assert touched("spring") == [
            Touch(told[3].id, "t3", keys[0], None, told[3].created_at)
        ]
        assert touched("autumn") == []
        assert storage.events.list_events(made.id, 9) == told[::-1]


def _in_order(touch: Touch) -> tuple[str, str]:
    return touch.type, touch.key_id

"""The migration that says which keys an event is about, of events there were before."""

from locframework_storage_peewee import PeeweeStorage
from locframework_storage_peewee.migrator import HISTORY

from locframework.events import EventFilter
from locframework.ids import new_id
from locframework.paging import PageRequest
from locframework.testing.contracts.storage_records import add_project, at, event

MIGRATION = "0021_event_keys"
MANY = 1_050  # more than the migration takes at once


def test_old_events_are_found_by_their_keys(storage: PeeweeStorage) -> None:
    made, first, last = add_project(storage), new_id(), new_id()
    told = [
        event(made, "t0", id=new_id(), items=[{"keyId": first}, {"keyId": first}]),
        event(made, "t1", id=new_id(), items=[{"name": "\0", "text": "é"}]),
        *(event(made, id=new_id()) for _ in range(MANY)),
        event(made, "t2", id=new_id(), items=[{"keyId": new_id()}, {"keyId": last}]),
    ]
    with storage.transaction():
        storage.events.add(told)
    storage.database.run("DROP TABLE event_keys")
    storage.database.run(f"DELETE FROM {HISTORY} WHERE name = ?", (MIGRATION,))
    storage.database.drop_connections()

    assert storage.migrate() == [MIGRATION]

    for key_id, found in ((first, told[0]), (last, told[-1])):
        page = storage.events.page_of_events(
            made.id, EventFilter(key_id=key_id), PageRequest()
        )
        assert page.items == [found]
        [touch] = storage.events.touches(made.id, [key_id], branch=None, since=at(0))
        assert (touch.event_id, touch.trace) == (found.id, None)

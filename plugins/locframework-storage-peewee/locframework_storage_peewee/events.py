"""Keeps the event log."""

from collections.abc import Mapping, Sequence

import msgspec

from locframework.ports import Actor, Event

from .columns import json_text
from .database import Database
from .engine import Row

_EVENT = """id, type, organization_id, project_id, branch, actor_type, actor_id,
    items, created_at"""

_items = msgspec.json.Decoder(list[Mapping[str, object]])


class EventTable:
    """The event store (locframework/events.py, EventStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, events: Sequence[Event]) -> None:
        self._database.need_transaction()
        self._database.run_many(
            f"INSERT INTO events ({_EVENT}) VALUES (?,?,?,?,?,?,?,?,?)",
            [
                (
                    event.id,
                    event.type,
                    event.organization_id,
                    event.project_id,
                    event.branch,
                    event.actor.type,
                    event.actor.id,
                    json_text(event.items),
                    event.created_at,
                )
                for event in events
            ],
        )

    def list_events(self, project_id: str, limit: int) -> list[Event]:
        rows = self._database.rows(
            f"""SELECT {_EVENT} FROM events WHERE project_id = ?
                ORDER BY seq DESC LIMIT ?""",
            (project_id, limit),
        )
        return [_event(row) for row in rows]


def _event(row: Row) -> Event:
    id_, type_, organization_id, project_id, branch, actor_type, actor_id, *rest = row
    items, created_at = rest
    return Event(
        id=id_,
        type=type_,
        organization_id=organization_id,
        project_id=project_id,
        branch=branch,
        actor=Actor(actor_type, actor_id),
        items=_items.decode(items),
        created_at=created_at,
    )

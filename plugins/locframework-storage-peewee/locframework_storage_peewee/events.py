"""Keeps the event log."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from locframework.ports import (
    Actor,
    Event,
    EventFilter,
    EventLine,
    Page,
    PageRequest,
)

from .columns import json_text
from .database import Database
from .engine import Row
from .pages import Order, page_of

_EVENT = """id, type, organization_id, project_id, branch, actor_type, actor_id,
    items, created_at, job_id, merge_of"""
_ORDER = Order({"createdAt": "seq"}, tie="seq", default="-createdAt")

_items = msgspec.json.Decoder(list[Mapping[str, object]])


class EventTable:
    """The event store (locframework/events.py, EventStore)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, events: Sequence[Event]) -> None:
        self._database.need_transaction()
        self._database.run_many(
            f"INSERT INTO events ({_EVENT}) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
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
                    event.job_id,
                    event.merge_of,
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

    def page_of_events(
        self, project_id: str, where: EventFilter, page: PageRequest
    ) -> Page[Event]:
        condition, params = _condition(project_id, where)
        with self._database.snapshot():
            return page_of(
                self._database,
                _event,
                page,
                select=_EVENT,
                source=f"events WHERE {condition}",
                order=_ORDER,
                params=params,
            )

    def walk_events(self, project_id: str, where: EventFilter) -> Iterator[Event]:
        condition, params = _condition(project_id, where)
        rows = self._database.stream(
            f"SELECT {_EVENT} FROM events WHERE {condition} ORDER BY seq", params
        )
        for row in rows:
            yield _event(row)


def _condition(project_id: str, where: EventFilter) -> tuple[str, list[object]]:
    parts = {
        "project_id = ?": project_id,
        "actor_id = ?": where.actor_id,
        "created_at >= ?": where.since,
        "created_at <= ?": where.until,
        "items LIKE ?": where.key_id and f'%"keyId":"{where.key_id}"%',
        "job_id = ?": where.job_id,
    }
    found = {sql: value for sql, value in parts.items() if value is not None}
    sql, params = " AND ".join(found), list[object](found.values())
    if where.line is None:
        return sql, params
    of_line, more = _of_line(where.line)
    return f"{sql} AND {of_line}", [*params, *more]


def _of_line(line: EventLine) -> tuple[str, list[object]]:
    if line.branch is None:
        return "branch IS NULL", []
    sql, params = "branch = ?", [line.branch]
    for limit, at in ((">=", line.since), ("<=", line.until)):
        if at is not None:
            sql += f" AND created_at {limit} ?"
            params.append(at)
    if line.branch_id is None:
        return f"({sql})", list(params)
    return f"(merge_of = ? OR ({sql}))", [line.branch_id, *params]


def _event(row: Row) -> Event:
    id_, type_, organization_id, project_id, branch, actor_type, actor_id, *rest = row
    items, created_at, job_id, merge_of = rest
    return Event(
        id=id_,
        type=type_,
        organization_id=organization_id,
        project_id=project_id,
        branch=branch,
        actor=Actor(actor_type, actor_id),
        items=_items.decode(items),
        created_at=created_at,
        job_id=job_id,
        merge_of=merge_of,
    )

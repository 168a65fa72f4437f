"""Gathers what chosen events did to keys and values, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from locframework.clock import Timestamp
from locframework.events import Event

from .rules import Place

_OF_VALUES = frozenset(
    f"translation.{what}" for what in ("updated", "submitted", "approved", "rejected")
)


class LineChanges(Struct):
    """What is to be undone on one line; by key id."""

    first_at: Timestamp
    values: dict[str, dict[Place, set[int]]] = field(default_factory=dict)
    outdated: dict[str, dict[Place, dict[int, Timestamp]]] = field(default_factory=dict)
    """The revisions that became outdated, and when."""
    made: dict[str, None] = field(default_factory=dict)  # or brought back
    deleted: dict[str, None] = field(default_factory=dict)
    described: dict[str, set[str]] = field(default_factory=dict)
    """The events that changed what a key says beside its values."""
    names: dict[str, str] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)

    def add(self, event: Event) -> None:
        """Note what the event did; what is no change of a key or value is left out."""
        if event.type in _OF_VALUES:
            for item in event.items:
                places = self.values.setdefault(self._key(item), {})
                places.setdefault(_place(item), set()).add(_revision(item))
        elif event.type == "translation.outdated":
            for item in event.items:
                places_outdated = self.outdated.setdefault(self._key(item), {})
                marks = places_outdated.setdefault(_place(item), {})
                marks[_revision(item)] = event.created_at
        elif event.type == "key.updated":
            for item in event.items:
                self.described.setdefault(self._key(item), set()).add(event.id)
        elif event.type in ("key.created", "key.deleted", "key.restored"):
            for item in event.items:
                self._turn(event.type, self._key(item))
        self.events.add(event.id)

    def _turn(self, type_: str, key_id: str) -> None:
        if type_ == "key.deleted":
            if key_id not in self.made:
                self.deleted[key_id] = None
        elif key_id in self.deleted:
            del self.deleted[key_id]
        else:
            self.made[key_id] = None

    def _key(self, item: Mapping[str, object]) -> str:
        key_id = str(item["keyId"])
        self.names[key_id] = str(item["key"])
        return key_id


def by_line(events: Iterable[Event]) -> dict[str | None, LineChanges]:
    """What the events did, by the name of the branch; None is main."""
    found: dict[str | None, LineChanges] = {}
    for event in events:
        if event.type.startswith(("key.", "translation.")):
            line = found.get(event.branch)
            if line is None:
                line = found[event.branch] = LineChanges(event.created_at)
            line.add(event)
    return found


def _place(item: Mapping[str, object]) -> Place:
    form = item["pluralForm"]
    return str(item["languageCode"]), None if form is None else str(form)


def _revision(item: Mapping[str, object]) -> int:
    revision = item["revision"]
    assert isinstance(revision, int)  # keys/events.py wrote it
    return revision

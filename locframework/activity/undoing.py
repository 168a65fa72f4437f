"""Gathers what chosen events did to keys and values, line by line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from msgspec import Struct, field

from locframework.events import Event
from locframework.fields import Timestamp
from locframework.projects.records import Language

from .rules import Place

L = TypeVar("L", bound=Hashable)

_OF_VALUES = frozenset(
    f"translation.{what}" for what in ("updated", "submitted", "approved", "rejected")
)


Told = dict[Place, dict[int, Timestamp]]
"""Revisions of values, and when they were told of."""


class LineChanges(Struct):
    """What is to be undone on one line; by key id."""

    first_at: Timestamp
    branch: str | None = None  # its name; None: main
    began: Mapping[str, Timestamp] = {}
    """When languages came to the project, by their codes."""
    values: dict[str, Told] = field(default_factory=dict)
    outdated: dict[str, Told] = field(default_factory=dict)
    """The revisions that became outdated."""
    made: dict[str, None] = field(default_factory=dict)  # or brought back
    restored: set[str] = field(default_factory=set)
    """Those of ``made`` that were brought back: they were in the trash before."""
    deleted: dict[str, None] = field(default_factory=dict)
    described: dict[str, set[str]] = field(default_factory=dict)
    """The events that changed what a key says beside its values."""
    names: dict[str, str] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)
    merges: set[str] = field(default_factory=set)
    """The ids of the branches whose merges brought something of it."""

    def add(self, event: Event, key_id: str | None = None) -> None:
        """Note what the event did, to one key if it is named; what is no change of a
        key or value is left out."""
        items = [each for each in event.items if key_id in (None, each["keyId"])]
        items = [each for each in items if self._is_there(event, each)]
        if event.type in _OF_VALUES:
            for item in items:
                places = self.values.setdefault(self._key(item), {})
                revisions = places.setdefault(_place(item), {})
                revisions[_revision(item)] = event.created_at
        elif event.type == "translation.outdated":
            for item in items:
                places_outdated = self.outdated.setdefault(self._key(item), {})
                marks = places_outdated.setdefault(_place(item), {})
                marks[_revision(item)] = event.created_at
        elif event.type == "key.updated":
            for item in items:
                self.described.setdefault(self._key(item), set()).add(event.id)
        elif event.type in ("key.created", "key.deleted", "key.restored"):
            for item in items:
                self._turn(event.type, self._key(item))
        self.events.add(event.id)
        if event.merge_of is not None:
            self.merges.add(event.merge_of)

    def changed(self, key_ids: Iterable[str]) -> list[str]:
        """Those of the keys that say something else, or whose values do."""
        told = self.values.keys() | self.described.keys()
        return [key_id for key_id in key_ids if key_id in told]

    def _is_there(self, event: Event, item: Mapping[str, object]) -> bool:
        """Whether a text did not go with its language since: when that comes again,
        its revisions begin anew."""
        began = self.began.get(str(item.get("languageCode")), event.created_at)
        return event.created_at >= began

    def _turn(self, type_: str, key_id: str) -> None:
        if type_ == "key.deleted":
            if key_id not in self.made:
                self.deleted[key_id] = None
        elif key_id in self.deleted:
            del self.deleted[key_id]
        else:
            if type_ == "key.restored" and key_id not in self.made:
                self.restored.add(key_id)
            self.made[key_id] = None

    def _key(self, item: Mapping[str, object]) -> str:
        key_id = str(item["keyId"])
        self.names[key_id] = str(item["key"])
        return key_id


def by_line(
    events: Iterable[Event],
    line_of: Callable[[Event], L],
    languages: Iterable[Language] = (),
    key_id: str | None = None,
) -> dict[L, LineChanges]:
    """What the events did, to one key if it is named, by where ``line_of`` says.

    ``languages``: those that the project has.
    """
    began = {each.language_code: each.created_at for each in languages}
    found: dict[L, LineChanges] = {}
    for event in events:
        if event.type.startswith(("key.", "translation.")):
            where = line_of(event)
            line = found.get(where)
            if line is None:
                line = LineChanges(event.created_at, event.branch, began)
                found[where] = line
            line.add(event, key_id)
    return found


def _place(item: Mapping[str, object]) -> Place:
    form = item["pluralForm"]
    return str(item["languageCode"]), None if form is None else str(form)


def _revision(item: Mapping[str, object]) -> int:
    revision = item["revision"]
    assert isinstance(revision, int)  # keys/events.py wrote it
    return revision

"""Lets plugins tell of events of their own, as the core tells of its."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Protocol

import msgspec

from locframework.errors import ProjectNotFound
from locframework.events import Actor, EventLog
from locframework.storage import Storage

Items = Sequence[Mapping[str, object]]

ITEM_MOST = 4096  # bytes of JSON: what is told is thin, and has up to 100 items


class EventTeller(Protocol):
    """Says that something happened in a project, for one plugin."""

    def __call__(
        self,
        type_: str,
        project_id: str,
        items: Items,
        *,
        branch: str | None = None,
    ) -> None:
        """Append an event of one of the plugin's types, and tell webhooks of it.

        ``items`` are JSON objects of at most 4 KiB each, ``branch`` the name of a
        branch, None for main. In a transaction of its own, or in the one that is open.
        Raises ValueError for a type or items that cannot be, ProjectNotFound, and
        Unavailable.
        """
        ...


PluginTells = Callable[[str, str, str, Items, str | None], None]
"""The same for all: plugin, type, project, items, branch."""


class PluginEvents:
    """What plugins tell, checked and appended to the event log."""

    def __init__(
        self, storage: Storage, events: EventLog, types: Container[str]
    ) -> None:
        self._storage = storage
        self._events = events
        self._types = types

    def tell(
        self,
        plugin: str,
        type_: str,
        project_id: str,
        items: Items,
        branch: str | None,
    ) -> None:
        """As ``EventTeller`` says, for the plugin of that name."""
        if type_ not in self._types or not type_.startswith(f"plugin.{plugin}."):
            raise ValueError(f"plugin {plugin} provides no event type {type_!r}")
        _check(items)
        with self._storage.transaction():
            project = self._storage.projects.find_project(project_id)
            if project is None:
                raise ProjectNotFound
            self._events.append(
                type_,
                organization_id=project.organization_id,
                project_id=project.id,
                actor=Actor("plugin", plugin),
                items=list(items),
                branch=branch,
            )


def _check(items: Items) -> None:
    if not items:
        raise ValueError("an event has at least one item")
    for item in items:
        if not isinstance(item, Mapping):
            raise ValueError("each item must be an object")
        if len(msgspec.json.encode(item)) > ITEM_MOST:
            raise ValueError(f"an item has at most {ITEM_MOST} bytes of JSON")

"""Lets plugins emit events of their own types."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from locframework.branches.records import BRANCH_NAME, MAIN
from locframework.errors import ProjectNotFound
from locframework.events import Actor, EventLog
from locframework.transactions import get_record
from locframework.validation import plain_json

from .store import WebhookStorage

Items = Sequence[Mapping[str, object]]

ITEM_BYTES_LIMIT = 4096  # of JSON: events are thin, and have up to 100 items


class EventEmitter(Protocol):
    """Emits the events of one plugin."""

    def __call__(
        self, type_: str, project_id: str, items: Items, *, branch: str | None = None
    ) -> None:
        """Append an event of one of the plugin's types, and send it to webhooks.

        ``items`` is a list or tuple of JSON objects of at most 4 KiB each, ``branch``
        the name of a branch, None for main. In a transaction of its own, or in the one
        that is open. Raises ValueError for an invalid type, items or branch,
        ProjectNotFound, and Unavailable.
        """


@dataclass(eq=False, repr=False)
class PluginEvents:
    """Validates the events of plugins, and appends them to the event log."""

    _storage: WebhookStorage
    _events: EventLog
    _types: Container[str]

    def emit(
        self,
        plugin: str,
        type_: str,
        project_id: str,
        items: Items,
        *,
        branch: str | None = None,
    ) -> None:
        """Emit an event for the plugin of that name; see ``EventEmitter``."""
        if type_ not in self._types or not type_.startswith(f"plugin.{plugin}."):
            raise ValueError(f"plugin {plugin} provides no event type {type_!r}")
        is_name = isinstance(branch, str) and re.fullmatch(BRANCH_NAME, branch)
        if branch is not None and (not is_name or branch == MAIN):
            raise ValueError("branch must be the name of a branch, or None for main")
        if not isinstance(items, list | tuple) or not items:
            raise ValueError("items must be a list or a tuple of at least one item")
        for item in items:
            _check_item(item)
        with self._storage.transaction():
            project = get_record(self._storage.projects, project_id, ProjectNotFound)
            self._events.append(
                type_,
                organization_id=project.organization_id,
                project_id=project.id,
                actor=Actor("plugin", plugin),
                items=list(items),
                branch=branch,
            )


def _check_item(item: object) -> None:
    """Raise ValueError unless the item is a JSON object of at most 4 KiB."""
    if not isinstance(item, dict):
        raise ValueError("an item must be an object of plain JSON: dict, list, str, …")
    try:
        encoded = plain_json(item).encode()
    except ValueError as error:
        raise ValueError(f"an item {error}") from None
    if len(encoded) > ITEM_BYTES_LIMIT:
        raise ValueError(f"an item has at most {ITEM_BYTES_LIMIT} bytes of JSON")

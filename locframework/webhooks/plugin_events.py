"""Lets plugins tell of events of their own, as the core tells of its."""

import math
import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Protocol

import msgspec

from locframework.branches.records import BRANCH_NAME
from locframework.branches.rules import check_name
from locframework.errors import ProjectNotFound, ValidationFailed
from locframework.events import Actor, EventLog
from locframework.fields import id_from_reference
from locframework.validation import CHARACTER, DEPTH_MOST, forbidden

from .store import WebhookStorage

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

        ``items`` is a list or tuple of JSON objects of at most 4 KiB each, ``branch``
        the name of a branch, None for main. In a transaction of its own, or in the one
        that is open. Raises ValueError for a type, items or a branch that cannot be,
        ProjectNotFound, and Unavailable.
        """
        ...


PluginTells = Callable[[str, str, str, Items, str | None], None]
"""The same for all: plugin, type, project, items, branch."""


class PluginEvents:
    """What plugins tell, checked and appended to the event log."""

    def __init__(
        self, storage: WebhookStorage, events: EventLog, types: Container[str]
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
        _check_branch(branch)
        id_ = id_from_reference(project_id)
        with self._storage.transaction():
            project = self._storage.projects.find(id_) if id_ else None
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


def _check(items: object) -> None:
    if not isinstance(items, list | tuple):
        raise ValueError("items must be a list or a tuple")
    if not items:
        raise ValueError("an event has at least one item")
    for item in items:
        if not isinstance(item, dict):
            raise ValueError("each item must be an object")
        if fault := _fault(item):
            raise ValueError(f"an item {fault}")
        if len(msgspec.json.encode(item)) > ITEM_MOST:
            raise ValueError(f"an item has at most {ITEM_MOST} bytes of JSON")


def _check_branch(branch: object) -> None:
    if branch is None:
        return
    if not isinstance(branch, str) or not re.fullmatch(BRANCH_NAME, branch):
        raise ValueError("branch must be the name of a branch, or None for main")
    try:
        check_name(branch, "branch")
    except ValidationFailed as refused:
        raise ValueError(refused.message) from None


def _fault(value: object, depth: int = 0) -> str | None:
    """Why a value cannot be told as JSON; None when it can."""
    if depth > DEPTH_MOST:
        return f"is nested deeper than {DEPTH_MOST} levels"
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            return "has a name that is not text"
        inner = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        inner = list(value)
    else:
        return _fault_of_one(value)
    return next(filter(None, (_fault(each, depth + 1) for each in inner)), None)


def _fault_of_one(value: object) -> str | None:
    if isinstance(value, str):
        return CHARACTER if forbidden(value) else None
    if isinstance(value, float):
        return (
            None if math.isfinite(value) else "holds a number that JSON does not have"
        )
    known = value is None or isinstance(value, int)
    return None if known else f"holds what JSON does not have: {type(value).__name__}"

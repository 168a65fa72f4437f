"""Every type of event that a webhook can subscribe to, with what it tells."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from locframework.events import ITEMS_MOST, Actor
from locframework.fields import Timestamp

from .items import BUILT_IN
from .records import TYPE_LENGTH, EventType, ShownEventType

TEST = "webhook.test"  # not subscribable (decisions 2.7)
PLUGIN_PREFIX = "plugin."

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)
_ID = "0197b2c0-5f1e-7c3a-8d21-9f4be6a1c0d2"
_AT = "2026-11-21T08:45:29.123Z"
_TIMESTAMP: Any = msgspec.json.schema(Timestamp)
_ACTOR = Actor("user", "0197b2bf-11aa-7e55-b0d1-2f8e57c9ab34")


class EventTypes:
    """The types of one application: the built-in ones, and those of its plugins."""

    def __init__(self, of_plugins: Iterable[EventType] = ()) -> None:
        self._types = {each.type: each for each in [*BUILT_IN, *of_plugins]}

    @cached_property
    def shown(self) -> list[ShownEventType]:
        """All of them, the built-in ones first."""
        return [shown(each) for each in self._types.values()]

    def __contains__(self, type_: object) -> bool:
        return type_ in self._types


def fault_of(type_: EventType, plugin: str) -> str | None:
    """Why the type cannot be one of the plugin's; None when it can."""
    name = type_.type.removeprefix(f"{PLUGIN_PREFIX}{plugin}.")
    if name == type_.type or not _NAME.fullmatch(name):
        told = f"event type {type_.type!r} must be {PLUGIN_PREFIX}{plugin}.<event>"
        return f"{told}, of a-z, 0-9, _ and -"
    if len(type_.type) > TYPE_LENGTH:
        return f"event type {type_.type!r} has more than {TYPE_LENGTH} characters"
    if not type_.description.strip():
        return f"event type {type_.type!r} has no description"
    if not 1 <= len(type_.example_items) <= ITEMS_MOST:
        return f"event type {type_.type!r} needs 1 to {ITEMS_MOST} example items"
    return None


def shown(type_: EventType) -> ShownEventType:
    """The type with the JSON Schema of its payload, and an example."""
    is_plugins = type_.type.startswith(PLUGIN_PREFIX)
    group = type_.type.rpartition(".")[0] if is_plugins else type_.type.split(".")[0]
    return ShownEventType(
        type=type_.type,
        group=group,
        description=type_.description,
        schema=payload_schema(type_.type, type_.item_schema),
        example=example(type_),
    )


def example(type_: EventType) -> Mapping[str, object]:
    """A payload of the type."""
    return {
        "type": type_.type,
        "timestamp": _AT,
        "data": {
            "projectId": _ID,
            "branch": None,
            "actor": msgspec.to_builtins(_ACTOR),
            "items": list(type_.example_items),
        },
    }


def payload_schema(type_: str, item: Mapping[str, object]) -> Mapping[str, object]:
    """JSON Schema of the payloads of a type. Receivers allow for more members."""
    text = {"type": "string"}
    data = {
        "projectId": {**text, "format": "uuid"},
        "branch": {"type": ["string", "null"], "description": "null: main"},
        "actor": _object(
            {"type": {"enum": ["user", "token", "plugin", "system"]}, "id": text}
        ),
        "items": {
            "type": "array",
            "items": item,
            "minItems": 1,
            "maxItems": ITEMS_MOST,
        },
    }
    return _object(
        {"type": {"const": type_}, "timestamp": _TIMESTAMP, "data": _object(data)}
    )


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
    }

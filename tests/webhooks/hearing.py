"""What operations tell a webhook that hears everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from locframework.webhooks.event_schemas import EventTypes

TYPES = {each.type: each for each in EventTypes().shown}


def closed(schema: Any) -> Any:
    """The schema without room for members that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(each) for name, each in schema.items()}
    return {**found, "additionalProperties": False} if "properties" in schema else found


SCHEMAS = {type_: closed(each.schema) for type_, each in TYPES.items()}


class Heard:
    """A project whose webhook hears everything, and what an operation tells it."""

    def __init__(self, hooked: Any) -> None:
        self.hooked = hooked
        self.owner, self.path = hooked.owner, hooked.path
        self.workspace = hooked.workspace
        hooked.create(eventTypes=list(TYPES), branches=["*"])
        self.translator = self.workspace.client("translator")

    def told_by(self, *acts: Callable[[], Any]) -> list[str]:
        """The types that are sent, in alphabetical order, each as often as it is."""
        self.hooked.send()
        for act in acts:
            answer = act()
            assert answer.status < 400, answer
        self.workspace.run_jobs()
        self.received = self.hooked.send()
        for each in self.received:
            jsonschema_rs.validate(SCHEMAS[each.payload["type"]], each.payload)
        return sorted(each.payload["type"] for each in self.received)

    def items(self, type_: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for each in self.received:
            if each.payload["type"] == type_:
                found += each.payload["data"]["items"]
        return found

    def post(self, path: str, body: Any = None, **how: Any) -> Callable[[], Any]:
        return lambda: self.owner.post(f"{self.path}{path}", json=body or {}, **how)

    def value(self, key: Any, lang: str, text: Any, client: Any = None) -> Any:
        path = f"{self.path}/keys/{key['id']}/values/{lang}"
        return lambda: (client or self.owner).put(path, json={"value": text})

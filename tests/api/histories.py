"""What is asked of the history of a value over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.testing.client import Client


def history(
    keys: Any, key: dict[str, Any], lang: str = "de", **query: Any
) -> list[dict[str, Any]]:
    path = f"{keys.path}/{key['id']}/values/{lang}/history"
    found = keys.owner.get(path, query=query)
    assert found.status == 200, found
    items: list[dict[str, Any]] = found.data["items"]
    if not query.get("limit"):
        assert found.data["total"] == len(items)
    return items


def told(items: list[dict[str, Any]]) -> list[tuple[int, str, str, str]]:
    return [(i["revision"], i["value"], i["status"], i["origin"]) for i in items]


def branch(keys: Any, name: str = "spring") -> dict[str, str]:
    path = f"/projects/{keys.project['id']}/branches"
    assert keys.owner.post(path, json={"name": name}).status == 201
    return {"branch": name}


def put(
    keys: Any, key: dict[str, Any], text: Any, query: dict[str, str], lang: str = "de"
) -> None:
    path = f"{keys.path}/{key['id']}/values/{lang}"
    assert keys.owner.put(path, json={"value": text}, query=query).status == 200


def user_of(client: Client) -> str:
    found: str = client.get("/tokens/self").data["userId"]
    return found

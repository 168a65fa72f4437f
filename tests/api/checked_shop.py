"""A project whose texts have issues, and what is asked of them over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.testing.client import Answer
from locframework.testing.workspace import Workspace

Row = tuple[str, str, str | None, str]  # key, language, plural form, check


class Shop:
    """A project whose texts have something wrong with them, or will have."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "fr"], **fields)
        self.path = f"/projects/{self.project['id']}"
        self.hello = self.key(
            "hello", en="Hello {name}!", de="Hallo!", fr="Salut {nom}!"
        )
        self.pay = self.key("pay", en="Pay", de="Zahlen")

    def key(self, name: str, *, branch: str | None = None, **values: Any) -> str:
        return self.made({"key": name, "values": values}, branch)

    def made(self, body: dict[str, Any], branch: str | None = None) -> str:
        query = {"branch": branch} if branch else {}
        answer = self.owner.post(f"{self.path}/keys", json=body, query=query)
        key_id: str = answer.data["key"]["id"]
        return key_id

    def put(self, key_id: str, lang: str, value: Any, **query: Any) -> Answer:
        path = f"{self.path}/keys/{key_id}/values/{lang}"
        return self.owner.put(path, json={"value": value}, query=query)

    def patch(self, key_id: str, **changes: Any) -> None:
        answer = self.owner.patch(f"{self.path}/keys/{key_id}", json=changes)
        assert answer.status == 200, answer

    def listed(self, **query: Any) -> dict[str, Any]:
        data: dict[str, Any] = self.owner.get(f"{self.path}/issues", query=query).data
        assert data["total"] == len(data["items"]) or "limit" in query
        return data

    def issues(self, **query: Any) -> list[Row]:
        """Where what was found, each once."""
        rows = [
            (one["key"], one["languageCode"], one["pluralForm"], one["check"])
            for one in self.listed(**query)["items"]
        ]
        return list(dict.fromkeys(rows))

    def names(self, **query: Any) -> list[str]:
        found = self.owner.get(f"{self.path}/keys", query=query).data
        assert found["total"] == len(found["items"])
        return [key["key"] for key in found["items"]]

    def detail(self, key_id: str, lang: str, **query: Any) -> dict[str, Any]:
        path = f"{self.path}/keys/{key_id}/values/{lang}"
        data: dict[str, Any] = self.owner.get(path, query=query).data
        return data


FOUND: list[Row] = [
    ("hello", "de", None, "placeholders"),
    ("hello", "fr", None, "placeholders"),
]
OWN: Row = ("own", "de", None, "placeholders")

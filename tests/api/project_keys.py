"""The keys of a project, as the API tests ask for them over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace


class Keys:
    """The keys of one project with the languages en, de and ar, over HTTP."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace = workspace
        self.project = workspace.project(languages=["de", "ar"], **fields)
        self.path = f"/projects/{self.project['id']}/keys"
        self.owner = workspace.owner
        self.translator = workspace.client("translator")

    def create(self, client: Client | None = None, **body: object) -> Answer:
        return (client or self.owner).post(self.path, json={"key": "a.b", **body})

    def made(self, **body: object) -> dict[str, Any]:
        key: dict[str, Any] = self.create(**body).data["key"]
        return key

    def get(self, key: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.owner.get(f"{self.path}/{key['id']}").data["key"]
        return found

    def put(
        self,
        key: dict[str, Any],
        lang: str,
        value: object,
        client: Client | None = None,
        **more: object,
    ) -> Answer:
        path = f"{self.path}/{key['id']}/values/{lang}"
        return (client or self.owner).put(path, json={"value": value, **more})

    def act(
        self,
        key: dict[str, Any],
        verb: str,
        lang: str = "de",
        client: Client | None = None,
        query: dict[str, str] | None = None,
        **body: object,
    ) -> Answer:
        """Approve, reject or revert a value."""
        path = f"{self.path}/{key['id']}/values/{lang}/{verb}"
        return (client or self.owner).post(path, json=body, query=query or {})

    def detail(self, key: dict[str, Any], lang: str) -> dict[str, Any]:
        path = f"{self.path}/{key['id']}/values/{lang}"
        detail: dict[str, Any] = self.owner.get(path).data["value"]
        return detail

    def names(self, **query: Any) -> list[str]:
        found = self.owner.get(self.path, query=query).data["items"]
        return [key["key"] for key in found]

    def texts(self, key: dict[str, Any]) -> dict[tuple[str, str | None], str]:
        """The texts that are stored, by language code and plural form."""
        return _texts(self.get(key))


def _texts(key: dict[str, Any]) -> dict[tuple[str, str | None], str]:
    return {(v["languageCode"], v["pluralForm"]): v["value"] for v in key["values"]}

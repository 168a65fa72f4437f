"""A project with a branch, and what is asked of both over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace

from .project_keys import Keys


class Branched:
    """A project with a few keys, and a branch of it."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.keys = Keys(workspace, **fields)
        self.owner = workspace.owner
        self.workspace = workspace
        self.path = f"/projects/{self.keys.project['id']}"
        self.pay = self.keys.made(
            key="checkout.pay", values={"en": "Pay", "de": "Zahlen"}, tags=["button"]
        )
        self.title = self.keys.made(key="title", values={"en": "Shop"})
        self.branch("spring")

    def branch(self, name: str, client: Client | None = None) -> Answer:
        body = {"name": name}
        return (client or self.owner).post(f"{self.path}/branches", json=body)

    def write(
        self, key: dict[str, Any], lang: str, value: object, branch: str | None = None
    ) -> Answer:
        path = f"{self.path}/keys/{key['id']}/values/{lang}"
        query = {"branch": branch} if branch else {}
        return self.owner.put(path, json={"value": value}, query=query)

    def patch(
        self, made: dict[str, Any], branch: str | None = None, **changes: object
    ) -> Answer:
        query = {"branch": branch} if branch else {}
        return self.owner.patch(
            f"{self.path}/keys/{made['id']}", json=changes, query=query
        )

    def create(self, branch: str | None = None, **body: object) -> dict[str, Any]:
        query = {"branch": branch} if branch else {}
        made = self.owner.post(f"{self.path}/keys", json=body, query=query)
        key: dict[str, Any] = made.data["key"]
        return key

    def delete(self, key: dict[str, Any], branch: str | None = None) -> Answer:
        query = {"branch": branch} if branch else {}
        return self.owner.delete(f"{self.path}/keys/{key['id']}", query=query)

    def read(self, key: dict[str, Any], branch: str | None = None) -> Answer:
        query = {"branch": branch} if branch else {}
        return self.owner.get(f"{self.path}/keys/{key['id']}", query=query)

    def texts(self, key: dict[str, Any], branch: str | None = None) -> dict[Any, Any]:
        values = self.read(key, branch).data["key"]["values"]
        return {(v["languageCode"], v["pluralForm"]): v["value"] for v in values}

    def outdated(
        self, key: dict[str, Any], branch: str | None = None
    ) -> dict[str, bool]:
        values = self.read(key, branch).data["key"]["values"]
        return {value["languageCode"]: value["isOutdated"] for value in values}

    def approve(
        self, key: dict[str, Any], lang: str, branch: str | None = None
    ) -> Answer:
        path = f"{self.path}/keys/{key['id']}/values/{lang}/approve"
        query = {"branch": branch} if branch else {}
        return self.owner.post(path, json={}, query=query)

    def names(self, branch: str | None = None, **query: Any) -> list[str]:
        if branch:
            query["branch"] = branch
        found = self.owner.get(f"{self.path}/keys", query=query).data
        assert found["total"] == len(found["items"])
        return [key["key"] for key in found["items"]]

    def diff(self, branch: str = "spring") -> list[dict[str, Any]]:
        answer = self.owner.get(f"{self.path}/branches/{branch}/diff")
        items: list[dict[str, Any]] = answer.data["items"]
        return items

    def merge(
        self, branch: str = "spring", client: Client | None = None, **body: object
    ) -> Answer:
        path = f"{self.path}/branches/{branch}/merge"
        return (client or self.owner).post(path, json=body)

    def one(self, branch: str = "spring") -> dict[str, Any]:
        found: dict[str, Any] = self.owner.get(f"{self.path}/branches/{branch}").data
        branch_: dict[str, Any] = found["branch"]
        return branch_

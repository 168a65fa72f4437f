"""A glossary, and what is asked of its terms over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.fields import new_id
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace


class Terms:
    """The terms of one glossary, over HTTP."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace = workspace
        self.owner = workspace.owner
        self.translator = workspace.client("translator")
        body = {"name": f"Ferry terms {new_id()}", "sourceLanguage": "en", **fields}
        self.glossary = self.owner.post("/glossaries", json=body).data["glossary"]
        self.one = f"/glossaries/{self.glossary['id']}"
        self.path = f"{self.one}/terms"

    def create(self, client: Client | None = None, **body: object) -> Answer:
        return (client or self.owner).post(self.path, json={"term": "pier", **body})

    def made(self, **body: object) -> dict[str, Any]:
        term: dict[str, Any] = self.create(**body).data["term"]
        return term

    def put(
        self,
        term: dict[str, Any],
        lang: str,
        value: object,
        client: Client | None = None,
    ) -> Answer:
        path = f"{self.path}/{term['id']}/translations/{lang}"
        return (client or self.owner).put(path, json={"value": value})

    def act(
        self,
        term: dict[str, Any],
        lang: str,
        action: str,
        client: Client | None = None,
        **body: object,
    ) -> Answer:
        path = f"{self.path}/{term['id']}/translations/{lang}/{action}"
        return (client or self.owner).post(path, json=body)

    def listed(self, **query: Any) -> list[str]:
        found = self.owner.get(self.path, query=query).data["items"]
        return [each["term"] for each in found]


def only(answer: Answer) -> dict[str, Any]:
    """The one translation of the term that was answered."""
    [translation] = answer.data["term"]["translations"]
    found: dict[str, Any] = translation
    return found


def refused(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.error["code"]

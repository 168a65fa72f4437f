"""A project that teaches a translation memory, and what the memory says."""

from __future__ import annotations

from typing import Any

from locframework.fields import new_id
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace


class Shop:
    """A project with the languages de and pl, and a memory that learns from it."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "pl"], **fields)
        self.path = f"/projects/{self.project['id']}"
        body = {"name": f"Main {new_id()}", "sourceLanguage": "en"}
        made = self.owner.post("/translation-memories", json=body).data
        self.memory = f"/translation-memories/{made['translationMemory']['id']}"

    def assign(self, **body: object) -> None:
        answer = self.owner.put(f"{self.path}{self.memory}", json=body)
        assert answer.status == 200, answer
        self.workspace.run_jobs()

    def key(self, name: str = "pay", **values: object) -> str:
        more = {"isPlural": True} if isinstance(values.get("en"), dict) else {}
        key = self.workspace.key(self.project, name, values=values, **more)
        return f"{self.path}/keys/{key['id']}"

    def put(self, key: str, code: str, value: object, **how: Any) -> None:
        client: Client = how.pop("client", self.owner)
        answer = client.put(f"{key}/values/{code}", json={"value": value, **how})
        assert answer.status == 200, answer

    def learned(self) -> dict[str, dict[str, str]]:
        """What the memory says, by source text (and context where it is no key)."""
        items = self.owner.get(f"{self.memory}/entries").data["items"]
        return {
            f"{entry['sourceText']} | {entry['context']}": {
                each["languageCode"]: each["value"] for each in entry["translations"]
            }
            for entry in items
        }


def two_shops(workspace: Workspace) -> tuple[Shop, Shop]:
    """Both teach one memory."""
    mine, other = Shop(workspace), Shop(workspace)
    other.memory = mine.memory
    mine.assign()
    other.assign()
    return mine, other

"""Translation memories over HTTP: one by itself, and those of a project."""

from __future__ import annotations

from typing import Any

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace


class Memory:
    """A memory with the target languages de and fr, and an entry."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        body = {"name": "Main", "sourceLanguage": "en", "languageCodes": ["de", "fr"]}
        made = self.owner.post("/translation-memories", json={**body, **fields})
        self.record = made.data["translationMemory"]
        self.path = f"/translation-memories/{self.record['id']}"
        self.entry = self.add(sourceText="Pay", translations={"de": "Zahlen"})
        self.one = f"{self.path}/entries/{self.entry['id']}"

    def add(self, **body: object) -> dict[str, Any]:
        answer = self.owner.post(f"{self.path}/entries", json=body)
        assert answer.status == 201, answer
        entry: dict[str, Any] = answer.data["entry"]
        return entry

    def put(self, lang: str, value: object, client: Client | None = None) -> Answer:
        path = f"{self.one}/translations/{lang}"
        return (client or self.owner).put(path, json={"value": value})

    def judge(self, verdict: str, lang: str, client: Client | None = None) -> Answer:
        path = f"{self.one}/translations/{lang}/{verdict}"
        return (client or self.owner).post(path, json={})

    def read(self) -> dict[str, Any]:
        entry: dict[str, Any] = self.owner.get(self.one).data["entry"]
        return entry


class Memories:
    """A project with the memory ``tm``; entries are added in a few words."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de", "fr"])
        self.path = f"/projects/{self.project['id']}"
        self.tm = self.memory("Main")

    def memory(
        self, name: str, use: dict[str, object] | None = None, **fields: object
    ) -> dict[str, Any]:
        """A memory that the project reads; ``use`` says how."""
        body = {"name": name, "sourceLanguage": "en", "languageCodes": ["de", "fr"]}
        made = self.owner.post("/translation-memories", json={**body, **fields})
        tm: dict[str, Any] = made.data["translationMemory"]
        path = f"{self.path}/translation-memories/{tm['id']}"
        used = self.owner.put(path, json={"writeMode": "none", **(use or {})})
        assert used.status == 200, used.json
        return tm

    def entry(
        self, source: str, tm: dict[str, Any] | None = None, **fields: str
    ) -> dict[str, Any]:
        """An entry; all but ``context`` are values by language."""
        context = fields.pop("context", "")
        body = {"sourceText": source, "context": context, "translations": fields}
        path = f"/translation-memories/{(tm or self.tm)['id']}/entries"
        made = self.owner.post(path, json=body)
        assert made.status == 201, made.json
        entry: dict[str, Any] = made.data["entry"]
        return entry

    def path_of(self, entry: dict[str, Any]) -> str:
        return f"/translation-memories/{entry['tmId']}/entries/{entry['id']}"

    def matches(
        self, *texts: str, codes: tuple[str, ...] = ("de",), by: Client | None = None
    ) -> Answer:
        body = {"sourceTexts": texts, "languageCodes": codes}
        return (by or self.owner).post(f"{self.path}/tm/matches", json=body)

    def match(self, text: str, code: str = "de") -> list[dict[str, Any]]:
        """The matches for one text in one language."""
        answer = self.matches(text, codes=(code,))
        assert answer.status == 200, answer.json
        found: list[dict[str, Any]] = answer.data["matches"][text][code]
        return found

    def search(self, query: str, by: Client | None = None, **fields: object) -> Answer:
        body = {"query": query, **fields}
        return (by or self.owner).post(f"{self.path}/tm/search", json=body)

    def found(self, query: str, **fields: object) -> list[str]:
        """The source texts that a search finds, in order; all of them."""
        answer = self.search(query, **{"limit": 200, **fields})
        assert answer.status == 200, answer.json
        found = [item["sourceText"] for item in answer.data["items"]]
        assert answer.data["total"] == len(found)
        return found

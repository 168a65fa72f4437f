"""A glossary, and the files that go in and come out over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace

CSV = """term,doNotTranslate,usageStatus,notes,de,fr,fr:status
pier,,,where one waits,Anleger,quai,draft
Skerry,yes,deprecated,,Skerry,,
"""


class Files:
    """A glossary that takes files."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        body = {"name": "Ferry terms", "sourceLanguage": "en", **fields}
        self.glossary = self.owner.post("/glossaries", json=body).data["glossary"]
        self.path = f"/glossaries/{self.glossary['id']}"

    def send(
        self,
        content: str | bytes,
        client: Client | None = None,
        headers: dict[str, str] | None = None,
        **form: str,
    ) -> Answer:
        raw = content if isinstance(content, bytes) else content.encode()
        files = {"file": Upload("terms", raw, "application/octet-stream")}
        path = f"{self.path}/import"
        return (client or self.owner).post(
            path, form=form, files=files, headers=headers
        )

    def imported(self, content: str | bytes, **how: Any) -> dict[str, Any]:
        job = self.workspace.job_of(self.send(content, **how))
        assert (job["status"], job["type"]) == ("succeeded", "glossary_import"), job
        result: dict[str, Any] = job["result"]
        return {name: count for name, count in result.items() if count}

    def terms(self) -> list[dict[str, Any]]:
        items = self.owner.get(f"{self.path}/terms", query={"limit": 200}).data["items"]
        made = ("id", "glossaryId", "createdAt", "updatedAt", "approvedAt")
        return [_without(term, made) for term in items]

    def export(self, format_: str) -> Answer:
        return self.owner.get(f"{self.path}/export", query={"format": format_})


def _without(found: Any, names: tuple[str, ...]) -> Any:
    if isinstance(found, list):
        return [_without(each, names) for each in found]
    if not isinstance(found, dict):
        return found
    return {k: _without(v, names) for k, v in found.items() if k not in names}

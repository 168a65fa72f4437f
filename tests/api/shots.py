"""A project with a key that can have a screenshot, over HTTP."""

from __future__ import annotations

from typing import Any

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace
from tests import images

BASE = "http://localhost/api/v1"


class Shots:
    """A project with two keys, and its files."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.project = workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self.pay = workspace.key(self.project, "pay", values={"en": "Pay"})
        self.title = workspace.key(self.project, "title")

    def send(
        self,
        content: bytes,
        name: str = "a.png",
        type_: str = "image/png",
        client: Client | None = None,
        **how: Any,
    ) -> Answer:
        files = {"file": Upload(name, content, type_)}
        return (client or self.owner).post(f"{self.path}/files", files=files, **how)

    def file(self, color: int = 0) -> dict[str, Any]:
        made: dict[str, Any] = self.send(images.png(color)).data["file"]
        return made

    def patch(
        self,
        file_id: str | None,
        key: dict[str, Any] | None = None,
        client: Client | None = None,
        **query: str,
    ) -> Answer:
        return (client or self.owner).patch(
            f"{self.path}/keys/{(key or self.pay)['id']}",
            json={"screenshotFileId": file_id},
            query=query,
        )

    def key(self, key: dict[str, Any] | None = None, **query: str) -> dict[str, Any]:
        path = f"{self.path}/keys/{(key or self.pay)['id']}"
        found: dict[str, Any] = self.owner.get(path, query=query).data["key"]
        return found

    def shown(self, **query: str) -> tuple[str | None, str | None]:
        key = self.key(**query)
        return key["screenshotFileId"], key["screenshotUrl"]

"""What the API tests ask: a project, its branches, and what it publishes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace

from .branched import Branched
from .memories import Memory
from .project_keys import Keys


class Published:
    """A distribution of a small project, and the public that reads it."""

    def __init__(self, workspace: Workspace, **fields: object) -> None:
        self.workspace = workspace
        self.project = workspace.project(languages=["de", "ar"])
        self.path = f"/projects/{self.project['id']}"
        texts = {"en": "Pay", "de": "Zahlen", "ar": "ادفع"}
        workspace.key(self.project, "checkout.pay", values=texts)
        workspace.key(self.project, "title", values={"en": "Shop", "de": "Laden"})
        body = {"name": "Web", "format": "json-nested", **fields}
        made = workspace.owner.post(f"{self.path}/distributions", json=body)
        self.distribution: dict[str, Any] = made.data["distribution"]
        self.one = f"{self.path}/distributions/{self.distribution['id']}"
        self.public = Client(workspace.app)
        self.url = f"/content/{self.distribution['publicKey']}/manifest.json"

    def build(self) -> Published:
        self.workspace.run_jobs()
        return self

    def manifest(self, **how: Any) -> Answer:
        return self.public.get(self.url, **how)

    def act(self, action: str, body: object | None = None) -> Answer:
        return self.workspace.owner.post(f"{self.one}/{action}", json=body or {})

    def release(self) -> dict[str, Any]:
        return self.workspace.job_of(self.act("releases"))

    def change(self, text: str) -> None:
        keys = self.workspace.owner.get(f"{self.path}/keys").data["items"]
        path = f"{self.path}/keys/{keys[0]['id']}/values/de"
        assert self.workspace.owner.put(path, json={"value": text}).status == 200


@pytest.fixture
def keys(workspace: Workspace) -> Keys:
    """The keys of an empty project with the languages en, de and ar."""
    return Keys(workspace)


@pytest.fixture
def publish(workspace: Workspace) -> Callable[..., Published]:
    """Makes a distribution, not built yet, with the fields that are given."""
    return lambda **fields: Published(workspace, **fields)


@pytest.fixture
def published(workspace: Workspace) -> Published:
    """A distribution with its first release."""
    return Published(workspace).build()


@pytest.fixture
def shop(workspace: Workspace) -> Branched:
    """A project with a few keys, and the branch spring."""
    return Branched(workspace)


@pytest.fixture
def memory(sqlite_workspace: Workspace) -> Memory:
    """A translation memory in two languages, with an entry."""
    return Memory(sqlite_workspace)

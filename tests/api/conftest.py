"""What the API tests ask: a project, its branches, its terms, and what it publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace, open_workspace

from .branched import Branched
from .memories import Memory
from .project_keys import Keys
from .terms import Terms
from .veto import Made, Veto


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


@pytest.fixture
def keys_with(database_url: str, tmp_path: Path) -> Iterator[Made]:
    """Makes keys in a workspace with the plugins that are given."""
    with ExitStack() as stack:

        def make(*plugins: object) -> Keys:
            opened = open_workspace(database_url, tmp_path, plugins=["json", *plugins])
            return Keys(stack.enter_context(opened))

        yield make


@pytest.fixture
def veto() -> Veto:
    """A plugin that is asked about every change."""
    return Veto()


@pytest.fixture
def watched(keys_with: Made, veto: Veto) -> Keys:
    """Keys of a project where the plugin is asked about every change."""
    return keys_with(veto)


@pytest.fixture
def terms(workspace: Workspace) -> Terms:
    """An empty glossary in which what is written counts."""
    return Terms(workspace)


@pytest.fixture
def careful(workspace: Workspace) -> Terms:
    """An empty glossary that requires approval."""
    return Terms(workspace, requiresApproval=True)

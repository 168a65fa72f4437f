"""What the API tests ask: the keys of a project, and a published distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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

"""A blob store of a plugin that fails is unavailable."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from locframework_blobs_disk import DiskBlobStore, DiskSettings

from locframework import hookimpl
from locframework.blobs.service import Blobs
from locframework.errors import Unavailable
from locframework.testing.workspace import open_workspace

NAME = "0" * 64
CALLS: dict[str, Callable[[Any], object]] = {
    "put": lambda store: store.put(NAME, b""),
    "get": lambda store: store.get(NAME),
    "has": lambda store: store.has(NAME),
    "delete": lambda store: store.delete(NAME),
    "public_url": lambda store: store.public_url(NAME),
}


class BreakableStore(DiskBlobStore):
    """A plugin and its store, of which a test breaks methods."""

    name = "breakable"

    @hookimpl
    def loc_provide_blob_stores(self):
        return [self]


@pytest.fixture
def store(tmp_path):
    return BreakableStore(DiskSettings(folder=str(tmp_path / "breakable")))


def raising(error):
    def call(*given):
        raise error

    return call


def use(store, call):
    unused = None
    blobs = Blobs(unused, {store.name: store}, store.name, unused, unused)
    with blobs.store(store.name) as used:
        call(used)


@pytest.mark.parametrize(
    "error", [OSError("/secret"), ValueError("secret"), SystemExit(3)], ids=repr
)
@pytest.mark.parametrize("call", CALLS)
def test_a_method_that_raises_is_unavailable(store, monkeypatch, caplog, call, error):
    monkeypatch.setattr(store, call, raising(error))

    with pytest.raises(Unavailable, match=r"^the blob store breakable failed$"):
        use(store, CALLS[call])

    assert caplog.messages == ["the blob store breakable failed"]
    assert caplog.records[0].exc_info


def test_unavailable_is_passed_on(store, monkeypatch):
    monkeypatch.setattr(store, "get", raising(Unavailable("its server is down")))

    with pytest.raises(Unavailable, match="its server is down"):
        use(store, CALLS["get"])


def test_files_of_a_failing_store_are_503_and_published_once_it_works(
    database_url, tmp_path, store, clock, monkeypatch
):
    with open_workspace(
        database_url,
        tmp_path,
        plugins=["json", store],
        clock=clock,
        blob_store="breakable",
    ) as workspace:
        owner, project = workspace.owner, workspace.project()
        workspace.key(project, "title", values={"en": "Shop"})
        path = f"/projects/{project['id']}/distributions"
        new = {"name": "Web", "format": "json-nested"}
        made = owner.post(path, json=new).data["distribution"]
        manifest = f"/content/{made['publicKey']}/manifest.json"
        with monkeypatch.context() as broken:
            broken.setattr(store, "put", raising(ConnectionError("secret")))
            workspace.run_jobs()
            assert owner.get(manifest).status == 202

        clock.now += timedelta(minutes=2)  # the job is due again
        workspace.run_jobs()
        [file] = owner.get(manifest).json["files"]
        url = file["url"].partition("/api/v1")[2]
        with monkeypatch.context() as broken:
            broken.setattr(store, "get", raising(ConnectionError("secret")))
            refused = owner.get(url)

        assert (refused.status, refused.content) == (503, b'{"error":"unavailable"}')
        assert owner.get(url).status == 200

"""A blob store that fails or answers nonsense is Unavailable, and told by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from locframework import hookimpl
from locframework.blobs.blob_store import CheckedBlobStore
from locframework.errors import Unavailable
from locframework.testing.workspace import Workspace, open_workspace

NAME = "0" * 64
CALLS: dict[str, Callable[[Any], object]] = {
    "put": lambda store: store.put(NAME, b""),
    "get": lambda store: store.get(NAME),
    "has": lambda store: store.has(NAME),
    "delete": lambda store: store.delete(NAME),
    "names": lambda store: store.names(),
    "public_url": lambda store: store.public_url(NAME),
}
FAULTS = [OSError("/secret"), ValueError("secret"), SystemExit(3)]


class Kept:
    """Keeps files in memory; a method in ``broken`` answers or raises what it has."""

    name = "kept"

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.broken: dict[str, Any] = {}

    def _do(self, method: str, right: Callable[[], Any]) -> Any:
        if method not in self.broken:
            return right()
        if isinstance(self.broken[method], BaseException):
            raise self.broken[method]
        return self.broken[method]

    def put(self, name: str, content: bytes) -> Any:
        return self._do("put", lambda: self.blobs.update({name: content}))

    def get(self, name: str) -> Any:
        return self._do("get", lambda: self.blobs.get(name))

    def has(self, name: str) -> Any:
        return self._do("has", lambda: name in self.blobs)

    def delete(self, name: str) -> Any:
        self._do("delete", lambda: self.blobs.pop(name, None))

    def names(self) -> Any:
        return self._do("names", lambda: iter(list(self.blobs)))

    def public_url(self, name: str) -> Any:
        return self._do("public_url", lambda: None)


class KeptPlugin:
    def __init__(self) -> None:
        self.kept = Kept()

    @hookimpl
    def loc_provide_blob_stores(self) -> list[Kept]:
        return [self.kept]


class HandClock:
    """A clock that stands still until it is moved."""

    now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def plugin() -> KeptPlugin:
    return KeptPlugin()


@pytest.fixture
def workspace(
    database_url: str, tmp_path: Path, plugin: KeptPlugin, clock: HandClock
) -> Iterator[Workspace]:
    with open_workspace(
        database_url, tmp_path, plugins=[plugin], clock=clock, blob_store="kept"
    ) as workspace:
        yield workspace


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
@pytest.mark.parametrize("call", CALLS)
def test_a_store_that_fails_is_unavailable(
    call: str, fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    kept.broken[call] = fault

    with pytest.raises(Unavailable, match=r"^the blob store kept failed$"):
        CALLS[call](CheckedBlobStore(kept))

    assert caplog.messages == ["the blob store kept failed"]
    assert caplog.records[0].exc_info


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("get", "text"),
        ("get", 7),
        ("names", None),
        ("public_url", 7),
        ("public_url", "/b/x"),
        ("public_url", "//cdn.example.com/x"),
        ("public_url", "ftp://cdn.example.com/x"),
        ("public_url", ""),
    ],
)
def test_what_cannot_be_is_unavailable(
    call: str, answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    kept.broken[call] = answer

    with pytest.raises(Unavailable, match=r"^the blob store kept failed$"):
        CALLS[call](CheckedBlobStore(kept))

    assert "the blob store kept failed" in caplog.text


def test_what_can_be_is_passed_on() -> None:
    kept = Kept()
    store = CheckedBlobStore(kept)
    store.put(NAME, b"x")

    assert (store.get(NAME), store.has(NAME), list(store.names())) == (
        b"x",
        True,
        [NAME],
    )
    assert store.public_url(NAME) is None
    kept.broken["public_url"] = "https://cdn.example.com/x"
    assert store.public_url(NAME) == "https://cdn.example.com/x"
    kept.broken["get"] = Unavailable("its server is down")
    with pytest.raises(Unavailable, match="its server is down"):
        store.get(NAME)


def test_files_of_a_store_that_fails_are_503_and_published_once_it_works(
    workspace: Workspace, plugin: KeptPlugin, clock: HandClock
) -> None:
    owner, project = workspace.owner, workspace.project()
    workspace.key(project, "title", values={"en": "Shop"})
    path = f"/projects/{project['id']}/distributions"
    plugin.kept.broken["put"] = ConnectionError("secret")
    new = {"name": "Web", "format": "json-nested"}
    made = owner.post(path, json=new).data["distribution"]
    manifest = f"/content/{made['publicKey']}/manifest.json"
    workspace.run_jobs()

    assert owner.get(manifest).status == 202

    plugin.kept.broken.clear()
    clock.now += timedelta(minutes=2)  # the job is due again
    workspace.run_jobs()
    [file] = owner.get(manifest).json["files"]
    url = file["url"].partition("/api/v1")[2]
    plugin.kept.broken["get"] = "text"
    refused = owner.get(url)
    plugin.kept.broken.clear()

    assert (refused.status, refused.content) == (503, b'{"error":"unavailable"}')
    assert owner.get(url).status == 200


def test_a_file_that_cannot_be_deleted_keeps_no_other_from_going(
    workspace: Workspace, plugin: KeptPlugin
) -> None:
    blobs = workspace.framework.blobs
    blobs.put_all([b"one", b"two"], keep_for=timedelta(seconds=-1))
    plugin.kept.broken["delete"] = ZeroDivisionError("secret")
    with pytest.raises(Unavailable, match=r"^the blob store kept failed$"):
        blobs.prune()
    plugin.kept.broken.clear()

    assert blobs.prune() == 1
    assert len(plugin.kept.blobs) == 1

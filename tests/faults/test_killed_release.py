"""A release that is killed anywhere leaves a manifest that can be read, old or new."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPException
from typing import Any

import pytest

from locframework.testing.client import Client

World = Any  # tests/faults/conftest.py

LANGUAGES = ["de", "fr", "ar"]
MODULES = 8
KEYS = 240
RANDOM = "at random"
KILLS_OF_A_JOB = 4  # it is begun five times at most
IN_THE_JOB = [
    "job.after_claim",
    "release.before_blobs",
    "blobs.after_note#2",
    RANDOM,
    "blobs.after_put#3",
    "release.after_blobs",
    RANDOM,
    "release.before_commit",
    "job.before_commit",
    RANDOM,
]
AFTER_THE_END = ["job.after_commit", "release.after_commit"]


class Publishing:
    """A distribution, and all the versions of it that anybody has seen."""

    def __init__(self, world: World) -> None:
        self.world = world
        workspace = world.workspace
        self.owner = workspace.owner
        self.public = Client(workspace.app)
        self.project = workspace.project(languages=LANGUAGES)
        self.path = f"/projects/{self.project['id']}"
        self.changes = 0
        self.seen: dict[int, str] = {}  # version to release id
        self.change()
        body = {"name": "Web", "format": "json-nested", "splitByModule": True}
        made = self.owner.post(f"{self.path}/distributions", json=body)
        self.distribution = made.data["distribution"]
        self.one = f"{self.path}/distributions/{self.distribution['id']}"
        begun = time.monotonic()
        workspace.run_jobs()
        self.seconds = time.monotonic() - begun  # that a release takes, about

    def change(self) -> None:
        """Another text for everything."""
        self.changes += 1
        keys = [
            {
                "key": f"module{number % MODULES}.key{number}",
                "values": {
                    code: f"{code} {number} {self.changes}"
                    for code in ("en", *LANGUAGES)
                },
            }
            for number in range(KEYS)
        ]
        body = {"keys": keys, "onExisting": "update"}
        assert self.owner.post(f"{self.path}/keys/bulk", json=body).status == 200

    def ask(self, server: Any) -> None:
        """Ask a server that may die of it for a release."""
        client = self.world.owner(server)
        with suppress(OSError, HTTPException):
            assert client.post(f"{self.one}/releases", {}).status == 202

    def read(self) -> tuple[int, int]:
        """Version and content of the manifest, after a look at all that it names."""
        self.look_at_versions()
        url = f"/content/{self.distribution['publicKey']}/manifest.json"
        manifest = self.public.get(url)
        assert manifest.status == 200, manifest
        files = manifest.json["files"]
        assert len(files) == MODULES * (1 + len(LANGUAGES))
        changes = {self._change_in(file) for file in files}
        [change] = changes
        version = manifest.json["release"]["version"]
        assert str(version) == manifest.headers["X-Service-Release"]
        return version, change

    def look_at_versions(self) -> None:
        """No version ever stands for another release than it did."""
        found = self.owner.get(f"{self.one}/releases", query={"limit": 200})
        for release in found.data["items"]:
            known = self.seen.setdefault(release["version"], release["id"])
            assert known == release["id"]

    def end(self, server: Any) -> dict[str, Any]:
        """The newest job, once it has ended on this server."""
        [newest, *_] = self.owner.get(f"{self.path}/jobs").data["items"]
        client = self.world.owner(server)
        job: dict[str, Any] = client.end_of_job(f"{self.path}/jobs/{newest['id']}")
        return job

    def _change_in(self, file: dict[str, Any]) -> int:
        """Which change the file shows; all of it shows the same."""
        answer = self.public.get(file["url"])
        assert answer.status == 200, (file, answer)
        digest = sha256(answer.content).hexdigest()
        assert file["contentHash"] == f"sha256:{digest}"
        assert file["url"].endswith(f"/b/{digest}")
        assert file["byteSize"] == len(answer.content)
        [module] = answer.json.values()
        [change] = {int(text.split()[-1]) for text in module.values()}
        assert len(module) == KEYS // MODULES
        return change


@pytest.fixture
def publishing(world: World) -> Publishing:
    return Publishing(world)


@pytest.fixture
def sqlite_publishing(sqlite_world: World) -> Publishing:
    return Publishing(sqlite_world)


def die(publishing: Publishing, server: Any, place: str) -> None:
    if place == RANDOM:
        time.sleep(random.uniform(0, publishing.seconds))
        server.kill()
    code = server.wait()
    assert code in (137, -9), f"it did not pass {place}"


def crash_at(place: str) -> str:
    return "" if place == RANDOM else place


@pytest.mark.kill
def test_a_release_killed_in_its_job_is_the_old_one_or_the_new_one(
    world: World, publishing: Publishing, is_long: bool
) -> None:
    places = IN_THE_JOB * (20 if is_long else 1)
    version, change = publishing.read()
    while places:
        group, places = places[:KILLS_OF_A_JOB], places[KILLS_OF_A_JOB:]
        publishing.change()
        server = world.start(crash_at(group[0]))
        publishing.ask(server)
        for place, then in zip(group, [*group[1:], ""], strict=True):
            die(publishing, server, place)
            found = publishing.read()
            assert found == (version, change) or place == RANDOM
            assert found in ((version, change), (version + 1, change + 1))
            world.check_database()
            server = world.start(crash_at(then) if found[0] == version else "")
            if found[0] > version:  # it was quicker than the random kill
                break

        job = publishing.end(server)
        version, change = version + 1, change + 1
        assert job["result"] == {"version": version, "unchanged": False}
        assert publishing.read() == (version, change)
        assert server.stop() == 0

    published = [
        event.items[0]["version"]
        for event in reversed(world.events(publishing.project))
        if event.type == "distribution.published"
    ]
    assert published == list(range(1, version + 1))


@pytest.mark.parametrize("place", AFTER_THE_END)
def test_a_release_killed_after_its_end_is_published_once(
    sqlite_world: World, sqlite_publishing: Publishing, place: str
) -> None:
    sqlite_publishing.change()
    server = sqlite_world.start(place)
    sqlite_publishing.ask(server)
    die(sqlite_publishing, server, place)

    assert sqlite_publishing.read() == (2, 2)
    again = sqlite_world.start()
    assert again.stop() == 0

    assert sqlite_publishing.read() == (2, 2)
    types = [event.type for event in sqlite_world.events(sqlite_publishing.project)]
    assert types.count("distribution.published") == 2


def test_a_release_that_kills_every_server_frees_the_way(
    sqlite_world: World, sqlite_publishing: Publishing
) -> None:
    sqlite_publishing.change()
    place = "release.before_commit"
    server = sqlite_world.start(place)
    sqlite_publishing.ask(server)
    for _ in range(KILLS_OF_A_JOB):
        die(sqlite_publishing, server, place)
        server = sqlite_world.start(place)
    die(sqlite_publishing, server, place)

    server = sqlite_world.start(place)
    job = sqlite_publishing.end(server)
    assert (job["status"], job["error"]["code"]) == ("failed", "internal_error")
    assert sqlite_publishing.read() == (1, 1)
    server.stop()
    healthy = sqlite_world.start()
    sqlite_publishing.ask(healthy)

    assert sqlite_publishing.end(healthy)["result"] == {
        "version": 3,
        "unchanged": False,
    }
    assert sqlite_publishing.read() == (3, 2)
    releases = sqlite_publishing.owner.get(f"{sqlite_publishing.one}/releases").data[
        "items"
    ]
    assert [(each["version"], each["status"]) for each in releases] == [
        (3, "ready"),
        (2, "failed"),
        (1, "ready"),
    ]


def test_files_of_releases_that_never_were_are_not_kept_for_ever(
    sqlite_world: World, sqlite_publishing: Publishing
) -> None:
    sqlite_publishing.change()
    place = "release.after_blobs"
    server = sqlite_world.start(place)
    sqlite_publishing.ask(server)
    die(sqlite_publishing, server, place)
    framework = sqlite_world.workspace.framework
    store = framework.plugins.blob_stores["disk"]
    files = MODULES * (1 + len(LANGUAGES))
    assert len(set(store.names())) == 2 * files
    path = f"{sqlite_publishing.path}/jobs"
    [newest, *_] = sqlite_publishing.owner.get(path).data["items"]
    assert sqlite_publishing.owner.post(f"{path}/{newest['id']}/cancel").status == 200
    sqlite_world.workspace.run_jobs()
    server = sqlite_world.start()
    assert sqlite_publishing.end(server)["status"] == "cancelled"

    with sqlite_world.later(days=2) as later:
        while later.blobs.prune():
            pass

    assert len(set(store.names())) == files
    assert sqlite_publishing.read() == (1, 1)


def test_a_file_whose_removal_was_killed_can_be_published_again(
    sqlite_world: World, sqlite_publishing: Publishing
) -> None:
    """The file goes before its note: what is noted and not there is put anew."""
    store = sqlite_world.workspace.framework.plugins.blob_stores["disk"]
    [name, *_] = store.names()
    content = store.get(name)
    store.delete(name)  # as a server that is killed at blobs.after_delete

    server = sqlite_world.start()
    sqlite_publishing.change()
    sqlite_publishing.ask(server)
    assert sqlite_publishing.end(server)["status"] == "succeeded"
    sqlite_publishing.changes -= 2
    sqlite_publishing.change()
    sqlite_publishing.ask(server)
    assert sqlite_publishing.end(server)["status"] == "succeeded"

    assert store.get(name) == content
    assert sqlite_publishing.read() == (3, 1)

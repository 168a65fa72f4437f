"""A release that is killed anywhere leaves a manifest that can be read, old or new."""

import time
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPException

import pytest

from locframework.testing.client import Client

LANGUAGES = ["de", "fr", "ar"]
MODULES = 8
KEYS = 240
RANDOM = "random"
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

    def __init__(self, world):
        self.world = world
        workspace = world.workspace
        self.owner = workspace.owner
        self.public = Client(workspace.app)
        self.project = workspace.project(languages=LANGUAGES)
        self.path = f"/projects/{self.project['id']}"
        self.changes = 0
        self.seen = {}  # version to release id
        self.change()
        body = {"name": "Web", "format": "json-nested", "splitByModule": True}
        made = self.owner.post(f"{self.path}/distributions", json=body)
        self.distribution = made.data["distribution"]
        self.one = f"{self.path}/distributions/{self.distribution['id']}"
        begun = time.monotonic()
        workspace.run_jobs()
        self.seconds = time.monotonic() - begun  # that a release takes, about

    def change(self):
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

    def ask(self, server):
        """Ask a server that may die of it for a release."""
        client = self.world.owner(server)
        with suppress(OSError, HTTPException):
            assert client.post(f"{self.one}/releases", {}).status == 202

    def read(self):
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

    def look_at_versions(self):
        """No version ever stands for another release than it did."""
        found = self.owner.get(f"{self.one}/releases", query={"limit": 200})
        for release in found.data["items"]:
            known = self.seen.setdefault(release["version"], release["id"])
            assert known == release["id"]

    def end(self, server):
        """The newest job, once it has ended on this server."""
        [newest, *_] = self.owner.get(f"{self.path}/jobs").data["items"]
        client = self.world.owner(server)
        return client.end_of_job(f"{self.path}/jobs/{newest['id']}")

    def _change_in(self, file):
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
def publishing(sqlite_world):
    return Publishing(sqlite_world)


@pytest.mark.kill
def test_a_release_killed_in_its_job_is_the_old_one_or_the_new_one(world, is_long):
    publishing = Publishing(world)
    places = IN_THE_JOB * (20 if is_long else 1)
    version, change = publishing.read()
    while places:
        group, places = places[:KILLS_OF_A_JOB], places[KILLS_OF_A_JOB:]
        publishing.change()
        server = world.start(group[0])
        publishing.ask(server)
        for place, then in zip(group, [*group[1:], ""], strict=True):
            server.die(place, publishing.seconds)
            found = publishing.read()
            assert found == (version, change) or place == RANDOM
            assert found in ((version, change), (version + 1, change + 1))
            world.check_database()
            server = world.start(then if found[0] == version else "")
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


@pytest.mark.kill
@pytest.mark.parametrize("place", AFTER_THE_END)
def test_a_release_killed_after_its_end_is_published_once(publishing, place):
    publishing.change()
    server = publishing.world.start(place)
    publishing.ask(server)
    server.die(place)

    assert publishing.read() == (2, 2)
    again = publishing.world.start()
    assert again.stop() == 0

    assert publishing.read() == (2, 2)
    types = [event.type for event in publishing.world.events(publishing.project)]
    assert types.count("distribution.published") == 2


@pytest.mark.kill
def test_a_release_that_kills_every_server_frees_the_way(publishing):
    publishing.change()
    place = "release.before_commit"
    server = publishing.world.start(place)
    publishing.ask(server)
    for _ in range(KILLS_OF_A_JOB):
        server.die(place)
        server = publishing.world.start(place)
    server.die(place)

    server = publishing.world.start(place)
    job = publishing.end(server)
    assert (job["status"], job["error"]["code"]) == ("failed", "internal_error")
    assert publishing.read() == (1, 1)
    server.stop()
    healthy = publishing.world.start()
    publishing.ask(healthy)

    assert publishing.end(healthy)["result"] == {"version": 3, "unchanged": False}
    assert publishing.read() == (3, 2)
    releases = publishing.owner.get(f"{publishing.one}/releases").data["items"]
    assert [(each["version"], each["status"]) for each in releases] == [
        (3, "ready"),
        (2, "failed"),
        (1, "ready"),
    ]


@pytest.mark.kill
def test_files_of_releases_that_never_were_are_not_kept_for_ever(publishing):
    publishing.change()
    place = "release.after_blobs"
    server = publishing.world.start(place)
    publishing.ask(server)
    server.die(place)
    framework = publishing.world.workspace.framework
    store = framework.plugins.blob_stores["disk"]
    files = MODULES * (1 + len(LANGUAGES))
    assert len(set(store.names())) == 2 * files
    path = f"{publishing.path}/jobs"
    [newest, *_] = publishing.owner.get(path).data["items"]
    assert publishing.owner.post(f"{path}/{newest['id']}/cancel").status == 200
    publishing.world.workspace.run_jobs()
    server = publishing.world.start()
    assert publishing.end(server)["status"] == "cancelled"

    with publishing.world.later(days=2) as later:
        while later.blobs.prune():
            pass

    assert len(set(store.names())) == files
    assert publishing.read() == (1, 1)


def test_a_file_whose_removal_was_killed_can_be_published_again(publishing):
    """The file goes before its note: what is noted and not there is put anew."""
    store = publishing.world.workspace.framework.plugins.blob_stores["disk"]
    [name, *_] = store.names()
    content = store.get(name)
    store.delete(name)  # as a server that is killed at blobs.after_delete

    server = publishing.world.start()
    publishing.change()
    publishing.ask(server)
    assert publishing.end(server)["status"] == "succeeded"
    publishing.changes -= 2
    publishing.change()
    publishing.ask(server)
    assert publishing.end(server)["status"] == "succeeded"

    assert store.get(name) == content
    assert publishing.read() == (3, 1)

"""The manifest can be read while releases are published, with all that it names."""

import threading
from hashlib import sha256

import pytest

pytestmark = pytest.mark.kill

READERS = 4
MODULES = 6
LANGUAGES = ["de", "fr"]


class Reader(threading.Thread):
    """Reads the manifest and every file of it, over and over."""

    def __init__(self, server, key):
        super().__init__()
        self._client = server.client()
        self._manifest = f"/content/{key}/manifest.json"
        self._etags = {}
        self.reads = 0
        self.unchanged = 0
        self.versions = []
        self.faults = []
        self.is_done = threading.Event()
        self.start()

    def run(self):
        was_done = False
        while not was_done:  # once more when nothing is published any longer
            was_done = self.is_done.is_set()
            try:
                self._read()
            except (AssertionError, OSError) as fault:
                self.faults.append(repr(fault))
                return

    def _read(self):
        """One manifest and what it names; and the same manifest again."""
        manifest = self._client.get(self._manifest)
        assert manifest.status == 200, manifest
        self.reads += 1
        body, etag = manifest.json, manifest.headers["ETag"] or ""
        version = body["release"]["version"]
        assert manifest.headers["X-Service-Release"] == str(version)
        assert not self.versions or version >= self.versions[-1]
        assert self._etags.setdefault(version, etag) == etag
        self.versions.append(version)
        shown = {self._text_of(file) for file in body["files"]}
        assert len(body["files"]) == MODULES * (1 + len(LANGUAGES))
        assert len(shown) == 1, f"release {version} shows {shown}"
        again = self._client.get(self._manifest, headers={"If-None-Match": etag})
        assert again.status in (200, 304)
        self.unchanged += again.status == 304

    def _text_of(self, file):
        answer = self._client.get(file["url"])
        assert answer.status == 200, (file, answer)
        self.reads += 1
        digest = f"sha256:{sha256(answer.content).hexdigest()}"
        assert (file["contentHash"], file["byteSize"]) == (digest, len(answer.content))
        assert answer.headers["Content-Type"] == file["contentType"]
        [module] = answer.json.values()
        [text] = set(module.values())
        return str(text)


def test_every_file_of_every_manifest_is_there_while_releases_are_published(
    world, is_long
):
    server = world.start(threads=6)
    owner = world.owner(server)
    project = world.workspace.project(languages=LANGUAGES)
    path = f"/projects/{project['id']}"

    def change(number):
        keys = [
            {
                "key": f"module{module}.text",
                "values": dict.fromkeys(["en", *LANGUAGES], f"change {number}"),
            }
            for module in range(MODULES)
        ]
        body = {"keys": keys, "onExisting": "update"}
        assert owner.post(f"{path}/keys/bulk", body).status == 200

    change(0)
    body = {"name": "Web", "format": "json-nested", "splitByModule": True}
    made = owner.post(f"{path}/distributions", body).data["distribution"]
    one = f"{path}/distributions/{made['id']}"
    [job] = owner.get(f"{path}/jobs").data["items"]
    owner.end_of_job(f"{path}/jobs/{job['id']}")
    readers = [Reader(server, made["publicKey"]) for _ in range(READERS)]
    publishes = 100 if is_long else 10
    for number in range(1, publishes + 1):
        change(number)
        accepted = owner.post(f"{one}/releases", {})
        assert accepted.status == 202, accepted
        assert owner.job(accepted)["status"] == "succeeded"
        if number % 10 == 0:
            version = number  # one that was ready some releases ago
            rolled_back = owner.post(f"{one}/rollback", {"version": version // 2})
            assert rolled_back.status == 200, rolled_back
    for reader in readers:
        reader.is_done.set()
        reader.join()

    assert [reader.faults for reader in readers] == [[]] * READERS
    last = publishes + publishes // 10 + 1
    assert {reader.versions[-1] for reader in readers} == {last}
    reads = sum(reader.reads for reader in readers)
    assert reads > (10_000 if is_long else 250)
    assert sum(reader.unchanged for reader in readers) > 0

"""A release of ten languages, and the next one after a single change."""

import json
from pathlib import Path

import pytest
import stock
from measuring import Stopwatch, in_turns, rounds


class Distribution:
    """One that is released over and over."""

    def __init__(self, shop, project):
        self._shop = shop
        self._owner = shop.workspace.owner
        self._path = f"/projects/{project['id']}"
        body = {"name": "Web", "format": "json-nested"}
        made = self._owner.post(f"{self._path}/distributions", json=body)
        self.id = made.data["distribution"]["id"]
        self.key = made.data["distribution"]["publicKey"]
        self._first = True

    def release(self):
        """Seconds of a release, from the request to the end of its job."""
        path = f"{self._path}/distributions/{self.id}/releases"
        watch = Stopwatch()
        with watch:
            if not self._first:  # the first one waits since the distribution was made
                assert self._owner.post(path, json={}).status == 202
            self._shop.workspace.run_jobs()
        self._first = False
        return watch.seconds

    def manifest(self):
        return self._owner.get(f"/content/{self.key}/manifest.json").json

    def change(self, key_id, text):
        path = f"{self._path}/keys/{key_id}/values/de"
        assert self._owner.put(path, json={"value": text}).status == 200

    def delete(self):
        self._owner.delete(f"{self._path}/distributions/{self.id}")


def files_in(folder):
    """When each file was written, in nanoseconds."""
    return {
        str(file): file.stat().st_mtime_ns
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_release(shop, size, table):
    if size > 100_000:
        pytest.skip("the goal speaks of 100k keys")
    project = shop.filled(size, stock.TEN)
    trees = {code: stock.nested(stock.texts(size, code)) for code in stock.TEN}
    made = []
    # Each round writes its files anew: the blob store forgets them before.
    blobs = shop.folder / "blobs"

    def release():
        for file in files_in(blobs):
            Path(file).unlink()
        distribution = Distribution(shop, project)
        made.append(distribution)
        return distribution.release()

    taken = in_turns(
        rounds(),
        ours=release,
        dumps=lambda: [json.dumps(tree).encode() for tree in trees.values()],
    )

    manifest = made[-1].manifest()
    assert [file["language"] for file in manifest["files"]] == sorted(stock.TEN)
    for file in manifest["files"]:
        answer = shop.workspace.owner.get(file["url"])
        assert answer.json == trees[file["language"]]
    peer = ("json.dumps of the texts", taken["dumps"])
    what = "release x 10 languages"
    table.add(what, shop.kind, size, taken["ours"], peer, ms_most=20_000)
    second_release(shop, size, made[-1], table, peer)
    for distribution in made:
        distribution.delete()


def second_release(shop, size, distribution, table, peer):
    """After one change: one file is written, the others are not touched."""
    project = shop.filled(size, stock.TEN)
    name = stock.key_name(size // 2)
    [key] = shop.storage.keys.find_keys(project["id"], names=[name]).values()
    blobs = shop.folder / "blobs"
    before = files_in(blobs)
    distribution.change(key.id, "changed")

    took = distribution.release() * 1000

    after = files_in(blobs)
    written = [file for file, at in after.items() if before.get(file) != at]
    assert len(written) == 1
    assert distribution.manifest()["release"]["version"] == 2
    distribution.change(key.id, stock.text(size // 2, "de"))
    table.add("release after one change", shop.kind, size, took, peer)

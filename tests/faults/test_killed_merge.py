"""A merge or an undo that is killed anywhere happens completely or not at all."""

import json
from contextlib import suppress
from http.client import HTTPException
from itertools import pairwise

import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.kill

LOST = (OSError, HTTPException)
KEYS = 120
IMPORTED_KEYS = 1_200  # 500 are read at once
SPRING = {"branch": "spring"}


class Merging:
    """A project, and a branch that writes, makes, renames and deletes keys of it."""

    crash_points = (
        "revert.after_batch",
        "revert.after_batch#3",
        "revert.before_commit",
    )

    def __init__(self, world):
        self.world = world
        self.owner = world.workspace.owner
        self.project = world.workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self.create([f"k{n:03}" for n in range(KEYS)], "alt")
        self.owner.post(f"{self.path}/branches", json={"name": "spring"})
        self.create([f"new{n:03}" for n in range(KEYS)], "neu", **SPRING)
        ids = {key["key"]: key["id"] for key in self.keys(**SPRING).values()}
        items = [
            {"keyId": ids[f"k{n:03}"], "languageCode": "de", "value": f"neu {n}"}
            for n in range(KEYS // 2)
        ]
        self.owner.put(f"{self.path}/values", json={"items": items}, query=SPRING)
        for name, body in (("k100", {"key": "renamed"}), ("k101", {"tags": ["t"]})):
            self.owner.patch(f"{self.path}/keys/{ids[name]}", json=body, query=SPRING)
        for n in range(102, 110):
            self.owner.delete(f"{self.path}/keys/{ids[f'k{n:03}']}", query=SPRING)

    def create(self, names, text, **query):
        keys = [{"key": name, "values": {"en": name, "de": text}} for name in names]
        path = f"{self.path}/keys/bulk"
        done = self.owner.post(path, json={"keys": keys}, query=query).data["results"]
        assert {each["outcome"] for each in done} == {"created"}

    def keys(self, **query):
        """Every key by id, as it is read on main or on a branch, times apart."""
        found = {}
        for page in range(1, 4):
            asked = {"include": "values", "limit": 200, "page": page, **query}
            for key in self.owner.get(f"{self.path}/keys", query=asked).data["items"]:
                compared = ("id", "key", "tags", "values")
                found[key["id"]] = {name: key[name] for name in compared}
        return found

    def everything(self):
        """All that a merge may change: keys, counts, events, the branch, its diff."""
        branch = self.owner.get(f"{self.path}/branches/spring").data["branch"]
        diff = self.owner.get(f"{self.path}/branches/spring/diff")
        events = [(each.type, len(each.items)) for each in self.events()]
        count = self.owner.get(self.path).data["project"]["keyCount"]
        return self.keys(), branch, diff.content, events, count

    def events(self):
        return self.world.events(self.project)

    def merge(self, server):
        path = f"{self.path}/branches/spring/merge"
        return self.world.owner(server).post(path, {})

    def merge_killed_at(self, place):
        server = self.world.start(place)
        with pytest.raises(LOST):
            self.merge(server)
        server.die(place)
        self.world.check_database()

    # what is undone

    state = keys

    def change(self):
        """Merge; return the state before, and the request that undoes the merge."""
        before = self.state()
        answer = self.owner.post(f"{self.path}/branches/spring/merge", json={})
        assert answer.status == 200, answer
        return before, {"mergeOf": "spring"}


class Importing:
    """A project with two imports; the undo of the second."""

    crash_points = (
        "revert.after_batch#2",
        "keys.before_events",
        "revert.before_commit",
        "job.before_commit",
    )

    def __init__(self, world):
        self.world = world
        self.project = world.workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"

    def _run_import(self, text):
        names = [f"page{n % 7}.text{n}" for n in range(IMPORTED_KEYS)]
        content = json.dumps({name: f"{text} {name}" for name in names}).encode()
        form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
        files = {"file": Upload("de.json", content, "application/json")}
        owner = self.world.workspace.owner
        answer = owner.post(f"{self.path}/import", form=form, files=files)
        job = self.world.workspace.job_of(answer)
        assert job["status"] == "succeeded", job
        return str(job["id"])

    def state(self):
        return self.world.texts(self.project)

    def change(self):
        self._run_import("eins")
        return self.state(), {"jobId": self._run_import("zwei")}


BEFORE_THE_COMMIT = [
    "keys.before_events",
    "keys.after_events",
    "merging.after_keys",
    "merging.before_commit",
]


def test_merge_killed_before_its_commit_changes_nothing_and_can_be_repeated(world):
    merging = Merging(world)
    before, there = merging.everything(), merging.keys(**SPRING)

    for place in BEFORE_THE_COMMIT:
        merging.merge_killed_at(place)
        assert merging.everything() == before

    again = merging.merge(world.start())
    assert again.status == 200, again
    assert merging.keys() == there


def test_merge_killed_after_its_commit_is_there_and_is_not_repeated(world):
    merging = Merging(world)
    there = merging.keys(**SPRING)

    merging.merge_killed_at("merging.after_commit")

    assert merging.keys() == there
    [merged] = [e for e in merging.events() if e.type == "branch.merged"]
    assert merged.items[0]["name"] == "spring"
    events = len(merging.events())
    again = merging.merge(world.start())
    assert (again.status, again.data["branch"]["status"]) == (200, "merged")
    assert again.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert len(merging.events()) == events


KINDS = pytest.mark.parametrize("kind", [Importing, Merging])


def undo(world, server, path, request):
    """Request the undo; the server may end before it responds."""
    with suppress(*LOST):
        world.owner(server).post(f"{path}/activity/revert", request)


@KINDS
def test_undo_killed_before_its_commit_is_repeated_with_the_same_result(world, kind):
    changing = kind(world)
    before, request = changing.change()
    after, events = changing.state(), len(world.events(changing.project))
    assert after != before

    server = world.start(kind.crash_points[0])
    undo(world, server, changing.path, request)
    for point, next_point in pairwise([*kind.crash_points, ""]):
        server.die(point)
        assert changing.state() == after
        assert len(world.events(changing.project)) == events
        world.check_database()
        server = world.start(next_point)
    newest = world.workspace.owner.get(f"{changing.path}/jobs").data["items"][0]
    job = world.owner(server).end_of_job(f"{changing.path}/jobs/{newest['id']}")

    assert (job["type"], job["status"]) == ("revert", "succeeded")
    assert job["result"]["skipped"] == []
    assert changing.state() == before
    assert server.stop() == 0


@KINDS
@pytest.mark.parametrize("point", ["job.after_commit", "revert.after_commit"])
def test_undo_killed_after_its_commit_is_not_repeated(world, kind, point):
    changing = kind(world)
    before, request = changing.change()
    server = world.start(point)

    undo(world, server, changing.path, request)
    server.die(point)

    assert changing.state() == before
    events = len(world.events(changing.project))
    assert world.start().stop() == 0
    assert changing.state() == before
    assert len(world.events(changing.project)) == events
    world.check_database()

"""A merge that is killed anywhere has happened or not: main is never between."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

import pytest

World = Any  # tests/faults/conftest.py

LOST = (OSError, HTTPException)
KEYS = 120
BEFORE_THE_COMMIT = [
    "keys.before_events",
    "keys.after_events",
    "merging.after_keys",
    "merging.before_commit",
]
SPRING = {"branch": "spring"}


class Merging:
    """A project, and a branch that writes, makes, renames and deletes keys of it."""

    def __init__(self, world: World) -> None:
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

    def create(self, names: list[str], text: str, **query: str) -> None:
        keys = [{"key": name, "values": {"en": name, "de": text}} for name in names]
        path = f"{self.path}/keys/bulk"
        done = self.owner.post(path, json={"keys": keys}, query=query).data["results"]
        assert {each["outcome"] for each in done} == {"created"}

    def keys(self, **query: str) -> dict[str, dict[str, Any]]:
        """Every key by id, as it is read on main or on a branch, times apart."""
        found: dict[str, dict[str, Any]] = {}
        for page in range(1, 4):
            asked = {"include": "values", "limit": 200, "page": page, **query}
            items = self.owner.get(f"{self.path}/keys", query=asked).data["items"]
            for key in items:
                told = ("id", "key", "tags", "values")
                found[key["id"]] = {name: key[name] for name in told}
        return found

    def state(self) -> object:
        """All that a merge may change: keys, counts, events, the branch, its diff."""
        branch = self.owner.get(f"{self.path}/branches/spring").data["branch"]
        diff = self.owner.get(f"{self.path}/branches/spring/diff")
        events = [(event.type, len(event.items)) for event in self.events()]
        count = self.owner.get(self.path).data["project"]["keyCount"]
        return self.keys(), branch, diff.content, events, count

    def events(self) -> list[Any]:
        found: list[Any] = self.world.events(self.project)
        return found

    def merge(self, server: Any) -> Any:
        path = f"{self.path}/branches/spring/merge"
        return self.world.owner(server).post(path, {})


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT)
def test_a_merge_killed_before_its_commit_changes_nothing_and_can_be_done_again(
    world: World, place: str
) -> None:
    merging = Merging(world)
    before, there = merging.state(), merging.keys(**SPRING)
    server = world.start(place)

    with pytest.raises(LOST):
        merging.merge(server)
    assert server.wait() == 137

    assert merging.state() == before
    world.check_database()
    again = merging.merge(world.start())
    assert again.status == 200, again
    assert merging.keys() == there


def test_a_merge_killed_after_its_commit_is_there_and_is_not_done_twice(
    world: World,
) -> None:
    merging = Merging(world)
    there = merging.keys(**SPRING)
    server = world.start("merging.after_commit")

    with pytest.raises(LOST):
        merging.merge(server)
    assert server.wait() == 137

    assert merging.keys() == there
    [merged] = [e for e in merging.events() if e.type == "branch.merged"]
    assert merged.items[0]["name"] == "spring"
    told = len(merging.events())
    again = merging.merge(world.start())
    assert (again.status, again.data["branch"]["status"]) == (200, "merged")
    assert again.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert len(merging.events()) == told
    world.check_database()

"""A branch with changes of every kind, for tests that kill its merge or undo."""

from __future__ import annotations

from typing import Any

World = Any  # tests/faults/conftest.py

KEYS = 120
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

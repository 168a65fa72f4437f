"""What was acknowledged is there after a kill; the rest is there as a whole or not."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from http.client import HTTPException
from itertools import count
from typing import Any

import pytest

World = Any  # tests/faults/conftest.py

LOST = (OSError, HTTPException)
LANGUAGES = ["de", "ar"]
VALUES = {"en": "Pay", "de": "Zahlen", "ar": "ادفع"}
BEFORE_THE_COMMIT = ["keys.before_events", "keys.after_events", "keys.before_commit"]
BATCH = 200
CLIENTS = 3
ENOUGH = 20  # acknowledged keys that kills at random have to leave alone
SECONDS_MOST_TO_LIVE = 0.25


def project_of(world: World) -> dict[str, Any]:
    made: dict[str, Any] = world.workspace.project(languages=LANGUAGES)
    return made


def keys_of(world: World, project: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Every key and its texts, in as many statements as there are pages."""
    found: dict[str, dict[str, str]] = {}
    path = f"/projects/{project['id']}/keys"
    for page in count(1):
        query = {"include": "values", "limit": 200, "page": page}
        items = world.workspace.owner.get(path, query=query).data["items"]
        for item in items:
            values = {each["languageCode"]: each["value"] for each in item["values"]}
            found[item["key"]] = values
        if len(items) < 200:
            return found
    raise AssertionError


def told_of(world: World, project: dict[str, Any]) -> dict[str, set[str]]:
    """Event types to the keys that they name."""
    told: dict[str, set[str]] = {}
    for event in world.events(project):
        for item in event.items:
            if "key" in item:
                told.setdefault(event.type, set()).add(item["key"])
    return told


def times_told(world: World, project: dict[str, Any], type_: str) -> int:
    """How many items the events of a type have, keys that come twice counted twice."""
    return sum(len(e.items) for e in world.events(project) if e.type == type_)


def lengths(world: World, project: dict[str, Any]) -> tuple[int, int]:
    """How many keys the counters tell of."""
    found = world.workspace.owner.get(f"/projects/{project['id']}").data["project"]
    return found["keyCount"], world.key_count(project)


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT)
def test_a_key_killed_before_its_commit_is_not_there(world: World, place: str) -> None:
    project = project_of(world)
    path = f"/projects/{project['id']}/keys"
    server = world.start(place)

    with pytest.raises(LOST):
        world.owner(server).post(path, {"key": "a", "values": VALUES})
    assert server.wait() == 137

    assert keys_of(world, project) == {}
    assert told_of(world, project) == {}
    assert lengths(world, project) == (0, 0)
    world.check_database()
    again = world.owner(world.start())
    assert again.post(path, {"key": "a", "values": VALUES}).status == 201


def test_a_key_killed_after_its_commit_is_there_with_values_and_event(
    world: World,
) -> None:
    project = project_of(world)
    path = f"/projects/{project['id']}/keys"
    server = world.start("keys.after_commit")

    with pytest.raises(LOST):
        world.owner(server).post(path, {"key": "a", "values": VALUES})
    assert server.wait() == 137

    assert keys_of(world, project) == {"a": VALUES}
    told = told_of(world, project)
    assert told == {"key.created": {"a"}, "translation.updated": {"a"}}
    assert lengths(world, project) == (1, 1)
    again = world.owner(world.start())
    assert again.post(path, {"key": "a"}).status == 409


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_key_sent_again_after_a_kill_is_made_once(world: World, place: str) -> None:
    """What the client cannot know: whether the commit came before the kill."""
    project = project_of(world)
    path = f"/projects/{project['id']}/keys"
    body = {"key": "a", "values": VALUES}
    headers = {"Idempotency-Key": "once"}
    server = world.start(f"idempotency.{place}_commit")
    with pytest.raises(LOST):
        world.owner(server).post(path, body, headers=headers)
    assert server.wait() == 137
    made = world.key_count(project)

    again = world.owner(world.start()).post(path, body, headers=headers)

    assert made == (1 if place == "after" else 0)
    assert again.status == 201
    replayed = again.headers["Idempotency-Replayed"] == "true"
    assert replayed == (place == "after")
    assert keys_of(world, project) == {"a": VALUES}


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT)
def test_a_batch_killed_before_its_commit_changes_nothing(
    world: World, place: str
) -> None:
    project = project_of(world)
    path = f"/projects/{project['id']}"
    names = [f"k{number}" for number in range(BATCH)]
    keys = [{"key": name, "values": {"de": "alt"}} for name in names]
    server = world.start()
    world.owner(server).post(f"{path}/keys/bulk", {"keys": keys})
    server.stop()
    before, told = keys_of(world, project), told_of(world, project)
    writes = [
        ("POST", "/keys/bulk", {"keys": [{"key": f"new.{n}"} for n in names]}),
        (
            "PUT",
            "/values",
            {
                "items": [
                    {"key": name, "languageCode": "de", "value": "neu"}
                    for name in names
                ]
            },
        ),
    ]

    for method, below, body in writes:
        server = world.start(place)
        with pytest.raises(LOST):
            world.owner(server).request(method, path + below, json_body=body)
        assert server.wait() == 137
        assert keys_of(world, project) == before
        assert told_of(world, project) == told
        assert lengths(world, project) == (BATCH, BATCH)
        world.check_database()


def test_batches_killed_after_their_commit_are_there_whole_and_told(
    world: World,
) -> None:
    project = project_of(world)
    path = f"/projects/{project['id']}"
    names = [f"k{number}" for number in range(BATCH)]
    keys = [{"key": name, "values": VALUES} for name in names]
    items = [
        {"key": name, "languageCode": "de", "value": f"neu {name}"} for name in names
    ]
    made = dict.fromkeys(names, VALUES)
    written = {name: {**VALUES, "de": f"neu {name}"} for name in names}
    tellings = BATCH * len(VALUES)  # of translation.updated

    for method, below, body, there in (
        ("POST", "/keys/bulk", {"keys": keys}, made),
        ("PUT", "/values", {"items": items}, written),
    ):
        server = world.start("keys.after_commit")
        with pytest.raises(LOST):
            world.owner(server).request(method, path + below, json_body=body)
        assert server.wait() == 137
        assert keys_of(world, project) == there
        told = told_of(world, project)
        assert told["key.created"] == told["translation.updated"] == set(names)
        assert times_told(world, project, "translation.updated") == tellings
        assert lengths(world, project) == (BATCH, BATCH)
        world.check_database()
        tellings += BATCH


class Writer(threading.Thread):
    """Writes keys, values and batches until the server is gone; notes each 2xx."""

    def __init__(self, world: World, server: Any, path: str, name: str) -> None:
        super().__init__(name=name)
        self._client = world.owner(server)
        self._path = path
        self.keys: dict[str, dict[str, str]] = {}  # as acknowledged
        self.batches: list[list[str]] = []  # as sent
        self.rewritten: list[str] = []  # as acknowledged
        self.faults: list[Any] = []
        self.start()

    def run(self) -> None:
        steps = self._one, self._value, self._batch, self._values
        for number in count():
            step = steps[number % len(steps)]
            try:
                step(f"{self.name}.{number}")
            except LOST:
                return
            except AssertionError as fault:
                self.faults.append(fault)
                return

    def _one(self, name: str) -> None:
        answer = self._client.post(
            f"{self._path}/keys", {"key": name, "values": VALUES}
        )
        assert answer.status == 201, answer
        self._id = answer.data["key"]["id"]
        self._last = name
        self.keys[name] = dict(VALUES)

    def _value(self, name: str) -> None:
        path = f"{self._path}/keys/{self._id}/values/de"
        # whether it is acknowledged or not: from now on either may be there
        self.keys[self._last]["de"] = ""
        assert self._client.put(path, {"value": name}).status == 200
        self.keys[self._last]["de"] = name

    def _batch(self, name: str) -> None:
        names = [f"{name}.{number}" for number in range(10)]
        self.batches.append(names)
        keys = [{"key": each, "values": VALUES} for each in names]
        answer = self._client.post(f"{self._path}/keys/bulk", {"keys": keys})
        assert answer.status == 200, answer
        self.keys |= {each: dict(VALUES) for each in names}

    def _values(self, name: str) -> None:
        """One German text for the whole of the last batch."""
        names = self.batches[-1]
        for each in names:
            self.keys[each]["de"] = ""  # as in _value
        items = [{"key": each, "languageCode": "de", "value": name} for each in names]
        answer = self._client.put(f"{self._path}/values", {"items": items})
        assert answer.status == 200, answer
        for each in names:
            self.keys[each]["de"] = name
        self.rewritten += names


@pytest.mark.kill
def test_acknowledged_writes_survive_kills_at_random(
    world: World, is_long: bool
) -> None:
    project = project_of(world)
    path = f"/projects/{project['id']}"
    acknowledged: dict[str, dict[str, str]] = {}
    batches: list[list[str]] = []
    rewritten: list[str] = []
    kills = 200 if is_long else 20
    for kill in count():
        if kill >= kills and len(acknowledged) > ENOUGH and rewritten:
            break
        assert kill < 10 * kills
        server = world.start()
        writers = [
            Writer(world, server, path, f"w{kill}-{number}")
            for number in range(CLIENTS)
        ]
        # a busy machine needs longer lives for as many answers
        most = SECONDS_MOST_TO_LIVE * max(1, kill / kills)
        time.sleep(random.uniform(0.005, most))
        server.kill()
        for writer in writers:
            writer.join()
            assert writer.faults == []
            acknowledged |= writer.keys
            batches += writer.batches
            rewritten += writer.rewritten

    stored, told = keys_of(world, project), told_of(world, project)
    world.check_database()
    assert len(acknowledged) > ENOUGH
    for name, values in acknowledged.items():
        assert name in stored
        for code, text in values.items():
            assert stored[name][code] == text or not text
    for name, values in stored.items():  # acknowledged or not: nothing by halves
        assert list(values) == ["en", "de", "ar"]
        assert name in told["key.created"]
        assert name in told["translation.updated"]
    for names in batches:
        there = [stored[name]["de"] for name in names if name in stored]
        assert len(there) in (0, len(names))
        assert len(set(there)) <= 1  # all of them were written anew, or none
    assert set(told["key.created"]) == set(stored)
    assert lengths(world, project) == (len(stored), len(stored))


def test_a_server_that_was_killed_serves_at_once_again(world: World) -> None:
    project = project_of(world)
    with suppress(*LOST):
        server = world.start("keys.before_commit")
        world.owner(server).post(f"/projects/{project['id']}/keys", {"key": "a"})
    begun = time.monotonic()

    client = world.owner(world.start())
    answer = client.post(f"/projects/{project['id']}/keys", {"key": "a"})

    assert answer.status == 201
    assert time.monotonic() - begun < 5

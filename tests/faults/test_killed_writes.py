"""What was acknowledged is there after a kill; the rest is there as a whole or not."""

import random
import threading
import time
from collections import Counter
from http.client import HTTPException
from itertools import count

import pytest

pytestmark = pytest.mark.kill

LOST = (OSError, HTTPException)
VALUES = {"en": "Pay", "de": "Zahlen", "ar": "ادفع"}
BEFORE_THE_COMMIT = ["keys.before_events", "keys.after_events", "keys.before_commit"]
BATCH = 200
CLIENTS = 3
ENOUGH = 20  # acknowledged keys that kills at random have to leave alone
SECONDS_MOST_TO_LIVE = 0.25


class Project:
    """A project as it is read from outside, and writes that a kill cuts off."""

    def __init__(self, world):
        self.world = world
        self.project = world.workspace.project(languages=["de", "ar"])
        self.path = f"/projects/{self.project['id']}"

    def keys(self):
        """Every key and its texts."""
        found = {}
        for page in count(1):
            query = {"include": "values", "limit": 200, "page": page}
            answer = self.world.workspace.owner.get(f"{self.path}/keys", query=query)
            for item in answer.data["items"]:
                values = {one["languageCode"]: one["value"] for one in item["values"]}
                found[item["key"]] = values
            if len(answer.data["items"]) < 200:
                return found
        raise AssertionError

    def named(self):
        """Event types to the keys that their items name, and how often."""
        found = {}
        for event in self.world.events(self.project):
            for item in event.items:
                if "key" in item:
                    found.setdefault(event.type, Counter())[item["key"]] += 1
        return found

    def key_counts(self):
        """How many keys the project and its list of keys say there are."""
        found = self.world.workspace.owner.get(self.path).data["project"]
        return found["keyCount"], self.world.key_count(self.project)

    def killed(self, place, write, **how):
        """Send a write to a server that dies at the place."""
        method, below, body = write
        server = self.world.start(place)
        with pytest.raises(LOST):
            self.world.owner(server).request(
                method, self.path + below, json_body=body, **how
            )
        server.die(place)
        self.world.check_database()


@pytest.fixture
def project(world):
    return Project(world)


ONE = ("POST", "/keys", {"key": "k0", "values": VALUES})
NAMES = [f"k{number}" for number in range(BATCH)]
BULK = (
    "POST",
    "/keys/bulk",
    {"keys": [{"key": name, "values": VALUES} for name in NAMES]},
)
REWRITE = (
    "PUT",
    "/values",
    {"items": [{"key": n, "languageCode": "de", "value": f"neu {n}"} for n in NAMES]},
)


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT)
def test_writes_killed_before_their_commit_change_nothing(project, place):
    for write in (ONE, BULK):
        project.killed(place, write)
        assert (project.keys(), project.named()) == ({}, {})
        assert project.key_counts() == (0, 0)
    server = project.world.start()
    method, below, body = BULK
    project.world.owner(server).request(method, project.path + below, json_body=body)
    server.stop()
    before = project.keys(), project.named()

    project.killed(place, REWRITE)

    assert (project.keys(), project.named()) == before
    assert project.key_counts() == (BATCH, BATCH)


def test_writes_killed_after_their_commit_are_there_whole_with_their_events(project):
    once = Counter(NAMES)
    updates = Counter({name: len(VALUES) for name in NAMES})

    project.killed("keys.after_commit", BULK)

    assert project.keys() == dict.fromkeys(NAMES, VALUES)
    assert project.named() == {"key.created": once, "translation.updated": updates}
    project.killed("keys.after_commit", REWRITE)
    assert project.keys() == {name: {**VALUES, "de": f"neu {name}"} for name in NAMES}
    assert project.named() == {
        "key.created": once,
        "translation.updated": updates + once,
    }
    assert project.key_counts() == (BATCH, BATCH)
    again = project.world.owner(project.world.start())
    assert again.post(f"{project.path}/keys", {"key": "k0"}).status == 409


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_key_sent_again_after_a_kill_is_made_once(project, place):
    """What the client cannot know: whether the commit came before the kill."""
    headers = {"Idempotency-Key": "once"}
    project.killed(f"idempotency.{place}_commit", ONE, headers=headers)
    made = project.world.key_count(project.project)

    begun = time.monotonic()
    client = project.world.owner(project.world.start())
    again = client.post(f"{project.path}/keys", ONE[2], headers=headers)

    assert time.monotonic() - begun < 5
    assert made == (1 if place == "after" else 0)
    assert again.status == 201
    replayed = again.headers["Idempotency-Replayed"] == "true"
    assert replayed == (place == "after")
    assert project.keys() == {"k0": VALUES}


class Writer(threading.Thread):
    """Writes keys, values and batches until the server is gone; notes each 2xx."""

    def __init__(self, world, server, path, name):
        super().__init__(name=name)
        self._client = world.owner(server)
        self._path = path
        self.keys = {}  # as acknowledged
        self.batches = []  # as sent
        self.rewritten = []  # as acknowledged
        self.faults = []
        self.start()

    def run(self):
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

    def _one(self, name):
        answer = self._client.post(
            f"{self._path}/keys", {"key": name, "values": VALUES}
        )
        assert answer.status == 201, answer
        self._id = answer.data["key"]["id"]
        self._last = name
        self.keys[name] = dict(VALUES)

    def _value(self, name):
        path = f"{self._path}/keys/{self._id}/values/de"
        # whether it is acknowledged or not: from now on either may be there
        self.keys[self._last]["de"] = ""
        assert self._client.put(path, {"value": name}).status == 200
        self.keys[self._last]["de"] = name

    def _batch(self, name):
        names = [f"{name}.{number}" for number in range(10)]
        self.batches.append(names)
        keys = [{"key": each, "values": VALUES} for each in names]
        answer = self._client.post(f"{self._path}/keys/bulk", {"keys": keys})
        assert answer.status == 200, answer
        self.keys |= {each: dict(VALUES) for each in names}

    def _values(self, name):
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
def test_acknowledged_writes_survive_kills_at_random(project, is_long):
    world, path = project.world, project.path
    acknowledged = {}
    batches = []
    rewritten = []
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

    stored, named = project.keys(), project.named()
    world.check_database()
    assert len(acknowledged) > ENOUGH
    for name, values in acknowledged.items():
        assert name in stored
        for code, text in values.items():
            assert stored[name][code] == text or not text
    for name, values in stored.items():  # acknowledged or not: nothing by halves
        assert list(values) == ["en", "de", "ar"]
        assert name in named["key.created"]
        assert name in named["translation.updated"]
    for names in batches:
        there = [stored[name]["de"] for name in names if name in stored]
        assert len(there) in (0, len(names))
        assert len(set(there)) <= 1  # all of them were written anew, or none
    assert set(named["key.created"]) == set(stored)
    assert project.key_counts() == (len(stored), len(stored))

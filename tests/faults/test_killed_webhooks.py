"""Every committed event reaches its receiver, or has failed: also when we are killed.

A total-queue check: what was committed is what was received and what has failed, and
nothing else. Three processes share the database and are killed at random, with writes
and deliveries under way, over real TLS.
"""

import json
import random
import threading
import time
from collections import Counter
from http.client import HTTPException
from itertools import count

import pytest

from locframework.testing.contracts.storage_jobs import lease_owners
from locframework.testing.receiver import answering, open_receiver
from locframework.testing.workspace import WEBHOOK_KEY
from locframework.webhooks.rules import PER_WEBHOOK_LIMIT

LOST = (OSError, HTTPException)
PROCESSES = 3
LANGUAGES = [
    *("ar", "bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "ga", "he", "hi"),
    *("hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "nb", "nl", "pl", "pt"),
]
ATTEMPTS = 6


@pytest.fixture
def receiver(tmp_path):
    folder = tmp_path / "receiver"
    folder.mkdir()
    with open_receiver(folder, answering(204)) as receiver:
        yield receiver


class Hooked:
    """A project, a webhook that is answered, and one where nobody listens."""

    def __init__(self, world, receiver):
        self.world, self.receiver = world, receiver
        self.project = world.workspace.project()
        self.path = f"/projects/{self.project['id']}"
        server = self.start()
        owner = world.owner(server)
        self.webhook = self._create(owner, receiver.url(), "key.created")
        self.dead = self._create(owner, "https://127.0.0.1:1/", "language.added")
        server.stop()

    def start(self, crash_at=""):
        """A server that sends webhooks, also to loopback."""
        plugins = {
            "peewee": {"database": self.world.url},
            "disk": {"folder": str(self.world.blobs)},
            "https": {
                "allowed_networks": ["127.0.0.0/8"],
                "allowed_ports": [self.receiver.port, 1],
                "ca_file": self.receiver.ca_file,
            },
        }
        webhooks = {"secret_key": WEBHOOK_KEY}
        settings = {"plugins": plugins, "webhooks": webhooks}
        return self.world.start(crash_at, settings=settings)

    def write(self, many):
        """Make keys while no server runs."""
        for number in range(many):
            self.world.workspace.key(self.project, f"key{number}")

    def _create(self, owner, url, event_type):
        body = {"url": url, "eventTypes": [event_type]}
        made = owner.post(f"{self.path}/webhooks", body)
        assert made.status == 201, made
        return made.data["webhook"]["id"]

    def log(self, webhook):
        """All deliveries of a webhook."""
        found = []
        for page in count(1):
            answer = self.world.workspace.owner.get(
                f"{self.path}/webhooks/{webhook}/deliveries",
                query={"limit": 200, "page": page},
            )
            found += answer.data["items"]
            if len(found) == answer.data["total"]:
                return found
        raise AssertionError

    def pending(self):
        """How many deliveries to the webhook that is answered have not ended."""
        path = f"{self.path}/webhooks/{self.webhook}/deliveries"
        query = {"limit": 1, "status": "pending"}
        return self.world.workspace.owner.get(path, query=query).data["total"]

    def committed(self, event_type):
        """The items of all events of the type."""
        events = self.world.events(self.project)
        return [
            item for event in events if event.type == event_type for item in event.items
        ]

    def check(self, kills):
        """What went in came out, and nothing else did; return the log."""
        self.start()  # what the dead ones held is due at once
        self.world.wait_until(lambda: not self.pending())
        arrived, log = Arrived(self.receiver), self.log(self.webhook)
        keys = {item["key"] for item in self.committed("key.created")}
        assert keys == set(arrived.ids)
        assert all(len(ids) == 1 for ids in arrived.ids.values())
        assert arrived.times.total() - len(arrived.times) <= kills * PER_WEBHOOK_LIMIT
        assert {each["id"] for each in log} == set(arrived.times)
        assert {each["status"] for each in log} == {"succeeded"}
        for each in log:
            assert arrived.times[each["id"]] <= len(each["attempts"])
            numbers = [attempt["number"] for attempt in each["attempts"]]
            assert numbers == list(range(1, len(numbers) + 1))
        self.world.check_database()
        return log


class Writer(threading.Thread):
    """Makes keys until it is stopped or the server is gone; notes each 201."""

    def __init__(self, client, path, name):
        super().__init__(name=name)
        self._client, self._path = client, path
        self._stopping = threading.Event()
        self.made = []
        self.start()

    def run(self):
        for number in count():
            name = f"{self.name}_{number}"
            try:
                answer = self._client.post(f"{self._path}/keys", {"key": name})
            except LOST:
                return
            if answer.status == 201:
                self.made.append(name)
            if self._stopping.is_set():
                return

    def stop(self):
        """After the request that is under way."""
        self._stopping.set()
        self.join()


class Arrived:
    """What the receiver got: of each key the ids that named it, and how often."""

    def __init__(self, receiver):
        self.times = Counter()  # by webhook-id
        self.ids = {}  # by key
        for received in receiver.received:
            webhook_id = received.header("webhook-id") or ""
            self.times[webhook_id] += 1
            for item in json.loads(received.body)["data"]["items"]:
                self.ids.setdefault(item["key"], set()).add(webhook_id)


@pytest.fixture
def hooked(world, receiver):
    return Hooked(world, receiver)


@pytest.mark.kill
def test_every_committed_event_arrives_or_has_failed_though_we_are_killed(
    hooked, is_long
):
    kills, changes = (30, 5000) if is_long else (3, 30)
    made, killed = written_while_killed(hooked, kills, changes)

    hooked.check(killed)

    assert len(made) >= changes
    assert set(made) <= {item["key"] for item in hooked.committed("key.created")}
    for turn in range(1, ATTEMPTS + 1):  # the hours of all retries
        with hooked.world.later(hours=6 * turn) as framework:
            framework.dispatcher.run_until_idle()
    dead = hooked.log(hooked.dead)
    assert len(dead) == len(hooked.committed("language.added")) > 0
    assert {each["status"] for each in dead} == {"failed"}
    assert {len(each["attempts"]) for each in dead} == {ATTEMPTS}


@pytest.mark.kill
@pytest.mark.parametrize("place", ["webhooks.after_claim", "webhooks.after_send"])
def test_what_a_killed_process_had_claimed_is_sent_by_the_next(hooked, place):
    hooked.write(12)

    hooked.start(f"{place}#3").die(place)

    attempts = [each["attempts"] for each in hooked.check(kills=1)]
    interrupted = [each for each in attempts if each[0]["statusCode"] is None]
    assert interrupted
    assert all(each[-1]["statusCode"] == 204 for each in interrupted)


def test_a_server_that_is_told_to_stop_leaves_nothing_half_done(hooked):
    server = hooked.start()
    hooked.write(30)
    hooked.world.wait_until(lambda: len(hooked.receiver.received) >= 5)

    assert server.stop() == 0

    assert lease_owners(hooked.world.workspace.framework.storage) == set()
    hooked.check(kills=0)


def written_while_killed(hooked, kills, changes):
    """Write to three processes and kill one after the other; names made, and kills.

    They are all dead at the end.
    """
    made = []
    servers = [hooked.start() for _ in range(PROCESSES)]
    for turn in range(kills):
        writers = [
            Writer(hooked.world.owner(server), hooked.path, f"t{turn}-{at}")
            for at, server in enumerate(servers)
        ]
        body = {"languageCode": LANGUAGES[turn % len(LANGUAGES)]}
        hooked.world.workspace.owner.post(f"{hooked.path}/languages", json=body)
        hooked.world.wait_until(
            lambda writers=writers: (
                sum(len(each.made) for each in writers) >= changes / kills
            )
        )
        time.sleep(random.uniform(0, 0.3))
        victim = turn % PROCESSES
        servers[victim].kill()
        for writer in writers:
            writer.stop()
            made += writer.made
        servers[victim] = hooked.start()
    for server in servers:
        server.kill()
    return made, kills + PROCESSES

"""Deliveries of processes that are killed are made by others: none is lost or new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from locframework import OPERATOR, Framework, Settings
from locframework.keys.records import NewKey
from locframework.testing.receiver import NETWORK, Receiver, open_receiver
from locframework.testing.workspace import WEBHOOK_KEY
from locframework.webhooks.records import DeliveryQuery, NewWebhook

World = Any  # tests/faults/conftest.py

SENDERS = 8
ENDPOINTS = 2
SECONDS_MOST = 900.0


class Queue:
    """A project with webhooks, processes that send, and all that was received."""

    def __init__(self, world: World, receiver: Receiver) -> None:
        self.world = world
        self.receiver = receiver
        self.settings = {
            "plugins": {
                "peewee": {"database": world.url},
                "disk": {"folder": str(world.blobs)},
                "https": {
                    "allowed_networks": [NETWORK],
                    "allowed_ports": [receiver.port],
                    "ca_file": receiver.ca_file,
                },
            },
            "webhooks": {"secret_key": WEBHOOK_KEY, "senders": SENDERS},
        }
        self.framework = world.workspace.framework
        self.project = world.workspace.project()
        with Framework(Settings.of(self.settings)) as reaching:
            self.webhooks = [
                reaching.webhooks.create_webhook(
                    OPERATOR,
                    self.project["id"],
                    NewWebhook(receiver.url(f"/{number}"), ["key.created"]),
                )[0]
                for number in range(ENDPOINTS)
            ]

    def start(self, crash_at: str = "") -> Any:
        return self.world.start(crash_at, settings=self.settings)

    def change(self, number: int) -> str:
        new = NewKey(f"key{number}")
        return self.framework.keys.create_key(OPERATOR, self.project["id"], new).id

    def wait_until_sent(self) -> None:
        store = self.framework.storage.webhooks
        self.world.wait_until(lambda: store.queue_depth().pending == 0, SECONDS_MOST)

    def ids(self) -> list[str]:
        """The webhook-id of each request that came."""
        return [str(each.header("webhook-id")) for each in self.receiver.received]

    def deliveries(self) -> Iterator[Any]:
        deliveries = self.framework.deliveries
        for webhook in self.webhooks:
            page, total = 1, 1
            while (page - 1) * 200 < total:
                query = DeliveryQuery(page=page, limit=200)
                found = deliveries.list_deliveries(
                    OPERATOR, self.project["id"], webhook.id, query
                )
                yield from found.items
                page, total = page + 1, found.total

    def check(self, changes: int, kills: int) -> None:
        """The total-queue check: what went in came out, and nothing else did."""
        received = Counter(self.ids())
        bodies = {
            (each.header("webhook-id"), each.body) for each in self.receiver.received
        }
        made = list(self.deliveries())

        assert len(made) == changes * ENDPOINTS
        assert set(received) <= {each.id for each in made}
        for each in made:
            if each.status == "succeeded":
                assert received[each.id] >= 1
            else:
                assert (each.status, len(each.attempts)) == ("failed", 6)
            numbers = [attempt.number for attempt in each.attempts]
            assert numbers == list(range(1, len(numbers) + 1))
        assert len(bodies) == len(received)
        assert received.total() - len(received) <= kills * SENDERS
        keys = {body for _, body in bodies}
        assert len(keys) >= changes - sum(each.status == "failed" for each in made)
        self.world.check_database()


@pytest.fixture
def queue(world: World, tmp_path: Path) -> Iterator[Queue]:
    folder = tmp_path / "receiver"
    folder.mkdir()
    with open_receiver(folder) as receiver:
        yield Queue(world, receiver)


@pytest.mark.parametrize("place", ["webhooks.after_claim", "webhooks.after_send"])
def test_what_a_killed_process_had_claimed_is_sent_by_the_next(
    queue: Queue, place: str
) -> None:
    for number in range(12):
        queue.change(number)

    assert queue.start(f"{place}#3").wait() == 137
    queue.start()
    queue.wait_until_sent()

    queue.check(12, kills=1)
    interrupted = [
        each for each in queue.deliveries() if each.attempts[0].status_code is None
    ]
    assert interrupted
    assert all(each.attempts[-1].status_code == 204 for each in interrupted)


def test_a_server_that_is_told_to_stop_leaves_nothing_half_done(queue: Queue) -> None:
    server = queue.start()
    for number in range(30):
        queue.change(number)
    queue.world.wait_until(lambda: len(queue.receiver.received) >= 5)

    assert server.stop() == 0

    assert queue.framework.storage.lease_owners() == set()
    queue.start()
    queue.wait_until_sent()
    queue.check(30, kills=0)

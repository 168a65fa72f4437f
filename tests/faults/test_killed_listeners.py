"""A durable listener sees every committed event, also when processes are killed."""

import json
import random
import time
from collections import Counter
from contextlib import suppress

import pytest

from locframework.listeners import EVENTS_AT_ONCE

from .test_killed_webhooks import LOST, Writer

PROCESSES = 3


class Recorded:
    """A project, servers with a durable listener, and the file that it writes."""

    def __init__(self, world, folder):
        self.world, self.file = world, folder / "recorded"
        self.project = world.workspace.project()
        self.path = f"/projects/{self.project['id']}"
        self.start().stop()  # from now on events wait for the listener

    def start(self, crash_at="", seconds=0.0):
        return self.world.start(crash_at, recorder=[str(self.file), seconds])

    def write(self, many):
        """Make keys in a process without the plugin."""
        for number in range(many):
            self.world.workspace.key(self.project, f"key{number}")

    def lines(self, what="done"):
        """The ids of events at which calls began, or which were done, in order."""
        if not self.file.exists():
            return []
        lines = map(json.loads, self.file.read_text().splitlines())
        return [id_ for kind, id_, _ in lines if kind == what]

    def waiting(self):
        [state] = self.world.workspace.framework.storage.listeners.states()
        return state.waiting

    def check(self, kills):
        """Every committed event was handed over, in order, and few of them twice."""
        self.start()
        self.world.wait_until(lambda: not self.waiting())
        committed = [event.id for event in self.world.events(self.project)][::-1]
        handed = [id_ for id_ in self.lines() if id_ in {*committed}]
        assert {*committed} == {*handed}
        assert [*dict.fromkeys(handed)] == committed
        repeated = len(handed) - len(committed)
        assert repeated <= kills * EVENTS_AT_ONCE
        self.world.check_database()
        return Counter(self.lines("begun"))


@pytest.fixture
def recorded(world, tmp_path):
    return Recorded(world, tmp_path)


@pytest.mark.kill
@pytest.mark.parametrize("place", ["keys.after_commit", "listeners.before_call"])
def test_an_event_is_seen_though_we_are_killed_between_commit_and_call(recorded, place):
    server = recorded.start(place)
    client = recorded.world.owner(server)
    with suppress(*LOST):
        client.post(f"{recorded.path}/keys", {"key": "first"})
    server.die(place)
    before = recorded.lines("begun")

    recorded.check(kills=1)

    assert before == []
    assert [event.type for event in recorded.world.events(recorded.project)] == [
        "key.created"
    ]


@pytest.mark.kill
def test_an_event_is_seen_again_if_we_are_killed_while_the_listener_runs(recorded):
    recorded.write(5)
    server = recorded.start(seconds=3600)
    recorded.world.wait_until(lambda: recorded.lines("begun"))
    [first] = recorded.lines("begun")
    server.kill()

    begun = recorded.check(kills=1)

    assert recorded.lines("begun")[:2] == [first, first]
    assert begun[first] == 2


@pytest.mark.kill
def test_what_was_handed_over_and_not_noted_is_handed_over_again(recorded):
    recorded.write(12)
    recorded.start("listeners.after_call#3").die("listeners.after_call")

    begun = recorded.check(kills=1)

    assert sorted(begun.values()) == [1] * 9 + [2] * 3


@pytest.mark.kill
def test_none_is_missed_by_processes_that_are_killed_while_others_write(
    recorded, is_long
):
    kills, changes = (30, 3000) if is_long else (3, 40)
    servers = [recorded.start() for _ in range(PROCESSES)]
    made = []
    for turn in range(kills):
        writers = [
            Writer(recorded.world.owner(server), recorded.path, f"t{turn}-{at}")
            for at, server in enumerate(servers)
        ]
        recorded.world.wait_until(
            lambda writers=writers: (
                sum(len(each.made) for each in writers) >= changes / kills
            )
        )
        time.sleep(random.uniform(0, 0.3))
        servers[turn % PROCESSES].kill()
        for writer in writers:
            writer.stop()
            made += writer.made
        servers[turn % PROCESSES] = recorded.start()
    for server in servers:
        server.kill()

    recorded.check(kills + PROCESSES)

    assert len(recorded.world.events(recorded.project)) >= len(made) >= changes


def test_a_server_that_is_told_to_stop_repeats_nothing(recorded):
    recorded.write(20)
    server = recorded.start(seconds=0.05)
    recorded.world.wait_until(lambda: len(recorded.lines()) >= 3)

    assert server.stop() == 0

    begun = recorded.check(kills=0)
    assert {*begun.values()} == {1}

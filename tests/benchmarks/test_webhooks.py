"""Webhooks over TLS to a receiver on loopback: how many, how soon, and past a dead one.

The receiver is a process of its own, and shares the CPUs with us.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stock
from locframework_webhooks_https import HttpsPlugin, HttpsSettings

from locframework.fields import system_clock, timestamp
from locframework.testing.workspace import open_workspace
from locframework.webhooks.records import NewDelivery
from tests.empty_databases import KINDS, fresh_url

RECEIVING = Path(__file__).with_name("receiving.py")
DELIVERIES = 1000
SAMPLES = 50
PENDING = 10_000
SECONDS_MOST = 120.0


class Receiving:
    """The process of receiving.py."""

    def __init__(self, folder):
        self._process = subprocess.Popen(
            [sys.executable, str(RECEIVING), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port, self.silent_port, self.ca_file = self._hear()

    def came(self):
        """Key to the moment of the first byte, of what came since the last call."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return dict(self._hear())

    def wait_for(self, many):
        """So many of them."""
        found = {}
        deadline = time.monotonic() + SECONDS_MOST
        while len(found) < many:
            assert time.monotonic() < deadline, f"only {len(found)} came"
            time.sleep(0.02)
            found |= self.came()
        return found

    def end(self):
        self._process.communicate(timeout=SECONDS_MOST)

    def _hear(self):
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


class Hooked:
    """A project with a webhook to the receiver, and one to a port that hangs."""

    def __init__(self, workspace, kind, receiving):
        self.framework = workspace.framework
        self.workspace, self.kind, self.receiving = workspace, kind, receiving
        self.project = workspace.project()
        self._create(receiving.port, "key.created")
        self.silent = self._create(receiving.silent_port, "branch.created")
        self._committed = {}
        self.framework.events.listen_after(self._note)

    def write(self, name):
        self.workspace.key(self.project, name)

    def waits(self, prefix):
        """Milliseconds from commit to first byte, of one write after the other."""
        found = []
        for number in range(SAMPLES):
            name = f"{prefix}{number}"
            self.write(name)
            [at] = self.receiving.wait_for(1).values()
            found.append((at - self._committed[name]) * 1000)
        return found

    def pile_up(self):
        """Let many wait for the one that hangs."""
        now = timestamp(system_clock())
        with self.workspace.framework.storage.transaction():
            self.framework.storage.webhooks.add_deliveries(
                [
                    NewDelivery(
                        id=f"msg_{number:032x}",
                        webhook_id=self.silent,
                        project_id=self.project["id"],
                        event_type="branch.created",
                        payload='{"type":"branch.created"}',
                        created_at=now,
                    )
                    for number in range(PENDING)
                ]
            )
        self.framework.dispatcher.wake()

    def _create(self, port, event_type):
        path = f"/projects/{self.project['id']}/webhooks"
        body = {"url": f"https://127.0.0.1:{port}/", "eventTypes": [event_type]}
        return self.workspace.owner.post(path, json=body).data["webhook"]["id"]

    def _note(self, event):
        for item in event.items:
            self._committed[str(item.get("key"))] = time.monotonic()


@pytest.fixture(params=KINDS)
def hooked(request, tmp_path):
    stock.lift_rate_limits()
    receiving = Receiving(tmp_path)
    ports = (receiving.port, receiving.silent_port)
    plugin = HttpsPlugin(HttpsSettings(("127.0.0.0/8",), ports, receiving.ca_file))
    with (
        fresh_url(request.param, tmp_path) as url,
        open_workspace(
            url, tmp_path, plugins=[plugin], blocked_plugins=["https"]
        ) as workspace,
    ):
        yield Hooked(workspace, request.param, receiving)
        workspace.framework.dispatcher.stop()
    receiving.end()


def test_webhooks(hooked, table):
    """Goals: 200 a second, half of them within 200 ms, a dead one adds under 1 s."""
    for number in range(DELIVERIES):
        hooked.write(f"pile{number}")
    begun = time.perf_counter()
    hooked.framework.dispatcher.start()
    hooked.receiving.wait_for(DELIVERIES)
    each = (time.perf_counter() - begun) / DELIVERIES * 1000

    alone = hooked.waits("alone")
    hooked.pile_up()
    time.sleep(1)
    beside = hooked.waits("beside")

    add, kind = table.add, hooked.kind
    add("webhooks, each of many", kind, DELIVERIES, each, ms_most=1000 / 200)
    median = statistics.median(alone)
    add("webhooks, commit to first byte", kind, SAMPLES, median, ms_most=200)
    added = max(beside) - median
    add("webhooks, worst beside a dead one", kind, PENDING, added, ms_most=1000)

"""SIGTERM in traffic: what is running ends, what is not done is left to the next."""

import json
import signal
import threading
import time
from http.client import HTTPException
from itertools import count

import pytest

from locframework.http.records import Upload

pytestmark = pytest.mark.kill

CLIENTS = 4
STOP_SECONDS = 10  # what running requests, and then running jobs, are given
KEYS = 3_000


class Client(threading.Thread):
    """Writes one key after the other, until the server says that it closes."""

    def __init__(self, http, path, name):
        super().__init__()
        self._http, self._path, self._name = http, path, name
        self.acknowledged = []
        self.fault = None
        self.start()

    def run(self):
        for number in count():
            name = f"{self._name}.{number}"
            try:
                answer = self._http.post(f"{self._path}/keys", {"key": name})
            except (OSError, HTTPException) as fault:
                self.fault = fault
                return
            if answer.status != 201:
                self.fault = answer
                return
            self.acknowledged.append(name)
            if answer.headers["Connection"] == "close":
                return


def test_running_requests_are_answered_and_written(world):
    project = world.workspace.project()
    path = f"/projects/{project['id']}"
    server = world.start()
    clients = [
        Client(server.client(world.token), path, f"c{number}")
        for number in range(CLIENTS)
    ]
    time.sleep(0.3)
    begun = time.monotonic()

    code = server.stop()

    took = time.monotonic() - begun
    for client in clients:
        client.join()
    assert code == 0
    assert took < STOP_SECONDS
    assert [client.fault for client in clients] == [None] * len(clients)
    assert all(client.acknowledged for client in clients)
    acknowledged = [name for client in clients for name in client.acknowledged]
    stored = world.workspace.framework.storage.keys.names_of(project["id"])
    assert sorted(acknowledged) == sorted(stored)


def upload(client, path, keys):
    texts = {f"key{number}": f"Text {number}" for number in range(keys)}
    file = Upload("en.json", json.dumps(texts).encode(), "application/json")
    accepted = client.post(f"{path}/import", files={"file": file})
    assert accepted.status == 202, accepted
    return accepted


def job_of(world, project):
    """The only job, as it is kept."""
    path = f"/projects/{project['id']}/jobs"
    [job] = world.workspace.owner.get(path).data["items"]
    return world.workspace.framework.storage.jobs.find(project["id"], job["id"])


def test_a_job_that_runs_is_waited_for(world):
    project = world.workspace.project()
    server = world.start()
    upload(world.owner(server), f"/projects/{project['id']}", KEYS)

    assert server.stop() == 0

    job = job_of(world, project)
    assert job.job.status in ("succeeded", "queued")  # queued: not begun by then
    assert job.owner is None
    assert world.key_count(project) in (0, KEYS)
    next_one = world.owner(world.start())
    path = f"/projects/{project['id']}/jobs/{job.job.id}"
    assert next_one.end_of_job(path)["status"] == "succeeded"
    assert world.key_count(project) == KEYS


HANGS = ["job.after_claim", "import.before_commit"]


@pytest.mark.parametrize("place", HANGS)
def test_a_job_that_hangs_is_left_to_the_next_start(world, is_long, place):
    """The first signal asks and waits; the second one does not."""
    project = world.workspace.project()
    path = f"/projects/{project['id']}"
    server = world.start(hang_at=place)
    upload(world.owner(server), path, 1_100)
    time.sleep(0.5)

    if is_long:
        begun = time.monotonic()
        assert server.stop() == 0
        assert STOP_SECONDS <= time.monotonic() - begun < 2 * STOP_SECONDS + 5
    else:
        server.ask_to_stop()
        time.sleep(0.2)
        assert server.stop() == 128 + signal.SIGTERM
    assert world.key_count(project) == 0
    begun = time.monotonic()
    next_one = world.owner(world.start())
    job = next_one.end_of_job(f"{path}/jobs/{job_of(world, project).job.id}")

    assert job["status"] == "succeeded"
    assert time.monotonic() - begun < STOP_SECONDS
    assert world.key_count(project) == 1_100

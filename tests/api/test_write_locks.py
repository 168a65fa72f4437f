"""What one organization writes keeps no other from writing, whatever its texts hold."""

import json
import threading
import time
from contextlib import contextmanager
from itertools import count

import pytest

from locframework.exchange import import_job
from locframework.fields import new_id
from locframework.http.records import Upload
from locframework.quality.check import Checks
from locframework.testing.contracts.checks import SLOW

HELD_MOST = 1.0  # seconds
KEYS, LENGTH = 3, 4000
KINDS = (
    *("words", "pairs", "opening braces", "placeholders", "percent", "tags"),
    *("grouped", "marks", "round brackets", "ideographs"),
)


class WatchedLock:
    """SQLite's write lock: how long each thread has held it."""

    def __init__(self, lock):
        self._lock, self.seconds = lock, []

    def acquire(self, *, timeout):
        has_it = self._lock.acquire(timeout=timeout)
        self._begun = time.monotonic()
        return has_it

    def release(self):
        self.seconds.append(time.monotonic() - self._begun)
        self._lock.release()


@contextmanager
def another_writer(workspace):
    """The statuses that a member of another organization gets meanwhile."""
    _, other = workspace.organization(f"Others {new_id()}")
    project = workspace.project(owner=other)
    made = other.post(f"/projects/{project['id']}/keys", json={"key": "a"})
    path = f"/projects/{project['id']}/keys/{made.data['key']['id']}/values/en"
    statuses, is_over = [], threading.Event()

    def write():
        for number in count():
            statuses.append(other.put(path, json={"value": f"{number}"}).status)
            if is_over.wait(0.01):
                break

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield statuses
    finally:
        is_over.set()
        writer.join()


class Writes:
    """A project, and what writes a text to all its keys."""

    def __init__(self, workspace, text):
        self.workspace, self.owner, self.text = workspace, workspace.owner, text
        self.project = workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self.names = [f"key{number}" for number in range(KEYS)]

    def put(self, text="", **query):
        items = [
            {"key": name, "languageCode": "de", "value": text or self.text}
            for name in self.names
        ]
        done = self.owner.put(f"{self.path}/values", json={"items": items}, query=query)
        assert done.status == 200, done

    def bulk(self, **headers):
        values = {"en": self.text, "de": self.text}
        keys = [{"key": f"{name}.new", "values": values} for name in self.names]
        path, body = f"{self.path}/keys/bulk", {"keys": keys}
        done = self.owner.post(path, json=body, headers=headers)
        assert done.status == 200, done

    def bulk_once(self):
        self.bulk(**{"Idempotency-Key": "once"})

    def create_once(self):
        for name in self.names:
            body = {"key": f"{name}.new", "values": {"en": self.text}}
            headers = {"Idempotency-Key": name}
            done = self.owner.post(f"{self.path}/keys", json=body, headers=headers)
            assert done.status == 201, done

    def update_once(self):
        self.owner.post(f"{self.path}/branches", json={"name": "b"})
        self.put("short", branch="b")
        items = [
            {"key": name, "languageCode": "en", "value": self.text}
            for name in self.names
        ]
        self.owner.put(f"{self.path}/values", json={"items": items})
        path, headers = f"{self.path}/branches/b/update", {"Idempotency-Key": "u"}
        assert self.owner.post(path, json={}, headers=headers).status == 200

    def importing(self):
        content = json.dumps(dict.fromkeys(self.names, self.text)).encode()
        file = Upload("de.json", content, "application/json")
        form = {"format": "json-flat", "onConflict": "overwrite"}
        path = f"{self.path}/import"
        self.end(self.owner.post(path, files={"file": file}, form=form))

    def merge(self, **headers):
        self.owner.post(f"{self.path}/branches", json={"name": "b"})
        self.put(branch="b")
        path = f"{self.path}/branches/b/merge"
        done = self.owner.post(path, json={}, headers=headers)
        assert sum(done.data["applied"].values()) == KEYS, done

    def merge_once(self):
        self.merge(**{"Idempotency-Key": "once"})

    def undo(self):
        self.put()
        self.put("short")
        path = f"{self.path}/activity"
        at = self.owner.get(path, query={"limit": 1}).data["items"][0]["createdAt"]
        self.end(self.owner.post(f"{path}/revert", json={"since": at}))

    def end(self, accepted):
        job = self.workspace.job_of(accepted)
        assert job["status"] == "succeeded", job


WRITES = (
    *("put", "bulk", "importing", "merge", "undo"),
    *("bulk_once", "create_once", "update_once", "merge_once"),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WRITES)
def test_texts_are_checked_before_the_lock_is_held_and_others_write_meanwhile(
    sqlite_workspace, monkeypatch, name, kind
):
    monkeypatch.setattr(import_job, "CHARACTERS_A_STEP", LENGTH // 2)
    database = sqlite_workspace.framework.storage.database
    text = SLOW[kind][:LENGTH].strip()
    writes = Writes(sqlite_workspace, text)
    keys = [{"key": key, "values": {"en": f"x{text}"}} for key in writes.names]
    made = writes.owner.post(f"{writes.path}/keys/bulk", json={"keys": keys})
    assert {each["outcome"] for each in made.data["results"]} == {"created"}
    lock = database.engine.write_lock = WatchedLock(database.engine.write_lock)
    checked, findings = [], Checks.findings

    def finding(self, subject, names=None):
        session = database._sessions.here.session
        checked.append(bool(session.depth and session.mode == "write"))
        return findings(self, subject, names)

    monkeypatch.setattr(Checks, "findings", finding)

    with another_writer(sqlite_workspace) as statuses:
        getattr(writes, name)()

    assert {*statuses} == {200}
    assert max(lock.seconds) < HELD_MOST
    assert not any(checked)
    assert len(checked) >= KEYS

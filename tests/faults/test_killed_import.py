"""An import that is killed anywhere comes to the same end, whole steps at a time."""

import json
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException

import pytest

from locframework.file_import import imports
from locframework.http.records import Upload

LEASE_SECONDS = 30  # what a restart must not wait for
FEW, SOME, MANY = 1_100, 2_500, 10_000  # keys; a batch is 1,000, a step 2,000
RANDOM = "random"

IN_THE_JOB = [
    "job.before_step",
    "import.after_step",
    "import.after_batch",
    "import.after_keys",
    "job.after_claim",
    "import.after_batch#2",
    RANDOM,
    "import.after_keys",
    "import.before_commit",
    RANDOM,
    "job.before_commit",
    RANDOM,
]
AFTER_THE_END = ["job.after_commit", "import.after_commit"]
BEFORE_THE_JOB = ["blobs.after_note", "blobs.after_put", "import.before_job"]
KILLS_OF_A_JOB = 4  # it is begun five times at most


class Importing:
    """A project that gets one file after the other, and a model without kills."""

    def __init__(self, world, size):
        self.world, self.size = world, size
        self.project = world.workspace.project(languages=["de"], name="Killed")
        self.model = world.workspace.project(languages=["de"], name="Never killed")
        self.version = 0
        self.seconds = 0.5  # how long the job takes, about
        self.result = {}
        self.between = []  # what it is after each step
        self.old = self.new = world.texts(self.model)

    def next_file(self):
        """Another file; what comes of it is tried out on the model."""
        self.version += 1
        self.between = []
        begun = time.monotonic()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(imports, "crash_point", self._look)
            job = self.world.workspace.job_of(
                self.world.workspace.owner.post(
                    self._path(self.model), **self._upload()
                )
            )
        self.seconds = time.monotonic() - begun
        assert job["status"] == "succeeded", job
        self.result = job["result"]
        self.old, self.new = self.new, self.world.texts(self.model)

    def _look(self, place):
        if place == "import.after_step":
            self.between.append(self.world.texts(self.model))

    def send(self, server):
        """Upload the file; False when the server died before it answered."""
        with suppress(OSError, HTTPException):
            client = self.world.owner(server)
            return client.post(self._path(self.project), **self._upload()).status == 202
        return False

    def texts(self):
        return self.world.texts(self.project)

    def jobs(self):
        path = f"/projects/{self.project['id']}/jobs"
        return self.world.workspace.owner.get(path).data["items"]

    def end(self, server):
        """The newest job, once it has ended on this server."""
        path = f"/projects/{self.project['id']}/jobs/{self.jobs()[0]['id']}"
        return self.world.owner(server).end_of_job(path)

    def event_types(self, project):
        counted = Counter()
        for event in self.world.events(project):
            counted[event.type] += len(event.items)
        return counted

    def _path(self, project):
        return f"/projects/{project['id']}/import"

    def _upload(self):
        first = self.version * 50  # some keys go and some are new
        numbers = range(first, first + self.size)
        texts = {f"page{n % 40}.text{n}": self._text(n) for n in numbers}
        file = Upload("en.json", json.dumps(texts).encode(), "application/json")
        options = {"mode": "replace", "onConflict": "overwrite", "tags": "t"}
        return {"files": {"file": file}, "form": options | {"languageCode": "en"}}

    def _text(self, number):
        return f"Text {number} der Fassung {self.version}"


def in_groups(places, many):
    for start in range(0, len(places), many):
        yield places[start : start + many]


@pytest.mark.kill
def test_an_import_killed_in_its_job_comes_to_the_same_end(world, is_long):
    importing = Importing(world, MANY if is_long else SOME)
    places = IN_THE_JOB * (25 if is_long else 1)
    for group in in_groups(places, KILLS_OF_A_JOB):
        importing.next_file()
        server = world.start(group[0])
        assert importing.send(server) or server.wait()
        for place, then in zip(group, [*group[1:], ""], strict=True):
            server.die(place, importing.seconds)
            job = importing.jobs()[0]
            on_the_way = [importing.old, *importing.between]
            is_done = job["status"] == "succeeded"
            assert importing.texts() in ([importing.new] if is_done else on_the_way)
            world.check_database()
            if job["status"] == "succeeded":  # it was quicker than the random kill
                assert place == RANDOM
                server = world.start()
                break
            server = world.start(then)

        begun = time.monotonic()
        job = importing.end(server)
        assert time.monotonic() - begun < LEASE_SECONDS - 5
        assert (job["status"], job["result"]) == ("succeeded", importing.result)
        assert importing.texts() == importing.new
        assert server.stop() == 0

    models = importing.event_types(importing.model)
    assert importing.event_types(importing.project) == models


@pytest.mark.kill
@pytest.mark.parametrize("place", [*AFTER_THE_END, "import.after_job"])
def test_an_import_killed_at_its_end_is_not_done_again(sqlite_world, place):
    importing = Importing(sqlite_world, FEW)
    importing.next_file()
    server = sqlite_world.start(place)

    importing.send(server)
    server.die(place)
    again = sqlite_world.start()

    if place in AFTER_THE_END:
        [job] = importing.jobs()
        assert job["finishedAt"] is not None
    ended = importing.end(again)
    assert (ended["status"], ended["result"]) == ("succeeded", importing.result)
    assert importing.texts() == importing.new
    assert len(importing.jobs()) == 1
    if place in AFTER_THE_END:
        assert importing.jobs() == [job]


@pytest.mark.kill
def test_an_import_that_kills_every_server_is_given_up(world):
    importing = Importing(world, FEW)
    importing.next_file()
    place = "import.before_commit"
    server = world.start(place)
    importing.send(server)
    for _ in range(KILLS_OF_A_JOB):
        server.die(place)
        server = world.start(place)
    server.die(place)

    server = world.start(place)
    job = importing.end(server)

    assert (job["status"], job["error"]["code"]) == ("failed", "internal_error")
    assert importing.texts() == importing.old
    assert server.stop() == 0
    healthy = world.start()
    assert importing.send(healthy)
    assert importing.end(healthy)["result"] == importing.result


@pytest.mark.kill
def test_an_upload_killed_before_its_job_is_none_and_is_not_kept_for_ever(sqlite_world):
    importing = Importing(sqlite_world, FEW)
    for place in [*BEFORE_THE_JOB, "import.before_commit"]:
        importing.next_file()
        server = sqlite_world.start(place)
        is_accepted = importing.send(server)
        server.die(place)
        assert len(importing.jobs()) == is_accepted == (place not in BEFORE_THE_JOB)
    finished = sqlite_world.start()
    assert importing.end(finished)["status"] == "succeeded"
    assert importing.texts() == importing.new
    finished.stop()
    store = sqlite_world.workspace.framework.plugins.blob_stores["disk"]
    assert list(store.names())

    with sqlite_world.later(days=8) as later:
        while later.blobs.prune():
            pass

    assert list(store.names()) == []
    assert list((sqlite_world.blobs / "incoming").iterdir()) == []

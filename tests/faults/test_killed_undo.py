"""An undo that is killed anywhere happens completely or not at all."""

from __future__ import annotations

import json
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest

from locframework.http.records import Upload

from .merging import Merging

pytestmark = pytest.mark.kill
World = Any  # tests/faults/conftest.py

KEYS = 1_200  # a batch is 500


class ImportUndo:
    """A project with two imports; the undo of the second."""

    crash_points = (
        "revert.after_batch#2",
        "keys.before_events#2",
        "revert.before_commit",
        "job.before_commit",
    )

    def __init__(self, world: World) -> None:
        self.world = world
        self.project = world.workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self._run_import("eins")
        self.before = self.state()
        self.request = {"jobId": self._run_import("zwei")}

    def _run_import(self, text: str) -> str:
        names = [f"page{n % 7}.text{n}" for n in range(KEYS)]
        content = json.dumps({name: f"{text} {name}" for name in names}).encode()
        form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
        file = Upload("de.json", content, "application/json")
        owner = self.world.workspace.owner
        answer = owner.post(f"{self.path}/import", form=form, files={"file": file})
        job = self.world.workspace.job_of(answer)
        assert job["status"] == "succeeded", job
        job_id: str = job["id"]
        return job_id

    def state(self) -> Any:
        return self.world.texts(self.project)


class MergeUndo:
    """A project with a merged branch; the undo of the merge."""

    crash_points = (
        "revert.after_batch",
        "revert.after_batch#3",
        "revert.before_commit",
    )

    def __init__(self, world: World) -> None:
        self._merging = merging = Merging(world)
        self.project, self.path = merging.project, merging.path
        self.before = self.state()
        answer = merging.owner.post(f"{self.path}/branches/spring/merge", json={})
        assert answer.status == 200, answer
        self.request = {"mergeOf": "spring"}

    def state(self) -> Any:
        return self._merging.keys()


Kind = type[ImportUndo] | type[MergeUndo]
KINDS = pytest.mark.parametrize("kind", [ImportUndo, MergeUndo])


def send(world: World, server: Any, undo: ImportUndo | MergeUndo) -> None:
    """Request the undo; the server may end before it responds."""
    with suppress(OSError, HTTPException):
        world.owner(server).post(f"{undo.path}/activity/revert", undo.request)


@KINDS
def test_undo_killed_before_its_commit_is_repeated_with_the_same_result(
    world: World, kind: Kind
) -> None:
    undo = kind(world)
    after, events = undo.state(), len(world.events(undo.project))
    assert after != undo.before

    points = iter([*kind.crash_points, ""])
    server = world.start(next(points))
    send(world, server, undo)
    for point in points:
        assert server.wait() in (137, -9)
        assert undo.state() == after
        assert len(world.events(undo.project)) == events
        world.check_database()
        server = world.start(point)
    newest = world.workspace.owner.get(f"{undo.path}/jobs").data["items"][0]
    job = world.owner(server).end_of_job(f"{undo.path}/jobs/{newest['id']}")

    assert (job["type"], job["status"]) == ("revert", "succeeded")
    assert job["result"]["skipped"] == []
    assert undo.state() == undo.before
    assert server.stop() == 0


@KINDS
@pytest.mark.parametrize("point", ["job.after_commit", "revert.after_commit"])
def test_undo_killed_after_its_commit_is_not_repeated(
    world: World, kind: Kind, point: str
) -> None:
    undo = kind(world)
    server = world.start(point)

    send(world, server, undo)
    assert server.wait() in (137, -9)

    assert undo.state() == undo.before
    events = len(world.events(undo.project))
    again = world.start()
    assert again.stop() == 0
    assert undo.state() == undo.before
    assert len(world.events(undo.project)) == events
    world.check_database()

"""An undo that is killed anywhere has happened or not, and comes to the same end."""

from __future__ import annotations

import json
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest

from locframework.http.records import Upload

World = Any  # tests/faults/conftest.py

KEYS = 1_200  # a batch is 500
PLACES = [
    "revert.after_batch#2",
    "keys.before_events#2",
    "revert.before_commit",
    "job.before_commit",
]


def imported(world: World, project: dict[str, Any], text: str) -> str:
    names = [f"page{n % 7}.text{n}" for n in range(KEYS)]
    content = json.dumps({name: f"{text} {name}" for name in names}).encode()
    path = f"/projects/{project['id']}/import"
    form = {"languageCode": "de", "onConflict": "overwrite", "format": "json-flat"}
    file = Upload("de.json", content, "application/json")
    job = world.workspace.job_of(
        world.workspace.owner.post(path, form=form, files={"file": file})
    )
    assert job["status"] == "succeeded", job
    found: str = job["id"]
    return found


def test_an_undo_killed_in_its_job_comes_to_the_same_end(world: World) -> None:
    project = world.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    imported(world, project, "eins")
    old = world.texts(project)
    job_id = imported(world, project, "zwei")
    new = world.texts(project)

    places = iter([*PLACES, ""])
    server = world.start(next(places))
    with suppress(OSError, HTTPException):
        body = {"jobId": job_id}
        world.owner(server).post(f"{path}/activity/revert", body)
    for place in places:
        assert server.wait() in (137, -9)
        assert world.texts(project) == new
        world.check_database()
        server = world.start(place)
    undo = world.workspace.owner.get(f"{path}/jobs").data["items"][0]
    job = world.owner(server).end_of_job(f"{path}/jobs/{undo['id']}")

    assert (job["type"], job["status"]) == ("revert", "succeeded")
    assert (job["result"]["reverted"], job["result"]["skipped"]) == (KEYS, [])
    assert world.texts(project) == old
    assert server.stop() == 0


@pytest.mark.parametrize("place", ["job.after_commit", "revert.after_commit"])
def test_an_undo_killed_after_its_end_is_not_done_again(
    world: World, place: str
) -> None:
    project = world.workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    imported(world, project, "eins")
    old = world.texts(project)
    job_id = imported(world, project, "zwei")
    server = world.start(place)

    with suppress(OSError, HTTPException):
        body = {"jobId": job_id}
        world.owner(server).post(f"{path}/activity/revert", body)
    assert server.wait() in (137, -9)

    assert world.texts(project) == old
    events = len(world.events(project))
    again = world.start()
    assert again.stop() == 0
    assert len(world.events(project)) == events

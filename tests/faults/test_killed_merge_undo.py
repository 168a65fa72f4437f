"""An undo of a merge that is killed anywhere: main is as it became, or as it was."""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest

from .merging import Merging

World = Any  # tests/faults/conftest.py

BEFORE_THE_COMMIT = [
    "revert.after_batch",
    "revert.after_batch#3",
    "revert.before_commit",
]


def merged(world: World) -> tuple[Merging, Any]:
    """A project with a merged branch, and the keys that main had before."""
    merging = Merging(world)
    before = merging.keys()
    answer = merging.owner.post(f"{merging.path}/branches/spring/merge", json={})
    assert answer.status == 200, answer
    assert merging.keys() != before
    return merging, before


def ask(merging: Merging, server: Any) -> None:
    """Ask for the undo; the server may be gone before it has answered."""
    path = f"{merging.path}/activity/revert"
    with suppress(OSError, HTTPException):
        merging.world.owner(server).post(path, {"mergeOf": "spring"})


def undo_of(merging: Merging, client: Any) -> Any:
    """The job of the undo, at its end."""
    [job] = merging.owner.get(f"{merging.path}/jobs").data["items"]
    return client.end_of_job(f"{merging.path}/jobs/{job['id']}")


def test_an_undo_of_a_merge_killed_before_its_commit_comes_to_the_same_end(
    world: World,
) -> None:
    merging, before = merged(world)
    after = merging.state()

    places = iter([*BEFORE_THE_COMMIT, ""])
    server = world.start(next(places))
    ask(merging, server)
    for place in places:
        assert server.wait() in (137, -9)
        assert merging.state() == after
        world.check_database()
        server = world.start(place)
    job = undo_of(merging, world.owner(server))

    assert (job["type"], job["status"]) == ("revert", "succeeded")
    assert job["result"]["skipped"] == []
    assert merging.keys() == before
    assert server.stop() == 0


@pytest.mark.parametrize("place", ["job.after_commit", "revert.after_commit"])
def test_an_undo_of_a_merge_killed_after_its_commit_is_there_and_is_not_done_again(
    world: World, place: str
) -> None:
    merging, before = merged(world)
    server = world.start(place)

    ask(merging, server)
    assert server.wait() in (137, -9)

    assert merging.keys() == before
    told = len(merging.events())
    again = world.start()
    assert undo_of(merging, world.owner(again))["status"] == "succeeded"
    assert again.stop() == 0
    assert len(merging.events()) == told
    world.check_database()

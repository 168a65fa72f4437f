"""A merge that is killed anywhere has happened or not: main is never between."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

import pytest

from .merging import SPRING, Merging

pytestmark = pytest.mark.kill
World = Any  # tests/faults/conftest.py

LOST = (OSError, HTTPException)
BEFORE_THE_COMMIT = [
    "keys.before_events",
    "keys.after_events",
    "merging.after_keys",
    "merging.before_commit",
]


@pytest.mark.parametrize("place", BEFORE_THE_COMMIT)
def test_a_merge_killed_before_its_commit_changes_nothing_and_can_be_done_again(
    world: World, place: str
) -> None:
    merging = Merging(world)
    before, there = merging.state(), merging.keys(**SPRING)
    server = world.start(place)

    with pytest.raises(LOST):
        merging.merge(server)
    assert server.wait() == 137

    assert merging.state() == before
    world.check_database()
    again = merging.merge(world.start())
    assert again.status == 200, again
    assert merging.keys() == there


def test_a_merge_killed_after_its_commit_is_there_and_is_not_done_twice(
    world: World,
) -> None:
    merging = Merging(world)
    there = merging.keys(**SPRING)
    server = world.start("merging.after_commit")

    with pytest.raises(LOST):
        merging.merge(server)
    assert server.wait() == 137

    assert merging.keys() == there
    [merged] = [e for e in merging.events() if e.type == "branch.merged"]
    assert merged.items[0]["name"] == "spring"
    told = len(merging.events())
    again = merging.merge(world.start())
    assert (again.status, again.data["branch"]["status"]) == (200, "merged")
    assert again.data["applied"] == {"added": 0, "updated": 0, "deleted": 0}
    assert len(merging.events()) == told
    world.check_database()

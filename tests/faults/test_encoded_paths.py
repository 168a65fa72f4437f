"""Paths that a server decodes before we see them, through our own server."""

from __future__ import annotations

from typing import Any

World = Any  # tests/faults/conftest.py


def test_an_encoded_slash_in_the_name_of_a_branch_comes_through(world: World) -> None:
    path = f"/projects/{world.workspace.project()['id']}/branches"
    client = world.owner(world.start())
    client.post(path, {"name": "feature/x"})

    found = client.get(f"{path}/feature%2Fx")
    diff = client.get(f"{path}/feature%2Fx/diff")
    merged = client.post(f"{path}/feature%2Fx/merge", {})

    assert found.data["branch"]["name"] == "feature/x"
    assert [diff.status, merged.status] == [200, 200]
    assert merged.data["branch"]["status"] == "merged"

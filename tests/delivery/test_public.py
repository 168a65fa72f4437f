"""What the public's reading costs: bytes counted, bytes held."""

from __future__ import annotations

from typing import Any

import pytest

from locframework.delivery import public
from locframework.testing.workspace import Workspace

HELD = 20_000


@pytest.fixture
def distribution(sqlite_workspace: Workspace) -> dict[str, Any]:
    """A distribution with its first release."""
    project = sqlite_workspace.project()
    sqlite_workspace.key(project, "title", values={"en": "Shop"})
    path = f"/projects/{project['id']}/distributions"
    body = {"name": "Web", "format": "json-nested"}
    made: dict[str, Any] = sqlite_workspace.owner.post(path, json=body).data
    sqlite_workspace.run_jobs()
    found: dict[str, Any] = made["distribution"]
    return found


def test_head_counts_a_request_and_no_bytes(
    sqlite_workspace: Workspace, distribution: dict[str, Any]
) -> None:
    framework, owner = sqlite_workspace.framework, sqlite_workspace.owner
    url = f"/content/{distribution['publicKey']}/manifest.json"
    manifest = owner.get(url)
    [file] = manifest.json["files"]

    for address in (url, file["url"]):
        assert owner.request("HEAD", address).status == 200
    framework.meter.write()

    month = framework.clock().strftime("%Y-%m")
    usage = framework.storage.delivery.usage_of(sqlite_workspace.organization_id, month)
    assert (usage.requests, usage.bytes) == (3, len(manifest.content))


def test_many_hosts_do_not_make_the_held_manifests_grow(
    sqlite_workspace: Workspace,
    distribution: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(public, "HELD_BYTES_MOST", HELD)
    content = sqlite_workspace.framework.content
    key = distribution["publicKey"]

    for number in range(100):
        host = f"https://host-{number}/api/v1"
        answer = content.read_manifest(key, host, None)
        assert host.encode() in answer.content

    held = [len(one.body) for one in content._held.values()]
    assert 0 < sum(held) <= HELD < 100 * min(held)
    assert [place[2] for place in content._held][-1] == "https://host-99/api/v1"

"""Public reads: what is counted, and what is kept in memory."""

import pytest

from locframework.delivery.public import MANIFESTS_IN_MEMORY
from locframework.http.records import RequestInfo


@pytest.fixture
def distribution(sqlite_workspace):
    """A distribution with its first release."""
    project = sqlite_workspace.project()
    sqlite_workspace.key(project, "title", values={"en": "Shop"})
    path = f"/projects/{project['id']}/distributions"
    body = {"name": "Web", "format": "json-nested"}
    made = sqlite_workspace.owner.post(path, json=body).data
    sqlite_workspace.run_jobs()
    return made["distribution"]


def test_head_counts_a_request_and_no_bytes(sqlite_workspace, distribution):
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


def test_many_hosts_do_not_fill_the_memory_with_manifests(
    sqlite_workspace, distribution
):
    content = sqlite_workspace.framework.content

    for number in range(MANIFESTS_IN_MEMORY + 5):
        host = f"https://host-{number}/api/v1"
        request = RequestInfo("GET", host, "", None)
        answer = content.read_manifest(distribution["publicKey"], request)
        assert host.encode() in answer.content

    assert content._manifest.cache_info().currsize == MANIFESTS_IN_MEMORY

"""Whether a public key exists cannot be told from any answer about it."""

from http.client import HTTPConnection
from secrets import token_urlsafe

import pytest

from locframework.testing.client import Client
from tests.databases import statements_of

CHANGING_HEADERS = {
    "date",
    "x-request-id",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
}


class Keys:
    """A paused distribution, its keys, and a key that never was."""

    def __init__(self, world):
        workspace = world.workspace
        project = workspace.project()
        workspace.key(project, "pay", values={"en": "Pay"})
        body = {"name": "Web", "format": "json-nested"}
        path = f"/projects/{project['id']}/distributions"
        made = workspace.owner.post(path, json=body).data["distribution"]
        self._one = f"{path}/{made['id']}"
        self._owner = workspace.owner
        workspace.run_jobs()
        self.live = made["publicKey"]
        manifest = Client(workspace.app).get(f"/content/{self.live}/manifest.json")
        [file] = manifest.json["files"]
        self.blob = file["url"].rpartition("/")[2]
        self.unknown = token_urlsafe(32)

    def pause(self):
        """The key, of which nothing is to be known any more."""
        self._owner.post(f"{self._one}/pause", json={})
        return str(self.live)

    def rotate(self):
        """The key that was given up."""
        self._owner.post(f"{self._one}/rotate-key", json={})
        return str(self.live)


@pytest.fixture
def keys(world):
    return Keys(world)


def requests(key, blob):
    manifest, file = f"/content/{key}/manifest.json", f"/content/{key}/b/{blob}"
    return [
        (method, path, headers)
        for path in (manifest, file, f"/content/{key}/b/{'0' * 64}")
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE")
        for headers in ({}, {"If-None-Match": "*"}, {"Origin": "https://x.example"})
    ]


def raw(port, method, path, headers):
    """Status line, headers in their order, and body, of a fresh connection."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, f"/api/v1{path}", headers=headers)
        answer = connection.getresponse()
        shown = [
            (name, "" if name.lower() in CHANGING_HEADERS else value)
            for name, value in answer.getheaders()
        ]
        return answer.status, answer.reason, shown, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("how", ["pause", "rotate"])
def test_an_unknown_key_and_one_that_is_no_more_answer_alike_to_the_byte(
    world, keys, how
):
    gone = getattr(keys, how)()
    port = world.start().port

    for known, unknown in zip(
        requests(gone, keys.blob), requests(keys.unknown, keys.blob), strict=True
    ):
        assert raw(port, *known) == raw(port, *unknown)
    assert raw(port, *requests(gone, keys.blob)[0])[0] == 404


@pytest.mark.parametrize("how", ["pause", "rotate"])
def test_an_unknown_key_and_one_that_is_no_more_cost_the_same_statements(
    world, keys, how
):
    public = Client(world.workspace.app)
    asked = []
    for key in (getattr(keys, how)(), keys.unknown):
        for method, path, headers in requests(key, keys.blob):
            with statements_of(world.workspace.framework.storage) as statements:
                public.request(method, path, headers=headers)
            asked.append((method, len(statements), sorted(set(statements))))

    half = len(asked) // 2
    assert asked[:half] == asked[half:]
    assert max(count for _, count, _ in asked) == 1

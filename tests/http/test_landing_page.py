"""What a browser gets where no operation is; other clients get JSON."""

import re

import pytest

from locframework.http.docs import SECURITY_POLICY
from locframework.testing.client import Client

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
ROOT = "http://localhost"


def get(client, path, accept=BROWSER, method="GET"):
    return client.request(method, f"{ROOT}{path}", headers={"Accept": accept})


def links(answer):
    return re.findall('href="([^"]*)"', answer.content.decode())


def test_a_browser_gets_a_page_without_scripts_at_the_root_and_at_unknown_paths(client):
    root, unknown = get(client, "/"), get(client, "/api/v1/<b>nowhere")

    assert (root.status, unknown.status) == (200, 404)
    for answer in (root, unknown):
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Content-Security-Policy"] == SECURITY_POLICY
        assert answer.headers["Vary"] == "Accept"
        assert answer.headers["X-RateLimit-Remaining"]
        assert links(answer) == ["/api/v1/docs", "/api/v1/openapi.json"]
        assert b"<script" not in answer.content
    assert b"locframework" in root.content
    assert b"nowhere" not in unknown.content
    assert get(client, links(root)[0]).status == 200
    assert (get(client, "/", method="HEAD").content, get(client, "//x").status) == (
        b"",
        404,
    )


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "text/html, application/json", "text/;;"]
)
def test_other_clients_get_json(client, accept):
    for path in ("/", "/api/v1/nowhere"):
        answer = get(client, path, accept)
        assert (answer.status, answer.error["code"]) == (404, "not_found")


def test_a_write_and_published_content_are_answered_with_json(client):
    assert get(client, "/nowhere", method="POST").error["code"] == "not_found"
    assert get(client, "/api/v1/content/x/y/z").json == {"error": "not_found"}


def test_the_page_links_the_public_address_escaped(build):
    client = Client(build(base_url='https://l10n.example.com/"&/api/v1'))

    [docs, _] = links(get(client, "/"))

    assert docs == "https://l10n.example.com/&quot;&amp;/api/v1/docs"

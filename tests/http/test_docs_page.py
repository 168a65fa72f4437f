"""The page is whole by itself: no file missing, no other host."""

import re
from importlib.resources import files

import pytest

from locframework.http.docs import SECURITY_POLICY

FOLDER = files("locframework.http") / "swagger_ui"


def test_every_file_that_the_page_names_is_served(client):
    page = client.get("/docs")
    named = re.findall(r'(?:href|src)="([^"]+)"', page.content.decode())

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert {each.rpartition(".")[2]: served(client, each) for each in named} == {
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "png": "image/png",
    }
    assert len(named) == 4


def served(client, name):
    """The type that a file of the page is served with, as it is."""
    assert name.startswith("docs/")  # relative, so it works wherever it is mounted
    answer = client.get("/" + name)
    assert answer.status == 200
    assert answer.content == (FOLDER / name.removeprefix("docs/")).read_bytes()
    return answer.headers["Content-Type"]


@pytest.mark.parametrize("file", ["index.html", "LICENSE", "..", "../app.py", "x.js"])
def test_nothing_else_is_served(client, file):
    assert client.get("/docs/" + file.replace("/", "%2F")).status == 404


def test_the_page_may_ask_nobody_else(client):
    answer = client.get("/docs")

    assert answer.headers["Content-Security-Policy"] == SECURITY_POLICY
    assert "http" not in SECURITY_POLICY
    assert "default-src 'none'" in SECURITY_POLICY
    assert not re.search(rb"https?://|<script>", answer.content)


def test_the_page_shows_the_permission_of_each_operation():
    """Only with this option does Swagger UI show x-permission."""
    assert b"showExtensions: true" in (FOLDER / "init.js").read_bytes()


def test_its_licence_lies_beside_it():
    assert b"Apache License" in (FOLDER / "LICENSE").read_bytes()
    assert (FOLDER / "NOTICE").is_file()
    assert (FOLDER / "swagger-ui-bundle.js.LICENSE.txt").is_file()

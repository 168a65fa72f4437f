"""docs/how-to/embed.md: the code blocks run in order and have the described effect."""

import re
import threading
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from locframework.access.records import NewToken
from locframework.testing.client import Client

PAGE = "embed.md"


@pytest.fixture(scope="module")
def ran(page, tmp_path_factory):
    """All that the blocks leave behind; the last one, which closes, runs last."""
    if not django_settings.configured:
        django_settings.configure(ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None)
    names = {"__name__": "embedded"}
    *blocks, last = page.blocks("python")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("embedded"))
        before = set(threading.enumerate())
        for number, block in enumerate(blocks):
            exec(compile(block, f"{PAGE}, block {number}", "exec"), names)
        yield names
        exec(compile(last, f"{PAGE}, the last block", "exec"), names)
        assert {each.name for each in set(threading.enumerate()) - before} <= {
            "locframework-lease"  # ends by itself
        }


@pytest.fixture(scope="module")
def token(ran):
    framework = ran["framework"]
    return framework.tokens.create_for_member(
        ran["OPERATOR"], ran["organization"].id, ran["owner"].id, NewToken("doc")
    )[1]


def test_the_database_is_at_the_configured_path(ran):
    assert Path("data/l10n.sqlite3").is_file()


def test_values_written_from_python_are_read_over_http(ran, token):
    client = Client(ran["loc"], token)

    path = f"/projects/{ran['project'].id}/keys/{ran['key'].id}"
    values = client.get(path).data["key"]["values"]

    assert [value["value"] for value in values] == ["Pay", "Zahlen"]


def test_flask_serves_it_below_loc(ran, token):
    got = ran["site"].test_client().get("/loc/api/v1/openapi.json")

    assert got.json["servers"] == [{"url": "http://localhost/loc/api/v1"}]


def test_django_serves_it_below_loc(ran, token):
    mounted = Client(ran["application"], token)

    got = mounted.get("http://localhost/loc/api/v1/openapi.json")

    assert got.json["servers"] == [{"url": "http://localhost/loc/api/v1"}]


def test_fastapi_has_it_mounted_at_loc(ran):
    [mount] = [route for route in ran["api"].routes if route.path == "/loc"]

    assert mount.app.app is ran["loc"]


def test_the_added_route_is_served_beside_the_api(ran):
    client = Client(ran["loc"])

    assert client.get("http://localhost/health").json == {"status": "fine"}
    assert client.get("/healthz").status == 200


def test_every_service_on_the_page_exists(page, ran):
    names = {
        name.strip("` ").removeprefix("framework.")
        for row in page.rows()
        for name in row[0].split(",")
    }
    assert {"branches", "merging", "history", "review", "files", "webhooks"} <= names

    names |= set(re.findall(r"framework\.([a-z_]+)`", page.text))
    assert {"glossaries", "memories", "matching", "keys"} <= names
    assert {name for name in names if not hasattr(ran["framework"], name)} == set()
    told = re.findall(r"\w+", (ran["Framework"].__doc__ or "").partition("\n    - ")[2])
    assert names - set(told) == set()


def test_sessions_of_the_site_are_accepted(ran, token):
    ours = Client(ran["ours"], "site-k7s0")
    path = f"/projects/{ran['project'].id}/keys/{ran['key'].id}"

    assert ours.put(f"{path}/values/de", json={"value": "Bezahlen"}).status == 200
    refused = ours.put(f"{path}/values/en", json={"value": "Pay now"})
    assert refused.error["code"] == "language_not_assigned"
    assert ours.with_token("site-nobody").get(path).status == 401
    assert ours.with_token(token).get(path).status == 200


def test_a_session_cookie_authenticates(ran):
    nobody = Client(ran["with_session"])
    path = f"/projects/{ran['project'].id}"

    assert nobody.get(path).status == 401
    assert nobody.get(path, headers={"Cookie": "a=b; session=k7s0"}).status == 200
    assert nobody.get(path, headers={"Cookie": "session=other"}).status == 401

"""Routes, sinks and static files that an embedder adds to the app."""

from __future__ import annotations

import falcon
import pytest

from locframework import create_app, hookimpl
from locframework.ports import Pages, Raw, operation
from locframework.testing.client import Client

from .conftest import new_token

HERE = "http://localhost"


class Hello:
    """Says hello, and fails in several ways."""

    def on_get(self, request, response, name="nobody"):
        response.media = {"hello": name, "path": request.path}

    def on_post(self, request, response, name):
        raise falcon.HTTPForbidden(title="Not you", headers={"X-Why": name})

    def on_delete(self, request, response, name):
        raise RuntimeError("secret")

    def on_put(self, request, response, name):
        raise falcon.HTTPFound("/elsewhere")

    def on_get_short(self, request, response, **_):
        response.text = "short"


class DeskPlugin:
    """Has pages and a short path."""

    name = "desk"

    def __init__(self, folder):
        self._folder = folder

    @hookimpl
    def loc_provide_pages(self):
        return Pages(self._folder)

    @hookimpl
    def loc_provide_endpoints(self):
        return [self]

    @operation("GET", "/talk", permission=None, short_path="/talk")
    def talk(self) -> Raw:
        """Talk."""
        return Raw(b"talk", "text/plain")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "index.html").write_text("<h1>Desk</h1>")
    (folder / "a.txt").write_text("a")
    return folder


@pytest.fixture
def framework(open_framework, folder):
    return open_framework(DeskPlugin(folder))


@pytest.fixture
def app(framework):
    return create_app(framework)


@pytest.fixture
def client(app, framework):
    return Client(app, new_token(framework))


def test_the_app_is_a_falcon_app_whose_added_routes_are_served(app, client):
    app.add_route("/hello", Hello())
    app.add_route("/hello/{name}", Hello())
    app.add_route("/short/", Hello(), suffix="short")

    found = client.get(f"{HERE}/hello/anna?a=b")

    assert isinstance(app, falcon.App)
    assert found.json == {"hello": "anna", "path": "/hello/anna"}
    assert client.get(f"{HERE}/hello").json["hello"] == "nobody"
    assert client.get(f"{HERE}/short/").content == b"short"
    assert client.request("PATCH", f"{HERE}/hello/anna").status == 405
    assert client.get(f"{HERE}/hello/anna/x").error["code"] == "not_found"
    assert client.get("/projects").status == 200


def test_sinks_and_static_files_are_served(app, client, folder):
    def sink(request, response, **_):
        response.text = f"sink {request.path}"

    app.add_static_route("/files", str(folder))
    app.add_sink(sink, "/shop")

    assert client.get(f"{HERE}/files/a.txt").content == b"a"
    assert client.get(f"{HERE}/files/b.txt").status == 404
    assert client.get(f"{HERE}/shop/a/b/").content == b"sink /shop/a/b/"
    assert client.get(f"{HERE}/other").error["code"] == "not_found"


def test_nothing_that_is_added_shadows_the_api_or_a_plugin(app, client, folder):
    def catch_all(request, response, **_):
        response.text = "caught"

    app.add_route("/{a}/{b}/{c}", Hello(), suffix="short")
    app.add_route("/{a}", Hello(), suffix="short")
    app.add_sink(catch_all, "/")
    app.add_static_route("/api", str(folder))

    assert client.get("/projects").data["items"] == []
    assert client.get("/api/v1/nothing").error["code"] == "not_found"
    for path in ("/api/v1", "/api/v1/", "/api/v1/projects/", "/api/v1//projects"):
        assert client.get(HERE + path).error["code"] == "not_found"
    assert client.get(f"{HERE}/desk/").content == b"<h1>Desk</h1>"
    assert client.get(f"{HERE}/desk/none").error["code"] == "not_found"
    assert client.get(f"{HERE}/talk").status == 308
    assert client.get(f"{HERE}/else").content == b"short"
    assert client.get(f"{HERE}/x/y").content == b"caught"
    assert client.get(f"{HERE}/api/v2").status == 404  # of the static files


@pytest.mark.parametrize(
    "template",
    ["/api/v1", "/api/v1/", "/api/v1/projects", "/api/v1/{x}", "/desk", "/desk/{x}",
     "/talk"],
)  # fmt: skip
def test_a_route_on_a_path_that_is_taken_is_refused(app, template):
    with pytest.raises(ValueError, match="belongs to the API or to a plugin"):
        app.add_route(template, Hello())


def test_falcon_refuses_wrong_templates_as_ever(app):
    app.add_route("/hello/{name}", Hello())

    for wrong, said in [
        ("hello", "must start with"),
        ("/a//b", "may not contain"),
        ("/hello/{other}", "conflicts"),
    ]:
        with pytest.raises(ValueError, match=said):
            app.add_route(wrong, Hello())


def test_errors_of_added_routes_are_those_of_falcon(app, client, caplog):
    app.add_route("/hello/{name}", Hello())

    forbidden = client.post(f"{HERE}/hello/anna")
    broken = client.delete(f"{HERE}/hello/anna")
    moved = client.put(f"{HERE}/hello/anna")

    assert (forbidden.status, forbidden.json) == (403, {"title": "Not you"})
    assert forbidden.headers["X-Why"] == "anna"
    assert (broken.status, broken.error["code"]) == (500, "internal_error")
    assert b"secret" not in broken.content
    assert "RuntimeError: secret" in caplog.text
    assert (moved.status, moved.headers["Location"]) == (302, "/elsewhere")


def test_an_error_handler_of_the_embedder_counts(app, client):
    class Own(Exception):
        pass

    class Raising:
        def on_get(self, request, response):
            raise Own

    def handle(request, response, error, params):
        response.status = 418

    app.add_route("/own", Raising())
    app.add_error_handler(Own, handle)

    assert client.get(f"{HERE}/own").status == 418


def test_hosts_and_request_ids_are_handled_alike_and_nothing_is_counted(
    app, framework, client
):
    app.add_route("/hello/{name}", Hello())

    answer = client.get(f"{HERE}/hello/anna", headers={"X-Request-Id": "mine"})
    stranger = client.get(f"{HERE}/hello/anna", headers={"Host": "evil.example.com"})
    framework.close()
    closed = client.get(f"{HERE}/hello/anna")

    assert answer.headers["X-Request-Id"] == "mine"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-RateLimit-Limit"] is None
    assert (stranger.status, stranger.error["code"]) == (400, "unknown_host")
    assert (closed.status, closed.error["code"]) == (503, "unavailable")


def test_pages_and_short_paths_are_below_the_mount_point(app):
    mounted = Client(app, script_name="/loc")

    page, folder, short = (
        mounted.get(f"{HERE}/loc/{path}") for path in ("desk/", "desk", "talk")
    )

    assert page.content == b"<h1>Desk</h1>"
    assert folder.headers["Location"] == "./desk/"
    assert short.headers["Location"] == f"{HERE}/loc/api/v1/plugins/desk/talk"


def test_short_paths_redirect_to_the_base_url(open_framework, folder):
    base = "https://l10n.example.com/x/api/v1"
    framework = open_framework(DeskPlugin(folder), base_url=base)

    answer = Client(create_app(framework)).get(f"{HERE}/talk")

    assert answer.headers["Location"] == f"{base}/plugins/desk/talk"

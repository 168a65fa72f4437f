"""What every answer has, and what becomes of requests that meet no operation."""

import logging
from wsgiref.validate import validator

import pytest

from locframework.errors import Unavailable
from locframework.testing.client import Client

NOTES = "/projects/p1/notes"


@pytest.mark.parametrize("wrong", ["", "a b", "x" * 129, "a\nb", "é"])
def test_an_odd_request_id_is_replaced(client, wrong):
    answer = client.get("/whoami", headers={"X-Request-Id": wrong})

    assert answer.headers["X-Request-Id"] not in (wrong, "")


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/projects/p1/notes/",
        "//projects/p1/notes",
        "/projects//notes",
        "/projects/p1%00/notes",
        "/projects/p1%0a/notes",
        "/projects/p1%7f/notes",
        "/projects/%ff/notes",
        "/projects/%ed%a0%80/notes",
        "/projects/p1%2Fnotes%2Fx%2Fy",
        "/projects/p1/notes/..",
        "/",
        "/docs/",
        "/docs/..%2Fapp.py",
        "/docs/index.html",
    ],
)
def test_a_path_that_is_none_of_ours_is_404_in_the_envelope(client, path):
    answer = client.get(path)

    assert answer.status in (404, 405)
    assert answer.json["success"] is False
    assert answer.error["code"] in ("not_found", "method_not_allowed")
    assert answer.headers["X-RateLimit-Limit"] == "600"


@pytest.mark.parametrize("host", ["a", "a:80", "127.0.0.1:1", "[::1]:80", "x_y.z-1"])
def test_a_usual_host_is_served(build, host):
    client = Client(build(trust_host=True), "writer")

    assert client.get("/whoami", headers={"Host": host}).status == 200


@pytest.mark.parametrize("host", ["", "a, b", "a,a", "a/b", "a b", "u@a", "[::1", "é"])
def test_a_host_that_is_not_one_host_is_400(client, host):
    answer = client.get("/whoami", headers={"Host": host})

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "TRACE", "PROPFIND", "FOO"])
def test_another_method_is_405_with_the_methods_there_are(client, method):
    answer = client.request(method, NOTES)

    assert answer.status == 405
    assert answer.error["code"] == "method_not_allowed"
    assert answer.headers["Allow"] == "GET, HEAD, POST"
    assert answer.headers["X-RateLimit-Limit"] == "600"


def test_an_unknown_route_is_404_even_over_the_rate(client):
    for _ in range(600):
        client.get("/whoami")

    assert client.get("/whoami").status == 429
    assert client.get("/nowhere").status == 404


def test_an_unexpected_failure_tells_its_id_to_the_log_and_nothing_to_the_asker(
    client, caplog
):
    with caplog.at_level(logging.ERROR):
        answer = client.get("/boom", headers={"X-Request-Id": "r-500"})

    assert answer.status == 500
    assert answer.error["code"] == "internal_error"
    assert b"secret" not in answer.content
    assert "r-500" in caplog.text
    assert "secret statement" in caplog.text


def test_what_does_not_answer_is_503_with_retry_after(client):
    answer = client.get("/down")

    assert answer.status == 503
    assert answer.error["code"] == "unavailable"
    assert answer.headers["Retry-After"] == "5"


def test_no_message_repeats_more_than_200_characters(client):
    answer = client.get("/echo/" + "x" * 5000)

    assert answer.status == 409
    assert len(answer.error["message"]) <= 200


def test_it_keeps_to_the_protocol_of_servers(build):
    client = Client(validator(build()), "writer")

    assert client.post(NOTES, json={"name": "Milk"}).status == 201
    assert client.post(NOTES, content=b"{").status == 415
    assert client.get("/nowhere").status == 404
    assert client.get("/content/key/manifest.json").status == 200
    assert client.request("OPTIONS", "/content/key/manifest.json").status == 204


@pytest.mark.parametrize("mount", ["", "/loc"])
def test_paths_above_the_prefix_are_404(build, mount):
    environ = Client(build())._environ("GET", "/whoami", {}, {}, None)
    for path in ("", "/", "/api", "/api/v2/whoami", "/whoami"):
        asked = {**environ, "PATH_INFO": path, "SCRIPT_NAME": mount}
        answer = Client(build())._call(asked)
        assert answer.status == 404
        assert answer.error == {
            "code": "not_found",
            "message": f"there is no such path; {mount}/api/v1/docs lists all paths",
        }


def test_answers_are_not_to_be_kept_and_their_type_is_never_guessed(client):
    for path in ("/whoami", "/nowhere", "/file"):
        headers = client.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_content_is_read_from_every_origin_and_refused_outside_the_envelope(client):
    path = "/content/key/manifest.json"
    read = client.with_token(None).get(path)
    missing = client.get("/content/key/nothing.json")
    down = client.get("/content/down/manifest.json")
    wrong = client.post(path, json={})

    assert (read.status, read.json) == (200, {"schema": "x/v1"})
    assert read.headers["X-RateLimit-Limit"] is None
    assert (missing.status, missing.json) == (404, {"error": "not_found"})
    assert missing.headers["Cache-Control"] == "public, max-age=60"
    assert (down.status, down.json) == (503, {"error": "unavailable"})
    assert down.headers["Retry-After"] == "5"
    assert (wrong.status, wrong.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    for answer in (read, missing, down):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_a_part_that_does_not_answer_makes_it_not_ready_and_leaves_it_alive(build):
    def silent():
        raise Unavailable("the database does not answer")

    well, client = Client(build(checks=[print])), Client(build(checks=[print, silent]))

    assert well.get("/readyz").data == {"status": "ok", "jobs": "ok"}
    assert client.get("/healthz").data == {"status": "ok"}
    assert client.get("/readyz").status == 503
    assert client.get("/readyz").error["code"] == "unavailable"

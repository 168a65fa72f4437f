"""One operation's request, from the door to the answer."""

from __future__ import annotations

import pytest

from locframework.http.rate_limit import MemoryWindows, RateLimiter
from locframework.testing.client import Client

NOTES = "/projects/p1/notes"
FOREIGN = "/projects/p2/notes"
BAD_BODY = {"name": ""}


def test_data_comes_in_the_envelope_with_the_declared_status(client):
    answer = client.post(NOTES, json={"name": "Milk", "isOpen": False})

    assert answer.status == 201
    assert answer.json == {
        "success": True,
        "data": {"note": {"id": "1", "name": "Milk", "isOpen": False}},
    }
    assert answer.headers["Content-Type"] == "application/json"


def test_a_refusal_comes_in_the_envelope_without_details_where_there_are_none(client):
    answer = client.get(FOREIGN)

    assert answer.status == 404
    assert answer.json["success"] is False
    assert answer.error["code"] == "project_not_found"
    assert set(answer.error) == {"code", "message"}


def test_a_wrong_body_lists_every_field_at_fault(client):
    answer = client.post(NOTES, json={"name": "", "stars": 9, "isOpen": "yes"})

    assert answer.status == 400
    assert answer.error["code"] == "validation_failed"
    assert [(each["path"], each["rule"]) for each in answer.error["details"]] == [
        ("$.name", "length"),
        ("$.isOpen", "type"),
        ("$.stars", "range"),
    ]


@pytest.mark.parametrize(
    ("token", "path", "status"),
    [
        (None, FOREIGN, 401),
        ("bad", NOTES, 401),
        ("reader", FOREIGN, 404),
        ("reader", NOTES, 403),
        ("writer", NOTES, 400),
    ],
)
@pytest.mark.parametrize(
    "fault",
    [
        {"json": BAD_BODY},
        {"content": b"{"},
        {"json": {"name": "Milk"}, "query": {"limit": "many"}},
        {"json": {"name": "Milk"}, "headers": {"Accept": "text/html"}},
        {"content": b"x", "headers": {"Content-Type": "text/plain"}},
        {"content": b"x" * (1024 * 1024 + 1)},
        {"json": {"name": "Milk"}, "headers": {"Content-Encoding": "gzip"}},
    ],
    ids=["schema", "json", "query", "accept", "type", "size", "encoding"],
)
def test_who_asks_and_what_they_may_see_is_told_before_what_is_wrong_with_the_body(
    client, token, path, status, fault
):
    answer = client.with_token(token).post(path, **fault)

    expected = {status} if status != 400 else {400, 406, 413, 415}
    assert answer.status in expected


def test_the_rate_limit_comes_before_the_token(build):
    limiter = RateLimiter(MemoryWindows(), api_most=1)
    client = Client(build(limiter=limiter))

    assert client.get(NOTES).status == 401
    assert client.get(NOTES).status == 429


def test_a_body_fault_without_a_root_is_told_after_the_permission(client):
    assert client.post("/notes", json=BAD_BODY).status == 400
    assert client.with_token("reader").post("/notes", json=BAD_BODY).status == 403


def test_a_refused_body_reaches_no_endpoint(client, notes):
    client.post(NOTES, json=BAD_BODY)

    assert notes.got == []


def test_401_is_the_same_for_every_reason_and_asks_for_bearer(client):
    answers = [
        client.with_token(token).get("/whoami")
        for token in (None, "bad", "unknown", "two words", "a,b", "")
    ]

    assert {each.status for each in answers} == {401}
    assert len({each.content for each in answers}) == 1
    assert {each.headers["WWW-Authenticate"] for each in answers} == {"Bearer"}


def test_the_scheme_may_be_written_in_any_case(client):
    answer = client.get("/whoami", headers={"Authorization": "bEARER writer"})

    assert answer.status == 200


def test_other_schemes_are_no_token(client):
    answer = client.get("/whoami", headers={"Authorization": "Basic writer"})

    assert answer.status == 401


def test_an_authentication_that_does_not_answer_is_503_not_401(client):
    answer = client.with_token("offline").get("/whoami")

    assert answer.status == 503
    assert answer.error["code"] == "unavailable"
    assert int(answer.headers["Retry-After"]) > 0


def test_an_accepted_job_tells_where_and_when_to_look(client):
    answer = client.post("/projects/p1/run", json={})

    assert answer.status == 202
    assert answer.data == {"job": {"id": "j1"}}
    assert answer.headers["Location"] == ("http://localhost/api/v1/projects/p1/jobs/j1")
    assert answer.headers["Retry-After"] == "2"


def test_an_operation_may_answer_at_once_instead(client):
    answer = client.post("/projects/p1/run", json={"dryRun": True})

    assert answer.status == 200
    assert answer.headers["Location"] is None


def test_an_action_needs_no_body(client):
    assert client.post("/projects/p1/run").status == 202


def test_a_create_needs_a_body(client):
    answer = client.post(NOTES)

    assert answer.status == 400
    assert answer.error["code"] == "invalid_json"


def test_raw_answers_are_what_the_endpoint_gave(client):
    answer = client.get("/file", headers={"Accept": "image/png"})

    assert answer.content == b"\x89PNG"
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Note"] == "1"


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("application/json", 200),
        ("application/*;q=0.1, text/html", 200),
        ("", 200),
        ("not a media type", 200),
        ("text/html", 406),
        ("application/json;q=0, */*", 406),
    ],
)
def test_only_an_accept_that_rules_json_out_is_406(client, accept, status):
    answer = client.get("/whoami", headers={"Accept": accept})

    assert answer.status == status


def test_the_endpoint_may_know_of_the_request(client, notes):
    client.get("/whoami", headers={"X-Request-Id": "r-1", "If-None-Match": '"a"'})

    (info,) = notes.got
    assert info.method == "GET"
    assert info.base_url == "http://localhost/api/v1"
    assert info.request_id == "r-1"
    assert info.if_none_match == '"a"'


def test_where_the_app_is_mounted_shows_in_what_it_names(build):
    client = Client(build(), "writer", script_name="/loc")

    answer = client.post("/projects/p1/run")

    assert answer.headers["Location"].startswith("http://localhost/loc/api/v1/")


def test_a_base_url_of_the_settings_wins(build):
    client = Client(build(base_url="https://l10n.example.com/api/v1"), "writer")

    answer = client.post(
        "/projects/p1/run", headers={"X-Forwarded-Host": "evil.example"}
    )

    assert answer.headers["Location"] == (
        "https://l10n.example.com/api/v1/projects/p1/jobs/j1"
    )


def test_forwarded_headers_are_not_believed(client):
    answer = client.post(
        "/projects/p1/run",
        headers={
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-Proto": "https",
            "Forwarded": "host=evil.example",
        },
    )

    assert answer.headers["Location"].startswith("http://localhost/")


@pytest.mark.parametrize("path", ["/healthz", "/whoami"])
def test_head_answers_as_get_without_a_body(client, path):
    got = client.get(path)
    head = client.request("HEAD", path)

    assert head.status == 200
    assert head.content == b""
    assert head.headers["Content-Length"] == str(len(got.content))
    assert head.headers["Content-Type"] == got.headers["Content-Type"]


def test_head_is_refused_as_get_is(client):
    assert client.with_token(None).request("HEAD", "/whoami").status == 401
    assert client.request("HEAD", "/nowhere").status == 404

"""One operation's request, from the door to the answer."""

import pytest

from locframework.http.rate_limit import MemoryWindows, RateLimiter
from locframework.testing.client import Client

NOTES = "/projects/p1/notes"
FOREIGN = "/projects/p2/notes"
BAD_BODY = {"name": ""}


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
    limiter = RateLimiter(MemoryWindows(), api_limit=1)
    client = Client(build(limiter=limiter))

    assert client.get(NOTES).status == 401
    assert client.get(NOTES).status == 429


def test_a_refused_body_reaches_no_endpoint(client, notes):
    assert client.post("/notes", json=BAD_BODY).status == 400
    assert client.with_token("reader").post("/notes", json=BAD_BODY).status == 403
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


def test_an_authentication_that_does_not_answer_is_503_not_401(client):
    answer = client.with_token("offline").get("/whoami")

    assert answer.status == 503
    assert answer.error["code"] == "unavailable"
    assert int(answer.headers["Retry-After"]) > 0


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


@pytest.mark.parametrize("path", ["/healthz", "/whoami"])
def test_head_answers_as_get_without_a_body(client, path):
    got = client.get(path)
    head = client.request("HEAD", path)

    assert head.status == 200
    assert head.content == b""
    assert head.headers["Content-Length"] == str(len(got.content))
    assert head.headers["Content-Type"] == got.headers["Content-Type"]


@pytest.mark.parametrize(
    ("scheme", "status"), [("bEARER", 200), ("Bearer ", 200), ("Basic", 401)]
)
def test_the_token_is_a_bearer_token_in_any_case(client, scheme, status):
    headers = {"Authorization": f"{scheme} writer"}

    assert client.get("/whoami", headers=headers).status == status


def test_an_operation_may_queue_a_job_or_answer_at_once(client):
    queued = client.post("/projects/p1/run")  # an action needs no body
    done = client.post("/projects/p1/run", json={"dryRun": True})

    assert (queued.status, queued.headers["Retry-After"]) == (202, "2")
    assert queued.data == {"job": {"id": "j1"}}
    assert (done.status, done.headers["Location"]) == (200, None)


@pytest.mark.parametrize(
    ("base_url", "mount", "expected"),
    [
        (None, "", "http://localhost/api/v1"),
        (None, "/loc", "http://localhost/loc/api/v1"),
        ("https://l10n.example.com/api/v1", "", "https://l10n.example.com/api/v1"),
    ],
)
def test_absolute_urls_begin_at_the_setting_or_the_mount_and_believe_no_header(
    build, base_url, mount, expected
):
    client = Client(build(base_url=base_url), "writer", script_name=mount)
    headers = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil.example",
    }

    answer = client.post("/projects/p1/run", headers=headers)

    assert answer.headers["Location"] == f"{expected}/projects/p1/jobs/j1"
    assert client.get("/openapi.json").json["servers"] == [{"url": expected}]

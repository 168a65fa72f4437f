"""The shipped client speaks WSGI the way servers do."""

from wsgiref.headers import Headers
from wsgiref.validate import validator

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer, Client, patiently


def echo(environ, start_response):
    """Answers what was asked, one line each."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    lines = [
        environ["REQUEST_METHOD"],
        environ["SCRIPT_NAME"],
        environ["PATH_INFO"],
        environ["QUERY_STRING"],
        environ.get("HTTP_AUTHORIZATION", "-"),
        environ.get("CONTENT_TYPE", "-").partition(";")[0],
        environ["wsgi.input"].read(length).decode(),
    ]
    start_response("200 OK", [("Content-Type", "text/plain"), ("X-Two", "2")])
    return ["\n".join(lines).encode("utf-8")]


def lines(answer):
    return answer.content.decode().split("\n")


def test_it_keeps_to_the_protocol():
    answer = Client(validator(echo), "secret").post("/things", json={"a": 1})

    assert lines(answer) == [
        "POST",
        "",
        "/api/v1/things",
        "",
        "Bearer secret",
        "application/json",
        '{"a": 1}',
    ]


def test_null_is_a_body_and_nothing_is_none():
    assert lines(Client(echo).post("/things", json=None))[6] == "null"
    assert lines(Client(echo).post("/things"))[6] == ""


def test_queries_repeat_members_and_leave_none_out():
    asked = {"tag": ["a b", "c"], "limit": 5, "open": True, "branch": None}

    answer = Client(echo).get("/things?x=1", query=asked)

    assert lines(answer)[3] == "x=1&tag=a+b&tag=c&limit=5&open=true"


def test_paths_are_decoded_as_servers_do():
    assert lines(Client(echo).get("/a%20b/%C3%96"))[2] == "/api/v1/a b/Ã\x96"


@pytest.mark.parametrize(
    "path",
    ["/things", "/api/v1/things", "/loc/api/v1/things", "http://h/loc/api/v1/things"],
)
def test_a_path_may_be_what_an_answer_named(path):
    client = Client(echo, script_name="/loc")

    assert lines(client.get(path))[1:3] == ["/loc", "/api/v1/things"]


def test_files_and_fields_become_a_form():
    answer = Client(echo).post(
        "/import", form={"mode": "merge"}, files={"file": Upload("a", b"x", "text/x")}
    )

    text = answer.content.decode()
    assert lines(answer)[5] == "multipart/form-data"
    assert 'name="mode"' in text
    assert 'name="file"; filename="a"' in text


def test_headers_are_found_in_any_case():
    assert Client(echo).get("/").headers["x-two"] == "2"


def test_asking_a_refusal_for_its_data_fails_and_shows_it():
    refused = Answer(404, Client(echo).get("/").headers, b'{"error": {"code": "x"}}')

    assert refused.error == {"code": "x"}
    with pytest.raises(AssertionError, match="404"):
        _ = refused.data


def test_a_patient_client_asks_again_what_was_refused_for_a_moment_only():
    headers = Headers([("Retry-After", "0")])
    busy = Answer(503, headers, b'{"error": {"code": "unavailable"}}')
    answers = [busy, busy, Answer(409, headers, b"{}"), busy]

    answer = patiently(lambda: answers.pop(0))

    assert (answer.status, len(answers)) == (409, 1)
    assert patiently(lambda: busy, tries=2).status == 503

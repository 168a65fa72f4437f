"""Uploads: text fields like a query, files as bytes, all of it counted."""

from __future__ import annotations

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from locframework.http.body import UPLOAD_LIMIT
from locframework.http.records import Upload
from locframework.testing.client import Client, multipart

IMPORT = "/projects/p1/import"
DISPOSITION = b'Content-Disposition: form-data; name="file"'
FILE = Upload("de.json", b'{"a": 1}', "application/json")


def test_fields_and_file_come_together(client):
    answer = client.post(
        IMPORT,
        form={"mode": "replace", "dryRun": True, "tags": ["a", "b"]},
        files={"file": FILE},
    )

    assert answer.data == {
        "name": "de.json",
        "size": 8,
        "content_type": "application/json",
        "mode": "replace",
        "dry_run": True,
        "tags": ["a", "b"],
        "more": None,
    }


def test_a_field_that_the_form_does_not_have_is_refused_with_the_nearest(client):
    form = {"dry_run": "true", "tags": ["a"]}
    [problem] = client.post(IMPORT, form=form, files={"file": FILE}).error["details"]

    assert problem == {
        "path": "form.dry_run",
        "rule": "unknown",
        "message": "unknown field 'dry_run'; did you mean 'dryRun'?",
    }


def test_a_file_that_may_be_left_out_is_read_where_it_is_given(client):
    more = Upload("seen.json", b"{}", "application/json")

    answer = client.post(IMPORT, files={"file": FILE, "more": more})

    assert answer.data["more"] == "seen.json"


def test_a_file_may_hold_any_bytes(client):
    content = bytes(range(256)) * 2000 + b"\r\n--x\r\n"

    answer = client.post(IMPORT, files={"file": Upload("x", content, "image/png")})

    assert answer.data["size"] == len(content)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\\\users\\\\me\\\\de.json", "de.json"),
        ("dir/", ""),
        ("x" * 1000, "x" * 255),
    ],
)
def test_a_file_name_is_no_path(client, sent, kept):
    answer = client.post(IMPORT, files={"file": Upload(sent, b"", "text/plain")})

    assert answer.data["name"] == kept


@pytest.mark.parametrize(
    ("form", "path", "rule"),
    [
        ({"mode": "other"}, "form.mode", "enum"),
        ({"dryRun": "yes"}, "form.dryRun", "type"),
        ({"mode": ["merge", "merge"]}, "form.mode", "repeated"),
        ({"mode": "a\0"}, "form.mode", "character"),
    ],
)
def test_a_wrong_field_is_refused_by_its_name(client, form, path, rule):
    answer = client.post(IMPORT, form=form, files={"file": FILE})

    assert answer.status == 400
    (problem,) = answer.error["details"]
    assert (problem["path"], problem["rule"]) == (path, rule)


def test_a_text_that_is_too_long_is_refused_with_its_name_and_the_limit(client):
    answer = client.post(IMPORT, form={"mode": "x" * 1_048_577}, files={"file": FILE})

    assert answer.status == 400
    [problem] = answer.error["details"]
    assert (problem["path"], problem["rule"]) == ("form.mode", "length")
    assert "at most 1048576 bytes" in problem["message"]


def test_a_file_that_is_missing_is_asked_for(client):
    answer = client.post(IMPORT, form={"mode": "merge"})

    assert answer.status == 400
    (problem,) = answer.error["details"]
    assert (problem["path"], problem["rule"]) == ("form.file", "required")


def test_other_media_types_are_415(client):
    for how in ({"json": {}}, {"content": b"x"}, {}):
        assert client.post(IMPORT, **how).status == 415


@pytest.mark.parametrize(
    "head",
    [
        DISPOSITION + b'; filename="\xff"',
        b"Content-Disposition: form-data; name=\"file\"; filename*=nope''x",
        b"Content-Disposition: form-data; name=\"file\"; filename*=utf-7''%2BAAA-",
        b"Content-Disposition: form-data; name=\"file\"; filename*=utf-8''%00",
        b'Content-Disposition: form-data; name="file"\r\nContent-Type: \xff',
        DISPOSITION + b"\r\nContent-Transfer-Encoding: base64",
        b"X: " + b"x" * 10_000,
        b"",
    ],
)
def test_a_part_with_a_broken_head_is_400(client, head):
    body = b"--b\r\n" + head + b"\r\n\r\nx\r\n--b--\r\n"

    answer = client.post(
        IMPORT,
        content=body,
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )

    assert answer.status == 400
    assert answer.error["code"] == "validation_failed"


@pytest.mark.parametrize(
    "type_",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=" + "b" * 71,
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=\xff",
    ],
)
def test_a_boundary_that_is_none_is_400(client, type_):
    body, _ = multipart({}, {"file": FILE})

    answer = client.post(IMPORT, content=body, headers={"Content-Type": type_})

    assert answer.status == 400


@pytest.mark.parametrize("missing", [5, 10, 30])
def test_a_form_without_its_last_boundary_is_400(client, missing):
    body, type_ = multipart({}, {"file": FILE})
    headers = {"Content-Type": type_}

    answer = client.post(IMPORT, content=body[:-missing], headers=headers)

    assert answer.status == 400


def test_a_form_that_is_shorter_than_its_length_is_400(client):
    """Even if only what follows the last boundary is missing."""
    body, type_ = multipart({}, {"file": FILE})
    headers = {"Content-Type": type_, "Content-Length": str(len(body) + 1)}

    answer = client.post(IMPORT, content=body, headers=headers)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")


def test_a_hundred_parts_are_too_many(client):
    answer = client.post(IMPORT, form={"tags": ["a"] * 100}, files={"file": FILE})

    assert answer.status == 400


class Endless:
    """A form whose file never ends, and which counts what was taken of it."""

    def __init__(self) -> None:
        self.begin = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'
        self.taken = 0

    def read(self, size: int) -> bytes:
        content = self.begin[:size] or b"x" * size
        self.begin = self.begin[size:]
        self.taken += len(content)
        return content


@pytest.mark.parametrize("length", [None, str(UPLOAD_LIMIT + 1)])
def test_an_upload_over_the_limit_is_413_and_not_read_further(client, length):
    endless = Endless()
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    environ = client._environ("POST", IMPORT, {}, headers, None)
    environ |= {
        "HTTP_AUTHORIZATION": "Bearer writer",
        "wsgi.input": endless,
        "wsgi.input_terminated": True,
    }
    if length is not None:
        environ["CONTENT_LENGTH"] = length

    answer = client._call(environ)

    assert answer.status == 413
    assert answer.error["code"] == "payload_too_large"
    assert endless.taken <= UPLOAD_LIMIT + 1024 * 1024


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.binary(max_size=40),
    st.sampled_from([b"", b"\r\n", b"\r\n\r\n", b"--b", b"--b--"]),
    st.binary(max_size=40),
)
def test_no_form_breaks_the_server(build, begin, between, end):
    content = b"--b\r\nContent-Disposition: form-data; name=" + begin + between + end
    answer = Client(build(), "writer").post(
        IMPORT,
        content=content,
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )

    assert answer.status in (200, 400)


def test_the_input_may_give_less_than_was_asked_for(client):
    body, type_ = multipart({"mode": "merge"}, {"file": FILE})

    class Trickle(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 1, 7))

    environ = client._environ("POST", IMPORT, {}, {"Content-Type": type_}, body)
    environ |= {"HTTP_AUTHORIZATION": "Bearer writer", "wsgi.input": Trickle(body)}

    assert client._call(environ).data["size"] == 8

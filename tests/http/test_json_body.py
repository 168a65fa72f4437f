"""JSON is read strictly, and nothing that comes as JSON can break the server."""

from __future__ import annotations

import io
import json
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from locframework.errors import (
    InvalidJson,
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
)
from locframework.http.body import JSON_MOST, JsonBody, decode
from locframework.testing.client import Client
from locframework.validation import DEPTH_LIMIT

NOTES = "/projects/p1/notes"


class Part(Struct, frozen=True):
    size: int = 0


class Thing(Struct, frozen=True, rename="camel"):
    name: str
    some_tags: list[str] = []
    parts: list[Part] = []
    by_name: dict[str, Part | None] = {}
    free: dict[str, int] = {}


def read(content, **environ):
    given = {
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(content)),
        "wsgi.input": io.BytesIO(content),
        **environ,
    }
    present = {name: each for name, each in given.items() if each is not None}
    return JsonBody(Thing, optional=False).read(present)


def test_a_body_becomes_a_struct():
    content = '{"name": "Öl 😀 \\ud83d\\ude00", "someTags": ["a"]}'

    assert read(content.encode()) == Thing("Öl 😀 😀", ["a"])


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ('"some_tags": []', "$.some_tags"),
        ('"parts": [{"size": 1}, {"sise": 1}]', "$.parts[1].sise"),
        ('"byName": {"a": null, "b": {"Size": 1}}', "$.byName.b.Size"),
        ('"parts": [{"size": "x", "depth": 1}]', "$.parts[0].depth"),
    ],
)
def test_an_unknown_member_is_refused_at_any_depth(content, path):
    with pytest.raises(ValidationFailed) as caught:
        read(f'{{"name": "a", "free": {{"any": 1}}, {content}}}'.encode())

    first = caught.value.details[0]
    assert (first.path, first.rule) == (path, "unknown")


def test_what_is_missing_is_told_beside_what_is_unknown():
    with pytest.raises(ValidationFailed) as caught:
        read(b'{"nmae": "a"}')

    assert [(each.path, each.message) for each in caught.value.details] == [
        ("$.nmae", "unknown field 'nmae'; did you mean 'name'?"),
        ("$.name", "is required"),
    ]


def test_of_many_unknown_members_twenty_are_told_at_once():
    many = {f"member{number}": 1 for number in range(50_000)}

    begun = time.process_time()
    with pytest.raises(ValidationFailed) as caught:
        read(json.dumps({"name": "a", **many}).encode())

    assert len(caught.value.details) == 20
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"{",
        b'{"name": "a"} x',
        b'{"name": "a",}',
        b"{'name': 'a'}",
        b'{"name": NaN}',
        b'{"name": Infinity}',
        b'{"name": -Infinity}',
        b'{"name": 1e999}',
        b'{"name": -1e999}',
        b'{"name": ' + b"9" * 5000 + b"}",
        b'{"name": "a", "name": "b"}',
        b'{"x": {"y": 1, "\\u0079": 2}, "name": "a"}',
        b'{"name": "\\u0000"}',
        b'{"name": "\x00"}',
        b'{"name": "a\tb"}',
        b'{"name": "\\ud800"}',
        b'{"name": "\\udc00"}',
        b'{"name": "\\ude00\\ud83d"}',
        b'{"name": "\\uD800x"}',
        b'{"\\ud800": 1, "name": "a"}',
        b'{"x": [{"\\u0000": 1}], "name": "a"}',
        b'{"name": "\xed\xa0\x80"}',
        b'{"name": "\xff"}',
        b'\xef\xbb\xbf{"name": "a"}',
        '{"name": "a"}'.encode("utf-16"),
        "{“name”: 1}".encode(),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" + b"[]," * 70 + b'"' + b'\\"' * 400_000,  # quadratic would take hours
        b"[" + b"[]," * 70 + b'"' + b"\\" * 800_001,
    ],
    ids=lambda content: repr(content[:30]),
)
def test_what_is_not_clean_json_is_refused(content):
    with pytest.raises(InvalidJson):
        read(content)


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "\\\\u0000"}',
        b'{"name": "\\\\ud800"}',
        b'{"name": "\\ud83d\\ude00"}',
        b'{"name": "\\u00e9"}',
        b'{"name": "' + b"[{" * 40 + b'"}',
    ],
)
def test_what_only_looks_forbidden_is_read(content):
    assert read(content).name == json.loads(content)["name"]


def test_a_number_is_no_text_and_true_is_no_number():
    for content in (b'{"name": 1}', b'{"name": null}', b"[]", b"1", b"null"):
        with pytest.raises(ValidationFailed):
            read(content)


@pytest.mark.parametrize(
    ("content", "value"),
    [(b"1.0", 1), (b"-2e2", -200), (b"9007199254740993.0", 2**53), (b"0.5", 0.5)],
)
def test_an_integer_may_be_written_as_a_fraction(content, value):
    assert decode(content) == value
    assert type(decode(content)) is type(value)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_depth_is_counted_exactly(opening):
    closing = {b"[": b"]", b'{"a":': b"}"}[opening]

    decode(opening * DEPTH_LIMIT + b"1" + closing * DEPTH_LIMIT)
    with pytest.raises(InvalidJson, match="deeper"):
        decode(opening * (DEPTH_LIMIT + 1) + b"1" + closing * (DEPTH_LIMIT + 1))


def test_many_objects_side_by_side_are_not_deep():
    assert len(decode(b"[" + b",".join([b'{"a": "]["}'] * 5000) + b"]")) == 5000


@pytest.mark.parametrize(
    "type_",
    [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"',
        "application/json; profile=x",
    ],
)
def test_json_in_utf_8_is_read(type_):
    assert read(b'{"name": "a"}', CONTENT_TYPE=type_).name == "a"


@pytest.mark.parametrize(
    "type_",
    [
        None,
        "",
        "text/plain",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "text/json",
    ],
)
def test_other_media_types_are_refused(type_):
    with pytest.raises(UnsupportedMediaType):
        read(b'{"name": "a"}', CONTENT_TYPE=type_)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "identity, gzip"])
def test_compressed_bodies_are_refused(encoding):
    with pytest.raises(UnsupportedMediaType, match="is not accepted"):
        read(b'{"name": "a"}', HTTP_CONTENT_ENCODING=encoding)


def test_the_identity_encoding_is_none():
    assert read(b'{"name": "a"}', HTTP_CONTENT_ENCODING="identity").name == "a"


class Endless(io.RawIOBase):
    """An input that never ends, and counts what was taken of it."""

    taken = 0

    def read(self, size=-1):
        assert size >= 0
        self.taken += size
        return b" " * size


@pytest.mark.parametrize(
    "environ",
    [
        {"CONTENT_LENGTH": str(JSON_MOST + 1)},
        {"CONTENT_LENGTH": "9" * 18},
        {"CONTENT_LENGTH": None, "wsgi.input_terminated": True},
    ],
)
def test_what_is_too_long_is_refused_without_being_read_further(environ):
    endless = Endless()

    with pytest.raises(PayloadTooLarge):
        read(b"", **{"wsgi.input": endless, **environ})
    assert endless.taken <= JSON_MOST + 1


def test_exactly_the_limit_is_read():
    content = b'{"name": "a"}'.ljust(JSON_MOST)

    assert read(content).name == "a"


def test_a_body_of_unknown_length_is_read_to_its_end():
    environ = {"CONTENT_LENGTH": None, "wsgi.input_terminated": True}

    assert read(b'{"name": "a"}', **environ).name == "a"


def test_no_body_needs_no_type_from_a_server_that_says_where_it_ends():
    class Nothing(Struct):
        pass

    environ = {"wsgi.input": io.BytesIO(), "wsgi.input_terminated": True}

    assert JsonBody(Nothing, optional=True).read(environ) == Nothing()
    with pytest.raises(InvalidJson, match="a JSON body is required"):
        JsonBody(Thing, optional=False).read(environ)


def test_without_a_length_and_an_end_there_is_no_body():
    """Reading on could wait for ever (PEP 3333)."""
    with pytest.raises(InvalidJson, match="required"):
        read(b"", **{"CONTENT_LENGTH": None, "wsgi.input": Endless()})


def test_a_body_that_is_cut_off_is_refused():
    with pytest.raises(ValidationFailed, match="too early"):
        read(b'{"name": "a"}', CONTENT_LENGTH="14")


def test_a_body_that_the_server_cannot_read_on_is_refused():
    """gunicorn raises OSError for a chunked body that is cut off or malformed."""

    class Broken:
        def read(self, _):
            raise OSError

    with pytest.raises(ValidationFailed, match="too early"):
        read(b"", **{"wsgi.input": Broken(), "CONTENT_LENGTH": "9"})


@pytest.mark.parametrize("length", ["-1", "x", "1.5", "1_0", "²", "9" * 30, " "])
def test_a_length_that_is_none_is_refused(length):
    with pytest.raises(ValidationFailed):
        read(b'{"name": "a"}', CONTENT_LENGTH=length)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=4)
    ),
    max_leaves=20,
)
MEMBERS = ("name", "isOpen", "stars", "weight", "texts", "unknown")
NOTE_LIKE = st.fixed_dictionaries({}, optional=dict.fromkeys(MEMBERS, JSON))
BODIES = (
    st.binary(max_size=300)
    | (JSON | NOTE_LIKE).map(lambda value: json.dumps(value).encode())
    | NOTE_LIKE.map(lambda value: json.dumps(value, ensure_ascii=False)).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
)


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(content=BODIES, type_=st.sampled_from(["application/json", "text/plain", ""]))
def test_no_body_breaks_the_server(build, content, type_):
    client = Client(build(), "writer")

    answer = client.post(NOTES, content=content, headers={"Content-Type": type_})

    assert answer.status in (201, 400, 415)
    assert answer.json["success"] is (answer.status == 201)
    answer.content.decode("utf-8")


@settings(max_examples=500, deadline=None)
@given(JSON)
def test_a_text_is_read_as_json_says_or_refused(value):
    content = json.dumps(value).encode()
    try:
        read_value = decode(content)
    except InvalidJson:
        return

    assert read_value == json.loads(content)
    json.dumps(read_value, ensure_ascii=False).encode("utf-8")
    assert "\\u0000" not in json.dumps(read_value).replace("\\\\", "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"name": "a", "tags": ["\\u0000"]}', "$.tags[0] holds U+0000 or a lone"),
        (b'{"x": {"a": 1, "b": 2, "a": 3}}', "an object has the member 'a' twice"),
        (b'\xef\xbb\xbf{"name": "a"}', "it begins with a byte order mark"),
        (b'{"name": "a\tb"}', "Invalid control character at line 1 column 12"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(content, message):
    with pytest.raises(InvalidJson, match=re.escape(message)):
        read(content)

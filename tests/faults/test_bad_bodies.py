"""No body gets a 5xx or is stored for nothing; every refusal says its kind."""

from __future__ import annotations

import json
from collections.abc import Iterator

from .site import (
    BAD_FIELD,
    BAD_JSON,
    BAD_KEY,
    JSON,
    MIB,
    MISMATCH,
    NO_FORM,
    NO_LANGUAGE,
    NO_MEDIA,
    TOO_LARGE,
    Expected,
    Site,
    wrong,
)


def key_body(**fields: object) -> bytes:
    return json.dumps({"key": "a", **fields}).encode()


DEEP = 100_000
UNCLEAN = [
    b"",
    b" ",
    b"{",
    b"nul",
    b'{"key": "a",}',
    b'{"key": "a"} {}',
    b"{'key': 'a'}",
    b'\xef\xbb\xbf{"key": "a"}',
    '{"key": "a"}'.encode("utf-16"),
    b'{"key": "a", "key": "b"}',
    b'{"key": "a", "x": {"y": 1, "y": 2}}',
    *(
        b'{"key": "a", "x": %s}' % each
        for each in (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999")
    ),
    b'{"key": "a", "x": %s}' % (b"9" * 5000),
    b'{"key": "a", "x": %s1%s}' % (b"[" * 64, b"]" * 64),
    b'{"key": "a", "x": %s1%s}' % (b"[" * DEEP, b"]" * DEEP),
    b'{"key": "a", "x": %s1%s}' % (b'{"x":' * DEEP, b"}" * DEEP),
    b"[" * DEEP,
    *(
        b'{"key": "a", %s}' % member
        for text in (rb"\u0000", rb"\ud800", rb"\udfff", rb"\udc00\ud800", rb"x\uDBFF")
        for member in (
            b'"description": "%s"' % text,
            b'"tags": ["%s"]' % text,
            b'"values": {"de": "%s"}' % text,
            b'"values": {"%s": "x"}' % text,
            b'"values": {"de": {"%s": "x"}}' % text,
            b'"%s": 1' % text,
            b'"unknown": [{"deep": {"er": "%s"}}]' % text,
        )
    ),
    b'{"key": "a\x00"}',
    b'{"key": "a", "description": "\xff"}',
    b'{"key": "a", "description": "\xed\xa0\x80"}',
    b'{"key": "a", "description": "\xc0\x80"}',
    b'{"key": "a", "description": "\xf4\x90\x80\x80"}',
    b'{"key": "a", "description": "tab\there"}',
]


def test_what_is_no_clean_json_is_refused(site: Site) -> None:
    assert (
        wrong(
            (
                repr(body),
                site.client.post(f"{site.path}/keys", content=body, headers=JSON),
                BAD_JSON,
            )
            for body in UNCLEAN
        )
        == []
    )


def expected_of_bodies() -> Iterator[tuple[bytes, Expected]]:
    for whole in (b"null", b"true", b"3", b'"a"', b"[]", b"{}", b'{"Key": "a"}'):
        yield whole, BAD_FIELD
    for key in (3, None, True, 1.5, [], {}, "", "a" * 501):
        yield key_body(key=key), BAD_FIELD
    for key in ("a..b", ".a", "a.", ".", "a b", "a/b", "ä", "a²", "а", "a\n", "a:b"):
        yield key_body(key=key), BAD_KEY
    for key in ("１", "a\u200b", "a\ufeff", "💥", "a\u0301", "$", "a'", 'a"', "a%00"):
        yield key_body(key=key), BAD_KEY
    for fields in (
        {"description": 3},
        {"description": None},
        {"description": "x" * 1001},
        {"tags": "a"},
        {"tags": {}},
        {"tags": [3]},
        {"tags": [None]},
        {"tags": ["x" * 51]},
        {"tags": [str(number) for number in range(21)]},
        {"isPlural": 1},
        {"isPlural": "true"},
        {"isPlural": None},
        {"values": []},
        {"values": "x"},
        {"values": None},
        {"values": {"de": 3}},
        {"values": {"de": None}},
        {"values": {"de": True}},
        {"values": {"de": ["x"]}},
        {"values": {"de": {"other": 3}}},
        {"values": {"de": "x" * 65_537}},
        {"values": {"de": "ä" * 32_769}},
    ):
        yield key_body(**fields), BAD_FIELD
    for code in ("fr", "", "de\n", "d" * 1000, "../de"):
        yield key_body(values={code: "x"}), NO_LANGUAGE
    yield key_body(values={"de": {"other": "x"}}), MISMATCH
    yield key_body(isPlural=True, values={"de": "x"}), MISMATCH
    yield key_body(isPlural=True, values={"de": {"sixth": "x"}}), NO_FORM
    yield key_body(isPlural=True, values={"de": {"": "x"}}), NO_FORM
    yield key_body(description="x" * MIB), TOO_LARGE
    yield b'{"key": "a"}' + b" " * MIB, TOO_LARGE


def test_what_does_not_fit_a_body_is_refused(site: Site) -> None:
    assert (
        wrong(
            (
                repr(body),
                site.client.post(f"{site.path}/keys", content=body, headers=JSON),
                expected,
            )
            for body, expected in expected_of_bodies()
        )
        == []
    )


def test_numbers_out_of_all_bounds_are_refused(site: Site) -> None:
    one = f"{site.path}/distributions/{site.distribution_id}"
    numbers = [
        -1,
        2**31 - 1,
        2**31,
        2**53,
        2**63,
        2**64,
        -(2**63) - 1,
        10**400,
        1.5,
        1e300,
    ]
    bodies = [
        ("POST", f"{one}/rollback", "version"),
        ("POST", f"{site.path}/tokens", "expiresInDays"),
        ("POST", "/tokens", "expiresInDays"),
    ]
    cases = []
    for method, path, field in bodies:
        for number in [*numbers, True, "1", None, [], {}]:
            body = {field: number, "name": "x", "permissions": ["project_read"]}
            answer = site.client.request(method, path, json_body=body)
            is_absent = field == "version" and number == 2**31 - 1
            expected = (404, "release_not_found") if is_absent else BAD_FIELD
            if (answer.status, number) == (400, 10**400):
                expected = (400, answer.json["error"]["code"])  # more than any number
            cases.append((f"{path} {field} {str(number)[:40]}", answer, expected))
    for quota in ({"requests": 2**70, "bytes": 1}, {"requests": -1, "bytes": 1}, 3):
        answer = site.client.request(
            "PATCH", "/organization", json_body={"deliveryQuota": quota}
        )
        cases.append((str(quota), answer, BAD_FIELD))
    faults = wrong(cases)

    assert faults == []


def test_a_body_of_another_kind_is_unsupported(site: Site) -> None:
    keys = f"{site.path}/keys"
    kinds: list[dict[str, str]] = [
        {},
        {"Content-Type": ""},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/json;charset=latin-1"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": "application/json, text/plain"},
        *({**JSON, "Content-Encoding": each} for each in ("gzip", "br", "deflate")),
        {**JSON, "Content-Encoding": "gzip, identity"},
    ]
    cases = [
        (str(kind), site.client.post(keys, content=key_body(), headers=kind), NO_MEDIA)
        for kind in kinds
    ]
    upload = f"{site.path}/import"
    for kind in [JSON, {}, {"Content-Type": "application/zip"}]:
        answer = site.client.post(upload, content=b"{}", headers=kind)
        cases.append((f"import {kind}", answer, NO_MEDIA))
    packed = {"Content-Type": "multipart/form-data; boundary=x"}
    packed["Content-Encoding"] = "gzip"
    answer = site.client.post(upload, content=b"--x--", headers=packed)
    cases.append(("import packed", answer, NO_MEDIA))

    assert wrong(cases) == []

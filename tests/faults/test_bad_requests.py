"""No request gets a 5xx or is stored for nothing; every refusal says its kind.

What the readers of bodies, forms and queries refuse is listed in tests/http. Here the
whole application is asked, through our own server.
"""

from __future__ import annotations

import json
import socket
from contextlib import closing, contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import pytest

World = Any  # tests/faults/conftest.py
Expected = tuple[int, str]
JSON = {"Content-Type": "application/json"}
BAD_JSON: Expected = (400, "invalid_json")
BAD_FIELD: Expected = (400, "validation_failed")
BAD_KEY: Expected = (400, "invalid_key")
NO_LANGUAGE: Expected = (400, "language_not_in_project")
MISMATCH: Expected = (400, "plural_mismatch")
NO_FORM: Expected = (400, "invalid_plural_form")
TOO_LARGE: Expected = (413, "payload_too_large")
MIB = 1024 * 1024


class Site(NamedTuple):
    """A server with a project that nothing may change."""

    world: World
    client: Any
    port: int
    project_id: str
    path: str  # of the project
    key_id: str
    distribution: dict[str, Any]

    def stored(self):
        """How many rows every table has, and every text."""
        return {**self.world.row_counts(), **self.world.texts({"id": self.project_id})}


@contextmanager
def opened(world):
    workspace = world.workspace
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    key = workspace.key(project, "checkout.pay", values={"en": "Pay", "de": "Zahlen"})
    body = {"name": "Web", "format": "json-nested"}
    made = workspace.owner.post(f"{path}/distributions", json=body).data["distribution"]
    workspace.run_jobs()
    server = world.start()
    client = world.owner(server)
    site = Site(world, client, server.port, project["id"], path, key["id"], made)
    before = site.stored()
    yield site
    assert site.stored() == before
    assert client.get("/readyz").status == 200
    client.close()
    assert server.stop() == 0


@pytest.fixture
def site(world):
    with opened(world) as site:
        yield site


@pytest.fixture
def sqlite_site(sqlite_world):
    """For what is refused before the database is asked."""
    with opened(sqlite_world) as site:
        yield site


def wrong(cases):
    """Those that were answered otherwise than expected, or out of the envelope."""
    found = []
    for name, answer, expected in cases:
        try:
            error = answer.json["error"]
            got = answer.status, error["code"]
            fits = answer.json["success"] is False and len(error["message"]) <= 200
        except (ValueError, KeyError, TypeError):
            got, fits = (answer.status, repr(answer.content[:100])), False
        if got != expected or not fits:
            found.append(f"{name[:80]}: {got}, expected {expected}")
    return found


def key_body(**fields):
    return json.dumps({"key": "a", **fields}).encode()


def bodies():
    for text in (rb"\u0000", rb"\udfff"):
        for member in (
            b'"description": "%s"' % text,
            b'"tags": ["%s"]' % text,
            b'"values": {"de": "%s"}' % text,
            b'"values": {"%s": "x"}' % text,
            b'"values": {"de": {"%s": "x"}}' % text,
            b'"%s": 1' % text,
            b'"unknown": [{"deep": {"er": "%s"}}]' % text,
        ):
            yield b'{"key": "a", %s}' % member, BAD_JSON
    for unclean in (b"", b"{", b'{"key": "a\x00"}', b'{"key": "\xff"}', b"[" * 100_000):
        yield unclean, BAD_JSON
    for whole in (b"null", b"true", b"3", b'"a"', b"[]", b"{}", b'{"Key": "a"}'):
        yield whole, BAD_FIELD
    for key in (3, None, True, 1.5, [], {}, "", "a" * 501):
        yield key_body(key=key), BAD_FIELD
    for key in ("a..b", ".a", "a.", ".", "a b", "a/b", "ä", "a²", "а", "a\n", "a:b"):
        yield key_body(key=key), BAD_KEY
    for key in ("１", "a\u200b", "a\ufeff", "💥", "a\u0301", "$", "a'", 'a"', "a%00"):
        yield key_body(key=key), BAD_KEY
    for name, values in {
        "description": [3, None, "x" * 1001],
        "tags": ["a", {}, [3], [None], ["x" * 51], [str(n) for n in range(21)]],
        "isPlural": [1, "true", None],
        "values": [[], "x", None, *({"de": each} for each in (3, None, True, ["x"]))],
    }.items():
        for value in values:
            yield key_body(**{name: value}), BAD_FIELD
    for text in ({"other": 3}, "x" * 65_537, "ä" * 32_769):
        yield key_body(values={"de": text}), BAD_FIELD
    for code in ("fr", "", "de\n", "d" * 1000, "../de"):
        yield key_body(values={code: "x"}), NO_LANGUAGE
    yield key_body(values={"de": {"other": "x"}}), MISMATCH
    yield key_body(isPlural=True, values={"de": "x"}), MISMATCH
    yield key_body(isPlural=True, values={"de": {"sixth": "x"}}), NO_FORM
    yield key_body(isPlural=True, values={"de": {"": "x"}}), NO_FORM
    yield key_body(description="x" * MIB), TOO_LARGE
    yield b'{"key": "a"}' + b" " * MIB, TOO_LARGE


def test_what_does_not_fit_a_body_is_refused(site):
    keys = f"{site.path}/keys"
    answers = (
        (repr(body), site.client.post(keys, content=body, headers=JSON), expected)
        for body, expected in bodies()
    )

    assert wrong(answers) == []


def test_numbers_out_of_all_bounds_are_refused(site):
    absent = 2**31 - 1
    numbers = [-1, absent, 2**31, 2**53, 2**63, 2**64, -(2**63) - 1, 10**400, 1.5]
    rollback = f"{site.path}/distributions/{site.distribution['id']}/rollback"
    cases = []
    token = {"name": "x", "permissions": ["project_read"]}
    for path, field, more in (
        (rollback, "version", {}),
        (f"{site.path}/tokens", "expiresInDays", token),
        ("/tokens", "expiresInDays", token),
    ):
        for number in [*numbers, 1e300, True, "1", None, [], {}]:
            answer = site.client.post(path, {field: number, **more})
            is_absent = field == "version" and number == absent
            expected = (404, "release_not_found") if is_absent else BAD_FIELD
            if (answer.status, number) == (400, 10**400):
                expected = (400, answer.json["error"]["code"])  # more than any number
            cases.append((f"{path} {field} {str(number)[:40]}", answer, expected))
    for quota in ({"requests": 2**70, "bytes": 1}, {"requests": -1, "bytes": 1}, 3):
        body = {"deliveryQuota": quota}
        answer = site.client.request("PATCH", "/organization", json_body=body)
        cases.append((str(quota), answer, BAD_FIELD))

    assert wrong(cases) == []


QUERIES = [
    *(f"{name}={10**n}" for name in ("page", "limit") for n in (18, 400)),
    "page=1000001",
    "sort=nonsense",
    "sort=key%20desc",
    "sort=-",
    "status=nonsense",
    "isPlural=maybe",
    "isOutdated=",
    "include=everything",
    "updatedSince=yesterday",
    "updatedSince=2026-13-01",
    "updatedSince=9999999999",
    *(f"{name}=%00" for name in ("search", "prefix", "tag", "languageCode")),
    "search=a%00b",
    "search=%ff",
    "search=%ed%a0%80",
    "search=" + "x" * 1001,
    "prefix=" + "x" * 501,
    "&".join(f"tag={number}" for number in range(21)),
]
ODD_SEARCHES = [
    '"', "a-b", "col:x", "(", "*", "^", "'", "NEAR(", "%", "_", "\\", "!", "--", ";",
    "' OR 1=1 --", "{}", "%%%", "\u202e", "İ", "ß", "\U0001f4a5", "a" * 1000,
]  # fmt: skip


def test_a_query_that_cannot_be_is_refused_and_any_text_can_be_searched_for(site):
    keys = f"{site.path}/keys"
    cases = [(q, site.client.get(f"{keys}?{q}"), BAD_FIELD) for q in QUERIES]

    assert wrong(cases) == []
    for text in ODD_SEARCHES:
        for name, longest in (("search", 1000), ("prefix", 500), ("tag", 50)):
            if len(text) <= longest:
                answer = site.client.get(keys, query={name: text})
                assert answer.status == 200, (name, text, answer)
                assert answer.data["total"] in (0, 1)


AFTER = "%0A %20 %00 %ff x %2F.. %2f"
BEFORE = "%20 %00 x ..%2f ..%5c x%2F- urn:uuid:"
NO_IDS = "%2e%2e %00 %ff null 0 -1 18446744073709551616 ' %25"
NO_LANGUAGES = "%00 %ff d%65%00 .. %2e%2e de%0A * ' de- fr fr.json %C4%91e ｄｅ de_"


def odd_ids(id_):
    """What some readers of UUIDs take for the id, percent-encoded where need be."""
    full_width = {ord("0") + n: 0xFF10 + n for n in range(10)}
    return [
        *(id_ + after for after in AFTER.split()),
        *(before + id_ for before in BEFORE.split()),
        *NO_IDS.split(),
        id_.upper(),
        id_.replace("-", ""),
        f"{{{id_}}}",
        id_[:-1],
        id_.replace("-", "%E2%80%90"),
        quote(id_.translate(full_width)),
        "a" * 2000,
        str(uuid4()).upper(),
    ]


def test_an_id_that_is_none_is_not_found(site):
    one = f"{site.path}/distributions"
    organization_id = site.world.workspace.organization_id
    places = [
        ("/projects/{}", site.project_id, "project_not_found"),
        ("/projects/{}/keys", site.project_id, "project_not_found"),
        (f"{site.path}/keys/{{}}", site.key_id, "key_not_found"),
        (f"{site.path}/keys/{{}}/values/de", site.key_id, "key_not_found"),
        (f"{one}/{{}}", site.distribution["id"], "distribution_not_found"),
        (f"{site.path}/jobs/{{}}", str(uuid4()), "job_not_found"),
        ("/organizations/{}", organization_id, "organization_not_found"),
    ]
    cases = []
    for template, id_, code in places:
        absent = site.client.get(template.format(uuid4()))
        for odd in odd_ids(id_):
            answer = site.client.get(template.format(odd))
            # a slash that was encoded is one to WSGI: then it is another route
            routed = (404, "not_found" if "%2f" in odd.lower() else code)
            if answer.json["error"]["code"] == "not_found":
                routed = (404, "not_found")  # a control character is no path at all
            cases.append((template.format(odd), answer, routed))
            if routed[1] == code:
                assert answer.content == absent.content

    assert wrong(cases) == []


def test_every_slug_that_ends_in_the_id_is_the_project(sqlite_site):
    for before in ("web-shop-", "-", "anything-", "%C3%A4-", "a%20b-", "x" * 500 + "-"):
        answer = sqlite_site.client.get(f"/projects/{before}{sqlite_site.project_id}")
        assert answer.status == 200, before
        assert answer.data["project"]["id"] == sqlite_site.project_id


def test_an_encoded_slash_in_the_name_of_a_branch_comes_through(sqlite_world):
    path = f"/projects/{sqlite_world.workspace.project()['id']}/branches"
    client = sqlite_world.owner(sqlite_world.start())
    client.post(path, {"name": "feature/x"})

    found = client.get(f"{path}/feature%2Fx")
    diff = client.get(f"{path}/feature%2Fx/diff")
    merged = client.post(f"{path}/feature%2Fx/merge", {})

    assert found.data["branch"]["name"] == "feature/x"
    assert [diff.status, merged.status] == [200, 200]
    assert merged.data["branch"]["status"] == "merged"


def test_a_language_that_is_none_is_not_found(sqlite_site):
    site = sqlite_site
    values = f"{site.path}/keys/{site.key_id}/values"
    cases = []
    for lang in [*NO_LANGUAGES.split(), "%F0%9F%92%A5", "%5c..%5cde", "x" * 2000]:
        for method, body in (("GET", None), ("PUT", {"value": "x"})):
            path = f"{values}/{quote(lang, safe='%')}"
            answer = site.client.request(method, path, json_body=body)
            code = answer.json["error"]["code"]
            expected = code if code == "not_found" else "language_not_found"
            cases.append((f"{method} {lang}", answer, (404, expected)))

    assert wrong(cases) == []
    for lang in ("DE", "de.json", "De.tar.gz", "de.%2e"):
        assert site.client.get(f"{values}/{lang}").status == 200


def exchange(port, head):
    """Status and body of a request that no library would send."""
    with closing(socket.create_connection(("127.0.0.1", port), 30)) as sender:
        sender.sendall(head.replace("\n", "\r\n").encode("latin-1"))
        sender.shutdown(socket.SHUT_WR)
        answer = b""
        while part := sender.recv(65536):
            answer += part
    return int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]


def test_odd_heads_of_requests_are_answered_in_the_400s(sqlite_site):
    port = sqlite_site.port
    host = "Host: localhost\nConnection: close\n"
    token = f"Authorization: Bearer {sqlite_site.client.token}\n"
    path = f"/api/v1{sqlite_site.path}"
    usual = f"HTTP/1.1\n{host}{token}"
    heads = {
        f"GET {path} HTTP/1.1\n{token}\n": {200},
        f"GET {path} HTTP/1.1\n{host}{host}{token}\n": {400},
        f"GET {path} HTTP/1.1\nHost: a/b\n{token}\n": {400},
        f"GET {path} HTTP/1.1\nHost: \n{token}\n": {400},
        f"GET {path}\x00 {usual}\n": {400, 404},
        f"GET {path}\xff {usual}\n": {400, 404},
        f"GET /{path} {usual}\n": {200, 400, 404},
        f"GET {path}/ {usual}\n": {404},
        f"GET {path}/../../api/v1/projects {usual}\n": {404},
        f"BREW {path} {usual}\n": {405},
        f"TRACE {path} {usual}\n": {405},
        f"get {path} {usual}\n": {400, 405},
        f"GET * {usual}\n": {400, 404},
        f"POST {path}/keys {usual}Content-Length: -1\n\n": {400},
        f"POST {path}/keys {usual}Content-Length: 2\nContent-Length: 3\n\n": {400},
        f"GET {path} {usual}Accept: text/html\n\n": {406},
        f"GET {path} {usual}Accept: {'x' * 9000}\n\n": {200, 406},
    }

    twice = exchange(port, f"GET {path} {usual}{token}\n")
    comma = exchange(port, f"GET {path} {usual[:-1]}, Bearer x\n\n")

    assert (twice[0], comma[0]) == (401, 401)
    assert twice[1] == comma[1]
    for head, statuses in heads.items():
        status, body = exchange(port, head)
        assert status in statuses, (head[:60], status)
        assert b"Traceback" not in body


def test_odd_validators_are_no_validators_and_odd_blobs_are_not_there(sqlite_site):
    client, key = sqlite_site.client, sqlite_site.distribution["publicKey"]
    manifest = f"/content/{key}/manifest.json"
    etag = client.get(manifest).headers["ETag"]

    for text in ('"', 'W/"', "x" * 5000, '"' * 5000, ",,,,", '"a", ', "%00", "\xff"):
        answer = client.get(manifest, headers={"If-None-Match": text})
        assert answer.status == 200, text
    for text in (etag, f"W/{etag}", f'"x", {etag}', "*", f" {etag} , "):
        answer = client.get(manifest, headers={"If-None-Match": text})
        assert answer.status == 304, text
    for blob in ("0" * 64, "0" * 63, "A" * 64, "%00", "..", "é", "１" * 64):
        answer = client.get(f"/content/{key}/b/{quote(blob, safe='%')}")
        assert answer.status == 404, blob
        assert answer.json == {"error": "not_found"} or "success" in answer.json

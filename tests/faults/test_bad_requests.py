"""Nothing that can be sent gets a 5xx or is stored; every refusal says its kind."""

from __future__ import annotations

import socket
from contextlib import closing
from urllib.parse import quote
from uuid import uuid4

from .site import BAD_FIELD, Site, wrong

QUERIES = [
    *(
        f"{name}={value}"
        for name in ("page", "limit")
        for value in (
            "0", "-1", "1.0", "1e3", "abc", "", "%00", "１", "+1", "0x1", "1_0",
            10**18, 2**63, 2**64, 10**400, "true", " 1", "1%C2%A0",
        )
    ),
    "page=1000001",
    "limit=201",
    "page=1&page=2",
    "sort=nonsense",
    "sort=key%20desc",
    "sort=-",
    "status=nonsense",
    "isPlural=maybe",
    "isPlural=1",
    "isOutdated=",
    "include=everything",
    "updatedSince=yesterday",
    "updatedSince=2026-13-01",
    "updatedSince=9999999999",
    "search=%00",
    "search=a%00b",
    "search=%ff",
    "search=%ed%a0%80",
    "prefix=%00",
    "tag=%00",
    "tag=%ff",
    "languageCode=%00",
    "search=" + "x" * 1001,
    "prefix=" + "x" * 501,
    "&".join(f"tag={number}" for number in range(21)),
]  # fmt: skip
ODD_SEARCHES = [
    '"', "a-b", "col:x", "(", "*", "^", "'", "NEAR(", "%", "_", "\\", "!", "--", ";",
    "' OR 1=1 --", "{}", "%%%", "\u202e", "İ", "ß", "\U0001f4a5", "a" * 1000,
]  # fmt: skip


def test_a_query_that_cannot_be_is_refused(site: Site) -> None:
    cases = [
        (query, site.client.get(f"{site.path}/keys?{quote(query, safe='=&%+-')}"))
        for query in QUERIES
    ]

    assert wrong((query, answer, BAD_FIELD) for query, answer in cases) == []


def test_any_text_can_be_searched_for(site: Site) -> None:
    for text in ODD_SEARCHES:
        for name in ("search", "prefix", "tag"):
            if len(text) > {"search": 1000, "prefix": 500, "tag": 50}[name]:
                continue
            answer = site.client.get(f"{site.path}/keys", query={name: text})
            assert answer.status == 200, (name, text, answer)
            assert answer.data["total"] in (0, 1)


def odd_ids(id_: str) -> list[str]:
    """What some readers of UUIDs take for the id, percent-encoded where need be."""
    plain = id_.replace("-", "")
    return [
        id_.upper(),
        plain,
        f"{{{id_}}}",
        f"urn:uuid:{id_}",
        f"{id_}%0A",
        f"{id_}%20",
        f"%20{id_}",
        f"{id_}%00",
        f"%00{id_}",
        f"{id_}%ff",
        f"{id_}x",
        f"x{id_}",
        id_[:-1],
        id_.replace("-", "%E2%80%90"),
        quote(id_.translate({ord("0") + n: 0xFF10 + n for n in range(10)})),
        f"..%2f{id_}",
        f"..%5c{id_}",
        f"x%2F-{id_}",
        f"{id_}%2F..",
        f"{id_}%2f",
        "%2e%2e",
        "%00",
        "%ff",
        "null",
        "0",
        "-1",
        str(2**64),
        "'",
        "%25",
        "a" * 2000,
        str(uuid4()),
        str(uuid4()).upper(),
    ]


def test_an_id_that_is_none_is_not_found(site: Site) -> None:
    project_id = site.path.rpartition("/")[2]
    one = f"{site.path}/distributions"
    places = [
        ("/projects/{}", project_id, "project_not_found"),
        ("/projects/{}/keys", project_id, "project_not_found"),
        (f"{site.path}/keys/{{}}", site.key_id, "key_not_found"),
        (f"{site.path}/keys/{{}}/values/de", site.key_id, "key_not_found"),
        (f"{one}/{{}}", site.distribution_id, "distribution_not_found"),
        (f"{site.path}/jobs/{{}}", str(uuid4()), "job_not_found"),
        (
            "/organizations/{}",
            site.world.workspace.organization_id,
            "organization_not_found",
        ),
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


def test_every_slug_that_ends_in_the_id_is_the_project(site: Site) -> None:
    project_id = site.path.rpartition("/")[2]
    for before in ("web-shop-", "-", "anything-", "%C3%A4-", "a%20b-", "x" * 500 + "-"):
        answer = site.client.get(f"/projects/{before}{project_id}")
        assert answer.status == 200, before
        assert answer.data["project"]["id"] == project_id


def test_a_language_that_is_none_is_not_found(site: Site) -> None:
    values = f"{site.path}/keys/{site.key_id}/values"
    odd = [
        "%00",
        "%ff",
        "d%65%00",
        "..",
        "%2e%2e",
        "de%0A",
        "x" * 2000,
        "*",
        "'",
        "de-",
    ]
    odd += ["fr", "fr.json", "%C4%91e", "ｄｅ", "de_", "%F0%9F%92%A5", "%5c..%5cde"]
    cases = []
    for lang in odd:
        for method in ("GET", "PUT"):
            path = f"{values}/{quote(lang, safe='%')}"
            body = {"value": "x"} if method == "PUT" else None
            answer = site.client.request(method, path, json_body=body)
            code = answer.json["error"]["code"]
            expected = code if code == "not_found" else "language_not_found"
            cases.append((f"{method} {lang}", answer, (404, expected)))

    assert wrong(cases) == []
    for lang in ("DE", "de.json", "De.tar.gz", "de.%2e"):
        assert site.client.get(f"{values}/{lang}").status == 200


def exchange(port: int, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and body of a request that no library would send."""
    with closing(socket.create_connection(("127.0.0.1", port), 30)) as sender:
        sender.sendall(head.replace("\n", "\r\n").encode("latin-1") + body)
        sender.shutdown(socket.SHUT_WR)
        answer = b""
        while part := sender.recv(65536):
            answer += part
    return int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]


def test_odd_heads_of_requests_are_answered_in_the_400s(site: Site) -> None:
    host = "Host: localhost\nConnection: close\n"
    token = f"Authorization: Bearer {site.client.token}\n"
    path = f"/api/v1{site.path}"
    twice = exchange(site.port, f"GET {path} HTTP/1.1\n{host}{token}{token}\n")
    comma = exchange(
        site.port, f"GET {path} HTTP/1.1\n{host}{token[:-1]}, Bearer x\n\n"
    )
    heads = {
        f"GET {path} HTTP/1.1\n{token}\n": {200},
        f"GET {path} HTTP/1.1\n{host}{host}{token}\n": {400},
        f"GET {path} HTTP/1.1\nHost: a/b\n{token}\n": {400},
        f"GET {path} HTTP/1.1\nHost: \n{token}\n": {400},
        f"GET {path}\x00 HTTP/1.1\n{host}{token}\n": {400, 404},
        f"GET {path}\xff HTTP/1.1\n{host}{token}\n": {400, 404},
        f"GET /{path} HTTP/1.1\n{host}{token}\n": {200, 400, 404},
        f"GET {path}/ HTTP/1.1\n{host}{token}\n": {404},
        f"GET {path}/../../api/v1/projects HTTP/1.1\n{host}{token}\n": {404},
        f"BREW {path} HTTP/1.1\n{host}{token}\n": {405},
        f"TRACE {path} HTTP/1.1\n{host}{token}\n": {405},
        f"get {path} HTTP/1.1\n{host}{token}\n": {400, 405},
        f"GET * HTTP/1.1\n{host}{token}\n": {400, 404},
        f"POST {path}/keys HTTP/1.1\n{host}{token}Content-Length: -1\n\n": {400},
        f"POST {path}/keys HTTP/1.1\n{host}{token}Content-Length: 2\n"
        "Content-Length: 3\n\n": {400},
        f"GET {path} HTTP/1.1\n{host}Accept: text/html\n{token}\n": {406},
        f"GET {path} HTTP/1.1\n{host}Accept: {'x' * 9000}\n{token}\n": {200, 406},
    }

    assert (twice[0], comma[0]) == (401, 401)
    assert twice[1] == comma[1]
    for head, statuses in heads.items():
        status, body = exchange(site.port, head)
        assert status in statuses, (head[:60], status)
        assert b"Traceback" not in body


def test_odd_validators_are_no_validators(site: Site) -> None:
    found = site.client.get(f"{site.path}/distributions/{site.distribution_id}")
    key = found.data["distribution"]["publicKey"]
    manifest = f"/content/{key}/manifest.json"
    etag = site.client.get(manifest).headers["ETag"]
    odd = [
        '"',
        "W/",
        'W/"',
        '"x',
        "x" * 5000,
        '"' * 5000,
        ",,,,",
        '"a", ',
        "%00",
        "\xff",
    ]

    for text in odd:
        answer = site.client.get(manifest, headers={"If-None-Match": text})
        assert answer.status == 200, text
    for text in (etag, f"W/{etag}", f'"x", {etag}', "*", f" {etag} , "):
        assert (
            site.client.get(manifest, headers={"If-None-Match": text}).status == 304
        ), text
    for blob in (
        "0" * 64,
        "0" * 63,
        "A" * 64,
        "%00",
        "..",
        "%2e%2e%2f",
        "é",
        "１" * 64,
    ):
        path = f"/content/{key}/b/{quote(blob, safe='%')}"
        answer = site.client.get(path)
        assert answer.status == 404, blob
        assert answer.json == {"error": "not_found"} or "success" in answer.json

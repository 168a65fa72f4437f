"""What clients of a distribution read: the manifest, and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import by_hand
import peers
import pytest
import stock
from measuring import Table, in_turns

KEYS = 1000  # a file of about 60 kB
ROUNDS = 7
BY_HAND = "by hand, same promises"
KEPT_MOST, KEPT_MOST_OVER_HTTP = 1.8, 1.5


class Published:
    """A released distribution of ten languages; made once an application."""

    def __init__(self, shop: Any) -> None:
        owner = shop.workspace.owner
        project = shop.filled(KEYS, stock.TEN)
        path = f"/projects/{project['id']}/distributions"
        made = owner.post(path, json={"name": "Web", "format": "json-nested"})
        shop.workspace.run_jobs()
        key = made.data["distribution"]["publicKey"]
        self.manifest = f"/api/v1/content/{key}/manifest.json"
        read = owner.get(self.manifest)
        self.etag = read.headers["ETag"]
        files = read.json["files"]
        [file] = [each for each in files if each["language"] == "de"]
        self.blob = urlsplit(file["url"]).path
        self.sha256 = file["contentHash"].removeprefix("sha256:")
        assert len(files) == len(stock.TEN)


@pytest.fixture(scope="session")
def published(shop: Any) -> Published:
    """On the database of the application."""
    return Published(shop)


@pytest.mark.parametrize("what", ["manifest 200", "manifest 304", "file"])
def test_content(
    shop: Any,
    published: Published,
    what: str,
    asked: Callable[..., Any],
    servers: Any,
    table: Table,
    tmp_path: Path,
) -> None:
    headers = {"If-None-Match": published.etag} if what == "manifest 304" else {}
    target = published.blob if what == "file" else published.manifest
    content = asked(shop.workspace.app, target)()
    if what == "file":
        assert sha256(content).hexdigest() == published.sha256
        tree = json.loads(content)
        assert tree == stock.nested(stock.texts(KEYS, "de"))
    ours = asked(shop.workspace.app, target, **headers)
    static = peers.static_app(content, published.etag)
    bare = asked(static, peers.STATIC, **headers)
    assert ours() == bare()
    assert ours.status == bare.status

    statements = peers.statements_asked(shop.storage, ours)
    given = shop.url, statements, content, published.etag
    calls = {"ours": ours, "bare": bare}
    if what != "file":
        kept = asked(by_hand.manifest_app(*given), target, **headers)
        assert (kept(), kept.status) == (ours(), ours.status)
        calls["kept"] = kept

    taken = in_turns(ROUNDS, 500, **calls)

    peer = ("bare Falcon, same bytes", taken["bare"])
    table.add(what, shop.kind, KEYS, taken["ours"], peer)
    if "kept" in taken:
        same, peer = f"{what}: same promises", (BY_HAND, taken["kept"])
        most = KEPT_MOST if headers else None
        table.add(same, shop.kind, KEYS, taken["ours"], peer, ratio_most=most)
    request = target, headers, content, published.etag
    over_http(shop, what, request, statements, servers, table)


def over_http(
    shop: Any,
    what: str,
    request: tuple[str, dict[str, str], bytes, str],
    statements: Sequence[peers.Statement],
    servers: Any,
    table: Table,
) -> None:
    """The same at 16 connections, both on locframework.server."""
    target, headers, content, etag = request
    file = shop.folder / "static"
    file.write_bytes(content)
    static: dict[str, object] = {"file": str(file), "etag": etag}
    requests = {
        "ours": (servers.start(settings=shop.settings), target, headers),
        "bare": (servers.start(**static), peers.STATIC, headers),
    }
    if what != "file":
        source: dict[str, object] = {"url": shop.url, "statements": statements}
        port = servers.start(**static, **source, by_hand=True)
        requests["kept"] = port, target, headers

    told = servers.loaded(3, requests)

    status, length = (304, 0) if headers else (200, len(content))
    for _, last in told.values():
        assert (last["statuses"], last["length"]) == ([status], length)
    peer = ("bare Falcon, same bytes and server", told["bare"][0])
    what = f"{what}, 16 connections"
    table.add(what, shop.kind, KEYS, told["ours"][0], peer)
    if "kept" in told:
        same, peer = f"{what}: same promises", (BY_HAND, told["kept"][0])
        goal = KEPT_MOST_OVER_HTTP if headers else None
        table.add(same, shop.kind, KEYS, told["ours"][0], peer, ratio_most=goal)

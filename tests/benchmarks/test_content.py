"""What clients of a distribution read: the manifest."""

import by_hand
import peers
import pytest
import stock
from measuring import in_turns

KEYS = 1000
ROUNDS = 7
BY_HAND = "by hand, same promises"
KEPT_MOST = 1.8


class Published:
    """A released distribution of ten languages; made once an application."""

    def __init__(self, shop):
        owner = shop.workspace.owner
        project = shop.filled(KEYS, stock.TEN)
        path = f"/projects/{project['id']}/distributions"
        made = owner.post(path, json={"name": "Web", "format": "json-nested"})
        shop.workspace.run_jobs()
        key = made.data["distribution"]["publicKey"]
        self.manifest = f"/api/v1/content/{key}/manifest.json"
        read = owner.get(self.manifest)
        self.etag = read.headers["ETag"]
        assert len(read.json["files"]) == len(stock.TEN)


@pytest.fixture(scope="session")
def published(shop):
    """On the database of the application."""
    return Published(shop)


@pytest.mark.parametrize("what", ["manifest 200", "manifest 304"])
def test_a_manifest(shop, published, what, asked, table):
    target, is_304 = published.manifest, what == "manifest 304"
    headers = {"If-None-Match": published.etag} if is_304 else {}
    content = asked(shop.workspace.app, target)()
    ours = asked(shop.workspace.app, target, **headers)
    ours()
    statements = peers.statements_asked(shop.storage, ours)
    given = shop.url, statements, content, published.etag
    kept = asked(by_hand.manifest_app(*given), target, **headers)
    assert (kept(), kept.status) == (ours(), ours.status)

    taken = in_turns(ROUNDS, 500, ours=ours, kept=kept)

    peer, most = (BY_HAND, taken["kept"]), KEPT_MOST if is_304 else None
    table.add(what, shop.kind, KEYS, taken["ours"], peer, ratio_most=most)

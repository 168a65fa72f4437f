"""Reading one key, pages of keys with their values, and statistics."""

import json

import by_hand
import peers
import pytest
import stock
from measuring import in_turns

from locframework.pagination import TOTAL_LIMIT

PAGE = 100
ROUNDS = 7
BY_HAND = "by hand, same promises"
KEPT_MOST = 1.8


def unwrapped(content):
    """The keys of an answer, ours or the peer's, in what both of them say."""
    data = json.loads(content)["data"]
    keys = data["items"] if "items" in data else [data["key"]]
    for key in keys:
        key.pop("projectId", None)
        key.pop("keySource", None)
        key["values"].sort(key=lambda value: value["languageCode"])
    return keys


def test_one_key(shop, size, asked, table):
    project = shop.filled(size, stock.FIVE)
    name = stock.key_name(size // 2)
    [key] = shop.storage.keys.find_keys(project["id"], names=[name]).values()
    path = f"/projects/{project['id']}/keys/{key.id}"
    headers = {"Authorization": f"Bearer {shop.workspace.owner.token}"}
    ours = asked(shop.workspace.app, path, **headers)
    assert len(unwrapped(ours())[0]["values"]) == len(stock.FIVE)
    statements = peers.statements_asked(shop.storage, ours)
    kept = asked(by_hand.key_app(shop.url, statements), path, **headers)
    assert kept() == ours()

    taken = in_turns(ROUNDS, 300, ours=ours, kept=kept)

    peer = (BY_HAND, taken["kept"])
    table.add("one key", shop.kind, size, taken["ours"], peer, ratio_most=KEPT_MOST)


PAGES = ["first", "middle", "last by number", "tag, middle", "middle by cursor"]


@pytest.mark.parametrize("which", PAGES)
def test_a_page(shop, size, which, asked, table):
    project = shop.filled(size, stock.FIVE)
    has_tag = which.startswith("tag")
    names = sorted(
        stock.key_name(at) for at in range(size) if not has_tag or at % 7 == 0
    )
    last = (min(len(names), TOTAL_LIMIT) - 1) // PAGE + 1
    number = {"first": 1, "last by number": last}.get(which, last // 2)
    query = f"include=values&limit={PAGE}"
    query += f"&tag={stock.TAG}" if has_tag else ""
    path = f"/projects/{project['id']}/keys?{query}"
    page = f"page={number}"
    if which.endswith("cursor"):
        before = shop.workspace.owner.get(f"{path}&page={number - 1}").data
        page = f"cursor={before['nextCursor']}"
    headers = {"Authorization": f"Bearer {shop.workspace.owner.token}"}
    ours = asked(shop.workspace.app, f"{path}&{page}", **headers)
    found = unwrapped(ours())
    assert [key["key"] for key in found] == names[(number - 1) * PAGE :][:PAGE]
    assert all(len(key["values"]) == len(stock.FIVE) for key in found)
    raw = peers.RawRead(shop.url, peers.statements_asked(shop.storage, ours))
    theirs = {key["id"]: key for key in unwrapped(raw.answer())}
    assert [theirs[key["id"]] for key in found] == found
    assert len(theirs) <= PAGE + 1  # one is read to see whether more come

    taken = in_turns(ROUNDS, 10, ours=ours, raw=raw.answer)

    peer = ("same SQL, json.dumps", taken["raw"])
    what = f"page of {PAGE} keys x 5 languages: {which}"
    most = 30 if shop.kind == "sqlite" else None  # the goal speaks of SQLite
    table.add(what, shop.kind, size, taken["ours"], peer, ms_most=most)


RECOUNT = """SELECT language_code, status, count(*), sum(words) FROM (
        SELECT v.language_code, v.status, s.words FROM lines l
        JOIN keys k ON k.project = l.number AND k.deleted_at IS NULL
        JOIN key_values v ON v.key_number = k.number
        LEFT JOIN key_values s ON s.key_number = k.number AND s.language_code = ?
        WHERE l.id = ?) counted
    GROUP BY language_code, status"""


def test_statistics(shop, size, asked, table):
    """The goal speaks of a million values: 100k keys are half of that in five."""
    project = shop.filled(size, stock.FIVE)
    headers = {"Authorization": f"Bearer {shop.workspace.owner.token}"}
    ours = asked(shop.workspace.app, f"/projects/{project['id']}/statistics", **headers)

    def recount():
        rows = shop.storage.database.rows(RECOUNT, ("en", project["id"]))
        return [tuple(row) for row in rows]

    found = json.loads(ours())["data"]["statistics"]
    told = {
        (one["languageCode"], one["approved"], one["words"])
        for one in found["languages"]
    }
    assert told == {(code, keys, int(words)) for code, _, keys, words in recount()}
    assert (found["keyCount"], len(told)) == (size, len(stock.FIVE))

    taken = in_turns(5, 20, ours=ours)
    counted = in_turns(1, recount=recount)

    peer = ("SELECT … GROUP BY", counted["recount"])
    what = f"statistics of {len(stock.FIVE)} languages"
    table.add(what, shop.kind, size, taken["ours"], peer, ms_most=5)

"""Branches: making one, comparing and merging it, and writing in bulk beside them."""

import json
from itertools import count

import stock
from measuring import Stopwatch, in_turns, rounds
from raw_rows import rows_of

CHANGES = 1000
AT_ONCE = 500
BRANCHES = 100


def test_making_a_branch(shop, size, table):
    """It copies nothing, so it costs what a single small write does."""
    project = shop.filled(size, stock.FIVE)
    path, owner = f"/projects/{project['id']}", shop.workspace.owner
    key = owner.get(f"{path}/keys?limit=1").data["items"][0]
    number = count()

    def branch():
        name = f"made-{next(number)}"
        assert owner.post(f"{path}/branches", json={"name": name}).status == 201
        listed = owner.get(f"{path}/keys", query={"branch": name, "limit": 1})
        assert listed.data["total"] == size
        assert owner.delete(f"{path}/branches/{name}").status == 200

    def write():
        value = f"Text {next(number)}"
        done = owner.put(f"{path}/keys/{key['id']}/values/de", json={"value": value})
        assert done.status == 200

    taken = in_turns(5, 3, branch=branch, write=write)

    peer = ("one value written", taken["write"])
    what = "a branch: made, listed, closed"
    table.add(what, shop.kind, size, taken["branch"], peer, ms_most=50)


def test_writing_a_value_beside_branches(shop, size, table):
    """A value on main, with no branch and with many that each hold the key."""
    project = shop.filled(size, stock.FIVE)
    path, owner = f"/projects/{project['id']}", shop.workspace.owner
    key = owner.get(f"{path}/keys?limit=1").data["items"][0]
    value, number = f"{path}/keys/{key['id']}/values/de", count()

    def write(**query):
        body = {"value": f"Text {next(number)}"}
        assert owner.put(value, json=body, query=query).status == 200

    alone = in_turns(rounds(), 20, write=write)["write"]
    names = [f"beside-{at}" for at in range(BRANCHES)]
    for name in names:
        owner.post(f"{path}/branches", json={"name": name})
        write(branch=name)
    beside = in_turns(rounds(), 20, write=write)["write"]
    for name in names:
        assert owner.delete(f"{path}/branches/{name}").status == 200

    peer = ("the same before there were branches", alone)
    what = f"PUT of a value, {BRANCHES} branches hold the key"
    table.add(what, shop.kind, size, beside, peer, ratio_most=2)


def test_comparing_and_merging(shop, size, asked, table):
    """A thousand German texts; the peer writes the same to main, in two requests."""
    project = shop.filled(size, stock.FIVE)
    path, owner = f"/projects/{project['id']}", shop.workspace.owner
    headers = {"Authorization": f"Bearer {owner.token}"}
    times = {"diff": [], "merge": [], "bulk": []}
    for at in range(rounds()):
        name = f"merged-{at}"
        owner.post(f"{path}/branches", json={"name": name})
        write(owner, path, f"branch {at}", branch=name)
        diff = asked(shop.workspace.app, f"{path}/branches/{name}/diff", **headers)
        assert json.loads(diff())["data"]["counts"]["updated"] == CHANGES
        times["diff"].append(in_turns(1, 1, diff=diff)["diff"])
        watch = Stopwatch()
        with watch:
            done = owner.post(f"{path}/branches/{name}/merge", json={})
        assert done.data["applied"]["updated"] == CHANGES
        times["merge"].append(watch.seconds * 1000)
        watch = Stopwatch()
        with watch:
            write(owner, path, f"main {at}")
        times["bulk"].append(watch.seconds * 1000)

    middle = {name: sorted(each)[len(each) // 2] for name, each in times.items()}
    peer = ("PUT of the values on main", middle["bulk"])
    for name in ("diff", "merge"):
        what = f"{name} of {CHANGES:,} changes"
        table.add(what, shop.kind, size, middle[name], peer, ms_most=2000)


def write(owner, path, text, **query):
    for first in range(0, CHANGES, AT_ONCE):
        items = [
            {"key": stock.key_name(at), "languageCode": "de", "value": f"{text} {at}"}
            for at in range(first, first + AT_ONCE)
        ]
        done = owner.put(f"{path}/values", json={"items": items}, query=query)
        assert {each["outcome"] for each in done.data["results"]} == {"updated"}


def test_a_bulk_of_500_keys(shop, raw, table):
    """500 new keys with five languages in one request."""
    project = shop.workspace.project(languages=stock.FIVE[1:])
    path = f"/projects/{project['id']}/keys/bulk"
    number = count()

    def ours():
        start = next(number) * AT_ONCE
        keys = [
            {
                "key": stock.key_name(at),
                "values": {code: stock.text(at, code) for code in stock.FIVE},
            }
            for at in range(start, start + AT_ONCE)
        ]
        done = shop.workspace.owner.post(path, json={"keys": keys})
        assert {item["outcome"] for item in done.data["results"]} == {"created"}

    writes = rows_of(*stock.records("p", range(AT_ONCE), stock.FIVE))

    def peer():
        raw.empty()
        raw.executemany(writes)

    taken = in_turns(5, 1, ours=ours, peer=peer)

    beside = ("raw executemany, emptied first", taken["peer"])
    what = "bulk of 500 keys x 5 languages, API"
    table.add(what, shop.kind, AT_ONCE, taken["ours"], beside, ms_most=250)

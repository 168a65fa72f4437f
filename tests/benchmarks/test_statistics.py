"""Reading how far the languages of a project are, beside counting them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import stock
from measuring import Table, in_turns

ROUNDS = 5

RECOUNT = """SELECT language_code, status, count(*), sum(words) FROM (
        SELECT v.language_code, v.status, s.words FROM lines l
        JOIN keys k ON k.project = l.number AND k.deleted_at IS NULL
        JOIN key_values v ON v.key_number = k.number
        LEFT JOIN key_values s ON s.key_number = k.number AND s.language_code = ?
        WHERE l.id = ?) counted
    GROUP BY language_code, status"""


def test_statistics(
    shop: Any, size: int, asked: Callable[..., Any], table: Table
) -> None:
    """The goal speaks of a million values: 100k keys are half of that in five."""
    project = shop.filled(size, stock.FIVE)
    headers = {"Authorization": f"Bearer {shop.workspace.owner.token}"}
    ours = asked(shop.workspace.app, f"/projects/{project['id']}/statistics", **headers)

    def recount() -> list[tuple[Any, ...]]:
        rows = shop.storage.database.rows(RECOUNT, ("en", project["id"]))
        return [tuple(row) for row in rows]

    found = json.loads(ours())["data"]["statistics"]
    told = {
        (one["languageCode"], one["approved"], one["words"])
        for one in found["languages"]
    }
    assert told == {(code, keys, int(words)) for code, _, keys, words in recount()}
    assert (found["keyCount"], len(told)) == (size, len(stock.FIVE))

    taken = in_turns(ROUNDS, 20, ours=ours)
    counted = in_turns(1, recount=recount)

    peer = ("SELECT … GROUP BY", counted["recount"])
    what = f"statistics of {len(stock.FIVE)} languages"
    table.add(what, shop.kind, size, taken["ours"], peer, ms_most=5)


def test_statistics_of_a_branch(
    shop: Any, size: int, asked: Callable[..., Any], table: Table
) -> None:
    """A branch that has a thousand keys for itself."""
    project = shop.filled(size, stock.FIVE)
    path = f"/projects/{project['id']}"
    owner = shop.workspace.owner
    name = f"of-{size}"
    owner.post(f"{path}/branches", json={"name": name})
    touched = [stock.key_name(number) for number in range(1000)]
    for first in (0, 500):
        items = [
            {"key": key, "languageCode": "de", "value": "anders"}
            for key in touched[first : first + 500]
        ]
        query = {"branch": name}
        done = owner.put(f"{path}/values", json={"items": items}, query=query)
        assert done.status == 200
    headers = {"Authorization": f"Bearer {owner.token}"}
    ours = asked(shop.workspace.app, f"{path}/statistics?branch={name}", **headers)
    main = asked(shop.workspace.app, f"{path}/statistics", **headers)
    counts = [json.loads(each())["data"]["statistics"] for each in (ours, main)]
    assert counts[0]["keyCount"] == counts[1]["keyCount"] == size

    taken = in_turns(ROUNDS, 5, ours=ours, main=main)

    what = "statistics of a branch with 1,000 keys of its own"
    table.add(what, shop.kind, size, taken["ours"], ("of main", taken["main"]))

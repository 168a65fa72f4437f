"""How long a request or a job's step holds SQLite's write lock, at the largest."""

import json

import pytest
import stock

from locframework.http.records import Upload
from tests.api.test_write_locks import WatchedLock, another_writer

TEXTS, LONG = 20_000, "{}" * 32_500
HELD_MOST = 1000  # milliseconds


class Largest:
    """A project of many texts, one of long ones, and what writes all of them."""

    def __init__(self, shop):
        self.workspace, self.owner = shop.workspace, shop.workspace.owner
        self.many = f"/projects/{shop.filled(TEXTS, ['en', 'de'])['id']}"
        self.long = f"/projects/{shop.workspace.project(languages=['de'])['id']}"
        keys = [{"key": f"k{n}", "values": {"en": LONG}} for n in range(14)]
        self.ok(self.owner.post(f"{self.long}/keys/bulk", json={"keys": keys}))

    def ok(self, answer):
        assert answer.status in (200, 201, 202), answer
        return answer

    def put(self, text, code="de", **query):
        for first in range(0, TEXTS, 500):
            items = [
                {"key": stock.key_name(n), "languageCode": code, "value": f"{text} {n}"}
                for n in range(first, first + 500)
            ]
            body = {"items": items}
            self.ok(self.owner.put(f"{self.many}/values", json=body, query=query))

    def job(self, accepted):
        assert self.workspace.job_of(self.ok(accepted))["status"] == "succeeded"

    def values(self):
        items = [
            {"key": f"k{n}", "languageCode": "de", "value": LONG} for n in range(14)
        ]
        body = {"items": items}
        return lambda: self.ok(self.owner.put(f"{self.long}/values", json=body))

    def once(self):
        keys = [{"key": f"once{n}", "values": {"en": LONG}} for n in range(14)]
        path, headers = f"{self.long}/keys/bulk", {"Idempotency-Key": "once"}
        return lambda: self.ok(
            self.owner.post(path, json={"keys": keys}, headers=headers)
        )

    def bulk(self):
        project = self.workspace.project(languages=stock.FIVE[1:])
        keys = [
            {
                "key": stock.key_name(n),
                "values": {code: stock.text(n, code) for code in stock.FIVE},
            }
            for n in range(500)
        ]
        path = f"/projects/{project['id']}/keys/bulk"
        return lambda: self.ok(self.owner.post(path, json={"keys": keys}))

    def importing(self):
        content = json.dumps({f"new{n}": LONG for n in range(500)}).encode()
        files = {"file": Upload("en.json", content, "application/json")}
        path = f"{self.long}/import"
        return lambda: self.job(self.owner.post(path, files=files))

    def merge(self, code="de"):
        self.ok(self.owner.post(f"{self.many}/branches", json={"name": code}))
        self.put("branch", code, branch=code)
        path = f"{self.many}/branches/{code}/merge"
        return lambda: self.ok(self.owner.post(path, json={}))

    def merge_source(self):
        return self.merge("en")

    def import_or_fail(self):
        body = {"languageCode": "fr"}
        self.ok(self.owner.post(f"{self.many}/languages", json=body))
        content = json.dumps(stock.texts(TEXTS, "fr")).encode()
        files = {"file": Upload("fr.json", content, "application/json")}
        form = {"format": "json-flat", "languageCode": "fr", "onConflict": "fail"}
        path = f"{self.many}/import"
        return lambda: self.job(self.owner.post(path, files=files, form=form))

    def undo(self):
        path = f"{self.many}/activity"
        at = self.owner.get(path, query={"limit": 1}).data["items"][0]["createdAt"]
        self.put("undone")
        return lambda: self.job(self.owner.post(f"{path}/revert", json={"since": at}))


WHAT = {
    "values": "PUT of 14 values of 64 KiB",
    "once": "bulk of 14 values of 64 KiB, with an Idempotency-Key",
    "bulk": "bulk of 500 keys x 5 languages",
    "importing": "import of 500 values of 64 KiB",
    "merge": "merge of 20,000 texts",
    "undo": "undo of 20,000 texts",
    "merge_source": "merge of 20,000 source texts, translated once",
    "import_or_fail": "import of 20,000 texts with onConflict=fail",
}


@pytest.fixture(scope="module")
def largest(shop):
    if shop.kind != "sqlite":
        pytest.skip("PostgreSQL locks a project, and no other")
    return Largest(shop)


@pytest.mark.parametrize("name", WHAT)
def test_others_write_beside_the_largest_writes(largest, shop, table, name):
    write = getattr(largest, name)()
    engine = shop.storage.database.engine
    before = engine.write_lock
    lock = engine.write_lock = WatchedLock(before)
    try:
        with another_writer(largest.workspace) as statuses:
            write()
    finally:
        engine.write_lock = before

    assert {*statuses} == {200}
    held = max(lock.seconds) * 1000
    table.add(f"lock of a {WHAT[name]}", "sqlite", TEXTS, held, ms_most=HELD_MOST)

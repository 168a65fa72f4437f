"""docs/reference/batches.md: which errors fail an item, and which the whole request."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from locframework import hookimpl
from locframework.ports import WriteRefusal
from locframework.testing.workspace import open_workspace

PAGE = "batches.md"
BULK, VALUES = "keys/bulk", "values"
OPERATIONS = {BULK: ("post", "keys"), VALUES: ("put", "items")}
NEW = {"key": "new"}
DE: dict[str, Any] = {"key": "there", "languageCode": "de"}
GOOD = {**DE, "value": "good"}
UPDATE, FAIL = {"onExisting": "update"}, {"onExisting": "fail"}

LOTS = {**NEW, "isPlural": True, "values": {"en": {"lots": "x"}}}
MANY = {**DE, "key": "many", "value": {"lots": "x"}}
IN = {code: {**DE, "languageCode": code, "value": "x"} for code in ("de", "en", "sv")}
Row = tuple[str, str, dict[str, Any], dict[str, Any], str]

ITEMS: list[Row] = [
    ("owner", BULK, {"key": "x" * 501}, {}, "validation_failed"),
    ("owner", BULK, {"key": "a..b"}, {}, "invalid_key"),
    ("owner", BULK, {"key": "there"}, FAIL, "key_exists"),
    ("owner", BULK, {**NEW, "values": {"sv": "x"}}, {}, "language_not_in_project"),
    ("german", BULK, {**NEW, "values": {"en": "x"}}, {}, "language_not_assigned"),
    ("owner", BULK, {**NEW, "values": {"en": {"other": "x"}}}, {}, "plural_mismatch"),
    ("owner", BULK, LOTS, {}, "invalid_plural_form"),
    ("namer", BULK, {"key": "there", "isPlural": True}, UPDATE, "permission_denied"),
    ("owner", BULK, {**NEW, "values": {"en": "bad"}}, {}, "write_refused"),
    ("owner", VALUES, {**DE, "value": "x" * 65537}, {}, "validation_failed"),
    ("owner", VALUES, {"languageCode": "de", "value": "x"}, {}, "validation_failed"),
    ("owner", VALUES, {**DE, "key": "gone", "value": "x"}, {}, "key_not_found"),
    ("owner", VALUES, IN["sv"], {}, "language_not_in_project"),
    ("german", VALUES, IN["en"], {}, "language_not_assigned"),
    ("owner", VALUES, {**DE, "value": {"other": "x"}}, {}, "plural_mismatch"),
    ("owner", VALUES, MANY, {}, "invalid_plural_form"),
    ("owner", VALUES, {**DE, "value": "bad"}, {}, "write_refused"),
]
REQUESTS: list[Row] = [
    ("owner", BULK, {"key": 3}, {}, "validation_failed"),
    ("owner", BULK, {"key": "a\0"}, {}, "invalid_json"),
    ("owner", BULK, NEW, {"onExisting": "replace"}, "validation_failed"),
    ("namer", BULK, {**NEW, "values": {"de": "x"}}, {}, "permission_denied"),
    ("owner", VALUES, {**DE, "value": 3}, {}, "validation_failed"),
    ("owner", VALUES, {**DE, "value": "a\0"}, {}, "invalid_json"),
    ("namer", VALUES, IN["de"], {}, "permission_denied"),
    *(
        ("owner", path, item, {"branch": branch}, code)
        for path, item in ((BULK, NEW), (VALUES, IN["de"]))
        for branch, code in (("none", "branch_not_found"), ("ended", "branch_not_open"))
    ),
]
FURTHER = {"project_not_found", "branch_protected"}  # asked in test_access_matrix.py


class WordVeto:
    """Refuses a word."""

    name = "word-veto"

    @hookimpl
    def loc_decide_write(self, change):
        is_bad = change.kind == "value" and change.after == "bad"
        return WriteRefusal("not allowed") if is_bad else None


class Shop:
    """A project whose batches always have a good item before the one in question."""

    def __init__(self, workspace):
        self.project = workspace.project(languages=["de"])
        self.path = f"/projects/{self.project['id']}"
        self.numbers = itertools.count()
        names = ["key_create", "key_update", "translation_read"]
        self.clients = {
            "owner": workspace.owner,
            "german": workspace.client("developer", languages=["de"]),
            "namer": workspace.client("developer", permissions=names),
        }
        workspace.key(self.project, "there", values={"en": "x"})
        workspace.key(self.project, "many", isPlural=True)
        branches = f"{self.path}/branches"
        made = workspace.owner.post(branches, json={"name": "ended"}).data["branch"]
        workspace.owner.delete(f"{branches}/{made['id']}")

    def ask(self, who, path, item, more):
        method, member = OPERATIONS[path]
        good = {"key": f"good{next(self.numbers)}"} if path == BULK else GOOD
        query = {name: more[name] for name in more if name == "branch"}
        rest = {name: more[name] for name in more if name != "branch"}
        ask = getattr(self.clients[who], method)
        body = {member: [good, item], **rest}
        return ask(f"{self.path}/{path}", json=body, query=query)


@pytest.fixture
def shop(tmp_path, migrated):
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, plugins=[WordVeto()]) as workspace,
    ):
        yield Shop(workspace)


def told(page, kind):
    """The codes of the page's table, by operation; ``kind`` is item or request."""
    codes = {BULK: set(), VALUES: set()}
    for _, of_bulk, of_values in page.rows():
        of_values = of_bulk if of_values == "the same" else of_values
        for operation, cell in ((BULK, of_bulk), (VALUES, of_values)):
            if cell.startswith(f"{kind}: "):
                codes[operation] |= set(re.findall(r"`(\w+)", cell))
    return codes


def test_an_invalid_item_fails_alone(shop, page):
    seen = {BULK: set(), VALUES: set()}
    for who, path, item, more, code in ITEMS:
        answer = shop.ask(who, path, item, more)

        assert answer.status == 200, item
        good, failed = answer.data["results"]
        assert (failed["outcome"], failed["error"]["code"]) == ("failed", code), item
        assert good["outcome"] in ("created", "updated", "skipped"), item
        seen[path].add(code)

    assert seen == told(page, "item")


def test_an_invalid_request_writes_nothing(shop, page):
    seen = {BULK: set(), VALUES: set()}
    for who, path, item, more, code in REQUESTS:
        answer = shop.ask(who, path, item, more)

        assert answer.status >= 400, item
        assert answer.error["code"] == code, item
        seen[path].add(code)

    expected = told(page, "request")
    assert seen == {path: codes - FURTHER for path, codes in expected.items()}
    listed = shop.clients["owner"].get(f"{shop.path}/keys").data["items"]
    assert sorted(key["key"] for key in listed) == ["many", "there"]


@pytest.mark.parametrize("path", OPERATIONS)
def test_the_api_description_names_the_errors_of_items(shop, page, path):
    document = shop.clients["owner"].get("/openapi.json").json
    method, _ = OPERATIONS[path]
    operation = document["paths"][f"/projects/{{projectId}}/{path}"][method]

    for code in told(page, "item")[path]:
        assert f"`{code}`" in operation["description"]

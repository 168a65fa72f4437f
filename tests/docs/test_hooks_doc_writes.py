"""docs/hooks.md: the example of loc_decide_write guards legal texts on every path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from locframework.http.records import Upload
from locframework.testing.client import Answer
from locframework.testing.workspace import Workspace

from .conftest import Example, Open

PAGE = "hooks.md"


class Legal:
    """A project whose key ``legal.terms`` says "Terms", and an owner, lawyer or not."""

    def __init__(self, workspace: Workspace, lawyers: set[str]) -> None:
        self.workspace, self.owner = workspace, workspace.owner
        self.owner_id = workspace.framework.authenticate(self.owner.token).actor.id
        self._lawyers = lawyers
        self.path = f"/projects/{workspace.project()['id']}"
        self.join_the_lawyers()
        body = {"key": "legal.terms", "values": {"en": "Terms"}}
        key = self.owner.post(f"{self.path}/keys", json=body).data["key"]
        self.value = f"{self.path}/keys/{key['id']}/values/en"

    def join_the_lawyers(self) -> None:
        self._lawyers.add(self.owner_id)

    def leave_the_lawyers(self) -> None:
        self._lawyers.clear()

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        return self.owner.post(f"{self.path}/{path}", json=body)

    def text(self) -> str:
        text: str = self.owner.get(self.value).data["value"]["value"]
        return text


@pytest.fixture
def legal(example: Example, open_with: Open) -> Iterator[Legal]:
    lawyers: set[str] = set()
    plugin = example("loc_decide_write")["LegalTexts"](lawyers)
    with open_with(plugin) as workspace:
        yield Legal(workspace, lawyers)


def test_a_batch_of_values_leaves_legal_texts_out(legal: Legal) -> None:
    legal.leave_the_lawyers()

    item = {"key": "legal.terms", "languageCode": "en", "value": "Rules"}
    sent = legal.owner.put(f"{legal.path}/values", json={"items": [item]})

    [result] = sent.data["results"]
    assert result["error"]["code"] == "write_refused"
    assert legal.text() == "Terms"


def test_a_batch_of_keys_leaves_legal_ones_out(legal: Legal) -> None:
    legal.leave_the_lawyers()

    names = ["legal.terms", "legal.other", "shop.pay"]
    keys = [{"key": name, "values": {"en": "Rules"}} for name in names]
    sent = legal.post("keys/bulk", {"keys": keys, "onExisting": "update"})

    codes = [(each["error"] or {}).get("code") for each in sent.data["results"]]
    assert codes == ["write_refused", "write_refused", None]
    assert legal.text() == "Terms"


def test_an_import_with_legal_texts_is_refused(legal: Legal) -> None:
    legal.leave_the_lawyers()

    content = json.dumps({"legal.terms": "Rules"}).encode()
    file = Upload("en.json", content, "application/json")
    form = {"languageCode": "en", "onConflict": "overwrite", "format": "json-flat"}
    sent = legal.owner.post(f"{legal.path}/import", form=form, files={"file": file})
    job = legal.workspace.job_of(sent)

    assert (job["status"], job["error"]["code"]) == ("failed", "write_refused")
    assert legal.text() == "Terms"


def test_a_merge_of_legal_texts_is_for_lawyers(legal: Legal) -> None:
    legal.post("branches", {"name": "spring"})
    legal.owner.put(legal.value, json={"value": "Rules"}, query={"branch": "spring"})
    legal.leave_the_lawyers()

    refused = legal.post("branches/spring/merge", {})
    kept = legal.text()
    legal.join_the_lawyers()
    merged = legal.post("branches/spring/merge", {})

    assert (refused.error["code"], kept) == ("write_refused", "Terms")
    assert (merged.status, legal.text()) == (200, "Rules")


def test_an_undo_leaves_legal_texts_out(legal: Legal) -> None:
    legal.owner.put(legal.value, json={"value": "Rules"})
    legal.leave_the_lawyers()

    sent = legal.post("activity/revert", {"actor": legal.owner_id})
    job = legal.workspace.job_of(sent)

    reasons = {each["reason"] for each in job["result"]["skipped"]}
    assert (reasons, legal.text()) == ({"write_refused"}, "Rules")

"""Whatever is done over HTTP, statistics are what a recount of all values finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from locframework import wsgi
from locframework.http.rate_limit import RateLimiter
from locframework.http.records import Upload
from locframework.statistics.rules import count_words
from locframework.testing.workspace import Workspace, open_workspace

CODES = ("en", "de", "fr")
TEXTS = ("", "One", "Two words", "設定", "And a fourth of five")
WORST = ("draft", "pending_review", "approved")


class Shop:
    """A project and a branch of it, changed by whatever is drawn."""

    def __init__(self, workspace: Workspace, draw: Callable[..., Any]) -> None:
        self.workspace, self._draw = workspace, draw
        self.path = f"/projects/{workspace.project(languages=CODES[1:])['id']}"
        self.writers = [workspace.owner, workspace.client("developer")]
        self._numbers = 0
        self._trash: list[tuple[str, dict[str, str]]] = []
        self.branch()

    def branch(self) -> None:
        self._numbers += 1
        self.name = f"b{self._numbers}"
        body = {"name": self.name}
        assert self._ask("POST", "branches", json=body).status == 201

    def merge(self) -> None:
        body = {"strategy": "use_branch"}
        merged = self._ask("POST", f"branches/{self.name}/merge", json=body)
        if merged.status == 200:
            self.branch()

    def create(self) -> None:
        self._numbers += 1
        values = {code: self._text() for code in CODES if self._bool()}
        body = {"key": f"k{self._numbers}", "values": values}
        self._ask("POST", "keys", json=body, query=self._line())

    def write(self) -> None:
        line = self._line()
        for key in self._keys(line)[:2]:
            code, text = self._one(CODES), self._text()
            value = {self._one(("one", "other")): text} if key["isPlural"] else text
            body = {"value": value, "keepFresh": self._bool()}
            path = f"keys/{key['id']}/values/{code}"
            assert self._ask("PUT", path, json=body, query=line).status == 200

    def write_many(self) -> None:
        line = self._line()
        items = [
            {"keyId": key["id"], "languageCode": code, "value": self._text()}
            for key in self._keys(line)
            for code in CODES[1:]
        ]
        if items:
            self._ask("PUT", "values", json={"items": items}, query=line)

    def review(self) -> None:
        verdict, line = self._one(("approve", "reject")), self._line()
        for key in self._keys(line):
            path = f"keys/{key['id']}/values/{self._one(CODES)}/{verdict}"
            self.workspace.owner.post(f"{self.path}/{path}", json={}, query=line)

    def turn(self) -> None:
        line = self._line()
        for key in self._keys(line)[:1]:
            body = {"isPlural": not key["isPlural"]}
            self._ask("PATCH", f"keys/{key['id']}", json=body, query=line)

    def delete(self) -> None:
        line = self._line()
        for key in self._keys(line)[:1]:
            self._ask("DELETE", f"keys/{key['id']}", query=line)
            self._trash.append((key["id"], line))

    def restore(self) -> None:
        for key_id, line in self._trash:
            self._ask("POST", f"keys/{key_id}/restore", json={}, query=line)
        self._trash = []

    def bring(self) -> None:
        line = self._line()
        names = [key["key"] for key in self._keys(line)[:2]]
        texts = {name: self._text() for name in [*names, f"i{self._numbers}"]}
        file = Upload("x.json", json.dumps(texts).encode(), "application/json")
        form = {
            "languageCode": self._one(CODES),
            "mode": "merge",
            "onConflict": "overwrite",
        }
        form |= {"format": "json-flat", "mode": self._one(("merge", "replace")), **line}
        self._ask("POST", "import", form=form, files={"file": file})
        self.workspace.run_jobs()

    def agree(self) -> None:
        for line in ({}, {"branch": self.name}):
            path = f"{self.path}/statistics"
            told = self.workspace.owner.get(path, query=line).data["statistics"]
            keys = self._keys(line, shuffled=False)
            assert told["keyCount"] == len(keys)
            for one in told["languages"]:
                found = {name: one[name] for name in recounted([], "de")}
                assert found == recounted(keys, one["languageCode"]), one

    def _keys(self, line: dict[str, str], *, shuffled: bool = True) -> list[Any]:
        query = {"include": "values", "limit": "200", **line}
        items = self.workspace.owner.get(f"{self.path}/keys", query=query).data["items"]
        return list(self._draw(st.permutations(items))) if shuffled else list(items)

    def _ask(self, method: str, path: str, **how: Any) -> Any:
        return self._one(self.writers).request(method, f"{self.path}/{path}", **how)

    def _line(self) -> dict[str, str]:
        return self._one(({}, {"branch": self.name}))

    def _text(self) -> str:
        return str(self._one(TEXTS))

    def _bool(self) -> bool:
        return bool(self._draw(st.booleans()))

    def _one(self, items: Any) -> Any:
        return self._draw(st.sampled_from(items))


def recounted(keys: list[Any], code: str) -> dict[str, int]:
    """By the values of the keys alone. Nobody here proposes a source text."""
    found = dict.fromkeys(
        ("approved", "pendingReview", "draft", "untranslated", "outdated", "words"), 0
    )
    for key in keys:
        forms = [one for one in key["values"] if one["languageCode"] == code]
        if not forms:
            found["untranslated"] += 1
            continue
        worst = min((one["status"] for one in forms), key=WORST.index)
        found["pendingReview" if worst == "pending_review" else worst] += 1
        found["outdated"] += any(one["isOutdated"] for one in forms)
        source = [one for one in key["values"] if one["languageCode"] == "en"]
        found["words"] += sum(count_words(one["value"]) for one in source)
    return found


STEPS = (
    Shop.create, Shop.create, Shop.write, Shop.write, Shop.write_many, Shop.review,
    Shop.turn, Shop.delete, Shop.restore, Shop.bring, Shop.merge,
)  # fmt: skip


@pytest.fixture
def unlimited(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    """An application that lets more than 600 requests a minute through."""
    limiter = partial(RateLimiter, api_most=10**9)
    monkeypatch.setattr(wsgi, "RateLimiter", limiter)
    with open_workspace(database_url, tmp_path) as workspace:
        yield workspace


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,  # each example has its own project
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(data=st.data())
def test_statistics_are_what_a_recount_finds(
    unlimited: Workspace, data: st.DataObject
) -> None:
    shop = Shop(unlimited, data.draw)

    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=3, max_size=10)):
        step(shop)
        shop.agree()

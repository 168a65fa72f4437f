"""A concordancer that fails or answers nonsense is told by its name, and passed over:
the database looks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from locframework import hookimpl
from locframework.errors import Unavailable
from locframework.memories.concordancer import FoundEntries
from locframework.testing.databases import KINDS, fresh_url
from locframework.testing.workspace import Workspace, open_workspace


class Told:
    """Answers what it is told; an exception is raised."""

    name = "told"
    answer: Any = None

    def find(self, *_: object) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    forget = find


class Giver:
    """A plugin with one concordancer."""

    def __init__(self) -> None:
        self.told = Told()

    @hookimpl
    def loc_provide_concordancers(self) -> list[Told]:
        return [self.told]


class Searched:
    """A project with a memory of two entries, and what looks for a text in it."""

    def __init__(self, workspace: Workspace, told: Told) -> None:
        self.workspace, self.told = workspace, told
        self.owner, project = workspace.owner, workspace.project()
        self.path = f"/projects/{project['id']}"
        new = {"name": "Main", "sourceLanguage": "en"}
        made = self.owner.post("/translation-memories", json=new)
        self.memory = f"/translation-memories/{made.data['translationMemory']['id']}"
        assert self.owner.put(f"{self.path}{self.memory}", json={}).status == 200
        self.ids = [self.entry("Save the file"), self.entry("The other file")]

    def entry(self, text: str) -> str:
        made = self.owner.post(f"{self.memory}/entries", json={"sourceText": text})
        id_: str = made.data["entry"]["id"]
        return id_

    def search(self, answer: Any, **asked: object) -> Any:
        self.told.answer = answer
        body = {"query": "file", **asked}
        return self.owner.post(f"{self.path}/tm/search", json=body)


@pytest.fixture(params=KINDS)
def searched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Searched]:
    giver = Giver()
    with (
        fresh_url(request.param, tmp_path) as url,
        open_workspace(
            url, tmp_path, plugins=[giver], concordancer="told"
        ) as workspace,
    ):
        yield Searched(workspace, giver.told)


@pytest.mark.parametrize(
    "answer",
    [
        ZeroDivisionError("/secret"),
        SystemExit(3),
        7,
        (["x"], 1),
        FoundEntries(None, 1),  # type: ignore[arg-type]
        FoundEntries([7], 1),  # type: ignore[list-item]
        FoundEntries(["a", "a"], 2),
        FoundEntries(["a", "b"], 1),
        FoundEntries(["a"], 2),
        FoundEntries(["a"], "many"),  # type: ignore[arg-type]
        FoundEntries([], -4),
        FoundEntries([], True),
        FoundEntries([str(number) for number in range(51)], 51),
    ],
    ids=repr,
)
def test_the_database_looks_where_a_concordancer_fails(
    searched: Searched, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answered = searched.search(answer)

    assert answered.status == 200
    assert [item["entryId"] for item in answered.data["items"]] == searched.ids
    assert answered.data["total"] == 2
    assert "the concordancer told failed; the database searches instead" in caplog.text


def test_what_can_be_is_passed_on(
    searched: Searched, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = searched.ids

    every = searched.search(FoundEntries([second, first], 2))
    last = searched.search(FoundEntries([second], 2), page=2, limit=1)
    past = searched.search(FoundEntries([], 2), page=3, limit=1)
    refused = searched.search(Unavailable("its server is down"))

    assert [item["entryId"] for item in every.data["items"]] == [second, first]
    assert [item["entryId"] for item in last.data["items"]] == [second]
    assert (past.data["items"], past.data["total"]) == ([], 2)
    assert (refused.status, refused.error["message"]) == (503, "its server is down")
    assert "told" not in caplog.text


@pytest.mark.parametrize("answer", [OSError("/secret"), SystemExit(3)])
def test_a_memory_goes_also_where_it_cannot_be_forgotten(
    searched: Searched, answer: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    searched.told.answer = answer

    assert searched.owner.delete(searched.memory).status == 200

    assert searched.owner.get(searched.memory).status == 404
    assert "the concordancer told failed to forget" in caplog.text

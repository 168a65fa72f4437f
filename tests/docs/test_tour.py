"""docs/tour.md: the requests go through the functions that it names, in that order."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from locframework.testing.workspace import Workspace

PAGE = "tour.md"
ROOT = Path(__file__).parents[2]
STEP = re.compile(r"`([\w/]+\.py):([\w.]+)`")
FOLDERS = [ROOT / "locframework", *sorted(ROOT.glob("plugins/*"))]

Steps = list[tuple[str, str]]


@pytest.fixture
def walk(sqlite_workspace: Workspace) -> dict[str, Steps]:
    """What was called in each of the requests, by the heading on the page."""
    workspace = sqlite_workspace
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['slug']}"
    body = {"key": "checkout.pay", "values": {"en": "Pay"}}
    walked = {
        "POST a key": calls_of(lambda: workspace.owner.post(f"{path}/keys", json=body))
    }
    walked["A text on a branch"] = calls_of(lambda: stage(workspace, path))
    body = {"name": "Web", "format": "json-nested"}
    made = workspace.owner.post(f"{path}/distributions", json=body)
    public_key = made.data["distribution"]["publicKey"]
    walked["A release"] = calls_of(workspace.run_jobs)
    manifest = f"/content/{public_key}/manifest.json"
    client = workspace.owner.with_token(None)
    walked["The manifest"] = calls_of(lambda: client.get(manifest))
    return walked


def stage(workspace: Workspace, path: str) -> None:
    """Propose a text on a branch, approve it there, and merge it."""
    owner, query = workspace.owner, {"branch": "spring"}
    [key] = owner.get(f"{path}/keys").data["items"]
    owner.post(f"{path}/branches", json={"name": "spring"})
    value = f"{path}/keys/{key['id']}/values/de"
    translator = workspace.client("translator")
    assert translator.put(value, json={"value": "Zahlen"}, query=query).status == 200
    assert owner.post(f"{value}/approve", json={}, query=query).status == 200
    assert owner.post(f"{path}/branches/spring/merge", json={}).status == 200
    value = owner.get(value).data["value"]
    assert (value["value"], value["status"]) == ("Zahlen", "approved")


def calls_of(act: Callable[[], object]) -> Steps:
    """The functions of ours that were called, in order."""
    called: Steps = []

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            called.append((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called


def steps_of(text: str) -> Steps:
    """The functions that a text names, with the whole path of their files."""
    return [(str(file_of(file)), name) for file, name in STEP.findall(text)]


def file_of(name: str) -> Path:
    [found] = [folder / name for folder in FOLDERS if (folder / name).is_file()]
    return found


SECTIONS = ["POST a key", "A text on a branch", "A release", "The manifest"]


@pytest.mark.parametrize("section", SECTIONS)
def test_the_request_goes_the_way_the_page_tells(
    page: Any, walk: dict[str, Steps], section: str
) -> None:
    told, called = steps_of(page.sections()[section]), walk[section]
    assert len(told) > 8

    at = 0
    for step in told:
        assert step in called[at:], f"{step} does not come there"
        at = called.index(step, at) + 1


def test_every_function_that_the_page_names_is_there(page: Any) -> None:
    for file, name in STEP.findall(page.text):
        source = file_of(file).read_text(encoding="utf-8")
        last = name.rpartition(".")[2]
        assert re.search(rf"^\s*(def|class) {last}\b", source, re.M), f"{file}:{name}"


def test_the_map_has_every_folder_on_its_floor(page: Any) -> None:
    folders = {
        path.parent.name for path in (ROOT / "locframework").glob("*/__init__.py")
    }
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    contracts = tools["importlinter"]["contracts"]
    [floors] = [each["layers"] for each in contracts if each["id"] == "floors"]
    floor_of = {
        name: at
        for at, floor in enumerate(floors)
        for name in re.findall(r"\w+", floor)
    }

    text = page.sections()["The map"].partition("\nFrom")[0]
    told = [name for name in re.findall(r"`(\w+)`", text) if name in folders]

    assert sorted(told) == sorted(folders)
    assert told == sorted(told, key=lambda name: floor_of[name])

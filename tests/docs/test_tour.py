"""docs/internals/tour.md: requests go through the functions it names, in that order."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = "tour.md"
ROOT = Path(__file__).parents[2]
STEP = re.compile(r"`([\w/]+\.py):([\w.]+)`")
FOLDERS = [ROOT / "locframework", *sorted(ROOT.glob("plugins/*"))]


@pytest.fixture
def calls(sqlite_workspace):
    """The functions that each request calls, by the heading on the page."""
    workspace = sqlite_workspace
    owner, translator = workspace.owner, workspace.client("translator")
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['slug']}"
    body = {"key": "checkout.pay", "values": {"en": "Pay"}}
    key = owner.post(f"{path}/keys", json=body).data["key"]
    value = f"{path}/keys/{key['id']}/values/de"
    calls = {
        "PUT a value": calls_of(lambda: translator.put(value, json={"value": "Zahlen"}))
    }
    calls["A key on a branch"] = calls_of(
        lambda: merge_a_branch(workspace, path, value)
    )
    body = {"name": "Web", "format": "json-nested"}
    created = owner.post(f"{path}/distributions", json=body)
    public_key = created.data["distribution"]["publicKey"]
    calls["A release"] = calls_of(workspace.run_jobs)
    manifest = f"/content/{public_key}/manifest.json"
    calls["The manifest"] = calls_of(lambda: owner.with_token(None).get(manifest))
    return calls


def merge_a_branch(workspace, path, value):
    """Write a text on a branch, approve it there, and merge the branch."""
    owner, query = workspace.owner, {"branch": "spring"}
    owner.post(f"{path}/branches", json={"name": "spring"})
    translator = workspace.client("translator")
    assert translator.put(value, json={"value": "Kaufen"}, query=query).status == 200
    assert owner.post(f"{value}/approve", json={}, query=query).status == 200
    assert owner.post(f"{path}/branches/spring/merge", json={}).status == 200
    merged = owner.get(value).data["value"]
    assert (merged["value"], merged["status"]) == ("Kaufen", "approved")


def calls_of(act):
    """Return the functions that were called, in order."""
    called = []

    def note(frame, event, _):
        if event == "call":
            code = frame.f_code
            called.append((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called


def steps_of(text):
    """Return the functions that a text names, with the paths of their files."""
    return [(str(file_of(file)), name) for file, name in STEP.findall(text)]


def file_of(name):
    [found] = [folder / name for folder in FOLDERS if (folder / name).is_file()]
    return found


SECTIONS = ["PUT a value", "A key on a branch", "A release", "The manifest"]


@pytest.mark.parametrize("section", SECTIONS)
def test_the_request_calls_the_functions_on_the_page_in_order(page, calls, section):
    steps, called = steps_of(page.sections()[section]), calls[section]
    assert len(steps) > 7

    position = 0
    for step in steps:
        assert step in called[position:], f"{step} is not called at this point"
        position = called.index(step, position) + 1


def test_every_function_on_the_page_exists(page):
    for file, name in STEP.findall(page.text):
        source = file_of(file).read_text(encoding="utf-8")
        last = name.rpartition(".")[2]
        assert re.search(rf"^\s*(def|class) {last}\b", source, re.M), f"{file}:{name}"


def test_the_map_has_every_folder_in_the_order_of_the_import_rules(page):
    folders = {
        path.parent.name for path in (ROOT / "locframework").glob("*/__init__.py")
    }
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    rules = {rule["id"]: rule for rule in tools["importlinter"]["contracts"]}
    row_of = {
        name: number
        for number, row in enumerate(rules["areas"]["layers"])
        for name in re.findall(r"\w+", row)
    }

    text = page.sections()["The map"].partition("\nFrom")[0]
    names = [name for name in re.findall(r"`(\w+)`", text) if name in folders]

    assert sorted(names) == sorted(folders)
    assert names == sorted(names, key=lambda name: row_of[name])

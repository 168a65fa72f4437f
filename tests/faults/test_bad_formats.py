"""A format that fails or gives nonsense spoils neither imports nor releases."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from locframework import hookimpl
from locframework.errors import Problem, UnreadableFile
from locframework.formats.records import (
    Catalogue,
    Entry,
    FileOptions,
    FormatInfo,
    SourceFile,
    WrittenFile,
)
from locframework.http.records import Upload
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace, open_workspace

from .failing import FAULTS, Call, Unfit, answers, unavailable

Open = Callable[..., Workspace]


def names(workspace: Workspace, project: dict[str, Any]) -> list[str]:
    stored = workspace.framework.storage.keys.names_of(project["id"])
    return sorted(stored)


def said_nothing_of_its_inside(answer: Answer) -> bool:
    return b"secret" not in answer.content and b"Traceback" not in answer.content


class Bad:
    """A format that does as it is told."""

    info = FormatInfo("bad", "Bad", ".bad", "text/plain")

    def __init__(self, **calls: Call) -> None:
        self._calls = calls

    def recognizes(self, file: SourceFile) -> bool:
        answer: bool = self._calls.get("recognizes", answers(False))(file)
        return answer

    def read(self, file: SourceFile, options: FileOptions) -> list[Catalogue]:
        found: list[Catalogue] = self._calls["read"](file, options)
        return found

    def write(self, catalogues: Any, options: FileOptions) -> WrittenFile:
        written: WrittenFile = self._calls["write"](catalogues, options)
        return written


class BadFormats:
    name = "bad"

    def __init__(self, **calls: Call) -> None:
        self._format = Bad(**calls)

    @hookimpl
    def loc_provide_formats(self) -> list[Bad]:
        return [self._format]


@pytest.fixture
def open_with(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Open]:
    """A workspace with the bad format."""
    copy = shutil.copy(migrated_sqlite, tmp_path)
    database_url = f"sqlite:///{copy}"
    with ExitStack() as stack:
        yield lambda **calls: stack.enter_context(
            open_workspace(database_url, tmp_path, plugins=[BadFormats(**calls)])
        )


class Scene(NamedTuple):
    """A workspace with a format that reads as it is told."""

    workspace: Workspace
    calls: dict[str, Call]
    project: dict[str, Any]


@pytest.fixture(scope="module")
def scene(
    tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path
) -> Iterator[Scene]:
    """On one SQLite database for all tests: nothing is ever written."""
    folder = tmp_path_factory.mktemp("bad")
    shutil.copy(migrated_sqlite, folder)
    url = f"sqlite:///{folder / migrated_sqlite.name}"
    calls: dict[str, Call] = {}
    plugin = BadFormats(read=lambda *given: calls["read"](*given))
    with open_workspace(url, folder, plugins=[plugin]) as workspace:
        yield Scene(workspace, calls, workspace.project())


def read_as(entry: Entry, **catalogue: Any) -> Call:
    return answers(
        [Catalogue(**{"language_code": "en", "entries": [entry]} | catalogue)]
    )


def refuses_with(*refusal: Any) -> Call:
    def refuse(*_: object) -> NoReturn:
        raise UnreadableFile(*refusal)

    return refuse


GOOD = Entry("a", "b")
ENDLESS: dict[str, object] = {}
ENDLESS["again"] = ENDLESS
BAD_READS = [
    *(fault.values[0] for fault in FAULTS),
    unavailable,
    *map(answers, [None, 3, "text", b"x", [None], [3], {"en": {}}, Unfit(), [Unfit()]]),
    refuses_with("\ud800"),
    refuses_with("no", [object()]),
    refuses_with("no", object()),
    refuses_with("no", [Problem("line 1", "syntax", "\udfff")]),
    refuses_with(3),
    read_as(None),  # type: ignore[arg-type]
    read_as("a"),  # type: ignore[arg-type]
    read_as(GOOD, language_code=3),
    read_as(GOOD, entries=None),
    read_as(GOOD, entries=iter([GOOD])),
    read_as(GOOD, warnings=None),
    read_as(GOOD, warnings=[3]),
    read_as(GOOD, warnings=["\ud800"]),
    read_as(GOOD, detail=[1]),
    read_as(GOOD, detail={"x": object()}),
    read_as(GOOD, detail={"x": 2**70}),
    read_as(GOOD, detail={"x": "\ud800"}),
    read_as(GOOD, detail={3: Unfit()}),
    read_as(GOOD, detail=ENDLESS),
    read_as(Entry(None)),  # type: ignore[arg-type]
    read_as(Entry(3)),  # type: ignore[arg-type]
    read_as(Entry("")),
    read_as(Entry("a..b", "x")),
    read_as(Entry("ä", "x")),
    read_as(Entry("\ud800", "x")),
    read_as(Entry("a", 3)),  # type: ignore[arg-type]
    read_as(Entry("a", "\ud800")),
    read_as(Entry("a", "\0")),
    read_as(Entry("a", "x" * 100_000)),
    read_as(Entry("a", ["x"])),  # type: ignore[arg-type]
    read_as(Entry("a", {"much": "x"}, is_plural=True)),
    read_as(Entry("a", {"one": 3}, is_plural=True)),  # type: ignore[dict-item]
    read_as(Entry("a", {3: "x"}, is_plural=True)),  # type: ignore[dict-item]
    read_as(Entry("a", "x", description=None)),  # type: ignore[arg-type]
    read_as(Entry("a", "x", description="\ud800")),
    read_as(Entry("a", "x", source=3)),  # type: ignore[arg-type]
    read_as(Entry("a", "x", source="\ud800")),
    read_as(Entry("a", "x", detail="x")),  # type: ignore[arg-type]
    read_as(Entry("a", "x", detail={"x": Unfit()})),
    read_as(Entry("a", "x", is_plural=Unfit())),  # type: ignore[arg-type]
    read_as(Entry("a", "x", needs_review=1)),  # type: ignore[arg-type]
    read_as(Entry("a", "x", line="3")),  # type: ignore[arg-type]
    read_as(Entry("a", "x", key_detail=[])),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("read", BAD_READS)
def test_a_format_that_reads_badly_makes_the_file_unreadable(
    scene: Scene, read: Call
) -> None:
    owner, path = scene.workspace.owner, f"/projects/{scene.project['id']}"
    scene.calls["read"] = read
    file = {"file": Upload("x.bad", b"x", "text/plain")}

    answer = owner.post(f"{path}/import", files=file, form={"format": "bad"})

    assert answer.status == 400, answer
    assert answer.error["code"] in ("unreadable_file", "invalid_key")
    assert said_nothing_of_its_inside(answer)
    assert names(scene.workspace, scene.project) == []
    assert owner.get(f"{path}/jobs").data["total"] == 0


@pytest.mark.parametrize(
    "recognizes", [*FAULTS, pytest.param(answers(Unfit()), id="nonsense")]
)
def test_a_format_that_cannot_recognize_stands_in_nobodys_way(
    open_with: Open, recognizes: Call
) -> None:
    workspace = open_with(recognizes=recognizes)
    project = workspace.project()
    path = f"/projects/{project['id']}/import"
    file = {"file": Upload("en.json", b'{"a": "b"}', "application/json")}

    assert workspace.job_of(workspace.owner.post(path, files=file))["status"] == (
        "succeeded"
    )
    assert names(workspace, project) == ["a"]


BAD_WRITES = [
    *(fault.values[0] for fault in FAULTS),
    refuses_with("no"),
    *map(answers, [None, b"x", "x", Unfit()]),
    answers(WrittenFile("text")),  # type: ignore[arg-type]
    answers(WrittenFile(None)),  # type: ignore[arg-type]
    answers(WrittenFile(b"x", None)),  # type: ignore[arg-type]
    answers(WrittenFile(b"x", "oops")),  # type: ignore[arg-type]
    answers(WrittenFile(b"x", [3])),  # type: ignore[list-item]
    answers(WrittenFile(b"x", ["\ud800"])),
]


@pytest.mark.parametrize("write", BAD_WRITES)
def test_a_format_that_writes_badly_publishes_nothing_and_blocks_nothing(
    open_with: Open, write: Call
) -> None:
    """An export has no other answer than 500: nothing in the request is wrong."""
    bad: dict[str, Call] = {"write": answers(WrittenFile(b"fine"))}
    workspace = open_with(write=lambda *given: bad["write"](*given))
    project = workspace.project()
    workspace.key(project, "a", values={"en": "b"})
    path = f"/projects/{project['id']}"
    body = {"name": "Web", "format": "bad"}
    made = workspace.owner.post(f"{path}/distributions", json=body).data["distribution"]
    one = f"{path}/distributions/{made['id']}"
    workspace.run_jobs()
    public = Client(workspace.app)
    before = public.get(f"/content/{made['publicKey']}/manifest.json")
    workspace.key(project, "b", values={"en": "c"})

    bad["write"] = write
    export = workspace.owner.get(f"{path}/export", query={"format": "bad"})
    preview = workspace.owner.post(f"{one}/releases", json={"dryRun": True})
    job = workspace.job_of(workspace.owner.post(f"{one}/releases", json={}))

    for answer in (export, preview):
        assert answer.status == 500
        assert answer.error["code"] == "internal_error"
        assert said_nothing_of_its_inside(answer)
    assert (job["status"], job["error"]["code"]) == ("failed", "internal_error")
    after = public.get(f"/content/{made['publicKey']}/manifest.json")
    assert (before.status, after.content) == (200, before.content)
    good = workspace.owner.get(f"{path}/export", query={"format": "json-flat"})
    assert good.status == 200
    bad["write"] = answers(WrittenFile(b"better"))
    again = workspace.job_of(workspace.owner.post(f"{one}/releases", json={}))
    assert again["status"] == "succeeded"

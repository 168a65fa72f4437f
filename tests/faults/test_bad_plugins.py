"""A plugin that fails, answers nonsense or meddles breaks its own affairs alone."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from locframework import hookimpl
from locframework.access.records import Caller, Grant
from locframework.app import OPERATOR
from locframework.errors import Problem, Unavailable, UnreadableFile
from locframework.events import Actor
from locframework.formats.records import Catalogue, Entry, FormatInfo, WrittenFile
from locframework.http.records import Upload
from locframework.keys.records import NewKey
from locframework.testing.client import Client
from locframework.testing.workspace import Workspace, open_workspace

# what a plugin may do instead of its work


def raises(error):
    def fail(*_):
        raise error

    return fail


def leave(*_):
    sys.exit(0)


def fail_by_recursion(*_):
    return fail_by_recursion()


def answers(what):
    return lambda *_: what


class Unfit:
    """Nothing that JSON or any of ours knows; not even true or false."""

    def __bool__(self):
        raise RuntimeError("neither")


UNAVAILABLE = raises(Unavailable("its own source does not answer"))
FAULTS = {
    "raises": raises(ZeroDivisionError("/secret/path of the host")),
    "exits": leave,
    "recursion": fail_by_recursion,
}
FAULTS_AND_NONSENSE = {**FAULTS, "nonsense": answers(Unfit())}


class Plugin:
    """A plugin whose hooks and format do as they are told."""

    name = "bad"
    info = FormatInfo("bad", "Bad", ".bad", "text/plain")

    def __init__(self, name="bad", **calls):
        self.name = name
        self.calls = calls
        self.heard = []

    def _call(self, which, *given):
        return self.calls.get(which, answers(None))(*given)

    @hookimpl
    def loc_on_event(self, event):
        self.heard.append(event.type)
        return self._call("event", event)

    @hookimpl
    def loc_decide_caller(self, token):
        return None if token.startswith("svc_") else self._call("caller", token)

    @hookimpl
    def loc_provide_formats(self):
        return [self] if self.name == "bad" else []

    def recognizes(self, file):
        return self.calls.get("recognizes", answers(False))(file)

    def read(self, file, options):
        return self._call("read", file, options)

    def write(self, catalogues, options):
        return self._call("write", catalogues, options)


class Scene(NamedTuple):
    """A workspace with a bad plugin and a good one, and a project."""

    workspace: Workspace
    bad: Plugin
    good: Plugin
    project: dict[str, Any]

    @property
    def path(self):
        return f"/projects/{self.project['id']}"

    @property
    def names(self):
        stored = self.workspace.framework.storage.keys.names_of(self.project["id"])
        return sorted(stored)


@pytest.fixture
def open_with(database_url, tmp_path):
    """A workspace with these plugins, and that of the JSON formats."""
    with ExitStack() as stack:
        yield lambda *plugins: stack.enter_context(
            open_workspace(database_url, tmp_path, plugins=["json", *plugins])
        )


@pytest.fixture(scope="module")
def shared(tmp_path_factory, migrated_sqlite):
    folder = tmp_path_factory.mktemp("bad")
    shutil.copy(migrated_sqlite, folder)
    url = f"sqlite:///{folder / migrated_sqlite.name}"
    bad, good = Plugin(), Plugin("zebra")
    with open_workspace(url, folder, plugins=["json", bad, good]) as workspace:
        yield Scene(workspace, bad, good, {})


@pytest.fixture
def scene(shared):
    """A project of its own, on one SQLite database for all tests."""
    shared.bad.calls.clear()
    project = shared.workspace.project(languages=["de"])
    shared.bad.heard.clear()
    shared.good.heard.clear()
    return shared._replace(project=project)


def said_nothing_of_its_inside(answer):
    return b"secret" not in answer.content and b"Traceback" not in answer.content


def upload(scene, name, content, **form):
    files = {"file": Upload(name, content, "text/plain")}
    owner = scene.workspace.owner
    return owner.post(f"{scene.path}/import", files=files, form=form)


# loc_on_event


@pytest.mark.parametrize("call", FAULTS_AND_NONSENSE.values(), ids=FAULTS_AND_NONSENSE)
def test_a_listener_that_fails_is_not_noticed(scene, call):
    scene.bad.calls["event"] = call
    body = {"key": "a", "values": {"de": "x"}}

    made = scene.workspace.owner.post(f"{scene.path}/keys", json=body)
    job = scene.workspace.job_of(upload(scene, "de.json", b'{"b": "c"}'))

    assert made.status == 201
    assert job["status"] == "succeeded"
    assert scene.names == ["a", "b"]
    assert scene.bad.heard == scene.good.heard
    assert scene.bad.heard.count("key.created") == 2


def test_a_listener_hears_only_of_what_is_kept_and_writes_for_itself(open_with):
    """It is called after the commit: its own transactions are its own."""
    seen = []

    def meddle(event):
        if event.type != "key.created" or event.items[0]["key"] != "theirs":
            return
        id_ = event.project_id
        seen.append("theirs" in framework.storage.keys.names_of(id_))
        framework.keys.create_key(OPERATOR, id_, NewKey("mine"))
        with framework.storage.transaction():
            framework.storage.projects.delete(id_, "2026-11-21T09:00:00.000Z")
            raise RuntimeError("so nothing of it is kept")

    workspace = open_with(Plugin(event=meddle))
    framework = workspace.framework
    project = workspace.project()
    path = f"/projects/{project['id']}"

    made = workspace.owner.post(f"{path}/keys", json={"key": "theirs"})

    assert made.status == 201
    assert seen == [True]
    assert sorted(framework.storage.keys.names_of(project["id"])) == ["mine", "theirs"]
    assert workspace.owner.get(path).status == 200


# loc_decide_caller

SOMEBODY = Actor("user", "somebody")
NO_CALLERS = [
    True,
    0,
    "",
    "owner",
    {"everything": True},
    Unfit(),
    Caller(actor=None),
    Caller(actor=Actor("god", "1")),
    Caller(actor=Actor("user", "a\0b")),
    Caller(actor=Actor("user", "\ud800")),
    Caller(actor=SOMEBODY, grants=(Grant("x", frozenset({"a\0b"})),)),
    Caller(actor=SOMEBODY, grants=None),
    Caller(actor=SOMEBODY, grants=(Grant("x", 3),)),
    Caller(actor=SOMEBODY, everything="yes"),
    Caller(actor=SOMEBODY, token="svc_pat_x"),
]


@pytest.mark.parametrize("call", [*FAULTS.values(), *map(answers, NO_CALLERS)])
def test_a_caller_that_fails_or_is_nonsense_lets_nobody_in(scene, call):
    scene.bad.calls["caller"] = call
    stranger = Client(scene.workspace.app, "theirs")

    for path in ("/tokens/self", "/projects", "/permissions", "/organizations"):
        answer = stranger.get(path)
        assert answer.status == 401
        assert answer.error["code"] == "unauthorized"
    assert scene.workspace.owner.get("/tokens/self").status == 200


# formats


def read_as(entry, **catalogue):
    return answers(
        [Catalogue(**{"language_code": "en", "entries": [entry]} | catalogue)]
    )


def refuses_with(*refusal):
    return raises(UnreadableFile(*refusal))


GOOD = Entry("a", "b")
ENDLESS: dict[str, object] = {}
ENDLESS["again"] = ENDLESS
BAD_READS = [
    *FAULTS.values(),
    UNAVAILABLE,
    *map(answers, [None, 3, "text", b"x", [None], [3], {"en": {}}, Unfit(), [Unfit()]]),
    refuses_with("\ud800"),
    refuses_with("no", [object()]),
    refuses_with("no", object()),
    refuses_with("no", [Problem("line 1", "syntax", "\udfff")]),
    refuses_with(3),
    read_as(None),
    read_as("a"),
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
    read_as(Entry(None)),
    read_as(Entry(3)),
    read_as(Entry("\ud800", "x")),
    read_as(Entry("a", 3)),
    read_as(Entry("a", "\ud800")),
    read_as(Entry("a", "\0")),
    read_as(Entry("a", ["x"])),
    read_as(Entry("a", {"much": "x"}, is_plural=True)),
    read_as(Entry("a", {"one": 3}, is_plural=True)),
    read_as(Entry("a", {3: "x"}, is_plural=True)),
    read_as(Entry("a", "x", description=None)),
    read_as(Entry("a", "x", description="\ud800")),
    read_as(Entry("a", "x", source=3)),
    read_as(Entry("a", "x", source="\ud800")),
    read_as(Entry("a", "x", detail="x")),
    read_as(Entry("a", "x", detail={"x": Unfit()})),
    read_as(Entry("a", "x", is_plural=Unfit())),
    read_as(Entry("a", "x", needs_review=1)),
    read_as(Entry("a", "x", line="3")),
    read_as(Entry("a", "x", key_detail=[])),
]


@pytest.mark.parametrize("read", BAD_READS)
def test_a_format_that_reads_badly_is_what_failed(scene, read, caplog):
    scene.bad.calls["read"] = read

    answer = upload(scene, "x.bad", b"x", format="bad")

    if answer.status == 400:  # what it says of the file can be refused as such
        assert answer.error["code"] in ("unreadable_file", "invalid_key")
    else:
        assert (answer.status, answer.error["code"]) == (422, "format_failed")
        assert answer.error["details"] == {"format": "bad", "plugin": "bad"}
        assert "format bad of plugin bad failed" in caplog.text
        assert "Traceback" in caplog.text
    assert said_nothing_of_its_inside(answer)
    assert scene.names == []
    assert scene.workspace.owner.get(f"{scene.path}/jobs").data["total"] == 0


@pytest.mark.parametrize(
    "recognizes", FAULTS_AND_NONSENSE.values(), ids=FAULTS_AND_NONSENSE
)
def test_a_format_that_cannot_recognize_stands_in_nobodys_way(scene, recognizes):
    scene.bad.calls["recognizes"] = recognizes

    job = scene.workspace.job_of(upload(scene, "en.json", b'{"a": "b"}'))

    assert job["status"] == "succeeded"
    assert scene.names == ["a"]


BAD_WRITES = [
    *FAULTS.values(),
    refuses_with("no"),
    *map(answers, [None, b"x", "x", Unfit()]),
    answers(WrittenFile("text")),
    answers(WrittenFile(None)),
    answers(WrittenFile(b"x", None)),
    answers(WrittenFile(b"x", "oops")),
    answers(WrittenFile(b"x", [3])),
    answers(WrittenFile(b"x", ["\ud800"])),
]


@pytest.mark.parametrize("write", BAD_WRITES)
def test_a_format_that_writes_badly_publishes_nothing_and_blocks_nothing(scene, write):
    workspace, owner, path = scene.workspace, scene.workspace.owner, scene.path
    scene.bad.calls["write"] = answers(WrittenFile(b"fine"))
    workspace.key(scene.project, "a", values={"en": "b"})
    body = {"name": "Web", "format": "bad"}
    made = owner.post(f"{path}/distributions", json=body).data["distribution"]
    releases = f"{path}/distributions/{made['id']}/releases"
    workspace.run_jobs()
    public = Client(workspace.app)
    before = public.get(f"/content/{made['publicKey']}/manifest.json")
    workspace.key(scene.project, "b", values={"en": "c"})

    scene.bad.calls["write"] = write
    export = owner.get(f"{path}/export", query={"format": "bad"})
    preview = owner.post(releases, json={"dryRun": True})
    job = workspace.job_of(owner.post(releases, json={}))

    for answer in (export, preview):
        assert (answer.status, answer.error["code"]) == (422, "format_failed")
        assert answer.error["message"].startswith(
            "the format bad (plugin bad) failed to write a file; the log"
        )
        assert said_nothing_of_its_inside(answer)
    assert (job["status"], job["error"]["code"]) == ("failed", "format_failed")
    after = public.get(f"/content/{made['publicKey']}/manifest.json")
    assert (before.status, after.content) == (200, before.content)
    good = owner.get(f"{path}/export", query={"format": "json-flat"})
    assert good.status == 200
    scene.bad.calls["write"] = answers(WrittenFile(b"better"))
    again = workspace.job_of(owner.post(releases, json={}))
    assert again["status"] == "succeeded"

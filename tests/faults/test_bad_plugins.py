"""A plugin that fails, answers nonsense or meddles breaks its own affairs alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from locframework import Framework, hookimpl
from locframework.access.records import Caller, Grant, NewToken
from locframework.app import OPERATOR
from locframework.errors import KeyExists, ProjectNotFound, Unauthorized, Unavailable
from locframework.events import Actor
from locframework.http.records import Upload
from locframework.keys.records import NewKey
from locframework.testing.client import Answer, Client
from locframework.testing.workspace import Workspace, open_workspace

from .failing import FAULTS, Call, Unfit, answers, unavailable

Open = Callable[..., Workspace]


@pytest.fixture
def open_with(database_url: str, tmp_path: Path) -> Iterator[Open]:
    """A workspace with these plugins beside the installed ones."""
    with ExitStack() as stack:
        yield lambda *plugins: stack.enter_context(
            open_workspace(database_url, tmp_path, plugins=plugins)
        )


class Scene(NamedTuple):
    """A workspace with a judge and a doorman that do as they are told."""

    workspace: Workspace
    judge: Judge
    doorman: Doorman
    project: dict[str, Any]


@pytest.fixture(scope="module")
def one_scene(
    tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path
) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("bad")
    shutil.copy(migrated_sqlite, folder)
    url = f"sqlite:///{folder / migrated_sqlite.name}"
    judge, doorman = Judge(answers(None)), Doorman(answers(None))
    with open_workspace(url, folder, plugins=(judge, doorman)) as workspace:
        yield Scene(workspace, judge, doorman, workspace.project())


@pytest.fixture
def scene(one_scene: Scene) -> Scene:
    """On one SQLite database for all tests: nothing is ever written."""
    one_scene.judge.call = one_scene.doorman.call = answers(None)
    return one_scene


def names(workspace: Workspace, project: dict[str, Any]) -> list[str]:
    stored = workspace.framework.storage.keys.names_of(project["id"])
    return sorted(stored)


def said_nothing_of_its_inside(answer: Answer) -> bool:
    return b"secret" not in answer.content and b"Traceback" not in answer.content


# loc_on_event


class Listener:
    name = "listener"

    def __init__(self, call: Call) -> None:
        self.call = call
        self.heard: list[str] = []

    @hookimpl
    def loc_on_event(self, event: Any) -> Any:
        self.heard.append(event.type)
        return self.call(event)


class AnotherListener(Listener):
    name = "zebra"


@pytest.mark.parametrize(
    "call", [*FAULTS, pytest.param(answers(Unfit()), id="nonsense")]
)
def test_a_listener_that_fails_is_not_noticed(open_with: Open, call: Call) -> None:
    bad, good = Listener(call), AnotherListener(answers(None))
    workspace = open_with(bad, good)
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"

    made = workspace.owner.post(
        f"{path}/keys", json={"key": "a", "values": {"de": "x"}}
    )
    file = {"file": Upload("de.json", b'{"b": "c"}', "application/json")}
    job = workspace.job_of(workspace.owner.post(f"{path}/import", files=file))

    assert made.status == 201
    assert job["status"] == "succeeded"
    assert names(workspace, project) == ["a", "b"]
    assert bad.heard == good.heard
    assert bad.heard.count("key.created") == 2


def test_a_listener_hears_only_of_what_is_kept_and_writes_for_itself(
    open_with: Open,
) -> None:
    """It is called after the commit: its own transactions are its own."""
    framework: Framework
    seen: list[bool] = []

    def meddle(event: Any) -> None:
        if event.type != "key.created" or event.items[0]["key"] != "theirs":
            return
        id_ = event.project_id
        seen.append("theirs" in framework.storage.keys.names_of(id_))
        framework.keys.create_key(OPERATOR, id_, NewKey("mine"))
        with framework.storage.transaction():
            framework.storage.projects.delete(id_, "2026-11-21T09:00:00.000Z")
            raise RuntimeError("so nothing of it is kept")

    workspace = open_with(Listener(meddle))
    framework = workspace.framework
    project = workspace.project()
    path = f"/projects/{project['id']}"

    made = workspace.owner.post(f"{path}/keys", json={"key": "theirs"})

    assert made.status == 201
    assert seen == [True]
    assert names(workspace, project) == ["mine", "theirs"]
    assert workspace.owner.get(path).status == 200


# loc_decide_refusal


class Judge:
    name = "judge"

    def __init__(self, call: Call) -> None:
        self.call = call

    @hookimpl
    def loc_decide_refusal(self, caller: Any, permission: str, scope: Any) -> Any:
        return self.call(caller, permission, scope)


NO_REASONS = [True, False, 0, 42, b"no", ["no"], {"no": 1}, Unfit(), object()]


@pytest.mark.parametrize(
    "call", [*FAULTS, *(pytest.param(answers(a), id=repr(a)[:9]) for a in NO_REASONS)]
)
def test_a_judge_that_fails_or_talks_nonsense_refuses(scene: Scene, call: Call) -> None:
    owner, path = scene.workspace.owner, f"/projects/{scene.project['id']}"
    scene.judge.call = call

    asked = [
        owner.post(f"{path}/keys", json={"key": "a"}),
        owner.post(f"{path}/keys/bulk", json={"keys": [{"key": "a"}]}),
        owner.get(f"{path}/keys"),
        owner.get(path),
    ]

    assert [answer.status for answer in asked] == [403] * 4
    assert all(said_nothing_of_its_inside(answer) for answer in asked)
    assert asked[0].error["code"] == "permission_denied"
    assert names(scene.workspace, scene.project) == []


@pytest.mark.parametrize("reason", ["", "no", "é" * 5000, "\ud800", "a\0b", '"\\'])
def test_any_text_refuses_and_is_answered(scene: Scene, reason: str) -> None:
    scene.judge.call = answers(reason)

    answer = scene.workspace.owner.get(f"/projects/{scene.project['id']}")

    assert answer.status == 403
    assert answer.error["code"] == "permission_denied"
    assert len(answer.error["message"]) <= 200


def test_a_judge_whose_source_is_down_is_503(scene: Scene) -> None:
    scene.judge.call = unavailable

    answer = scene.workspace.owner.get(f"/projects/{scene.project['id']}")

    assert answer.status == 503


@pytest.mark.parametrize("swallows", [True, False])
def test_a_plugin_that_is_asked_for_a_permission_cannot_write(
    open_with: Open, swallows: bool
) -> None:
    """Permissions of a write are decided on a snapshot, where nobody can write."""
    framework: Framework
    token = NewToken("meddling")

    def meddle(caller: Any, permission: str, scope: Any) -> None:
        if permission != "translation_approve":
            return
        try:
            with framework.storage.transaction():
                framework.tokens.create_for_project(OPERATOR, scope, token)
        except RuntimeError:
            if not swallows:
                raise

    judge = Judge(answers(None))
    workspace = open_with(judge)
    framework = workspace.framework
    project = workspace.project()
    judge.call = meddle
    path = f"/projects/{project['id']}"

    answer = workspace.owner.post(
        f"{path}/keys", json={"key": "a", "values": {"en": "x"}}
    )

    assert answer.status == 201
    key = f"{path}/keys/{answer.data['key']['id']}"
    value = workspace.owner.get(f"{key}/values/en").data["value"]
    assert value["status"] == ("approved" if swallows else "pending_review")
    judge.call = answers(None)
    assert workspace.owner.get(f"{path}/tokens").data["items"] == []


# loc_decide_caller


class Doorman:
    name = "doorman"

    def __init__(self, call: Call) -> None:
        self.call = call

    @hookimpl
    def loc_decide_caller(self, token: str) -> Any:
        return None if token.startswith("svc_") else self.call(token)


SOMEBODY = Actor("user", "somebody")
NO_CALLERS = [
    True,
    0,
    "",
    "owner",
    {"everything": True},
    Unfit(),
    Caller(actor=None),  # type: ignore[arg-type]
    Caller(actor=Actor("god", "1")),  # type: ignore[arg-type]
    Caller(actor=Actor("user", "a\0b")),
    Caller(actor=Actor("user", "\ud800")),
    Caller(actor=SOMEBODY, grants=(Grant("x", frozenset({"a\0b"})),)),
    Caller(actor=SOMEBODY, grants=None),  # type: ignore[arg-type]
    Caller(actor=SOMEBODY, grants=(Grant("x", 3),)),  # type: ignore[arg-type]
    Caller(actor=SOMEBODY, everything="yes"),  # type: ignore[arg-type]
    Caller(actor=SOMEBODY, token="svc_pat_x"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(
    "call",
    [
        *FAULTS,
        *(
            pytest.param(answers(each), id=f"nonsense{number}")
            for number, each in enumerate(NO_CALLERS)
        ),
    ],
)
def test_a_doorman_that_fails_or_talks_nonsense_lets_nobody_in(
    scene: Scene, call: Call
) -> None:
    scene.doorman.call = call
    stranger = Client(scene.workspace.app, "theirs")

    for path in ("/tokens/self", "/projects", "/permissions", "/organizations"):
        answer = stranger.get(path)
        assert answer.status == 401
        assert answer.error["code"] == "unauthorized"
    assert scene.workspace.owner.get("/tokens/self").status == 200


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        (Unauthorized(), 401),
        (ProjectNotFound(), 401),
        (KeyExists("?"), 401),
        (Unavailable("?"), 503),
    ],
)
def test_a_doorman_may_only_say_bad_or_unavailable(
    scene: Scene, raised: Exception, status: int
) -> None:
    def refuse(_: str) -> NoReturn:
        raise raised

    scene.doorman.call = refuse

    assert Client(scene.workspace.app, "theirs").get("/tokens/self").status == status


def test_a_caller_of_a_doorman_is_as_it_was_made(open_with: Open) -> None:
    made: list[Caller] = []
    workspace = open_with(Doorman(lambda _: made[0]))
    project = workspace.project(languages=["de"])
    permissions = frozenset({"translation_read", "translation_write"})
    grant = Grant(
        workspace.organization_id,
        permissions,
        frozenset({project["id"]}),
        frozenset({"de"}),
    )
    made.append(Caller(SOMEBODY, (grant,)))
    key = workspace.key(project, "a")
    client = Client(workspace.app, "theirs")
    path = f"/projects/{project['id']}/keys/{key['id']}/values"

    assert client.put(f"{path}/de", json={"value": "x"}).status == 200
    assert client.put(f"{path}/en", json={"value": "x"}).status == 403
    assert (
        client.post(f"/projects/{project['id']}/keys", json={"key": "b"}).status == 403
    )
    assert workspace.framework.plugins.caller("theirs") == made[0]

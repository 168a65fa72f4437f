"""Permissions of plugins: in roles, in tokens, and asked for by operations."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated

import pytest

from locframework import Framework, PluginError, Settings, hookimpl
from locframework.access.permissions import PERMISSIONS, ROLES
from locframework.ports import Caller, Permission, Wrapped, operation
from locframework.testing.client import Client
from locframework.testing.workspace import open_workspace

SEND = "my_digest_send"
READ = "my_digest_read"


class DigestPlugin:
    """Has two permissions; its operation needs one of them."""

    name = "my-digest"

    @hookimpl
    def loc_provide_permissions(self) -> list[Permission]:
        return [
            Permission(SEND, "Send digests"),
            Permission(READ, "Read digests", ("translator", "reviewer")),
        ]

    @hookimpl
    def loc_provide_endpoints(self) -> list[object]:
        return [self]

    @operation("POST", "/projects/{projectId}/send", permission=SEND)
    def send(self, caller: Caller, project_id: str) -> Annotated[str, Wrapped("sent")]:
        """Send."""
        return project_id


@pytest.fixture
def here(keys_with):
    return keys_with(DigestPlugin())


def send(client, project):
    answer = client.post(f"/plugins/my-digest/projects/{project['id']}/send")
    return answer.error["code"] if answer.status >= 400 else answer.status


def test_they_are_listed_with_their_plugin_and_roles(here):
    listed = here.owner.get("/permissions").data["permissions"]

    assert [each["key"] for each in listed] == [*PERMISSIONS, SEND, READ]
    assert listed[-2:] == [
        {
            "key": SEND,
            "description": "Send digests",
            "roles": ["manager", "owner"],
            "plugin": "my-digest",
        },
        {
            "key": READ,
            "description": "Read digests",
            "roles": ["translator", "reviewer", "manager", "owner"],
            "plugin": "my-digest",
        },
    ]
    assert listed[0]["plugin"] is None
    assert listed[0]["roles"] == [role for role in ROLES if "ai_run" in ROLES[role]]


@pytest.mark.parametrize(
    ("role", "more"),
    [
        ("viewer", set()),
        ("translator", {READ}),
        ("reviewer", {READ}),
        ("developer", set()),
        ("manager", {READ, SEND}),
        ("owner", {READ, SEND}),
    ],
)
def test_the_named_roles_managers_and_owners_have_them(here, role, more):
    client = here.workspace.client(role)

    shown = client.get("/tokens/self").data["token"]

    assert set(shown["effectivePermissions"]) - ROLES[role] == more
    assert send(client, here.project) == (200 if SEND in more else "permission_denied")


def test_tokens_have_them_like_others(here):
    project, owner = here.project, here.owner
    tokens = f"/projects/{project['id']}/tokens"

    narrow = owner.post("/tokens", json={"name": "a", "permissions": [SEND]}).data
    ci = owner.post(tokens, json={"name": "ci", "permissions": [SEND]}).data
    without = here.workspace.client("owner", permissions=["project_read"])
    misspelt = owner.post("/tokens", json={"name": "a", "permissions": [SEND + "s"]})
    translator = here.workspace.client("translator")
    too_much = translator.post("/tokens", json={"name": "a", "permissions": [SEND]})

    clients = [owner.with_token(each["secret"]) for each in (narrow, ci)]
    assert [send(client, project) for client in clients] == [200, 200]
    assert send(without, project) == "permission_denied"
    assert "did you mean 'my_digest_send'" in misspelt.error["message"]
    assert too_much.error["details"] == {"required": SEND}
    another = here.workspace.project()
    assert send(clients[1], another) == "project_not_found"


def test_tokens_work_without_them_when_the_plugin_is_gone(database_url, tmp_path):
    with open_workspace(database_url, tmp_path, plugins=[DigestPlugin()]) as workspace:
        project = workspace.project()
        personal = workspace.client("owner").token
        path = f"/projects/{project['id']}/tokens"
        both = {"name": "ci", "permissions": [SEND, "project_read"]}
        made = workspace.owner.post(path, json=both).data
    with open_workspace(database_url, tmp_path) as workspace:
        clients = [Client(workspace.app, each) for each in (personal, made["secret"])]
        read = [each.get(f"/projects/{project['id']}").status for each in clients]
        own = [each.get("/tokens/self").data["token"] for each in clients]
        listed = clients[0].get(path).data["items"]
        again = clients[0].post("/tokens", json={"name": "a", "permissions": [SEND]})

    assert read == [200, 200]
    assert [SEND in each["permissions"] for each in own] == [True, True]
    assert set(own[0]["effectivePermissions"]) == ROLES["owner"]
    assert own[1]["effectivePermissions"] == ["project_read"]
    assert listed[0]["permissions"] == [SEND, "project_read"]
    assert again.error["code"] == "unknown_permission"


def test_applications_in_one_process_do_not_share_them(here, tmp_path):
    url = f"sqlite:///{tmp_path / 'other.sqlite3'}"
    (tmp_path / "other").mkdir()

    with open_workspace(url, tmp_path / "other") as other:
        listed = other.owner.get("/permissions").data["permissions"]

    assert [each["key"] for each in listed] == [*PERMISSIONS]


def providing(*permissions, name="my-digest"):
    provide = hookimpl(lambda: permissions)
    return SimpleNamespace(name=name, loc_provide_permissions=provide)


@pytest.mark.parametrize(
    ("plugins", "said"),
    [
        (
            [providing(Permission("send", "Send"))],
            "'send' is not 'my_digest_' and ",
        ),
        ([providing(Permission("my_digest_", "Send"))], "'my_digest_' is not"),
        ([providing(Permission("my_digest_Send", "Send"))], "'my_digest_Send' is not"),
        ([providing(Permission("my_digest_" + "s" * 60, "Send"))], "at most 64"),
        ([providing(Permission(SEND, " "))], "has no description"),
        ([providing(Permission(SEND, "Send", ("boss",)))], "Invalid enum value 'boss'"),
        ([providing(SEND)], "str is not of type Permission"),
        (
            [providing(Permission("key_create", "Create"), name="key")],
            "'key_create' is provided by plugin 'locframework' already",
        ),
        (
            [providing(Permission("a_b_c", "C"), name=name) for name in ("a", "a-b")],
            "'a_b_c' is provided by plugin 'a' already",
        ),
    ],
)
def test_wrong_ones_stop_the_start(plugins, said):
    with pytest.raises(PluginError) as caught:
        Framework(Settings(), plugins)

    assert "loc_provide_permissions" in str(caught.value)
    assert said in str(caught.value)

"""Tokens that tokens make, and those of members (decisions 2.6, 2.9)."""

import time

import pytest

from locframework.testing.client import Client

NARROW = {"name": "narrow", "permissions": ["project_read"], "expiresInDays": 1}


@pytest.fixture
def narrow(workspace):
    """A client with a token of the owner that may do little, and its record."""
    return made(workspace.owner, **NARROW)


def made(client, **body):
    data = client.post("/tokens", json={"name": "t", **body}).data
    return client.with_token(data["secret"]), data["token"]


def ids(client, path="/tokens"):
    return {each["id"] for each in client.get(path).data["items"]}


def test_a_token_without_token_manage_makes_children_that_live_no_longer(narrow):
    client, token = narrow

    child, record = made(client, expiresInDays=366)

    assert record["parentId"] == token["id"]
    assert record["expiresAt"] == token["expiresAt"]
    assert child.get("/tokens/self").status == 200


def test_children_end_with_their_parent_at_any_depth(workspace, narrow):
    client, token = narrow
    child, _ = made(client)
    grandchild, _ = made(child)

    assert workspace.owner.delete(f"/tokens/{token['id']}").status == 200

    for each in (client, child, grandchild):
        assert each.get("/tokens/self").status == 401
    assert workspace.owner.get("/tokens/self").status == 200


def test_such_a_token_sees_and_revokes_only_itself_and_its_children(workspace, narrow):
    client, token = narrow
    _, child = made(client)
    _, other = made(workspace.owner)

    assert ids(client) == {token["id"], child["id"]}
    refused = client.delete(f"/tokens/{other['id']}")
    assert (refused.status, refused.error["code"]) == (404, "token_not_found")
    assert client.delete(f"/tokens/{child['id']}").status == 200
    assert client.delete(f"/tokens/{token['id']}").status == 200
    assert client.get("/tokens/self").status == 401


def test_a_token_with_token_manage_makes_tokens_without_a_parent(workspace):
    client, token = made(workspace.owner)

    after, record = made(client)
    workspace.owner.delete(f"/tokens/{token['id']}")

    assert record["parentId"] is None
    assert after.get("/tokens/self").status == 200


@pytest.fixture
def member(workspace):
    """The path of a member, and two clients with tokens that were made for them."""
    owner, members = workspace.owner, f"/organizations/{workspace.organization_id}"
    body = {"email": "bot@example.com", "role": "translator"}
    record = owner.post(f"{members}/members", json=body).data["member"]
    path = f"{members}/members/{record['id']}/tokens"
    clients = []
    for name in ("one", "two"):
        data = owner.post(path, json={"name": name}).data
        clients.append((owner.with_token(data["secret"]), data["token"]["id"]))
    return path, clients


def test_a_token_of_a_member_is_found_and_ended(workspace, member):
    path, [(one, one_id), (two, two_id)] = member

    assert ids(workspace.owner, path) == {one_id, two_id}
    assert workspace.owner.delete(f"{path}/{one_id}").status == 200

    assert one.get("/tokens/self").status == 401
    assert two.get("/tokens/self").status == 200
    again = workspace.owner.delete(f"{path}/{one_id}")
    assert (again.status, again.error["code"]) == (404, "token_not_found")


def test_all_tokens_of_a_member_end_with_one_call(workspace, member):
    path, clients = member
    _, child = made(clients[0][0])

    assert workspace.owner.delete(path).status == 200

    assert ids(workspace.owner, path) == set()
    assert [one.get("/tokens/self").status for one, _ in clients] == [401, 401]
    assert workspace.owner.get("/tokens/self").status == 200
    assert child["parentId"] == clients[0][1]


def test_tokens_for_another_organization_are_neither_shown_nor_ended(workspace, member):
    path, clients = member
    other_id, other = workspace.organization("Other")
    body = {"email": "bot@example.com", "role": "translator"}
    record = other.post(f"/organizations/{other_id}/members", json=body).data["member"]
    there = f"/organizations/{other_id}/members/{record['id']}/tokens"
    token = other.post(there, json={"name": "there"}).data["token"]

    assert ids(workspace.owner, path) == {id_ for _, id_ in clients}
    assert workspace.owner.delete(f"{path}/{token['id']}").status == 404
    workspace.owner.delete(path)
    assert ids(other, there) == {token["id"]}


def test_only_who_manages_members_sees_their_tokens(workspace, member):
    path, [(one, one_id), _] = member

    single = f"{path}/{one_id}"
    for method, where in (("GET", path), ("DELETE", path), ("DELETE", single)):
        refused = one.request(method, where)
        assert (refused.status, refused.error["code"]) == (403, "permission_denied")


@pytest.mark.parametrize(
    ("agent", "shown"),
    [("curl/8.5", "curl/8.5"), ("a\t\x7f" * 300, "a" * 200), ("\x1b\x85", None)],
)
def test_a_token_shows_where_it_was_last_used_and_by_which_program(
    workspace, agent, shown
):
    _, record = made(workspace.owner)
    secret = workspace.owner.post("/tokens", json={"name": "leaked"}).data["secret"]
    thief = Client(workspace.app, secret, remote_address="2001:db8::7")

    assert (record["lastUsedAddress"], record["lastUsedAgent"]) == (None, None)
    thief.get("/tokens/self", headers={"User-Agent": agent})

    deadline = time.monotonic() + 10
    while True:  # it is written beside the request
        [used] = [
            each
            for each in workspace.owner.get("/tokens").data["items"]
            if each["name"] == "leaked"
        ]
        if used["lastUsedAt"] or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    assert used["lastUsedAddress"] == "2001:db8::7"
    assert used["lastUsedAgent"] == shown

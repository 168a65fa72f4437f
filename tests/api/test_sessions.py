"""decisions 2.6: an invitation opens a session, once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest

from locframework.testing.client import Client
from locframework.testing.workspace import open_workspace
from tests.databases import statements_of


class Door:
    """An organization with a member who signs in, and a clock that tests set."""

    def __init__(self, workspace, now):
        self.workspace, self.now, self.owner = workspace, now, workspace.owner
        self.members = f"/organizations/{workspace.organization_id}/members"
        self.member = self.add("ines@example.com", "translator")
        self.anyone = Client(workspace.app)

    def add(self, email, role, **fields):
        body = {"email": email, "role": role, **fields}
        return self.owner.post(self.members, json=body).data["member"]

    def invite(self, client=None, member=None):
        path = f"{self.members}/{(member or self.member)['id']}/invitations"
        return (client or self.owner).post(path)

    def open(self, secret):
        return self.anyone.post("/sessions", json={"invitation": secret})

    def sign_in(self, member=None):
        opened = self.open(self.invite(member=member).data["secret"])
        assert opened.status == 201, opened
        return Client(self.workspace.app, opened.data["secret"])

    def later(self, **time):
        self.now[0] += timedelta(**time)


@pytest.fixture
def door(database_url, tmp_path):
    now = [datetime.fromisoformat("2026-05-04T10:00:00+00:00")]
    with ExitStack() as stack:
        opened = open_workspace(database_url, tmp_path, clock=lambda: now[0])
        yield Door(stack.enter_context(opened), now)


def test_an_invitation_opens_a_session_that_may_do_what_the_member_may(door):
    invited = door.invite()

    assert invited.status == 201
    invitation, secret = invited.data["invitation"], invited.data["secret"]
    assert invitation["memberId"] == door.member["id"]
    assert invitation["expiresAt"].startswith("2026-05-05T10:00:00")
    assert invited.data["link"].endswith(f"/workbench/#invitation={secret}")
    opened = door.open(secret)
    assert opened.status == 201
    token = opened.data["token"]
    assert (token["kind"], token["parentId"]) == ("personal", None)
    assert token["expiresAt"].startswith("2026-06-03T10:00:00")
    client = Client(door.workspace.app, opened.data["secret"])
    own = client.get("/tokens/self").data["token"]
    assert own["userId"] == door.member["userId"]
    assert "translation_write" in own["effectivePermissions"]
    assert "member_manage" not in own["effectivePermissions"]


def test_a_session_follows_the_role_of_its_member(door):
    client = door.sign_in()
    path = f"{door.members}/{door.member['id']}"

    assert door.owner.patch(path, json={"role": "reviewer"}).status == 200

    own = client.get("/tokens/self").data["token"]
    assert "translation_approve" in own["effectivePermissions"]
    assert door.owner.delete(path).status == 200
    assert client.get("/tokens/self").status == 401


def test_an_invitation_is_used_once_and_lives_a_day(door):
    used, late = door.invite().data["secret"], door.invite().data["secret"]
    assert door.open(used).status == 201

    refusals = [door.open(used), door.open("svc_inv_" + "a" * 42), door.open("")]
    door.later(hours=24)
    refusals.append(door.open(late))

    assert {each.status for each in refusals} == {401}
    assert len({str(each.error) for each in refusals}) == 1
    assert all("Bearer" in each.headers["WWW-Authenticate"] for each in refusals)


def test_of_many_who_use_an_invitation_at_once_one_is_let_in(door):
    secret = door.invite().data["secret"]

    with ThreadPoolExecutor(8) as pool:
        found = [each.status for each in pool.map(door.open, [secret] * 8)]

    assert sorted(found) == [201] + [401] * 7


def test_an_invitation_is_no_token_and_a_token_no_invitation(door):
    secret = door.invite().data["secret"]

    assert Client(door.workspace.app, secret).get("/tokens/self").status == 401
    assert door.open(door.owner.token).status == 401
    listed = door.owner.get(f"{door.members}/{door.member['id']}/tokens").data
    assert listed["items"] == []
    assert door.open(secret).status == 201


def test_junk_is_refused_without_a_look_into_the_database(door):
    with statements_of(door.workspace.framework.storage) as sent:
        assert door.open("junk").status == 401

    assert sent == []


def test_an_invitation_ends_with_the_membership(door):
    secret = door.invite().data["secret"]

    assert door.owner.delete(f"{door.members}/{door.member['id']}").status == 200

    assert door.open(secret).status == 401


def test_a_session_ends_after_thirty_days_unless_it_is_renewed(door):
    client, other = door.sign_in(), door.sign_in()
    for _ in range(3):
        door.later(days=9)
        assert client.get("/tokens/self").status == 200
        assert other.get("/tokens/self").status == 200
        _noted(door)

    renewed = client.post("/sessions/renew")

    assert renewed.status == 200
    assert renewed.data["token"]["expiresAt"].startswith("2026-06-30T10:00:00")
    door.later(days=4)
    assert client.get("/tokens/self").status == 200
    assert other.get("/tokens/self").status == 401


def test_a_session_ends_after_fourteen_days_without_use(door):
    client, used = door.sign_in(), door.sign_in()
    door.later(days=13, hours=23)
    assert used.get("/tokens/self").status == 200
    _noted(door)

    door.later(hours=1)

    assert client.get("/tokens/self").status == 401
    assert used.get("/tokens/self").status == 200


def test_signing_out_ends_the_session_and_what_it_made(door):
    client = door.sign_in()
    made = client.post("/tokens", json={"name": "script"})
    child = Client(door.workspace.app, made.data["secret"])
    assert child.get("/tokens/self").status == 200

    out = client.delete("/sessions")

    assert out.status == 200
    assert client.get("/tokens/self").status == 401
    assert child.get("/tokens/self").status == 401


def test_a_token_that_is_no_session_is_neither_renewed_nor_ended(door):
    for answer in (door.owner.post("/sessions/renew"), door.owner.delete("/sessions")):
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
    assert door.owner.get("/tokens/self").status == 200


def test_nobody_invites_whom_they_could_not_appoint(door):
    boss = door.add("boss@example.com", "owner")
    narrow = door.workspace.client("owner", permissions=["member_manage"])
    bound = door.workspace.client("owner", languages=["de"])
    reviewer = door.workspace.client("reviewer")

    assert door.invite(narrow, boss).status == 403
    assert door.invite(narrow).status == 403
    assert door.invite(bound).error["code"] == "language_not_assigned"
    assert door.invite(reviewer).status == 403
    _, stranger = door.workspace.organization()
    assert door.invite(stranger).status == 404


def test_a_session_counts_in_its_organization_alone(door):
    other, owner = door.workspace.organization()
    body = {"email": "ines@example.com", "role": "owner"}
    assert owner.post(f"/organizations/{other}/members", json=body).status == 201
    client = door.sign_in()

    grants = client.get("/tokens/self").data["token"]["grants"]

    assert [each["organizationId"] for each in grants] == [
        door.workspace.organization_id
    ]


def _noted(door):
    """Wait until the use of the tokens is written, beside the requests."""
    door.workspace.framework._background.submit(lambda: None).result()

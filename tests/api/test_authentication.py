"""service.md, Authentication 1 to 8; decisions 2.9: each line."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from locframework.access.permissions import PERMISSIONS, ROLES
from locframework.testing.workspace import open_workspace

TOKEN = re.compile(r"svc_(pat|proj)_[0-9A-Za-z]{42}")


def personal(client, **body):
    return client.post("/tokens", json={"name": "ci", **body})


def token_of(client, **body):
    return client.with_token(personal(client, **body).data["secret"])


# 1 and 2: a bearer token of two kinds


def test_1_the_token_comes_in_the_authorization_header(workspace):
    owner = workspace.owner

    assert owner.get("/projects").status == 200
    for header in (None, "", "Basic abc", f"Bearer {owner.token}, x", "Bearer junk"):
        headers = {} if header is None else {"Authorization": header}
        answer = owner.with_token(None).get("/projects", headers=headers)

        assert (answer.status, answer.error["code"]) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_2_personal_and_project_tokens_are_told_by_their_prefix(workspace):
    project = workspace.project()
    path = f"/projects/{project['id']}/tokens"

    mine = personal(workspace.owner).data
    projects = workspace.owner.post(path, json={"name": "ci"}).data

    assert mine["secret"].startswith("svc_pat_")
    assert projects["secret"].startswith("svc_proj_")
    for made, kind in ((mine, "personal"), (projects, "project")):
        assert TOKEN.fullmatch(made["secret"])
        assert made["token"]["kind"] == kind
        assert made["token"]["prefix"] == made["secret"][:12]


def test_a_secret_is_shown_once_and_never_kept(workspace, tmp_path):
    secret = personal(workspace.owner).data["secret"]

    listed = workspace.owner.get("/tokens").content
    kept = b"".join(f.read_bytes() for f in tmp_path.rglob("*") if f.is_file())

    assert secret.encode() not in listed
    assert secret.encode() not in kept


# 3 and 4: allow-lists within authority


def test_3_every_token_has_an_explicit_allow_list(workspace):
    made = personal(workspace.owner, permissions=["translation_read"]).data["token"]

    assert made["permissions"] == ["translation_read"]
    refused = personal(workspace.owner, permissions=["translation.read"])
    assert (refused.status, refused.error["code"]) == (400, "unknown_permission")
    assert refused.error["message"].endswith("; did you mean 'translation_read'?")


def test_4_a_personal_token_narrows_and_never_exceeds_its_owner(workspace):
    translator = workspace.client("translator")

    narrow = token_of(translator, permissions=["project_read"])
    wide = personal(translator, permissions=["project_read", "project_delete"])

    assert narrow.get("/projects").status == 200
    assert wide.error["details"] == {"required": "project_delete"}
    assert wide.status == 403
    shown = narrow.get("/tokens/self").data["token"]
    assert shown["effectivePermissions"] == ["project_read"]


def test_4_a_lowered_role_takes_effect_on_the_next_request(workspace):
    members = f"/organizations/{workspace.organization_id}/members"
    body = {"email": "ada@example.com", "role": "developer"}
    member = workspace.owner.post(members, json=body).data["member"]
    one = f"{members}/{member['id']}"
    made = workspace.owner.post(f"{one}/tokens", json={"name": "ci"}).data
    project = workspace.project()
    keys = f"/projects/{project['id']}/keys"
    ada = workspace.owner.with_token(made["secret"])
    assert ada.post(keys, json={"key": "a"}).status == 201

    workspace.owner.patch(one, json={"role": "viewer"})
    assert ada.post(keys, json={"key": "b"}).error["code"] == "permission_denied"

    workspace.owner.delete(one)
    assert ada.get(keys).status == 401


def test_a_revoked_token_is_refused_on_the_next_request(workspace):
    made = personal(workspace.owner).data
    client = workspace.owner.with_token(made["secret"])
    assert client.get("/tokens/self").status == 200

    gone = workspace.owner.delete(f"/tokens/{made['token']['id']}")

    assert gone.data == {"id": made["token"]["id"], "deleted": True}
    assert client.get("/tokens/self").status == 401


def test_a_token_lives_90_days_by_default_and_366_at_most(tmp_path, migrated):
    now = [datetime.now(UTC)]
    with (
        migrated.url("sqlite", tmp_path) as url,
        open_workspace(url, tmp_path, clock=lambda: now[0]) as workspace,
    ):
        client = token_of(workspace.owner, expiresInDays=366)
        short = token_of(workspace.owner)
        assert personal(workspace.owner, expiresInDays=367).status == 400

        now[0] += timedelta(days=90, seconds=1)
        assert short.get("/tokens/self").status == 401
        assert client.get("/tokens/self").status == 200

        now[0] += timedelta(days=276)
        assert client.get("/tokens/self").status == 401


@pytest.mark.parametrize("whose", ["personal", "member", "project"])
def test_every_kind_of_token_ends_when_expires_at_says(workspace, whose):
    owner, project = workspace.owner, workspace.project()
    members = f"/organizations/{workspace.organization_id}/members"
    [member] = owner.get(members).data["items"]
    path = {
        "personal": "/tokens",
        "member": f"{members}/{member['id']}/tokens",
        "project": f"/projects/{project['id']}/tokens",
    }[whose]
    end = (datetime.now(UTC) + timedelta(days=7)).isoformat(timespec="milliseconds")

    made = owner.post(path, json={"name": "ci", "expiresAt": end}).data["token"]

    assert made["expiresAt"] == end.replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("days", "body", "rule"),
    [(367, {}, "range"), (-1, {}, "range"), (30, {"expiresInDays": 30}, "exclusive")],
)
def test_an_end_beyond_the_bounds_or_told_twice_is_refused(workspace, days, body, rule):
    end = (datetime.now(UTC) + timedelta(days=days)).isoformat()

    refused = personal(workspace.owner, expiresAt=end, **body)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")
    [problem] = refused.error["details"]
    assert (problem["path"], problem["rule"]) == ("$.expiresAt", rule)


@pytest.mark.parametrize(
    "end", ["soon", "", "2027-02-30", None, 3, "9999-12-31T23:59:59-09:00"]
)
def test_an_end_that_is_no_time_is_refused(workspace, end):
    refused = personal(workspace.owner, expiresAt=end)

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


# 5 and 6: a project token; no coarse scopes


def test_5_a_project_token_is_bound_to_its_project(workspace):
    mine, other = workspace.project(), workspace.project()
    path = f"/projects/{mine['id']}/tokens"
    secret = workspace.owner.post(path, json={"name": "ci"}).data["secret"]
    client = workspace.owner.with_token(secret)

    assert client.get(f"/projects/{mine['id']}").status == 200
    foreign = client.get(f"/projects/{other['id']}")
    assert (foreign.status, foreign.error["code"]) == (404, "project_not_found")
    assert [p["id"] for p in client.get("/projects").data["items"]] == [mine["id"]]
    assert personal(client).error["code"] == "permission_denied"


def test_6_no_permission_key_implies_another(workspace):
    project = workspace.project()
    writer = token_of(workspace.owner, permissions=["translation_write"])

    answer = writer.get(f"/projects/{project['id']}/keys")

    assert answer.error["details"] == {"required": "translation_read"}


# 7 and 8


@pytest.mark.parametrize("role", sorted(ROLES))
def test_permissions_are_those_of_the_role(workspace, role):
    client = workspace.client(role)

    shown = client.get("/tokens/self").data["token"]

    assert set(shown["effectivePermissions"]) == set(ROLES[role])


def test_7_a_translator_acts_on_assigned_languages_alone_and_reads_all(workspace):
    project = workspace.project(languages=["de", "pt-BR"])
    key = workspace.key(project, "a", values={"pt-BR": "Oi"})
    values = f"/projects/{project['id']}/keys/{key['id']}/values"
    translator = workspace.client("translator", languages=["de"])

    assert translator.put(f"{values}/de", json={"value": "Hallo"}).status == 200
    refused = translator.put(f"{values}/pt_br.json", json={"value": "Olá"})
    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["details"] == {"languageCode": "pt-BR"}
    assert translator.get(f"{values}/pt-BR").data["value"]["value"] == "Oi"


def test_8_permissions_are_listed_for_any_token(workspace):
    listed = workspace.client("viewer").get("/permissions").data["permissions"]

    assert {each["key"] for each in listed} == set(PERMISSIONS)
    assert all(each["description"] for each in listed)


def test_a_member_who_was_deactivated_is_a_member_still(workspace):
    members = f"/organizations/{workspace.organization_id}/members"
    body = {"email": "ada@example.com", "role": "developer"}
    member = workspace.owner.post(members, json=body).data["member"]
    storage = workspace.framework.storage
    with storage.transaction():
        ada = storage.access.users.find(member["userId"])
        storage.access.users.update(replace(ada, is_active=False))

    again = workspace.owner.post(members, json=body)

    assert (again.status, again.error["code"]) == (409, "member_exists")


def test_an_organization_keeps_its_last_owner(workspace):
    members = f"/organizations/{workspace.organization_id}/members"
    [owner] = workspace.owner.get(members).data["items"]
    one = f"{members}/{owner['id']}"

    for answer in (
        workspace.owner.delete(one),
        workspace.owner.patch(one, json={"role": "manager"}),
    ):
        assert (answer.status, answer.error["code"]) == (409, "last_owner")
        assert answer.error["message"] == (
            "the organization needs an owner who is not bound to projects or"
            " languages, and this is the last one; make another one first"
        )


def test_a_token_made_for_a_member_counts_in_this_organization_alone(workspace):
    victim_email = "victim@example.com"
    framework = workspace.framework
    theirs, victim = framework.organizations.create_organization("V", victim_email)
    members = f"/organizations/{workspace.organization_id}/members"
    body = {"email": victim_email, "role": "owner"}
    member = workspace.owner.post(members, json=body).data["member"]
    path = f"{members}/{member['id']}/tokens"

    secret = workspace.owner.post(path, json={"name": "t"}).data["secret"]
    stolen = workspace.owner.with_token(secret)
    child = token_of(stolen)

    assert member["userId"] == victim.user_id
    for client in (stolen, child):
        seen = client.get("/organizations").data["items"]
        assert [each["id"] for each in seen] == [workspace.organization_id]
        assert client.get(f"/organizations/{theirs.id}").status == 404


def test_who_manages_members_cannot_make_a_token_wider_than_their_own(workspace):
    members = f"/organizations/{workspace.organization_id}/members"
    [owner] = workspace.owner.get(members).data["items"]
    narrow = token_of(workspace.owner, permissions=["project_read", "member_manage"])
    path = f"{members}/{owner['id']}/tokens"

    made = narrow.post(path, json={"name": "t"}).data["token"]
    wider = narrow.post(path, json={"name": "t", "permissions": ["project_delete"]})

    assert sorted(made["permissions"]) == ["member_manage", "project_read"]
    assert wider.error["details"] == {"required": "project_delete"}
    lifted = narrow.patch(f"{members}/{owner['id']}", json={"role": "viewer"})
    assert lifted.error["code"] == "permission_denied"


def test_a_project_token_has_the_languages_of_its_maker(workspace):
    project = workspace.project(languages=["de", "fr"])
    path = f"/projects/{project['id']}/tokens"
    maker = workspace.client("manager", languages=["de"])

    made = maker.post(path, json={"name": "t"}).data["token"]
    wider = {"name": "t", "assignedLanguages": ["fr"]}

    assert made["assignedLanguages"] == ["de"]
    assert maker.post(path, json=wider).error["code"] == "language_not_assigned"


def test_a_project_token_lists_no_permission_that_it_cannot_use(workspace):
    path = f"/projects/{workspace.project()['id']}/tokens"
    asked = ["member_manage", "project_read", "project_create", "organization_manage"]

    named = workspace.owner.post(path, json={"name": "ci", "permissions": asked}).data
    whole = workspace.owner.post(path, json={"name": "ci"}).data
    narrow = workspace.client("manager", permissions=["token_manage", "project_read"])

    assert named["token"]["permissions"] == ["project_read"]
    for made in (named, whole):
        shown = workspace.owner.with_token(made["secret"]).get("/tokens/self").data
        token = shown["token"]
        assert token["permissions"] == token["effectivePermissions"]
        assert sorted(made["token"]["permissions"]) == token["permissions"]
    listed = workspace.owner.get(path).data["items"]
    assert [each["permissions"] for each in listed] == [
        whole["token"]["permissions"],
        named["token"]["permissions"],
    ]
    refused = narrow.post(path, json={"name": "ci", "permissions": asked})
    assert refused.error["code"] == "permission_denied"


def test_a_personal_token_is_asked_of_no_project(workspace):
    project, other = workspace.project(), workspace.project(name="Other")
    new = {"name": "ci", "permissions": ["project_read"]}
    of_project = f"/projects/{project['id']}/tokens"

    refused = [
        workspace.owner.post("/tokens", json=new | {"projectId": project["id"]}),
        workspace.owner.post(of_project, json=new | {"projectId": other["id"]}),
    ]
    made = workspace.owner.post(of_project, json=new | {"projectId": project["id"]})
    nothing = workspace.owner.post("/tokens", json=new | {"projectId": None})

    for answer in refused:
        assert (answer.status, answer.error["code"]) == (400, "validation_failed")
        [detail] = answer.error["details"]
        assert detail["path"] == "$.projectId"
        assert "POST /projects/{projectId}/tokens" in detail["message"]
    assert made.data["token"]["projectId"] == project["id"]
    assert nothing.data["token"]["projectId"] is None


def test_a_token_of_another_kind_than_the_path_makes_is_refused(workspace):
    of_project = f"/projects/{workspace.project()['id']}/tokens"
    new = {"name": "ci", "permissions": ["project_read"]}

    for path, made, other in (
        ("/tokens", "personal", "project"),
        (of_project, "project", "personal"),
    ):
        refused = workspace.owner.post(path, json=new | {"kind": other})
        accepted = workspace.owner.post(path, json=new | {"kind": made})

        assert (refused.status, refused.error["code"]) == (400, "validation_failed")
        assert [each["path"] for each in refused.error["details"]] == ["$.kind"]
        assert accepted.data["token"]["kind"] == made

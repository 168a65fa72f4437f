"""Members: the owner an organization keeps, and the projects one is bound to."""

import pytest
from msgspec.structs import replace

from locframework import OPERATOR
from locframework.access.permissions import ORGANIZATION_WIDE, PERMISSIONS
from locframework.access.records import NewToken
from locframework.fields import new_id


def members_of(workspace):
    return f"/organizations/{workspace.organization_id}/members"


def owner_of(workspace):
    """The path of the first owner, before others are added."""
    [owner] = workspace.owner.get(members_of(workspace)).data["items"]
    return f"{members_of(workspace)}/{owner['id']}"


def bindings(workspace):
    return [
        {"projectIds": [workspace.project()["id"]]},
        {"projectIds": []},
        {"assignedLanguages": ["de"]},
    ]


def test_the_last_owner_is_bound_to_no_part_of_the_organization(workspace):
    one = owner_of(workspace)

    for body in bindings(workspace):
        refused = workspace.owner.patch(one, json=body)
        assert (refused.status, refused.error["code"]) == (409, "last_owner")
    [kept] = workspace.owner.get(members_of(workspace)).data["items"]
    assert (kept["projectIds"], kept["assignedLanguages"]) == (None, None)
    assert workspace.owner.patch(one, json={"name": "Ada"}).status == 200


@pytest.mark.parametrize("kind", range(3))
def test_an_owner_of_a_part_does_not_let_the_last_whole_one_go(workspace, kind):
    one, bound = owner_of(workspace), bindings(workspace)[kind]
    other = {"email": "b@example.com", "role": "owner", **bound}
    other = workspace.owner.post(members_of(workspace), json=other).data["member"]

    for refused in (
        workspace.owner.delete(one),
        workspace.owner.patch(one, json={"role": "manager"}),
        workspace.owner.patch(one, json=bound),
    ):
        assert (refused.status, refused.error["code"]) == (409, "last_owner")

    path = f"{members_of(workspace)}/{other['id']}"
    whole = {"projectIds": None, "assignedLanguages": None}
    assert workspace.owner.patch(path, json=whole).status == 200
    assert workspace.owner.patch(one, json=bound).status == 200


def test_an_owner_who_is_not_active_does_not_let_the_last_active_one_go(workspace):
    one, storage = owner_of(workspace), workspace.framework.storage
    body = {"email": "b@example.com", "role": "owner"}
    other = workspace.owner.post(members_of(workspace), json=body).data["member"]
    with storage.transaction():
        user = storage.access.users.find(other["userId"])
        storage.access.users.update(replace(user, is_active=False))

    assert workspace.owner.delete(one).error["code"] == "last_owner"
    gone = workspace.owner.delete(f"{members_of(workspace)}/{other['id']}")
    assert gone.status == 200


def test_who_has_some_languages_cannot_give_all_and_is_told_so(workspace):
    german = workspace.client("owner", languages=["de"])
    body = {"email": "b@example.com", "role": "viewer"}

    refused = german.post(members_of(workspace), json=body)

    assert (refused.status, refused.error["code"]) == (403, "language_not_assigned")
    assert refused.error["message"] == ("not every language is assigned to the caller")
    assert refused.error["details"] == {"languageCode": None}


def test_members_are_bound_to_projects_of_their_organization(workspace):
    mine, gone = workspace.project(), workspace.project()
    workspace.owner.delete(f"/projects/{gone['id']}")
    _, stranger = workspace.organization()
    foreign = workspace.project(owner=stranger)
    body = {"email": "b@example.com", "role": "viewer", "projectIds": [mine["slug"]]}
    made = workspace.owner.post(members_of(workspace), json=body).data["member"]
    one = f"{members_of(workspace)}/{made['id']}"
    answers = []

    for wrong in (new_id(), foreign["id"], gone["id"], "junk", ""):
        ids = {"projectIds": [mine["id"], wrong]}
        answers.append(workspace.owner.patch(one, json=ids))
        new = {"email": "c@example.com", "role": "viewer", **ids}
        answers.append(workspace.owner.post(members_of(workspace), json=new))

    assert made["projectIds"] == [mine["id"]]
    assert {(a.status, a.error["code"]) for a in answers} == {
        (400, "validation_failed")
    }
    details = [a.error["details"] for a in answers]
    assert details[0][0]["path"] == "$.projectIds[1]"
    assert all(each == details[0] for each in details)
    emails = [
        each["email"]
        for each in workspace.owner.get(members_of(workspace)).data["items"]
    ]
    assert "c@example.com" not in emails


@pytest.mark.parametrize("whose", ["project", "member"])
def test_who_is_bound_to_projects_is_told_no_permission_that_is_refused(
    workspace, whose
):
    project = workspace.project()
    path = f"/projects/{project['id']}/tokens"
    if whose == "member":
        client = workspace.client("owner", project_ids=[project["id"]])
    else:
        body = {"name": "ci", "permissions": sorted(PERMISSIONS)}
        secret = workspace.owner.post(path, json=body).data["secret"]
        client = workspace.owner.with_token(secret)

    shown = client.get("/tokens/self").data["token"]

    effective = sorted(set(PERMISSIONS) - ORGANIZATION_WIDE)
    assert shown["effectivePermissions"] == effective
    assert [each["permissions"] for each in shown["grants"]] == [effective]
    wider = {"name": "t", "permissions": ["member_manage"]}
    new_project = {
        "name": "P",
        "sourceLanguage": "en",
        "organizationId": workspace.organization_id,
    }
    for refused, required in (
        (client.get(members_of(workspace)), "member_manage"),
        (client.patch("/organization", json={"name": "B"}), "organization_manage"),
        (client.post("/projects", json=new_project), "project_create"),
        (client.post(path, json=wider), "member_manage"),
    ):
        assert refused.status == 403
        assert refused.error["details"] == {"required": required}


def test_organization_wide_is_what_operations_outside_of_projects_ask(workspace):
    # glossaries and memories are linked to projects, which give access to them
    linked = ("/glossaries", "/translation-memories", "/webhook-event-types")
    asked = {
        operation.get("x-permission")
        for path, methods in described(workspace.owner)["paths"].items()
        if "{projectId}" not in path and not path.startswith(linked)
        for operation in methods.values()
    }

    assert asked - {None, "project_read"} == ORGANIZATION_WIDE


def described(client):
    return client.get("/openapi.json").json


@pytest.mark.parametrize("way", ["made for the member", "made by themselves"])
def test_the_tokens_of_who_left_do_not_come_back_with_them(workspace, way):
    members = members_of(workspace)
    person = {"email": "b@example.com", "role": "viewer"}
    member = workspace.owner.post(members, json=person).data["member"]
    tokens = f"{members}/{member['id']}/tokens"
    secret = workspace.owner.post(tokens, json={"name": "a"}).data["secret"]
    if way == "made by themselves":
        made = workspace.owner.with_token(secret).post("/tokens", json={"name": "b"})
        secret = made.data["secret"]
    client = workspace.owner.with_token(secret)
    before = client.get("/tokens/self").status

    workspace.owner.delete(f"{members}/{member['id']}")
    workspace.owner.post(members, json=person)

    assert (before, client.get("/tokens/self").status) == (200, 401)


def test_a_token_of_their_own_stays_with_who_is_a_member_elsewhere(workspace):
    members = members_of(workspace)
    member = workspace.owner.post(
        members, json={"email": "b@example.com", "role": "viewer"}
    ).data["member"]
    framework = workspace.framework
    elsewhere, same = framework.organizations.create_organization(
        "Elsewhere", "b@example.com"
    )
    own = framework.tokens.create_for_member(
        OPERATOR, elsewhere.id, same.id, NewToken("own")
    )
    made = workspace.owner.post(f"{members}/{member['id']}/tokens", json={"name": "a"})

    workspace.owner.delete(f"{members}/{member['id']}")

    found = [
        workspace.owner.with_token(secret).get("/tokens/self").status
        for secret in (own[1], made.data["secret"])
    ]
    assert found == [200, 401]


def test_an_organization_sees_nothing_of_what_another_calls_a_person(workspace):
    other_id, other = workspace.organization("Elsewhere")
    jane = {"email": "jane@example.com", "role": "viewer"}
    named = {**jane, "name": "Jane, on probation"}
    there = f"/organizations/{other_id}/members"
    made = other.post(there, json=named).data["member"]

    ours = workspace.owner.post(members_of(workspace), json=jane).data["member"]
    one = f"{members_of(workspace)}/{ours['id']}"
    renamed = workspace.owner.patch(one, json={"name": "Jane D."})

    assert ours["name"] == ""
    assert renamed.data["member"]["name"] == "Jane D."
    names = {each["id"]: each["name"] for each in other.get(there).data["items"]}
    assert names[made["id"]] == "Jane, on probation"


def test_no_more_languages_are_assigned_than_anybody_needs(workspace):
    many = {"assignedLanguages": [f"de-x-{number}" for number in range(501)]}
    new = {"email": "a@example.com", "role": "viewer"}

    refusals = [
        workspace.owner.post(members_of(workspace), json={**new, **many}),
        workspace.owner.patch(owner_of(workspace), json=many),
    ]

    for refused in refusals:
        assert refused.status == 400
        assert refused.error["details"][0]["path"] == "$.assignedLanguages"
        assert refused.error["details"][0]["rule"] == "length"


def test_no_token_is_made_for_a_member_who_has_just_been_removed(
    workspace, monkeypatch
):
    members = f"/organizations/{workspace.organization_id}/members"
    body = {"email": "anna@example.com", "role": "translator"}
    anna = workspace.owner.post(members, json=body).data["member"]
    store = workspace.framework.storage.access
    lock = store.organizations.lock

    def lock_after_another(organization_id):
        lock(organization_id)
        store.members.delete(anna["id"], "2026-11-21T12:00:00.000Z")

    with monkeypatch.context() as patched:
        patched.setattr(store.organizations, "lock", lock_after_another)
        path = f"{members}/{anna['id']}/tokens"
        refused = workspace.owner.post(path, json={"name": "phone"})

    assert (refused.status, refused.error["code"]) == (404, "member_not_found")

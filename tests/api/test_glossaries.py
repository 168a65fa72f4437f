"""Glossaries: made, changed, listed, linked to projects, deleted."""

import pytest

from locframework.testing.client import Client

NEW = {"name": "Ferry terms", "sourceLanguage": "en"}


def made(workspace, **fields):
    body = {**NEW, **fields}
    return workspace.owner.post("/glossaries", json=body).data["glossary"]


def names(client, **query):
    found = client.get("/glossaries", query=query).data["items"]
    return [each["name"] for each in found]


def test_a_glossary_is_made_and_read(workspace):
    answer = workspace.owner.post(
        "/glossaries", json={**NEW, "sourceLanguage": "EN_gb"}
    )
    glossary = answer.data["glossary"]

    assert answer.status == 201
    assert glossary == {
        "id": glossary["id"],
        "slug": f"ferry-terms-{glossary['id']}",
        "name": "Ferry terms",
        "sourceLanguage": "en-GB",
        "requiresApproval": False,
        "projectIds": [],
        "termCount": 0,
        "createdAt": glossary["createdAt"],
        "updatedAt": glossary["createdAt"],
    }
    read = workspace.owner.get(f"/glossaries/renamed-{glossary['id']}")
    assert read.data == {"glossary": glossary}
    assert read.headers["ETag"]


def test_a_glossary_changes_only_where_its_etag_still_holds(workspace):
    path = f"/glossaries/{made(workspace)['id']}"
    etag = workspace.owner.get(path).headers["ETag"] or ""

    def patch(**body):
        headers = {"If-Match": etag}
        return workspace.owner.patch(path, json=body, headers=headers).status

    assert patch(name=" Terms at sea ", requiresApproval=True) == 200
    assert patch(name="lost") == 412
    found = workspace.owner.get(path).data["glossary"]
    assert (found["name"], found["requiresApproval"]) == ("Terms at sea", True)
    assert found["slug"].startswith("terms-at-sea-")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "x"}, "$.sourceLanguage"),
        ({"name": "  ", "sourceLanguage": "en"}, "$.name"),
        ({"name": "x", "sourceLanguage": "no such"}, "$.sourceLanguage"),
        ({**NEW, "requiresApproval": 1}, "$.requiresApproval"),
    ],
)
def test_what_is_wrong_with_a_glossary_is_told(sqlite_workspace, body, path):
    answer = sqlite_workspace.owner.post("/glossaries", json=body)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == path


def test_a_key_makes_one_glossary_of_two_requests(workspace):
    headers = {"Idempotency-Key": "a"}
    one = workspace.owner.post("/glossaries", json=NEW, headers=headers)
    two = workspace.owner.post("/glossaries", json=NEW, headers=headers)

    assert one.content == two.content
    assert names(workspace.owner) == ["Ferry terms"]


def test_who_has_two_organizations_says_which(workspace):
    other, owner = workspace.organization("Other")

    refused = owner.post(
        "/glossaries", json={**NEW, "organizationId": workspace.organization_id}
    )
    there = owner.post("/glossaries", json={**NEW, "organizationId": other})

    assert (refused.status, refused.error["code"]) == (404, "organization_not_found")
    assert there.status == 201


def test_glossaries_are_listed_searched_and_sorted(workspace):
    for name in ("Zoll", "Häfen", "Anker"):
        made(workspace, name=name)
    _, stranger = workspace.organization("Other")

    assert names(workspace.owner) == ["Anker", "Häfen", "Zoll"]
    assert names(workspace.owner, sort="-createdAt") == ["Anker", "Häfen", "Zoll"]
    assert names(workspace.owner, sort="createdAt") == ["Zoll", "Häfen", "Anker"]
    assert names(workspace.owner, search="HÄF") == ["Häfen"]
    assert names(workspace.owner, limit=1, page=3) == ["Zoll"]
    assert names(workspace.owner, page=9) == []
    assert names(stranger) == []


def test_the_glossaries_of_a_project_are_listed_for_who_sees_it(workspace):
    project, other = workspace.project(), workspace.project()
    linked, second = made(workspace, name="Wide  Words"), made(workspace, name="Not")
    workspace.owner.put(f"/projects/{project['id']}/glossaries/{linked['id']}")
    workspace.owner.put(f"/projects/{other['id']}/glossaries/{second['id']}")
    workspace.owner.delete(f"/projects/{other['id']}")
    _, stranger = workspace.organization("Other")
    here = project["id"]

    assert names(workspace.owner, projectId=here) == ["Wide  Words"]
    assert names(workspace.owner, projectId=project["slug"]) == ["Wide  Words"]
    assert names(workspace.owner, search="wide WORDS ") == ["Wide  Words"]
    assert names(workspace.owner, projectId=here, search="not") == []
    absent = workspace.owner.get("/glossaries?projectId=nowhere")
    assert (absent.status, absent.error["code"]) == (404, "project_not_found")
    for client, of in ((stranger, here), (workspace.owner, other["id"])):
        hidden = client.get(f"/glossaries?projectId={of}")
        assert (hidden.status, hidden.content) == (404, absent.content)
    assert workspace.owner.get("/glossaries?projectId=").status == 400


def test_a_project_token_reaches_only_glossaries_linked_to_its_project(workspace):
    project, other = workspace.project(), workspace.project()
    linked, unlinked = made(workspace, name="Linked"), made(workspace, name="Not")
    for each in (project, other):
        path = f"/projects/{each['id']}/glossaries/{linked['id']}"
        answer = workspace.owner.put(path)
        assert answer.status == 200
    assert answer.data["glossary"]["projectIds"] == [project["id"], other["id"]]
    secret = workspace.owner.post(
        f"/projects/{project['id']}/tokens", json={"name": "ci"}
    ).data["secret"]
    bound = workspace.owner.with_token(secret)

    assert names(bound) == ["Linked"]
    seen = bound.get(f"/glossaries/{linked['id']}").data["glossary"]
    assert seen["projectIds"] == [project["id"]]
    hidden = bound.get(f"/glossaries/{unlinked['id']}")
    assert (hidden.status, hidden.error["code"]) == (404, "glossary_not_found")
    taken = bound.put(f"/projects/{project['id']}/glossaries/{unlinked['id']}")
    assert (taken.status, taken.content) == (404, hidden.content)
    made_there = bound.post("/glossaries", json=NEW)
    assert (made_there.status, made_there.error["code"]) == (403, "permission_denied")


def test_a_glossary_is_managed_where_all_of_its_projects_are(workspace):
    one, other = (workspace.project()["id"] for _ in range(2))
    path = f"/glossaries/{made(workspace)['id']}"
    for project_id in (one, other):
        workspace.owner.put(f"/projects/{project_id}{path}")
    bound = workspace.client("manager", project_ids=[one])
    both = workspace.client("manager", project_ids=[one, other])
    asked = {"permissions": ["glossary_manage"], "name": "x"}
    answer = workspace.owner.post(f"/projects/{one}/tokens", json=asked)
    token = Client(workspace.app, answer.data["secret"])

    answers = [
        answer
        for client in (bound, token)
        for answer in (client.patch(path, json={"name": "x"}), client.delete(path))
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "glossary_manage"}
    assert both.patch(path, json={"name": "Ours"}).status == 200
    workspace.owner.delete(f"/projects/{other}{path}")
    assert bound.delete(path).status == 200


def test_a_link_ends_and_is_made_twice_without_harm(workspace):
    project, glossary = workspace.project(), made(workspace)
    path = f"/projects/{project['id']}/glossaries/{glossary['id']}"
    for _ in range(2):
        linked = workspace.owner.put(path).data["glossary"]
        assert linked["projectIds"] == [project["id"]]

    assert workspace.owner.delete(path).data["glossary"]["projectIds"] == []
    again = workspace.owner.delete(path)
    assert (again.status, again.error["code"]) == (404, "glossary_not_found")
    activity = workspace.owner.get(f"/projects/{project['id']}/activity").data
    types = [each["type"] for each in activity["items"]]
    assert types == ["glossary.detached", "glossary.attached"]


def test_a_glossary_of_others_is_linked_to_no_project(workspace):
    glossary = made(workspace)
    _, stranger = workspace.organization("Other")
    theirs = workspace.project(owner=stranger)

    answer = stranger.put(f"/projects/{theirs['id']}/glossaries/{glossary['id']}")

    assert (answer.status, answer.error["code"]) == (404, "glossary_not_found")


def test_a_deleted_glossary_is_gone_with_its_links(workspace):
    project, glossary = workspace.project(), made(workspace)
    workspace.owner.put(f"/projects/{project['id']}/glossaries/{glossary['id']}")

    gone = workspace.owner.delete(f"/glossaries/{glossary['id']}")

    assert gone.data == {"id": glossary["id"], "deleted": True}
    for method in ("GET", "DELETE"):
        answer = workspace.owner.request(method, f"/glossaries/{glossary['id']}")
        assert (answer.status, answer.error["code"]) == (404, "glossary_not_found")
    assert names(workspace.owner) == []


def test_a_deleted_project_is_no_project_of_a_glossary(workspace):
    project, glossary = workspace.project(), made(workspace)
    workspace.owner.put(f"/projects/{project['id']}/glossaries/{glossary['id']}")

    workspace.owner.delete(f"/projects/{project['id']}")

    found = workspace.owner.get(f"/glossaries/{glossary['id']}").data["glossary"]
    assert found["projectIds"] == []


def test_a_deleted_project_shows_its_glossaries_to_nobody(workspace):
    project, glossary = workspace.project(), made(workspace)
    workspace.owner.put(f"/projects/{project['id']}/glossaries/{glossary['id']}")
    bound = workspace.client("viewer", project_ids=[project["id"]])
    assert names(bound) == [glossary["name"]]

    workspace.owner.delete(f"/projects/{project['id']}")

    assert names(bound) == []
    assert bound.get(f"/glossaries/{glossary['id']}").status == 404

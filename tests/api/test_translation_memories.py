"""Translation memories over HTTP (service.md, TM entry, TM language; decisions 2.5)."""

import pytest

from locframework import OPERATOR
from locframework.projects.records import ProjectChanges
from locframework.testing.client import Client

from .memories import Memory


def test_a_memory_has_the_fields_of_the_interface_and_its_defaults(memory):
    record = memory.owner.get(memory.path).data["translationMemory"]

    assert record == {
        "id": record["id"],
        "slug": f"main-{record['id']}",
        "name": "Main",
        "sourceLanguage": "en",
        "minMatchPercentage": 70,
        "penalties": {"case": 2, "whitespace": 1, "trailingPunctuation": 1},
        "requiresApproval": False,
        "entryCount": 1,
        "createdAt": record["createdAt"],
        "updatedAt": record["updatedAt"],
    }
    assert memory.owner.get(f"/translation-memories/{record['slug']}").status == 200


def test_a_patch_of_a_memory_leaves_what_it_does_not_name(memory):
    body = {"penalties": {"case": 9}, "requiresApproval": True}

    changed = memory.owner.patch(memory.path, json=body).data["translationMemory"]

    assert changed["penalties"] == {**memory.record["penalties"], "case": 9}
    assert (changed["name"], changed["requiresApproval"]) == ("Main", True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("name", "x" * 201),
        ("sourceLanguage", "klingon!"),
        ("minMatchPercentage", 101),
        ("minMatchPercentage", -1),
        ("minMatchPercentage", True),
        ("penalties", {"case": 101}),
        ("languageCodes", ["no tag"]),
    ],
)
def test_a_memory_that_cannot_be_is_refused(sqlite_workspace, field, value):
    body = {"name": "x", "sourceLanguage": "en", field: value}

    answer = sqlite_workspace.owner.post("/translation-memories", json=body)

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"].startswith(f"$.{field}")


def test_the_source_language_is_no_target_of_a_new_memory(memory):
    body = {"name": "TM", "sourceLanguage": "en", "languageCodes": ["de", "EN"]}

    answer = memory.owner.post("/translation-memories", json=body)

    assert (answer.status, answer.error["code"]) == (409, "language_exists")
    assert memory.owner.get("/translation-memories").data["total"] == 1


def test_a_deleted_memory_is_gone_with_its_entries(memory):
    project = memory.workspace.project()
    use = f"/projects/{project['id']}{memory.path}"
    memory.owner.put(use, json={})

    assert memory.owner.delete(memory.path).status == 200

    for path in (memory.path, f"{memory.path}/entries", memory.one, use):
        answer = memory.owner.get(path)
        assert (answer.status, answer.error["code"]) == (404, "tm_not_found"), path


def test_a_memory_is_assigned_to_projects_of_its_organization_and_language(memory):
    workspace = memory.workspace
    project = workspace.project()
    use = f"/projects/{project['id']}{memory.path}"

    absent = memory.owner.get(use)
    first = memory.owner.put(use, json={})
    body = {"read": False, "writeMode": "none", "priority": 3, "penalty": 7}
    changed = memory.owner.put(use, json=body)

    assert absent.error["code"] == "tm_not_found"
    id_ = memory.record["id"]
    assert first.data["assignment"] == {
        "tmId": id_, "read": True, "writeMode": "approved", "priority": 0, "penalty": 0
    }  # fmt: skip
    assert changed.data["assignment"] == {"tmId": id_, **body}
    assert memory.owner.get(use).data == changed.data
    listed = memory.owner.get(f"/projects/{project['id']}/translation-memories")
    assert listed.data["items"] == [{"tmId": id_, **body}]
    german = workspace.project(sourceLanguage="de")
    other = memory.owner.put(f"/projects/{german['id']}{memory.path}", json={})
    assert (other.status, other.error["code"]) == (400, "validation_failed")
    assert memory.owner.delete(use).data["id"] == id_
    assert memory.owner.get(use).status == 404


def test_no_body_assigns_a_memory_as_it_is_usual(memory):
    project = memory.workspace.project()
    path = f"/projects/{project['id']}/translation-memories/{memory.record['id']}"

    assigned = memory.owner.put(path)

    assert assigned.status == 200
    assert assigned.data == memory.owner.put(path, json={}).data


def test_languages_are_compared_while_the_project_can_have_no_other(
    memory, monkeypatch
):
    project = memory.workspace.project(languages=["de"])
    projects = memory.workspace.framework.projects
    lock = projects.lock

    def lock_late(found):
        """Somebody else was quicker."""
        monkeypatch.undo()
        projects.update_project(
            OPERATOR, found.id, ProjectChanges(source_language="de")
        )
        return lock(found)

    monkeypatch.setattr(projects, "lock", lock_late)
    refused = memory.owner.put(f"/projects/{project['id']}{memory.path}", json={})

    assert (refused.status, refused.error["code"]) == (400, "validation_failed")


def test_memories_are_listed_by_name_and_project(memory):
    workspace, owner = memory.workspace, memory.owner
    project, unseen = workspace.project(), workspace.project()
    body = {"name": "Häfen  und Zoll", "sourceLanguage": "en"}
    owner.post("/translation-memories", json=body)
    owner.put(f"/projects/{project['id']}{memory.path}", json={"writeMode": "none"})
    bound = workspace.client("manager", project_ids=[project["id"]])
    _, stranger = workspace.organization("Other")

    def found(client=owner, **query):
        answer = client.get("/translation-memories", query=query)
        return [each["name"] for each in answer.data["items"]]

    assert found(search="HÄFEN und ") == ["Häfen  und Zoll"]
    assert found(search="zzz") == found(projectId=unseen["id"]) == []
    assert found(projectId=project["id"]) == ["Main"]
    assert found(bound, projectId=project["slug"]) == ["Main"]
    owner.patch(memory.path, json={"name": "Zoll"})
    assert found(search="zoll") == ["Häfen  und Zoll", "Zoll"]
    absent = owner.get("/translation-memories?projectId=nowhere")
    assert (absent.status, absent.error["code"]) == (404, "project_not_found")
    for client, of in ((stranger, project), (bound, unseen)):
        hidden = client.get(f"/translation-memories?projectId={of['id']}")
        assert (hidden.status, hidden.content) == (404, absent.content)


def test_a_project_token_reaches_only_memories_of_its_project(memory):
    workspace, owner = memory.workspace, memory.owner
    project = workspace.project()
    here = f"/projects/{project['id']}"
    body = {"name": "ci", "permissions": ["tm_read", "tm_write", "project_read"]}
    token = owner.post(f"{here}/tokens", json=body).data["secret"]
    bound = owner.with_token(token)

    before = bound.get(memory.one)
    nothing = bound.get("/translation-memories")
    owner.put(f"{here}{memory.path}", json={"writeMode": "none"})

    assert (before.status, before.error["code"]) == (404, "tm_not_found")
    assert nothing.data["items"] == []
    assert bound.get(memory.one).status == 200
    assert memory.put("de", "x", bound).status == 200
    assert len(bound.get("/translation-memories").data["items"]) == 1
    assert bound.patch(memory.path, json={}).status == 403
    create = {"name": "x", "sourceLanguage": "en"}
    assert bound.post("/translation-memories", json=create).status == 403


def test_a_memory_is_managed_where_all_of_its_projects_are(workspace):
    memory = Memory(workspace)
    one, other = (workspace.project(languages=["de"])["id"] for _ in range(2))
    for project_id in (one, other):
        path = f"/projects/{project_id}{memory.path}"
        assert workspace.owner.put(path, json={"writeMode": "none"}).status == 200
    bound = workspace.client("manager", project_ids=[one])
    both = workspace.client("manager", project_ids=[one, other])
    asked = {"permissions": ["tm_manage"], "name": "x"}
    path = f"/projects/{one}/tokens"
    secret = workspace.owner.post(path, json=asked).data["secret"]

    answers = [
        answer
        for client in (bound, Client(workspace.app, secret))
        for answer in (
            client.patch(memory.path, json={"name": "Mine"}),
            client.post(f"{memory.path}/languages", json={"languageCode": "it"}),
            client.delete(f"{memory.path}/languages/de"),
            client.delete(memory.path),
        )
    ]

    for answer in answers:
        assert (answer.status, answer.error["code"]) == (403, "permission_denied")
        assert answer.error["details"] == {"required": "tm_manage"}
        assert "in every project that uses it" in answer.error["message"]
    assert both.patch(memory.path, json={"name": "Ours"}).status == 200
    workspace.owner.delete(f"/projects/{other}")
    assert bound.delete(memory.path).status == 200


def test_another_organizations_memory_is_not_assigned(memory):
    _, stranger = memory.workspace.organization("Others")
    project = memory.workspace.project(owner=stranger)

    answer = stranger.put(f"/projects/{project['id']}{memory.path}", json={})

    assert (answer.status, answer.error["code"]) == (404, "tm_not_found")


def test_of_many_writers_with_one_etag_one_wins(memory):
    for path, name in ((memory.path, "name"), (memory.one, "context")):
        etag = memory.owner.get(path).headers["ETag"]
        headers = {"If-Match": str(etag)}

        first = memory.owner.patch(path, json={name: "x"}, headers=headers)
        second = memory.owner.patch(path, json={name: "y"}, headers=headers)

        assert (first.status, second.status) == (200, 412)
        assert first.headers["ETag"] == memory.owner.get(path).headers["ETag"]

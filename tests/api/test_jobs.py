"""GET /projects/{projectId}/jobs, /jobs/{jobId}, POST /jobs/{jobId}/cancel."""

import pytest

from locframework.fields import new_id
from locframework.http.records import Upload


def start(workspace, project):
    """A queued import; its id."""
    files = {"file": Upload("en.json", b'{"a": "A"}', "application/json")}
    answer = workspace.owner.post(f"/projects/{project['id']}/import", files=files)
    return answer.data["job"]["id"]


def refusal(answer):
    return answer.status, answer.error["code"]


def test_a_job_is_shown_with_every_field(workspace):
    project = workspace.project()
    job_id = start(workspace, project)

    job = workspace.owner.get(f"/projects/{project['slug']}/jobs/{job_id}").data["job"]

    assert {**job, "createdAt": "", "createdBy": ""} == {
        "id": job_id,
        "projectId": project["id"],
        "type": "import",
        "status": "queued",
        "progress": {"done": 0, "total": 0},
        "result": None,
        "error": None,
        "createdBy": "",
        "createdAt": "",
        "startedAt": None,
        "finishedAt": None,
    }


def test_jobs_are_listed_newest_first(workspace):
    project = workspace.project()
    job_ids = [start(workspace, project) for _ in range(3)]

    data = workspace.owner.get(
        f"/projects/{project['id']}/jobs", query={"limit": 2}
    ).data

    assert (data["total"], data["page"], data["limit"]) == (3, 1, 2)
    assert [job["id"] for job in data["items"]] == job_ids[:0:-1]


def test_jobs_are_listed_by_status_and_type(workspace):
    project = workspace.project()
    done = start(workspace, project)
    workspace.run_jobs()
    waiting = start(workspace, project)

    def listed(**query):
        path = f"/projects/{project['id']}/jobs"
        items = workspace.owner.get(path, query=query).data["items"]
        return [job["id"] for job in items]

    assert listed(status="succeeded") == [done]
    assert listed(status="queued", type="import") == [waiting]
    assert listed(type="import") == [waiting, done]
    assert listed(type="release") == []


def test_a_status_that_no_job_has_is_refused(sqlite_workspace):
    project = sqlite_workspace.project()

    answer = sqlite_workspace.owner.get(f"/projects/{project['id']}/jobs?status=done")

    assert refusal(answer) == (400, "validation_failed")


def test_a_queued_job_is_cancelled_and_a_cancelled_one_is_not(workspace):
    project = workspace.project()
    path = f"/projects/{project['id']}/jobs/{start(workspace, project)}"

    cancelled = workspace.owner.post(f"{path}/cancel")
    again = workspace.owner.post(f"{path}/cancel")
    workspace.run_jobs()

    assert cancelled.status == 200
    assert cancelled.data["job"]["status"] == "cancelled"
    assert refusal(again) == (409, "job_not_cancellable")
    assert workspace.owner.get(path).data["job"]["status"] == "cancelled"


def test_who_could_not_start_a_job_does_not_see_it(workspace):
    project = workspace.project()
    job_id, viewer = start(workspace, project), workspace.client("viewer")
    path = f"/projects/{project['id']}/jobs"

    for asked in (job_id, new_id(), "x"):
        hidden = viewer.get(f"{path}/{asked}")
        assert refusal(hidden) == (404, "job_not_found")
        assert refusal(viewer.post(f"{path}/{asked}/cancel")) == (404, "job_not_found")
    assert viewer.get(path).data["total"] == 0


def test_a_job_is_found_in_its_own_project_only(workspace):
    project, other = workspace.project(), workspace.project()
    job_id = start(workspace, project)

    answer = workspace.owner.get(f"/projects/{other['id']}/jobs/{job_id}")

    assert refusal(answer) == (404, "job_not_found")


def test_jobs_of_others_are_out_of_sight(workspace):
    project = workspace.project()
    job_id = start(workspace, project)
    _, stranger = workspace.organization("Others")

    for path in ("jobs", f"jobs/{job_id}"):
        answer = stranger.get(f"/projects/{project['id']}/{path}")
        assert refusal(answer) == (404, "project_not_found")


@pytest.mark.parametrize("there", [True, False])
def test_whose_jobs_they_are_is_judged_before_what_is_asked_of_them(workspace, there):
    """Jobs have no permission of their own to ask for first (decisions 2.2)."""
    roots = {
        "project": "/projects/{}",
        "glossary": "/glossaries/{}",
        "tm": "/translation-memories/{}",
    }
    ids = dict.fromkeys(roots, new_id())
    if there:
        body = {"name": "Words", "sourceLanguage": "en"}
        for kind, found in (("glossary", "glossary"), ("tm", "translationMemory")):
            made = workspace.owner.post(roots[kind].format("")[:-1], json=body)
            ids[kind] = made.data[found]["id"]
        ids["project"] = workspace.project()["id"]
    _, stranger = workspace.organization("Others")

    for kind, root in roots.items():
        path = f"{root.format(ids[kind])}/jobs"
        junk = {"content": b"{", "headers": {"Content-Type": "application/json"}}
        for answer in (
            stranger.get(path, query={"page": 0}),
            stranger.post(f"{path}/{new_id()}/cancel", **junk),
        ):
            assert refusal(answer) == (404, f"{kind}_not_found")
    assert workspace.owner.get(f"/projects/{ids['project']}/jobs?page=0").status == (
        400 if there else 404
    )

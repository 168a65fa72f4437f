"""service.md, Conventions, Errors, Limits, Versioning; decisions 2.1 and 2.2."""

import re
from datetime import UTC, datetime

import pytest

from locframework.http.rate_limit import API_LIMIT, CONTENT_LIMIT
from locframework.testing.client import Client

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def test_success_is_enveloped(workspace):
    answer = workspace.owner.get("/projects")

    assert sorted(answer.json) == ["data", "success"]
    assert answer.json["success"] is True


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/projects/", 404, "not_found"),
        ("GET", "//projects", 404, "not_found"),
        ("DELETE", "/projects", 405, "method_not_allowed"),
        ("GET", "/projects/x", 404, "project_not_found"),
        ("GET", "/projects?page=0", 400, "validation_failed"),
        ("GET", "/projects?page=1000001", 400, "validation_failed"),
        ("GET", "/projects?limit=201", 400, "validation_failed"),
        ("GET", f"/projects?page={10**18}", 400, "validation_failed"),
    ],
)
def test_every_failure_has_the_envelope(sqlite_workspace, method, path, status, code):
    answer = sqlite_workspace.owner.request(method, path)

    assert answer.status == status
    assert answer.json["success"] is False
    assert answer.error["code"] == code
    assert answer.error["message"]
    assert set(answer.error) <= {"code", "message", "details"}


def test_429_comes_after_600_requests_of_a_token_in_a_minute(sqlite_workspace):
    viewer = sqlite_workspace.client("viewer")

    statuses = [viewer.get("/permissions").status for _ in range(API_LIMIT)]
    refused = viewer.get("/permissions")

    assert API_LIMIT == 600
    assert set(statuses) == {200}
    assert (refused.status, refused.error["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"] or 0) <= 60
    assert refused.headers["X-RateLimit-Limit"] == "600"
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    reset = int(refused.headers["X-RateLimit-Reset"] or 0)
    assert 0 < reset - datetime.now(UTC).timestamp() < 61
    assert sqlite_workspace.owner.get("/permissions").status == 200


def test_without_a_valid_token_the_address_is_counted(sqlite_workspace):
    client = sqlite_workspace.owner.with_token("svc_pat_" + "0" * 42)

    statuses = [client.get("/projects").status for _ in range(601)]

    assert statuses == [401] * 600 + [429]
    elsewhere = Client(sqlite_workspace.app, client.token, remote_address="192.0.2.1")
    assert elsewhere.get("/projects").status == 401


def test_content_has_its_own_limit_for_an_address(sqlite_workspace):
    public = sqlite_workspace.owner.with_token(None)
    path = f"/content/{'A' * 43}/manifest.json"

    for _ in range(700):
        assert public.get(path).status == 404

    assert CONTENT_LIMIT == 6000


def test_every_answer_has_a_request_id(sqlite_workspace):
    owner = sqlite_workspace.owner

    for path in ("/projects", "/nowhere", "/healthz"):
        assert owner.get(path).headers["X-Request-Id"]
    told = owner.get("/projects", headers={"X-Request-Id": "from-a.client_1"})
    assert told.headers["X-Request-Id"] == "from-a.client_1"


def test_ids_and_dates_are_spelled_one_way(workspace):
    project = workspace.project()

    assert re.fullmatch(UUID, project["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", project["createdAt"])


def test_a_slug_resolves_by_its_id_whatever_stands_before(workspace):
    project = workspace.project(name="Web Shop: Zürich & Köln!")
    read = workspace.owner.get

    assert project["slug"] == f"web-shop-zurich-koln-{project['id']}"
    assert read(f"/projects/{project['slug']}").status == 200
    assert read(f"/projects/renamed-since-{project['id']}").status == 200
    for odd in (project["id"].upper(), f"x{project['id']}", f"{{{project['id']}}}"):
        assert read(f"/projects/{odd}").status == 404


MISSPELT = [
    ("POST", "/members", {"languageCodes": ["de"]}, "assignedLanguages"),
    ("POST", "/tokens", {"name": "CI", "permission": ["project_read"]}, "permissions"),
    ("POST", "{project}/keys", {"key": "a", "tag": ["web"]}, "tags"),
    ("POST", "{project}/keys/bulk", {"keys": [{"key": "a", "vlues": {}}]}, "values"),
    ("PATCH", "{project}", {"mainProtect": True}, "mainProtected"),
    ("POST", "{project}/languages", {"language": "fr"}, "languageCode"),
    ("POST", "{project}/branches", {"nmae": "x"}, "name"),
    ("POST", "{project}/webhooks", {"urls": "https://a.example"}, "url"),
    ("GET", "{project}/keys?Search=x", None, "search"),
    ("GET", "{project}/keys?lang=de", None, "languageCode"),
    ("PATCH", "{project}", {"desc": "x"}, "description"),
    ("GET", "{project}/export?format=arb&langaugeCodes=de", None, "languageCodes"),
]


@pytest.mark.parametrize(("method", "path", "body", "wanted"), MISSPELT)
def test_a_misspelt_field_is_refused_with_the_nearest_one(
    sqlite_workspace, method, path, body, wanted
):
    project = sqlite_workspace.project(languages=["de"])
    organization = sqlite_workspace.organization_id
    if path.startswith("/") and path != "/tokens":
        path = f"/organizations/{organization}{path}"
    path = path.replace("{project}", f"/projects/{project['id']}")

    found = sqlite_workspace.owner.request(method, path, json=body)

    assert (found.status, found.error["code"]) == (400, "validation_failed")
    messages = [each["message"] for each in found.error["details"]]
    assert any(f"did you mean {wanted!r}?" in each for each in messages)


def test_a_parameter_is_refused_where_there_are_none(workspace):
    path = f"/projects/{workspace.project()['id']}"

    found = workspace.owner.get(path, query={"dryRun": "true"})

    assert (found.status, found.error["code"]) == (400, "validation_failed")
    assert found.error["message"] == "query.dryRun: unknown field 'dryRun'"


def test_only_public_content_takes_any_parameter(workspace):
    path = f"/projects/{workspace.project()['id']}/distributions"
    body = {"name": "Web", "format": "json-nested", "languageCodes": ["en"]}
    made = workspace.owner.post(path, json=body).data["distribution"]
    workspace.owner.post(f"{path}/{made['id']}/releases", json={})
    workspace.run_jobs()

    manifest = f"/content/{made['publicKey']}/manifest.json"
    statuses = [
        workspace.owner.get(at, query={"version": "1"}).status
        for at in (manifest, f"{path}/{made['id']}")
    ]

    assert statuses == [200, 400]


def test_wrong_types_are_refused(workspace):
    project = workspace.project()
    path = f"/projects/{project['id']}/keys"

    wrong = workspace.owner.post(path, json={"key": "b", "tags": "red"})

    [problem] = wrong.error["details"]
    assert (wrong.status, wrong.error["code"]) == (400, "validation_failed")
    assert problem["path"] == "$.tags"


def test_the_interface_is_version_1_and_says_so(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json

    assert document["openapi"].startswith("3.1")
    assert document["info"]["version"] == "1.2.0"
    assert document["servers"][0]["url"].endswith("/api/v1")


def test_an_accepted_job_tells_where_to_look_and_when(workspace):
    project = workspace.project()
    path = f"/projects/{project['id']}/distributions"
    body = {"name": "Web", "format": "json-nested"}
    made = workspace.owner.post(path, json=body).data["distribution"]
    workspace.run_jobs()
    workspace.key(project, "a", values={"en": "x"})

    accepted = workspace.owner.post(f"{path}/{made['id']}/releases", json={})

    assert accepted.status == 202
    assert accepted.headers["Retry-After"] == "2"
    job = workspace.owner.get(accepted.headers["Location"] or "").data["job"]
    assert (job["type"], job["status"]) == ("release", "queued")


def test_no_answer_shows_a_path_of_the_host_or_a_trace(sqlite_workspace, tmp_path):
    storage = sqlite_workspace.framework.storage
    storage.database.drop_connections()
    for file in tmp_path.glob("*.sqlite3*"):
        file.unlink()

    answer = sqlite_workspace.owner.get("/projects")

    assert answer.status in (500, 503)
    assert str(tmp_path).encode() not in answer.content
    assert b"Traceback" not in answer.content
    assert b"SELECT" not in answer.content


@pytest.mark.parametrize("kind", ["projects", "glossaries", "translation-memories"])
def test_names_of_an_organization_differ_by_more_than_case_and_white_space(
    workspace, kind
):
    _, stranger = workspace.organization()
    other = workspace.client("owner")

    def create(name, client=workspace.owner):
        return client.post(f"/{kind}", json={"name": name, "sourceLanguage": "en"})

    [first] = create("Web shop").data.values()
    [second] = create("Größe").data.values()
    refused = [
        create("  WEB SHOP "),
        create("GRÖSSE", other),
        other.patch(f"/{kind}/{first['id']}", json={"name": "grösse"}),
    ]

    assert {(each.status, each.error["code"]) for each in refused} == {
        (409, "name_exists")
    }
    assert "'WEB SHOP' is taken" in refused[0].error["message"]
    path = f"/{kind}/{second['id']}"
    assert other.patch(path, json={"name": "größe"}).status == 200
    assert other.delete(path).status == 200
    assert create("Größe").status == 201
    assert create("Web shop", stranger).status == 201

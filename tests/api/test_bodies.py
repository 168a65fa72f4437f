"""A body is judged wherever one may come, also where an operation asks for none."""

SOME = "0197b2c0-6a70-7a11-9c35-3b1d0e8f4a5b"
JSON = {"Content-Type": "application/json"}
WRITES = ("post", "put", "patch")


def without_a_body(workspace):
    """Method and path of each operation that writes and asks for no body."""
    owner = workspace.owner
    named = {"name": "x", "sourceLanguage": "en"}
    glossary = owner.post("/glossaries", json=named).data["glossary"]
    memory = owner.post("/translation-memories", json=named).data["translationMemory"]
    roots = {
        "{projectId}": workspace.project()["id"],
        "{glossaryId}": glossary["id"],
        "{tmId}": memory["id"],
        "{organizationId}": workspace.organization_id,
    }
    for path, operations in owner.get("/openapi.json").json["paths"].items():
        parts = [roots.get(part, part) for part in path.split("/")]
        where = "/".join(SOME if part[:1] == "{" else part for part in parts)
        for method in WRITES:
            if method in operations and "requestBody" not in operations[method]:
                yield method.upper(), where


def test_what_is_no_json_is_refused_where_no_body_is_asked_for(sqlite_workspace):
    request, count = sqlite_workspace.owner.request, 0
    for method, path in without_a_body(sqlite_workspace):
        for content, headers, status, code in (
            (b"{", JSON, 400, "invalid_json"),
            (b"[]", JSON, 400, "validation_failed"),
            (b'{"note": 1}', JSON, 400, "validation_failed"),
            (b"x=1", {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        ):
            answer = request(method, path, content=content, headers=headers)
            assert (answer.status, answer.error["code"]) == (status, code), path
        for content in (b"", b"{}", b" {} "):
            answer = request(method, path, content=content, headers=JSON)
            refused = 403 if path == "/sessions/renew" else 409  # it is no session
            assert answer.status in (200, 202, 404, refused), path
        count += 1
    assert count > 10


def test_a_body_of_a_read_or_a_delete_means_nothing(sqlite_workspace):
    project = sqlite_workspace.project(languages=["de"])
    path = f"/projects/{project['id']}/languages/de"

    for method in ("GET", "DELETE"):
        answer = sqlite_workspace.owner.request(method, path, content=b"{")
        assert answer.status == 200

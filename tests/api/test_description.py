"""The interface description is true: many made-up requests, no surprise.

Requests are generated from ``/openapi.json``, good and bad ones. Every answer must be
one that the description tells of, and none may be a 5xx.
"""

import itertools

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from locframework.access.permissions import PERMISSIONS
from locframework.access.records import NewToken
from locframework.app import OPERATOR
from locframework.pagination import PageRequest

EXAMPLES, EXAMPLES_LONG = 12, 25  # of each operation and mode
REQUESTS_LEAST = 1500  # good ones, and as many bad ones
_FIRST = PageRequest()
CI = {"name": "ci", "permissions": list(PERMISSIONS)}
TOKENS = 40  # the limit is 600 a minute for each
NEVER_WRONG = {  # they carry nothing, or names that may be any text
    "/content/{publicKey}/b/{blob}",
    "/content/{publicKey}/manifest.json",
    "/docs",
    "/docs/{file}",
    "/healthz",
    "/metrics",
    "/readyz",
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Rotating:
    """The app, asked with another token and another address in turn.

    One in four is refused much: a project's own, and one that may only read.
    """

    def __init__(self, workspace, project_id):
        framework, organization_id = workspace.framework, workspace.organization_id
        members = framework.storage.access
        [owner] = [
            member
            for member in members.list_members(organization_id, _FIRST).items
            if member.role == "owner"
        ]
        self._app = workspace.app
        reading = NewToken("reads", permissions=["project_read"])

        def token_of_owner(new):
            of = OPERATOR, organization_id, owner.id, new
            return framework.tokens.create_for_member(*of)[1]

        def token_of_project():
            made = workspace.owner.post(f"/projects/{project_id}/tokens", json=CI)
            return made.data["secret"]

        self._tokens = itertools.cycle(
            token
            for _ in range(TOKENS // 8)
            for token in (
                *(token_of_owner(NewToken("fuzz")) for _ in range(6)),
                token_of_owner(reading),
                token_of_project(),
            )
        )
        self._addresses = itertools.cycle(f"127.0.0.{n}" for n in range(2, 250))
        self.requests = 0

    def __call__(self, environ, start_response):
        self.requests += 1
        environ["HTTP_AUTHORIZATION"] = f"Bearer {next(self._tokens)}"
        environ["REMOTE_ADDR"] = next(self._addresses)
        return self._app(environ, start_response)


def without_more(schema):
    """The schema with no members beside those that it names: a request with others is
    refused, and most would have some."""
    if isinstance(schema, list):
        return [without_more(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: without_more(each) for name, each in schema.items()}
    is_struct = "properties" in schema and schema.get("type") == "object"
    return {"additionalProperties": False, **closed} if is_struct else closed


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_request_is_answered_otherwise_than_described(
    sqlite_workspace, mode, is_long
):
    examples = EXAMPLES_LONG if is_long else EXAMPLES
    operations = 0
    known = _known_ids(sqlite_workspace)
    app = Rotating(sqlite_workspace, known["projectId"])
    document = sqlite_workspace.owner.get("/openapi.json").json
    schema = schemathesis.openapi.from_dict(without_more(document))
    schema.app, schema.location = app, "/api/v1/openapi.json"

    for result in schema.get_all_operations():
        operations += 1
        operation = result.ok()
        if mode is GenerationMode.POSITIVE or operation.path not in NEVER_WRONG:
            _ask(operation, mode, known, examples)

    assert app.requests >= max(REQUESTS_LEAST, examples * operations // 2)


def test_every_integer_that_is_sent_has_bounds(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json
    components = document["components"]["schemas"]

    def unbounded(schema, path):
        if isinstance(schema, list):
            for each in schema:
                yield from unbounded(each, path)
        elif isinstance(schema, dict):
            reference = schema.get("$ref", "").rpartition("/")[2]
            if reference and f"/{reference}/" not in path:  # none is read twice
                yield from unbounded(components[reference], f"{path}/{reference}/")
            least = {"minimum", "exclusiveMinimum"} & schema.keys()
            most = {"maximum", "exclusiveMaximum"} & schema.keys()
            if schema.get("type") == "integer" and not (least and most):
                yield path
            for name, each in schema.items():
                if name != "example":
                    yield from unbounded(each, f"{path}.{name}")

    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            sent = operation.get("parameters", []), operation.get("requestBody", {})
            assert not list(unbounded([*sent], f"{method} {path}"))


def test_every_parameter_and_member_of_a_form_is_explained(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json

    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for each in operation.get("parameters", ()):
                assert each.get("description"), (method, path, each["name"])
            sent = operation.get("requestBody", {}).get("content", {})
            form = sent.get("multipart/form-data", {"schema": {"properties": {}}})
            for name, member in form["schema"]["properties"].items():
                assert member.get("description"), (method, path, name)


def test_what_matches_files_and_lists_may_say_is_listed(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json
    match = document["components"]["schemas"]["Match"]["properties"]
    paths = document["paths"]

    def form_of(path):
        content = paths[f"{path}/import"]["post"]["requestBody"]["content"]
        return content["multipart/form-data"]["schema"]["properties"]

    def query_of(path):
        return {each["name"]: each for each in paths[path]["get"]["parameters"]}

    assert match["status"]["enum"] == ["approved", "draft"]
    for name in ("matchPercentage", "rawPercentage", "updatedAt"):
        assert match[name]["description"]
    for path, formats in (
        ("/translation-memories/{tmId}", ["tmx", "csv"]),
        ("/glossaries/{glossaryId}", ["csv", "tbx"]),
    ):
        assert form_of(path)["format"]["enum"] == formats
        assert query_of(f"{path}/export")["format"]["schema"]["enum"] == formats
    project = form_of("/projects/{projectId}")
    assert "`GET /formats`" in project["format"]["description"]
    assert "several in one with commas" in project["tags"]["description"]
    asked = query_of("/projects/{projectId}/keys")
    for name in ("status", "hasIssues"):
        assert "any form" in asked[name]["description"]
    assert asked["tag"]["description"]


def test_operations_are_gathered_under_the_tags_that_are_listed(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json
    listed = [tag["name"] for tag in document["tags"]]
    operations = [each for path in document["paths"].values() for each in path.values()]

    assert all(len(operation["tags"]) == 1 for operation in operations)
    assert {tag for operation in operations for tag in operation["tags"]} == set(listed)
    assert len(listed) == len(set(listed))


def test_published_content_tells_what_it_answers_and_every_code(sqlite_workspace):
    document = sqlite_workspace.owner.get("/openapi.json").json
    components = document["components"]
    content = "/content/{publicKey}"
    codes = {
        "404": {"not_found"},
        "405": {"method_not_allowed"},
        "429": {"rate_limited", "quota_exceeded"},
        "500": {"internal_error"},
        "503": {"unavailable"},
    }

    for path in (f"{content}/manifest.json", f"{content}/b/{{blob}}"):
        operation = document["paths"][path]["get"]
        told = {}
        for status, answer in operation["responses"].items():
            found = components["responses"].get(answer.get("$ref", "")[23:], answer)
            if status >= "400":
                media = found["content"]["application/json"]
                schema = media["schema"]
                schema = components["schemas"].get(schema.get("$ref", "")[21:], schema)
                told[status] = set(schema["properties"]["error"]["enum"])
                assert all(code in found["description"] for code in told[status])
        assert told == codes


def test_who_may_name_a_branch_is_told_of_one_that_is_gone_or_has_ended(
    sqlite_workspace,
):
    """But for the activity, where what was done on ended branches is looked up."""
    document = sqlite_workspace.owner.get("/openapi.json").json
    asked = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            named = [
                (each.get("in"), each.get("name"))
                for each in operation.get("parameters", ())
            ]
            if ("query", "branch") not in named or path.endswith("/activity"):
                continue
            told = " ".join(
                each.get("$ref", "") for each in operation["responses"].values()
            )
            assert "branch_not_found" in told, (method, path)
            assert "branch_not_open" in told, (method, path)
            asked += 1
    assert asked > 15


def _ask(operation, mode, known, examples):
    strategy = operation.as_strategy(generation_mode=mode)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy, reaches_target=st.integers(0, 3))
    def ask(case, reaches_target):
        # what is deleted is gone for all requests after it
        if reaches_target and case.path_parameters and case.method != "DELETE":
            for name in case.path_parameters:
                case.path_parameters[name] = known.get(name, "1")
        case.call_and_validate(checks=CHECKS)

    ask()


def _known_ids(workspace):
    project = workspace.project(languages=["de", "ar"])
    here = f"/projects/{project['id']}"
    key = workspace.key(project, "a.b", values={"en": "Hello", "de": "Hallo"})
    made = workspace.owner.post(
        f"{here}/distributions", json={"name": "Web", "format": "json-nested"}
    ).data["distribution"]
    workspace.run_jobs()
    member = workspace.owner.post(
        f"/organizations/{workspace.organization_id}/members",
        json={"email": "anna@example.com", "role": "translator"},
    ).data["member"]
    [job] = workspace.owner.get(f"{here}/jobs").data["items"]
    return {
        "organizationId": workspace.organization_id,
        "projectId": project["slug"],
        "keyId": key["id"],
        "lang": "de.json",
        "distributionId": made["id"],
        "version": "1",
        "publicKey": made["publicKey"],
        "memberId": member["id"],
        "jobId": job["id"],
        "file": "init.js",
    }

"""The document says what the app does, and its examples fit its schemas."""

import json
import re

import jsonschema_rs
import pytest

from locframework.testing.client import Client


@pytest.fixture
def document(client):
    return client.get("/openapi.json").json


def walk(node):
    if isinstance(node, dict):
        yield node
        for each in node.values():
            yield from walk(each)
    elif isinstance(node, list):
        for each in node:
            yield from walk(each)


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def look_up(document, reference):
    node = document
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


def test_it_is_the_same_every_time(build):
    first, second = (Client(build()).get("/openapi.json") for _ in range(2))

    assert first.content == second.content


def test_every_operation_is_there_with_its_permission(document):
    found = {
        operation["operationId"]: operation.get("x-permission", "public")
        for _, _, operation in operations(document)
    }

    assert found["createNote"] == "note_write"
    assert found["whoami"] is None
    assert found["getManifest"] == "public"
    assert found["getHealth"] == "public"
    assert len(found) == sum(1 for _ in operations(document))


def test_public_operations_need_no_token(document):
    assert document["security"] == [{"token": []}]
    for _, _, operation in operations(document):
        assert (operation.get("security") == []) == ("x-permission" not in operation)


def test_every_reference_leads_somewhere(document):
    for node in walk(document):
        if isinstance(node.get("$ref"), str):
            assert look_up(document, node["$ref"])


def test_every_example_fits_its_schema(document):
    checked = 0
    for each in walk(document):
        if isinstance(each.get("examples"), list):
            schema = {**each, "components": document["components"]}
            validator = jsonschema_rs.validator_for(schema)
            assert all(validator.is_valid(example) for example in each["examples"])
            checked += 1
    assert checked > 3


def test_a_refusal_lists_the_codes_that_may_come(document):
    create = document["paths"]["/projects/{projectId}/notes"]["post"]["responses"]
    codes = {
        status: look_up(document, response["$ref"])["description"]
        for status, response in create.items()
        if "$ref" in response
    }

    assert codes == {
        "400": "`invalid_json`, `validation_failed`",
        "401": "`unauthorized`",
        "403": "`permission_denied`",
        "404": "`not_found`, `project_not_found`",
        "405": "`method_not_allowed`",
        "406": "`not_acceptable`",
        "409": "`idempotency_conflict`, `key_exists`",
        "413": "`payload_too_large`",
        "415": "`unsupported_media_type`",
        "429": "`rate_limited`",
        "500": "`internal_error`",
        "503": "`unavailable`",
    }


def test_a_query_becomes_parameters_without_null(document):
    parameters = {
        each["name"]: each
        for each in document["paths"]["/projects/{projectId}/notes"]["get"][
            "parameters"
        ]
    }

    assert list(parameters) == [
        "projectId",
        "page",
        "limit",
        "search",
        "isOpen",
        "tag",
        "sortBy",
    ]
    assert parameters["search"]["schema"] == {"type": "string", "maxLength": 10}
    assert parameters["limit"]["description"] == "Items per page"
    assert parameters["limit"]["schema"]["maximum"] == 200
    assert not parameters["limit"]["required"]
    assert re.search(
        parameters["projectId"]["schema"]["pattern"],
        parameters["projectId"]["schema"]["examples"][0],
    )


def test_a_form_becomes_multipart_with_its_file(document):
    body = document["paths"]["/projects/{projectId}/import"]["post"]["requestBody"]
    schema = body["content"]["multipart/form-data"]["schema"]

    file = {"description": "The file", "type": "string", "format": "binary"}
    assert schema["properties"]["file"] == file
    assert schema["properties"]["more"] == {"type": "string", "format": "binary"}
    assert schema["required"] == ["file"]


def test_an_optional_body_is_not_required(document):
    paths = document["paths"]

    assert not paths["/projects/{projectId}/run"]["post"]["requestBody"]["required"]
    assert paths["/notes"]["post"]["requestBody"]["required"]


def test_a_job_tells_its_headers(document):
    answers = document["paths"]["/projects/{projectId}/run"]["post"]["responses"]

    assert {"Location", "Retry-After"} <= set(answers["202"]["headers"])
    assert "200" in answers


def test_components_have_readable_names_and_no_sources(document):
    text = json.dumps(document)

    assert "PageOfNote" in document["components"]["schemas"]
    assert "decisions 9.9" not in text
    assert "``" not in text


def test_a_post_tells_of_its_idempotency_key_and_nothing_else_does(document):
    for method, path, operation in operations(document):
        headers = {
            each["name"]: each
            for each in operation.get("parameters", [])
            if each["in"] == "header"
        }
        takes = method == "post" and operation.get("security") != []
        assert ("Idempotency-Key" in headers) == takes, path
        if not takes:
            continue
        assert headers["Idempotency-Key"]["schema"]["pattern"] == "^[!-~]{1,255}$"
        done = [s for status, s in operation["responses"].items() if status < "300"]
        assert all("Idempotency-Replayed" in each["headers"] for each in done)
        refused = look_up(document, operation["responses"]["409"]["$ref"])
        assert "idempotency_conflict" in refused["description"]

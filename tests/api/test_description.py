"""The interface description is true: thousands of made-up requests, no surprise.

Requests are generated from ``/openapi.json``, good and bad ones. Every answer must be
one that the description tells of, and none may be a 5xx.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from locframework.access.records import NewToken
from locframework.app import OPERATOR
from locframework.paging import PageRequest
from locframework.testing.workspace import Workspace

REQUESTS_LEAST = 1500  # good ones, and as many bad ones
EXAMPLES_AN_OPERATION = 12  # of each mode
_FIRST = PageRequest()
TOKENS = 40  # the limit is 600 a minute for each
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Rotating:
    """The app, asked with another token of the owner and another address in turn."""

    def __init__(self, workspace: Workspace) -> None:
        framework, organization_id = workspace.framework, workspace.organization_id
        members = framework.storage.access
        [owner] = [
            member
            for member in members.list_members(organization_id, _FIRST).items
            if member.role == "owner"
        ]
        self._app = workspace.app
        self._tokens = itertools.cycle(
            framework.tokens.create_for_member(
                OPERATOR, organization_id, owner.id, NewToken("fuzz")
            )[1]
            for _ in range(TOKENS)
        )
        self._addresses = itertools.cycle(f"127.0.0.{n}" for n in range(2, 250))
        self.requests = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.requests += 1
        environ["HTTP_AUTHORIZATION"] = f"Bearer {next(self._tokens)}"
        environ["REMOTE_ADDR"] = next(self._addresses)
        return self._app(environ, start_response)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_no_request_is_answered_otherwise_than_described(
    sqlite_workspace: Workspace, mode: GenerationMode
) -> None:
    app = Rotating(sqlite_workspace)
    known = _known_ids(sqlite_workspace)
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)

    for result in schema.get_all_operations():
        # a request that carries nothing cannot be made wrong
        with contextlib.suppress(Unsatisfiable):
            _ask(result.ok(), mode, known)

    assert app.requests >= REQUESTS_LEAST


def _ask(operation: Any, mode: GenerationMode, known: dict[str, str]) -> None:
    strategy = operation.as_strategy(generation_mode=mode)

    @settings(
        max_examples=EXAMPLES_AN_OPERATION,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy, reaches_target=st.integers(0, 3))
    def ask(case: Any, reaches_target: int) -> None:
        # what is deleted is gone for all requests after it
        if reaches_target and case.path_parameters and case.method != "DELETE":
            for name in case.path_parameters:
                case.path_parameters[name] = known.get(name, "1")
        case.call_and_validate(checks=CHECKS)

    ask()


def _known_ids(workspace: Workspace) -> dict[str, str]:
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

"""docs/errors.md and docs/permissions.md: their tables are what the code says."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from locframework import errors
from locframework.access.permissions import PERMISSIONS, ROLES
from locframework.errors import LocError
from locframework.testing.workspace import Workspace

PAGE = "errors.md"
ERRORS = [
    each
    for each in vars(errors).values()
    if inspect.isclass(each) and issubclass(each, LocError)
]


@pytest.fixture
def permissions_page(open_page: Callable[[str], Any]) -> Any:
    return open_page("permissions.md")


def test_every_error_is_in_the_table_once_with_its_status(page: Any) -> None:
    told = [(int(status), code) for status, code, *_ in page.rows()]

    assert sorted(told) == sorted({(each.status, each.code) for each in ERRORS})
    assert told == sorted(told, key=lambda row: row[0])


def test_every_code_is_one_exception(page: Any) -> None:
    codes = [each.code for each in ERRORS]

    assert len(set(codes)) == len(codes)


def test_errors_that_no_operation_answers_are_marked(
    page: Any, sqlite_workspace: Workspace
) -> None:
    """And all others are declared by some operation, or come of a job."""
    document = json.dumps(sqlite_workspace.owner.get("/openapi.json").json)

    unanswered = {code for _, code, when, _ in page.rows() if "no operation" in when}
    of_jobs = {code for _, code, when, _ in page.rows() if "of an import job" in when}
    undeclared = {each.code for each in ERRORS if f'"{each.code}"' not in document}
    assert undeclared == unanswered | of_jobs


def test_the_example_is_what_is_answered(
    page: Any, sqlite_workspace: Workspace
) -> None:
    [example] = page.blocks("json")
    project = sqlite_workspace.project()
    viewer = sqlite_workspace.client("viewer")

    answer = viewer.post(f"/projects/{project['id']}/keys", json={"key": "a"})

    wanted = json.loads(example)
    wanted["error"]["message"] = answer.error["message"]
    assert answer.json == wanted


def test_details_are_told_where_they_are(
    page: Any, sqlite_workspace: Workspace
) -> None:
    details = {code: told for _, code, _, told in page.rows()}
    made = [errors.PermissionDenied("key_create"), errors.LanguageNotAssigned("de")]

    for error in made:
        assert isinstance(error.details, dict)
        [name] = error.details
        assert details[error.code] == f"{{ {name} }}"
    assert details["validation_failed"].startswith("a list of")
    assert not details["key_exists"]


def test_every_permission_is_in_the_table_with_the_roles_that_have_it(
    permissions_page: Any,
) -> None:
    told = {key: rights for key, _, *rights in permissions_page.rows()}

    assert told == {
        key: ["✓" if key in ROLES[role] else "" for role in ROLES]
        for key in PERMISSIONS
    }


def test_the_head_of_the_table_names_the_roles_in_order(permissions_page: Any) -> None:
    [head] = [
        line
        for line in permissions_page.text.splitlines()
        if line.startswith("| permission")
    ]

    assert [cell.strip() for cell in head.split("|")[3:-1]] == list(ROLES)

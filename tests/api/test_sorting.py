"""Decisions 2.1.2: lists take ``sort``, a field, with ``-`` before it descending."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from locframework.app import OPERATOR
from locframework.projects.records import ProjectQuery
from locframework.testing.workspace import Workspace

NAMES = ["b", "D", "c", "a"]
UNSORTED = {"listConflicts", "listOutcomes", "listRevisions"}
"""By key, by language and key, and the newest first."""


def _project(workspace):
    return f"/projects/{workspace.project(languages=['de', 'ar'])['id']}"


def _posted(where, **more):
    def make(workspace):
        path = f"{_project(workspace)}/{where}"
        for name in NAMES:
            body = {"name": name, **more}
            assert workspace.owner.post(path, json=body).status in (201, 202)
        return path

    return make


def _languages(workspace):
    return f"{_project(workspace)}/languages"


def _projects(workspace):
    for name in NAMES:
        workspace.project(name=name)
    return "/projects"


def _members(workspace):
    path = f"/organizations/{workspace.organization_id}/members"
    for name in NAMES:
        email = f"{ord(name)}@example.com"
        body = {"email": email, "name": name, "role": "viewer"}
        assert workspace.owner.post(path, json=body).status == 201
    return path


def _tokens(workspace):
    for name in NAMES:
        body = {"name": name, "permissions": ["project_read"]}
        assert workspace.owner.post("/tokens", json=body).status == 201
    return "/tokens"


def _activity(workspace):
    path = _project(workspace)
    for name in NAMES:
        workspace.owner.post(f"{path}/keys", json={"key": name})
    return f"{path}/activity"


def _issues(workspace):
    path = _project(workspace)
    for name in NAMES:
        values = {"en": "Pay {sum}", "de": "Zahlen", "ar": "x"}
        workspace.owner.post(f"{path}/keys", json={"key": name, "values": values})
    return f"{path}/issues"


def _trash(workspace):
    path = f"{_project(workspace)}/keys"
    for name in NAMES:
        key = workspace.owner.post(path, json={"key": name}).data["key"]
        workspace.owner.delete(f"{path}/{key['id']}")
    return f"{path}/trash"


def _jobs(workspace):
    path = _DISTRIBUTIONS(workspace)
    return path.replace("distributions", "jobs")


def _releases(workspace):
    path = _DISTRIBUTIONS(workspace)
    workspace.run_jobs()
    keys = path.replace("distributions", "keys")
    one = f"{path}/{workspace.owner.get(path).data['items'][0]['id']}/releases"
    for name in NAMES:
        workspace.owner.post(keys, json={"key": name, "values": {"en": name}})
        workspace.job_of(workspace.owner.post(one, json={}))
    return one


_DISTRIBUTIONS = _posted("distributions", format="json-nested")
ANY = ["name", "createdAt", "updatedAt"]
LISTS: dict[str, tuple[Callable[[Workspace], str], list[str], str]] = {
    "organizations": (lambda workspace: "/organizations", ANY, "name"),
    "projects": (_projects, ANY, "name"),
    "members": (_members, ["email", "name", "createdAt"], "email"),
    "tokens": (_tokens, ["name", "createdAt"], "-createdAt"),
    "project tokens": (
        _posted("tokens", permissions=["project_read"]),
        ["name", "createdAt"],
        "-createdAt",
    ),
    "languages": (_languages, ["createdAt", "languageCode"], "createdAt"),
    "branches": (_posted("branches"), ANY, "-createdAt"),
    "distributions": (_DISTRIBUTIONS, ANY, "name"),
    "releases": (_releases, ["version"], "-version"),
    "jobs": (_jobs, ["createdAt"], "-createdAt"),
    "activity": (_activity, ["createdAt"], "-createdAt"),
    "trash": (_trash, ["deletedAt", "key"], "-deletedAt"),
    "issues": (_issues, ["key"], "key"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_sorted_by_its_fields_either_way(workspace, name):
    make, fields, default = LISTS[name]
    path = make(workspace)

    def items(**query):
        answer = workspace.owner.get(path, query=query)
        assert answer.status == 200, answer
        found = answer.data["items"]
        for item in found:
            item.pop("lastUsedAt", None)  # of a token: noted in the background
        return found

    assert items() == items(sort=default)
    for field in fields:
        up = items(sort=field)
        told = [item[field] for item in up]
        assert told == sorted(told), field
        assert items(sort=f"-{field}") == up[::-1]
        assert [*items(sort=field, limit=2), *items(sort=field, limit=2, page=2)] == (
            up[:4]
        )


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(
    "sort", ["colour", "--name", "NAME", "id; DROP TABLE keys", ""]
)
def test_another_field_is_refused(sqlite_workspace, name, sort):
    path = LISTS[name][0](sqlite_workspace)

    answer = sqlite_workspace.owner.get(path, query={"sort": sort})

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")
    assert answer.error["details"][0]["path"] == "query.sort"


def test_every_list_says_how_it_may_be_sorted(sqlite_workspace):
    paths = sqlite_workspace.owner.get("/openapi.json").json["paths"]
    lists = {}
    for path in paths.values():
        asked = {
            each["name"]: each for each in path.get("get", {}).get("parameters", [])
        }
        if "page" in asked and "limit" in asked:
            lists[path["get"]["operationId"]] = asked.get("sort")

    without = {name for name, sort in lists.items() if not (sort or {}).get("schema")}
    assert without == UNSORTED
    assert len(lists) > len(LISTS)
    for name in lists.keys() - UNSORTED:
        schema = lists[name]["schema"]
        assert schema["default"] in schema["enum"], name


def test_a_list_is_sorted_from_python_too(sqlite_workspace):
    _projects(sqlite_workspace)
    asked = ProjectQuery(sort="-name")

    found = sqlite_workspace.framework.projects.list_projects(OPERATOR, asked).items

    assert [one.name for one in found] == sorted(NAMES, reverse=True)

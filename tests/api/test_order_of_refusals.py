"""What is wrong with a request comes before what is not there, and before what the
state of a thing refuses (decisions 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from locframework.app import OPERATOR
from locframework.errors import ProjectNotFound, ValidationFailed
from locframework.http.records import Upload
from locframework.ids import new_id
from locframework.keys.records import Approval, Rejection
from locframework.testing.workspace import Workspace

FILE = {"file": Upload("en.json", b'{"a": "A"}', "application/json")}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"pluralForms": ["several"]}, "validation_failed"),
        ({"fallbackLanguageCode": "not a tag"}, "validation_failed"),
        ({"fallbackLanguageCode": "fr"}, "language_not_in_project"),
        ({}, "language_exists"),
    ],
)
def test_a_language_that_is_there_is_refused_last(
    workspace: Workspace, body: Mapping[str, Any], code: str
) -> None:
    path = f"/projects/{workspace.project(languages=['de'])['id']}/languages"

    refused = workspace.owner.post(path, json={"languageCode": "de", **body})

    assert refused.error["code"] == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"pluralForms": ["several"]}, "validation_failed"),
        ({"fallbackLanguageCode": "not a tag"}, "validation_failed"),
        ({"label": "Français"}, "language_not_found"),
    ],
)
def test_a_language_that_is_not_there_is_missed_once_its_changes_are_right(
    workspace: Workspace, body: Mapping[str, Any], code: str
) -> None:
    path = f"/projects/{workspace.project()['id']}/languages/fr"

    assert workspace.owner.patch(path, json=body).error["code"] == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": " "}, "validation_failed"),
        ({"sourceLanguage": "fr"}, "language_not_in_project"),
        ({"blockingChecks": ["horoscope"]}, "validation_failed"),
        ({"checkSeverities": {"horoscope": "off"}}, "validation_failed"),
        ({"sourceLanguage": "de"}, "separator_fixed"),
    ],
)
def test_the_fixed_separator_is_told_last_and_nothing_is_changed(
    workspace: Workspace, body: Mapping[str, Any], code: str
) -> None:
    project = workspace.project(languages=["de"])
    path = f"/projects/{project['id']}"
    workspace.key(project, "a.b")
    before = [workspace.owner.get(f"{path}{of}").data for of in ("", "/languages")]

    refused = workspace.owner.patch(path, json={"keySeparator": "/", **body})

    assert refused.error["code"] == code
    after = [workspace.owner.get(f"{path}{of}").data for of in ("", "/languages")]
    assert after == before


WRONG_MEMBERS = [
    {"assignedLanguages": ["not a tag"]},
    {"projectIds": [new_id()]},
]


@pytest.mark.parametrize("wrong", WRONG_MEMBERS)
def test_what_a_member_is_to_have_is_judged_before_who_there_is(
    workspace: Workspace, wrong: Mapping[str, Any]
) -> None:
    path = f"/organizations/{workspace.organization_id}/members"
    person = {"email": "ines@example.com", "role": "translator"}
    assert workspace.owner.post(path, json=person).status == 201

    again = workspace.owner.post(path, json={**person, **wrong})
    absent = workspace.owner.patch(f"{path}/{new_id()}", json=wrong)

    assert again.error["code"] == absent.error["code"] == "validation_failed"
    assert workspace.owner.post(path, json=person).error["code"] == "member_exists"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"format": "papyrus"}, "unknown_format"),
        ({"format": "json-flat", "module": "a.b"}, "invalid_key"),
        ({"format": "json-flat", "languageCodes": "fr"}, "language_not_in_project"),
        ({"format": "json-flat"}, "branch_not_found"),
    ],
)
def test_what_an_export_asks_for_is_judged_before_its_branch(
    workspace: Workspace, query: Mapping[str, Any], code: str
) -> None:
    path = f"/projects/{workspace.project()['id']}/export"

    refused = workspace.owner.get(path, query={**query, "branch": "gone"})

    assert refused.error["code"] == code


@pytest.mark.parametrize(
    ("form", "query", "place"),
    [
        ({"tags": "web,,cart"}, {}, "form.tags[1]"),
        ({"branch": "spring"}, {"branch": "autumn"}, "form.branch"),
    ],
)
def test_what_is_wrong_with_a_form_is_told_where_it_stands(
    workspace: Workspace, form: Mapping[str, Any], query: Mapping[str, Any], place: str
) -> None:
    path = f"/projects/{workspace.project()['id']}/import"

    refused = workspace.owner.post(path, form=form, files=FILE, query=query)

    [problem] = refused.error["details"]
    assert (refused.error["code"], problem["path"]) == ("validation_failed", place)


@pytest.mark.parametrize(
    ("name", "asked"),
    [("approve", Approval(revision=0)), ("reject", Rejection(reason="x" * 1001))],
)
def test_python_is_told_first_that_there_is_no_such_project(
    workspace: Workspace, name: str, asked: Approval | Rejection
) -> None:
    judge = getattr(workspace.framework.review, name)
    project = workspace.project(languages=["de"])

    with pytest.raises(ProjectNotFound):
        judge(OPERATOR, new_id(), new_id(), "de", asked)
    with pytest.raises(ValidationFailed):
        judge(OPERATOR, project["id"], new_id(), "de", asked)

"""What has a whole project judged anew, as a job."""

from __future__ import annotations

import pytest

from locframework import OPERATOR, hookimpl
from locframework.issues.service import IssueQuery
from locframework.ports import Finding, Severity
from locframework.testing.workspace import open_workspace

from .checked_shop import Shop


@pytest.fixture
def shop(workspace):
    return Shop(workspace)


# judged anew


def test_other_plural_forms_have_a_project_judged_anew(shop):
    forms = {"one": "{n} day", "other": "{n} days"}
    body = {"key": "days", "isPlural": True, "values": {"en": forms, "de": forms}}
    shop.made(body)
    branch = {"name": "spring"}
    shop.owner.post(f"{shop.path}/branches", json=branch)
    shop.made({**body, "key": "own"}, "spring")
    path = f"{shop.path}/languages/de"

    shop.owner.patch(path, json={"pluralForms": ["one", "few", "other"]})
    shop.workspace.run_jobs()

    missing = ("days", "de", "other", "plural_forms")
    assert shop.issues(check="plural_forms") == [missing]
    assert shop.issues(check="plural_forms", branch="spring") == [
        missing,
        ("own", *missing[1:]),
    ]
    shop.owner.patch(path, json={"pluralForms": ["one", "other"]})
    shop.workspace.run_jobs()
    assert shop.issues(check="plural_forms", branch="spring") == []


def test_another_source_language_has_a_project_judged_anew(shop):
    shop.owner.patch(shop.path, json={"sourceLanguage": "de"})
    shop.workspace.run_jobs()

    assert shop.issues() == [
        ("hello", "en", None, "placeholders"),
        ("hello", "fr", None, "placeholders"),
    ]


def test_other_changes_of_a_project_start_no_job(shop):
    shop.owner.patch(shop.path, json={"description": "x", "sourceLanguage": "en"})
    shop.owner.patch(f"{shop.path}/languages/de", json={"label": "Deutsch"})

    assert shop.owner.get(f"{shop.path}/jobs").data["total"] == 0


class Loud:
    """A check of a plugin that is installed later."""

    name = "loud"
    description = "The text is in capitals."
    severity: Severity = "warning"

    def find(self, subject):
        for form, text in subject.texts.items():
            if text.isupper():
                yield Finding("is in capitals", 0, len(text), form)


class LoudPlugin:
    name = "loud"

    @hookimpl
    def loc_provide_checks(self):
        return [Loud()]


def test_a_check_that_comes_later_finds_what_was_there(database_url, tmp_path):
    with open_workspace(database_url, tmp_path) as workspace:
        shop = Shop(workspace)
        key_id = shop.key("loud", en="PAY")
    with open_workspace(database_url, tmp_path, plugins=[LoudPlugin()]) as workspace:
        framework = workspace.framework
        project_id = shop.project["id"]
        before = framework.issues.list_issues(OPERATOR, project_id, IssueQuery())
        job = framework.issues.start_recheck(OPERATOR, project_id)
        workspace.run_jobs()
        after = framework.issues.list_issues(OPERATOR, project_id, IssueQuery())
        ended = framework.jobs.get_job(OPERATOR, project_id, job.id)
    with open_workspace(database_url, tmp_path) as workspace:
        gone = workspace.framework.issues.list_issues(
            OPERATOR, project_id, IssueQuery()
        )

    assert (ended.status, ended.result) == ("succeeded", {"keys": 3})
    assert after.total == before.total + 1
    assert [one.key_id for one in after.items if one.check == "loud"] == [key_id]
    assert gone == before

"""``locframework recheck``."""

from locframework import OPERATOR
from locframework.issues.service import IssueQuery
from locframework.keys.records import NewKey
from locframework.projects.records import NewProject


def test_every_project_is_checked_anew(command, framework, project):
    organization = project.organization_id
    other = framework.projects.create_project(
        OPERATOR, NewProject("Other", "en", organization_id=organization)
    )
    new = NewKey("a", max_length=2, values={"en": "Pay"})
    key = framework.keys.create_key(OPERATOR, project.id, new)
    framework.storage.keys.put_findings({(key.id, "en"): []})  # as if made before

    result = command("recheck")

    assert result.exit_code == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == sorted(
        [f"{project.slug}: 1 key checked", f"{other.slug}: 0 keys checked"]
    )
    found = framework.issues.list_issues(OPERATOR, project.id, IssueQuery())
    assert [(one.key, one.check) for one in found.items] == [("a", "length")]


def test_one_project_is_checked_and_one_that_is_not_there_is_told(
    command, framework, project
):
    done = command("recheck", "--project", project.slug)
    failed = command("recheck", "--project", "nothing")

    assert done.stdout == f"{project.slug}: 0 keys checked\n"
    assert failed.exit_code == 1
    assert "Traceback" not in failed.stderr

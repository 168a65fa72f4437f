"""What a project says of its checks."""

import pytest


def test_a_project_keeps_what_it_says_of_checks(workspace):
    severities = {"punctuation": "off", "length": "warning"}
    twice = ["markup", "markup"]  # is kept once, as other lists of names are
    project = workspace.project(blockingChecks=twice, checkSeverities=severities)
    path = f"/projects/{project['id']}"

    workspace.owner.patch(path, json={"name": "Shop"})
    kept = workspace.owner.get(path).data["project"]
    body = {"blockingChecks": [], "checkSeverities": {"numbers": "error"}}
    workspace.owner.patch(path, json=body)
    changed = workspace.owner.get(path).data["project"]

    assert kept["checkSeverities"] == project["checkSeverities"] == severities
    assert kept["blockingChecks"] == ["markup"]
    assert {name: changed[name] for name in body} == body


def test_a_project_that_says_nothing_leaves_it_to_the_checks(workspace):
    project = workspace.project()

    assert (project["checkSeverities"], project["blockingChecks"]) == ({}, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [("blockingChecks", ["length", "lenght"]), ("checkSeverities", {"lenght": "off"})],
)
def test_a_check_that_nobody_provides_is_refused_with_those_there_are(
    workspace, field, value
):
    project = workspace.project()
    body = {"name": "Shop", "sourceLanguage": "en", field: value}
    owner = workspace.owner

    created = owner.post("/projects", json=body)
    changed = owner.patch(f"/projects/{project['id']}", json={field: value})

    for answer in (created, changed):
        assert (answer.status, answer.error["code"]) == (400, "validation_failed")
        [problem] = answer.error["details"]
        assert problem["path"] == f"$.{field}"
        assert "'lenght'; available: glossary_terms, length, " in problem["message"]


@pytest.mark.parametrize(
    "value", [{"length": "fatal"}, {"length": None}, ["length"], "off", None]
)
def test_a_severity_that_there_is_not_is_refused(workspace, value):
    project = workspace.project()

    answer = workspace.owner.patch(
        f"/projects/{project['id']}", json={"checkSeverities": value}
    )

    assert (answer.status, answer.error["code"]) == (400, "validation_failed")


def test_what_was_read_can_be_sent_back_when_a_check_is_gone(workspace):
    project = workspace.project()
    path, owner = f"/projects/{project['id']}", workspace.owner
    workspace.framework.storage.database.run(
        "UPDATE projects SET blocking_checks = ?, check_severities = ? WHERE id = ?",
        ('["gone"]', '{"gone":"error"}', project["id"]),
    )
    read = owner.get(path).data["project"]
    shown = {name: read[name] for name in ("blockingChecks", "checkSeverities")}
    assert shown == {"blockingChecks": ["gone"], "checkSeverities": {"gone": "error"}}

    sent = owner.patch(path, json=shown | {"description": "Boats"})
    less = owner.patch(path, json={"blockingChecks": [], "checkSeverities": {}})
    again = owner.patch(path, json={"blockingChecks": ["gone"]})

    assert (sent.status, less.status) == (200, 200)
    kept = sent.data["project"]
    assert kept["description"] == "Boats"
    assert kept | shown == kept
    assert (again.status, again.error["code"]) == (400, "validation_failed")

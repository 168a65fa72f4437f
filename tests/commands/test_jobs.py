"""``locframework jobs``."""

import json

import pytest

from locframework import OPERATOR
from locframework.delivery.records import NewDistribution
from locframework.exchange.records import ImportOptions
from locframework.fields import new_id
from locframework.formats.records import SourceFile
from locframework.jobs.records import JobQuery
from locframework.keys.records import KeyQuery


@pytest.fixture
def job(framework, project):
    """A queued import."""
    file = SourceFile("en.json", b'{"pay": "Pay"}')
    options = ImportOptions(format="json-flat")
    return framework.imports.start_import(OPERATOR, project.id, file, options)


def test_jobs_are_listed_by_status_and_project(command, framework, project, job):
    recheck = framework.issues.start_recheck(OPERATOR, project.id)
    framework.jobs.cancel_job(OPERATOR, project.id, recheck.id)

    lines = command("jobs", "list").stdout.splitlines()
    queued = command("jobs", "list", "--status", "queued", "--project", "shop").stdout
    shown = json.loads(command("jobs", "show", job.id, "--json").stdout)["job"]

    assert [line.split()[0] for line in lines] == [recheck.id, job.id]
    start = f"{job.id}  {job.created_at}  queued     import "
    assert queued.startswith(start)
    assert queued.endswith("  0/0  shop\n")
    assert (shown["id"], shown["status"], shown["type"]) == (job.id, "queued", "import")
    assert command("jobs", "list", "--type", "release").stdout == ""


def test_the_list_says_that_jobs_are_stalled(command, framework, job):
    later = "UPDATE jobs SET created_at = ?"
    assert command("jobs", "list").stderr == ""

    framework.storage.database.run(later, ("2026-01-01T00:00:00.000Z",))

    listed = command("jobs", "list")
    assert "jobs are stalled: some are due" in listed.stderr
    assert "start: locframework worker" in listed.stderr
    assert json.loads(command("jobs", "list", "--json").stdout)["isStalled"] is True


def test_a_cancelled_job_is_started_again_with_its_parameters(
    command, framework, project, job
):
    cancelled = command("jobs", "cancel", job.id)
    again = command("jobs", "cancel", job.id)
    retried = json.loads(command("jobs", "retry", job.id, "--json").stdout)["job"]
    framework.runner.run_until_idle()

    assert "  cancelled  import " in cancelled.stdout
    assert again.stderr == f"Error: job {job.id} has ended already\n"
    assert (retried["status"], retried["id"] == job.id) == ("queued", False)
    done = json.loads(command("jobs", "show", retried["id"], "--json").stdout)["job"]
    assert (done["status"], done["result"]["keysCreated"]) == ("succeeded", 1)
    [key] = framework.keys.list_keys(OPERATOR, project.id, KeyQuery()).items
    assert key.key == "pay"


def test_what_cannot_be_retried_says_why(command, framework, project, job):
    new = NewDistribution("Web", "json-nested")
    framework.distributions.create_distribution(OPERATOR, project.id, new)
    query = JobQuery(type="release")
    [release] = framework.jobs.list_every_job(project.id, query).items
    framework.jobs.cancel_job(OPERATOR, project.id, release.id)
    cases = {
        job.id: f"job {job.id} is queued: only failed and cancelled jobs are started",
        release.id: "jobs of the type release are not started again: publish again,",
        new_id(): "there is no such job",
        "release": "there is no such job",
    }

    for job_id, told in cases.items():
        refused = command("jobs", "retry", job_id)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr.startswith(f"Error: {told}")

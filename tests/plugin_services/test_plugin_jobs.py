"""Jobs of plugins: started, read and cancelled by permission, and run to their end."""

from __future__ import annotations

import logging
import threading

import pytest
from msgspec.structs import replace

from locframework import OPERATOR, PluginError, hookimpl
from locframework.access.records import Caller, Grant
from locframework.errors import (
    NameExists,
    PermissionDenied,
    ProjectNotFound,
    Unavailable,
    ValidationFailed,
)
from locframework.events import Actor
from locframework.plugins import FoundPlugin, PluginHost
from locframework.ports import PluginJob

NOBODY = Caller(Actor("user", "u1"))


def start(world, name="send", **params):
    return world.own.start_job(OPERATOR, world.id, name, params)


def test_a_job_runs_with_its_params_and_ends_with_what_the_plugin_returns(world):
    seen = []

    def run(job, work):
        seen.append((job.project_id, job.params, job.caller))
        work.report(1, 2)
        return {"sent": [1, None]}

    world.plugin.run = run
    queued = start(world, to=["ann"])
    world.workspace.run_jobs()

    assert seen == [(world.id, {"to": ["ann"]}, OPERATOR)]
    [job] = world.jobs()
    assert job["id"] == queued.id
    assert (job["type"], job["status"]) == ("plugin.digest.send", "succeeded")
    assert job["result"] == {"sent": [1, None]}
    assert job["progress"] == {"done": 1, "total": 2}


def test_a_job_that_returns_nothing_succeeds_without_a_result(world):
    start(world)
    world.workspace.run_jobs()

    [job] = world.jobs()
    assert (job["status"], job["result"]) == ("succeeded", None)


def test_a_job_may_end_itself(world):
    def run(job, work):
        with work.finish() as outcome:
            outcome.status, outcome.result = "partial", {"left": 1}

    world.plugin.run = run
    start(world)
    world.workspace.run_jobs()

    [job] = world.jobs()
    assert (job["status"], job["result"]) == ("partial", {"left": 1})


def test_who_has_the_permission_of_a_job_reads_and_cancels_it(world):
    started = start(world), start(world, "index")
    paths = [f"{world.path}/jobs/{each.id}" for each in started]
    reviewer = world.workspace.client("reviewer")  # translation_approve alone
    developer = world.workspace.client("developer")  # and the plugin's own
    viewer = world.workspace.client("viewer")  # neither

    def listed(client):
        items = client.get(f"{world.path}/jobs").data["items"]
        return [each["id"] for each in items]

    assert [reviewer.get(path).status for path in paths] == [200, 404]
    assert [viewer.get(path).status for path in paths] == [404, 404]
    assert listed(reviewer) == [started[0].id]
    assert {*listed(developer)} == {each.id for each in started}
    assert listed(viewer) == []
    assert viewer.post(f"{paths[0]}/cancel").status == 404
    cancelled = reviewer.post(f"{paths[0]}/cancel").data["job"]
    assert cancelled["status"] == "cancelled"


def test_a_job_starts_with_its_permission_only(world):
    grant = Grant(world.project["organizationId"], frozenset({"translation_read"}))

    with pytest.raises(ProjectNotFound):
        world.own.start_job(NOBODY, world.id, "send")
    with pytest.raises(PermissionDenied, match="translation_approve"):
        world.own.start_job(replace(NOBODY, grants=(grant,)), world.id, "send")
    assert world.jobs() == []


def test_a_job_runs_with_the_permissions_of_its_caller_at_that_moment(world):
    callers, tokens = [], world.framework.tokens
    world.plugin.run = lambda job, work: callers.append(job.caller)
    reviewer = world.workspace.client("reviewer")
    caller = world.framework.authenticate(reviewer.token)
    started = [world.own.start_job(caller, world.id, "send") for _ in range(2)]
    world.framework.runner.run_one()
    tokens.revoke_personal(caller, caller.token.id)
    world.workspace.run_jobs()

    assert [each.id for each in started] == [each["id"] for each in world.jobs()]
    assert [each["status"] for each in world.jobs()] == ["succeeded", "failed"]
    assert world.jobs()[1]["error"]["code"] == "permission_denied"
    assert [each.actor for each in callers] == [caller.actor]


def test_what_cannot_be_started_is_refused(world):
    with pytest.raises(KeyError):
        start(world, "sned")
    with pytest.raises(ValidationFailed, match="params: "):
        start(world, x=object())
    with pytest.raises(ValidationFailed, match="more than 65536 bytes"):
        start(world, x="x" * 65_536)
    assert world.jobs() == []


def test_a_job_starts_after_the_commit_of_the_open_transaction(world):
    with pytest.raises(ZeroDivisionError), world.framework.transaction():
        start(world, at=1 / len([start(world)][1:]))

    assert world.jobs() == []


def test_a_cancelled_job_ends_at_its_next_look(world):
    running, go = threading.Event(), threading.Event()

    def run(job, work):
        running.set()
        go.wait(30)
        work.check_cancelled()
        raise AssertionError

    world.plugin.run = run
    job = start(world)
    thread = threading.Thread(target=world.workspace.run_jobs)
    thread.start()
    assert running.wait(30)
    answer = world.owner.post(f"{world.path}/jobs/{job.id}/cancel")
    go.set()
    thread.join(30)

    assert answer.status == 200
    assert [each["status"] for each in world.jobs()] == ["cancelled"]


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("s3cr3t"), SystemExit(1), KeyError("x")]
)
def test_a_crash_fails_the_job_names_the_plugin_and_is_logged(world, caplog, fault):
    def run(job, work):
        raise fault

    world.plugin.run = run
    job = start(world)
    world.workspace.run_jobs()

    [failed] = world.jobs()
    assert failed["status"] == "failed"
    assert failed["error"] == {
        "code": "internal_error",
        "message": "the plugin 'digest' failed; the log of the server has more",
    }
    [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert f"plugin digest failed in job {job.id}" in record.getMessage()
    assert record.exc_info
    assert record.exc_info[1] is fault


@pytest.mark.parametrize("result", ["x", [1], {"x": object()}, 5])
def test_a_result_that_is_no_json_object_fails_the_job(world, result):
    world.plugin.run = lambda job, work: result
    start(world)
    world.workspace.run_jobs()

    [failed] = world.jobs()
    assert "the plugin 'digest' failed" in failed["error"]["message"]


def test_a_refusal_of_a_service_fails_the_job_with_its_code(world):
    def run(job, work):
        raise NameExists("Shop")

    world.plugin.run = run
    start(world)
    world.workspace.run_jobs()

    assert world.jobs()[0]["error"]["code"] == "name_exists"


def test_a_job_that_something_was_unavailable_for_runs_again(world):
    runs = []

    def run(job, work):
        runs.append(job.attempt)
        if len(runs) == 1:
            raise Unavailable("the mail server does not answer")
        return {"attempt": job.attempt}

    world.plugin.run = run
    start(world)
    world.workspace.run_jobs()
    assert world.jobs()[0]["status"] == "running"
    world.clock.forward(seconds=40)
    world.workspace.run_jobs()

    assert runs == [1, 2]
    assert world.jobs()[0]["result"] == {"attempt": 2}


def test_the_next_run_goes_on_after_the_last_step(world):
    """What a step wrote stays; what was written outside of one is done again."""
    data = world.own.data(world.id)

    def run(job, work):
        for number in range((job.step or {}).get("done", 0), 4):
            with work.step() as step:
                data.set(f"{number}", job.attempt)
                if number == 2 and job.attempt == 1:
                    raise Unavailable("in the middle of a step")
                step.note = {"done": number + 1}
        return {"done": 4}

    world.plugin.run = run
    start(world)
    world.workspace.run_jobs()
    assert [each.key for each in data.list_items().items] == ["0", "1"]
    world.clock.forward(seconds=40)
    world.workspace.run_jobs()

    kept = [(each.key, each.value) for each in data.list_items().items]
    assert kept == [("0", 1), ("1", 1), ("2", 2), ("3", 2)]
    assert world.jobs()[0]["result"] == {"done": 4}


def provided(*jobs):
    class Plugin:
        @hookimpl
        def loc_provide_jobs(self):
            return jobs

    return PluginHost({"x": FoundPlugin(Plugin(), "tests")})


def job(**changes):
    fields = {"name": "send", "permission": "project_read", "run": print}
    return PluginJob(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "Send"}, "job name 'Send' is not lower-case letters"),
        ({"name": "s" * 100}, "has more than 100 characters"),
        ({"permission": "digest_send"}, "there is no permission 'digest_send'"),
        ({"run": None}, "run is no function"),
        ({"cron": "0 9 * *"}, "cron '0 9 \\* \\*': Wrong number of fields"),
        ({"cron": "0 9 * * 1"}, "days of the week are named: mon, tue"),
        ({"cron": "61 9 * * *"}, "the last value"),
        ({"cron": "0 0 30 2 *"}, "there is no such day"),
        ({"cron": ""}, "Wrong number of fields"),
        ({"cron": "0 9 * * *", "timezone": "Mars/Base"}, "No time zone found"),
    ],
)
def test_a_job_that_cannot_be_stops_the_start(changes, reason):
    with pytest.raises(PluginError, match=f"plugin 'x'.*loc_provide_jobs: .*{reason}"):
        provided(job(**changes))


def test_two_jobs_of_one_name_stop_the_start():
    with pytest.raises(PluginError, match=r"'plugin\.x\.send' is provided twice"):
        provided(job(), job())

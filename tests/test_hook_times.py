"""Slow hooks of plugins are logged with their names, and /metrics counts all calls."""

import re
import threading
import time

import pytest

from locframework import hook_times, hookimpl
from locframework.errors import Unauthorized, Unavailable
from locframework.hook_times import HookTimes
from locframework.http.records import Upload
from locframework.ports import Finding, WriteRefusal
from locframework.testing.client import Client
from locframework.testing.workspace import open_workspace

MILLISECOND = 0.001


class Slow:
    """A plugin whose hooks wait for as long as they are told."""

    name = "slow"
    description = "Finds nothing"
    severity = "warning"

    def __init__(self):
        self.seconds = dict.fromkeys(("check", "decide", "listen"), 0.0)
        self.fails = set()
        self.found = []

    def _call(self, which):
        time.sleep(self.seconds[which])
        if which in self.fails:
            raise ValueError(which)

    @hookimpl
    def loc_provide_checks(self):
        return [self]

    def find(self, subject):
        self._call("check")
        return self.found

    @hookimpl
    def loc_decide_caller(self, token):
        if token == "away":
            raise Unavailable("the directory is away")
        if token == "bad":
            raise Unauthorized

    @hookimpl
    def loc_decide_write(self, change):
        self._call("decide")
        return WriteRefusal("no") if change.key.startswith("bad") else None

    @hookimpl
    def loc_on_event(self, event):
        self._call("listen")


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
def workspace(database_url, tmp_path, slow):
    with open_workspace(database_url, tmp_path, plugins=[slow, "json"]) as workspace:
        yield workspace


def warnings(caplog):
    return [each.getMessage() for each in caplog.records if "is slow" in each.msg]


def counts(workspace):
    """What /metrics tells, by metric and hook, of the plugin."""
    page = workspace.owner.get("/metrics").content.decode()
    pattern = r'^locframework_plugin_(\w+)_total{hook="(\S+)",plugin="slow"} (\S+)$'
    return {
        (name, hook): float(number)
        for name, hook, number in re.findall(pattern, page, re.M)
    }


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("decide", r"loc_decide_write took \d{3} ms during a write of 1 keys"),
        ("check", r"check:slow took \d{3} ms during a write of 1 keys"),
        ("listen", r"loc_on_event took \d{3} ms for key.created"),
    ],
)
def test_a_slow_hook_is_logged_once_a_minute(
    workspace, slow, caplog, monkeypatch, which, said
):
    project = workspace.project()
    slow.seconds[which] = 0.11

    for name in ("a", "b"):
        workspace.key(project, name, values={"en": "x"})
    monkeypatch.setattr(hook_times, "monotonic", lambda: time.monotonic() + 60)
    again = len(warnings(caplog))
    workspace.key(project, "c", values={"en": "x"})

    assert again == 1
    assert len(warnings(caplog)) == 2
    for line in warnings(caplog):
        assert re.fullmatch(f"plugin slow is slow: {said}", line)


def test_many_quick_calls_that_are_slow_in_all_are_logged(workspace, slow, caplog):
    """What counts is for how long others wait, not what one call takes."""
    project = workspace.project()
    path = f"/projects/{project['id']}"
    slow.seconds["decide"] = 5 * MILLISECOND
    texts = b"{%s}" % b",".join(b'"k%d": "x"' % number for number in range(30))

    accepted = workspace.owner.post(
        f"{path}/import",
        files={"file": Upload("en.json", texts, "application/json")},
        form={"languageCode": "en", "format": "json-flat"},
    )
    assert accepted.status == 202, accepted
    job = workspace.job_of(accepted)

    assert job["status"] == "succeeded"
    [line] = warnings(caplog)
    said = r"loc_decide_write took \d{3} ms during a write of 30 keys"
    assert re.fullmatch(f"plugin slow is slow: {said}", line)


def test_a_slow_decision_about_deleting_is_logged(workspace, slow, caplog):
    project = workspace.project()
    made = workspace.key(project, "a")
    slow.seconds["decide"] = 0.11

    workspace.owner.delete(f"/projects/{project['id']}/keys/{made['id']}")

    [line] = warnings(caplog)
    assert line.endswith(" ms during the delete of 1 keys")


def test_a_quick_plugin_is_not_logged(workspace, caplog):
    workspace.key(workspace.project(), "a", values={"en": "x"})

    assert warnings(caplog) == []


def test_metrics_count_calls_seconds_and_failures_by_plugin_and_hook(workspace, slow):
    project = workspace.project()
    before = counts(workspace)
    slow.seconds = dict.fromkeys(slow.seconds, 10 * MILLISECOND)
    workspace.key(project, "a", values={"en": "x"})
    calls = counts(workspace)
    slow.seconds = dict.fromkeys(slow.seconds, 0)
    slow.fails = {"check", "decide", "listen"}
    path = f"/projects/{project['id']}/keys"
    refused = workspace.owner.post(path, json={"key": "b", "values": {"en": "x"}})
    slow.fails.discard("decide")
    workspace.key(project, "c", values={"en": "x"})
    failed = counts(workspace)

    hooks = {"check:slow": 1, "loc_decide_write": 2, "loc_on_event": 2}
    assert refused.status == 409
    for hook, number in hooks.items():
        assert calls["calls", hook] - before.get(("calls", hook), 0) == number
        seconds = calls["seconds", hook] - before.get(("seconds", hook), 0)
        assert number * 10 * MILLISECOND <= seconds < 5
        assert calls["failures", hook] == 0
    assert failed["failures", "check:slow"] == 1
    assert failed["failures", "loc_decide_write"] == 1  # of the key that was refused
    assert failed["failures", "loc_on_event"] == 2


def test_a_refusal_is_no_failure_and_a_bad_finding_is_one(workspace, slow):
    project = workspace.project()
    slow.found = [Finding("beyond", 0, 99)]
    workspace.key(project, "a", values={"en": "x"})
    path = f"/projects/{project['id']}/keys"

    refused = workspace.owner.post(path, json={"key": "bad"})

    assert refused.error["code"] == "write_refused"
    assert counts(workspace)["failures", "loc_decide_write"] == 0
    assert counts(workspace)["failures", "check:slow"] == 1


def test_a_token_that_is_refused_is_no_failure_and_a_directory_that_is_away_is(
    workspace,
):
    workspace.project()
    before = counts(workspace)["calls", "loc_decide_caller"]

    for token in ("unknown", "bad", "away"):
        Client(workspace.app, token).get("/projects")

    after = counts(workspace)
    assert after["calls", "loc_decide_caller"] == before + 3
    assert after["failures", "loc_decide_caller"] == 1


def test_checks_that_come_with_the_framework_are_not_measured(workspace):
    workspace.key(workspace.project(), "a", values={"en": "x"})

    counted = workspace.framework.plugins.times.counts()
    checks = {hook for _, hook in counted if hook.startswith("check:")}
    assert checks == {"check:slow"}


def test_what_other_threads_did_is_not_said_to_be_slow_here(caplog):
    times = HookTimes()
    before = times.so_far()

    began = time.perf_counter() - 1
    elsewhere = threading.Thread(target=times.add, args=(("a", "hook"), began))
    elsewhere.start()
    elsewhere.join()
    times.log_slow(before, "a test")

    assert warnings(caplog) == []
    assert times.counts()["a", "hook"].seconds >= 1

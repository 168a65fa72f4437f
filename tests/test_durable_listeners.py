"""Durable listeners: each committed event at least once, in order, by one process."""

import logging
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from types import SimpleNamespace

import pytest

from locframework import OPERATOR, PluginError, hookimpl
from locframework.errors import Unavailable
from locframework.fields import system_clock
from locframework.keys.records import NewKey
from locframework.listeners import LEASE, delay_seconds
from locframework.plugins import PluginHost
from locframework.testing.contracts.storage_events import latest
from locframework.testing.contracts.storage_jobs import lease_owners
from locframework.testing.workspace import open_workspace
from tests.databases import statements_of

SECONDS_MOST = 20.0


class Recorder:
    """A durable listener that remembers what it was handed, and fails when told to."""

    def __init__(self, name="recorder"):
        self.name = name
        self.heard = []
        self.calls = 0
        self.fails_at = ""  # a key
        self.seconds = 0.0
        self.threads = set()

    @hookimpl(durable=True)
    def loc_on_event(self, event):
        self.calls += 1
        self.threads.add(threading.current_thread().name)
        time.sleep(self.seconds)
        if self.fails_at and event.items[0].get("key") == self.fails_at:
            raise ValueError("its receiver is away")
        self.heard.append(event)

    @property
    def keys(self):
        """The names of the keys whose creation it was told of."""
        return [
            each.items[0]["key"] for each in self.heard if each.type == "key.created"
        ]


class Clock:
    """A clock that tests may set forward."""

    def __init__(self):
        self.forward = timedelta()

    def __call__(self):
        return system_clock() + self.forward


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def open_with(database_url, tmp_path, clock):
    """A workspace with these plugins; all share the database."""
    with ExitStack() as stack:
        yield lambda *plugins, **how: stack.enter_context(
            open_workspace(database_url, tmp_path, plugins=plugins, clock=clock, **how)
        )


@pytest.fixture
def workspace(open_with, recorder):
    return open_with(recorder)


def wait_until(holds):
    deadline = time.monotonic() + SECONDS_MOST
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def make_keys(workspace, project, *names):
    for name in names:  # of another workspace's project, too
        workspace.framework.keys.create_key(OPERATOR, project["id"], NewKey(name))


def state(workspace, plugin="recorder"):
    states = workspace.framework.storage.listeners.states()
    return next(each for each in states if each.plugin == plugin)


# what it sees, and when


def test_a_listener_gets_all_events_in_the_order_of_the_log(workspace, recorder):
    project = workspace.project(languages=["de"])
    workspace.key(project, "a", values={"en": "x", "de": "y"})
    workspace.owner.delete(f"/projects/{project['id']}/languages/de")

    assert recorder.heard == []
    handed = workspace.framework.listeners.run_until_idle()

    stored = latest(workspace.framework.storage.events, project["id"], 100)[::-1]
    assert recorder.heard == stored
    assert handed == len(stored) >= 4
    assert workspace.framework.listeners.run_until_idle() == 0


def test_its_events_cannot_be_changed(workspace, recorder):
    make_keys(workspace, workspace.project(), "a")
    workspace.framework.listeners.run_until_idle()

    with pytest.raises(TypeError, match="change a copy"):
        recorder.heard[0].items[0].clear()


def test_a_new_listener_begins_with_events_from_now_on(open_with, recorder):
    workspace = open_with()
    project = workspace.project()
    make_keys(workspace, project, "before")

    later = open_with(recorder)
    make_keys(workspace, project, "after")  # by a process that has not the plugin
    later.framework.listeners.run_until_idle()

    assert recorder.keys == ["after"]


def test_nothing_is_lost_while_no_process_has_the_plugin(open_with):
    first = Recorder()
    workspace = open_with(first)
    project = workspace.project()
    make_keys(workspace, project, "a")
    without = open_with()
    make_keys(without, project, "b")

    second = Recorder()
    open_with(second).framework.listeners.run_until_idle()

    assert (first.keys, second.keys) == ([], ["a", "b"])


def test_it_is_called_soon_after_the_commit_in_a_thread_of_its_own(open_with, recorder):
    workspace = open_with(recorder)
    workspace.framework.start()
    project = workspace.project()

    make_keys(workspace, project, "a", "b")

    wait_until(lambda: recorder.keys == ["a", "b"])
    assert recorder.threads == {"locframework-listener-recorder"}


def test_a_slow_listener_delays_neither_requests_nor_other_listeners(open_with):
    slow, quick = Recorder("slow"), Recorder("quick")
    slow.seconds = 0.5
    workspace = open_with(slow, quick)
    workspace.framework.start()
    project = workspace.project()

    began = time.monotonic()
    make_keys(workspace, project, *"abcdef")
    taken = time.monotonic() - began
    wait_until(lambda: len(quick.keys) == 6)
    behind = len(slow.keys)

    assert taken < 0.5 * 6
    assert behind < 6
    wait_until(lambda: len(slow.keys) == 6)


def test_events_of_other_processes_are_seen_within_a_second_or_so(open_with, recorder):
    reader, writer = open_with(recorder), open_with()
    reader.framework.start()
    project = writer.project()
    wait_until(lambda: not state(reader).waiting)

    began = time.monotonic()
    make_keys(writer, project, "a")
    wait_until(lambda: recorder.keys == ["a"])

    assert time.monotonic() - began < 5


def test_what_a_listener_writes_is_committed_and_told(open_with):
    plugin = Recorder()
    workspace = open_with(plugin)
    framework = workspace.framework
    project = workspace.project()
    hear = plugin.heard.append

    def answer(event):
        hear(event)
        if event.type == "key.created" and event.items[0]["key"] == "theirs":
            framework.keys.create_key(OPERATOR, event.project_id, NewKey("mine"))

    plugin.heard = SimpleNamespace(append=answer)
    make_keys(workspace, project, "theirs")
    framework.listeners.run_until_idle()

    names = framework.storage.keys.names_of(project["id"])
    assert sorted(names) == ["mine", "theirs"]


def test_none_is_missed_with_eight_writers(open_with, recorder):
    workspaces = [open_with(), open_with(recorder), open_with(Recorder())]
    for each in workspaces[1:]:
        each.framework.start()
    other = workspaces[2].framework.plugins._found["recorder"].plugin
    projects = [workspaces[0].project() for _ in range(4)]

    def write(at):
        for number in range(15):
            make_keys(workspaces[0], projects[at % 4], f"w{at}-{number}")

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write, at) for at in range(8)]:
            done.result()
    wait_until(lambda: not state(workspaces[0]).waiting)

    heard = [each.id for each in (*recorder.heard, *other.heard)]
    events = workspaces[0].framework.storage.events
    for project in projects:
        stored = [each.id for each in latest(events, project["id"], 1000)]
        assert {*stored} <= {*heard}
    assert len(heard) == len({*heard})
    assert len(recorder.keys) + len(other.keys) == 8 * 15


# failures


def test_an_event_at_which_it_fails_is_repeated_with_longer_and_longer_pauses(
    workspace, recorder, clock, caplog
):
    project = workspace.project()
    make_keys(workspace, project, "a", "b", "c")
    recorder.fails_at = "b"
    run = workspace.framework.listeners.run_until_idle

    run()
    assert recorder.keys == ["a"]
    calls = recorder.calls
    for failures in (1, 2, 3):
        assert state(workspace).failures == failures
        assert run() == 0  # it is not due
        assert recorder.calls == calls
        clock.forward += timedelta(seconds=2 ** (failures - 1) + 0.1)
        assert run() == 0
        calls += 1
        assert recorder.calls == calls
    assert state(workspace).failures == 4
    assert state(workspace).waiting == 2

    recorder.fails_at = ""
    clock.forward += timedelta(seconds=10)
    run()
    assert recorder.keys == ["a", "b", "c"]
    assert (state(workspace).failures, state(workspace).waiting) == (0, 0)
    lines = [each for each in caplog.records if "in succession" in each.msg]
    failed = next(each for each in recorder.heard if each.items[0].get("key") == "b")
    assert [each.levelno for each in lines] == [logging.ERROR] * 4
    assert lines[-1].getMessage() == (
        "plugin recorder failed 4 times in succession in loc_on_event at the event"
        f" {failed.id} (key.created); it is called again in 8 s, and gets no other"
        " event before"
    )
    assert "its receiver is away" in caplog.text


def test_the_pauses_grow_to_five_minutes():
    assert [delay_seconds(each) for each in range(1, 12)] == [
        *(1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300),
    ]
    assert delay_seconds(100_000) == 300


def test_a_plugin_that_exits_is_repeated_too(workspace, recorder):
    make_keys(workspace, workspace.project(), "a")
    recorder.heard = SimpleNamespace(append=sys.exit)

    assert workspace.framework.listeners.run_until_idle() == 0
    assert state(workspace).failures == 1


def test_another_listener_goes_on_while_one_fails(open_with):
    bad, good = Recorder("bad"), Recorder("good")
    workspace = open_with(bad, good)
    bad.fails_at = "a"
    make_keys(workspace, workspace.project(), "a", "b")

    workspace.framework.listeners.run_until_idle()

    assert (bad.keys, good.keys) == ([], ["a", "b"])


def test_it_is_called_again_by_itself_when_the_pause_is_over(open_with, recorder):
    workspace = open_with(recorder)
    workspace.framework.start()
    recorder.fails_at = "a"
    make_keys(workspace, workspace.project(), "a")
    wait_until(lambda: recorder.calls >= 1)

    recorder.fails_at = ""

    wait_until(lambda: recorder.keys == ["a"])


def test_an_operator_skips_the_event_that_it_fails_at(workspace, recorder):
    make_keys(workspace, workspace.project(), "a", "b")
    recorder.fails_at = "a"
    listeners = workspace.framework.listeners
    listeners.run_until_idle()

    skipped = listeners.skip("recorder")
    listeners.run_until_idle()

    assert skipped.next_type == "key.created"
    assert skipped.failures == 1
    assert recorder.keys == ["b"]
    assert listeners.skip("recorder") is None
    assert listeners.skip("nobody") is None


def test_events_of_a_project_that_is_deleted_hold_up_nothing(
    workspace, recorder, clock
):
    gone, kept = workspace.project(), workspace.project()
    make_keys(workspace, gone, "a", "b")
    make_keys(workspace, kept, "c")
    recorder.fails_at = "a"
    workspace.framework.listeners.run_until_idle()

    workspace.framework.projects.delete_project(OPERATOR, gone["id"])
    clock.forward += timedelta(seconds=2)
    workspace.framework.listeners.run_until_idle()

    assert recorder.keys == ["c"]
    assert (state(workspace).waiting, state(workspace).failures) == (0, 0)


def test_a_test_gives_a_listener_each_event_twice(workspace, recorder):
    make_keys(workspace, workspace.project(), "a", "b")

    workspace.deliver_events(times=2)

    assert recorder.keys == ["a", "a", "b", "b"]
    assert workspace.deliver_events() == 0


def test_a_test_sees_what_a_listener_raises_and_gives_it_the_event_again(
    workspace, recorder
):
    make_keys(workspace, workspace.project(), "a", "b", "c")
    recorder.fails_at = "b"

    with pytest.raises(ValueError, match="its receiver is away"):
        workspace.deliver_events()
    failed_at = recorder.keys
    recorder.fails_at = ""
    workspace.deliver_events()

    assert (failed_at, recorder.keys) == (["a"], ["a", "b", "c"])


# leases


def test_one_process_at_a_time_calls_it_and_another_takes_over(open_with, clock):
    first, second = Recorder(), Recorder()
    dead, alive = open_with(first), open_with(second)
    project = dead.project()
    make_keys(dead, project, "a")
    dead.framework.listeners._listeners[0]._claim(100)  # and it goes no further

    assert alive.framework.listeners.run_until_idle() == 0
    clock.forward += LEASE
    alive.framework.listeners.run_until_idle()

    assert second.keys == ["a"]
    assert first.heard == []


def test_a_long_call_keeps_its_lease(open_with, clock, monkeypatch):
    """The process prolongs it meanwhile, each ten seconds."""
    monkeypatch.setattr("locframework.listeners.RENEW_SECONDS", 0.0)
    slow, other = Recorder(), Recorder()
    workspace, second = open_with(slow), open_with(other)
    make_keys(workspace, workspace.project(), "a")
    waiting, going_on = threading.Event(), threading.Event()

    def call(event):
        waiting.set()
        assert going_on.wait(SECONDS_MOST)

    slow.heard = SimpleNamespace(append=call)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(workspace.framework.listeners.run_until_idle)
        assert waiting.wait(SECONDS_MOST)
        for _ in range(3):
            clock.forward += LEASE - timedelta(seconds=1)
            workspace.framework.listeners.tick(is_due=False)
            assert second.framework.listeners.run_until_idle() == 0
        going_on.set()
        running.result()

    assert other.heard == []


def test_a_process_that_stops_gives_back_what_it_has(open_with, recorder):
    workspace = open_with(recorder)
    recorder.seconds = 0.05
    workspace.framework.start()
    project = workspace.project()
    make_keys(workspace, project, *"abcdefgh")
    wait_until(lambda: recorder.heard)
    storage = open_with().framework.storage

    workspace.framework.close()

    heard = len(recorder.keys)
    assert lease_owners(storage) == set()
    other = Recorder()
    open_with(other).framework.listeners.run_until_idle()
    assert recorder.keys + other.keys == [*"abcdefgh"]
    assert len(recorder.keys) == heard


# what it costs


def test_a_write_costs_one_statement_more_where_there_is_a_listener(
    open_with, recorder
):
    plain = open_with()
    project = plain.project()

    def statements(workspace, name):
        with statements_of(workspace.framework.storage) as seen:
            make_keys(workspace, project, name)
        return [*seen]

    before = len(statements(plain, "a"))
    with_one = open_with(recorder, Recorder("b"), Recorder("c"))
    after = statements(with_one, "b")

    assert len(after) == before + 1
    assert sum("waiting_events" in each for each in after) == 1


def test_without_listeners_idling_and_housekeeping_ask_nothing_of_them(open_with):
    framework = open_with().framework
    with statements_of(framework.storage) as seen:
        framework._wake_if_due()
        framework.listeners.check()
        [*framework.listeners.metrics()]

    assert len(seen) == 1
    assert "listeners" not in seen[0]


def test_an_idle_process_with_a_listener_asks_one_statement_a_second(workspace):
    framework = workspace.framework
    framework.listeners.run_until_idle()
    with statements_of(framework.storage) as seen:
        framework._wake_if_due()

    assert len(seen) == 1


# what an operator sees


def test_metrics_tell_how_far_behind_a_listener_is(workspace, recorder, clock):
    make_keys(workspace, workspace.project(), "a", "b")
    clock.forward += timedelta(seconds=90)

    def numbers():
        page = workspace.owner.get("/metrics").content.decode()
        pattern = r'^locframework_plugin_events_(\w+){plugin="recorder"} (\S+)$'
        return {name: float(value) for name, value in re.findall(pattern, page, re.M)}

    waiting = numbers()
    workspace.framework.listeners.run_until_idle()

    assert waiting["behind"] == 2
    assert waiting["oldest_seconds"] == pytest.approx(90, abs=5)
    assert numbers() == {"behind": 0, "oldest_seconds": 0}
    calls = workspace.framework.plugins.times.counts()["recorder", "loc_on_event"]
    assert calls.calls == recorder.calls


def test_a_listener_that_is_far_behind_is_logged(workspace, clock, caplog):
    make_keys(workspace, workspace.project(), "a", "b")
    workspace.framework.listeners.check()
    assert "is behind" not in caplog.text

    clock.forward += timedelta(minutes=6)
    workspace.framework.listeners.check()

    assert "plugin recorder is behind: 2 events wait for loc_on_event" in caplog.text


def test_a_listener_that_no_process_has_is_logged_and_dropped_after_30_days(
    open_with, recorder, clock, caplog
):
    first = open_with(recorder)
    make_keys(first, first.project(), "a")
    clock.forward += timedelta(days=29)
    without = open_with()

    without.framework.listeners.start()
    without.framework._purge()
    assert "no process has the plugin recorder since" in caplog.text
    assert state(without).waiting == 1
    clock.forward += timedelta(days=2)
    without.framework._purge()

    assert without.framework.storage.listeners.states() == []
    assert "rows of durable listeners were dropped" in caplog.text


def test_a_listener_in_use_is_kept_however_long(workspace, clock):
    for _ in range(4):
        clock.forward += timedelta(days=10)
        workspace.framework.listeners.check()
        workspace.framework._purge()

    assert state(workspace).plugin == "recorder"


# the marker


def test_only_loc_on_event_can_be_durable():
    plugin = SimpleNamespace(
        name="p", loc_on_close=hookimpl(durable=True)(lambda: None)
    )

    with pytest.raises(PluginError, match="loc_on_close is durable; only loc_on_event"):
        PluginHost.discover({}, more=[plugin], installed=False)


def test_the_marker_passes_on_the_options_of_pluggy():
    marked = hookimpl(optionalhook=True, tryfirst=True)(lambda: None)
    plain = hookimpl(lambda: None)

    assert marked.locframework_impl["optionalhook"] is True
    assert marked.locframework_impl["tryfirst"] is True
    assert plain.locframework_impl["optionalhook"] is False
    assert not hasattr(plain, "locframework_durable")
    with pytest.raises(TypeError):
        hookimpl(nonsense=True)(lambda: None)


def test_a_listener_that_is_not_durable_is_called_at_once(open_with):
    heard = []
    plain = SimpleNamespace(
        name="plain", loc_on_event=hookimpl(lambda event: heard.append(event.type))
    )
    workspace = open_with(plain)

    make_keys(workspace, workspace.project(), "a")

    assert heard[-1] == "key.created"
    assert workspace.framework.storage.listeners.states() == []


def test_a_database_that_is_away_delays_and_loses_nothing(
    open_with, recorder, monkeypatch
):
    workspace = open_with(recorder)
    make_keys(workspace, workspace.project(), "a")
    [listener] = workspace.framework.listeners._listeners
    storage = workspace.framework.storage

    def fail(*_):
        raise Unavailable("the database is away")

    monkeypatch.setattr(storage.listeners, "settle", fail)
    with pytest.raises(Unavailable):
        listener.work()
    monkeypatch.undo()
    workspace.framework.listeners.run_until_idle()

    assert recorder.keys == ["a", "a"]  # at least once


def test_what_could_not_be_noted_is_repeated_soon_and_not_when_the_lease_ends(
    open_with, recorder, monkeypatch
):
    workspace, failures = open_with(recorder), []
    listeners = workspace.framework.storage.listeners
    settle = listeners.settle

    def fail_once(*args):
        if not failures:
            failures.append(args)
            raise Unavailable("the database is away")
        settle(*args)

    monkeypatch.setattr(listeners, "settle", fail_once)
    workspace.framework.start()
    make_keys(workspace, workspace.project(), "a")

    began = time.monotonic()
    wait_until(lambda: recorder.keys == ["a", "a"])
    assert time.monotonic() - began < LEASE.total_seconds() / 3

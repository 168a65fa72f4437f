"""What plugins hear: events that nobody can change, and not their own without end."""

import copy
import json
import logging
import pickle
from contextlib import ExitStack

import msgspec
import pytest

from locframework import OPERATOR, hookimpl
from locframework.events import SYSTEM, Event
from locframework.plugins import EVENTS_DEEP_MOST, PluginHost
from locframework.ports import EventType
from locframework.records import NewKey
from locframework.testing.workspace import open_workspace

ITEMS = [{"key": "a", "languages": ["de", "fr"], "more": {"names": [{"x": 1}]}}]
EVENT = Event("1", "key.created", "org", "p", None, SYSTEM, ITEMS, "2026-11-21")


class Listener:
    """Calls a function with each event."""

    def __init__(self, name, call):
        self.name, self._call = name, call

    @hookimpl
    def loc_on_event(self, event):
        self._call(event)


class Emitter(Listener):
    """Has an event type of its own, too."""

    @hookimpl
    def loc_provide_event_types(self, emit):
        self.emit = emit
        self.type = f"plugin.{self.name}.heard"
        return [EventType(self.type, "It was heard", {"type": "object"}, ({},))]


@pytest.fixture
def open_with(database_url, tmp_path):
    """A workspace with these plugins beside the installed ones."""
    with ExitStack() as stack:
        yield lambda *plugins: stack.enter_context(
            open_workspace(database_url, tmp_path, plugins=plugins)
        )


def told():
    """The event as a plugin gets it."""
    heard = []
    PluginHost.discover({}, more=[Listener("a", heard.append)], installed=False).tell(
        EVENT
    )
    return heard[0]


def all_of(value):
    """The value, and all that is in it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value
    for each in inside if isinstance(value, dict | list) else ():
        yield from all_of(each)


CHANGES_OF_LISTS = {
    "append": [1],
    "clear": [],
    "extend": [[1]],
    "insert": [0, 1],
    "pop": [],
    "remove": ["de"],
    "reverse": [],
    "sort": [],
    "__setitem__": [0, 1],
    "__delitem__": [0],
    "__iadd__": [[1]],
    "__imul__": [0],
}
CHANGES_OF_DICTS = {
    "clear": [],
    "pop": ["key"],
    "popitem": [],
    "setdefault": ["new", 1],
    "update": [{"key": 1}],
    "__setitem__": ["key", 1],
    "__delitem__": ["key"],
    "__ior__": [{"key": 1}],
}


def test_nothing_of_an_event_can_be_changed():
    event = told()

    parts = [each for each in all_of(event.items) if isinstance(each, dict | list)]
    for part in parts:
        changes = CHANGES_OF_DICTS if isinstance(part, dict) else CHANGES_OF_LISTS
        for method, given in changes.items():
            with pytest.raises(TypeError, match="change a copy"):
                getattr(part, method)(*given)
    for name in event.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(event, name, None)
    assert len(parts) == 6
    assert event == EVENT


def test_no_method_that_changes_lists_or_dicts_was_forgotten():
    reading = {
        "copy", "count", "fromkeys", "get", "index", "items", "keys", "values",
    }  # fmt: skip
    for kind, changes in ((list, CHANGES_OF_LISTS), (dict, CHANGES_OF_DICTS)):
        methods = {name for name in vars(kind) if not name.startswith("_")}
        methods |= {"__setitem__", "__delitem__", "__ior__", "__iadd__", "__imul__"}
        assert methods & {*dir(kind)} - reading == {*changes}


def test_what_plugins_hear_is_json_and_its_copies_can_be_changed():
    event = told()

    assert json.loads(json.dumps(event.items)) == ITEMS
    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == EVENT
    assert type(msgspec.to_builtins(event)["items"][0]) is dict
    for copied in (copy.deepcopy(event.items), pickle.loads(pickle.dumps(event.items))):
        copied[0]["more"]["names"].append(2)
        assert {type(each) for each in all_of(copied)} == {dict, list, str, int}
    dict(event.items[0])["key"] = "b"
    assert event.items == ITEMS


def test_a_listener_that_tries_to_change_an_event_fails_alone(open_with, caplog):
    heard = []

    def meddle(event):
        event.items[0].clear()

    workspace = open_with(Listener("a", meddle), Listener("b", heard.append))
    project = workspace.project()

    workspace.key(project, "checkout.pay")

    assert heard[-1].items[0]["key"] == "checkout.pay"
    assert "plugin a failed in loc_on_event key.created" in caplog.text
    assert "change a copy: dict(item)" in caplog.text


def answering(name, workspace, heard):
    """A listener that makes a key for every key that is made."""

    def answer(event):
        if event.type == "key.created":
            heard.append(name)
            new = NewKey(f"{name}{len(heard)}")
            workspace[0].framework.keys.create_key(OPERATOR, event.project_id, new)

    return Listener(name, answer)


def test_a_listener_that_answers_itself_is_stopped_and_its_writes_stay(
    open_with, caplog
):
    workspace, heard, others = [], [], []
    plugins = answering("echo", workspace, heard), Listener("other", others.append)
    workspace.append(open_with(*plugins))
    project = workspace[0].project()

    made = [workspace[0].key(project, f"first{at}") for at in range(2)]

    names = workspace[0].framework.storage.keys.names_of(project["id"])
    lines = [each for each in caplog.records if "without end" in each.getMessage()]
    assert len(heard) == 2 * EVENTS_DEEP_MOST
    assert len(names) == len(made) + len(heard)
    assert [each.type for each in others].count("key.created") == len(heard)
    [line] = lines
    assert line.levelno == logging.ERROR
    assert line.getMessage() == (
        "loc_on_event of plugin echo causes events without end: it was not called for a"
        " key.created, 8 deep; let it return at once for events that it causes"
    )


def test_two_plugins_that_answer_each_other_are_stopped(open_with, caplog):
    heard = []

    def answer(own, theirs):
        def answer(event):
            if event.type in ("key.created", theirs.type):
                heard.append(own.name)
                own.emit(own.type, event.project_id, [{"at": len(heard)}])

        return answer

    ping, pong = Emitter("ping", print), Emitter("pong", print)
    ping._call, pong._call = answer(ping, pong), answer(pong, ping)
    workspace = open_with(ping, pong)
    project = workspace.project()

    made = workspace.key(project, "first")
    workspace.key(project, "second")

    path = f"/projects/{project['id']}/keys/{made['id']}"
    assert workspace.owner.get(path).status == 200
    assert {*heard} == {"ping", "pong"}
    assert len(heard) == 2 * 2 * EVENTS_DEEP_MOST  # two writes, from each of two sides
    [line] = {each.getMessage() for each in caplog.records
              if "plugin ping, pong causes" in each.getMessage()}  # fmt: skip
    assert "8 deep" in line


def test_events_that_cause_others_for_a_while_are_all_heard(open_with, caplog):
    """The bound is on what goes on for ever, not on what answers once or twice."""
    heard, emitter = [], Emitter("chain", print)

    def answer(event):
        if event.type == "key.created":
            heard.append(0)
        elif event.type == emitter.type:
            heard.append(event.items[0]["at"])
        if heard and heard[-1] < EVENTS_DEEP_MOST - 1 and event.project_id:
            emitter.emit(emitter.type, event.project_id, [{"at": heard[-1] + 1}])

    emitter._call = answer
    workspace = open_with(emitter)
    project = workspace.project()
    heard.clear()

    workspace.key(project, "first")

    assert heard == [*range(EVENTS_DEEP_MOST)]
    assert "without end" not in caplog.text

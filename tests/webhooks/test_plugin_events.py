"""Events of plugins: which are emitted, and what is refused."""

import pytest

from locframework import Framework, Settings, hookimpl
from locframework.errors import PluginError, ProjectNotFound
from locframework.ports import EventType
from locframework.testing.contracts.storage_events import latest
from locframework.testing.workspace import open_workspace

TYPE = "plugin.own.happened"
ABSENT_ID = "01a2008c-0000-7000-8000-000000000000"


def type_(**changes):
    fields = {
        "type": TYPE,
        "description": "It happened",
        "item_schema": {"type": "object"},
        "example_items": ({"n": 1},),
    }
    return EventType(**{**fields, **changes})


class Own:
    """Provides what it is given."""

    name = "own"

    def __init__(self, *types):
        self.types = types
        self.emit = None

    @hookimpl
    def loc_provide_event_types(self, emit):
        self.emit = emit
        return self.types


def nested(levels):
    return {"a": nested(levels - 1)} if levels else {}


@pytest.fixture
def own():
    return Own(type_())


@pytest.fixture
def workspace(database_url, own, tmp_path):
    with open_workspace(database_url, tmp_path, plugins=[own]) as opened:
        yield opened


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (type_(type="key.created"), r"must be plugin\.own\.<event>"),
        (type_(type="plugin.other.happened"), r"must be plugin\.own\.<event>"),
        (type_(type="plugin.own."), r"must be plugin\.own\.<event>"),
        (type_(type="plugin.own.a.b"), r"must be plugin\.own\.<event>"),
        (type_(type="plugin.own.É"), r"must be plugin\.own\.<event>"),
        (type_(type="plugin.own." + "x" * 90), "more than 100 characters"),
        (type_(description=" "), "no description"),
        (type_(example_items=()), "needs 1 to 100 example items"),
        ("plugin.own.happened", "str is not of type EventType"),
    ],
)
def test_a_wrong_type_stops_the_start(wrong, message):
    with pytest.raises(PluginError, match=message):
        Framework(Settings(), [Own(wrong)])


def test_an_event_before_the_framework_is_made_is_refused():
    class Hasty(Own):
        @hookimpl
        def loc_provide_event_types(self, emit):
            emit(TYPE, ABSENT_ID, [{}])

    with pytest.raises(PluginError, match="once the framework is made"):
        Framework(Settings(), [Hasty()])


@pytest.mark.parametrize(
    ("type_", "items", "branch", "message"),
    [
        ("plugin.own.other", [{}], None, "provides no event type"),
        ("key.created", [{}], None, "provides no event type"),
        (TYPE, [], None, "at least one item"),
        (TYPE, ["x"], None, "an object of plain JSON"),
        (TYPE, [{"text": "x" * 5000}], None, "at most 4096 bytes"),
        (TYPE, ({"n": n} for n in range(3)), None, "must be a list or a tuple"),
        (TYPE, {"n": 1}, None, "must be a list or a tuple"),
        (TYPE, [{"keyId": "a\0"}], None, r"holds U\+0000 or a lone surrogate"),
        (TYPE, [{"a\ud800": 1}], None, "surrogates not allowed"),
        (TYPE, [{"a": [{"b": object()}]}], None, "is not JSON"),
        (TYPE, [{"a": float("nan")}], None, "must be plain JSON: dict"),
        (TYPE, [{1: "a"}], None, "must be plain JSON: dict"),
        (TYPE, [nested(70)], None, "nested deeper than 64 levels"),
        *((TYPE, [{}], name, "branch") for name in (5, "", "a\n", "a b", "main")),
    ],
)
def test_an_invalid_event_is_refused(workspace, own, type_, items, branch, message):
    project = workspace.project()

    with pytest.raises(ValueError, match=message):
        own.emit(type_, project["id"], items, branch=branch)


@pytest.mark.parametrize("project_id", [ABSENT_ID, "x", "a\0"])
def test_an_event_of_an_absent_project_is_refused(workspace, own, project_id):
    with pytest.raises(ProjectNotFound):
        own.emit(TYPE, project_id, [{}])


def test_an_event_names_the_plugin_and_is_split_at_100_items(workspace, own):
    project = workspace.project()
    seen = []
    workspace.framework.events.listen_after(seen.append)
    path = f"/projects/{project['id']}/activity"

    own.emit(TYPE, project["id"], [{"n": number} for number in range(150)], branch="b")

    assert [len(event.items) for event in seen] == [100, 50]
    newest = workspace.owner.get(path).data["items"][0]
    assert (newest["type"], newest["branch"]) == (TYPE, "b")
    assert newest["actor"] == {"type": "plugin", "id": "own"}


def test_an_event_in_a_transaction_is_rolled_back_with_it(workspace, own):
    project, storage = workspace.project(), workspace.framework.storage

    def fail(then):
        with storage.transaction():
            own.emit(TYPE, project["id"], [{}])
            then()

    with pytest.raises(KeyError):
        fail(lambda: {}.__getitem__("x"))

    events = latest(storage.events, project["id"], 10)
    assert [event for event in events if event.type == TYPE] == []

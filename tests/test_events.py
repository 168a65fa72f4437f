"""The event log: appended with the change, told inside it and after it."""

from typing import NamedTuple

import pytest

from locframework import Framework
from locframework.events import Actor
from locframework.fields import system_clock, timestamp
from locframework.testing.contracts.storage_events import latest

ANNA = Actor("user", "anna")


class Log(NamedTuple):
    """The event log of a project in a real storage."""

    framework: Framework
    project_id: str

    def append(self, *, count=1):
        self.framework.events.append(
            "key.created",
            organization_id="org",
            project_id=self.project_id,
            actor=ANNA,
            items=[{"keyId": str(at)} for at in range(count)],
        )

    def stored(self):
        return latest(self.framework.storage.events, self.project_id, 100)[::-1]


@pytest.fixture
def log(sqlite_workspace):
    project_id = sqlite_workspace.project()["id"]
    return Log(sqlite_workspace.framework, project_id)


def test_an_event_says_what_happened_where_when_and_by_whom(log):
    before = timestamp(system_clock())
    with log.framework.storage.transaction():
        log.append()

    [event] = log.stored()
    assert (event.type, event.actor) == ("key.created", ANNA)
    assert event.items == [{"keyId": "0"}]
    assert (event.organization_id, event.project_id) == ("org", log.project_id)
    assert event.branch is None
    assert event.created_at >= before


@pytest.mark.parametrize(
    ("items", "sizes"),
    [(0, []), (1, [1]), (100, [100]), (101, [100, 1]), (250, [100, 100, 50])],
)
def test_many_items_are_several_events_and_none_are_none(log, items, sizes):
    heard = []
    log.framework.events.listen_inside(heard.append)
    log.framework.events.listen_after(heard.append)
    with log.framework.storage.transaction():
        log.append(count=items)

    stored = log.stored()
    assert [len(event.items) for event in stored] == sizes
    ids = [item["keyId"] for event in stored for item in event.items]
    assert ids == [str(at) for at in range(items)]
    assert heard == stored * 2


def test_inside_listeners_are_called_before_the_commit_and_others_after_it(log):
    heard = []
    log.framework.events.listen_inside(lambda event: heard.append("inside"))
    log.framework.events.listen_after(lambda event: heard.append("after"))

    with log.framework.storage.transaction():
        log.append()
        assert heard == ["inside"]

    assert heard == ["inside", "after"]


def test_an_inside_listener_may_refuse_the_change(log):
    heard = []

    def refuse(event):
        raise ValueError("no")

    log.framework.events.listen_inside(refuse)
    log.framework.events.listen_after(heard.append)

    with pytest.raises(ValueError, match="no"), log.framework.storage.transaction():
        log.append()
    assert (log.stored(), heard) == ([], [])


def test_an_after_listener_sees_the_change_and_cannot_undo_it(sqlite_workspace, caplog):
    framework, seen = sqlite_workspace.framework, []
    project = sqlite_workspace.project()

    def look(event):
        seen.append(len(latest(framework.storage.events, project["id"], 10)))
        raise RuntimeError("listener broke")

    framework.events.listen_after(look)
    made = sqlite_workspace.key(project, "checkout.pay")

    path = f"/projects/{project['id']}/keys/{made['id']}"
    assert seen == [1]
    assert sqlite_workspace.owner.get(path).status == 200
    assert "listener broke" in caplog.text


def test_plugins_hear_what_is_committed_through_the_api(sqlite_workspace):
    """The events that the store has and those that were heard are the same."""
    framework, heard = sqlite_workspace.framework, []
    framework.events.listen_after(heard.append)
    project = sqlite_workspace.project(languages=["de"])

    sqlite_workspace.key(project, "checkout.pay", values={"en": "Pay"})

    stored = latest(framework.storage.events, project["id"], 100)
    assert [event.type for event in heard] == [
        "language.added",
        "key.created",
        "translation.updated",
    ]
    assert stored == heard[::-1]

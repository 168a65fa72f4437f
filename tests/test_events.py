"""The event log: appended with the change, told inside it and after it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from msgspec import Struct

from locframework.events import ITEMS_MOST, Actor, Event, EventLog, Subscribers, Traces
from locframework.testing.workspace import Workspace

NOW = datetime(2026, 11, 21, 8, 45, 29, 123456, UTC)
ANNA = Actor("user", "anna")


class Kept(Struct):
    """A store and its transactions in memory: what is not committed is dropped."""

    committed: list[Event] = []
    pending: list[Event] = []
    calls: list[Callable[[], None]] = []
    endings: dict[Hashable, Callable[[], None]] = {}

    def add(self, events: Sequence[Event], traces: Traces | None = None) -> None:
        self.pending += events

    def subscribers_of(self, project_id: str) -> Subscribers:
        return Subscribers(memories=False, distributions=False, webhooks=False)

    def list_events(self, project_id: str, limit: int) -> list[Event]:
        return self.committed[-limit:]

    def after_commit(self, call: Callable[[], None]) -> None:
        self.calls.append(call)

    def before_commit(
        self, name: Hashable, begin: Callable[[], Callable[[], None]]
    ) -> None:
        self.endings.setdefault(name, begin())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        try:
            yield
            for ending in self.endings.values():
                ending()
            self.committed += self.pending
            calls, self.calls = self.calls, []
        finally:
            self.pending = []
            self.endings = {}
        for call in calls:
            call()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        yield


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def log(kept: Kept) -> EventLog:
    return EventLog(kept, kept, lambda: NOW)


def append(log: EventLog, *, count: int = 1, project_id: str = "project") -> None:
    log.append(
        "key.created",
        organization_id="org",
        project_id=project_id,
        actor=ANNA,
        items=[{"keyId": str(at)} for at in range(count)],
    )


def test_an_event_says_what_happened_where_when_and_by_whom(
    kept: Kept, log: EventLog
) -> None:
    with kept.transaction():
        append(log)

    [event] = kept.committed
    assert (event.type, event.actor, event.items) == (
        "key.created",
        ANNA,
        [{"keyId": "0"}],
    )
    assert (event.organization_id, event.project_id) == ("org", "project")
    assert (event.branch, event.created_at) == (None, "2026-11-21T08:45:29.123Z")


@pytest.mark.parametrize(
    ("items", "sizes"),
    [(0, []), (1, [1]), (100, [100]), (101, [100, 1]), (250, [100, 100, 50])],
)
def test_many_items_are_several_events_and_none_are_none(
    kept: Kept, log: EventLog, items: int, sizes: list[int]
) -> None:
    with kept.transaction():
        append(log, count=items)

    assert [len(event.items) for event in kept.committed] == sizes
    told = [item["keyId"] for event in kept.committed for item in event.items]
    assert told == [str(at) for at in range(items)]
    assert len({event.id for event in kept.committed}) == len(sizes)
    assert all(size <= ITEMS_MOST for size in sizes)


def test_inside_listeners_hear_before_the_commit_and_after_listeners_after_it(
    kept: Kept, log: EventLog
) -> None:
    heard: list[str] = []
    log.listen_inside(lambda event: heard.append(f"inside {len(kept.committed)}"))
    log.listen_after(lambda event: heard.append(f"after {len(kept.committed)}"))

    with kept.transaction():
        append(log)
        assert heard == ["inside 0"]

    assert heard == ["inside 0", "after 1"]


def test_an_inside_listener_may_refuse_the_change(kept: Kept, log: EventLog) -> None:
    heard: list[Event] = []

    def refuse(event: Event) -> None:
        raise ValueError("no")

    log.listen_inside(refuse)
    log.listen_after(heard.append)

    with pytest.raises(ValueError, match="no"), kept.transaction():
        append(log)
    assert (kept.committed, heard) == ([], [])


def test_without_items_nobody_is_told(kept: Kept, log: EventLog) -> None:
    heard: list[Event] = []
    log.listen_inside(heard.append)
    log.listen_after(heard.append)

    with kept.transaction():
        append(log, count=0)

    assert heard == []


# with a real storage


def test_a_change_that_is_rolled_back_is_told_to_nobody(
    sqlite_workspace: Workspace,
) -> None:
    framework, heard = sqlite_workspace.framework, []
    project = sqlite_workspace.project()["id"]
    framework.events.listen_after(heard.append)

    def change_and_fail() -> None:
        with framework.storage.transaction():
            append(framework.events, project_id=project)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()

    assert heard == []
    assert framework.storage.events.list_events(project, 10) == []


def test_an_after_listener_sees_the_change_and_cannot_undo_it(
    sqlite_workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    framework, seen = sqlite_workspace.framework, []
    project = sqlite_workspace.project()

    def look(event: Event) -> None:
        seen.append(len(framework.storage.events.list_events(project["id"], 10)))
        raise RuntimeError("listener broke")

    framework.events.listen_after(look)
    made = sqlite_workspace.key(project, "checkout.pay")

    path = f"/projects/{project['id']}/keys/{made['id']}"
    assert seen == [1]
    assert sqlite_workspace.owner.get(path).status == 200
    assert "listener broke" in caplog.text


def test_plugins_hear_what_is_committed_through_the_api(
    sqlite_workspace: Workspace,
) -> None:
    """The events that the store has and those that were heard are the same."""
    framework, heard = sqlite_workspace.framework, []
    framework.events.listen_after(heard.append)
    project = sqlite_workspace.project(languages=["de"])

    sqlite_workspace.key(project, "checkout.pay", values={"en": "Pay"})

    stored = framework.storage.events.list_events(project["id"], 100)
    assert [event.type for event in heard] == [
        "language.added",
        "key.created",
        "translation.updated",
    ]
    assert stored == heard[::-1]

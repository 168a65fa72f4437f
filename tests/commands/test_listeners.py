"""``locframework listeners``."""

import json

import pytest

from locframework import OPERATOR, Framework, Settings, hookimpl
from locframework.keys.records import NewKey


class Digest:
    """A durable listener that fails at everything."""

    name = "digest"

    @hookimpl(durable=True)
    def loc_on_event(self, event):
        raise ValueError("its receiver is away")


@pytest.fixture
def waiting(framework, project):
    """Two events wait for a listener, which has failed once."""
    with Framework(Settings(start_scheduler=False), [Digest()]) as listening:
        listening.listeners.register()
        for name in ("a", "b"):
            framework.keys.create_key(OPERATOR, project.id, NewKey(name))
        listening.listeners.run_until_idle()
        yield listening


def test_listeners_are_listed_with_what_waits_and_what_failed(
    command, framework, waiting
):
    [state] = framework.storage.listeners.states()

    line = command("listeners", "list").stdout
    [shown] = json.loads(command("listeners", "list", "--json").stdout)["listeners"]

    assert line == (
        f"digest  2 waiting, next {state.next_event} (key.created, {state.next_at});"
        f" failed 1 times, again at {state.due_at}\n"
    )
    assert (shown["plugin"], shown["waiting"], shown["failures"]) == ("digest", 2, 1)
    assert shown["nextEvent"] == state.next_event


def test_an_event_is_skipped(command, framework, waiting):
    [before] = framework.storage.listeners.states()

    skipped = command("listeners", "skip", "digest")

    [after] = framework.storage.listeners.states()
    said = f"skipped {before.next_event} (key.created, {before.next_at})\n"
    assert skipped.stdout == said
    assert (after.waiting, after.failures) == (1, 0)
    assert after.next_event != before.next_event
    command("listeners", "skip", "digest")
    assert command("listeners", "list").stdout == "digest  nothing waits\n"


def test_what_cannot_be_skipped_says_why(command, framework):
    failed = command("listeners", "skip", "nobody")

    assert failed.exit_code == 1
    assert failed.stderr == (
        "Error: no event waits for a durable listener of the plugin 'nobody';"
        " locframework listeners list shows all\n"
    )

"""``locframework listeners``: how far the durable listeners of plugins are."""

import click

from locframework.listeners import ListenerState

from .common import CommandFailed, Setup, common_options, json_option


@click.group()
def listeners() -> None:
    """Show the durable listeners of plugins, and skip an event."""


@listeners.command("list")
@json_option
@common_options
@click.pass_obj
def list_listeners(setup: Setup) -> None:
    """List the durable listeners, and the event that each gets next.

    \b
    Example:
      locframework listeners list
    """
    with setup.framework() as framework:
        states = framework.storage.listeners.states()
    for state in states:
        setup.say(_line_of(state))
    setup.show({"listeners": states})


@listeners.command("skip")
@click.argument("plugin", metavar="PLUGIN")
@json_option
@common_options
@click.pass_obj
def skip_event(setup: Setup, plugin: str) -> None:
    """Skip the event that the durable listener of this PLUGIN gets next, for good.

    For a listener that fails at it again and again, and gets no other event before.

    \b
    Example:
      locframework listeners skip digest
    """
    with setup.framework() as framework:
        skipped = framework.listeners.skip(plugin)
    if skipped is None:
        raise CommandFailed(
            f"no event waits for a durable listener of the plugin {plugin!r};"
            " locframework listeners list shows all"
        )
    setup.say(f"skipped {_event_of(skipped)}")
    setup.show({"skipped": skipped})


def _line_of(state: ListenerState) -> str:
    if not state.waiting:
        return f"{state.plugin}  nothing waits"
    line = f"{state.plugin}  {state.waiting} waiting, next {_event_of(state)}"
    if state.failures:
        line += f"; failed {state.failures} times, again at {state.due_at}"
    return line


def _event_of(state: ListenerState) -> str:
    return f"{state.next_event} ({state.next_type}, {state.next_at})"

"""Commands of plugins: ``locframework <plugin name> …``, and what their authors use."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint

import click

from locframework.app import Framework
from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.plugins import installed_entries, origin_of
from locframework.projects.records import Project

from .common import PROJECT, Setup, common_options, json_option

__all__ = ["json_option", "open_framework", "print_result"]

HOOK = "loc_provide_commands"


@contextmanager
def open_framework() -> Iterator[Framework]:
    """Open the framework in a command of a plugin, with the settings that the user of
    ``locframework`` names: the same one that ``loc_on_start`` gave the plugin.

    What it raises, and what the block raises, is printed as one line. Raises
    SettingsError if the database waits for a migration, and RuntimeError outside a
    command.
    """
    framework = _framework(click.get_current_context())
    framework.require_migrated()
    yield framework


def choose_project(reference: str | None = None) -> Project:
    """Return the project that a user of a command means, by its name, short name, slug
    or id, as the core's commands do; None: the only one.

    Raises what is printed as one line if there is none, or several: that names the
    candidates. RuntimeError outside a command.
    """
    return PROJECT.choose(_framework(click.get_current_context()), reference)


def print_result(text: str, document: object) -> None:
    """Print the text, or with ``--json`` (see ``json_option``) the document: records of
    the API, and what JSON knows. Raises RuntimeError outside a command."""
    setup = click.get_current_context().ensure_object(Setup)
    setup.say(text)
    setup.show(document)


def _framework(context: click.Context) -> Framework:
    """Return the one framework of this command line; it is closed at the end."""
    root = context.find_root()
    framework = root.meta.get(HOOK)
    if not isinstance(framework, Framework):
        framework = Framework(context.ensure_object(Setup).settings())
        root.meta[HOOK] = framework
        root.call_on_close(framework.close)
    return framework


class PluginGroup(click.Group):
    """The commands of an installed plugin. It is made with its settings when one of
    them is asked for, or their list."""

    def __init__(self, entry: EntryPoint) -> None:
        super().__init__(entry.name, help=f"Commands of {origin_of(entry)}.")
        common_options(self)
        self.params.reverse()  # in the order in which --help has them elsewhere
        for option in self.params:  # so that --help shows those of the right settings
            option.is_eager = True

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return sorted(self._commands(ctx))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, None if there is none of this name."""
        return self._commands(ctx).get(cmd_name)

    def _commands(self, context: click.Context) -> dict[str, click.Command]:
        return _framework(context).plugins.commands(str(self.name))


def plugin_groups() -> Iterator[PluginGroup]:
    """Yield a group for each installed plugin that has commands, by name. One that
    cannot be imported has none: ``locframework plugins`` says why."""
    for entry in sorted(installed_entries(), key=lambda entry: entry.name):
        try:
            has_commands = hasattr(entry.load(), HOOK)
        except PLUGIN_EXCEPTIONS:
            continue
        if has_commands:
            yield PluginGroup(entry)


def plugin_group(name: str) -> PluginGroup | None:
    """Return the group of the installed plugin of this name, if it has commands, or if
    it cannot be imported: then the group says why."""
    for entry in installed_entries().select(name=name):
        try:
            has_commands = hasattr(entry.load(), HOOK)
        except PLUGIN_EXCEPTIONS:
            has_commands = True
        return PluginGroup(entry) if has_commands else None
    return None

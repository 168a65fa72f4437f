"""Finds the plugins of one application: the installed ones, and those made by hand."""

import re
from collections.abc import Iterable, Mapping, Sequence

from .errors import PluginError, SettingsError
from .plugin_facts import built, installed_entries, installed_with, name_of, origin_of

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def find_plugins(
    settings: Mapping[str, Mapping[str, object]],
    *,
    blocked: Sequence[str],
    more: Iterable[object],
    installed: bool,
) -> dict[str, object]:
    """All plugins by name: PluginHost.discover tells what is what.

    Raises PluginError and SettingsError.
    """
    entries = installed_entries() if installed else ()
    if installed:
        _require("blocked_plugins", blocked, {entry.name for entry in entries})
    plugins: dict[str, object] = {}
    origins: dict[str, str] = {}
    for entry in entries:
        if entry.name not in blocked:
            _take_name(entry.name, installed_with(entry), origins)
            plugins[entry.name] = built(entry, settings.get(entry.name, {}))
    for plugin in more:
        name = name_of(plugin)
        _take_name(name, origin_of(name, plugin), origins)
        if name in settings:
            reason = "was made in code, so it takes no settings"
            raise PluginError(name, origins[name], reason)
        plugins[name] = plugin
    for name in settings:
        if name not in blocked:
            _require("plugins", [name], plugins, f"plugins.{name}")
    return plugins


def no_such(setting: str, name: str, there: Iterable[str]) -> str:
    """The line for a name that the setting has and nobody else."""
    names = ", ".join(sorted(there)) or "none"
    reason = f"no installed plugin provides {name!r}"
    return f"settings: {setting}: {reason}; available: {names}"


def _take_name(name: str, origin: str, taken: dict[str, str]) -> None:
    """Note who has the name. Raises PluginError when it is none, or another's."""
    if not _NAME.fullmatch(name):
        reason = "its name may only have letters, 0-9, ., _ and -"
        raise PluginError(name, origin, reason)
    if name in taken:
        raise PluginError(name, origin, f"another plugin has this name: {taken[name]}")
    taken[name] = origin


def _require(
    what: str, names: Iterable[str], there: Iterable[str], setting: str = ""
) -> None:
    """Raise SettingsError for a name that nobody has."""
    for name in names:
        if name not in there:
            raise SettingsError(no_such(what, name, there), setting or what)

"""Makes one installed plugin with its settings, and tells what is known of any."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from .errors import PLUGIN_FAULTS, PluginError, SettingsError
from .settings import setting_in

GROUP = "locframework"  # of entry points


class NoSettings(msgspec.Struct, forbid_unknown_fields=True):
    """What a plugin without a ``settings_type`` may be set to: nothing."""


def installed_entries() -> EntryPoints:
    """The entry points of all installed plugins."""
    return _entries_on(tuple(sys.path))


@cache
def _entries_on(_path: tuple[str, ...]) -> EntryPoints:
    """All distributions there are asked for it: 10 ms."""
    return entry_points(group=GROUP)


def built(entry: EntryPoint, settings: Mapping[str, object]) -> object:
    """The plugin of an entry point. Raises PluginError, one line with the reason."""
    try:
        plugin_class = entry.load()
        wanted = settings_type_of(plugin_class)
        given = msgspec.convert(settings, wanted, strict=False)
        return plugin_class() if wanted is NoSettings else plugin_class(given)
    except msgspec.ValidationError as error:
        setting = setting_in(error, f"plugins.{entry.name}")
        reason = f"settings: {error}"
        raise PluginError(entry.name, installed_with(entry), reason, setting) from error
    except SettingsError as error:
        setting = f"plugins.{entry.name}.{error.setting}"
        reason = f"settings: {error}"
        raise PluginError(entry.name, installed_with(entry), reason, setting) from error
    except PLUGIN_FAULTS as error:
        reason = f"cannot be loaded: {error!r}"
        raise PluginError(entry.name, installed_with(entry), reason) from error


def installed_with(entry: EntryPoint) -> str:
    """Name and version of what an entry point was installed with."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"


def distribution_of(name: str, plugin: object) -> tuple[str, str]:
    """Name and version of where the plugin came from; its module when made by hand."""
    module = plugin.__module__ if isinstance(plugin, type) else type(plugin).__module__
    for entry in installed_entries().select(name=name):
        if entry.dist and entry.module.split(".")[0] == module.split(".")[0]:
            return entry.dist.name, entry.dist.version
    return module, ""


def origin_of(name: str, plugin: object) -> str:
    """The same in one text."""
    return " ".join(distribution_of(name, plugin)).rstrip()


def name_of(plugin: object) -> str:
    """The name of a plugin that was made by hand: its ``name``, else its class.

    A module is called as it is. Raises PluginError for a name that is no text.
    """
    made_of = plugin if isinstance(plugin, type | ModuleType) else type(plugin)
    origin = origin_of("", plugin)
    try:
        name = getattr(plugin, "name", None)
    except PLUGIN_FAULTS as error:
        reason = f"its name cannot be read: {error!r}"
        raise PluginError(made_of.__name__, origin, reason) from error
    if not isinstance(name, str | None):
        reason = f"its name is not text: {name!r}"
        raise PluginError(made_of.__name__, origin, reason)
    return name or made_of.__name__


def settings_type_of(plugin: object) -> type[msgspec.Struct]:
    """What the plugin's settings become. Raises TypeError for what is no struct."""
    wanted = getattr(plugin, "settings_type", None)
    if wanted is None:
        return NoSettings
    if not isinstance(wanted, type) or not issubclass(wanted, msgspec.Struct):
        raise TypeError(f"settings_type is not a msgspec.Struct: {wanted!r}")
    return wanted


def settings_of(plugin: object) -> Iterator[str]:
    """``name: type = default`` of each setting that the plugin has."""
    for setting in fields(settings_type_of(plugin)):
        default = "" if setting.required else f" = {_default_of(setting)!r}"
        yield f"{setting.encode_name}: {_plain(setting.type)}{default}"


def _default_of(setting: FieldInfo) -> object:
    made = setting.default_factory
    return setting.default if made is msgspec.NODEFAULT else made()


def _plain(type_: Any) -> str:
    """A type as people read it: without what Annotated adds."""
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _plain(inner[0])
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin in (Union, UnionType):
        return " | ".join(map(_plain, inner))
    if origin is not None:
        return f"{origin.__name__}[{', '.join(map(_plain, inner))}]"
    if type_ in (..., NoneType):
        return "..." if type_ is ... else "None"
    return getattr(type_, "__name__", None) or str(type_)

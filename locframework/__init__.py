"""A plugin-based framework for localization management.

Embedders begin here: ``Framework(settings)`` gives the services, ``create_app`` serves
them over HTTP. The records that services take and return (``NewKey``, ``KeyQuery``, …)
are imported from here, all errors from ``locframework.errors``. Plugin authors find
their ports in ``locframework.ports``, and here ``hookimpl`` and what commands use:
``open_framework``, ``json_option`` and ``print_result``.
"""

from typing import TYPE_CHECKING

from .marker import HookimplMarker

if TYPE_CHECKING:
    from .app import OPERATOR as OPERATOR
    from .app import Framework as Framework
    from .commands.plugin_commands import choose_project as choose_project
    from .commands.plugin_commands import json_option as json_option
    from .commands.plugin_commands import open_framework as open_framework
    from .commands.plugin_commands import print_result as print_result
    from .errors import LocError as LocError
    from .errors import PluginError as PluginError
    from .errors import SettingsError as SettingsError
    from .records import *  # noqa: F403
    from .settings import Settings as Settings
    from .wsgi import create_app as create_app

hookimpl = HookimplMarker()
"""Marks a plugin's method as the answer to the hook of the same name."""

_MODULES = {
    "OPERATOR": "app",
    "Framework": "app",
    "LocError": "errors",
    "PluginError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "choose_project": "commands.plugin_commands",
    "create_app": "wsgi",
    "json_option": "commands.plugin_commands",
    "open_framework": "commands.plugin_commands",
    "print_result": "commands.plugin_commands",
}

if not TYPE_CHECKING:  # or every misspelt name would pass

    def __getattr__(name: str) -> object:
        """Import the modules when they are asked for, so that a plugin stays light."""
        from importlib import import_module

        if name in _MODULES:
            return getattr(import_module(f".{_MODULES[name]}", __name__), name)
        if name == "__all__":
            records = vars(import_module(".records", __name__))
            public = [each for each in records if not each.startswith("_")]
            return sorted([*_MODULES, *public, "hookimpl"])
        if name[:1].isupper():
            records = import_module(".records", __name__)
            if hasattr(records, name):
                return getattr(records, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return __getattr__("__all__")

"""A plugin-based framework for localization management.

Embedders begin here: ``Framework(settings)`` gives the services, ``create_app`` serves
them over HTTP. The records that services take and return (``NewKey``, ``KeyQuery``, …)
are imported from here, all errors from ``locframework.errors``. Plugin authors find
their ports in ``locframework.ports``.
"""

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from .app import OPERATOR as OPERATOR
    from .app import Framework as Framework
    from .errors import LocError as LocError
    from .errors import PluginError as PluginError
    from .errors import SettingsError as SettingsError
    from .records import *  # noqa: F403
    from .settings import Settings as Settings
    from .wsgi import create_app as create_app

hookimpl = pluggy.HookimplMarker("locframework")
"""Marks a plugin's method as the answer to the hook of the same name."""

_MODULES = {
    "OPERATOR": "app",
    "Framework": "app",
    "LocError": "errors",
    "PluginError": "errors",
    "Settings": "settings",
    "SettingsError": "errors",
    "create_app": "wsgi",
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

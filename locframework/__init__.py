"""A plugin-based framework for localization management.

Embedders begin here: ``Framework(settings)`` gives the services, ``create_app`` serves
them over HTTP. Plugin authors find their ports in ``locframework.ports``.
"""

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from .app import OPERATOR, Framework
    from .errors import LocError, PluginError, SettingsError
    from .settings import Settings
    from .wsgi import create_app

hookimpl = pluggy.HookimplMarker("locframework")
"""Marks a plugin's method as the answer to the hook of the same name."""

__all__ = [
    "OPERATOR",
    "Framework",
    "LocError",
    "PluginError",
    "Settings",
    "SettingsError",
    "create_app",
    "hookimpl",
]

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
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{_MODULES[name]}", __name__), name)

"""Lists the plugins of the application over HTTP."""

from msgspec import Struct

from .access.records import Caller
from .http.operation import operation
from .plugins import LoadedPlugin, PluginHost


class PluginsAnswer(Struct, frozen=True):
    """Every loaded plugin, by name."""

    plugins: list[LoadedPlugin]


class PluginEndpoints:
    """Declares the list of plugins."""

    def __init__(self, plugins: PluginHost) -> None:
        self._plugins = plugins

    @operation("GET", "/plugins", permission=None, tag="Service")
    def list_plugins(self, caller: Caller) -> PluginsAnswer:
        """List the plugins, with their hooks and settings.

        Names and types of settings; never their values.
        """
        return PluginsAnswer(self._plugins.loaded())

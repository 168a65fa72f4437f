"""What stops the start: settings and plugins that cannot be used.

Both are one line for people, in which no URL shows its user or password.
"""

from .redact import without_user


class PluginError(Exception):
    """A plugin that cannot be used; it stops the start with this one line.

    ``setting`` is the one at fault, from the top ("plugins.json.indent"), or "".
    """

    def __init__(
        self, plugin: str, origin: str, reason: str, setting: str = ""
    ) -> None:
        super().__init__(without_user(f"plugin {plugin!r} ({origin}): {reason}"))
        self.setting = setting


PLUGIN_FAULTS = (Exception, SystemExit)
"""What a plugin's code may raise at us; one that exits would end our thread."""


class SettingsError(Exception):
    """Settings that cannot be used; it stops the start with this one line.

    ``setting`` is the one at fault, from the top ("server.port"), or "".
    """

    def __init__(self, message: str, setting: str = "") -> None:
        super().__init__(without_user(message))
        self.setting = setting

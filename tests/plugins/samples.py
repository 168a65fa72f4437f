"""Plugins as small as they can be, and what the host says of bad ones."""

from collections.abc import Callable

import pytest

from locframework import hookimpl
from locframework.errors import PluginError, SettingsError
from locframework.events import SYSTEM, Event
from locframework.formats.records import FormatInfo
from locframework.plugins import PluginHost

EVENT = Event("1", "key.created", "org", "p", None, SYSTEM, [{}], "2026-11-21")
Install = Callable[..., None]


def plugin_source(settings: str = "pass", hooks: str = "pass") -> str:
    return f"""
from typing import ClassVar
from msgspec import Struct
from locframework import hookimpl
class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    {settings}
class Plugin:
    settings_type: ClassVar = Settings
    def __init__(self, settings): self.settings = settings
    {hooks}
"""


def refusal_of(more: object = None, **settings: dict[str, object]) -> str:
    plugins = [] if more is None else [more]
    with pytest.raises((PluginError, SettingsError)) as caught:
        PluginHost.discover(settings, more=plugins)
    line = str(caught.value)
    assert "\n" not in line
    return line


class Listener:
    """Keeps the types of the events that it hears."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self.name = name
        self._heard = heard

    @hookimpl
    def loc_on_event(self, event: Event) -> None:
        self._heard.append(f"{self.name} {event.type}")


class Wordy:
    """A format, as far as the host looks at one."""

    def __init__(self, id_: str) -> None:
        self.info = FormatInfo(id_, id_, ".txt", "text/plain")

    def never_called(self, *_: object) -> None: ...

    recognizes = read = write = never_called


class WordyPlugin:
    def __init__(self, name: str, *ids: str) -> None:
        self.name = name
        self._formats = [Wordy(id_) for id_ in ids]

    @hookimpl
    def loc_provide_formats(self) -> list[Wordy]:
        return self._formats

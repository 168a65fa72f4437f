"""JSON file formats: nested, flat, those of libraries, and Flutter's ARB."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from locframework import hookimpl
from locframework.ports import Format

from .arb import Arb
from .go_i18n import GoI18nJson
from .i18next_v3 import I18nextV3Json
from .messages import ChromeJson, FormatjsJson
from .nextcloud import NextcloudJson
from .objects import FlatJson, I18nextJson, JsonFormat, NestedJson
from .piped import LaravelJson, VueJson

__all__ = ["JsonPlugin", "JsonSettings"]


class JsonSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings under ``[plugins.json]``."""

    indent: Annotated[int, Meta(ge=0, le=8)] = 2  # spaces a level; 0: all on one line


class JsonPlugin:
    """Provides arb, and what dialects of JSON there are."""

    requires_ports: ClassVar = "1"
    settings_type: ClassVar = JsonSettings

    def __init__(self, settings: JsonSettings) -> None:
        self._indent = settings.indent

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The formats, all written with the same indent."""
        formats: list[type[JsonFormat]] = [NestedJson, FlatJson, I18nextJson, Arb]
        formats += [ChromeJson, FormatjsJson, GoI18nJson, I18nextV3Json]
        formats += [LaravelJson, NextcloudJson, VueJson]
        return [each(self._indent) for each in formats]

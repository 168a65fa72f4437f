"""YAML files of texts, as Rails and others have them."""

from locframework import hookimpl
from locframework.ports import Format

from .formats import FlatYaml, RailsYaml

__all__ = ["YamlPlugin"]


class YamlPlugin:
    """Provides the formats yaml-rails and yaml-flat."""

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The two formats."""
        return [RailsYaml(), FlatYaml()]

"""YAML files of texts, as Rails, Symfony and others have them."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .formats import FlatYaml, RailsYaml, SymfonyYaml

__all__ = ["YamlPlugin"]


class YamlPlugin:
    """Provides the formats yaml-rails, yaml-flat and yaml-symfony."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """The three formats."""
        return [RailsYaml(), FlatYaml(), SymfonyYaml()]

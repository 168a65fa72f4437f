"""PHP files that return an array of texts, and those of Laravel."""

from typing import ClassVar

from locframework import hookimpl
from locframework.ports import Format

from .arrays import LaravelPhp, PhpArray

__all__ = ["PhpPlugin"]


class PhpPlugin:
    """Provides the formats php-array and laravel-php."""

    requires_ports: ClassVar = "1"

    @hookimpl
    def loc_provide_formats(self) -> list[Format]:
        """Both formats: the same files, with other plurals."""
        return [PhpArray(), LaravelPhp()]

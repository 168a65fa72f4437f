"""The options that every command has, and what they open."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from locframework.app import Framework
from locframework.settings import Settings, source_of

from .redact import RedactingFormatter

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

LEVELS = ["debug", "info", "warning", "error"]
LOG_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Setup:
    """What the common options say; opens the framework as they say."""

    def __init__(self, settings_file: Path | None = None) -> None:
        self.settings_file = settings_file

    def settings(self) -> Settings:
        """The settings of file and environment. Raises SettingsError."""
        return Settings.load(self.settings_file)

    def source_of(self, setting: str) -> str:
        """The variables that said a setting, or the file, or "" for neither."""
        return source_of(setting, self.settings_file, os.environ)

    @contextmanager
    def framework(self) -> Iterator[Framework]:
        """The framework over a database that is up to date; closed afterwards."""
        with Framework(self.settings()) as framework:
            framework.require_migrated()
            yield framework


def common_options(command: Decorated) -> Decorated:
    """``--settings`` and ``--log-level``, before or after a command's name."""
    settings = click.option(
        "--settings",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="LOCFRAMEWORK_SETTINGS",
        show_envvar=True,
        expose_value=False,
        callback=_use_settings,
        metavar="FILE",
        help="The TOML file to read settings from.",
    )
    level = click.option(
        "--log-level",
        type=click.Choice(LEVELS),
        expose_value=False,
        callback=_set_log_level,
        help="Log to stderr from this level up.  [default: warning]",
    )
    return settings(level(command))


def _use_settings(
    context: click.Context, _: click.Parameter, path: Path | None
) -> None:
    setup = context.ensure_object(Setup)
    if path is not None:
        setup.settings_file = path


def _set_log_level(
    context: click.Context, _: click.Parameter, level: str | None
) -> None:
    if level is not None or context.parent is None:
        configure_logging(level or "warning")


def configure_logging(level: str) -> None:
    """Log to stderr from ``level`` up, without secrets.

    The library configures no logging; this is for processes that are ours.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter(logging.Formatter(LOG_LINE)))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)

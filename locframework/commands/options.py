"""The options that commands share, what they open, and what they choose."""

import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

import click

from locframework.app import OPERATOR, Framework
from locframework.languages import canonical_tag, explain_invalid_tag
from locframework.pagination import Page, PageRequest, all_pages
from locframework.projects.records import Project
from locframework.settings import Settings, source_of

from .errors import CommandFailed
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


def output_options(command: Decorated) -> Decorated:
    """The two options, as ``output`` and ``overwrite``."""
    output = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
        help='Default: a name of its own in this folder; "-": standard output.',
    )
    overwrite = click.option(
        "--overwrite", is_flag=True, help="Replace an existing file."
    )
    return output(overwrite(command))


def put_out(file: BinaryIO, name: str, output: Path | None, *, overwrite: bool) -> None:
    """Write the file; CommandFailed if it exists and may not be replaced."""
    if output == Path("-"):
        shutil.copyfileobj(file, sys.stdout.buffer)
        return
    path = output or Path(name)
    if path.is_file() and not overwrite:
        raise CommandFailed(f"{path} exists already; --overwrite replaces it")
    with path.open("wb") as written:
        shutil.copyfileobj(file, written)
        size = written.tell()
    click.echo(f"{path}: {size} bytes", err=True)


class Language(click.ParamType[str]):
    """A language by its BCP-47 tag, in canonical spelling."""

    name = "code"

    def convert(
        self,
        value: object,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """The tag. A refusal names the option as it was typed."""
        code = str(value).strip()
        tag = canonical_tag(code)
        if tag is None:
            self.fail(explain_invalid_tag(code), param, ctx)
        return tag


def language_tags(
    context: click.Context, option: click.Parameter, codes: tuple[str, ...]
) -> tuple[str, ...]:
    """Canonical tags, several of them behind one option with commas between them."""
    parts = (part for code in codes for part in code.split(","))
    return tuple(Language().convert(part, option, context) for part in parts)


FEW = 10  # that are named where there are several
MAKERS = {
    "organization": "locframework organization create",
    "project": "locframework project create",
}


class Named(Protocol):
    """What has an id and a slug."""

    @property
    def id(self) -> str: ...

    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)


def only_one(found: Page[N], noun: str, option: str) -> str:
    """Return the id of the only one; CommandFailed if there are none or several."""
    if found.total == 1:
        return found.items[0].id
    if not found.items:
        maker = MAKERS.get(noun)
        how = f"with: {maker}" if maker else "over the API"
        raise CommandFailed(f"there is no {noun} yet; make one {how}")
    slugs = ", ".join(each.slug for each in found.items)
    more = ", …" if found.total > len(found.items) else ""
    raise CommandFailed(f"there are several; choose one with {option}: {slugs}{more}")


def organization_id(framework: Framework, reference: str | None) -> str:
    """Return the id of the named organization, or of the only one."""
    if reference is not None:
        return framework.organizations.get_organization(OPERATOR, reference).id
    found = framework.organizations.list_organizations(OPERATOR, PageRequest(limit=FEW))
    return only_one(found, "organization", "--organization")


project_option = click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; optional if there is only one project.",
)


def chosen_project(framework: Framework, reference: str | None) -> str:
    """The id of the project that is named, or of the only one. Raises CommandFailed."""
    if reference is not None:
        return framework.projects.get_project(OPERATOR, reference).id
    found = framework.projects.list_projects(OPERATOR, PageRequest(limit=FEW))
    return only_one(found, "project", "--project")


projects_option = click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; default: every project.",
)


def chosen_projects(framework: Framework, reference: str | None) -> Iterator[Project]:
    """The project that is named, or every one."""
    if reference is None:
        return every_project(framework)
    return iter([framework.projects.get_project(OPERATOR, reference)])


def every_project(framework: Framework) -> Iterator[Project]:
    """All projects of all organizations, by name."""
    return all_pages(lambda page: framework.projects.list_projects(OPERATOR, page))

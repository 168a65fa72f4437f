"""What commands share: options, errors in one line, logging, and waiting for jobs."""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

import click
import msgspec
from click.core import ParameterSource

from locframework.access.records import Caller
from locframework.app import OPERATOR, Framework
from locframework.errors import JobNotCancellable, LocError, PluginError, SettingsError
from locframework.jobs.records import Job
from locframework.languages import canonical_tag, explain_invalid_tag
from locframework.pagination import Page, PageRequest, all_pages
from locframework.projects.records import Project
from locframework.server import ServerError
from locframework.settings import Settings, source_of

log = logging.getLogger("locframework.commands")

LOG_LEVELS = ["debug", "info", "warning", "error"]
LOG_FORMATS = ["plain", "json"]
LOG_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PROBLEMS_SHOWN = 20
LISTED = 10  # slugs that are named where there are several
POLL_SECONDS = 0.05

_SECRETS = (
    # an Authorization header, as sent or in a mapping that was printed
    (re.compile(r"(authorization['\"]?\s*[:=]\s*['\"]?)[^'\"\r\n]+", re.I), r"\1…"),
    (re.compile(r"\b(bearer\s+)[^\s'\",]+", re.I), r"\1…"),
    (re.compile(r"\b(svc_(?:pat|proj)_)[0-9A-Za-z]+"), r"\1…"),
    (re.compile(r"\b(whsec_)[0-9A-Za-z+/_=-]+"), r"\1…"),
    # the public key of a distribution is the credential of its content
    (re.compile(r"(/content/[0-9A-Za-z_-]{4})[0-9A-Za-z_-]+"), r"\1…"),
    # the password in the address of a database; found by what ends the scheme: to look
    # for its beginning takes a second for a header of 16 KB of words and dots
    (re.compile(r"(://[^\s:/@]*:)[^\s/@]+(?=@)"), r"\1…"),
)
_FIELD = re.compile(r"(?:form|query|\$)\.(\w+): ")
_OPTIONS = {
    "email": "--owner",
    "languageCode": "--language",
    "mode": "--mode",
    "tags": "--tag",
}

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Report = Callable[[int, int], None]
"""Called with how many are done, and of how many; 0 of 0 is not known yet."""


class CommandFailed(click.ClickException):
    """What was asked for was refused or failed: exit code 1."""

    exit_code = 1


class Misconfigured(click.ClickException):
    """Settings, plugins or the machine do not allow it: exit code 2."""

    exit_code = 2


class TextsNotTaken(click.ClickException):
    """The import succeeded, but for conflicts: exit code 4."""

    exit_code = 4


@contextmanager
def one_line_errors(setup: Setup) -> Iterator[None]:
    """Turn exceptions into those that click shows as one line; a wrong setting is shown
    with the variable or file that set it."""
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except (SettingsError, PluginError) as error:
        source = ""
        if error.setting:
            source = source_of(error.setting, setup.settings_file, os.environ)
        line = f"{_line(error)} (from {source})" if source else _line(error)
        raise Misconfigured(line) from error
    except ServerError as error:
        raise Misconfigured(_line(error)) from error
    except LocError as refusal:
        line = _line(refusal)
        if found := _FIELD.match(line):  # the API's field, by the option for it
            line = f"{_OPTIONS.get(found[1], found[1])}: {line[found.end() :]}"
        raise CommandFailed(line) from refusal
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of our output has left
            raise
        name = f"{error.filename}: " if error.filename else ""
        raise CommandFailed(f"{name}{error.strerror or error}") from error
    except Exception as error:
        log.debug("a bug", exc_info=True)
        line = f"{type(error).__name__}: {_line(error)}"
        raise CommandFailed(f"{line} (--log-level debug shows more)") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def show_problems(refusal: LocError) -> None:
    """Print the first of several problems; the message names one."""
    problems = refusal.details if isinstance(refusal.details, list) else []
    if len(problems) > 1:
        for each in problems[:PROBLEMS_SHOWN]:
            click.echo(f"  {each.path}: {each.message}", err=True)


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return ``1 key``, ``2 keys``; ``nouns`` is a plural without a plain ``s``."""
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"


def redacted(text: str) -> str:
    """Return the text with "…" in place of tokens, secrets and passwords."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


class PlainFormatter(logging.Formatter):
    """Formats records as lines without secrets; a traceback has lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record."""
        return redacted(super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats records as JSON objects of one line, without secrets. One that has
    ``fields`` is shown by these, else by its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the record."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        entry |= getattr(record, "fields", None) or {"message": record.getMessage()}
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        safe = {
            name: redacted(value) if isinstance(value, str) else value
            for name, value in entry.items()
        }
        return msgspec.json.encode(safe).decode()


def configure_logging(level: str, format_: str = "plain") -> None:
    """Log to stderr from ``level`` up, without secrets."""
    handler = logging.StreamHandler()
    formatter = JsonFormatter() if format_ == "json" else PlainFormatter(LOG_LINE)
    handler.setFormatter(formatter)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


class Setup:
    """Opens the framework with the settings that the common options name."""

    def __init__(self, settings_file: Path | None = None) -> None:
        self.settings_file = settings_file
        self.log_level, self.log_format = "warning", LOG_FORMATS[0]

    def settings(self) -> Settings:
        """Return the settings of file and environment. Raises SettingsError."""
        return Settings.load(self.settings_file)

    @contextmanager
    def framework(self) -> Iterator[Framework]:
        """Open the framework on a database that is up to date; close it afterwards."""
        with Framework(self.settings()) as framework:
            framework.require_migrated()
            yield framework


def common_options(command: Decorated) -> Decorated:
    """Add ``--settings``, ``--log-level`` and ``--log-format``, before or after a
    command's name."""

    def use_settings(
        context: click.Context, _: click.Parameter, path: Path | None
    ) -> None:
        setup = context.ensure_object(Setup)
        source = context.get_parameter_source("settings")
        if source is ParameterSource.COMMANDLINE or setup.settings_file is None:
            setup.settings_file = path  # the option nearest to the user wins

    def set_logging(
        context: click.Context, option: click.Parameter, value: str | None
    ) -> None:
        setup = context.ensure_object(Setup)
        if value is not None:
            setattr(setup, str(option.name), value)
        configure_logging(setup.log_level, setup.log_format)

    settings = click.option(
        "--settings",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="LOCFRAMEWORK_SETTINGS",
        show_envvar=True,
        expose_value=False,
        callback=use_settings,
        metavar="FILE",
        help="The TOML file to read settings from.",
    )
    level = click.option(
        "--log-level",
        type=click.Choice(LOG_LEVELS),
        expose_value=False,
        callback=set_logging,
        help="Log to stderr from this level up.  [default: warning]",
    )
    format_ = click.option(
        "--log-format",
        type=click.Choice(LOG_FORMATS),
        expose_value=False,
        callback=set_logging,
        help="Log lines of text, or of JSON.  [default: plain]",
    )
    return settings(level(format_(command)))


def language(code: str) -> str:
    """Return the canonical language tag. Click names the option in the refusal."""
    tag = canonical_tag(code.strip())
    if tag is None:
        raise click.BadParameter(explain_invalid_tag(code))
    return tag


def languages_option(help_: str) -> Callable[[Decorated], Decorated]:
    """Return the option ``--language``, as ``languages``, that may be repeated."""
    return click.option(
        "--language",
        "languages",
        type=language,
        multiple=True,
        metavar="CODE",
        help=help_,
    )


def choice_option(
    name: str, choices: Sequence[str], help_: str
) -> Callable[[Decorated], Decorated]:
    """Return an option with these choices, of which the first is the default."""
    kind, default = click.Choice(choices), choices[0]
    return click.option(name, type=kind, default=default, show_default=True, help=help_)


def output_options(command: Decorated) -> Decorated:
    """Add the options ``output`` and ``overwrite`` of ``write_output``."""
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


def write_output(
    file: BinaryIO, name: str, output: Path | None, *, overwrite: bool
) -> None:
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


def reference_option(name: str) -> Callable[[Decorated], Decorated]:
    """Return the option, as ``reference``, that names one of several."""
    return click.option(
        f"--{name}",
        "reference",
        metavar=name.upper(),
        help=f"Id or slug; optional if there is only one {name}.",
    )


class Named(Protocol):
    """A record with an id and a slug."""

    @property
    def id(self) -> str: ...

    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)
Q = TypeVar("Q")


def choose(
    name: str,
    reference: str | None,
    get: Callable[[Caller, str], N],
    list_: Callable[[Caller, Q], Page[N]],
    query: Q,
) -> str:
    """Return the id of the one that ``reference`` names, or of the only one. ``name``
    is that of the option. Raises CommandFailed if there are none or several."""
    if reference is not None:
        return get(OPERATOR, reference).id
    found = list_(OPERATOR, query)
    if found.total == 1:
        return found.items[0].id
    if not found.items:
        can_create = name in ("organization", "project")
        how = f"with: locframework {name} create" if can_create else "over the API"
        raise CommandFailed(f"there is no {name} yet; make one {how}")
    slugs = ", ".join(each.slug for each in found.items)
    more = ", …" if found.total > len(found.items) else ""
    raise CommandFailed(f"there are several; choose one with --{name}: {slugs}{more}")


def choose_organization(framework: Framework, reference: str | None) -> str:
    """Return the id of the named organization, or of the only one."""
    of = framework.organizations
    get, list_ = of.get_organization, of.list_organizations
    return choose("organization", reference, get, list_, PageRequest(limit=LISTED))


def choose_project(framework: Framework, reference: str | None) -> str:
    """Return the id of the named project, or of the only one."""
    get, list_ = framework.projects.get_project, framework.projects.list_projects
    return choose("project", reference, get, list_, PageRequest(limit=LISTED))


projects_option = click.option(
    "--project",
    "reference",
    metavar="PROJECT",
    help="Id or slug; default: every project.",
)


def list_projects(
    framework: Framework, reference: str | None = None
) -> Iterator[Project]:
    """Yield the named project, or every one of all organizations by name."""
    projects = framework.projects
    if reference is not None:
        return iter([projects.get_project(OPERATOR, reference)])
    return all_pages(lambda page: projects.list_projects(OPERATOR, page))


@contextmanager
def progress(label: str) -> Iterator[Report]:
    """Show a progress bar on a terminal while the block runs."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(
        length=1, label=label, file=sys.stderr, hidden=hidden
    ) as bar:

        def report(done: int, total: int) -> None:
            if total:
                bar.length = total
                bar.update(done - bar.pos)

        yield report


class JobsOf(Protocol):
    """The jobs about projects, about glossaries, or about memories."""

    def get_job(self, caller: Caller, about: str, job_id: str, /) -> Job: ...

    def cancel_job(self, caller: Caller, about: str, job_id: str, /) -> Job: ...


def run_to_end(
    framework: Framework, jobs: JobsOf, about: str, job: Job, report: Report
) -> Job:
    """Return the job of a project, glossary or memory when it has ended, here or in
    another process. Ctrl-C cancels it."""
    framework.runner.start()
    try:
        while job.status in ("queued", "running"):
            if job.status == "queued":
                framework.runner.wake()
            time.sleep(POLL_SECONDS)
            job = jobs.get_job(OPERATOR, about, job.id)
            report(job.progress.done, job.progress.total)
    except KeyboardInterrupt:
        with suppress(JobNotCancellable):  # it ended meanwhile
            jobs.cancel_job(OPERATOR, about, job.id)
        raise
    finally:
        framework.runner.stop()
    return job


def result_of(
    framework: Framework, jobs: JobsOf, about: str, job: Job
) -> Mapping[str, object]:
    """Run an import to its end, and return its result. Raises CommandFailed, which says
    how much of it remains."""
    with progress("importing") as report:
        job = run_to_end(framework, jobs, about, job, report)
    if job.result is not None and job.status == "succeeded":
        return job.result
    reason = job.error.message if job.error else f"the import was {job.status}"
    if job.result is not None:
        done = f"{job.progress.done} of {job.progress.total}"
        reason += f"; {done} were imported and remain"
    elif job.error is None:
        reason += "; nothing was changed"
    raise CommandFailed(reason)

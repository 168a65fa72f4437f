"""What commands share: options, errors in one line, logging, and waiting for jobs."""

from __future__ import annotations

import errno
import logging
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

import click
import msgspec
from click.core import ParameterSource

from locframework.access.records import Caller
from locframework.app import OPERATOR, Framework
from locframework.errors import (
    JobNotCancellable,
    LocError,
    PluginError,
    SettingsError,
    Unavailable,
    truncate,
)
from locframework.fields import id_from_reference, kebab
from locframework.glossaries.records import GlossaryQuery
from locframework.jobs.records import Job
from locframework.languages import canonical_tag, explain_invalid_tag, folded
from locframework.memories.records import MemoryQuery
from locframework.pagination import Page, PageRequest, all_pages
from locframework.server import ServerError
from locframework.settings import Settings, source_of

log = logging.getLogger("locframework.commands")

LOG_LEVELS = ["debug", "info", "warning", "error"]
LOG_FORMATS = ["plain", "json"]
LOG_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
PROBLEMS_SHOWN = 20
LISTED = 10  # candidates that are named where there are several
POLL_SECONDS = 0.05
WAIT_POLL_SECONDS = 1.0

_SECRETS = (
    # an Authorization header, as sent or in a mapping that was printed
    (re.compile(r"(authorization['\"]?\s*[:=]\s*['\"]?)[^'\"\r\n]+", re.I), r"\1…"),
    (re.compile(r"\b(bearer\s+)[^\s'\",]+", re.I), r"\1…"),
    (re.compile(r"\b(svc_(?:pat|proj|inv)_)[0-9A-Za-z]+"), r"\1…"),
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
        log.debug("the cause", exc_info=True)
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
        self.as_json = False
        self.log_level, self.log_format = "warning", LOG_FORMATS[0]

    def say(self, line: str) -> None:
        """Print a line of the result, without ``--json``."""
        if not self.as_json:
            click.echo(line)

    def show(self, document: object) -> None:
        """Print the whole result, with ``--json``."""
        if self.as_json:
            click.echo(msgspec.json.format(msgspec.json.encode(document)))

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


def reference_option(name: str, default: str = "") -> Callable[[Decorated], Decorated]:
    """Return the option, as ``reference``, that names one of several."""
    default = default or f"optional if there is only one {name}"
    return click.option(
        f"--{name}",
        "reference",
        metavar=name.upper(),
        help=f"Name, short name, slug or id; {default}.",
    )


projects_option = reference_option("project", "default: every project")


class Named(Protocol):
    """A record that commands name."""

    @property
    def id(self) -> str: ...

    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


@dataclass(frozen=True)
class Kind(Generic[N]):
    """Finds the records of one type by what users call them."""

    name: str  # that of the option
    get: Callable[[Framework, str], N]
    list_page: Callable[[Framework, PageRequest], Page[N]]
    remedy: str = "over the API"  # how the first one is made

    def all(self, framework: Framework, reference: str | None = None) -> list[N]:
        """Return all records by name, or the one that is referred to."""
        if reference is not None:
            return [self.choose(framework, reference)]
        return list(all_pages(lambda page: self.list_page(framework, page)))

    def choose(self, framework: Framework, reference: str | None) -> N:
        """Return the record with this name, short name, slug or id, or the only one.
        Raises CommandFailed, which lists the candidates, and LocError for an id."""
        if reference is not None and id_from_reference(reference):
            return self.get(framework, reference)
        known = self.all(framework)
        found = known if reference is None else _called(reference, known)
        if len(found) == 1:
            return found[0]
        if not known:
            raise CommandFailed(f"there is no {self.name} yet; make one {self.remedy}")
        names = list(short_names(found or known).values())
        listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
        if reference is None:
            reason = f"there are several; choose one with --{self.name}"
        elif found:
            reason = f"there are several called {truncate(reference)!r}; choose one of"
        else:
            reason = f"there is no {self.name} {truncate(reference)!r}; there are"
        raise CommandFailed(f"{reason}: {listed}")


def _called(reference: str, records: Sequence[N]) -> list[N]:
    name = folded(reference)
    named = [each for each in records if folded(each.name) == name]
    return named or [each for each in records if kebab(each.name) == name]


def short_names(records: Iterable[Named]) -> dict[str, str]:
    """Return what commands call each record, by its id: the short name, ``my-app``, or
    the slug if several have that one."""
    records = list(records)
    counts = Counter(kebab(each.name) for each in records)
    names = {}
    for each in records:
        short = kebab(each.name)
        names[each.id] = short if short and counts[short] == 1 else each.slug
    return names


ORGANIZATION = Kind(
    "organization",
    lambda of, reference: of.organizations.get_organization(OPERATOR, reference),
    lambda of, page: of.organizations.list_organizations(OPERATOR, page),
    "with: locframework organization create",
)
PROJECT = Kind(
    "project",
    lambda of, reference: of.projects.get_project(OPERATOR, reference),
    lambda of, page: of.projects.list_projects(OPERATOR, page),
    "with: locframework project create",
)
MEMORY = Kind(
    "memory",
    lambda of, reference: of.memories.get_memory(OPERATOR, reference),
    lambda of, page: of.memories.list_memories(
        OPERATOR, MemoryQuery(page.page, page.limit)
    ),
)
GLOSSARY = Kind(
    "glossary",
    lambda of, reference: of.glossaries.get_glossary(OPERATOR, reference),
    lambda of, page: of.glossaries.list_glossaries(
        OPERATOR, GlossaryQuery(page.page, page.limit)
    ),
)


def json_option(command: Decorated) -> Decorated:
    """Give a command ``--json``: with it, ``print_result`` prints the document in place
    of the text."""

    def set_json(context: click.Context, _: click.Parameter, is_set: bool) -> None:
        context.ensure_object(Setup).as_json = is_set

    return click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=set_json,
        help="Print one JSON document, with the records of the API.",
    )(command)


wait_option = click.option(
    "--wait",
    "wait_seconds",
    type=click.IntRange(min=0),
    default=0,
    metavar="SECONDS",
    help="How long to wait for a database that does not answer yet.  [0]",
)


def wait_for_database(framework: Framework, wait_seconds: int) -> None:
    """Return when the database answers; ask each second. Raises CommandFailed."""
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            return framework.storage.ping()
        except Unavailable as error:
            if time.monotonic() >= deadline:
                if not wait_seconds:
                    raise
                message = f"after {wait_seconds} s of waiting: {error.message}"
                raise CommandFailed(message) from error
        time.sleep(WAIT_POLL_SECONDS)


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


def run_import(
    framework: Framework, jobs: JobsOf, about: str, job: Job
) -> tuple[Job, Mapping[str, object]]:
    """Run an import to its end, and return it with its result. Raises CommandFailed,
    which says how much of it remains."""
    with progress("importing") as report:
        job = run_to_end(framework, jobs, about, job, report)
    if job.result is not None and job.status == "succeeded":
        return job, job.result
    reason = job.error.message if job.error else f"the import was {job.status}"
    if job.result is not None:
        done = f"{job.progress.done} of {job.progress.total}"
        reason += f"; {done} were imported and remain"
    elif job.error is None:
        reason += "; nothing was changed"
    raise CommandFailed(reason)

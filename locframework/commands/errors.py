"""Tells every fault as one line on stderr, with an exit code that says its kind."""

import errno
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from locframework.errors import LocError, PluginError, SettingsError
from locframework.server import ServerError

log = logging.getLogger("locframework.commands")

PROBLEMS_SHOWN = 20

_FIELD = re.compile(r"(?:form|query|\$)\.(\w+): ")
_OPTIONS = {  # what else a field is, is told by its name alone
    "languageCode": "--language",
    "mode": "--mode",
    "tag": "--tag",
    "tags": "--tag",
}


class Misconfigured(click.ClickException):
    """Settings, plugins or the machine do not allow it: exit code 2."""

    exit_code = 2


class CommandFailed(click.ClickException):
    """What was asked for was refused or failed: exit code 1."""

    exit_code = 1


@contextmanager
def one_line(source_of: Callable[[str], str]) -> Iterator[None]:
    """Turn what is raised in the block into what click tells in one line.

    ``source_of`` knows which variable or file said a setting that is at fault. The
    trace of a fault of our own is logged with ``--log-level debug``.
    """
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except (SettingsError, PluginError) as error:
        source = source_of(error.setting) if error.setting else ""
        told = f"{_line(error)} (from {source})" if source else _line(error)
        raise Misconfigured(told) from error
    except ServerError as error:
        raise Misconfigured(_line(error)) from error
    except LocError as refusal:
        raise CommandFailed(_as_given(_line(refusal))) from refusal
    except OSError as error:
        if error.errno == errno.EPIPE:  # click's: whoever read us has left
            raise
        raise CommandFailed(_of_file(error)) from error
    except Exception as fault:
        log.debug("a fault of our own", exc_info=True)
        told = f"{type(fault).__name__}: {_line(fault)}"
        raise CommandFailed(f"{told} (--log-level debug shows more)") from fault


def counted(count: int, noun: str, nouns: str = "") -> str:
    """``1 key``, ``2 keys``; ``nouns`` where it is no plain ``s``."""
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"


def problems_of(refusal: LocError) -> list[str]:
    """The first of several things that are wrong; the message tells of a single one."""
    problems = refusal.details if isinstance(refusal.details, list) else []
    if len(problems) < 2:
        return []
    return [f"{each.path}: {each.message}" for each in problems[:PROBLEMS_SHOWN]]


def _as_given(line: str) -> str:
    """``--tag: …`` for ``form.tags: …``: the API's field by what said it here."""
    found = _FIELD.match(line)
    if found is None:
        return line
    return f"{_OPTIONS.get(found[1], found[1])}: {line[found.end() :]}"


def _of_file(error: OSError) -> str:
    """``out/de.json: No such file or directory``, without Python's ``[Errno 2]``."""
    told = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return " ".join(told.split())


def _line(error: Exception) -> str:
    return " ".join(str(error).split())

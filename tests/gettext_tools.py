"""GNU gettext, asked about a thousand files at once: a process for each takes longer.

They are given as the domains of one file, which PO files may have several of.
"""

import os
import re
import shutil
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from tempfile import TemporaryDirectory

import pytest

from tests.empty_databases import REQUIRED_VARIABLE

_TOLD = re.compile(r"^<stdin>:(\d+):(?:\d+:)? (?!warning: )(.*)", re.MULTILINE)
_DOMAIN = re.compile(r'^domain "\d+"\n\n', re.MULTILINE)


def require_gettext() -> None:
    """Skips the test where GNU gettext is not installed, or fails it."""
    if shutil.which("msgfmt") is None or shutil.which("msgcat") is None:
        if os.environ.get(REQUIRED_VARIABLE) == "1":
            pytest.fail("GNU gettext is not installed")
        pytest.skip("GNU gettext is not installed")


def normalised(files: Sequence[str]) -> list[str]:
    """Each PO file, in UTF-8, as ``msgcat`` writes it, with no line wrapped.

    Raises AssertionError where one cannot be read.
    """
    domains = _domains(dict(enumerate(files)))
    code, out, told = _run(["msgcat", "--no-wrap", "--to-code=UTF-8"], domains)
    assert code == 0, told
    head, *found = _DOMAIN.split(out)
    assert (head, len(found)) == ("", len(files))
    return found


def refusals(files: Sequence[str]) -> dict[int, str]:
    """What ``msgfmt --check`` has against some of these PO files, by their place."""
    rest, found = dict(enumerate(files)), dict[int, str]()
    while rest and (told := _told(rest)):
        found |= told
        for place in told:  # where one cannot be parsed, the others are not checked
            del rest[place]
    return found


def _told(files: Mapping[int, str]) -> dict[int, str]:
    domains = _domains(files)
    code, _, said = _run(["msgfmt", "--check"], domains)
    ends = list(accumulate(domain.count("\n") for domain in domains))
    found = defaultdict[int, list[str]](list)
    for line, told in _TOLD.findall(said):
        found[bisect_right(ends, int(line) - 1)].append(told)
    assert (code == 0) == (not found), said
    places = list(files)
    return {places[at]: "\n".join(lines) for at, lines in found.items()}


def _domains(files: Mapping[int, str]) -> list[str]:
    return [f'domain "{place}"\n\n{text}\n' for place, text in files.items()]


def _run(command: list[str], domains: Sequence[str]) -> tuple[int, str, str]:
    with TemporaryDirectory() as folder:  # msgfmt writes each domain to a file
        done = subprocess.run(
            [*command, "-"],
            input="".join(domains).encode(),
            cwd=folder,
            capture_output=True,
            timeout=60,
            check=False,
        )
    return done.returncode, done.stdout.decode(), done.stderr.decode()

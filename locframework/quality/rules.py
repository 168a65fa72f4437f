"""Decides what a check may be called, and how long a text may be."""

import re
from collections.abc import Iterable
from typing import get_args

from locframework.projects.records import Severity

from .check import Check
from .records import Subject

_NAME = re.compile(r"(?=.{1,100}\Z)[a-z0-9]+(_[a-z0-9]+)*")
_FIELDS = [name for name in Subject.__struct_fields__ if not name.startswith("_")]
_LIMIT = re.compile(r"max-length:([1-9][0-9]{0,5})")


def name_of_check(check: Check) -> str:
    """The name of a check that keeps its port. Raises ValueError, AttributeError."""
    name: object = check.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"name {name!r} is not lower snake case")
    needs: object = getattr(check, "needs", "")
    if needs != "" and needs not in _FIELDS:
        raise ValueError(f"needs {needs!r} is not one of {', '.join(_FIELDS)}")
    if check.severity not in get_args(Severity):
        raise ValueError(f"severity {check.severity!r} is not error, warning or off")
    return check.name


def length_limit(tags: Iterable[str]) -> int | None:
    """The most code points a text may have: of the key's tag ``max-length:30``.

    The smallest of several; None without such a tag. Source: docs/decisions/0008.
    """
    limits = [int(match[1]) for tag in tags if (match := _LIMIT.fullmatch(tag))]
    return min(limits, default=None)

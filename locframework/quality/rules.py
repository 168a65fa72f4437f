"""Decides what a check may be called."""

import re
from typing import get_args

from locframework.projects.records import Severity

from .check import Check
from .records import Subject

_NAME = re.compile(r"(?=.{1,100}\Z)[a-z0-9]+(_[a-z0-9]+)*")
_FIELDS = [name for name in Subject.__struct_fields__ if not name.startswith("_")]


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

"""The port for checks: texts to findings."""

import re
from collections.abc import Iterable
from typing import Protocol, get_args

from locframework.projects.records import Severity

from .records import Finding, Subject

_NAME = re.compile(r"(?=.{1,100}\Z)[a-z0-9]+(_[a-z0-9]+)*")
_FIELDS = [name for name in Subject.__struct_fields__ if not name.startswith("_")]


class Check(Protocol):
    """One check. Pure: no I/O, no clock, no state between calls.

    It is asked at every write of a text, in the transaction, so it is quick: most
    texts should cost it a microsecond. A check may also have ``needs``, the name of a
    field of Subject: where that is empty it finds nothing, and is not asked at all.
    """

    @property
    def name(self) -> str:
        """What projects and findings call it: lower snake case, the same for ever."""
        ...

    @property
    def description(self) -> str:
        """One sentence on what it looks for."""
        ...

    @property
    def severity(self) -> Severity:
        """How grave its findings are where the project does not say."""
        ...

    def find(self, subject: Subject) -> Iterable[Finding]:
        """What is wrong with the texts; the gravest first, 20 at most are kept.

        Never raises for any text. One that does is logged, and finds nothing.
        """
        ...


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

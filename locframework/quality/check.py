"""The port for checks: texts to findings."""

from collections.abc import Iterable
from typing import Protocol

from locframework.projects.records import Severity

from .records import Finding, Subject


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

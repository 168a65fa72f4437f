"""Checks of texts: what one is given, what it finds, and what runs all of them."""

import logging
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from time import perf_counter
from types import MappingProxyType
from typing import Protocol, get_args

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from locframework.errors import PLUGIN_EXCEPTIONS
from locframework.hook_times import Hook, HookTimes
from locframework.projects.records import Project, Severity

log = logging.getLogger("locframework.quality")

FINDINGS_LIMIT = 20  # of one check on the texts of one key in one language
MESSAGE_LENGTH = 300
_NAME = re.compile(r"(?=.{1,100}\Z)[a-z0-9]+(_[a-z0-9]+)*")


class WantedTerm(Struct, frozen=True, gc=False):
    """A term that is in a source text, and what it has to be in the translation."""

    term: str
    values: tuple[str, ...]  # any of them will do
    exactly: bool = False  # letter case counts, and the ending


class AvoidedTerm(Struct, frozen=True, gc=False):
    """What stands in a text and is forbidden."""

    text: str
    start: int  # in code points of the text
    end: int


class TextTerms(Struct, frozen=True, gc=False):
    """What the glossaries of a project say of the texts of one key."""

    wanted: Mapping[str, Sequence[WantedTerm]] = {}  # by source text
    avoided: Mapping[str | None, Sequence[AvoidedTerm]] = {}  # by plural form

    def __post_init__(self) -> None:
        force_setattr(self, "wanted", MappingProxyType(self.wanted))
        force_setattr(self, "avoided", MappingProxyType(self.avoided))


class Subject(Struct, frozen=True, gc=False):
    """The texts of one key in one language, and what they are checked against. All
    checks are given the same one, so its mappings are read-only."""

    key: str
    language_code: str  # canonical BCP-47
    texts: Mapping[str | None, str]  # by plural form, None without; none is empty
    source_language: str
    source_texts: Mapping[str | None, str] = {}  # empty: nothing to compare with,
    # as in the source language itself
    is_plural: bool = False
    plural_forms: tuple[str, ...] = ("other",)  # of the language in this project
    description: str = ""
    tags: tuple[str, ...] = ()
    max_length: int | None = None  # of each text, in code points
    terms: TextTerms | None = None  # None: nothing is known
    format_flags: tuple[str, ...] = ()  # of gettext: "qt-format", "no-c-format"

    compared: tuple[tuple[str | None, str, str], ...] = ()
    """Each text with its plural form before, and the source text beside it; set by the
    framework. That is the source text of the same form, else of ``other``, else any."""

    def __post_init__(self) -> None:
        texts, sources = self.texts, self.source_texts
        force_setattr(self, "texts", MappingProxyType(texts))
        force_setattr(self, "source_texts", MappingProxyType(sources))
        if sources:
            other = sources.get("other") or next(iter(sources.values()))
            pairs = [(form, texts[form], sources.get(form) or other) for form in texts]
            force_setattr(self, "compared", tuple(pairs))


class Finding(Struct, frozen=True, gc=False):
    """What a check found in one text."""

    message: str  # a sentence without a full stop, 1 to 300 characters
    start: int  # in code points of the text; start 0 and end its length: all of it
    end: int
    plural_form: str | None = None  # one of the subject's texts
    check: str = ""  # filled in by the framework
    texts_hash: int = 0  # of the key's texts and source texts; by the framework


class Issue(Struct, frozen=True, gc=False):
    """A finding in a text, as it is shown beside the text."""

    check: str
    severity: Severity
    message: str
    start: int  # in code points of the text
    end: int


Dismissed = Collection[tuple[int, str]]
"""The hash of the texts, and the check, of each finding that somebody dismissed."""


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

    @property
    def description(self) -> str:
        """One sentence on what it looks for."""

    @property
    def severity(self) -> Severity:
        """How grave its findings are where the project does not say."""

    def find(self, subject: Subject) -> Iterable[Finding]:
        """What is wrong with the texts; the gravest first, 20 at most are kept. Never
        raises for any text. One that does is logged, and finds nothing."""


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


class Checks:
    """The checks of one application, by name. Findings are the same on every path."""

    def __init__(
        self,
        checks: Mapping[str, Check],
        times: HookTimes | None = None,
        timed: Mapping[str, Hook] = MappingProxyType({}),
    ) -> None:
        """``timed``: those that ``times`` counts, and as what."""
        self._checks = dict(sorted(checks.items()))
        self._finders = [
            (name, check.find, str(getattr(check, "needs", "")), timed.get(name))
            for name, check in self._checks.items()
        ]
        self._times = times or HookTimes()
        self._failed: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The names that projects may use, sorted."""
        return list(self._checks)

    def findings(
        self, subject: Subject, names: Collection[str] | None = None
    ) -> list[Finding]:
        """Return what all checks, or those with ``names``, find, by name; their
        severity is said when read. A check that fails is logged, and finds nothing.
        About 5 µs for a plain text."""
        found: list[Finding] = []
        for name, find, needs, hook in self._finders:
            if names is not None and name not in names:
                continue
            began = perf_counter() if hook is not None else 0.0
            try:
                if needs and not getattr(subject, needs):
                    continue
                # a list first: one that fails half way has found nothing
                if some := [*islice(find(subject), FINDINGS_LIMIT)]:
                    found += [_validated(name, each, subject) for each in some]
                if hook is not None:
                    self._times.add(hook, began)
            except PLUGIN_EXCEPTIONS:
                if hook is not None:
                    self._times.add(hook, began, failed=True)
                log.error(
                    "check %s failed on key %s in %s",
                    name,
                    subject.key,
                    subject.language_code,
                    exc_info=name not in self._failed,  # imports have many texts
                )
                self._failed.add(name)
        return found

    def shown(self, project: Project) -> dict[str, Severity]:
        """Return the severity of each check in a project, without those that are off,
        disabled or no longer provided."""
        severities = {
            name: project.check_severities.get(name, check.severity)
            for name, check in self._checks.items()
            if name not in project.disabled_checks
        }
        return {
            name: severity for name, severity in severities.items() if severity != "off"
        }


def _validated(name: str, finding: Finding, subject: Subject) -> Finding:
    """What a check found, made sure of. ValueError for what no text has."""
    if type(finding.start) is not int or type(finding.end) is not int:
        raise ValueError(f"{finding!r} is at no place")
    text = subject.texts.get(finding.plural_form)
    if text is None or not 0 <= finding.start <= finding.end <= len(text):
        raise ValueError(f"{finding!r} is in none of the texts")
    message = finding.message
    if not message or "\0" in message:
        raise ValueError("the message cannot be shown")
    message.encode()  # a lone surrogate is a ValueError as well
    if len(message) > MESSAGE_LENGTH:
        message = message[: MESSAGE_LENGTH - 1] + "…"
    return replace(finding, message=message, check=name)
